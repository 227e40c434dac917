/*
 * bfs/describe.c
 *	  The tools describe_entity, describe_entities and describe_schema.
 */
#include "postgres.h"

#include "base/error.h"
#include "mb/pg_wchar.h"
#include "tools/bfs/call.h"
#include "tools/reply/cite.h"
#include "tools/periods.h"
#include "tools/reply/shape.h"

/* ---- entities ---- */

/*
 * Properties that a reply shows under another name, because their own name is
 * also a member that identifies the entity or marks untrusted text.
 */
static const struct
{
	const char *property;
	const char *told; /* the name by which filters accept the property */
} renamed[] = {{"id", "data.id"},
			   {"entity_type", "data.entity_type"},
			   {"untrusted", "data.untrusted"},
			   {"content_types", "data.content_types"}};

/*
 * Writes the key of a property. If the tool writes a member of its own with
 * this name, writes a replacement of the name. Returns false for a property
 * "id" that is the id, which has already been written.
 */
static bool
write_member_key(const KgType *type, const JsonbValue *key, KgJsonWriter *w)
{
	if (kg_json_string_is(key, "id") && strcmp(type->id_field->name, "id") == 0)
		return false;
	for (int i = 0; i < lengthof(renamed); i++)
	{
		if (kg_json_string_is(key, renamed[i].property))
		{
			kg_jw_key(w, renamed[i].told);
			return true;
		}
		/*
		 * The entity also has a property whose name is the replacement itself,
		 * so "data." is written before that name.
		 */
		if (kg_json_string_is(key, renamed[i].told))
		{
			kg_jw_key(w, psprintf("data.%s", renamed[i].told));
			return true;
		}
	}
	kg_jw_keyn(w, key->val.string.val, key->val.string.len);
	return true;
}

static KgMarks
marks_of(const KgType *type)
{
	KgMarks marks = kg_projection_marks(type, NULL);

	for (int i = strcmp(type->id_field->name, "id") == 0 ? 1 : 0;
		 i < lengthof(renamed);
		 i++)
	{
		kg_marks_rename(
			&marks, renamed[i].told, psprintf("data.%s", renamed[i].told));
		kg_marks_rename(&marks, renamed[i].property, renamed[i].told);
	}
	return marks;
}

/*
 * Writes an entity's id, type and properties. If rank is not NULL, it has the
 * rank of each property by index, and only properties with a rank below
 * "listed" are written.
 */
static void
write_members(const KgGraph *graph, const KgRef *ref, const int *rank,
			  int listed, KgJsonWriter *w)
{
	const KgType *type = kg_graph_type(graph, ref->rank - 1);

	kg_jw_kstring(w, "id", kg_handle(graph, ref));
	kg_jw_kstring(w, "entity_type", kg_type_handle(type));
	kg_json_each(it, &ref->data->root)
		if ((rank == NULL || rank[it.index] < listed) &&
			write_member_key(type, &it.key, w))
			kg_jw_value(w, &it.value);
}

static Jsonb *
flat_entity(const KgGraph *graph, const KgRef *ref)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	write_members(graph, ref, NULL, 0, &w);
	return kg_jw_finish(&w);
}

typedef struct Rows
{
	KgNodeSet set;
	KgRef *refs;
} Rows;

static void
fetch_rows(KgGraph *graph, const KgHandles *handles, Rows *rows)
{
	KgRef **refs;

	kg_nodeset_init(&rows->set, graph->context);
	for (int i = 0; i < handles->n; i++)
		if (handles->refs[i].id != NULL)
			(void) kg_nodeset_add(&rows->set, handles->refs[i].node);
	rows->refs = palloc0((rows->set.n + 1) * sizeof(KgRef));
	refs = palloc((rows->set.n + 1) * sizeof(KgRef *));
	for (uint32 i = 0; i < rows->set.n; i++)
	{
		rows->refs[i].node = rows->set.nodes[i];
		refs[i] = &rows->refs[i];
	}
	kg_read_entities(graph, NULL, refs, rows->set.n);
}

/*
 * A call that describes one entity. If the reply is too long, the longest
 * properties are omitted.
 */
typedef struct Describe
{
	KgGraphCall call;
	const KgRef *ref;
	int n;		 /* number of properties */
	int *rank;	 /* rank of each property by size; the shortest has rank 0 */
	Size *sizes; /* bytes of each property, indexed by rank */
} Describe;

typedef struct Property
{
	int at;
	Size size;
} Property;

static int
compare_properties(const void *a, const void *b)
{
	const Property *x = a;
	const Property *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->at - y->at;
}

