/*
 * counted_rows.h
 *	  The rows of kg_index_key that are counts of edges, as structs: for who counts
 *	  anew (counted.c) and who adds changes (counted_changes.c).
 */
#ifndef KG_COUNTED_ROWS_H
#define KG_COUNTED_ROWS_H

#include "base/spi.h"
#include "model/catalog.h"
#include "store/derived/columns.h"

/* Nodes a statement. */
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
	KgCount *counts; /* by node and field */
	int n;
	int capacity;
} KgCountList;

/* The counted property of a type with this number, or NULL; type may be NULL. */
extern const KgField *kg_count_field(const KgType *type, int32 field_no);

/*
 * Nodes as a parameter, the second of statements that have a form for one of
 * them; and the run of such a statement, by kg_spi_read_args() and the like.
 */
typedef void (*KgSpiExec)(KgSaved *saved, const char *sql, int nargs,
						  const KgArg *args);
extern KgArg kg_count_nodes(const int64 *nodes, int n);
extern void kg_count_exec(KgForms *forms, KgSpiExec exec, int nargs,
						  const KgArg *args);

extern KgCount *kg_count_list_add(KgCountList *list);
/* By node and field. */
extern int kg_count_list_compare(const void *a, const void *b);

/*
 * The rows of nodes (kg_count_nodes()), as the snapshot of the caller has them; or, of all fields or
 * some (kg_count_number()), as they are once nobody else changes them: they are
 * locked in one order.
 */
extern void kg_count_list_read(const char *tenant, KgArg nodes,
							   KgCountList *list);
extern void kg_count_list_lock(const char *tenant, KgArg nodes,
							   KgCountList *list);
extern void kg_count_list_lock_of(const char *tenant, KgArg nodes, KgArg fields,
								  KgCountList *list);

/* A type's number and a field's as one. */
static inline int64
kg_count_number(int32 type_no, int32 field_no)
{
	return (int64) type_no * 65536 + field_no;
}

/* Rows to write; what is updated is locked, and 40001 where it is newer. */
extern void kg_count_rows_init(KgColumns *rows);
extern void kg_count_rows_add(KgColumns *rows, const KgCount *count);
extern void kg_count_rows_update(const char *tenant, const KgColumns *rows);
extern void kg_count_rows_delete(const char *tenant, const KgColumns *rows);
extern void kg_count_rows_insert(const char *tenant, const KgColumns *rows);

#endif /* KG_COUNTED_ROWS_H */
