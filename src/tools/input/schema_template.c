/*
 * schema_template.c
 *	  Expands the templates of the published schemas.
 *
 *	  Models follow the schema that they receive. Types and relationship types
 *	  are therefore enums of the tenant's names, and bounds and defaults are
 *	  written out. A part that occurs several times is written out once and
 *	  described in words elsewhere, because every conversation pays for the list
 *	  of tools. $ref would serve, but many clients drop $defs or refuse the
 *	  tool. Arguments are validated against the same schema with all repetitions
 *	  written out.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/settings.h"
#include "base/vectors.h"
#include "model/catalog.h"
#include "model/period.h"
#include "model/term.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "query/graph/aggregate.h"
#include "query/filter/any.h"
#include "query/derived.h"
#include "query/graph/paths.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/graph/graph.h"
#include "tools/input/type_parts.h"
#include "tools/reply/reply.h"
#include "tools/input/schema_template.h"
#include "tools/write/write_schema.h"
#include "utils/json.h"

/*
 * Maximum number of names in an enum. With more names, the schema is a plain
 * string, and get_graph_schema lists the names.
 */
#define KG_MAX_ENUM 200
/* Enums with more names than this are written out once in a schema. */
#define KG_REPEATED_ENUM 3

/*
 * The expansion of a template, which contains <name> or <name@note>. The note
 * refers in words to another position that has the part written out. It
 * replaces the part unless repeat is set.
 */
typedef struct Expansion
{
	StringInfo out;
	const KgCatalog *catalog; /* NULL: the catalog of the caller */
	const KgType *type;		  /* type of the tool, or NULL */
	const KgRelation *relation;
	bool repeat;
	bool outline;
	const char *note; /* note of the part being written, or NULL */
} Expansion;

typedef struct Part
{
	const char *name;
	const char *text;				  /* template of the part, or NULL */
	void (*write)(Expansion *x);	  /* writes the part if text is NULL */
	bool (*told)(const Expansion *x); /* NULL: always included */
	const char *whole; /* used instead of text if repeat is set; or NULL */
} Part;

static void expand(Expansion *x, const char *template);

static void
write_string(Expansion *x, const char *description)
{
	appendStringInfoString(x->out, "{\"type\":\"string\",\"description\":");
	escape_json(x->out, description);
	appendStringInfoChar(x->out, '}');
}

/*
 * Writes the schema of a string that is one of the names or, if all is set,
 * "*". The array must have room for one more name. "what" describes the string
 * if there are too many names.
 */
static void
write_names(Expansion *x, const char **names, int n, bool all, const char *what)
{
	const char *last = NULL;

	if (n > KG_MAX_ENUM || (n == 0 && !all))
		write_string(x, what);
	else if (n > KG_REPEATED_ENUM && x->note != NULL && !x->repeat)
		write_string(x, x->note);
	else
	{
		if (all)
			names[n++] = "*";
		qsort(names, n, sizeof(char *), pg_qsort_strcmp);
		appendStringInfoString(x->out, "{\"type\":\"string\",\"enum\":");
		for (int i = 0; i < n; i++)
		{
			if (last != NULL && strcmp(last, names[i]) == 0)
				continue;
			appendStringInfoChar(x->out, last == NULL ? '[' : ',');
			escape_json(x->out, names[i]);
			last = names[i];
		}
		appendStringInfoString(x->out, "]}");
	}
}

static const KgCatalog *
catalog_of(const Expansion *x)
{
	return x->catalog ? x->catalog : kg_running_catalog();
}

static void
write_types(Expansion *x, bool all)
{
	const KgCatalog *catalog = catalog_of(x);
	const char **names = palloc((catalog->ntypes + 1) * sizeof(char *));

	for (int i = 0; i < catalog->ntypes; i++)
		names[i] = kg_type_handle(catalog->types[i]);
	write_names(x,
				names,
				catalog->ntypes,
				all,
				all ? "an entity type of the schema, or *"
					: "an entity type; the schema lists them");
}

static void
write_type(Expansion *x)
{
	write_types(x, false);
}

static void
write_type_or_all(Expansion *x)
{
	write_types(x, true);
}

