/*
 * bfs/call.c
 *	  Code that the BFS-QL tools share.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/spi.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "query/run/decisions.h"
#include "query/argument/hints.h"
#include "query/run/plan.h"
#include "query/graph/foreign.h"
#include "query/merged.h"
#include "query/argument/repair.h"
#include "query/search/search.h"
#include "query/graph/sql_graph.h"
#include "tools/bfs/call.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* ---- handles ---- */

typedef struct Lookup
{
	KgGraphCall *call;
	KgHandles *handles;
	const char *path;
	bool bare; /* true: the ids to look up may be of several types */
	/*
	 * Ids to look up, indexed as the handles; NULL: the handle is not looked
	 * up. Unless bare is true, all ids are of one type.
	 */
	const char **ids;
	/*
	 * Entities that each handle names in addition to its ref, indexed as the
	 * handles.
	 */
	List **others;
} Lookup;

static void
found_handle(Lookup *lookup, int i, const KgRef *ref)
{
	KgRef *known = &lookup->handles->refs[i];
	KgRef *other;

	if (known->id == NULL)
	{
		*known = kg_ref_copy(ref, CurrentMemoryContext);
		return;
	}
	if (known->node == ref->node)
		return;
	other = palloc(sizeof(KgRef));
	*other = kg_ref_copy(ref, CurrentMemoryContext);
	lookup->others[i] = lappend(lookup->others[i], other);
}

static void
receive_ref(const KgRef *ref, void *arg)
{
	Lookup *lookup = arg;

	for (int i = 0; i < lookup->handles->n; i++)
		if (lookup->ids[i] != NULL && strlen(lookup->ids[i]) == ref->idlen &&
			memcmp(lookup->ids[i], ref->id, ref->idlen) == 0)
			found_handle(lookup, i, ref);
}

static bool
receive_handle(TupleTableSlot *slot, void *arg)
{
	Lookup *lookup = arg;
	KgRef ref;
	text *id;

	slot_getallattrs(slot);
	memset(&ref, 0, sizeof(ref));
	ref.node = DatumGetInt64(slot->tts_values[0]);
	ref.rank = kg_graph_rank(lookup->call->graph,
							 DatumGetInt32(slot->tts_values[1]));
	if (ref.rank == 0)
		return true;
	id = DatumGetTextPP(slot->tts_values[2]);
	ref.id = VARDATA_ANY(id);
	ref.idlen = VARSIZE_ANY_EXHDR(id);
	receive_ref(&ref, lookup);
	return true;
}

static const char *
id_of(const char *bundle, const char *name, const char *given)
{
	int len = strlen(name);
	int bundle_len = strlen(bundle);

	if (strncmp(given, name, len) == 0 && given[len] == ':')
		return given + len + 1;
	if (strncmp(given, bundle, bundle_len) == 0 && given[bundle_len] == '/' &&
		strncmp(given + bundle_len + 1, name, len) == 0 &&
		given[bundle_len + 1 + len] == ':')
		return given + bundle_len + len + 2;
	return NULL;
}

const char *
kg_id_of_type(const KgType *type, const char *given)
{
	return id_of(type->bundle, type->name, given);
}

const char *
kg_id_of_row(const KgTypeRow *row, const char *given)
{
	return id_of(row->bundle, row->name, given);
}

static void
find_foreign(Lookup *lookup, const KgType *type)
{
	kg_foreign_find(lookup->call->graph,
					type,
					lookup->ids,
					lookup->handles->n,
					receive_ref,
					lookup);
}

/* Looks up the ids in lookup->ids among the entities of a type. */
static void
look_up_in(Lookup *lookup, const KgType *type)
{
	static const Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID};
	Datum values[4];

	if (kg_foreign_of(lookup->call->graph, type) != NULL)
	{
		find_foreign(lookup, type);
		return;
	}
	values[1] = CStringGetTextDatum(type->bundle);
	values[2] = CStringGetTextDatum(type->name);
	values[3] = kg_text_array(lookup->ids, lookup->handles->n);
	kg_graph_run(lookup->call->graph,
				 KG_SQL_NODES_OF_TYPE,
				 4,
				 types,
				 values,
				 receive_handle,
				 lookup);
}

