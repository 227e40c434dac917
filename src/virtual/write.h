/*
 * write.h
 *	  Writing the rows of bound types.
 */
#ifndef KG_VIRTUAL_WRITE_H
#define KG_VIRTUAL_WRITE_H

#include "store/entity/put.h"
#include "store/idempotency.h"
#include "virtual/virtual.h"

/*
 * Writes items of a bound type with the caller's rights, each by one INSERT,
 * UPDATE or DELETE. operation is KG_EXPOSE_CREATE, KG_EXPOSE_UPDATE or
 * KG_EXPOSE_DELETE. For a deletion, outcomes contains the ids, and expected
 * contains the expected versions; 0 accepts any version. Sets the result of
 * each item in outcomes.
 */
extern void kg_virtual_write(const KgCatalog *catalog, const KgType *type,
							 int operation, const JsonbContainer *items,
							 const int64 *expected, KgOutcomes *outcomes);

/*
 * Returns a stored reply without the rows that the caller does not see now.
 * Used if a reply is sent again.
 */
extern Jsonb *kg_virtual_withhold(const KgCatalog *catalog, const KgType *type,
								  const Jsonb *reply);

/*
 * Sets versions to the versions of the rows with these ids. 0: there is no such
 * row, or rows have no versions.
 */
extern void kg_virtual_versions(const KgCatalog *catalog, const KgType *type,
								const char *const *ids, int64 *versions, int n);

#endif /* KG_VIRTUAL_WRITE_H */
