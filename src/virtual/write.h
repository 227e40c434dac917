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
 * statement for each.  operation is KG_EXPOSE_CREATE, _UPDATE or _DELETE; to
 * delete, outcomes has the ids and expected the versions, 0 for any.  Sets the
 * verdicts.
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

/* ---- write_errors.c ---- */

/* A value that a statement writes into a column. */
typedef struct KgVAssigned
{
	const KgField *field; /* or NULL: the tenant's column */
	const KgBoundColumn *column;
	JsonbValue value; /* jbvNull: NULL */
} KgVAssigned;

/* A statement that the table may refuse. */
typedef struct KgVAttempt
{
	const KgVSource *source;
	int operation;
	const char *id;	  /* of the row, or NULL */
	const char *path; /* of the properties in the arguments */
	List *assigned;	  /* of KgVAssigned * */
} KgVAttempt;

/* Returns a tool's error for the error of such a statement. */
extern KgError *kg_virtual_refused(const KgVAttempt *attempt,
								   const ErrorData *edata);

/* Appends a list of columns with their types, of the assigned values. */
extern void kg_vrecord(KgSqlBuilder *b, const KgVSource *source,
					   const List *assigned);

#endif /* KG_VIRTUAL_WRITE_H */
