/*
 * ref_path.c
 *	  Paths through references: their names, and their values for nodes.
 *
 * A path is walked as a chain of steps over the relations of its references
 * (query/graph/traverse.h). So an entity that the caller does not see, or that
 * does not exist at the requested time, has no value.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "miscadmin.h"
#include "query/argument/names.h"
#include "query/filter/filter.h"
#include "query/graph/cost.h"
#include "query/graph/ref_path.h"
#include "query/run/decisions.h"
#include "query/run/plan.h"
#include "query/time/past.h"

struct KgRefValues
{
	const KgRefPath *path;
	/* the walk of the references, or NULL if there are no nodes */
	KgTraversal *t;
	/* indexed by node at the end of the path: array of its values, or NULL */
	Jsonb **found;
	/* values of another path over the same references, or NULL */
	KgRefValues *next;
};

/* ---- names ---- */

/*
 * Returns the reference whose name, followed by a dot, begins the path; or
 * NULL.
 */
static const KgField *
first_reference(const KgType *type, const char *name)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		size_t len = strlen(field->name);

		if (field->ref_type != NULL && strncmp(name, field->name, len) == 0 &&
			name[len] == '.')
			return field;
	}
	return NULL;
}

/*
 * Returns another property whose edges have the relation and target type of the
 * reference, or NULL.
 */
static const KgField *
other_with_edges(const KgType *type, const KgField *reference)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *other = &type->fields[i];

		if (other != reference && other->ref_type != NULL &&
			other->relation_no == reference->relation_no &&
			strcmp(other->ref_type, reference->ref_type) == 0 &&
			strcmp(other->ref_bundle, reference->ref_bundle) == 0)
			return other;
	}
	return NULL;
}

bool
kg_ref_is_edges(const KgCatalog *catalog, const KgType *type,
				const KgField *reference)
{
	const KgRelation *relation;

	if (reference->ref_type == NULL || reference->ref_field != NULL ||
		reference->ref_bound || other_with_edges(type, reference) != NULL)
		return false;
	relation = kg_catalog_relation_no(catalog, reference->relation_no);
	return relation != NULL && relation->derived;
}

static KG_NORETURN void
throw_shared(const KgField *reference, const KgField *other, const char *name,
			 const char *at)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("\"%s\" and \"%s\" have the same relation, so "
								 "no path can lead through either of them",
								 reference->name,
								 other->name),
			 .path = at,
			 .got_string = name,
			 .expected = "a property of the entity itself");
}

static bool
can_end(const KgField *field)
{
	return !field->derived && field->kind != KG_KIND_OBJECT &&
		   field->kind != KG_KIND_ANY;
}

/* Adds the step over a reference to the path. */
static void
add_step(KgRefPath *path, const KgCatalog *catalog, const KgField *reference)
{
	KgStepSpec *step = &path->steps[path->nsteps++];

	path->type = kg_catalog_type_in(
		catalog, reference->ref_bundle, reference->ref_type);
	path->many |= reference->is_array;
	step->follow.forward.numbers = palloc(sizeof(int32));
	step->follow.forward.numbers[0] = reference->relation_no;
	step->follow.forward.n = 1;
	step->follow.backward.numbers = palloc(sizeof(int32));
	step->min_hops = step->max_hops = 1;
	step->ntests = 1;
	step->tests[0].type = path->type;
}

static KG_NORETURN void
throw_end(const KgRefPath *path, const char *name, const char *rest,
		  const char *at)
{
	const KgType *type = path->type;
	const char **names = palloc((type->nfields + 1) * sizeof(char *));
	int prefix = (int) (rest - name);
	const char *near;
	int n = 0;
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"entity type \"%s\" has no property \"%s\"",
								kg_type_handle(type),
								rest);

	kg_error_path(err, "%s", at);
	kg_error_got_string(err, name);
	for (int i = 0; i < type->nfields; i++)
		if (can_end(&type->fields[i]))
			names[n++] = type->fields[i].name;
	for (int i = 0; i < n; i++)
		kg_error_allow(err, psprintf("%.*s%s", prefix, name, names[i]));
	kg_error_expected(err,
					  "a property of the entity that \"%.*s\" refers to",
					  prefix - 1,
					  name);
	near = kg_nearest(rest, names, n);
	if (near != NULL)
		kg_error_did_you_mean(err, psprintf("%.*s%s", prefix, name, near));
	if (near != NULL && kg_has_rival(rest, near, names, n))
		kg_error_doubt(err);
	kg_error_throw(err);
}

