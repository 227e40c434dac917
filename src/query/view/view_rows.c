/*
 * view_rows.c
 *	  Entities that match a filter on a column of a view.
 *
 * The statements are the same as for a list (query/list/list_sql.c). They run
 * like the statements of a tool: under the caller's policies, and with EXISTS
 * if a key may belong to a hidden entity. So the statements reveal no more than
 * a tool would reveal. They have no time limit of their own, because the outer
 * statement has a time limit.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/column.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "query/list/list.h"
#include "query/run/running.h"
#include "query/sql.h"
#include "query/view/view_rows.h"
#include "store/reference/scope.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/json.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

/*
 * Returns the type with the name that the caller uses, or NULL if the caller
 * sees no such type.
 */
static const KgType *
find_type(const KgViewFilter *filter, const KgCatalog **catalog)
{
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);

	if (tenant == NULL)
		return NULL;
	*catalog = kg_catalog_get(pstrdup(tenant));
	return kg_catalog_type_in(*catalog, filter->bundle, filter->type);
}

bool
kg_view_keys_serve(const KgField *field, KgOp op)
{
	if (field == NULL || !field->indexed)
		return false;
	switch (kg_operator(op)->bound)
	{
		case KG_BOUND_ONE:
			return true;
		case KG_BOUND_LIST:
			/* The column rounds instants; keys are compared exactly. */
			return field->kind != KG_KIND_DATETIME;
		case KG_BOUND_LOWER:
		case KG_BOUND_UPPER:
			/* An enum column is compared as text, but its keys are not. */
			return field->kind != KG_KIND_ENUM && !field->is_array &&
				   !field->by_version;
		case KG_BOUND_PREFIX:
			return field->kind == KG_KIND_STRING && !field->is_array &&
				   !field->by_version;
		case KG_UNBOUNDED:
		case KG_BOUND_MISSING:
		case KG_BOUND_MEMBER:
			break;
	}
	return false;
}

static void
add_value(KgCondition *condition, const JsonbValue *value)
{
	/* null and an empty prefix have no key to compare with. */
	bool comparable = value->type != jbvNull &&
					  (condition->op != KG_OP_STARTS_WITH ||
					   (value->type == jbvString && value->val.string.len > 0));

	condition->values[condition->nvalues] = *value;
	condition->keys[condition->nvalues++] = comparable
												? kg_key_encode(
													  condition->field, value)
												: NULL;
}

static KgCondition *
add_condition(KgFilter *own, const KgField *field, KgOp op, int nvalues)
{
	KgCondition *condition = &own->conditions[own->nconditions++];

	condition->op = op;
	condition->field = field;
	condition->values = palloc(Max(1, nvalues) * sizeof(JsonbValue));
	condition->keys = palloc(Max(1, nvalues) * sizeof(bytea *));
	return condition;
}

/*
 * Adds the conditions for a comparison with an instant of a column. The column
 * has microseconds, so a value means all instants from it to the next
 * microsecond.
 */
static void
add_instant(KgFilter *own, const KgField *field, KgOp op,
			const JsonbValue *value)
{
	char buffer[MAXDATELEN + 1];
	static const int utc = 0;
	JsonbValue next;
	int64 micros;

	if (op == KG_OP_GT)
		op = KG_OP_GTE;
	if (op == KG_OP_GTE || op == KG_OP_LT)
	{
		add_value(add_condition(own, field, op, 1), value);
		return;
	}
	if (op == KG_OP_EQ)
		add_value(add_condition(own, field, KG_OP_GTE, 1), value);
	if (value->type != jbvString ||
		!kg_key_instant_micros(
			value->val.string.val, value->val.string.len, &micros))
		/* a value without a key, so that keys are not used */
		next.type = jbvNumeric;
	else
		next = kg_json_string_value(JsonEncodeDateTime(
			buffer, TimestampTzGetDatum(micros + 1), TIMESTAMPTZOID, &utc));
	add_value(add_condition(own, field, KG_OP_LT, 1), &next);
}

static void
add_test(KgFilter *own, const KgField *field, const KgViewTest *test)
{
	JsonbValue value;
	KgCondition *condition;

	kg_json_root(test->value, &value);
	if (kg_operator(test->op)->form != KG_OPERAND_LIST)
	{
		if (field->kind == KG_KIND_DATETIME)
			add_instant(own, field, test->op, &value);
		else
			add_value(add_condition(own, field, test->op, 1), &value);
		return;
	}
	condition = add_condition(
		own, field, test->op, kg_json_length(&test->value->root));
	kg_json_each(it, &test->value->root)
		if (it.value.type != jbvNull)
			add_value(condition, &it.value);
}

/*
 * Returns whether some value has no key. Then keys cannot decide which entities
 * match.
 */