static void
look_up_typed(Lookup *lookup)
{
	KgGraph *graph = lookup->call->graph;

	for (int t = 0; t < graph->nranks; t++)
	{
		bool any = false;

		for (int i = 0; i < lookup->handles->n; i++)
		{
			lookup->ids[i] = kg_id_of_row(graph->ranked[t],
										  lookup->handles->given[i]);
			any |= lookup->ids[i] != NULL;
		}
		if (any)
			look_up_in(lookup, kg_graph_type(graph, t));
	}
}

static void
look_up_bare(Lookup *lookup)
{
	static const Oid types[] = {
		TEXTOID, TEXTARRAYOID, TEXTARRAYOID, TEXTARRAYOID};
	const KgGraph *graph = lookup->call->graph;
	const char **bundles = palloc((graph->nranks + 1) * sizeof(const char *));
	const char **names = palloc((graph->nranks + 1) * sizeof(const char *));
	KgStatement statement;
	Datum values[4];
	bool any = false;
	int n = 0;

	for (int i = 0; i < lookup->handles->n; i++)
	{
		const char *given = lookup->handles->given[i];

		lookup->ids[i] = NULL;
		if (lookup->handles->refs[i].id != NULL)
			continue;
		lookup->ids[i] = given;
		any = true;
	}
	if (!any)
		return;
	for (int i = 0; i < graph->nranks; i++)
	{
		const KgTypeRow *row = graph->ranked[i];

		if (kg_foreign_of_row(graph, row) != NULL)
		{
			kg_foreign_look(lookup->call->graph,
							kg_type_of(row),
							lookup->ids,
							lookup->handles->n,
							receive_ref,
							lookup);
			continue;
		}
		bundles[n] = row->bundle;
		names[n++] = row->name;
	}
	values[0] = graph->tenant;
	values[1] = kg_text_array(bundles, n);
	values[2] = kg_text_array(names, n);
	values[3] = kg_text_array(lookup->ids, lookup->handles->n);
	memset(&statement, 0, sizeof(statement));
	statement.sql = kg_graph_sql(KG_SQL_NODES_BY_ID);
	statement.nargs = 4;
	statement.argtypes = types;
	statement.values = values;
	statement.node_column = kg_graph_sql_node_column(KG_SQL_NODES_BY_ID);
	(void) kg_plan_run(&statement, receive_handle, lookup);
}

/* Looks up handles whose entity was merged into another entity. */
static void
look_up_merged(Lookup *lookup)
{
	const KgGraph *graph = lookup->call->graph;
	const KgHandles *handles = lookup->handles;

	for (int i = 0; i < handles->n; i++)
	{
		const char *id = handles->given[i];
		const KgType *type = NULL;
		KgMerged merged;

		if (handles->refs[i].id != NULL)
			continue;
		for (int t = 0; t < graph->nranks && type == NULL; t++)
			if (kg_id_of_row(graph->ranked[t], id) != NULL)
				type = kg_graph_type(graph, t);
		if (type != NULL)
			id = kg_id_of_type(type, id);
		if (!kg_merged_find(graph->catalog, type, id, &merged))
			continue;
		memset(lookup->ids, 0, handles->n * sizeof(lookup->ids[0]));
		lookup->ids[i] = merged.id;
		look_up_in(lookup, merged.type);
	}
}

static int
compare_refs(const ListCell *a, const ListCell *b)
{
	return kg_ref_compare(lfirst(a), lfirst(b));
}

static void
refuse_ambiguous(Lookup *lookup)
{
	for (int i = 0; i < lookup->handles->n; i++)
	{
		List *all = lookup->others[i];
		KgError *err;
		ListCell *lc;

		if (all == NIL)
			continue;
		all = lcons(&lookup->handles->refs[i], all);
		list_sort(all, compare_refs);
		err = kg_error_new(KG_INVALID_INPUT,
						   "id \"%s\" is ambiguous: several entities have it",
						   lookup->handles->given[i]);
		kg_error_path(err,
					  "%s",
					  lookup->handles->array ? kg_path_index(lookup->path, i)
											 : lookup->path);
		kg_error_got_string(err, lookup->handles->given[i]);
		kg_error_expected(err, "a handle (type:id) of one of these entities");
		foreach(lc, all)
			kg_error_allow(err, kg_handle(lookup->call->graph, lfirst(lc)));
		kg_error_throw(err);
	}
}

