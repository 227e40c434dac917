/*
 * writing.h
 *	  The state of a write of rows, shared by write.c, write_values.c and
 *	  write_errors.c.
 */
#ifndef KG_VIRTUAL_WRITING_H
#define KG_VIRTUAL_WRITING_H

#include "virtual/write.h"

/* A value that a statement writes into a column. */
typedef struct KgVAssigned
{
	/* The property; NULL: the column is the tenant's column. */
	const KgField *field;
	const KgBoundColumn *column;
	JsonbValue value; /* value of the column; jbvNull stands for NULL */
	JsonbValue sent; /* value of the property, which may have several columns */
} KgVAssigned;

/* A statement that the table may refuse, and its values. */
typedef struct KgVAttempt
{
	const KgVSource *source;
	int operation;
	const char *id;	  /* id of the row, or NULL */
	const char *path; /* path of the properties in the arguments */
	List *assigned;	  /* List of KgVAssigned * */
	/* the check is of deferred constraints, of all items together */
	bool deferred;
} KgVAttempt;

/* A call that writes rows of a bound type. */
typedef struct KgVWrite
{
	const KgVSource *source;
	const KgType *type;
	int operation;
	const char *tenant;
	/* expression of a row's version; NULL: rows have no versions */
	const char *version;
	/*
	 * The command SET CONSTRAINTS ... IMMEDIATE for the table's deferrable
	 * constraints, or NULL.
	 */
	const char *constraints;
	const int64 *expected;
	KgOutcomes *outcomes;
	KgPutItem *items;
	/* index of the item that is being written */
	int i;
	KgVAttempt attempt;
	KgError *err; /* the error that the statement raised, or NULL */
} KgVWrite;

/* Returns the outcome of the item that is being written. */
static inline KgOutcome *
kg_vwrite_outcome(const KgVWrite *w)
{
	return &w->outcomes->items[w->i];
}

/* ---- write_values.c ---- */

/* Returns the top-level property of this name, or NULL. */
extern const KgField *kg_vroot_field(const KgType *type, const char *name);

/*
 * Assigns a property to its column. An id of several columns is split, and each
 * part is assigned to its column. Reports an invalid name or value.
 */
extern void kg_vassign(KgVWrite *w, const char *name, const JsonbValue *value);
/*
 * Assigns the caller's tenant to the column of the tenant. Does nothing if the
 * binding has no such column, or if the table computes it.
 */
extern void kg_vassign_tenant(KgVWrite *w);

/*
 * Returns an object with the assigned values by column, for the record that
 * kg_vrecord() declares.
 */
extern Jsonb *kg_vrecord_of(const KgVWrite *w);
/*
 * Appends the list of the assigned columns and their types, in the form that
 * jsonb_to_record() requires.
 */
extern void kg_vrecord(KgSqlBuilder *b, const KgVSource *source,
					   const List *assigned);

/* ---- write_errors.c ---- */

/*
 * Returns an array of the OIDs of all tables whose triggers a write may fire:
 * the type's table, the table below a view, and their partitions and children.
 */
extern Datum kg_vwritten_tables(const KgVSource *source);

/*
 * Returns the error of a tool for the error that the attempted statement has
 * raised.
 */
extern KgError *kg_virtual_refused(const KgVAttempt *attempt,
								   const ErrorData *edata);

#endif /* KG_VIRTUAL_WRITING_H */