static bool
lacks_key(const KgFilter *own)
{
	for (int i = 0; i < own->nconditions; i++)
		for (int j = 0; j < own->conditions[i].nvalues; j++)
			if (own->conditions[i].keys[j] == NULL)
				return true;
	return false;
}

typedef struct Nodes
{
	int64 *values;
	int n;
	int allocated;
} Nodes;

static bool
add_node(TupleTableSlot *slot, void *arg)
{
	Nodes *nodes = arg;

	if (nodes->n == nodes->allocated)
	{
		nodes->allocated *= 2;
		nodes->values = repalloc_huge(nodes->values,
									  nodes->allocated * sizeof(int64));
	}
	nodes->values[nodes->n++] = DatumGetInt64(kg_slot_datum(slot, 2));
	return true;
}

/*
 * Sets the rows from which the statement reads: the keys that the filter
 * bounds, or else all entities of the type.
 */
static void
make_source(const KgViewFilter *filter, const KgType *type, KgSource *source)
{
	const KgField *field = kg_column_field(type, filter->property);
	bool serves = !kg_writing_lacks_derived(type) &&
				  !kg_scope_is_rewritten(kg_identity_tenant(KG_ACCESS_READ),
										 type);

	memset(source, 0, sizeof(*source));
	source->own = palloc0(sizeof(KgFilter));
	source->rest = palloc0(sizeof(KgFilter));
	/* A test of an instant becomes two conditions. */
	source->own->conditions = palloc0(2 * KG_MAX_VIEW_TESTS *
									  sizeof(KgCondition));
	for (int i = 0; i < filter->ntests && serves; i++)
	{
		serves = kg_view_keys_serve(field, filter->tests[i].op);
		if (serves)
			add_test(source->own, field, &filter->tests[i]);
	}
	if (serves && !lacks_key(source->own))
	{
		source->kind = KG_SOURCE_KEY;
		source->field = field;
		source->may_repeat = field->is_array;
		return;
	}
	source->kind = KG_SOURCE_ENTITY;
	source->own->nconditions = 0;
}

/* Returns whether a test compares with SQL's NULL, so that no row matches. */
static bool
is_empty(const KgViewFilter *filter)
{
	for (int i = 0; i < filter->ntests; i++)
		if (filter->tests[i].value == NULL)
			return true;
	return false;
}

/*
 * Sets the range of the keys that the source's own conditions bound. Returns
 * false if these conditions are not a range.
 */
static bool
range_of(const KgType *type, const KgSource *source, KgViewRange *range)
{
	memset(range, 0, sizeof(*range));
	range->type_no = type->type_no;
	range->field_no = source->field->field_no;
	/* A missing value sorts after every key. */
	range->high = kg_key_missing();
	for (int i = 0; i < source->own->nconditions; i++)
	{
		const KgCondition *condition = &source->own->conditions[i];
		KgOp op = condition->op;
		KgOpBound bound = kg_operator(op)->bound;

		if (bound != KG_BOUND_ONE && bound != KG_BOUND_LOWER &&
			bound != KG_BOUND_UPPER)
			return false;
		if (bound != KG_BOUND_UPPER)
		{
			range->low = condition->keys[0];
			range->low_included = op != KG_OP_GT;
		}
		if (bound != KG_BOUND_LOWER)
		{
			range->high = condition->keys[0];
			range->high_included = op != KG_OP_LT;
		}
	}
	return true;
}

bool
kg_view_range(const KgViewFilter *filter, KgViewRange *range)
{
	const KgCatalog *catalog;
	const KgType *type = is_empty(filter) ? NULL : find_type(filter, &catalog);
	KgSource source;

	if (type == NULL)
		return false;
	make_source(filter, type, &source);
	return source.kind == KG_SOURCE_KEY && range_of(type, &source, range);
}

typedef struct Asked
{
	const KgViewFilter *filter;
	int64 max;
	int64 count;
	Nodes nodes;
	int64 node;
	int32 relation_no;
	KgViewEdge each;
	void *arg;
} Asked;

static void
find_nodes(Asked *asked)
{
	const KgViewFilter *filter = asked->filter;
	KgListQuery query;
	KgSource source;
	KgSqlBuilder b;
	KgStatement statement;

	memset(&query, 0, sizeof(query));
	query.type = is_empty(filter) ? NULL : find_type(filter, &query.catalog);
	if (query.type == NULL)
		return;
	make_source(filter, query.type, &source);
	kg_list_sql_rows(&b, &query, &source, KG_WALK_NONE, NULL, 0);
	statement = kg_sql_statement(&b);
	statement.node_column = 2;
	(void) kg_plan_run(&statement, add_node, &asked->nodes);
}