static void
write_relations(Expansion *x, bool all)
{
	const KgCatalog *catalog = catalog_of(x);
	const char **names = palloc((catalog->nrelations * 2 + 1) * sizeof(char *));
	int n = 0;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		if (!kg_catalog_joins(catalog, &catalog->relations[i]))
			continue;
		names[n++] = catalog->relations[i].name;
		if (catalog->relations[i].inverse != NULL)
			names[n++] = catalog->relations[i].inverse;
	}
	write_names(x,
				names,
				n,
				all,
				all ? "a relationship type of the schema, or *"
					: "a relationship type; the schema lists them");
}

static void
write_relation(Expansion *x)
{
	write_relations(x, false);
}

static void
write_relation_or_all(Expansion *x)
{
	write_relations(x, true);
}

static const char *
operand_template(KgOperandForm form)
{
	switch (form)
	{
		case KG_OPERAND_VALUE:
			return "<scalar>";
		case KG_OPERAND_ORDERED:
			return "<ordered>";
		case KG_OPERAND_LIST:
			return "<scalars>";
		case KG_OPERAND_PART:
			return "<text>";
		case KG_OPERAND_FLAG:
			return "<boolean>";
	}
	return NULL;
}

static void
write_each_operator(Expansion *x)
{
	for (int op = 0; op < KG_NOPS; op++)
	{
		appendStringInfo(
			x->out, "%s\"%s\":", op > 0 ? "," : "", kg_operator(op)->name);
		expand(x, operand_template(kg_operator(op)->form));
	}
}

/*
 * Writes the schema of filters: described in words or, if repeat is set, in
 * full.
 */
static void
write_filters(Expansion *x)
{
	if (x->repeat)
	{
		appendStringInfo(x->out,
						 "{\"type\":\"object\",\"maxProperties\":%d,",
						 kg_setting_max_filters);
		expand(x,
			   "'properties':{'" KG_ANY
			   "':{'type':'array','minItems':<min_alternatives>,'maxItems':<"
			   "max_alternatives>,'items':{'type':'object','minProperties':1}}}"
			   ",'additionalProperties':{'anyOf':[<scalar>,<operators>,{'type':"
			   "'array','minItems':1,'maxItems':10,'items':<operators>}]}}");
		return;
	}
	expand(x, "{'type':'object','description':");
	escape_json(x->out,
				x->note ? x->note
						: kg_expand_text(
							  "{property: value or {operator: value}}, all "
							  "must hold; one of " KG_ANY
							  ": [{...}, {...}]. Of id and properties; where "
							  "many are left, indexed ones. Operators: "
							  "<operator_names>"));
	appendStringInfoChar(x->out, '}');
}

static void
write_operator_names(Expansion *x)
{
	for (int op = 0; op < KG_NOPS; op++)
		appendStringInfo(
			x->out, "%s%s", op > 0 ? " " : "", kg_operator(op)->name);
}

/*
 * Writes a part that only tools of a type have (tools/catalog/tool_schema.c).
 */
static void
write_type_part(Expansion *x, Jsonb *part)
{
	appendStringInfoString(x->out,
						   JsonbToCString(NULL, &part->root, VARSIZE(part)));
}

static void
write_type_filters(Expansion *x)
{
	write_type_part(x, kg_type_filters_schema(x->type, x->repeat));
}

static void
write_sort_names(Expansion *x)
{
	write_type_part(x, kg_type_sort_names(x->type));
}

static void
write_sort_note(Expansion *x)
{
	escape_json(x->out, kg_type_sort_note(x->type));
}

static void
write_field_names(Expansion *x)
{
	write_type_part(x, kg_type_field_names(x->type));
}

/*
 * Returns whether valid_at and periods are included. They are always accepted,
 * but published only if some data is valid for a period.
 */
static bool
has_periods(const Expansion *x)
{
	if (x->repeat)
		return true;
	if (x->type && !kg_derived_any(x->type))
		return kg_period_any(&x->type->period);
	return catalog_of(x)->has_periods;
}

/*
 * Returns whether as_of is included. Outlines always have it; it is published
 * only if there is a history.
 */
static bool
has_history(const Expansion *x)
{
	if (x->outline)
		return true;
	return x->type ? x->type->history : catalog_of(x)->any_history;
}

/*
 * Returns whether a part is included that is always accepted, but never
 * published, to keep the list of tools short.
 */
static bool
is_written_out(const Expansion *x)
{
	return x->repeat;
}

static bool
searches_text(const Expansion *x)
{
	return x->repeat || catalog_of(x)->searches_text;
}