static KG_NORETURN void
throw_too_long(const char *name, const char *at)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("\"%s\" leads through more than %d references",
								 name,
								 KG_MAX_REFERENCES),
			 .path = at,
			 .got_string = name,
			 .expected = psprintf("a path through at most %d references",
								  KG_MAX_REFERENCES));
}

/*
 * Raises an error if a type on the path has no history for the requested time,
 * or has x-authorize without an authorizer or gateway.
 */
static void
require_types(const KgCatalog *catalog, const KgRefPath *path)
{
	for (int i = 0; i < path->nsteps; i++)
	{
		kg_past_require_walk(catalog, &path->steps[i].follow);
		if (catalog->authorizes)
			kg_decisions_require(catalog, path->steps[i].tests[0].type, NULL);
	}
}

const KgRefPath *
kg_ref_path(const KgCatalog *catalog, const KgType *type, const char *name,
			const char *at, bool find_only)
{
	KgRefPath *path;
	const char *rest = name;
	const KgField *reference;
	const KgField *other;

	if (strchr(name, '.') == NULL || kg_type_field(type, name) != NULL ||
		(reference = first_reference(type, name)) == NULL)
		return NULL;
	path = palloc0(sizeof(KgRefPath));
	path->name = pstrdup(name);
	path->from = type;
	for (; reference != NULL; reference = first_reference(path->type, rest))
	{
		if (path->nsteps == KG_MAX_REFERENCES)
		{
			if (find_only)
				return NULL;
			throw_too_long(name, at);
		}
		other = other_with_edges(path->nsteps > 0 ? path->type : type,
								 reference);
		if (other != NULL && find_only)
			return NULL;
		if (other != NULL)
			throw_shared(reference, other, name, at);
		add_step(path, catalog, reference);
		rest += strlen(reference->name) + 1;
		if (path->type == NULL)
			return NULL;
		path->field = kg_type_field(path->type, rest);
		if (path->field != NULL)
			break;
	}
	path->end_name = path->name + (rest - name);
	if (strcmp(rest, "id") == 0 || path->field == path->type->id_field)
		path->field = path->type->number_ids ? path->type->id_field : NULL;
	else if (path->field == NULL || !can_end(path->field))
	{
		if (find_only)
			return NULL;
		throw_end(path, name, rest, at);
	}
	require_types(catalog, path);
	return path;
}

const char *
kg_ref_label(const KgCatalog *catalog, const KgType *type,
			 const KgField *reference)
{
	const KgType *to;

	if (reference->ref_type == NULL || reference->ref_field != NULL ||
		kg_past_asked())
		return NULL;
	to = kg_catalog_type_in(
		catalog, reference->ref_bundle, reference->ref_type);
	if (to == NULL || to->authorize != NULL || to->label_field == NULL ||
		to->label_field == to->id_field ||
		other_with_edges(type, reference) != NULL)
		return NULL;
	return psprintf("%s.%s", reference->name, to->label_field->name);
}

/* ---- values ---- */

static void
write_value(const JsonbValue *value, void *arg)
{
	if (value->type != jbvNull)
		kg_jw_value(arg, value);
}

/* Adds the value of an entity at the end of a path. */
static void
keep_value(KgRefValues *values, uint32 node, const KgRef *ref)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	if (values->path->field == NULL)
		kg_jw_stringn(&w, ref->id, ref->idlen);
	else
		kg_field_visit(values->path->field, &ref->data->root, write_value, &w);
	values->found[node] = kg_jw_finish(&w);
}

static void
keep_end(const KgRef *ref, void *arg)
{
	KgRefValues *values = arg;
	KgGraph *graph = values->t->graph;
	uint32 node = kg_nodeset_find(&values->t->set, ref->node);
	MemoryContext old;

	if (node == KG_NO_NODE)
		return;
	old = MemoryContextSwitchTo(graph->context);
	for (; values != NULL; values = values->next)
		keep_value(values, node, ref);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(graph);
}

/*
 * Reads the values of each node at which the last step ends, once for each
 * node. Sets the values of all paths in the list.
 */