/*
 * Returns whether a handle may name an entity of the type. A handle that does
 * not name a type may name an entity of any type.
 */
static bool
may_be_of(const KgGraph *graph, const KgHandles *handles, const KgTypeRow *row)
{
	for (int i = 0; i < handles->n; i++)
	{
		bool bare = true;

		if (kg_id_of_row(row, handles->given[i]) != NULL)
			return true;
		for (int t = 0; t < graph->nranks && bare; t++)
			bare = kg_id_of_row(graph->ranked[t], handles->given[i]) == NULL;
		if (bare)
			return true;
	}
	return false;
}

void
kg_require_around(KgGraphCall *call, const KgHandles *handles,
				  const KgFollow *walk, int hops)
{
	const KgGraph *graph = call->graph;

	if (!call->catalog->authorizes)
		return;
	for (int t = 0; t < graph->nranks; t++)
		if (may_be_of(graph, handles, graph->ranked[t]))
			kg_reached_walk(kg_reached_begin(call, kg_graph_type(graph, t)),
							walk,
							0,
							hops,
							NULL);
}

void
kg_find_handles(KgGraphCall *call, const char *path, KgHandles *handles)
{
	const KgFollow nowhere = {0};
	Lookup lookup;

	memset(&lookup, 0, sizeof(lookup));
	lookup.call = call;
	lookup.handles = handles;
	lookup.path = path;
	lookup.ids = palloc0((handles->n + 1) * sizeof(char *));
	lookup.others = palloc0((handles->n + 1) * sizeof(List *));
	handles->refs = palloc0((handles->n + 1) * sizeof(KgRef));
	if (handles->n == 0)
		return;
	kg_require_around(call, handles, &nowhere, 0);
	kg_decisions_begin_step();
	look_up_typed(&lookup);
	look_up_bare(&lookup);
	look_up_merged(&lookup);
	kg_decisions_end_step();
	refuse_ambiguous(&lookup);
}

/*
 * Returns the handle "type:id" for an object that has only a type and an id,
 * both strings, under one of their usual names. The id may be the only item of
 * an array. Returns NULL for any other value.
 */
static char *
handle_of_object(const JsonbValue *value)
{
	static const char *const types[] = {"label", "type"};
	static const char *const ids[] = {"node_id", "id", "ids"};
	const JsonbContainer *object;
	JsonbValue type;
	JsonbValue id;
	bool found[2] = {false, false};

	if (!kg_json_is_object(value))
		return NULL;
	object = kg_json_container(value);
	for (int i = 0; i < lengthof(types) && !found[0]; i++)
		found[0] = kg_json_get(object, types[i], &type) != NULL;
	for (int i = 0; i < lengthof(ids) && !found[1]; i++)
		found[1] = kg_json_get(object, ids[i], &id) != NULL;
	if (found[1] && kg_json_is_array(&id) &&
		kg_json_length(kg_json_container(&id)) == 1)
		id = *getIthJsonbValueFromContainer(
			(JsonbContainer *) kg_json_container(&id), 0);
	if (!found[0] || !found[1] || kg_json_length(object) != 2 ||
		type.type != jbvString || id.type != jbvString)
		return NULL;
	return psprintf("%s:%s", kg_json_cstring(&type), kg_json_cstring(&id));
}

char *
kg_call_handle(KgRepairs *repairs, const JsonbValue *value, const char *path)
{
	char *handle = handle_of_object(value);
	int64 number;

	if (handle != NULL)
	{
		JsonbValue used = kg_json_string_value(handle);

		kg_repair_add(repairs, path, value, &used);
		kg_repair_take(path, kg_json_datum(&used));
		return handle;
	}

	if (kg_json_int64(value, &number))
		return psprintf(INT64_FORMAT, number);
	if (value->type != jbvString)
	{
		KgError *err = kg_args_error(
			path, value, "an id: a string or an integer");

		kg_error_instead(err, NULL, kg_args_only_scalar(value));
		kg_error_throw(err);
	}
	return kg_json_cstring(value);
}

