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
 * entities are written, and compares. Writes and locks nothing. In REPEATABLE
 * READ, the function sees a single snapshot. In READ COMMITTED, it sees
 * several snapshots if other sessions write at the same time. References to
 * types that read a table are looked up as the admin, and not at all if it is
 * NULL, because policies of the table do not limit the owner.
 */
extern int64 kg_verify_tenant(const char *tenant, const KgUserContext *admin,
							  KgDifferences *differences);

/*
 * Repairs the differences that were found last in the tenant. Deletes wrong
 * edges and wrong packed edges, and derives the other rows anew.
 */
extern void kg_verify_repair(const char *tenant,
							 const KgDifferences *differences);

#endif /* KG_VERIFY_H */
