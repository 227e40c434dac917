/*
 * graph_nothing.c
 *	  An empty answer that helps.
 */
#include "postgres.h"

#include "query/hints.h"
#include "tools/graph.h"

void
kg_write_hints(KgGraphCall *call, const KgSelector *selector, KgJsonWriter *w)
{
	KgListQuery query;
	KgFilter *filter = palloc0(sizeof(KgFilter));
	int extra = selector->nids > 0 ? 1 : 0;
	int conditions = selector->filter ? selector->filter->nconditions : 0;

	filter->conditions = palloc0((conditions + 1) * sizeof(KgCondition));
	if (extra)
	{
		KgCondition *condition = &filter->conditions[filter->nconditions++];

		condition->property = "id";
		condition->path = selector->ids_path;
		condition->op = KG_OP_IN;
		condition->nvalues = selector->nids;
		condition->values = palloc(selector->nids * sizeof(JsonbValue));
		for (int i = 0; i < selector->nids; i++)
			condition->values[i] = kg_json_string_value(selector->ids[i]);
	}
	for (int i = 0; i < conditions; i++)
		filter->conditions[filter->nconditions++] =
			selector->filter->conditions[i];
	memset(&query, 0, sizeof(query));
	query.catalog = call->catalog;
	query.type = selector->type;
	query.filter = filter;
	kg_hints_write(&query, w);
}

void
kg_write_nothing(KgGraphCall *call, const KgSelector *selector, KgJsonWriter *w)
{
	kg_jw_key(w, "nodes");
	kg_jw_begin_array(w);
	kg_jw_end_array(w);
	kg_jw_key(w, "edges");
	kg_jw_begin_array(w);
	kg_jw_end_array(w);
	kg_jw_kint(w, "total", 0);
	kg_jw_kint(w, "returned", 0);
	kg_jw_kbool(w, "truncated", false);
	kg_write_hints(call, selector, w);
	kg_repairs_write(&call->repairs, w);
}
