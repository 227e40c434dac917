/*
 * graph/directions.c
 *	  Directions of steps that the declared relations make impossible.
 *
 * If no edge can have the direction of a step, a search finds nothing, and a
 * negated search finds everything. So such a step is followed in the opposite
 * direction if that is possible, and is an error otherwise. Only the caller's
 * catalog decides this, never the rows.
 */
#include "postgres.h"

#include "base/error.h"
#include "lib/stringinfo.h"
#include "query/graph/related.h"
#include "tools/graph/graph.h"

static bool
has_any(const KgGraph *graph, const bool *types)
{
	for (int rank = 1; rank <= graph->nranks; rank++)
		if (types[rank])
			return true;
	return false;
}

/*
 * Returns the set of types, indexed by rank, at which a step can end. Considers
 * only the first ntests tests of the step's end.
 */
static bool *
ends_of(const KgGraph *graph, const KgStepSpec *step, const KgFollow *follow,
		const bool *at, int ntests)
{
	bool *ends = palloc0((graph->nranks + 1) * sizeof(bool));

	if (step->min_hops == 0)
		memcpy(ends, at, (graph->nranks + 1) * sizeof(bool));
	for (int depth = 1; depth <= step->max_hops; depth++)
	{
		at = kg_follow_ends(graph, follow, at);
		for (int rank = 1; rank <= graph->nranks; rank++)
			ends[rank] |= at[rank] && depth >= step->min_hops;
	}
	for (int i = 0; i < ntests; i++)
		for (int rank = 1; rank <= graph->nranks; rank++)
			ends[rank] &= step->tests[i].type == NULL ||
						  kg_graph_is_type(
							  graph, rank - 1, step->tests[i].type);
	return ends;
}

/* Returns the type if a set has exactly one type, or NULL. */
static const KgType *
only_type(const KgGraph *graph, const bool *types)
{
	const KgType *only = NULL;

	for (int rank = 1; rank <= graph->nranks; rank++)
	{
		if (types[rank] && only != NULL)
			return NULL;
		if (types[rank])
			only = kg_graph_type(graph, rank - 1);
	}
	return only;
}

static const char *
begin_name(const KgGraph *graph, const bool *at)
{
	const KgType *type = only_type(graph, at);

	return type ? psprintf("entity type \"%s\"", kg_type_handle(type))
				: "the types that are reached at that step";
}

static const char *
relation_name(const KgCatalog *catalog, const KgFollow *follow)
{
	for (int i = 0; i < catalog->nrelations; i++)
		if (kg_relation_set_has(&follow->forward,
								catalog->relations[i].relation_no) ||
			kg_relation_set_has(&follow->backward,
								catalog->relations[i].relation_no))
			return catalog->relations[i].name;
	return "";
}

static bool
has_end_at(const KgGraph *graph, const KgRelation *relation, const bool *at)
{
	for (int v = 0; v < relation->nvariants; v++)
		if (at[kg_graph_rank(graph, relation->variants[v].from_type_no)] ||
			at[kg_graph_rank(graph, relation->variants[v].to_type_no)])
			return true;
	return false;
}

/*
 * Appends a name to a list of names in an error's text: ": a, b". The names are
 * not in the error's member "allowed": a caller might send the only allowed
 * name, although that would change the meaning of the call.
 */
static void
add_name(StringInfo names, const char *name)
{
	appendStringInfo(names, "%s%s", names->len == 0 ? ": " : ", ", name);
}

static KG_NORETURN void
throw_no_edge(const KgGraph *graph, const KgStepSpec *step, const bool *at,
			  const char *path)
{
	const KgCatalog *catalog = graph->catalog;
	const char *begin = begin_name(graph, at);
	const char *name = relation_name(catalog, &step->follow);
	StringInfoData names;
	KgError *err;

	if (step->min_hops > 1)
		err = kg_error_new(KG_INVALID_INPUT,
						   "relationship type \"%s\" cannot be followed %d "
						   "hops from %s",
						   name,
						   step->min_hops,
						   begin);
	else
		err = kg_error_new(
			KG_INVALID_INPUT,
			"relationship type \"%s\" neither leaves nor enters %s",
			name,
			begin);

	kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	initStringInfo(&names);
	for (int i = 0; i < catalog->nrelations; i++)
		if (has_end_at(graph, &catalog->relations[i], at) &&
			(i == 0 || strcmp(catalog->relations[i - 1].name,
							  catalog->relations[i].name) != 0))
			add_name(&names, catalog->relations[i].name);
	kg_error_throw_expected(err,
							step->min_hops > 1
								? "fewer hops, or a relationship type of %s%s"
								: "a relationship type of %s%s",
							begin,
							names.data);
}

static KG_NORETURN void
throw_no_end(const KgGraph *graph, const KgStepSpec *step, const bool *at,
			 const bool *ends, const KgType *type, const char *path)
{
	StringInfoData names;
	KgError *err = kg_error_new(
		KG_INVALID_INPUT,
		"relationship type \"%s\" does not lead from %s to entity type \"%s\"",
		relation_name(graph->catalog, &step->follow),
		begin_name(graph, at),
		kg_type_handle(type));

	kg_error_path(err, "%s", path);
	kg_error_got_string(err, kg_type_handle(type));
	initStringInfo(&names);
	for (int rank = 1; rank <= graph->nranks; rank++)
		if (ends[rank])
			add_name(&names, kg_row_handle(graph->ranked[rank - 1]));
	kg_error_throw_expected(
		err, "an entity type that the step leads to%s", names.data);
}

