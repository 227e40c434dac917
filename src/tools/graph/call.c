/*
 * graph/call.c
 *	  Reads the arguments of graph tools.
 */
#include "postgres.h"

#include "base/error.h"
#include "miscadmin.h"
#include "base/settings.h"
#include "model/bound_table.h"
#include "query/graph/foreign.h"
#include "query/search/search.h"
#include "query/time/past.h"
#include "store/reference/unready.h"
#include "query/argument/repair.h"
#include "tools/fixed_tools.h"
#include "tools/graph/graph.h"
#include "tools/graph/call.h"
#include "tools/input/published.h"
#include "utils/builtins.h"

void
kg_graph_call_begin(KgGraphCall *call, const char *tool, const Jsonb *arguments)
{
	memset(call, 0, sizeof(*call));
	call->tool = tool;
	call->arguments = arguments;
	call->fixed = kg_fixed_tool_find(tool);
	kg_repair_begin(tool, arguments);
	kg_input_open(&call->input, arguments, call->fixed->name, &call->repairs);
	call->max_bytes = kg_input_max_bytes(&call->input);
	kg_input_as_of(&call->input, kg_running_catalog(), NULL);
	kg_input_valid_at(&call->input, kg_running_catalog());
	call->graph = kg_graph_begin();
	call->catalog = call->graph->catalog;
}

void
kg_graph_call_end(KgGraphCall *call)
{
	/*
	 * The functions that read arguments are stricter than the schema, except
	 * if they report a repair. So arguments that they accepted without a
	 * repair must match the schema.
	 */
	if (call->repairs.repairs == NIL)
		kg_published_check(
			call->catalog, NULL, call->fixed->name, call->arguments);
	kg_graph_end(call->graph);
}

/*
 * Returns the type that an argument names. The enum in the published schema
 * has "bundle/type" only for names that are ambiguous. For other types
 * "bundle/type" is accepted and reported as a repair.
 */
static const KgType *
named_type(KgGraphCall *call, char *name, const char *path)
{
	const KgType *type = kg_catalog_require_type(call->catalog, name, path);
	const char *handle = kg_type_handle(type);

	if (strcmp(name, handle) != 0)
	{
		JsonbValue got = kg_json_string_value(name);
		JsonbValue used = kg_json_string_value(handle);

		kg_repair_add(&call->repairs, path, &got, &used);
	}
	return type;
}

const KgType *
kg_call_type(KgGraphCall *call, const KgInput *in, const char *key)
{
	char *name = kg_input_string(in, key);

	return name != NULL ? named_type(call, name, kg_input_path(in, key)) : NULL;
}

int
kg_call_types_or_all(KgGraphCall *call, const char *key, uint16 **ranks,
					 bool *all)
{
	const JsonbContainer *array = kg_input_array(&call->input, key, "types");
	char *path = kg_input_path(&call->input, key);
	int n = 0;

	*ranks = NULL;
	if (all != NULL)
		*all = false;
	if (array == NULL)
		return -1;
	*ranks = palloc((kg_json_length(array) + 1) * sizeof(uint16));
	kg_json_each(it, array)
	{
		char *item = kg_path_index(path, it.index);
		const KgType *type;

		if (it.value.type != jbvString)
			kg_error_throw(
				kg_args_error(item, &it.value, "the name of an entity type"));
		if (all != NULL && kg_json_string_is(&it.value, "*"))
		{
			*all = true;
			continue;
		}
		type = named_type(call, kg_json_cstring(&it.value), item);
		(*ranks)[n++] = kg_graph_rank(call->graph, type->type_no);
	}
	return n;
}

int
kg_call_types(KgGraphCall *call, const char *key, uint16 **ranks)
{
	return kg_call_types_or_all(call, key, ranks, NULL);
}

