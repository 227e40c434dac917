/*
 * bfs_describe.c
 *	  describe_entity, describe_entities, describe_schema.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "mb/pg_wchar.h"
#include "query/derived.h"
#include "tools/bfs_call.h"
#include "tools/shape.h"

/* The longest handle, and what a reply says beside properties. */
#define KG_DESCRIBE_OVERHEAD 700

/* ---- entities ---- */

/*
 * An entity's data beside its identity, without what goes beyond the budget;
 * returns how many properties that is.  Identity wins: a property of the same
 * name that is not the id itself gets the name that filters know it by.
 */
static int
write_members(const KgGraph *graph, const KgRef *ref, Size budget,
			  KgJsonWriter *w)
{
	const KgType *type = graph->ranked[ref->rank - 1];
	KgJsonIter it;
	int withheld = 0;

	kg_jw_kstring(w, "id", kg_handle(graph, ref));
	kg_jw_kstring(w, "entity_type", kg_type_handle(type));
	kg_json_iter_init(&it, &ref->data->root);
	while (kg_json_iter_next(&it))
	{
		Size size;

		if (budget != SIZE_MAX)
		{
			size = it.key.val.string.len + kg_value_text_size(&it.value) + 8;
			if (size > budget)
			{
				withheld++;
				continue;
			}
			budget -= size;
		}
		if (kg_json_string_is(&it.key, "id"))
		{
			if (strcmp(type->id_field->name, "id") == 0)
				continue;
			kg_jw_key(w, "data.id");
		}
		else if (kg_json_string_is(&it.key, "entity_type"))
			kg_jw_key(w, "data.entity_type");
		else
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		kg_jw_value(w, &it.value);
	}
	return withheld;
}

static void
write_flat(const KgGraph *graph, const KgRef *ref, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	(void) write_members(graph, ref, SIZE_MAX, w);
	kg_jw_end_object(w);
}

/* What is said of an entity beside its properties, unless one has the name. */
static void
write_notes(const KgType *type, const Jsonb *data, int withheld,
			KgJsonWriter *w)
{
	JsonbValue value;

	if (kg_json_get(&data->root, "untrusted", &value) == NULL)
		kg_marks_write(type, NULL, w);
	if (withheld == 0)
		return;
	if (kg_json_get(&data->root, "truncated", &value) == NULL)
		kg_jw_kbool(w, "truncated", true);
	if (kg_json_get(&data->root, "reason", &value) == NULL)
		kg_jw_kstring(w, "reason", "max_bytes");
	if (kg_json_get(&data->root, "withheld", &value) == NULL)
		kg_withheld_write(w, withheld, 0);
}

typedef struct Rows
{
	KgNodeSet set;
	KgRef *refs;
} Rows;

static void
keep_row(const KgRef *ref, void *arg)
{
	Rows *rows = arg;
	uint32 i = kg_nodeset_find(&rows->set, ref->node);

	if (i != KG_NO_NODE)
		rows->refs[i] = kg_ref_copy(ref, CurrentMemoryContext);
}

/* Counts that are computed when they are shown, of one type at once. */
static void
fill_derived(KgGraph *graph, int rank, Rows *rows)
{
	int64 *nodes = palloc((rows->set.n + 1) * sizeof(int64));
	Jsonb **data = palloc((rows->set.n + 1) * sizeof(Jsonb *));
	int n = 0;

	for (uint32 i = 0; i < rows->set.n; i++)
		if (rows->refs[i].id != NULL && rows->refs[i].rank == rank)
		{
			nodes[n] = rows->refs[i].node;
			data[n++] = (Jsonb *) rows->refs[i].data;
		}
	kg_derived_fill(graph->catalog, graph->ranked[rank - 1], nodes, data, n);
	n = 0;
	for (uint32 i = 0; i < rows->set.n; i++)
		if (rows->refs[i].id != NULL && rows->refs[i].rank == rank)
			rows->refs[i].data = data[n++];
}

static void
fetch_rows(KgGraph *graph, const KgHandles *handles, Rows *rows)
{
	kg_nodeset_init(&rows->set, graph->context);
	for (int i = 0; i < handles->n; i++)
		if (handles->refs[i].id != NULL)
			(void) kg_nodeset_add(&rows->set, handles->refs[i].node);
	rows->refs = palloc0((rows->set.n + 1) * sizeof(KgRef));
	kg_graph_resolve(graph, rows->set.nodes, rows->set.n, true, keep_row, rows);
	for (int rank = 1; rank <= graph->nranks; rank++)
		if (kg_derived_any(graph->ranked[rank - 1]))
			fill_derived(graph, rank, rows);
}