static void
count_keys(Asked *asked)
{
	KgListQuery query;
	KgSource source;
	KgViewRange range;
	KgSqlBuilder b;
	KgStatement statement;

	memset(&query, 0, sizeof(query));
	asked->count = 0;
	query.type = is_empty(asked->filter)
					 ? NULL
					 : find_type(asked->filter, &query.catalog);
	if (query.type == NULL)
		return;
	make_source(asked->filter, query.type, &source);
	asked->count = source.kind == KG_SOURCE_KEY ? KG_VIEW_UNKNOWN
												: KG_VIEW_NO_KEYS;
	if (query.catalog->authorizes || source.kind != KG_SOURCE_KEY)
		return;
	if (query.catalog->plain_visibility &&
		range_of(query.type, &source, &range))
	{
		asked->count = kg_view_keys(
			&range, GetActiveSnapshot(), asked->max, NULL);
		return;
	}
	source.may_repeat = false;
	kg_list_sql_count(&b, &query, &source, asked->max);
	statement = kg_sql_statement(&b);
	asked->count = kg_plan_run_int64(&statement);
}

static bool
tell_edge(TupleTableSlot *slot, void *arg)
{
	const Asked *asked = arg;
	bool isnull;
	Datum target = slot_getattr(slot, 1, &isnull);
	Datum properties = slot_getattr(slot, 2, &isnull);

	asked->each(target, properties, isnull, asked->arg);
	return true;
}

static void
find_edges(Asked *asked)
{
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);
	const KgCatalog *catalog;
	const KgRelation *relation;
	KgSqlBuilder b;
	KgStatement statement;
	int node;

	/*
	 * A caller that is exempt from the policies of kg_edge reads the edges from
	 * that table.
	 */
	if (tenant == NULL ||
		check_enable_rls(kg_relation_oid("kg_edge"), InvalidOid, true) !=
			RLS_ENABLED)
		return;
	catalog = kg_catalog_get(pstrdup(tenant));
	relation = kg_catalog_relation_no(catalog, asked->relation_no);
	if (relation == NULL || !kg_catalog_joins(catalog, relation))
		return;
	kg_sql_start(&b, catalog);
	node = kg_sql_param_int64(&b, asked->node);
	kg_sql_append(&b,
				  "SELECT e.target, e.properties FROM %s e WHERE e.tenant = $1 "
				  "AND e.source = $%d AND e.relation_no = $%d",
				  kg_sql_table("kg_edge"),
				  node,
				  kg_sql_param(&b, INT4OID, Int32GetDatum(asked->relation_no)));
	kg_sql_visible(&b, psprintf("$%d", node));
	kg_sql_visible(&b, "e.target");
	statement = kg_sql_statement(&b);
	statement.hold = true;
	(void) kg_plan_run(&statement, tell_edge, asked);
}

/*
 * Runs the work as a nested call. It has no time limit of its own and none of
 * the caller's limits, and it uses the valid_at of the enclosing call.
 */
static void
ask(void (*work)(Asked *asked), Asked *asked)
{
	KgCall call;

	kg_running_enter(&call, false);
	if (call.outer == NULL || call.outer->writes)
		call.clock.end = 0;
	else
		call.validity = call.outer->validity;
	PG_TRY();
	{
		work(asked);
	}
	PG_FINALLY();
	{
		kg_running_leave(&call);
	}
	PG_END_TRY();
}

Datum
kg_view_nodes(const KgViewFilter *filter)
{
	Asked asked = {.filter = filter};

	asked.nodes.allocated = 64;
	asked.nodes.values = palloc(asked.nodes.allocated * sizeof(int64));
	ask(find_nodes, &asked);
	return kg_int64_array(asked.nodes.values, asked.nodes.n);
}

int64
kg_view_count(const KgViewFilter *filter, int64 max)
{
	Asked asked = {.filter = filter, .max = max};

	ask(count_keys, &asked);
	return asked.count;
}

static bool
pass_row(TupleTableSlot *slot, void *arg)
{
	return true;
}

void
kg_view_decide(const KgCatalog *catalog, List *types)
{
	Datum *numbers = palloc(list_length(types) * sizeof(Datum));
	KgSqlBuilder b;
	KgStatement statement;
	ListCell *lc;

	foreach(lc, types)
		numbers[foreach_current_index(lc)] = Int32GetDatum(
			((const KgType *) lfirst(lc))->type_no);
	kg_sql_start(&b, catalog);
	kg_sql_append(
		&b,
		"SELECT e.node FROM %s e WHERE e.tenant = $1 AND e.type_no = ANY ($%d)",
		kg_sql_table("kg_entity"),
		kg_sql_param_array(&b, INT4OID, numbers, list_length(types)));
	statement = kg_sql_statement(&b);
	statement.node_column = 1;
	(void) kg_plan_run(&statement, pass_row, NULL);
}

void
kg_view_edges(int64 node, int32 relation_no, KgViewEdge each, void *arg)
{
	Asked asked = {
		.node = node, .relation_no = relation_no, .each = each, .arg = arg};

	ask(find_edges, &asked);
}
