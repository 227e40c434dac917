/*
 * list_sql.c
 *	  SQL statements of the list tools.
 *
 * Every statement reads from one source (alias d), bounded by its index
 * conditions. All other conditions on an entity are probes by node number. In a
 * walk the probes are a column of the result instead of a filter. So the caller
 * sees how many rows were examined, and may stop.
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/pg_type.h"
#include "query/list/list.h"
#include "utils/builtins.h"

/*
 * SQL expressions for the columns of a source's row. A row of kg_entity also
 * has the entity's keys.
 */
static const KgSqlEntity entity_of_key = {"d.node", "d.entity_id", NULL};
static const KgSqlEntity entity_itself = {
	"d.node", "d.entity_id", "d.index_keys"};

static const KgSqlEntity *
entity_of(const KgSource *source)
{
	return source->kind == KG_SOURCE_KEY ? &entity_of_key : &entity_itself;
}

static void
begin(KgSqlBuilder *b, const KgListQuery *query)
{
	kg_sql_start(b, query->catalog);
	b->plain_visibility &= !query->look;
}

/* Returns the index of the source's own condition with a list, or -1. */
static int
list_condition(const KgSource *source)
{
	const KgFilter *own = source->own;

	for (int i = 0; i < own->nconditions; i++)
		if (kg_operator(own->conditions[i].op)->bound == KG_BOUND_LIST)
			return i;
	return -1;
}