bool *
kg_call_type_set(KgGraphCall *call, const char *key)
{
	uint16 *ranks;
	int n = kg_call_types(call, key, &ranks);
	bool *result;

	if (n <= 0)
		return NULL;
	result = palloc0((call->graph->nranks + 1) * sizeof(bool));
	for (int i = 0; i < n; i++)
		result[ranks[i]] = true;
	return result;
}

KgDirection
kg_call_direction(const KgInput *in)
{
	return (KgDirection) kg_input_enum(
		in, "direction", "an existing direction");
}

/* ---- relations ---- */

static bool
name_matches(const char *name, const char *wanted)
{
	return wanted != NULL && strcmp(name, wanted) == 0;
}

static KG_NORETURN void
throw_unknown_relation(KgGraphCall *call, const char *name, const char *path)
{
	const KgCatalog *catalog = call->catalog;
	const char **candidates = palloc((catalog->nrelations * 2 + 1) *
									 sizeof(char *));
	KgError *err = kg_error_new(
		KG_UNKNOWN_TYPE, "relationship type \"%s\" does not exist", name);
	int n = 0;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (i > 0 && strcmp(relation[-1].name, relation->name) == 0)
			continue;
		candidates[n++] = relation->name;
		if (relation->inverse != NULL)
			candidates[n++] = relation->inverse;
	}
	for (int i = 0; i < Min(n, 100); i++)
		kg_error_allow(err, candidates[i]);
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	kg_error_expected(err, "the name of a relationship type");
	/*
	 * The string has several names, so the error suggests a list of names. A
	 * single similar name would replace the whole string.
	 */
	if (strpbrk(name, ",|;") != NULL)
	{
		JsonbValue value = kg_json_string_value(name);

		kg_error_instead(
			err, NULL, kg_args_list_of(&(KgMember){.of_names = true}, &value));
	}
	else
	{
		const char *meant = kg_nearest(name, candidates, n);

		kg_error_did_you_mean(err, meant);
		if (meant != NULL && kg_has_rival(name, meant, candidates, n))
			kg_error_doubt(err);
	}
	kg_error_throw(err);
}

bool
kg_relation_is(const KgRelation *relation, const char *name, bool *inverse)
{
	*inverse = name_matches(name, relation->inverse);
	return *inverse || name_matches(name, relation->name);
}

char *
kg_call_relation_name(KgGraphCall *call, const JsonbValue *value,
					  const char *path)
{
	char *name;
	bool known = false;
	bool inverse;

	if (value->type != jbvString)
		kg_error_throw(
			kg_args_error(path, value, "the name of a relationship type"));
	name = kg_json_cstring(value);
	for (int i = 0; i < call->catalog->nrelations && !known; i++)
		known = kg_relation_is(&call->catalog->relations[i], name, &inverse);
	if (!known)
		throw_unknown_relation(call, name, path);
	return name;
}

static void
add_name(KgGraphCall *call, KgRelationNames *names, const JsonbValue *value,
		 const char *path)
{
	if (value->type == jbvString && kg_json_string_is(value, "*"))
		names->all = true;
	else
		names->names[names->n++] = kg_call_relation_name(call, value, path);
}

/*
 * Reads an array of names of relations. If the array is absent, selects all
 * relations.
 */
static KgRelationNames
read_names(KgGraphCall *call, const JsonbValue *array, const char *path)
{
	KgRelationNames names;

	memset(&names, 0, sizeof(names));
	if (array != NULL)
	{
		const JsonbContainer *items = kg_json_container(array);

		names.names = palloc((kg_json_length(items) + 1) * sizeof(char *));
		kg_json_each(it, items)
			add_name(call, &names, &it.value, kg_path_index(path, it.index));
	}
	/* As in GitLab's query language, an empty list selects all relations. */
	if (names.n == 0)
		names.all = true;
	return names;
}

