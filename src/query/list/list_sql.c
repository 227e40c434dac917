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

static void
begin(KgSqlBuilder *b, const KgListQuery *query)
{
	kg_sql_start(b, query->catalog);
	b->plain_visibility &= !query->look;
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
						  ", (SELECT %s FROM %s s WHERE s.tenant = $1 AND "
						  "s.node = d.node)",
						  kg_sql_key_of(b, field, "s.index_keys"),
						  kg_sql_entities_of("d.node"));
	}
	if (source->with_data)
		kg_sql_append(b, ", d.data");
}

/*
 * Appends the start and the order of a walk through the entities of one key,
 * for ids that are numbers.
 */
static void
append_group_of_ids(KgSqlBuilder *b, bool down, const KgWalkStart *start)
{
	kg_sql_append(b, " AND d.key = $%d", kg_sql_param_bytea(b, start->key));
	if (start->entity_id != NULL && start->entity_id[0] != '\0')
		kg_sql_append(b,
					  " AND d.entity_id::pg_catalog.int8%s$%d",
					  down ? " < " : " > ",
					  kg_sql_param_int64(b, pg_strtoint64(start->entity_id)));
	kg_sql_append(
		b, " ORDER BY d.entity_id::pg_catalog.int8%s", down ? " DESC" : "");
}

/*
 * Appends the conditions that rows belong to the group that is walked, if any,
 * and come after the start of the walk. Then appends ORDER BY.
 */
static void
append_walk(KgSqlBuilder *b, const KgSource *source, KgWalk walk,
			const KgWalkStart *start)
{
	bool group = walk == KG_WALK_GROUP_UP || walk == KG_WALK_GROUP_DOWN;
	bool down = walk == KG_WALK_DOWN || walk == KG_WALK_GROUP_DOWN;
	bool by_key = source->kind == KG_SOURCE_KEY && !group;
	const char *compare = down ? " < " : " > ";
	const char *order = down ? " DESC" : "";

	if (group)
		kg_sql_append(b, " AND d.key = $%d", kg_sql_param_bytea(b, start->key));
	if (start->set && by_key && down && start->entity_id[0] == '\0')
		/*
		 * No id is less than "", so a comparison of rows would be the same
		 * condition as d.key < $n. The comparison of rows is not used: the
		 * index scan would begin at it, even if a filter has a tighter bound
		 * of the keys, and would read all rows between the two bounds.
		 */
		kg_sql_append(b, " AND d.key < $%d", kg_sql_param_bytea(b, start->key));
	else if (start->set && by_key)
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
		kg_source_probes(b, source);
		kg_sql_append(b, ")");
	}
	append_keys(b, query, source);
	kg_source_from(b, query->type, source);
	if (walk == KG_WALK_NONE)
		kg_source_probes(b, source);
	else if (kg_list_orders_numbers(query) &&
			 (walk == KG_WALK_GROUP_UP || walk == KG_WALK_GROUP_DOWN))
		append_group_of_ids(b, walk == KG_WALK_GROUP_DOWN, start);
	else
		append_walk(b, source, walk, start);
	if (walk != KG_WALK_NONE || max_rows > 0)
		kg_sql_append(b, " LIMIT $%d", kg_sql_param_int64(b, max_rows));
}

void
kg_list_sql_count(KgSqlBuilder *b, const KgListQuery *query,
				  const KgSource *source, int64 max)
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
	kg_source_from(b, query->type, source);
	kg_source_probes(b, source);
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
	kg_source_from(b, query->type, source);
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
	kg_sql_append(b,
				  "SELECT e.node, e.data, e.entity_id FROM %s e WHERE "
				  "e.tenant = $1 AND e.node = ANY (%s)",
				  kg_sql_entities_of(listed),
				  listed);
}