void
kg_call_handles(KgGraphCall *call, const char *key, KgHandles *handles)
{
	const KgInput *in = &call->input;
	char *path = kg_input_path(in, key);
	int64 max = kg_input_maximum(in, key);
	const JsonbContainer *array;
	JsonbValue value;
	int n;

	(void) kg_input_value(in, key, &value);
	array = kg_args_as_array(&value, path, NULL);
	n = kg_json_length(array);
	memset(handles, 0, sizeof(*handles));
	handles->array = true;
	/*
	 * An empty array is valid here; kg_require_handles() raises the error
	 * about it.
	 */
	if (n > max)
	{
		JsonbValue got = kg_json_string_value(psprintf("%d ids", n));

		kg_error_throw(kg_args_error(
			path,
			&got,
			psprintf("an array of at most " INT64_FORMAT " ids", max)));
	}
	handles->given = palloc((n + 1) * sizeof(char *));
	kg_json_each(it, array)
		handles->given[handles->n++] = kg_call_handle(
			&call->repairs, &it.value, kg_path_index(path, it.index));
	kg_find_handles(call, path, handles);
}

void
kg_require_handles(KgGraphCall *call, const char *key, const char *what,
				   const KgHandles *handles)
{
	if (handles->n > 0)
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("no %s were given", what),
			 .path = kg_input_path(&call->input, key),
			 .expected = "at least one id; a search by name finds ids");
}

/* ---- unknown handles ---- */

/*
 * Returns whether the handle at index i is unknown and no earlier handle is
 * equal to it.
 */
static bool
newly_unknown(const KgHandles *handles, int i)
{
	if (handles->refs[i].id != NULL)
		return false;
	for (int j = 0; j < i; j++)
		if (handles->refs[j].id == NULL &&
			strcmp(handles->given[j], handles->given[i]) == 0)
			return false;
	return true;
}

int
kg_unknown_handles(const KgHandles *handles, char ***unknown)
{
	int n = 0;

	*unknown = palloc((handles->n + 1) * sizeof(char *));
	for (int i = 0; i < handles->n; i++)
		if (newly_unknown(handles, i))
			(*unknown)[n++] = handles->given[i];
	return n;
}

#define KG_NEAREST 5
/* Maximum number of entities with one name that an error lists. */
#define KG_NAMESAKES 20
/*
 * A reply may have one hint for each KG_HINT_SHARE bytes of its maximum size.
 */
#define KG_HINT_SHARE 1024

static void
take_nearest(const KgRef *ref, void *arg)
{
	KgRef *refs = arg;

	for (int i = 0; i < KG_NAMESAKES; i++)
		if (refs[i].node == ref->node && refs[i].rank != 0)
			refs[i] = kg_ref_copy(ref, CurrentMemoryContext);
}

/*
 * Returns the type that a handle names, or the type with the most similar
 * name. Returns NULL if no name is similar. Sets *certain to whether the type
 * is certainly the intended one, and *text to the id in the handle.
 */
static const KgType *
meant_type(const KgGraph *graph, const char *given, const char **text,
		   bool *certain)
{
	const char *colon = strchr(given, ':');
	const char **names = palloc((graph->nranks + 1) * sizeof(char *));
	const char *meant;
	const char *prefix;

	*text = given;
	*certain = true;
	if (colon == NULL)
		colon = strchr(given, '/');
	for (int i = 0; i < graph->nranks; i++)
	{
		names[i] = kg_row_handle(graph->ranked[i]);
		*text = kg_id_of_row(graph->ranked[i], given);
		if (*text != NULL)
			return kg_graph_type(graph, i);
		*text = given;
	}
	prefix = colon ? pnstrdup(given, colon - given) : NULL;
	meant = colon ? kg_nearest(prefix, names, graph->nranks) : NULL;
	for (int i = 0; i < graph->nranks && meant != NULL; i++)
		if (strcmp(names[i], meant) == 0)
		{
			*text = colon + 1;
			*certain = kg_is_certain(prefix, meant);
			return kg_graph_type(graph, i);
		}
	return NULL;
}

/*
 * Returns the handles of those of the first n matches whose whole name is equal
 * to the name that the caller sent. Returns NIL unless there are several.
 */
static List *
list_namesakes(KgGraph *graph, const KgMatches *matches, const KgRef *refs,
			   int n)
{
	List *handles = NIL;

	for (int i = 0; i < n; i++)
		if (matches->matches[i].how == KG_MATCH_EXACT && refs[i].id != NULL)
			handles = lappend(handles, kg_handle(graph, &refs[i]));
	return list_length(handles) > 1 ? handles : NIL;
}

