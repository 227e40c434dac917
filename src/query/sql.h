/*
 * sql.h
 *	  Writing SQL text: a builder, and the predicates of analysed filters.
 *
 * The text consists of literals and names of kg_graph's tables. Every value,
 * also a property's name, is a parameter. A statement is analyzed with
 * search_path pinned (query/run/plan.c), so operators need no schema.
 *
 * Probes are EXISTS (... OFFSET 0): the planner cannot turn them into joins,
 * so a statement has the shape written here.
 */
#ifndef KG_SQL_H
#define KG_SQL_H

#include "lib/stringinfo.h"

#include "model/catalog.h"
#include "query/filter/filter.h"
#include "query/run/plan.h"

typedef struct KgSqlBuilder
{
	StringInfoData sql;
	int nargs;
	int maxargs;
	Oid *argtypes;
	Datum *values;
	bool plain_visibility;
	int missing; /* parameter of kg_key_missing(), or 0 */
} KgSqlBuilder;

/* Begins a statement; its first parameter, $1, is the tenant. */
extern void kg_sql_start(KgSqlBuilder *b, const KgCatalog *catalog);

/* Adds a parameter; returns the number of the parameter. */
extern int kg_sql_param(KgSqlBuilder *b, Oid type, Datum value);
extern int kg_sql_param_text(KgSqlBuilder *b, const char *text);
extern int kg_sql_param_int64(KgSqlBuilder *b, int64 n);
/* Adds a parameter: the number of an x-index property in kg_index_key. */
extern int kg_sql_param_field(KgSqlBuilder *b, const KgField *field);
extern int kg_sql_param_bytea(KgSqlBuilder *b, const bytea *value);
/*
 * Adds an array parameter, with a copy of the elements. Returns the number of
 * the parameter.
 */
extern int kg_sql_param_array(KgSqlBuilder *b, Oid element, const Datum *values,
							  int n);
extern int kg_sql_param_texts(KgSqlBuilder *b, char *const *texts, int n);
extern int kg_sql_param_missing(KgSqlBuilder *b);

extern void kg_sql_append(KgSqlBuilder *b, const char *fmt, ...)
	pg_attribute_printf(2, 3);

/*
 * Returns "schema"."table", quoted. In a call with as_of, returns an
 * expression for the table at that time (query/time/past.h). In a call with
 * valid_at, the tables of nodes and edges have only the valid rows
 * (query/time/validity.h). An alias must follow.
 */
extern const char *kg_sql_table(const char *name);

/*
 * Return a table for a statement that needs only some rows of it.
 * kg_sql_entities_of() returns kg_entity for a node or an array of nodes (an
 * expression). kg_sql_keys_of() returns kg_index_key for a field of a type
 * (numbers of parameters). In a call with as_of, only these rows are computed.
 * The statement must select these rows by its own conditions nevertheless.
 */
extern const char *kg_sql_entities_of(const char *nodes);
extern const char *kg_sql_keys_of(int type, int field);

/*
 * Returns a SELECT of the stored count of a node for the field, as a key. node
 * is an expression.
 */
extern const char *kg_sql_count_of(KgSqlBuilder *b, const KgField *field,
								   const char *node);

/*
 * Returns the expression that extracts the key of a field with one value from
 * index_keys, which is an expression, too.
 */
extern const char *kg_sql_key_of(KgSqlBuilder *b, const KgField *field,
								 const char *index_keys);

/* Appends " AND <condition>" on a key, which is an expression. */
extern void kg_sql_key_condition(KgSqlBuilder *b, const char *key,
								 const KgCondition *condition);

/*
 * The expressions by which a statement refers to an entity. If index_keys is
 * NULL, the keys are looked up in kg_entity by the node, in a probe.
 */
typedef struct KgSqlEntity
{
	const char *node;
	const char *entity_id;
	const char *index_keys; /* or NULL */
} KgSqlEntity;

/* Appends " AND ..." for every condition of a filter on the entity. */
extern void kg_sql_filter(KgSqlBuilder *b, const KgFilter *filter,
						  const KgSqlEntity *entity);

/*
 * Appends " AND the node is visible". Appends nothing if every entity of the
 * tenant is visible to the caller (kg_validity_rows_suffice()).
 */
extern void kg_sql_visible(KgSqlBuilder *b, const char *node);

/* Appends " AND the type is one of these"; n 0: any type. */
extern void kg_sql_types(KgSqlBuilder *b, const char *alias,
						 const int32 *type_nos, int n);

extern KgStatement kg_sql_statement(const KgSqlBuilder *b);

/* Runs the statement and passes each row to the function (kg_plan_run()). */
static inline uint64
kg_sql_run(const KgSqlBuilder *b, KgRowFunction row, void *arg)
{
	KgStatement statement = kg_sql_statement(b);

	return kg_plan_run(&statement, row, arg);
}

/*
 * kg_sql_begin_each() and kg_sql_end_each() select the rows of a table (a name
 * from kg_sql_table()) whose column is one of an array's values (a parameter's
 * number). Other conditions, on alias x, come between the two calls. The values
 * must be distinct.
 */
extern void kg_sql_begin_each(KgSqlBuilder *b, const char *table,
							  const char *columns, int values);
extern void kg_sql_end_each(KgSqlBuilder *b, const char *column,
							const char *alias);
/* Returns the keys of a condition, each once, in order. */
extern bytea **kg_sql_distinct_keys(const KgCondition *condition, int *n);

#endif /* KG_SQL_H */
