/*
 * scan.c
 *	  Filters on properties without x-index: tests of documents.
 */
#include "postgres.h"

#include "base/settings.h"
#include "query/filter/any.h"
#include "query/derived.h"
#include "query/graph/nodes.h"
#include "query/filter/scan.h"
#include "query/graph/traverse.h"

/*
 * Returns the first condition of the filter or its alternatives that no index
 * evaluates; or NULL.
 */
static const KgCondition *
scanned(const KgFilter *filter)
{
	const KgCondition *condition;

	for (int i = 0; (condition = kg_any_condition(filter, i)) != NULL; i++)
		if (kg_condition_scans(condition))
			return condition;
	return NULL;
}

const KgCondition *
kg_filter_counts(const KgFilter *filter)
{
	const KgCondition *condition;

	for (int i = 0; (condition = kg_any_condition(filter, i)) != NULL; i++)
		if (condition->counts)
			return condition;
	return NULL;
}

bool
kg_filter_scans(const KgFilter *filter)
{
	return filter != NULL && scanned(filter) != NULL;
}

const KgFilter *
kg_filter_without_scan(const KgFilter *filter)
{
	KgFilter *part;

	if (!kg_filter_scans(filter))
		return filter;
	part = palloc0(sizeof(KgFilter));
	part->conditions = palloc0((filter->nconditions + 1) * sizeof(KgCondition));
	for (int i = 0; i < filter->nconditions; i++)
		if (!kg_condition_scans(&filter->conditions[i]))
			part->conditions[part->nconditions++] = filter->conditions[i];
	/*
	 * If one alternative needs a scan, the alternatives together exclude no
	 * entity by index.
	 */
	for (int i = 0; i < filter->nany; i++)
		if (kg_filter_scans(filter->any[i]))
			return part;
	part->nany = filter->nany;
	part->any = filter->any;
	return part;
}

bool
kg_filter_names_count(const KgFilter *filter)
{
	const KgCondition *condition;

	for (int i = 0; (condition = kg_any_condition(filter, i)) != NULL; i++)
		if (condition->field != NULL && condition->field->counted)
			return true;
	return false;
}

static KG_NORETURN void
throw_too_many(const KgType *type, const KgCondition *condition)
{
	const char *name = condition->field->name;
	KgError *err = kg_error_new(
		KG_LIMIT_EXCEEDED,
		"property \"%s\" of entity type \"%s\" has no x-index%s, and the other "
		"conditions leave more entities than kg_graph.max_scan (%d)",
		name,
		kg_type_handle(type),
		condition->field->indexed
			? psprintf(" for \"%s\"", kg_operator(condition->op)->name)
			: "",
		kg_setting_max_scan);

	kg_error_path(err, "%s", condition->property_path);
	if (condition->field->indexed)
	{
		kg_error_throw_expected(
			err,
			"ids, \"related\", or filters on properties with an index, which "
			"leave at most %d entities; or the operators gte and lt with "
			"versions",
			kg_setting_max_scan);
	}
	kg_error_throw_expected(
		err,
		"ids, \"related\", or filters on properties with an index, which leave "
		"at most %d entities; or \"x-index\": true at property \"%s\" in the "
		"schema of \"%s\"",
		kg_setting_max_scan,
		name,
		kg_type_handle(type));
}

uint32
kg_scan_keep(KgGraph *graph, const KgType *type, const KgFilter *filter,
			 int64 *nodes, uint32 n)
{
	uint16 rank = kg_graph_rank(graph, type->type_no);
	KgFilter **filters;
	uint16 *ranks;
	bool *pass;
	KgNodeTest test = {.type = type};
	uint32 kept = 0;

	/*
	 * Raises the error for too many nodes. If the filter counts edges,
	 * kg_node_test() raises it instead.
	 */
	if (n > (uint32) kg_setting_max_scan && kg_filter_counts(filter) == NULL)
		throw_too_many(type, scanned(filter));
	filters = MemoryContextAllocZero(graph->context,
									 (graph->nranks + 1) * sizeof(KgFilter *));
	ranks = MemoryContextAlloc(graph->context, (n + 1) * sizeof(uint16));
	pass = MemoryContextAlloc(graph->context, n + 1);
	if (rank > 0)
		filters[rank - 1] = (KgFilter *) filter;
	for (uint32 i = 0; i < n; i++)
		ranks[i] = rank;
	test.filters = filters;
	kg_node_test(graph, &test, nodes, n, ranks, pass);
	for (uint32 i = 0; i < n; i++)
		if (pass[i])
			nodes[kept++] = nodes[i];
	pfree(filters);
	pfree(ranks);
	pfree(pass);
	return kept;
}
