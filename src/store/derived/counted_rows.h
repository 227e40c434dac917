/*
 * counted_rows.h
 *	  The rows of kg_index_key that are counts of edges, as structs. counted.c
 *	  computes counts from all edges; counted_changes.c adds changes to stored
 *	  counts.
 */
#ifndef KG_COUNTED_ROWS_H
#define KG_COUNTED_ROWS_H

#include "base/spi.h"
#include "model/catalog.h"
#include "store/derived/columns.h"

/* Number of nodes per statement. */
#define KG_COUNT_BATCH 10000

/* A row of kg_index_key that is a count. */
typedef struct KgCount
{
	int64 node;
	int32 field_no;
	int32 type_no;
	char *entity_id;
	bytea *key;
} KgCount;

typedef struct KgCountList
{
	KgCount *counts; /* sorted by node and field */
	int n;
	int capacity;
} KgCountList;

/*
 * Returns the counted property of a type with this number, or NULL. type may be
 * NULL.
 */
extern const KgField *kg_count_field(const KgType *type, int32 field_no);

/*
 * kg_count_nodes() returns the nodes as the second parameter of a statement.
 * kg_count_exec() runs the statement with exec, in the form for one node or
 * the form for an array. exec is kg_spi_read_args() or a similar function.
 */
typedef void (*KgSpiExec)(KgSaved *saved, const char *sql, int nargs,
						  const KgArg *args);
extern KgArg kg_count_nodes(const int64 *nodes, int n);
extern void kg_count_exec(KgForms *forms, KgSpiExec exec, int nargs,
						  const KgArg *args);

extern KgCount *kg_count_list_add(KgCountList *list);
/* Compares two counts by node and field, for qsort(). */
extern int kg_count_list_compare(const void *a, const void *b);

/*
 * These functions read the counts of nodes (a result of kg_count_nodes()) into
 * list. kg_count_list_read() uses the caller's snapshot. kg_count_list_lock()
 * locks the rows in a fixed order, and reads their newest versions.
 * kg_count_list_lock_of() locks and reads only the counts of some fields
 * (kg_count_number()).
 */
extern void kg_count_list_read(const char *tenant, KgArg nodes,
							   KgCountList *list);
extern void kg_count_list_lock(const char *tenant, KgArg nodes,
							   KgCountList *list);
extern void kg_count_list_lock_of(const char *tenant, KgArg nodes, KgArg fields,
								  KgCountList *list);

/* Returns one number that combines a type's number and a field's number. */
static inline int64
kg_count_number(int32 type_no, int32 field_no)
{
	return (int64) type_no * 65536 + field_no;
}

/*
 * kg_count_rows_init() initializes a batch of counts to write. The other
 * functions write such a batch. The caller must have locked the rows that it
 * updates or deletes. kg_count_rows_update() and kg_count_rows_delete() raise
 * SQLSTATE 40001 if a row is newer than the transaction's snapshot.
 */
extern void kg_count_rows_init(KgColumns *rows);
extern void kg_count_rows_add(KgColumns *rows, const KgCount *count);
extern void kg_count_rows_update(const char *tenant, const KgColumns *rows);
extern void kg_count_rows_delete(const char *tenant, const KgColumns *rows);
extern void kg_count_rows_insert(const char *tenant, const KgColumns *rows);

#endif /* KG_COUNTED_ROWS_H */
