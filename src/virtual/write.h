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
 * Writes items of a bound type as the caller: INSERT, UPDATE or DELETE, a
 * statement for each. operation is KG_EXPOSE_CREATE, _UPDATE or _DELETE; For a
 * deletion, outcomes has the ids, and expected has the expected versions; 0
 * accepts any version. Sets the verdicts.
 */
extern void kg_virtual_write(const KgCatalog *catalog, const KgType *type,
							 int operation, const JsonbContainer *items,
							 const int64 *expected, KgOutcomes *outcomes);

/* Returns a stored reply without the rows that the caller does not see now. */
extern Jsonb *kg_virtual_withhold(const KgCatalog *catalog, const KgType *type,
								  const Jsonb *reply);

/* Sets the versions of rows by their ids; 0: no such row, or no versions. */
extern void kg_virtual_versions(const KgCatalog *catalog, const KgType *type,
								const char *const *ids, int64 *versions, int n);

#endif /* KG_VIRTUAL_WRITE_H */