Jsonb *
kg_tool_describe_entity(const Jsonb *arguments)
{
	static const char *const known[] = {"id", "max_bytes", "max_tokens"};
	KgGraphCall call;
	KgHandles handles;
	JsonbValue value;
	Rows rows;
	const KgRef *ref;
	int withheld;
	KgJsonWriter w;
	Jsonb *result;

	kg_graph_call_begin(
		&call, "describe_entity", arguments, known, lengthof(known));
	kg_require_member(call.args, "id", "");
	(void) kg_json_get(call.args, "id", &value);
	memset(&handles, 0, sizeof(handles));
	handles.n = 1;
	handles.given = palloc(sizeof(char *));
	handles.given[0] = kg_call_handle(&value, "/id");
	kg_find_handles(&call, "/id", &handles);
	fetch_rows(call.graph, &handles, &rows);
	if (rows.set.n == 0 || rows.refs[0].id == NULL)
	{
		KgError *err = kg_error_new(
			KG_NOT_FOUND, "entity \"%s\" does not exist", handles.given[0]);

		kg_error_path(err, "/id");
		kg_error_got_string(err, handles.given[0]);
		kg_error_expected(
			err, "the id of an existing entity; search_entities finds it");
		kg_error_did_you_mean(err, kg_nearest_handle(&call, handles.given[0]));
		kg_error_throw(err);
	}
	ref = &rows.refs[0];
	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	withheld = write_members(
		call.graph, ref, call.max_bytes - KG_DESCRIBE_OVERHEAD, &w);
	write_notes(call.graph->ranked[ref->rank - 1], ref->data, withheld, &w);
	kg_jw_end_object(&w);
	result = kg_jw_finish(&w);
	kg_graph_call_end(&call);
	return result;
}

static void
write_stub(const KgGraph *graph, const KgRef *ref, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "id", kg_handle(graph, ref));
	kg_jw_kstring(
		w, "entity_type", kg_type_handle(graph->ranked[ref->rank - 1]));
	kg_jw_end_object(w);
}

Jsonb *
kg_tool_describe_entities(const Jsonb *arguments)
{
	static const char *const known[] = {"ids", "max_bytes", "max_tokens"};
	KgGraphCall call;
	KgHandles handles;
	Rows rows;
	KgReply reply;
	KgEnvelope envelope;
	KgJsonWriter w;
	char **missing;
	int nmissing = 0;
	Jsonb *hints = NULL;
	Jsonb *result;

	kg_graph_call_begin(
		&call, "describe_entities", arguments, known, lengthof(known));
	kg_call_handles(&call, "ids", &handles);
	fetch_rows(call.graph, &handles, &rows);
	memset(&reply, 0, sizeof(reply));
	reply.call = &call;
	reply.bfs = true;
	reply.nodes = palloc0((handles.n + 1) * sizeof(KgReplyNode));
	missing = palloc((handles.n + 1) * sizeof(char *));
	for (int i = 0; i < handles.n; i++)
	{
		KgReplyNode *node = &reply.nodes[reply.nnodes];

		if (handles.refs[i].id != NULL)
			node->ref =
				rows.refs[kg_nodeset_find(&rows.set, handles.refs[i].node)];
		if (node->ref.id == NULL)
		{
			missing[nmissing++] = handles.given[i];
			reply.overhead += strlen(handles.given[i]) + 8;
			continue;
		}
		node->unit = reply.nnodes++;
		node->depth = -1;
		node->full = true;
	}
	reply.nunits = reply.nnodes;
	if (nmissing > 0)
		hints = kg_unknown_hints(&call, "/ids", &handles);
	if (hints != NULL)
		reply.overhead += kg_json_text_size(&hints->root) + 12;
	kg_reply_fit(&reply);
	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_key(&w, "items");
	kg_jw_begin_array(&w);
	for (uint32 i = 0; i < reply.units; i++)
	{
		if (reply.nodes[i].stub)
			write_stub(call.graph, &reply.nodes[i].ref, &w);
		else
			write_flat(call.graph, &reply.nodes[i].ref, &w);
	}
	kg_jw_end_array(&w);
	if (nmissing > 0)
		kg_write_strings(&w, "not_found", missing, nmissing);
	if (hints != NULL)
	{
		kg_jw_key(&w, "hints");
		kg_jw_jsonb(&w, hints);
	}
	memset(&envelope, 0, sizeof(envelope));
	envelope.total = reply.nnodes;
	envelope.returned = reply.units;
	envelope.truncated = reply.units < reply.nunits;
	envelope.reason = "max_bytes";
	envelope.offset = -1;
	kg_reply_write_envelope(&reply, &envelope, &w);
	kg_jw_end_object(&w);
	result = kg_jw_finish(&w);
	kg_graph_call_end(&call);
	return result;
}

/* ---- the schema ---- */

/* More names than this are a sample. */
#define KG_SCHEMA_NAMES 500
/* Of describe_schema's reply without names and texts. */
#define KG_SCHEMA_OVERHEAD 320

