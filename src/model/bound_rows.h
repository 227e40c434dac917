/*
 * bound_rows.h
 *	  Whether a table of the user shows a caller only the rows of the tenant.
 */
#ifndef KG_BOUND_ROWS_H
#define KG_BOUND_ROWS_H

#include "access/attnum.h"
#include "model/binding.h"

typedef struct KgRowsFault
{
	bool forbidden; /* the table suits other roles */
	const char *message;
	const char *expected;
} KgRowsFault;

/*
 * Returns false and sets the fault if a view reads with its owner's rights, or
 * if nothing limits the rows that the role sees to the tenant. Locks the view
 * and its tables as a reader does (AccessShareLock) until the transaction
 * ends.
 */
extern bool kg_bound_rows_check(const KgTableBinding *binding, Oid relid,
								Oid role, KgRowsFault *fault);

/*
 * Returns the number of the column that a policy for the role's reads compares
 * with kg_tenant() or kg_claim(), or InvalidAttrNumber.
 */
extern AttrNumber kg_bound_rows_column(Oid relid, Oid role);

#endif /* KG_BOUND_ROWS_H */