/*
 * Returns the set of types, indexed by rank, at which a step can end if it may
 * be followed in both directions.
 */
static bool *
either_ends(const KgGraph *graph, const KgStepSpec *step, const bool *at,
			int ntests)
{
	bool *ends = ends_of(graph, step, &step->follow, at, ntests);
	const bool *others;
	KgFollow reversed;

	kg_follow_reverse(&step->follow, &reversed);
	others = ends_of(graph, step, &reversed, at, ntests);
	for (int rank = 1; rank <= graph->nranks; rank++)
		ends[rank] |= others[rank];
	return ends;
}

/* Raises an error for a step that has no possible end in either direction. */
static KG_NORETURN void
throw_impossible(const KgGraph *graph, const KgStepSpec *step, const bool *at,
				 const KgStepPath *path)
{
	const bool *ends = either_ends(graph, step, at, 0);
	int test = 0;

	if (!has_any(graph, ends))
		throw_no_edge(graph, step, at, kg_path_member(path->step, path->type));
	while (test < step->ntests - 1 &&
		   has_any(graph, either_ends(graph, step, at, test + 1)))
		test++;
	ends = either_ends(graph, step, at, test);
	throw_no_end(graph,
				 step,
				 at,
				 ends,
				 step->tests[test].type,
				 test == 0 ? psprintf("%s%s", path->step, path->label)
						   : "/to/label");
}

/*
 * Returns whether a node of one of the types "ends" can match the filters of
 * the step's end.
 */
static bool
can_match(const KgGraph *graph, const KgStepSpec *step, const bool *ends)
{
	for (int i = 0; i < step->ntests; i++)
	{
		const KgNodeTest *test = &step->tests[i];
		int rank = 1;

		if (test->type != NULL || test->filters == NULL)
			continue;
		while (rank <= graph->nranks &&
			   (!ends[rank] || test->filters[rank - 1] == NULL))
			rank++;
		if (rank > graph->nranks)
			return false;
	}
	return true;
}

static KG_NORETURN void
throw_unmatched(const KgGraph *graph, const KgStepSpec *step, const bool *at,
				const char *path)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf(
				 "relationship type \"%s\" cannot be followed from %s in this "
				 "direction, and in the other direction it leads to no type "
				 "with the filtered properties",
				 relation_name(graph->catalog, &step->follow),
				 begin_name(graph, at)),
			 .path = kg_path_member(path, "direction"),
			 .got_string = step->incoming ? "incoming" : "outgoing",
			 .expected = "the other direction, with filters on properties of "
						 "the nodes to which it leads");
}

/* Reports that a step is followed against the direction that was sent. */
static void
report_reversed(KgGraphCall *call, const KgStepSpec *step, const char *path)
{
	JsonbValue got;
	JsonbValue used;

	got = kg_json_string_value(step->incoming ? "incoming" : "outgoing");
	used = kg_json_string_value(step->incoming ? "outgoing" : "incoming");
	kg_repair_add(
		&call->repairs, kg_path_member(path, "direction"), &got, &used);
}

/* Returns whether a step follows all relations. Then it is never reversed. */
static bool
follows_all(const KgStepSpec *step)
{
	return step->follow.forward.all || step->follow.backward.all;
}

/*
 * Reverses a step if no edge can have its direction. Raises an error if the
 * opposite direction is impossible, too, or if the filters of the step's end
 * cannot match there. Returns the types at which the step can end.
 */
static bool *
orient(KgGraphCall *call, KgStepSpec *step, const bool *at,
	   const KgStepPath *path)
{
	const KgGraph *graph = call->graph;
	bool *ends = ends_of(graph, step, &step->follow, at, step->ntests);
	KgFollow reversed;

	if (has_any(graph, ends) || !has_any(graph, at) || follows_all(step))
		return ends;
	kg_follow_reverse(&step->follow, &reversed);
	ends = ends_of(graph, step, &reversed, at, step->ntests);
	if (!has_any(graph, ends))
		throw_impossible(graph, step, at, path);
	if (!can_match(graph, step, ends))
		throw_unmatched(graph, step, at, path->step);
	step->follow = reversed;
	report_reversed(call, step, path->step);
	return ends;
}

static bool *
types_begin(const KgGraphCall *call, const KgType *type)
{
	const KgGraph *graph = call->graph;
	bool *at = palloc0((graph->nranks + 1) * sizeof(bool));

	for (int rank = 1; rank <= graph->nranks; rank++)
		at[rank] = type == NULL || kg_graph_is_type(graph, rank - 1, type);
	return at;
}

void
kg_orient_step(KgGraphCall *call, const KgType *type, KgStepSpec *step,
			   const KgStepPath *path)
{
	if (!follows_all(step))
		(void) orient(call, step, types_begin(call, type), path);
}

void
kg_orient_steps(KgGraphCall *call, const KgType *type, KgStepSpec *steps, int n,
				const char *path, bool array)
{
	bool *at = types_begin(call, type);

	for (int i = 0; i < n; i++)
	{
		KgStepPath here = {
			array ? kg_path_index(path, i) : path, "type", "/to/label"};

		at = orient(call, &steps[i], at, &here);
	}
}