/*
 * Returns whether all modes of a search are included. With embeddings they are
 * published, whatever the types are.
 */
static bool
has_vectors(const Expansion *x)
{
	return x->repeat || kg_vectors()->dimensions > 0;
}

/*
 * Returns whether a search requires a query: only embeddings make it optional.
 * An outline does not depend on settings, and requires it.
 */
static bool
needs_query(const Expansion *x)
{
	return x->outline || kg_vectors()->dimensions == 0;
}

static bool
searches_text_alone(const Expansion *x)
{
	return !has_vectors(x) && searches_text(x);
}

static void
write_dimensions(Expansion *x)
{
	appendStringInfo(x->out, "%d", kg_vectors()->dimensions);
}

static void
write_document(Expansion *x)
{
	write_type_part(x, kg_type_document_schema(x->type));
}

static void
write_changes(Expansion *x)
{
	write_type_part(x, kg_type_changes_schema(x->type));
}

static void
write_edge_properties(Expansion *x)
{
	write_type_part(x, kg_relation_properties_schema(x->relation));
}

/*
 * Numbers in templates. A number is the least of setting, or_setting and
 * at_most, if they are set, divided by unit. Without a setting, it is a
 * constant.
 */
static const struct
{
	const char *name;
	const int *setting;
	const int *or_setting;
	int at_most;
	int unit;
} numbers[] = {
	{"max_sort", NULL, NULL, KG_MAX_SORT},
	{"max_groups", NULL, NULL, KG_MAX_GROUPS},
	{"max_aggregations", NULL, NULL, KG_MAX_AGGREGATIONS},
	{"max_term_bytes", NULL, NULL, KG_MAX_TERM_BYTES},
	{"max_rows", &kg_setting_max_rows},
	{"default_rows", &kg_setting_max_rows, NULL, 30},
	{"query_rows", &kg_setting_max_rows, NULL, 100},
	{"max_ids", &kg_setting_max_ids},
	{"max_filters", &kg_setting_max_filters},
	{"min_alternatives", NULL, NULL, KG_MIN_ALTERNATIVES},
	{"max_alternatives", NULL, NULL, KG_MAX_ALTERNATIVES},
	{"max_offset", &kg_setting_max_offset},
	{"max_steps", &kg_setting_max_steps},
	{"max_step_hops", &kg_setting_max_hops, NULL, KG_MAX_STEP_HOPS},
	{"explore_hops", &kg_setting_max_walk_hops, NULL, 2},
	{"max_explore_hops", &kg_setting_max_walk_hops},
	{"path_hops", &kg_setting_max_hops, NULL, 3},
	{"max_path_hops", &kg_setting_max_hops, NULL, KG_MAX_PATH_HOPS},
	{"max_bfs_hops", &kg_setting_max_hops, NULL, 5},
	{"reply_bytes", &kg_setting_reply_bytes, &kg_setting_max_reply_bytes},
	{"max_reply_bytes", &kg_setting_max_reply_bytes},
	{"max_reply_tokens", &kg_setting_max_reply_bytes, NULL, 0, KG_TOKEN_BYTES},
};

int
kg_template_find_number(const char *name, size_t length)
{
	for (int i = 0; i < lengthof(numbers); i++)
		if (strncmp(numbers[i].name, name, length) == 0 &&
			numbers[i].name[length] == '\0')
			return i;
	return -1;
}

int
kg_template_number(int i)
{
	int value = numbers[i].at_most;

	if (numbers[i].setting != NULL)
		value = *numbers[i].setting;
	if (numbers[i].or_setting != NULL)
		value = Min(value, *numbers[i].or_setting);
	if (numbers[i].at_most > 0)
		value = Min(value, numbers[i].at_most);
	return numbers[i].unit > 0 ? value / numbers[i].unit : value;
}

static uint64
hash_numbers(void)
{
	int values[lengthof(numbers)];

	for (int i = 0; i < lengthof(numbers); i++)
		values[i] = kg_template_number(i);
	return hash_bytes_extended(
		(const unsigned char *) values, sizeof(values), 0);
}

/* Returns the value of a setting; 0 if the pointer is NULL. */
static inline int
setting_of(const int *setting)
{
	return setting != NULL ? *setting : 0;
}

/*
 * Every call uses this hash. It is computed again only if one of the settings
 * has changed.
 */