KgNearHandle
kg_nearest_handle(KgGraphCall *call, const char *given)
{
	KgGraph *graph = call->graph;
	KgNearHandle near = {NULL};
	const char *text;
	bool certain;
	const KgType *type = meant_type(graph, given, &text, &certain);
	KgMatches *matches = kg_hints_nearest(
		call->catalog, type, text, KG_NAMESAKES);
	int n = Min(matches->n, KG_NAMESAKES);
	KgRef refs[KG_NAMESAKES];
	int64 nodes[KG_NAMESAKES];
	const char *ids[KG_NAMESAKES];
	int chosen;

	memset(refs, 0, sizeof(refs));
	for (int i = 0; i < n; i++)
	{
		nodes[i] = refs[i].node = matches->matches[i].node;
		refs[i].rank = 1;
	}
	kg_graph_resolve(graph, nodes, (uint32) n, false, take_nearest, refs);
	for (int i = 0; i < n; i++)
		ids[i] = refs[i].id ? pnstrdup(refs[i].id, refs[i].idlen) : NULL;
	chosen = kg_likely(text, ids, NULL, n);
	if (chosen < 0)
		chosen = kg_hints_only_exact(matches, n);
	near.likely = certain && chosen >= 0 && refs[chosen].id != NULL;
	if (chosen < 0)
		near.namesakes = list_namesakes(graph, matches, refs, n);
	if (near.namesakes != NIL)
		near.handle = linitial(near.namesakes);
	else if (chosen >= 0 && refs[chosen].id != NULL)
		near.handle = kg_handle(graph, &refs[chosen]);
	for (int i = 0; i < n && near.handle == NULL; i++)
		if (refs[i].id != NULL)
			near.handle = kg_handle(graph, &refs[i]);
	return near;
}

void
kg_error_near_handle(KgError *err, const KgNearHandle *near)
{
	ListCell *lc;

	if (near->namesakes == NIL)
		kg_error_did_you_mean(err, near->handle);
	foreach(lc, near->namesakes)
		kg_error_allow(err, lfirst(lc));
}

/*
 * If an unknown handle is a list of several handles that all exist, returns
 * these handles. Otherwise returns NIL.
 */
static List *
listed_handles(KgGraphCall *call, const char *path, const char *given)
{
	KgHandles listed;
	List *handles = NIL;

	memset(&listed, 0, sizeof(listed));
	listed.n = kg_args_split(given, &listed.given);
	if (listed.n == 0 || listed.n > KG_HINT_LOOKS)
		return NIL;
	kg_find_handles(call, path, &listed);
	for (int i = 0; i < listed.n; i++)
	{
		if (listed.refs[i].id == NULL)
			return NIL;
		handles = lappend(handles, listed.given[i]);
	}
	return handles;
}

/* An unknown handle, with the most similar existing handle. */
typedef struct Near
{
	int at;
	KgNearHandle near;
	/* List of char *: existing handles that the unknown handle lists */
	List *listed;
} Near;

/*
 * Finds up to "room" unknown handles for which a similar handle exists, and
 * returns their number. Examines only the first KG_HINT_LOOKS unknown handles.
 */
static int
find_near(KgGraphCall *call, const char *path, const KgHandles *handles,
		  Near *near, int room)
{
	int looks = KG_HINT_LOOKS;
	int n = 0;

	for (int i = 0; i < handles->n && n < room && looks > 0; i++)
	{
		if (!newly_unknown(handles, i))
			continue;
		looks--;
		near[n].at = i;
		near[n].listed = listed_handles(call, path, handles->given[i]);
		if (near[n].listed != NIL)
			near[n].near = (KgNearHandle){
				linitial(near[n].listed), false, near[n].listed};
		else
			near[n].near = kg_nearest_handle(call, handles->given[i]);
		n += near[n].near.handle != NULL;
	}
	return n;
}

/* Corrects an unknown handle if the intended handles are certain. */
static void
correct_handle(KgCorrection *correction, const char *path, const char *given,
			   const Near *near)
{
	JsonbValue got = kg_json_string_value(given);
	JsonbValue string;
	KgInstead change = {.kind = KG_INSTEAD_VALUE, .path = path};
	char **parts;

	if (near->listed != NIL)
	{
		int n = kg_args_split(given, &parts);

		kg_correct_list(correction, path, &got, parts, n, false);
	}
	if (!near->near.likely)
		return;
	string = kg_json_string_value(near->near.handle);
	change.got = kg_json_datum(&got);
	change.value = kg_json_datum(&string);
	kg_correct(correction, &change);
}