static void
append_key_source(KgSqlBuilder *b, const KgType *type, const KgSource *source)
{
	int list = list_condition(source);
	const char *alias = list >= 0 ? "x" : "d";
	int listed = 0;
	int type_no;
	int field_no;

	if (list >= 0)
	{
		int n;
		bytea **keys = kg_sql_distinct_keys(&source->own->conditions[list], &n);

		listed = kg_sql_param_array(b, BYTEAOID, (Datum *) keys, n);
	}
	type_no = kg_sql_param(b, INT4OID, Int32GetDatum(type->type_no));
	field_no = kg_sql_param_field(b, source->field);
	kg_sql_append(b, " FROM ");
	if (list >= 0)
		kg_sql_begin_each(b,
						  kg_sql_keys_of(type_no, field_no),
						  "x.entity_id, x.node, x.key",
						  listed);
	else
		kg_sql_append(b,
					  "%s d WHERE d.tenant" KG_EQ "$1",
					  kg_sql_keys_of(type_no, field_no));
	kg_sql_append(b,
				  " AND %s.type_no" KG_EQ "$%d AND %s.field_no" KG_EQ "$%d",
				  alias,
				  type_no,
				  alias,
				  field_no);
	if (list >= 0)
	{
		kg_sql_end_each(b, "key", "d");
		kg_sql_append(b, " WHERE true");
	}
	for (int i = 0; i < source->own->nconditions; i++)
		if (i != list)
			kg_sql_key_condition(b, "d.key", &source->own->conditions[i]);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/*
 * Adds an array parameter with the distinct ids of a condition. Returns its
 * number.
 */
static int
param_ids(KgSqlBuilder *b, const KgCondition *condition)
{
	char **ids = palloc(Max(1, condition->nvalues) * sizeof(char *));
	int n = 0;

	for (int i = 0; i < condition->nvalues; i++)
		ids[i] = kg_json_cstring(&condition->values[i]);
	qsort(ids, condition->nvalues, sizeof(char *), compare_texts);
	for (int i = 0; i < condition->nvalues; i++)
		if (n == 0 || strcmp(ids[n - 1], ids[i]) != 0)
			ids[n++] = ids[i];
	return kg_sql_param_texts(b, ids, n);
}

static void
append_entity_source(KgSqlBuilder *b, const KgType *type,
					 const KgSource *source)
{
	int list = list_condition(source);
	const char *alias = list >= 0 ? "x" : "d";
	KgFilter rest;

	kg_sql_append(b, " FROM ");
	if (list >= 0)
		kg_sql_begin_each(b,
						  kg_sql_table("kg_entity"),
						  "x.entity_id, x.node, x.index_keys",
						  param_ids(b, &source->own->conditions[list]));
	else
		kg_sql_append(
			b, "%s d WHERE d.tenant" KG_EQ "$1", kg_sql_table("kg_entity"));
	kg_sql_append(b,
				  " AND %s.bundle" KG_EQ "$%d",
				  alias,
				  kg_sql_param_text(b, type->bundle));
	kg_sql_append(b,
				  " AND %s.entity_type" KG_EQ "$%d",
				  alias,
				  kg_sql_param_text(b, type->name));
	memset(&rest, 0, sizeof(rest));
	rest.conditions = palloc(Max(1, source->own->nconditions) *
							 sizeof(KgCondition));
	for (int i = 0; i < source->own->nconditions; i++)
		if (i != list)
			rest.conditions[rest.nconditions++] = source->own->conditions[i];
	if (list >= 0)
	{
		kg_sql_end_each(b, "entity_id", "d");
		kg_sql_append(b, " WHERE true");
	}
	kg_sql_filter(b, &rest, &entity_itself, NULL);
}

/* Appends the source and its own conditions. */
static void
append_from(KgSqlBuilder *b, const KgListQuery *query, const KgSource *source)
{
	const KgType *type = query->type;
	const char *nodes;

	switch (source->kind)
	{
		case KG_SOURCE_KEY:
			append_key_source(b, type, source);
			break;
		case KG_SOURCE_ENTITY:
			append_entity_source(b, type, source);
			break;
		case KG_SOURCE_NODES:
			nodes = psprintf(
				"$%d",
				kg_sql_param(b,
							 INT8ARRAYOID,
							 kg_int64_array(source->nodes, source->nnodes)));
			kg_sql_append(b,
						  " FROM %s d WHERE d.tenant" KG_EQ
						  "$1 AND d.node" KG_EQ "ANY (%s)",
						  kg_sql_entities_of(nodes),
						  nodes);
			kg_sql_append(
				b,
				" AND d.type_no" KG_EQ "$%d",
				kg_sql_param(b, INT4OID, Int32GetDatum(type->type_no)));
			break;
	}
}

static void
append_probes(KgSqlBuilder *b, const KgSource *source)
{
	kg_sql_filter(b, source->rest, entity_of(source), NULL);
	if (source->kind == KG_SOURCE_KEY)
		kg_sql_visible(b, "d.node");
}

static void
append_keys(KgSqlBuilder *b, const KgListQuery *query, const KgSource *source)
{
	for (int i = 0; i < query->nsort; i++)
	{
		const KgField *field = query->sort[i].field;

		if (query->sort[i].counts || query->sort[i].through != NULL)
			kg_sql_append(b, ", NULL::pg_catalog.bytea");
		else if (source->kind == KG_SOURCE_KEY && field == source->field)
			kg_sql_append(b, ", d.key");
		else if (field->counted)
			kg_sql_append(b, ", (%s)", kg_sql_count_of(b, field, "d.node"));
		else if (source->kind != KG_SOURCE_KEY)
			kg_sql_append(b, ", %s", kg_sql_key_of(b, field, "d.index_keys"));
		else
			kg_sql_append(b,
						  ", (SELECT %s FROM %s s WHERE s.tenant" KG_EQ
						  "$1 AND s.node" KG_EQ "d.node)",
						  kg_sql_key_of(b, field, "s.index_keys"),
						  kg_sql_entities_of("d.node"));
	}
	if (source->with_data)
		kg_sql_append(b, ", d.data");
}

/* Appends the start of the walk and its order. */
static void
append_walk(KgSqlBuilder *b, const KgSource *source, KgWalk walk,
			const KgWalkStart *start)
{
	bool group = walk == KG_WALK_GROUP_UP || walk == KG_WALK_GROUP_DOWN;
	bool down = walk == KG_WALK_DOWN || walk == KG_WALK_GROUP_DOWN;
	bool by_key = source->kind == KG_SOURCE_KEY && !group;
	const char *compare = down ? KG_LT : KG_GT;
	const char *order = down ? " DESC" : "";

	if (group)
		kg_sql_append(
			b, " AND d.key" KG_EQ "$%d", kg_sql_param_bytea(b, start->key));
	if (start->set && by_key)
	{
		int key = kg_sql_param_bytea(b, start->key);

		kg_sql_append(b,
					  " AND ROW (d.key, d.entity_id)%sROW ($%d, $%d)",
					  compare,
					  key,
					  kg_sql_param_text(b, start->entity_id));
	}
	else if (start->set && start->entity_id)
		kg_sql_append(b,
					  " AND d.entity_id%s$%d",
					  compare,
					  kg_sql_param_text(b, start->entity_id));
	if (by_key)
		kg_sql_append(b, " ORDER BY d.key%s, d.entity_id%s", order, order);
	else
		kg_sql_append(b, " ORDER BY d.entity_id%s", order);
}

void
kg_list_sql_rows(KgSqlBuilder *b, const KgListQuery *query,
				 const KgSource *source, KgWalk walk, const KgWalkStart *start,
				 int64 max_rows)
{
	begin(b, query);
	b->plain_visibility |= query->trust && walk != KG_WALK_NONE;
	kg_sql_append(b, "SELECT d.entity_id, d.node, ");
	if (walk == KG_WALK_NONE)
		kg_sql_append(b, "true");
	else
	{
		kg_sql_append(b, "(true");
		append_probes(b, source);
		kg_sql_append(b, ")");
	}
	append_keys(b, query, source);
	append_from(b, query, source);
	if (walk == KG_WALK_NONE)
		append_probes(b, source);
	else
		append_walk(b, source, walk, start);
	if (walk != KG_WALK_NONE || max_rows > 0)
		kg_sql_append(b, " LIMIT $%d", kg_sql_param_int64(b, max_rows));
}

void
kg_list_sql_nodes(KgSqlBuilder *b, const KgListQuery *query,
				  const KgSource *source, int64 max)
{
	begin(b, query);
	kg_sql_append(b, "SELECT d.node");
	append_from(b, query, source);
	kg_sql_append(b, " LIMIT $%d", kg_sql_param_int64(b, max));
}

void
kg_list_sql_count(KgSqlBuilder *b, const KgListQuery *query,
				  const KgSource *source, bool with_probes, int64 max)
{
	begin(b, query);
	/*
	 * OFFSET 0 keeps the planner from an index that has the nodes in order but
	 * would read all keys of the tenant.
	 */
	kg_sql_append(b,
				  "SELECT pg_catalog.count(*) FROM (SELECT %s",
				  source->may_repeat ? "DISTINCT n.node FROM (SELECT d.node"
									 : "1");
	append_from(b, query, source);
	if (with_probes)
		append_probes(b, source);
	if (source->may_repeat)
		kg_sql_append(b, " OFFSET 0) n");
	kg_sql_append(b, " LIMIT $%d) c", kg_sql_param_int64(b, max));
}

void
kg_list_sql_groups(KgSqlBuilder *b, const KgListQuery *query,
				   const KgSource *source, int64 max)
{
	begin(b, query);
	kg_sql_append(b, "SELECT pg_catalog.min(d.node), pg_catalog.count(*)");
	append_from(b, query, source);
	kg_sql_append(b, " GROUP BY d.key LIMIT $%d", kg_sql_param_int64(b, max));
}

void
kg_list_sql_data(KgSqlBuilder *b, const KgCatalog *catalog, const int64 *nodes,
				 int nnodes)
{
	const char *listed;

	kg_sql_start(b, catalog);
	listed = psprintf(
		"$%d", kg_sql_param(b, INT8ARRAYOID, kg_int64_array(nodes, nnodes)));
	kg_sql_append(
		b,
		"SELECT e.node, e.data, e.entity_id FROM %s e WHERE e.tenant" KG_EQ
		"$1 AND e.node" KG_EQ "ANY (%s)",
		kg_sql_entities_of(listed),
		listed);
}
