/*
 * verify.h
 *	  Verification that all rows derived from a tenant's entities are
 *	  correct.
 */
#ifndef KG_VERIFY_H
#define KG_VERIFY_H

#include "base/extension.h"
#include "store/check/differences.h"

/*
 * Derives all rows of a tenant with the functions that derive them when
 * entities are written, and compares them with the stored rows. Writes and
 * locks nothing. In REPEATABLE READ, the function uses one snapshot. In READ
 * COMMITTED, it uses several snapshots, so writes of other sessions can show
 * between them. References to types that read a table are looked up as the
 * admin, because the table's policies do not limit the owner. If admin is NULL,
 * these references are not checked. Returns the number of entities.
 */
extern int64 kg_verify_tenant(const char *tenant, const KgUserContext *admin,
							  KgDifferences *differences);

/*
 * Repairs the differences that were found last in the tenant. Deletes wrong
 * edges and wrong packed edges, and derives the other rows anew. If the type of
 * an entity is unknown, no rows are derived.
 */
extern void kg_verify_repair(const char *tenant,
							 const KgDifferences *differences);

#endif /* KG_VERIFY_H */