KgRelationNames
kg_call_relation_names(KgGraphCall *call, const KgInput *in, const char *key)
{
	KgRelationNames names;
	JsonbValue value;
	char *path = kg_input_path(in, key);

	if (!kg_input_value(in, key, &value))
		return read_names(call, NULL, path);
	if (kg_json_is_array(&value))
		return read_names(call, &value, path);
	memset(&names, 0, sizeof(names));
	names.names = palloc(sizeof(char *));
	add_name(call, &names, &value, path);
	return names;
}

KgRelationNames
kg_call_relation_list(KgGraphCall *call, const char *key)
{
	KgRelationNames names;
	JsonbValue value;
	char *path = kg_input_path(&call->input, key);

	if (kg_json_get(call->input.object, key, &value) != NULL &&
		!kg_json_is_array(&value) &&
		(value.type != jbvString || kg_json_string_is(&value, "*")))
		kg_error_throw(kg_args_error(path, &value, "an array"));
	/*
	 * Reads the names first, so that an error about a wrong name precedes the
	 * error about a missing array.
	 */
	names = kg_call_relation_names(call, &call->input, key);
	(void) kg_args_array(
		call->input.object,
		key,
		"",
		kg_outline_member(call->input.outline, key, strlen(key)));
	return names;
}

bool
kg_names_have(const KgRelationNames *names, const KgRelation *relation)
{
	if (names->all)
		return true;
	for (int i = 0; i < names->n; i++)
		if (name_matches(names->names[i], relation->name) ||
			name_matches(names->names[i], relation->inverse))
			return true;
	return false;
}

static void
add_number(KgRelationSet *set, int32 number)
{
	int i;

	for (i = set->n; i > 0 && set->numbers[i - 1] >= number; i--)
		if (set->numbers[i - 1] == number)
			return;
	memmove(
		&set->numbers[i + 1], &set->numbers[i], (set->n - i) * sizeof(int32));
	set->numbers[i] = number;
	set->n++;
}

void
kg_call_follow(KgGraphCall *call, const KgRelationNames *names,
			   KgDirection direction, KgFollow *follow)
{
	const KgCatalog *catalog = call->catalog;

	memset(follow, 0, sizeof(*follow));
	if (names->all && direction == KG_BOTH_WAYS)
	{
		follow->forward.all = follow->backward.all = true;
		kg_past_require_walk(catalog, follow);
		return;
	}
	follow->forward.numbers = palloc((catalog->nrelations + 1) * sizeof(int32));
	follow->backward.numbers = palloc((catalog->nrelations + 1) *
									  sizeof(int32));
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		bool along = names->all;
		bool against = false;

		for (int j = 0; j < names->n && !names->all; j++)
		{
			along |= name_matches(names->names[j], relation->name);
			against |= name_matches(names->names[j], relation->inverse);
		}
		if (!along && !against)
			continue;
		if (direction == KG_BOTH_WAYS || relation->symmetric)
			along = against = true;
		else if (direction == KG_INCOMING)
		{
			bool swap = along;

			along = against;
			against = swap;
		}
		if (along)
			add_number(&follow->forward, relation->relation_no);
		if (against)
			add_number(&follow->backward, relation->relation_no);
	}
	kg_past_require_walk(catalog, follow);
	/*
	 * If the list contains all relations, "all" is set instead, because
	 * following all relations is cheaper than testing a list.
	 */
	if (follow->forward.n == catalog->nrelations)
		follow->forward.all = true;
	if (follow->backward.n == catalog->nrelations)
		follow->backward.all = true;
}

const KgType *
kg_follow_leads_to(const KgCatalog *catalog, const KgFollow *follow,
				   const KgType *from)
{
	const KgType *found = NULL;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		bool walked[] = {
			kg_relation_set_has(&follow->forward, relation->relation_no),
			kg_relation_set_has(&follow->backward, relation->relation_no)};

		for (int v = 0; v < 2 * relation->nvariants; v++)
		{
			const KgVariant *variant = &relation->variants[v / 2];
			int32 ends[] = {variant->from_type_no, variant->to_type_no};
			const KgType *to = kg_catalog_type_no(catalog, ends[1 - v % 2]);

			if (!walked[v % 2] || to == NULL ||
				(from != NULL && from->type_no != ends[v % 2]))
				continue;
			if (found != NULL && found != to)
				return NULL;
			found = to;
		}
	}
	return found;
}

