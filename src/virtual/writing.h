/*
 * writing.h
 *	  A write of rows, as write.c, write_values.c and write_errors.c share it.
 */
#ifndef KG_VIRTUAL_WRITING_H
#define KG_VIRTUAL_WRITING_H

#include "virtual/write.h"

/* A value that a statement writes into a column. */
typedef struct KgVAssigned
{
	/* the property; NULL: the column is that of the tenant */
	const KgField *field;
	const KgBoundColumn *column;
	JsonbValue value; /* jbvNull: NULL */
	JsonbValue sent;  /* value of the property, for one or several columns */
} KgVAssigned;

/* A statement that the table may refuse. */
typedef struct KgVAttempt
{
	const KgVSource *source;
	int operation;
	const char *id;	  /* id of the row, or NULL */
	const char *path; /* path of the properties in the arguments */
	List *assigned;	  /* List of KgVAssigned * */
	bool deferred;	  /* the constraints of several items are checked */
} KgVAttempt;

/* A call that writes rows of a bound type. */
typedef struct KgVWrite
{
	const KgVSource *source;
	const KgType *type;
	int operation;
	const char *tenant;
	const char *version; /* an expression, or NULL: rows have no versions */
	/* SET CONSTRAINTS ... IMMEDIATE for deferrable constraints, or NULL */
	const char *constraints;
	const int64 *expected;
	KgOutcomes *outcomes;
	KgPutItem *items;
	/* The item that is written now. */
	int i;
	KgVAttempt attempt;
	KgError *err; /* the error that the statement raised, or NULL */
} KgVWrite;

/* Returns the outcome of the item that is written now. */
static inline KgOutcome *
kg_vwrite_outcome(const KgVWrite *w)
{
	return &w->outcomes->items[w->i];
}

/* ---- write_values.c ---- */

/* Returns the property of the document's root, or NULL. */
extern const KgField *kg_vroot_field(const KgType *type, const char *name);

/*
 * Assigns a property: its column, or the parts of an id to several columns.
 * Reports a fault of the name or the value.
 */
extern void kg_vassign(KgVWrite *w, const char *name, const JsonbValue *value);
/*
 * Assigns the caller's tenant to the tenant's column, if the binding has one
 * that the table does not compute.
 */
extern void kg_vassign_tenant(KgVWrite *w);

/* Returns the assigned values by their columns, for kg_vrecord(). */
extern Jsonb *kg_vrecord_of(const KgVWrite *w);
/* Appends a list of columns with their types, of the assigned values. */
extern void kg_vrecord(KgSqlBuilder *b, const KgVSource *source,
					   const List *assigned);

/* ---- write_errors.c ---- */

/*
 * Returns the tables whose triggers a write may fire, an array of OIDs: that of
 * the type, that of a view, and their partitions and children.
 */
extern Datum kg_vwritten_tables(const KgVSource *source);

/* Returns a tool's error for the error of such a statement. */
extern KgError *kg_virtual_refused(const KgVAttempt *attempt,
								   const ErrorData *edata);

#endif /* KG_VIRTUAL_WRITING_H */