static void
rank_properties(Describe *d)
{
	const JsonbContainer *data = &d->ref->data->root;
	Property *properties;

	d->n = kg_json_length(data);
	properties = palloc((d->n + 1) * sizeof(Property));
	kg_json_each(it, data)
	{
		properties[it.index].at = it.index;
		properties[it.index].size = strlen(": , ") +
									kg_value_text_size(&it.value) +
									kg_string_text_size(it.key.val.string.val,
														it.key.val.string.len);
	}
	qsort(properties, d->n, sizeof(Property), compare_properties);
	d->rank = palloc((d->n + 1) * sizeof(int));
	d->sizes = palloc((d->n + 1) * sizeof(Size));
	for (int i = 0; i < d->n; i++)
	{
		d->rank[properties[i].at] = i;
		d->sizes[i] = properties[i].size;
	}
}

static void
measure_properties(void *items, Size *whole, Size *stub, Size *extra)
{
	const Describe *d = items;

	memcpy(whole, d->sizes, d->n * sizeof(Size));
	memcpy(stub, d->sizes, d->n * sizeof(Size));
}

static void
cut_properties(void *items, const KgFit *fit, KgWithheld *withheld,
			   KgMarks *marks)
{
	withheld->properties = withheld->items;
	withheld->items = 0;
}

static void
write_entity(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const Describe *d = state;

	write_members(d->call.graph, d->ref, d->rank, fit->listed, w);
}

/*
 * Builds the reply. Members of the envelope, such as "truncated", are omitted
 * if the entity has a property of that name.
 */
static Jsonb *
finish_entity(Describe *d)
{
	KgDraft draft;

	rank_properties(d);
	kg_draft_init(&draft, &d->call.input, d->call.max_bytes);
	draft.n = d->n;
	draft.rough = VARSIZE(d->ref->data);
	draft.measure = measure_properties;
	draft.cut = cut_properties;
	draft.items = d;
	draft.terse = true;
	draft.marks = marks_of(kg_graph_type(d->call.graph, d->ref->rank - 1));
	draft.own = &d->ref->data->root;
	draft.write = write_entity;
	draft.state = d;
	if (kg_cite_wanted(&d->call.input))
	{
		KgCited *cited = palloc0(sizeof(KgCited));

		cited->type = kg_graph_type(d->call.graph, d->ref->rank - 1);
		cited->id = d->ref->id;
		cited->item = -1;
		kg_cite(&draft, cited, 1);
	}
	return kg_draft_finish(&draft);
}

Jsonb *
kg_tool_describe_entity(const Jsonb *arguments)
{
	Describe *d = palloc0(sizeof(Describe));
	KgGraphCall *call = &d->call;
	KgHandles handles;
	JsonbValue value;
	Rows rows;
	Jsonb *result;
	KgNearHandle near;

	kg_graph_call_begin(call, "describe_entity", arguments);
	(void) kg_input_value(&call->input, "id", &value);
	memset(&handles, 0, sizeof(handles));
	handles.n = 1;
	handles.given = palloc(sizeof(char *));
	handles.given[0] = kg_call_handle(&call->repairs, &value, "/id");
	kg_find_handles(call, "/id", &handles);
	fetch_rows(call->graph, &handles, &rows);
	if (rows.set.n == 0 || rows.refs[0].id == NULL)
	{
		KgError *err = kg_error_new(
			KG_NOT_FOUND, "entity \"%s\" does not exist", handles.given[0]);

		kg_error_path(err, "/id");
		kg_error_got_string(err, handles.given[0]);
		kg_error_expected(
			err, "the id of an existing entity; a search by name finds it");
		near = kg_nearest_handle(call, handles.given[0]);
		kg_error_near_handle(err, &near);
		if (near.likely)
			kg_error_sure(err);
		else
			kg_error_doubt(err);
		kg_error_throw(err);
	}
	d->ref = &rows.refs[0];
	result = finish_entity(d);
	kg_graph_call_end(call);
	return result;
}

typedef struct DescribeMany
{
	KgGraphCall call;
	KgHandles handles;
	/*
	 * index of the handle of each unit of the reply; a unit is an entity with
	 * its data
	 */
	int *handle_of;
	KgReply reply;
} DescribeMany;

static void
next_ids(void *state, int unit, KgNext *next)
{
	const DescribeMany *d = state;
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (uint32 i = unit; i < d->reply.nnodes; i++)
		kg_jw_string(&w, d->handles.given[d->handle_of[i]]);
	next->ids = kg_jw_finish(&w);
}

/*
 * Adds the units of the reply, one for each existing entity, in the order of
 * the ids.
 */
