/*
 * graph/describe.c
 *	  get_graph_schema: entity types and relationship types, without
 *	  kg_graph's own tables.
 */
#include "postgres.h"

#include "tools/graph/graph.h"
#include "tools/graph/reply.h"
#include "tools/input/type_parts.h"
#include "tools/periods.h"
#include "tools/reply/shape.h"

typedef struct GraphSchema
{
	KgGraphCall call;
	/* indexed by rank: whether to write the type with its properties */
	bool *expand_types;
	/*
	 * Indexed as the relations of the catalog: whether to write the relation
	 * with its properties.
	 */
	bool *expand_relations;
	int nvariants;
	/*
	 * Relationship types in the order of the reply. A relationship type is a
	 * relation between two types.
	 */
	const struct Variant *order;
	int nentries;
	struct Entry *entries;
} GraphSchema;

typedef struct Variant
{
	const KgRelation *relation;
	const KgVariant *variant;
	const KgType *from;
	const KgType *to;
	bool expand;
} Variant;

static void
read_arguments(GraphSchema *s, const Jsonb *arguments)
{
	KgGraphCall *call = &s->call;
	const KgInput *in = &call->input;
	KgRelationNames names;
	const JsonbContainer *listed;
	bool all;
	bool all_types;
	bool all_relations;
	uint16 *ranks;
	int n;

	kg_graph_call_begin(call, "get_graph_schema", arguments);
	all = kg_input_bool(in, "expand_schema");
	s->expand_types = palloc0((call->graph->nranks + 1) * sizeof(bool));
	s->expand_relations = palloc0((call->catalog->nrelations + 1) *
								  sizeof(bool));
	n = kg_call_types_or_all(call, "expand_nodes", &ranks, &all_types);
	for (int i = 0; i < n; i++)
		s->expand_types[ranks[i]] = true;
	for (int i = 1; i <= call->graph->nranks && (all || all_types); i++)
		s->expand_types[i] = true;
	listed = kg_input_array(in, "expand_relationship_types", "names");
	names = kg_call_relation_names(call, in, "expand_relationship_types");
	/* In other tools an empty list means all names. Here it means no names. */
	all_relations = all ||
					(names.all && listed != NULL && kg_json_length(listed) > 0);
	for (int i = 0; i < call->catalog->nrelations; i++)
		s->expand_relations[i] =
			all_relations ||
			(!names.all && kg_names_have(&names, &call->catalog->relations[i]));
}

/*
 * Writes a property. "always" means that every entity has the property, even
 * if the schema does not require it.
 */
static void
write_property(const KgField *field, bool always, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", field->name);
	kg_jw_kstring(w, "type", kg_kind_code(field->kind));
	if (field->is_array)
		kg_jw_kbool(w, "array", true);
	kg_jw_kbool(w, "nullable", field->nullable || !(field->required || always));
	if (field->kind == KG_KIND_ENUM || field->kind == KG_KIND_INTEGER ||
		field->kind == KG_KIND_NUMBER)
		kg_enum_write(field, "values", w);
	if (field->indexed)
		kg_jw_kbool(w, "indexed", true);
	kg_jw_kstring_if(w, "relationship", field->relation);
	kg_jw_kstring_if(w, "description", field->description);
	kg_jw_end_object(w);
}

static void
write_properties(const KgField *fields, int n, const KgField *id,
				 KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "properties");
	for (int i = 0; i < n; i++)
		write_property(&fields[i], &fields[i] == id || fields[i].derived, w);
	kg_jw_end_array(w);
}

/* Writes the distinct names of the relations that leave or enter a type. */
static void
write_type_relations(const GraphSchema *s, const KgType *type, bool incoming,
					 KgJsonWriter *w)
{
	const char *last = "";

	kg_jw_kbegin_array(w, incoming ? "incoming" : "outgoing");
	for (int i = 0; i < s->nvariants; i++)
	{
		const Variant *v = &s->order[i];

		if ((incoming ? v->to : v->from) != type ||
			strcmp(last, v->relation->name) == 0)
			continue;
		kg_jw_string(w, v->relation->name);
		last = v->relation->name;
	}
	kg_jw_end_array(w);
}