uint64
kg_template_numbers(void)
{
	static int known[lengthof(numbers)][2];
	static uint64 hash;
	static bool reckoned = false;
	bool same = reckoned;

	for (int i = 0; i < lengthof(numbers); i++)
	{
		int setting = setting_of(numbers[i].setting);
		int or_setting = setting_of(numbers[i].or_setting);

		same &= known[i][0] == setting && known[i][1] == or_setting;
		known[i][0] = setting;
		known[i][1] = or_setting;
	}
	if (!same)
		hash = hash_numbers();
	reckoned = true;
	return hash;
}

/*
 * Writes a number. An outline has its name instead, because the setting can
 * change and the outline cannot.
 */
static void
write_number(Expansion *x, int i)
{
	if (x->outline)
		appendStringInfo(x->out, "\"%s\"", numbers[i].name);
	else
		appendStringInfo(x->out, "%d", kg_template_number(i));
}

/* A step, or an array of steps. end: further members of the step's "to". */
#define KG_CHAIN(end)                                                         \
	"{'type':'array','minItems':1,'maxItems':10,'items':{'type':['object',"   \
	"'array'],'minItems':1,'maxItems':<max_steps>,'items':{'type':'object'}," \
	"'additionalProperties':false,'required':['type'],'properties':{'type':"  \
	"{'anyOf':[<relation_or_all>,{'type':'array','minItems':1,'items':"       \
	"<relation>}]},'direction':{<direction>,'default':'outgoing'},'filters':" \
	"{'type':'object'},'min_count':{'type':'integer','minimum':1},"           \
	"'max_count':{'type':'integer','minimum':0},'to':{'type':'object',"       \
	"'additionalProperties':false,'properties':{'label':<type>,'ids':<ids>,"  \
	"'filters':{'type':'object'}" end "}}}}}"
#define KG_CHAINS(end) \
	"'related':" KG_CHAIN(end) ",'not_related':" KG_CHAIN(end)