/* ---- filters of edges ---- */

typedef struct EdgeFilters
{
	int n;
	int32 *numbers;
	/* indexed by relation; NULL: no edge of the relation matches */
	KgFilter **filters;
	const JsonbContainer *empty;
} EdgeFilters;

static bool
accept_edge(int32 relation_no, const Jsonb *properties, void *arg)
{
	EdgeFilters *edge_filters = arg;

	for (int i = 0; i < edge_filters->n; i++)
		if (edge_filters->numbers[i] == relation_no)
			return edge_filters->filters[i] != NULL &&
				   kg_filter_matches(edge_filters->filters[i],
									 properties != NULL ? &properties->root
														: edge_filters->empty);
	return false;
}

void
kg_call_edge_filters(KgGraphCall *call, const KgRelationNames *names,
					 const KgInput *in, const char *key, KgFollow *follow)
{
	const KgCatalog *catalog = call->catalog;
	const JsonbContainer *filters = kg_filter_object(in->object, key, in->path);
	KgFilterTarget *targets;
	EdgeFilters *edge_filters;

	if (filters == NULL || kg_json_length(filters) == 0)
		return;
	targets = palloc((catalog->nrelations + 1) * sizeof(KgFilterTarget));
	edge_filters = palloc0(sizeof(EdgeFilters));
	edge_filters->numbers = palloc((catalog->nrelations + 1) * sizeof(int32));
	edge_filters->empty = &kg_json_parse("{}")->root;
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!kg_names_have(names, relation))
			continue;
		targets[edge_filters->n] = kg_filter_target_relation(relation);
		edge_filters->numbers[edge_filters->n++] = relation->relation_no;
	}
	edge_filters->filters = kg_filter_analyse_over(
		kg_filter_parse(filters, kg_input_path(in, key)),
		targets,
		edge_filters->n,
		&call->repairs);
	follow->accept = accept_edge;
	follow->accept_arg = edge_filters;
}

/* ---- selections of nodes ---- */

typedef struct NamedIds
{
	int n;
	char **ids;
} NamedIds;

static void
keep_id(const KgRef *ref, void *arg)
{
	NamedIds *named = arg;

	named->ids[named->n++] = pnstrdup(ref->id, ref->idlen);
}

/*
 * Selects the entity that best matches a name. If several match equally well,
 * selects all of them, up to kg_graph.max_ids. If none matches, selects the
 * name as an id. Reports the ids as a repair. Raises an error if the caller
 * also sent ids.
 */
static void
select_by_name(KgGraphCall *call, const KgInput *in, const char *query,
			   KgSelector *selector)
{
	char *path = kg_input_path(in, "query");
	JsonbValue got = kg_json_string_value(query);
	KgMatches *matches;
	NamedIds named = {0};
	List *missing = NIL;
	int64 *nodes;
	int n = 0;
	JsonbValue used;
	KgJsonWriter w;

	if (selector->nids > 0)
		kg_error_throw(kg_args_error(path, &got, "given without ids"));
	if (selector->type->binding == NULL)
		kg_scope_require_derived(call->catalog->tenant, selector->type);
	matches = kg_search_run(
		call->catalog, query, &selector->type->type_no, 1, path);
	kg_foreign_search(
		call->graph, &selector->type->type_no, 1, query, matches, &missing);
	while (n < matches->n && n < kg_setting_max_ids &&
		   matches->matches[n].score == matches->matches[0].score)
		n++;
	nodes = palloc((n + 1) * sizeof(int64));
	for (int i = 0; i < n; i++)
		nodes[i] = matches->matches[i].node;
	named.ids = palloc((n + 1) * sizeof(char *));
	kg_graph_resolve(call->graph, nodes, n, false, keep_id, &named);
	/*
	 * No entity matches the name, so the name is used as an unknown id: the
	 * reply for an unknown id has hints.
	 */
	if (named.n == 0)
		named.ids[named.n++] = pstrdup(query);
	selector->ids = named.ids;
	selector->nids = named.n;
	kg_jw_init_object(&w);
	kg_jw_kstrings(&w, "ids", named.ids, named.n);
	kg_json_root(kg_jw_finish(&w), &used);
	kg_repair_add(&call->repairs, path, &got, &used);
}

