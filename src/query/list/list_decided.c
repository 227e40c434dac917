/*
 * list_decided.c
 *	  Total of a type whose entities' visibility depends on the value of one
 *	  property. Each value is decided once, and entities are counted by value.
 */
#include "postgres.h"

#include "auth/visibility.h"
#include "base/settings.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "query/run/decisions.h"
#include "query/list/list_decided.h"
#include "query/graph/nodeset.h"
#include "query/time/past.h"
#include "query/graph/sql_graph.h"
#include "query/time/validity.h"
#include "utils/builtins.h"

bool
kg_list_counts_by_decision(const KgListQuery *query)
{
	const KgAuthorize *authorize = query->type->authorize;
	const KgField *field = authorize ? authorize->id_field : NULL;

	return field != NULL && field->indexed && !field->is_array &&
		   (field->kind == KG_KIND_STRING || field->kind == KG_KIND_ENUM) &&
		   !query->look && !query->catalog->lacks_bundles &&
		   kg_visibility_is_whole() && !kg_being_written("kg_entity") &&
		   (kg_validity_hides() & KG_VALID_NODES) == 0 && !kg_past_asked();
}

bool
kg_list_is_of_decision(const KgListQuery *query, const KgSource *source)
{
	return kg_list_counts_by_decision(query) && source->kind == KG_SOURCE_KEY &&
		   source->field == query->type->authorize->id_field &&
		   kg_filter_is_empty(source->rest);
}

/*
 * Groups of entities to which the same decision applies. Each group is
 * represented by one of its nodes.
 */
typedef struct Groups
{
	KgNodeSet nodes;
	/* entities of each group, by index in nodes */
	int64 *counts;
	int64 total; /* number of visible entities */
} Groups;

static bool
receive_group(TupleTableSlot *slot, void *arg)
{
	Groups *groups = arg;
	uint32 place;

	place = kg_nodeset_add(&groups->nodes,
						   DatumGetInt64(kg_slot_datum(slot, 1)));
	groups->counts = repalloc_huge(groups->counts,
								   groups->nodes.capacity * sizeof(int64));
	groups->counts[place] = DatumGetInt64(kg_slot_datum(slot, 2));
	return true;
}

static bool
count_group(TupleTableSlot *slot, void *arg)
{
	Groups *groups = arg;
	uint32 place = kg_nodeset_find(&groups->nodes,
								   DatumGetInt64(kg_slot_datum(slot, 1)));

	if (place != KG_NO_NODE)
		groups->total += groups->counts[place];
	return true;
}

int64
kg_list_count_by_decision(const KgListQuery *query, const KgSource *source,
						  bool *all)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2] = {CStringGetTextDatum(query->catalog->tenant)};
	KgStatement one = {
		.sql = kg_graph_sql(KG_SQL_NODE_TYPES),
		.nargs = lengthof(types),
		.argtypes = types,
		.values = values,
		.lower_bound = true,
		.node_column = kg_graph_sql_node_column(KG_SQL_NODE_TYPES)};
	Groups groups = {.counts = palloc(sizeof(int64))};
	const KgDecisions *decisions;
	KgSqlBuilder b;

	kg_nodeset_init(&groups.nodes, CurrentMemoryContext);
	/*
	 * Reads at most one group more than may be decided, and the group of
	 * entities without a value.
	 */
	kg_list_sql_groups(
		&b, query, source, (int64) kg_setting_max_authorizations + 2);
	(void) kg_sql_run(&b, receive_group, &groups);
	values[1] = kg_int64_array(groups.nodes.nodes, groups.nodes.n);
	(void) kg_plan_run(&one, count_group, &groups);
	decisions = kg_running_call()->decisions;
	*all = decisions == NULL || !kg_decisions_exhausted(decisions);
	return groups.total;
}