static void
add_units(DescribeMany *d, const Rows *rows)
{
	KgReply *reply = &d->reply;
	KgRef **refs = palloc((d->handles.n + 1) * sizeof(KgRef *));

	kg_reply_init(reply, &d->call);
	reply->bfs = true;
	reply->draft.paged = true;
	reply->draft.next = next_ids;
	reply->nodes = palloc0((d->handles.n + 1) * sizeof(KgReplyNode));
	d->handle_of = palloc((d->handles.n + 1) * sizeof(int));
	for (int i = 0; i < d->handles.n; i++)
	{
		KgReplyNode *node = &reply->nodes[reply->nnodes];
		KgRef *ref = &d->handles.refs[i];

		/* The entity may have been deleted after the look-up of its handle. */
		if (ref->id != NULL)
			*ref = rows->refs[kg_nodeset_find(&rows->set, ref->node)];
		if (ref->id == NULL)
			continue;
		d->handle_of[reply->nnodes] = i;
		node->ref = *ref;
		node->ref.data = (Jsonb *) kg_columns_of_node(
			&d->call.columns, ref->rank, ref->data);
		refs[reply->nnodes] = &node->ref;
		node->unit = reply->nnodes++;
		node->depth = -1;
		node->full = true;
	}
	kg_columns_reach(&d->call.columns, d->call.graph, refs, reply->nnodes);
	for (uint32 i = 0; i < reply->nnodes; i++)
		reply->nodes[i].whole = flat_entity(d->call.graph,
											&reply->nodes[i].ref);
	reply->draft.n = reply->nnodes;
	reply->draft.total = reply->nnodes;
}

static void
write_entities(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const DescribeMany *d = state;
	char **missing;
	int nmissing = kg_unknown_handles(&d->handles, &missing);

	kg_reply_write_items(&d->reply, "items", w);
	if (nmissing > 0)
		kg_jw_kstrings(w, "not_found", missing, nmissing);
}

Jsonb *
kg_tool_describe_entities(const Jsonb *arguments)
{
	DescribeMany *d = palloc0(sizeof(DescribeMany));
	Rows rows;
	Jsonb *result;

	kg_graph_call_begin(&d->call, "describe_entities", arguments);
	kg_call_handles(&d->call, "ids", &d->handles);
	/*
	 * Without "columns", all properties are shown, even if x-summary-fields
	 * lists only some.
	 */
	if (kg_input_has(&d->call.input, "columns"))
		kg_columns_read(
			&d->call.columns, d->call.graph, NULL, &d->call.input, false);
	fetch_rows(d->call.graph, &d->handles, &rows);
	add_units(d, &rows);
	if (d->reply.draft.n < d->handles.n)
		d->reply.draft.hints = kg_unknown_hints(&d->call, "/ids", &d->handles);
	result = kg_reply_finish(&d->reply, write_entities, d);
	kg_graph_call_end(&d->call);
	return result;
}

/* ---- the schema ---- */

/*
 * Maximum number of types, and of predicates, that are listed. If there are
 * more, a sample is listed.
 */
#define KG_SCHEMA_NAMES 500
/* Bytes of a piece of text. A text is shortened by omitting its last pieces. */
#define KG_TEXT_PIECE 16

static const char usage_notes[] =
	"search_entities turns a name into an id. bfs_query reads everything "
	"within max_hops of the seeds, following relationships in both directions; "
	"node_types and predicates select the nodes and edges that are returned in "
	"full, and all others are stubs with an id; exclude_node_types and "
	"min_mentions remove nodes after the search; topology_only is a cheap "
	"first look, and its schema_summary names the types and predicates around "
	"the seeds. describe_entities expands stubs, many in one call. "
	"intersect_subgraphs returns the nodes that several entities share. Ids "
	"are handles (type:id); an id without its type is accepted if it is "
	"unique. Counts are of the whole neighbourhood; a reply that is cut says "
	"so and has the arguments of the next call in \"next\".";

static const char *
period_notes(const KgCatalog *catalog)
{
	List *names = NIL;

	if (!kg_catalog_has(catalog, KG_TRAIT_PERIOD))
		return "";
	for (int i = 0; i < catalog->ntypes; i++)
		names = kg_periods_add_type(names, kg_type_of(&catalog->types[i]));
	for (int i = 0; i < catalog->nrelations; i++)
		names = kg_periods_add_relation(names, &catalog->relations[i]);
	return psprintf(
		" The following have a period of validity: %s. With valid_at (a "
		"date-time or \"now\"), data that is not valid then is left out; "
		"without it, data of all times is returned.",
		kg_periods_join(names));
}

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

		if (!kg_catalog_joins(catalog, &catalog->relations[i]))
			continue;
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

enum
{
	NEXT_STEPS,
	DESCRIPTION,
	USAGE_NOTES,
	NTEXTS
};

static const char *const text_keys[NTEXTS] = {
	"next_steps", "graph_description", "tool_usage_notes"};

/*
 * A call of describe_schema. The items of the reply are names of types and
 * predicates. The extras of the reply are pieces of texts, which are omitted
 * before any name.
 */