void
kg_call_selector(KgGraphCall *call, const KgInput *in, const char *label_key,
				 KgSelector *selector)
{
	const JsonbContainer *filters;
	struct KgRelated *related = NULL;
	KgFilterTarget target;

	memset(selector, 0, sizeof(*selector));
	selector->path = in->path;
	selector->ids_path = kg_input_path(in, "ids");
	selector->type = kg_call_type(call, in, label_key);
	kg_past_require_type(selector->type);
	selector->ids = kg_input_ids(in, "ids", &selector->nids);
	if (kg_input_declares(in, "query") && kg_input_has(in, "query"))
		select_by_name(call, in, kg_input_string(in, "query"), selector);
	if (kg_input_declares(in, "related"))
		related = kg_call_related(call, in);
	selector->related = kg_call_path_filters(call, in, selector->type, related);
	filters = kg_filters_without_paths(
		call->catalog,
		selector->type,
		kg_filter_object(in->object, "filters", in->path),
		kg_input_path(in, "filters"));
	if (filters == NULL)
		return;
	target = kg_filter_target_counted(call->catalog, selector->type);
	selector->filter = kg_filter_analyse(
		kg_filter_parse(filters, kg_input_path(in, "filters")),
		&target,
		&call->repairs);
}

const KgFilter *
kg_selector_filter(const KgSelector *selector)
{
	KgFilter *filter = palloc0(sizeof(KgFilter));
	int n = selector->filter ? selector->filter->nconditions : 0;

	filter->conditions = palloc0((n + 1) * sizeof(KgCondition));
	if (selector->nids > 0)
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
	for (int i = 0; i < n; i++)
		filter->conditions[filter->nconditions++] =
			selector->filter->conditions[i];
	if (selector->filter != NULL)
	{
		filter->nany = selector->filter->nany;
		filter->any = selector->filter->any;
	}
	return filter;
}

KgFilter **
kg_call_filters_over(KgGraphCall *call, const KgInput *in,
					 const JsonbContainer *filters, int nranks,
					 const uint16 *ranks)
{
	KgGraph *graph = call->graph;
	KgFilter **result;
	KgFilter **analysed;
	KgFilterTarget *targets;
	int n = nranks < 0 ? graph->nranks : nranks;

	if (filters == NULL || kg_json_length(filters) == 0)
		return NULL;
	targets = palloc((n + 1) * sizeof(KgFilterTarget));
	for (int i = 0; i < n; i++)
		targets[i] = kg_filter_target_counted(
			call->catalog, kg_graph_type(graph, nranks < 0 ? i : ranks[i] - 1));
	analysed = kg_filter_analyse_over(
		kg_filter_parse(filters, kg_input_path(in, "filters")),
		targets,
		n,
		&call->repairs);
	result = palloc0((graph->nranks + 1) * sizeof(KgFilter *));
	for (int i = 0; i < n; i++)
		result[nranks < 0 ? i : ranks[i] - 1] = analysed[i];
	return result;
}

char *
kg_handle(const KgGraph *graph, const KgRef *ref)
{
	return psprintf("%s:%.*s",
					kg_row_handle(graph->ranked[ref->rank - 1]),
					ref->idlen,
					ref->id);
}