Jsonb *
kg_unknown_hints(KgGraphCall *call, const char *path, const KgHandles *handles)
{
	Near near[KG_NEAREST];
	int n = find_near(call,
					  path,
					  handles,
					  near,
					  (int) Min(call->max_bytes / KG_HINT_SHARE, KG_NEAREST));
	KgCorrection correction = {NULL};
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (int i = 0; i < n; i++)
	{
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "path", kg_path_index(path, near[i].at));
		kg_jw_kstring(&w, "message", "no entity has this id");
		kg_jw_klist(&w,
					"nearest",
					near[i].near.namesakes != NIL
						? near[i].near.namesakes
						: list_make1((char *) near[i].near.handle));
		correct_handle(&correction, path, handles->given[near[i].at], &near[i]);
		kg_correction_write(&correction, &w);
		kg_jw_end_object(&w);
	}
	return n > 0 ? kg_jw_finish(&w) : NULL;
}

/*
 * Returns the noun that errors use for the handles in the argument at a path.
 */
static const char *
noun_of(const char *path)
{
	return strncmp(path, "/nodes", strlen("/nodes")) == 0 ? "node" : "seed";
}

static KgError *
unknown_error(const char *path, const char *given, const KgNearHandle *near)
{
	KgError *err = kg_error_new(
		KG_NOT_FOUND, "%s \"%s\" does not exist", noun_of(path), given);

	kg_error_path(err, "%s", path);
	kg_error_got_string(err, given);
	kg_error_near_handle(err, near);
	return err;
}

/*
 * The error itself is about the first seed for which a similar handle exists,
 * or else about the first unknown seed. If several seeds have similar handles,
 * the member "errors" is about all of them.
 */
void
kg_throw_all_unknown(KgGraphCall *call, const char *path,
					 const KgHandles *seeds)
{
	Near near[KG_NEAREST];
	int n = find_near(call, path, seeds, near, KG_NEAREST);
	int unknown = 0;
	bool several = seeds->n > 1;
	const char *given;
	KgCorrection correction = {NULL};
	KgErrorList list;
	KgError *err;

	while (seeds->refs[unknown].id != NULL)
		unknown++;
	for (int i = 0; i < seeds->n; i++)
		several &= seeds->refs[i].id == NULL;
	given = seeds->given[n > 0 ? near[0].at : unknown];
	memset(&list, 0, sizeof(list));
	list.limit = KG_NEAREST;
	for (int i = 0; i < n; i++)
		kg_error_report(&list,
						unknown_error(kg_path_index(path, near[i].at),
									  seeds->given[near[i].at],
									  &near[i].near));
	err = kg_error_new(KG_NOT_FOUND,
					   several ? "none of the %ss exists"
							   : "%s \"%s\" does not exist",
					   noun_of(path),
					   given);
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, given);
	kg_error_expected(err,
					  "ids of existing entities; a search by name finds them");
	if (n > 0)
		kg_error_near_handle(err, &near[0].near);
	kg_error_doubt(err);
	for (int i = 0; i < n; i++)
		correct_handle(&correction, path, seeds->given[near[i].at], &near[i]);
	kg_error_instead(err, "", correction.arguments);
	if (n > 1)
		kg_error_errors(err, kg_error_array(&list));
	kg_error_throw(err);
}

/* ---- arguments for detail and for removal of nodes ---- */

void
kg_read_bfs_detail(KgGraphCall *call, KgBfsDetail *detail)
{
	const KgInput *in = &call->input;
	KgRelationNames *names = palloc(sizeof(KgRelationNames));
	KgRelationNames walk;

	memset(detail, 0, sizeof(*detail));
	detail->full_types = kg_call_type_set(call, "node_types");
	detail->excluded = kg_call_type_set(call, "exclude_node_types");
	*names = kg_call_relation_list(call, "predicates");
	detail->full_predicates = names->all ? NULL : names;
	(void) kg_input_int(in, "min_mentions", &detail->min_mentions);
	walk = kg_call_relation_list(call, "walk_predicates");
	kg_call_follow(call, &walk, kg_call_direction(in), &detail->walk);
	kg_call_follow(call, &walk, KG_BOTH_WAYS, &detail->walked);
	memset(&detail->walked.backward, 0, sizeof(detail->walked.backward));
	detail->topology_only = kg_input_bool(in, "topology_only");
	detail->edge_detail = kg_input_bool(in, "edge_detail");
}