static const char usage_notes[] =
	"search_entities turns a name into an id. bfs_query reads everything "
	"within max_hops of the seeds, walking relationships both ways; node_types "
	"and predicates choose what is told in full, the rest are stubs with an "
	"id; "
	"exclude_node_types and min_mentions remove nodes after the walk; "
	"topology_only is the cheap first look, and its schema_summary names the "
	"types and predicates around the seeds. describe_entities expands stubs, "
	"many in one call. intersect_subgraphs tells what several entities share. "
	"Ids are handles (type:id); a bare id is accepted where it is unique. "
	"Counts are of the whole neighbourhood; a reply that is cut says so and "
	"gives the arguments of the next call in \"next\".";

static char *
join_texts(const KgCatalog *catalog, bool instructions)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (int i = 0; i < catalog->nbundles; i++)
	{
		const KgBundle *bundle = &catalog->bundles[i];
		const char *text = instructions ? bundle->instructions
										: bundle->description;

		if (text == NULL || text[0] == '\0')
			continue;
		if (buf.len > 0)
			appendStringInfoChar(&buf, '\n');
		if (catalog->nbundles > 1)
			appendStringInfo(&buf, "%s: ", bundle->name);
		appendStringInfoString(&buf, text);
	}
	return buf.data;
}

static int
relation_names(const KgCatalog *catalog, char **names)
{
	int n = 0;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const char *name = catalog->relations[i].name;
		int at = n;

		while (at > 0 && strcmp(names[at - 1], name) > 0)
			at--;
		if (at > 0 && strcmp(names[at - 1], name) == 0)
			continue;
		memmove(&names[at + 1], &names[at], (n - at) * sizeof(char *));
		names[at] = (char *) name;
		n++;
	}
	return n;
}

/* How many of the names fit; room becomes what is left. */
static int
names_that_fit(char *const *names, int n, Size *room)
{
	int fit = 0;

	while (fit < n && fit < KG_SCHEMA_NAMES && strlen(names[fit]) + 4 <= *room)
		*room -= strlen(names[fit++]) + 4;
	return fit;
}

/* As much of a text as there is room for. */
static void
write_text(KgJsonWriter *w, const char *key, const char *text, Size *room,
		   bool *truncated)
{
	Size len = strlen(text);
	Size size = kg_string_text_size(text, len);

	/* Escaped characters take at most six bytes each. */
	while (size > *room && len > 0)
	{
		len = pg_mbcliplen(text, len, Min(len - 1, *room / 2));
		size = kg_string_text_size(text, len);
		*truncated = true;
	}
	*room -= Min(*room, size);
	kg_jw_key(w, key);
	kg_jw_stringn(w, text, len);
}

Jsonb *
kg_tool_describe_schema(const Jsonb *arguments)
{
	static const char *const known[] = {"max_bytes", "max_tokens"};
	KgGraphCall call;
	const KgCatalog *catalog;
	KgJsonWriter w;
	char **names;
	char *text;
	int ntypes;
	int nrelations;
	int npredicates;
	bool truncated;
	Size room;
	Jsonb *result;

	kg_graph_call_begin(
		&call, "describe_schema", arguments, known, lengthof(known));
	catalog = call.catalog;
	room = call.max_bytes - KG_SCHEMA_OVERHEAD;
	names = palloc((Max(catalog->ntypes, catalog->nrelations) + 1) *
				   sizeof(char *));
	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	for (int i = 0; i < call.graph->nranks; i++)
		names[i] = (char *) kg_type_handle(call.graph->ranked[i]);
	ntypes = names_that_fit(names, call.graph->nranks, &room);
	kg_write_strings(&w, "entity_types", names, ntypes);
	nrelations = relation_names(catalog, names);
	npredicates = names_that_fit(names, nrelations, &room);
	kg_write_strings(&w, "predicates", names, npredicates);
	truncated = ntypes < call.graph->nranks || npredicates < nrelations;
	kg_jw_kbool(&w, "comprehensive", !truncated);
	text = join_texts(catalog, true);
	write_text(&w,
			   "next_steps",
			   text[0] != '\0'
				   ? text
				   : "Call search_entities to turn a name into an id, then "
					 "bfs_query with max_hops 1 and topology_only true.",
			   &room,
			   &truncated);
	text = join_texts(catalog, false);
	write_text(&w,
			   "graph_description",
			   text[0] != '\0' ? text : "A knowledge graph.",
			   &room,
			   &truncated);
	write_text(&w, "tool_usage_notes", usage_notes, &room, &truncated);
	if (truncated)
	{
		kg_jw_kbool(&w, "truncated", true);
		kg_jw_kstring(&w, "reason", "max_bytes");
	}
	kg_repairs_write(&call.repairs, &w);
	kg_jw_end_object(&w);
	result = kg_jw_finish(&w);
	kg_graph_call_end(&call);
	return result;
}
