/*
 * sql.h
 *	  Writing SQL text: a builder, and the predicates of analysed filters.
 *
 * Only sql.c (catalog tools), search_sql.c and sql_graph.c write SQL.  Text is
 * made of literals of ours and names of our own tables; every value, also
 * names of properties, is a parameter.  Operators and functions are qualified,
 * so that a caller's search_path changes nothing.
 *
 * Probes are EXISTS (... OFFSET 0): the planner cannot turn them into joins, so
 * a statement's shape is the one written here.
 */
#ifndef KG_SQL_H
#define KG_SQL_H

#include "lib/stringinfo.h"

#include "model/catalog.h"
#include "query/filter/filter.h"
#include "query/run/plan.h"

#define KG_EQ " OPERATOR(pg_catalog.=) "
#define KG_NE " OPERATOR(pg_catalog.<>) "
#define KG_LT " OPERATOR(pg_catalog.<) "
#define KG_LE " OPERATOR(pg_catalog.<=) "
#define KG_GT " OPERATOR(pg_catalog.>) "
#define KG_GE " OPERATOR(pg_catalog.>=) "

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

/* Begin a statement; its first parameter, $1, is the tenant. */
extern void kg_sql_start(KgSqlBuilder *b, const KgCatalog *catalog);

/* Add a parameter; returns its number. */
extern int kg_sql_param(KgSqlBuilder *b, Oid type, Datum value);
extern int kg_sql_param_text(KgSqlBuilder *b, const char *text);
extern int kg_sql_param_int64(KgSqlBuilder *b, int64 n);
/* The number that an x-index property has in kg_index_key. */
extern int kg_sql_param_field(KgSqlBuilder *b, const KgField *field);
extern int kg_sql_param_bytea(KgSqlBuilder *b, const bytea *value);
/* bigint[] and the like; elements are copied. */
extern int kg_sql_param_array(KgSqlBuilder *b, Oid element, const Datum *values,
							  int n);
extern int kg_sql_param_texts(KgSqlBuilder *b, char *const *texts, int n);
extern int kg_sql_param_missing(KgSqlBuilder *b);

extern void kg_sql_append(KgSqlBuilder *b, const char *fmt, ...)
	pg_attribute_printf(2, 3);

/*
 * "schema"."table", quoted; of a call with as_of what it was then (query/time/past.h),
 * and of a table of nodes or edges those that hold at the instant that the call
 * asks for (query/time/validity.h).  So an alias has to follow.
 */
extern const char *kg_sql_table(const char *name);

/*
 * kg_entity, of which the statement asks for the rows of a node, or of an array
 * of them: an expression.  And kg_index_key, for the keys of a type's field: the
 * numbers of parameters.  These are found at once in what was, too; all the
 * statement's conditions have to be there nevertheless.
 */
extern const char *kg_sql_entities_of(const char *nodes);
extern const char *kg_sql_keys_of(int type, int field);

/* The SELECT of a kept count's key, by the expression for a node. */
extern const char *kg_sql_count_of(KgSqlBuilder *b, const KgField *field,
								   const char *node);

/* The key of a field with one value, in index_keys: an expression. */
extern const char *kg_sql_key_of(KgSqlBuilder *b, const KgField *field,
								 const char *index_keys);

/* " AND <condition>" on a key: an expression. */
extern void kg_sql_key_condition(KgSqlBuilder *b, const char *key,
								 const KgCondition *condition);

/*
 * What a statement has of an entity: expressions.  What it has not is read of
 * kg_entity by the node, in a probe.
 */
typedef struct KgSqlEntity
{
	const char *node;
	const char *entity_id;	/* or NULL */
	const char *index_keys; /* or NULL */
} KgSqlEntity;

/*
 * " AND ..." for every condition of a filter on the entity.  Conditions on the
 * field skip are left out.
 */
extern void kg_sql_filter(KgSqlBuilder *b, const KgFilter *filter,
						  const KgSqlEntity *entity, const KgField *skip);

/*
 * " AND the node is visible": nothing where kg_entity has our own policies
 * only, because then the tenant already decides.
 */
extern void kg_sql_visible(KgSqlBuilder *b, const char *node);

/* " AND the type is one of these"; n 0: any. */
extern void kg_sql_types(KgSqlBuilder *b, const char *alias,
						 const int32 *type_nos, int n);

extern KgStatement kg_sql_statement(const KgSqlBuilder *b);

/* Run it as it is (kg_plan_run()). */
static inline uint64
kg_sql_run(const KgSqlBuilder *b, KgRowFunction row, void *arg)
{
	KgStatement statement = kg_sql_statement(b);

	return kg_plan_run(&statement, row, arg);
}

/*
 * Rows of a table (as kg_sql_table() names it) where a column is one of an array's
 * values (a parameter's number): between begin and end come the other conditions,
 * on alias x.  The values must be distinct.
 */
extern void kg_sql_begin_each(KgSqlBuilder *b, const char *table,
							  const char *columns, int values);
extern void kg_sql_end_each(KgSqlBuilder *b, const char *column,
							const char *alias);
/* The keys of a condition, each once, in order. */
extern bytea **kg_sql_distinct_keys(const KgCondition *condition, int *n);

#endif /* KG_SQL_H */