typedef struct Mentions
{
	const KgReach *reach;
	int64 min;
	bool *keep;
} Mentions;

/*
 * Marks a node to be removed if its total_mentions is a number below the
 * threshold. If total_mentions is missing or not a number, the node remains.
 */
static void
check_mentions(const KgRef *ref, void *arg)
{
	Mentions *mentions = arg;
	uint32 i = kg_nodeset_find(&mentions->reach->set, ref->node);
	JsonbValue value;
	Datum min;

	if (i == KG_NO_NODE ||
		kg_json_get(&ref->data->root, "total_mentions", &value) == NULL ||
		value.type != jbvNumeric)
		return;
	min = DirectFunctionCall1(int8_numeric, Int64GetDatum(mentions->min));
	if (DatumGetBool(DirectFunctionCall2(
			numeric_lt, NumericGetDatum(value.val.numeric), min)))
		mentions->keep[i] = false;
}

/*
 * Sets counts[rank] for the types whose total_mentions must be read. Returns
 * whether there are any. The default threshold, 1, removes only entities whose
 * total_mentions is 0. So with the default, a type that does not declare this
 * property need not be read.
 */
static bool
mentioned_types(const KgGraph *graph, const KgBfsDetail *detail, bool *counts)
{
	bool any = false;

	for (int rank = 1; rank <= graph->nranks; rank++)
	{
		counts[rank] = detail->min_mentions > 1 ||
					   kg_row_has(graph->ranked[rank - 1], KG_TRAIT_MENTIONS);
		any |= counts[rank];
	}
	return any;
}

static int64 *
mentioned_nodes(const KgGraph *graph, const KgBfsDetail *detail,
				const KgReach *reach, uint32 *n)
{
	bool *counts = palloc0((graph->nranks + 1) * sizeof(bool));
	int64 *nodes;

	*n = 0;
	if (!mentioned_types(graph, detail, counts))
		return NULL;
	nodes = MemoryContextAllocHuge(graph->context,
								   Max((Size) reach->set.n, 1) * sizeof(int64));
	for (uint32 i = 0; i < reach->set.n; i++)
		if (counts[reach->ranks[i]])
			nodes[(*n)++] = reach->set.nodes[i];
	return nodes;
}

bool
kg_bfs_keeps_all(KgGraphCall *call, const KgBfsDetail *detail)
{
	KgGraph *graph = call->graph;
	bool *counts = palloc0((graph->nranks + 1) * sizeof(bool));

	return detail->excluded == NULL &&
		   !mentioned_types(graph, detail, counts) &&
		   kg_graph_ranks_implied(graph);
}

bool *
kg_bfs_keep(KgGraphCall *call, const KgBfsDetail *detail, const KgReach *reach)
{
	KgGraph *graph = call->graph;
	uint32 n;
	int64 *nodes = mentioned_nodes(graph, detail, reach, &n);
	Mentions mentions = {reach, detail->min_mentions};

	if (detail->excluded == NULL && n == 0)
		return NULL;
	mentions.keep = MemoryContextAllocHuge(graph->context,
										   Max(reach->set.n, 1));
	for (uint32 i = 0; i < reach->set.n; i++)
		mentions.keep[i] = detail->excluded == NULL ||
						   !detail->excluded[reach->ranks[i]];
	if (n > 0)
		kg_graph_resolve(graph, nodes, n, true, check_mentions, &mentions);
	return mentions.keep;
}

/* ---- replies ---- */

static bool
is_detail(const KgRelation *relation, const JsonbValue *key)
{
	if (kg_json_string_is(key, "provenance"))
		return true;
	for (int i = 0; i < relation->nfields; i++)
		if (relation->fields[i].detail &&
			kg_json_string_is(key, relation->fields[i].name))
			return true;
	return false;
}

/*
 * Returns the properties of an edge, except those that only edge_detail shows.
 */
