/*
 * bound_rows.h
 *	  The check that a user's table shows a caller only the rows of the
 *	  caller's tenant.
 */
#ifndef KG_BOUND_ROWS_H
#define KG_BOUND_ROWS_H

#include "access/attnum.h"
#include "model/binding.h"

typedef struct KgRowsFault
{
	bool forbidden; /* this role must not read the table, but other roles may */
	const char *message;
	const char *expected;
} KgRowsFault;

/*
 * Checks that the role sees only rows of the tenant. Returns false and sets
 * *fault if a view reads with its owner's rights, or if nothing limits the rows
 * to the tenant and the binding is not shared. Locks the view and its tables in
 * AccessShareLock mode, as a reader does, until the transaction ends.
 */
extern bool kg_bound_rows_check(const KgTableBinding *binding, Oid relid,
								Oid role, KgRowsFault *fault);

/*
 * Returns the number of the column that a policy compares with kg_tenant() or
 * kg_claim(), or InvalidAttrNumber. The policy must be one for reads by the
 * role.
 */
extern AttrNumber kg_bound_rows_column(Oid relid, Oid role);

#endif /* KG_BOUND_ROWS_H */