typedef struct Schema
{
	KgGraphCall call;
	int ntypes;
	int npredicates;
	char **names; /* names of types, followed by names of predicates */
	bool sample;  /* true: some names were omitted */
	const char *texts[NTEXTS];
	int pieces[NTEXTS];
} Schema;

static void
read_schema(Schema *s)
{
	const KgGraph *graph = s->call.graph;
	const KgCatalog *catalog = s->call.catalog;
	char *text;

	s->names = palloc((graph->nranks + catalog->nrelations + 1) *
					  sizeof(char *));
	for (int i = 0; i < graph->nranks; i++)
		s->names[i] = (char *) kg_row_handle(graph->ranked[i]);
	s->ntypes = Min(graph->nranks, KG_SCHEMA_NAMES);
	s->npredicates = relation_names(catalog, s->names + s->ntypes);
	s->sample = graph->nranks > KG_SCHEMA_NAMES ||
				s->npredicates > KG_SCHEMA_NAMES;
	s->npredicates = Min(s->npredicates, KG_SCHEMA_NAMES);
	text = join_texts(catalog, true);
	s->texts[NEXT_STEPS] =
		text[0] != '\0' ? text
						: psprintf("%s, then bfs_query with max_hops 1 and "
								   "topology_only true.",
								   kg_catalog_has(catalog, KG_TRAIT_TABLE)
									   ? "Call search_entities, or a list tool "
										 "for a type that reads a table, to "
										 "turn a name into an id"
									   : "Call search_entities to turn a name "
										 "into an id");
	text = join_texts(catalog, false);
	s->texts[DESCRIPTION] = text[0] != '\0' ? text : "A knowledge graph.";
	s->texts[USAGE_NOTES] = psprintf(
		"%s%s", usage_notes, period_notes(catalog));
	for (int i = 0; i < NTEXTS; i++)
		s->pieces[i] = (strlen(s->texts[i]) + KG_TEXT_PIECE - 1) /
					   KG_TEXT_PIECE;
}

static void
measure_schema(void *items, Size *whole, Size *stub, Size *extra)
{
	const Schema *s = items;

	for (int i = 0; i < s->ntypes + s->npredicates; i++)
		stub[i] = whole[i] = strlen(", ") +
							 kg_string_text_size(s->names[i],
												 strlen(s->names[i]));
	for (int i = 0; i < NTEXTS; i++)
		for (int piece = 0; piece < s->pieces[i]; piece++)
		{
			const char *from = s->texts[i] + piece * KG_TEXT_PIECE;

			*extra++ = kg_string_text_size(from, strnlen(from, KG_TEXT_PIECE)) -
					   strlen("\"\"");
		}
}

/*
 * Writes the texts of the schema, shortened to the given number of pieces
 * together. A piece has KG_TEXT_PIECE bytes. The first text is shortened last.
 */
static void
write_texts(const Schema *s, int pieces, KgJsonWriter *w)
{
	for (int i = 0; i < NTEXTS; i++)
	{
		const char *text = s->texts[i];
		int len = strlen(text);
		int kept = Min(pieces, s->pieces[i]);

		pieces -= kept;
		kg_jw_key(w, text_keys[i]);
		kg_jw_stringn(
			w, text, pg_mbcliplen(text, len, Min(len, kept * KG_TEXT_PIECE)));
	}
}

/*
 * Sets withheld->items to 0 (the function "cut" of KgDraft). Omitted names are
 * not reported in "withheld", because the member "comprehensive" reports them.
 */
static void
cut_schema(void *items, const KgFit *fit, KgWithheld *withheld, KgMarks *marks)
{
	withheld->items = 0;
}

static void
write_schema(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const Schema *s = state;
	int ntypes = Min(fit->listed, s->ntypes);

	kg_jw_kstrings(w, "entity_types", s->names, ntypes);
	kg_jw_kstrings(w, "predicates", s->names + s->ntypes, fit->listed - ntypes);
	kg_jw_kbool(w, "comprehensive", !s->sample && fit->listed == fit->n);
	write_texts(s, fit->extras, w);
}

Jsonb *
kg_tool_describe_schema(const Jsonb *arguments)
{
	Schema *s = palloc0(sizeof(Schema));
	KgDraft draft;
	Jsonb *result;

	kg_graph_call_begin(&s->call, "describe_schema", arguments);
	read_schema(s);
	kg_draft_init(&draft, &s->call.input, s->call.max_bytes);
	draft.n = s->ntypes + s->npredicates;
	for (int i = 0; i < NTEXTS; i++)
		draft.nextras += s->pieces[i];
	draft.terse = true;
	if (s->sample)
		draft.stopped = "max_bytes";
	draft.measure = measure_schema;
	draft.cut = cut_schema;
	draft.items = s;
	draft.write = write_schema;
	draft.state = s;
	result = kg_draft_finish(&draft);
	kg_graph_call_end(&s->call);
	return result;
}