static const Jsonb *
strip_properties(const KgRelation *relation, const Jsonb *properties)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, &properties->root)
		if (!is_detail(relation, &it.key))
			kg_jw_member(&w, &it);
	return kg_jw_finish(&w);
}

static void
choose_detail(KgReply *reply, const KgBfsDetail *detail)
{
	const KgCatalog *catalog = reply->call->catalog;

	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		KgReplyNode *node = &reply->nodes[i];

		node->depth = -1;
		node->full = !detail->topology_only &&
					 (detail->full_types == NULL ||
					  detail->full_types[node->ref.rank]);
	}
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		KgReplyEdge *edge = &reply->edges[i];

		edge->full = !detail->topology_only &&
					 (detail->full_predicates == NULL ||
					  kg_names_have(
						  detail->full_predicates,
						  kg_catalog_relation_no(catalog, edge->relation_no)));
	}
}

/*
 * Returns the number of edges whose ends both remain on the page. If the search
 * has only counted its edges, returns that count. Sets *relations to the
 * relations of these edges.
 */
static uint64
count_edges(const KgReach *reach, const KgPage *page, List **relations)
{
	uint64 n = 0;

	*relations = NIL;
	if (reach->flags & KG_REACH_COUNT)
	{
		*relations = reach->relations;
		return reach->nedges;
	}
	for (uint32 i = 0; i < reach->edges.n; i++)
	{
		const KgEdgeRef *edge = &reach->edges.edges[i];

		if (page->position[edge->source] == KG_NOT_KEPT ||
			page->position[edge->target] == KG_NOT_KEPT)
			continue;
		n++;
		if (*relations == NIL || llast_int(*relations) != edge->relation_no)
			*relations = list_append_unique_int(*relations, edge->relation_no);
	}
	return n;
}

static void
write_summary(KgGraphCall *call, const KgReach *reach, const KgPage *page,
			  List *relations, KgJsonWriter *w)
{
	const KgGraph *graph = call->graph;
	bool *met = palloc0((graph->nranks + 1) * sizeof(bool));
	char **names = palloc((Max(list_length(relations), graph->nranks) + 1) *
						  sizeof(char *));
	ListCell *lc;
	int n = 0;

	for (uint32 i = 0; i < reach->set.n; i++)
		if (page->position[i] != KG_NOT_KEPT)
			met[reach->ranks[i]] = true;
	for (int rank = 1; rank <= graph->nranks; rank++)
		if (met[rank])
			names[n++] = (char *) kg_row_handle(graph->ranked[rank - 1]);
	kg_jw_kbegin_object(w, "schema_summary");
	kg_jw_kstrings(w, "entity_types_found", names, n);
	n = 0;
	foreach(lc, relations)
		names[n++] = (char *) kg_relation_name(call->catalog, lfirst_int(lc));
	kg_jw_kstrings(w,
				   "predicates_found",
				   names,
				   kg_distinct_texts((const char **) names, n));
	kg_jw_end_object(w);
}

void
kg_bfs_prepare(KgBfsReply *b, const KgBfsDetail *detail, const KgReach *reach,
			   const KgPage *page)
{
	KgReply *reply = &b->reply;
	KgGraphCall *call = reply->call;

	b->reach = reach;
	b->page = page;
	b->nedges = count_edges(reach, page, &b->relations);
	reply->bfs = true;
	kg_reply_from_page(reply, reach, page);
	choose_detail(reply, detail);
	kg_reply_fetch_nodes(reply);
	kg_reply_fetch_edges(reply);
	for (uint32 i = 0; i < reply->nedges && !detail->edge_detail &&
					   !call->columns.edges_chosen;
		 i++)
	{
		KgReplyEdge *edge = &reply->edges[i];

		if (edge->properties != NULL)
			edge->properties = strip_properties(
				kg_catalog_relation_no(call->catalog, edge->relation_no),
				edge->properties);
	}
}

void
kg_bfs_write(const KgBfsReply *b, KgJsonWriter *w)
{
	kg_jw_kint(w, "node_count", b->page->total);
	kg_jw_kint(w, "edge_count", b->nedges);
	kg_reply_write_nodes(&b->reply, w);
	kg_reply_write_edges(&b->reply, w);
	write_summary(b->reply.call, b->reach, b->page, b->relations, w);
}