static const Part parts[] = {
	{"type", NULL, write_type},
	{"type_or_all", NULL, write_type_or_all},
	{"relation", NULL, write_relation},
	{"relation_or_all", NULL, write_relation_or_all},
	{"filters", NULL, write_filters},
	{"type_filters", NULL, write_type_filters},
	{"sort_names", NULL, write_sort_names},
	{"field_names", NULL, write_field_names},
	{"sort_note", NULL, write_sort_note},
	{"document", NULL, write_document},
	{"changes", NULL, write_changes},
	{"edge_properties", NULL, write_edge_properties},
	{"citations",
	 "{'type':'boolean'}",
	 NULL,
	 NULL,
	 "{'type':'boolean','default':false}"},
	{"max_bytes",
	 "{'type':'integer','default':<reply_bytes>}",
	 NULL,
	 NULL,
	 "{'type':'integer','minimum':1024,'maximum':<max_reply_bytes>,'default':<"
	 "reply_bytes>}"},
	{"max_tokens",
	 "{'type':'integer'}",
	 NULL,
	 NULL,
	 "{'type':'integer','minimum':256,'maximum':<max_reply_tokens>}"},
	/* numbers of hops, with the default 1 or without a default */
	{"step_hops",
	 "'type':'integer','minimum':1,'maximum':<max_step_hops>,'default':1",
	 NULL},
	{"bfs_hops", "'type':'integer','minimum':1,'maximum':<max_bfs_hops>", NULL},
	{"relations", "{'type':'array','items':<relation>}", NULL},
	/* an integer is read as text */
	{"id", "{'type':['string','integer']}", NULL},
	{"ids",
	 "{'type':'array','items':<id>}",
	 NULL,
	 NULL,
	 "{'type':'array','minItems':1,'maxItems':<max_ids>,'items':<id>}"},
	{"limit",
	 "{'type':'integer','maximum':<max_rows>,'default':<default_rows>}",
	 NULL,
	 NULL,
	 "{'type':'integer','minimum':0,'maximum':<max_rows>,'default':<default_"
	 "rows>}"},
	/* properties of nodes and edges that replies show */
	{"node_columns",
	 "'columns':{'type':'array','items':{'type':'string'},'description':'tell "
	 "these properties'}",
	 NULL,
	 NULL,
	 "'columns':{'type':'array','minItems':1,'maxItems':100,'items':<text>}"},
	{"columns",
	 "<node_columns>,'ids_only':{'type':'boolean','default':false}",
	 NULL},
	{"edge_columns",
	 "'edge_columns':{'type':'array','items':{'type':'string'}}",
	 NULL,
	 NULL,
	 "'edge_columns':{'type':'array','minItems':1,'maxItems':100,'items':<text>"
	 "}"},
	{"no_edge_columns",
	 "'edge_columns':{'type':'array','items':{'type':'string'},'description':'"
	 "default none'}",
	 NULL,
	 NULL,
	 "'edge_columns':{'type':'array','minItems':1,'maxItems':100,'items':<text>"
	 "}"},
	{"cursor", "{'type':'string','description':'of next'}", NULL},
	{"valid_at",
	 "'valid_at':{'type':'string','description':'date-time or now: what does "
	 "not hold then is not there'},",
	 NULL,
	 has_periods},
	{"search_mode",
	 "'mode':{'type':'string','enum':['names','text','hybrid'],'default':'"
	 "names','description':'names; text: words of texts, any of them; hybrid: "
	 "both'},",
	 NULL,
	 searches_text_alone},
	{"search_modes",
	 "'mode':{'type':'string','enum':['names','text','hybrid','meaning'],'"
	 "default':'names','description':'names; text: words of texts, any of "
	 "them; meaning: nearest to vector; hybrid: all'},'vector':{'type':'array',"
	 "'items':{'type':'number'},'description':'an embedding, <dimensions> "
	 "numbers'},",
	 NULL,
	 has_vectors},
	{"dimensions", NULL, write_dimensions},
	{"query_required", "'required':['query'],", NULL, needs_query},
	{"period", "'valid_from':<text>,'valid_to':<text>,", NULL, has_periods},
	{"as_of",
	 "'as_of':{'type':'string','format':'date-time','description':'as it was "
	 "then'},",
	 NULL,
	 has_history},
	{"direction",
	 "'type':'string','enum':['outgoing','incoming','both']",
	 NULL},
	{"scalar", "{'type':['string','number','boolean']}", NULL},
	{"scalars",
	 "{'type':'array','minItems':1,'maxItems':" CppAsString2(
		 KG_MAX_IN_VALUES) ",'items':<scalar>}",
	 NULL},
	{"ordered", "{'type':['string','number']}", NULL},
	{"node_sort",
	 "{'type':'array','items':{'type':'object'},'description':'[{field, order: "
	 "asc or desc}]'}",
	 NULL,
	 NULL,
	 "{'type':'array','minItems':1,'maxItems':<max_sort>,'items':{'type':'"
	 "object','additionalProperties':false,'required':['field'],'properties':{'"
	 "field':<text>,'order':<sort_order>}}}"},
	{"reply_sort",
	 "{'type':'array','items':{'type':'object'},'description':'[{field: a "
	 "column of the reply, order: asc or desc}]'}",
	 NULL,
	 NULL,
	 "<node_sort>"},
	{"row_sort",
	 "{'type':'array','items':{'type':'object'},'description':'[{field, step, "
	 "order}]; edge.field: of the edge'}",
	 NULL,
	 NULL,
	 "{'type':'array','minItems':1,'maxItems':<max_sort>,'items':{'type':'"
	 "object','additionalProperties':false,'required':['field'],'properties':{'"
	 "field':<text>,'step':{'type':'integer','minimum':0,'maximum':<max_steps>}"
	 ",'order':<sort_order>}}}"},
	{"traverse_to",
	 "{'type':'object','description':'{label, ids, filters, related, "
	 "not_related}: "
	 "what the last end must be'}",
	 NULL,
	 NULL,
	 "<step_end>"},
	{"paths_to",
	 "{'type':'object','description':'a selection as from'}",
	 NULL,
	 NULL,
	 "{'type':'object','additionalProperties':false,'required':['label'],'"
	 "properties':{'label':<type>,'ids':<ids>,'query':<search>,'filters':<"
	 "filters>,<related>}}"},
	{"aggregations_bounds",
	 "",
	 NULL,
	 NULL,
	 "'minItems':1,'maxItems':<max_aggregations>,"},
	{"groups_bounds", "", NULL, NULL, "'maxItems':<max_groups>,"},
	{"group_step",
	 "{'type':'integer','description':'by what this step of relationships ends "
	 "in; with label where its to has none'}",
	 NULL,
	 NULL,
	 "{'type':'integer','minimum':1,'maximum':<max_steps>}"},
	{"aggregated_step",
	 "'step':{'type':'integer','minimum':1,'maximum':<max_steps>},",
	 NULL,
	 is_written_out},
	{"named",
	 "'named':{'type':'boolean','default':false},",
	 NULL,
	 is_written_out},
	{"ranked_limit",
	 "{'type':'integer','default':<default_rows>}",
	 NULL,
	 NULL,
	 "{'type':'integer','minimum':1,'maximum':<max_rows>,'default':<default_"
	 "rows>}"},
	{"weighted_seeds",
	 "{'type':'array','items':{'type':['string','integer','object']},'"
	 "description':'handles: type:id, or {id, weight}'}",
	 NULL,
	 NULL,
	 "{'type':'array','minItems':1,'maxItems':<max_ids>,'items':{'anyOf':[<id>,"
	 "{'type':'object','additionalProperties':false,'required':['id'],'"
	 "properties':{'id':<id>,'weight':{'type':'number','exclusiveMinimum':0,'"
	 "maximum':1000000000000000,'default':1}}}]}}"},
	/*
	 * The keys of a claim determine its kind (tools/verify/read.c). The schema
	 * does not check that they belong to one kind.
	 */
	{"claims",
	 "{'type':'array','items':{'type':'object'},'description':'each one of "
	 "{entity: handle}, {entity, property, is: value or {operator: value} or "
	 "{text}}, {from, relation, to, properties}, {path: [handle, relation, "
	 "handle]}, {from, to, within: hops}, {count: {tool, arguments}, is}, "
	 "{none: {tool, arguments}}, {name, type}'}",
	 NULL,
	 NULL,
	 "{'type':'array','minItems':1,'maxItems':200,'items':{'type':'object','"
	 "additionalProperties':false,'properties':{'id':{'type':['string','"
	 "integer']},'entity':<id>,'property':<text>,'is':{},'version':{'type':'"
	 "integer','minimum':1},'from':<id>,'relation':<relation>,'to':<id>,'"
	 "properties':{'type':'object'},'path':{'type':'array','minItems':3,'"
	 "maxItems':41,'items':<id>},'within':{'type':'integer','minimum':1,'"
	 "maximum':<max_path_hops>},'relation_types':{'type':'array','items':<"
	 "relation@as "
	 "relation>},'direction':{<direction>,'default':'both'},'count':{'type':'"
	 "object','required':['tool'],'properties':{'tool':<text>,'arguments':{'"
	 "type':'object'}}},'none':{'type':'object','required':['tool'],'"
	 "properties':{'tool':<text>,'arguments':{'type':'object'}}},'name':{'type'"
	 ":'string','minLength':1},'type':<type>}}}"},
	{"seeds",
	 "{'type':'array','items':<id>,'description':'type:id, or id "
	 "where it is unique'}",
	 NULL,
	 NULL,
	 "{'type':'array','minItems':1,'maxItems':<max_ids>,'items':<id>}"},
	{"text", "{'type':'string'}", NULL},
	/*
	 * detail is for bfs_query; detail_too, without descriptions, for
	 * intersect_subgraphs
	 */
	{"detail",
	 "'walk_predicates':{'type':'array','items':<relation>,'description':'walk "
	 "only "
	 "these'},'direction':{<direction>,'default':'both'},'node_types':{'type':'"
	 "array','items':<type>,'description':'these in full, others as "
	 "stubs'},'exclude_node_types':{'type':'array','items':<text>},'predicates'"
	 ":{'type':'array','items':<relation@as "
	 "walk_predicates>,'description':'these edges in full, others as "
	 "triples'},'min_mentions':<min_mentions>,'topology_only':{'type':'boolean'"
	 ",'description':'ids and types "
	 "only'},'edge_detail':{'type':'boolean'},<columns>,<edge_columns>",
	 NULL},
	{"detail_too",
	 "'walk_predicates':{'type':'array','items':{'type':'string'}},'direction':"
	 "{'type':'string'},'node_types':{'type':'array','items':{'type':'string'}}"
	 ",'exclude_node_types':{'type':'array','items':{'type':'string'}},'"
	 "predicates':{'type':'array','items':{'type':'string'}},'min_mentions':{'"
	 "type':'integer'},'topology_only':{'type':'boolean'},'edge_detail':{'type'"
	 ":'boolean'},<columns>,<edge_columns>",
	 NULL,
	 NULL,
	 "<detail>"},
	{"min_mentions",
	 "{'type':'integer'}",
	 NULL,
	 NULL,
	 "{'type':'integer','minimum':1,'default':1}"},
	{"boolean", "{'type':'boolean'}", NULL},
	{"operators",
	 "{'type':'object','minProperties':1,'additionalProperties':false,'"
	 "properties':{<each_operator>}}",
	 NULL},
	{"each_operator", NULL, write_each_operator},
	{"operator_names", NULL, write_operator_names},
	/* parts of the compact tools */
	{"also_bytes", "'max_bytes':<max_bytes>,", NULL, is_written_out},
	{"also_citations", "'citations':<citations>,", NULL, is_written_out},
	{"also_edge_columns", "<edge_columns>,", NULL, is_written_out},
	/* of the tool query: for callers that may read all statistics */
	{"also_explain", "'explain':{'type':'boolean'},", NULL, is_written_out},
	{"brief_step_hops", "'type':'integer','default':1", NULL},
	{"selector",
	 "{'type':'object','required':['label'],'properties':{'label':<type>,'ids':"
	 "<ids>,'query':{'type':'string'},'filters':<filters@as in "
	 "find_nodes>,<related_as>}}",
	 NULL,
	 NULL,
	 "{'type':'object','additionalProperties':false,'required':['label'],'"
	 "properties':{'label':<type>,'ids':<ids>,'query':<search>,'filters':<"
	 "filters>,<related>}}"},
	/*
	 * a name to search for, and restrictions that are validated but not
	 * published
	 */
	{"search",
	 "{'type':'string','description':'a name, best first unless sorted'}",
	 NULL,
	 NULL,
	 "{'type':'string','minLength':1,'maxLength':<max_term_bytes>}"},
	{"all_pattern", "", NULL, NULL, "'pattern':'^all$',"},
	{"closed", "", NULL, NULL, "'additionalProperties':false,"},
	{"steps",
	 "{'type':'array','items':{'type':'object','required':['type'],'properties'"
	 ":{'type':{'anyOf':[<relation_or_all>,<strings>]},'direction':{<direction>"
	 ",'default':'outgoing'},'min_hops':{'type':'integer','default':1},'max_"
	 "hops':{'type':'integer','minimum':1,'maximum':<max_step_hops>,'default':"
	 "1},'filters':{'type':'object','description':'of edge "
	 "properties'},'to':{'type':'object','description':'{label, ids, filters, "
	 "related}: what "
	 "its end must be'}}}}",
	 NULL,
	 NULL,
	 "{'type':'array','minItems':1,'maxItems':<max_steps>,'items':{'type':'"
	 "object','additionalProperties':false,'required':['type'],'properties':{'"
	 "type':<step_type>,'direction':{<direction>,'default':'outgoing'},'min_"
	 "hops':{<step_hops>},'max_hops':{<step_hops>},'filters':<filters>,'to':<"
	 "step_end>}}}"},
	{"steps_too",
	 "{'type':'array','items':{'type':'object'},'description':'steps as in "
	 "traverse_relationships: only nodes from which they lead somewhere'}",
	 NULL,
	 NULL,
	 "<steps>"},
	{"step_end",
	 "{'type':'object','additionalProperties':false,'properties':{'label':<"
	 "type>,'ids':<ids>,'filters':<filters>,<chains>}}",
	 NULL},
	{"step_type",
	 "<relation_or_all>",
	 NULL,
	 NULL,
	 "{'anyOf':[<relation_or_all>,{'type':'array','minItems':1,'items':<"
	 "relation>}]}"},
	/*
	 * steps that must, or must not, lead to entities: described in words,
	 * validated in full
	 */
	{"related",
	 "'related':{'type':'array','items':<chain>,'description':'only what is "
	 "connected so: [{type, direction, filters, to: {label, ids, filters, "
	 "related, not_related}, min_count, max_count} or an array of such "
	 "steps]'},'not_related':{'type':'array','items':<chain>}",
	 NULL,
	 NULL,
	 "<chains>"},
	{"related_too",
	 "'related':{'type':'array','items':<chain>},'not_related':{'type':'array',"
	 "'items':<chain>}",
	 NULL,
	 NULL,
	 "<chains>"},
	{"related_as",
	 "'related':{'type':'array','items':<chain>,'description':'as in "
	 "find_nodes'},'not_related':{'type':'array','items':<chain>}",
	 NULL,
	 NULL,
	 "<chains>"},
	/*
	 * Not a union of types with "array", because clients drop the items of such
	 * a union.
	 */
	{"chain",
	 "{'anyOf':[{'type':'object'},{'type':'array','items':{'type':'object'}}]}",
	 NULL},
	{"chains", KG_CHAINS(",<inner_chains>"), NULL},
	{"inner_chains", KG_CHAINS(""), NULL},
	{"reach_order",
	 "'order':{'type':'string','enum':['distance','relevance'],'default':'"
	 "distance'}",
	 NULL},
	{"sort_order",
	 "{'type':'string','enum':['asc','desc'],'default':'asc'}",
	 NULL},
	/*
	 * Parts of output schemas: members that every reply has, and the types of
	 * optional members. Self-explanatory members have no description.
	 */
	{"nodes", "{'type':'array','items':{}}", NULL},
	{"near_nodes", "{'type':'array','items':{}}", NULL},
	{"edges", "{'type':'array','items':{}}", NULL},
	{"bfs_nodes", "{'type':'array','items':{}}", NULL},
	{"bfs_edges", "{'type':'array','items':{}}", NULL},
	{"strings", "{'type':'array','items':{'type':'string'}}", NULL},
	{"objects", "{'type':'array','items':{'type':'object'}}", NULL},
	{"count", "{'type':'integer'}", NULL},
	/*
	 * members that explain a reply (reason, withheld, hints) are
	 * self-explanatory, and omitted
	 */
	{"envelope", "'total':<count>,'truncated':<boolean>", NULL},
	{"page", "<envelope>,'next':{'type':'object'}", NULL},
};

