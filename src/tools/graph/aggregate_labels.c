/*
 * graph/aggregate_labels.c
 *	  Labels of the entities that groups of aggregate_nodes refer to.
 *
 * Labels are read only for the ids in the rows of the reply.
 */
#include "postgres.h"

#include "base/text.h"
#include "tools/graph/aggregate.h"

static int
find_id(const KgLabels *labels, const char *id)
{
	char **at = labels->n > 0 ? bsearch(&id,
										labels->ids,
										labels->n,
										sizeof(char *),
										pg_qsort_strcmp)
							  : NULL;

	return at != NULL ? (int) (at - labels->ids) : -1;
}

/* Collects the distinct ids among the values of a group. */
static void
collect_ids(KgLabels *labels, KgGroup *const *groups, uint32 n)
{
	labels->ids = palloc((n + 1) * sizeof(char *));
	labels->n = 0;
	for (uint32 i = 0; i < n; i++)
	{
		const KgGroupValue *value = &groups[i]->keys[labels->group];

		if (value->value.type == jbvString && value->value.val.string.len > 0)
			labels->ids[labels->n++] = kg_json_cstring(&value->value);
	}
	labels->n = kg_distinct_texts((const char **) labels->ids, labels->n);
}

static void
keep_label(const KgRef *ref, void *arg)
{
	KgLabels *labels = arg;
	int i = find_id(labels, pnstrdup(ref->id, ref->idlen));
	JsonbValue label;

	if (i >= 0 &&
		kg_field_value(labels->type->label_field, &ref->data->root, &label))
		labels->found[i] = kg_json_datum(&label);
}

void
kg_aggregate_read_labels(KgAggregate *a, KgGroup *const *groups, uint32 n)
{
	KgGraph *graph = a->call.graph;

	for (int i = 0; i < a->nlabels; i++)
	{
		KgLabels *labels = &a->labels[i];
		KgSelector selector = {.type = labels->type};
		const int64 *nodes;
		uint32 nnodes;

		collect_ids(labels, groups, n);
		labels->found = palloc0((labels->n + 1) * sizeof(Jsonb *));
		if (labels->n == 0)
			continue;
		selector.ids = labels->ids;
		selector.nids = labels->n;
		nodes = kg_select_nodes(graph, &selector, &nnodes);
		kg_graph_resolve(graph, nodes, nnodes, true, keep_label, labels);
	}
}

void
kg_aggregate_write_label(const KgLabels *labels, const KgGroupValue *value,
						 KgJsonWriter *w)
{
	int i = value->value.type == jbvString
				? find_id(labels, kg_json_cstring(&value->value))
				: -1;

	if (i >= 0 && labels->found[i] != NULL)
		kg_jw_jsonb(w, labels->found[i]);
	else
		kg_jw_null(w);
}