static void
read_ends(KgRefValues *list)
{
	KgTraversal *t = list->t;
	const KgStepResult *last = &t->steps[t->nsteps - 1];
	bool with_data = false;
	KgNodeSet ends;
	uint64 done = 0;

	for (KgRefValues *values = list; values != NULL; values = values->next)
	{
		with_data |= values->path->field != NULL;
		values->found = MemoryContextAllocExtended(
			t->graph->context,
			Max((Size) t->set.n, 1) * sizeof(Jsonb *),
			MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
	kg_nodeset_init(&ends, t->graph->context);
	for (uint64 i = 0; i < last->first[last->nstarts]; i++)
	{
		kg_plan_count(&done, 1);
		(void) kg_nodeset_add(&ends, t->set.nodes[last->ends[i].node]);
	}
	kg_graph_resolve(t->graph, ends.nodes, ends.n, with_data, keep_end, list);
	kg_nodeset_free(&ends);
}

static bool
same_references(const KgRefPath *a, const KgRefPath *b)
{
	if (a->nsteps != b->nsteps)
		return false;
	for (int i = 0; i < a->nsteps; i++)
		if (a->steps[i].follow.forward.numbers[0] !=
				b->steps[i].follow.forward.numbers[0] ||
			a->steps[i].tests[0].type != b->steps[i].tests[0].type)
			return false;
	return a->from == b->from;
}

/*
 * Adds the values to the list of an earlier path over the same references.
 * Returns false if there is no such path.
 */
static bool
join_earlier(KgRefValues **values, int n)
{
	KgRefValues *added = values[n];

	for (int i = 0; i < n; i++)
		if (same_references(values[i]->path, added->path))
		{
			added->t = values[i]->t;
			added->next = values[i]->next;
			values[i]->next = added;
			return true;
		}
	return false;
}

static void
walk(KgRefValues *values, KgGraph *graph, const int64 *nodes, uint32 n,
	 const char *at)
{
	const KgRefPath *path = values->path;

	values->t = MemoryContextAlloc(graph->context, sizeof(KgTraversal));
	kg_cost_traverse(graph, nodes, n, path->steps, path->nsteps, at);
	kg_traverse_run(
		values->t, graph, path->from, nodes, n, path->steps, path->nsteps);
}

void
kg_ref_values_of(KgGraph *graph, const KgRefPath *const *paths, int npaths,
				 const int64 *nodes, uint32 n, const char *at,
				 KgRefValues **values)
{
	for (int i = 0; i < npaths; i++)
	{
		values[i] = MemoryContextAllocZero(graph->context, sizeof(KgRefValues));
		values[i]->path = paths[i];
	}
	if (n == 0)
		return;
	for (int i = 0; i < npaths; i++)
		if (!join_earlier(values, i))
			walk(values[i], graph, nodes, n, at);
	for (int i = 0; i < npaths; i++)
		if (values[i]->found == NULL)
			read_ends(values[i]);
}

KgRefValues *
kg_ref_values(KgGraph *graph, const KgRefPath *path, const int64 *nodes,
			  uint32 n, const char *at)
{
	KgRefValues *values;

	kg_ref_values_of(graph, &path, 1, nodes, n, at, &values);
	return values;
}

static void
visit_ends(const KgRefValues *values, int step, uint32 node,
		   KgFieldVisitor visit, void *arg)
{
	const KgStepResult *result = &values->t->steps[step];
	uint32 start;
	uint64 done = 0;

	check_stack_depth();
	if (node >= result->start_of_n || result->start_of[node] == KG_NO_NODE)
		return;
	start = result->start_of[node];
	for (uint64 i = result->first[start]; i < result->first[start + 1]; i++)
	{
		uint32 end = result->ends[i].node;

		kg_plan_count(&done, 1);
		if (step + 1 < values->path->nsteps)
			visit_ends(values, step + 1, end, visit, arg);
		else if (values->found[end] != NULL)
		{
			kg_json_each(it, &values->found[end]->root)
				visit(&it.value, arg);
		}
	}
}

void
kg_ref_values_visit(const KgRefValues *values, int64 node, KgFieldVisitor visit,
					void *arg)
{
	uint32 index = values->found != NULL
					   ? kg_nodeset_find(&values->t->set, node)
					   : KG_NO_NODE;

	if (index != KG_NO_NODE)
		visit_ends(values, 0, index, visit, arg);
}

static void
take_value(const JsonbValue *value, void *arg)
{
	*(JsonbValue *) arg = *value;
}

bytea *
kg_ref_values_key(const KgRefValues *values, int64 node)
{
	const KgRefPath *path = values->path;
	JsonbValue value = {.type = jbvNull};
	bytea *key = NULL;

	kg_ref_values_visit(values, node, take_value, &value);
	if (value.type != jbvNull)
		key = kg_key_encode(
			path->field != NULL ? path->field : path->type->id_field, &value);
	return key != NULL ? key : kg_key_missing();
}