static const Part *
find_part(const char *name, size_t length)
{
	for (int i = 0; i < lengthof(parts); i++)
		if (strlen(parts[i].name) == length &&
			strncmp(parts[i].name, name, length) == 0)
			return &parts[i];
	elog(ERROR, "unknown part of a schema: %s", name);
}

/*
 * Expands the part whose name begins at p, after "<". Returns the position
 * after ">".
 */
static const char *
expand_part(Expansion *x, const char *p)
{
	const char *end = strchr(p, '>');
	const char *at = memchr(p, '@', end - p);
	int number = kg_template_find_number(p, end - p);
	const Part *part;
	Expansion inner = *x;

	if (number >= 0)
	{
		write_number(x, number);
		return end + 1;
	}
	part = find_part(p, (at ? at : end) - p);
	if (part->told != NULL && !part->told(x))
		return end + 1;
	inner.note = at ? pnstrdup(at + 1, end - at - 1) : NULL;
	if (part->whole != NULL && x->repeat)
		expand(&inner, part->whole);
	else if (part->text != NULL)
		expand(&inner, part->text);
	else if (x->outline)
		appendStringInfoString(x->out, "{}");
	else
		part->write(&inner);
	return end + 1;
}

static void
expand(Expansion *x, const char *template)
{
	const char *p = template;

	check_stack_depth();
	while (*p != '\0')
	{
		if (*p == '<')
			p = expand_part(x, p + 1);
		else
		{
			appendStringInfoChar(x->out, *p == '\'' ? '"' : *p);
			p++;
		}
	}
}

static char *
expanded(const char *template, Expansion x)
{
	StringInfoData out;

	x.out = &out;
	initStringInfo(&out);
	expand(&x, template);
	return out.data;
}

char *
kg_expand_text(const char *template)
{
	Expansion x = {NULL};

	return expanded(template, x);
}

Jsonb *
kg_expand_schema(const char *template, const KgType *type, bool repeat)
{
	return kg_expand_schema_of(NULL, template, type, repeat);
}

Jsonb *
kg_expand_schema_of(const KgCatalog *catalog, const char *template,
					const KgType *type, bool repeat)
{
	Expansion x = {.catalog = catalog, .type = type, .repeat = repeat};

	return kg_json_parse(expanded(template, x));
}

Jsonb *
kg_expand_relation_schema(const char *template, const KgRelation *relation)
{
	Expansion x = {.relation = relation};

	return kg_json_parse(expanded(template, x));
}

Jsonb *
kg_template_outline(const char *template)
{
	Expansion x = {.repeat = true, .outline = true};

	return kg_json_parse(expanded(template, x));
}