static void
write_type(const GraphSchema *s, int rank, bool expand, KgJsonWriter *w)
{
	const KgType *type = kg_graph_type(s->call.graph, rank - 1);

	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", kg_type_handle(type));
	kg_period_write(&type->period, w);
	if (expand)
	{
		kg_jw_kstring_if(w, "description", type->description);
		kg_jw_kstring(w, "id_property", type->id_field->name);
		if (type->label_field != NULL)
			kg_jw_kstring(w, "label_property", type->label_field->name);
		write_properties(type->fields, type->nfields, type->id_field, w);
		kg_jw_kbegin_object(w, "relationships");
		write_type_relations(s, type, false, w);
		write_type_relations(s, type, true, w);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
}

static int
compare_variants(const void *a, const void *b)
{
	const Variant *x = a;
	const Variant *y = b;
	int order = strcmp(x->relation->name, y->relation->name);

	if (order == 0)
		order = strcmp(kg_type_handle(x->from), kg_type_handle(y->from));
	if (order == 0)
		order = strcmp(kg_type_handle(x->to), kg_type_handle(y->to));
	return order;
}

/*
 * Lists the relationship types whose two types the caller sees, and sorts
 * them.
 */
static void
order_variants(GraphSchema *s)
{
	const KgCatalog *catalog = s->call.catalog;
	Variant *order;
	int n = 0;

	for (int i = 0; i < catalog->nrelations; i++)
		n += catalog->relations[i].nvariants;
	order = palloc((n + 1) * sizeof(Variant));
	n = 0;
	for (int i = 0; i < catalog->nrelations; i++)
		for (int j = 0; j < catalog->relations[i].nvariants; j++)
		{
			Variant *v = &order[n];

			v->relation = &catalog->relations[i];
			v->variant = &v->relation->variants[j];
			v->from = kg_catalog_type_no(catalog, v->variant->from_type_no);
			v->to = kg_catalog_type_no(catalog, v->variant->to_type_no);
			v->expand = s->expand_relations[i];
			if (v->from != NULL && v->to != NULL)
				n++;
		}
	qsort(order, n, sizeof(Variant), compare_variants);
	s->order = order;
	s->nvariants = n;
}

/*
 * Writes the properties that edges of a relation have between two particular
 * types (a variant). The relation itself lists the properties of all its
 * variants.
 */
static void
write_variant_properties(const Variant *v, KgJsonWriter *w)
{
	const KgRelation *relation = v->relation;
	KgField *fields = palloc((relation->nfields + 1) * sizeof(KgField));
	JsonbValue properties;
	JsonbValue property;
	int n = 0;

	for (int i = 0; i < relation->nfields && v->variant->schema != NULL; i++)
	{
		const KgStep *step = &relation->fields[i].steps[0];

		/*
		 * A schema without "properties" of its own has them in a schema to
		 * which it refers. Then all properties of the relation are written.
		 */
		if (kg_json_get(&v->variant->schema->root, "properties", &properties) ==
				NULL ||
			kg_json_get(kg_json_container(&properties),
						pnstrdup(step->key, step->keylen),
						&property) != NULL)
			fields[n++] = relation->fields[i];
	}
	write_properties(fields, n, NULL, w);
}

static void
write_variant(const Variant *v, bool expand, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", v->relation->name);
	kg_jw_kstring(w, "from", kg_type_handle(v->from));
	kg_jw_kstring(w, "to", kg_type_handle(v->to));
	kg_jw_kstring_if(w, "inverse", v->relation->inverse);
	if (v->relation->symmetric)
		kg_jw_kbool(w, "symmetric", true);
	kg_jw_kstring_if(w, "key", v->relation->key);
	kg_period_write(&v->relation->period, w);
	if (expand)
	{
		kg_jw_kstring_if(w, "description", v->variant->description);
		write_variant_properties(v, w);
	}
	kg_jw_end_object(w);
}

/* An item of the reply, with its properties (full) and without them. */
typedef struct Entry
{
	Jsonb *full;
	Jsonb *stub;
	bool expanded;
} Entry;

/* Returns entries for the types, then for the relationship types. */
static Entry *
make_entries(const GraphSchema *s, int n)
{
	int ntypes = s->call.graph->nranks;
	Entry *entries = palloc0((n + 1) * sizeof(Entry));

	for (int i = 0; i < n; i++)
	{
		Entry *entry = &entries[i];
		const Variant *v = i < ntypes ? NULL : &s->order[i - ntypes];

		entry->expanded = v != NULL ? v->expand : s->expand_types[i + 1];
		for (int expand = 0; expand <= entry->expanded; expand++)
		{
			KgJsonWriter w;

			kg_jw_init(&w);
			if (v != NULL)
				write_variant(v, expand, &w);
			else
				write_type(s, i + 1, expand, &w);
			*(expand ? &entry->full : &entry->stub) = kg_jw_finish(&w);
		}
		if (entry->full == NULL)
			entry->full = entry->stub;
	}
	return entries;
}

static void
measure_entries(void *items, Size *whole, Size *stub, Size *extra)
{
	const GraphSchema *s = items;

	for (int i = 0; i < s->nentries; i++)
	{
		whole[i] = strlen(", ") + kg_json_text_size(&s->entries[i].full->root);
		stub[i] = strlen(", ") + kg_json_text_size(&s->entries[i].stub->root);
	}
}

/* Writes the entries from index "from" up to "to" that fit into the reply. */
static void
write_entries(const GraphSchema *s, const KgFit *fit, const char *key, int from,
			  int to, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, key);
	for (int i = from; i < Min(to, fit->listed); i++)
		kg_jw_jsonb(w,
					i < fit->whole ? s->entries[i].full : s->entries[i].stub);
	kg_jw_end_array(w);
}

/*
 * Corrects the number of shortened entries (the function "cut" of KgDraft). An
 * entry counts as shortened only if the caller requested the entry with its
 * properties.
 */
static void
cut_entries(void *items, const KgFit *fit, KgWithheld *withheld, KgMarks *marks)
{
	const GraphSchema *s = items;

	for (int i = fit->whole; i < fit->listed; i++)
		withheld->properties -= !s->entries[i].expanded;
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const GraphSchema *s = state;
	int ntypes = s->call.graph->nranks;

	kg_jw_kstring(w, "format", "knowledge_graph.schema.v1");
	kg_jw_kstring(w, "revision", s->call.catalog->revision);
	write_entries(s, fit, "node_types", 0, ntypes, w);
	write_entries(s, fit, "relationship_types", ntypes, fit->n, w);
}

Jsonb *
kg_tool_get_graph_schema(const Jsonb *arguments)
{
	GraphSchema *s = palloc0(sizeof(GraphSchema));
	KgDraft draft;
	Jsonb *result;

	read_arguments(s, arguments);
	order_variants(s);
	s->nentries = s->call.graph->nranks + s->nvariants;
	s->entries = make_entries(s, s->nentries);
	kg_draft_init(&draft, &s->call.input, s->call.max_bytes);
	draft.n = s->nentries;
	draft.terse = true;
	draft.measure = measure_entries;
	draft.cut = cut_entries;
	draft.items = s;
	draft.write = write_reply;
	draft.state = s;
	result = kg_draft_finish(&draft);
	kg_graph_call_end(&s->call);
	return result;
}
