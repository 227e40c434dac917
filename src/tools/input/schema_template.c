/*
 * schema_template.c
 *	  Expands the templates of the published schemas.
 *
 *	  Models follow the schema that they receive. Types and relationship types
 *	  are therefore enums of the tenant's names, and bounds and defaults are
 *	  written out. A part that occurs several times is written out once, and
 *	  described in words at its other positions, because the list of tools
 *	  costs tokens in every conversation. $ref is not used, because many
 *	  clients drop $defs or refuse the tool. Arguments are validated against
 *	  the same schema with all repetitions written out.
 *
 *	  The templates are the files of tools/schemas. The README there describes
 *	  them.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/vectors.h"
#include "model/catalog.h"
#include "model/period.h"
#include "model/term.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "ask/ask.h"
#include "query/graph/aggregate.h"
#include "query/filter/any.h"
#include "query/derived.h"
#include "query/graph/paths.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/graph/graph.h"
#include "tools/input/type_parts.h"
#include "tools/reply/reply.h"
#include "tools/input/schema_template.h"
#include "tools/schemas/texts.h"
#include "tools/write/write_schema.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/*
 * Maximum number of names in an enum. If there are more, the schema is a plain
 * string, and get_graph_schema lists the names.
 */
#define KG_MAX_ENUM 200
/* Enums with more names than this are written out only once in a schema. */
#define KG_REPEATED_ENUM 3

/* The expansion of a template. */
typedef struct Expansion
{
	const KgCatalog *catalog; /* NULL: the catalog that the caller sees */
	/* type for which the tool is generated, or NULL */
	const KgType *type;
	const KgRelation *relation;
	bool repeat;
	bool outline;
	/*
	 * Text that refers to the position in the schema at which the part is
	 * written out. Unless "repeat" is set, the text replaces the part.
	 */
	const char *note;
	const char *note_at;	/* address of the note in its template */
	KgExpandedParts *parts; /* or NULL */
	/* set to true if the result depends on the type or relation; or NULL */
	bool *differs;
} Expansion;

/* An object or array of a template, with its expansion. */
typedef struct ExpandedPart
{
	struct
	{
		const JsonbContainer *template;
		const char *note_at;
	} key;
	/* the expansion; NULL: the expansion depends on the type or relation */
	const Jsonb *json;
} ExpandedPart;

struct KgExpandedParts
{
	HTAB *table; /* hash table of ExpandedPart */
	MemoryContext context;
};

static void write_value(const Expansion *x, const JsonbValue *value,
						KgJsonWriter *w);
static void write_part(const Expansion *x, const char *name, KgJsonWriter *w);
static void write_members(const Expansion *x, const JsonbContainer *object,
						  KgJsonWriter *w);
static const Jsonb *expanded_part(const Expansion *x,
								  const JsonbContainer *template);
static char *expand_text(const char *template);

static void
write_string(KgJsonWriter *w, const char *description)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "string");
	kg_jw_kstring(w, "description", description);
	kg_jw_end_object(w);
}

/*
 * Writes the schema of a string that must be one of the names or, if "all" is
 * set, "*". The array must have room for one more name. If there are too many
 * names for an enum, the schema is a plain string, and "what" describes it.
 */
static void
write_names(const Expansion *x, KgJsonWriter *w, const char **names, int n,
			bool all, const char *what)
{
	if (n > KG_MAX_ENUM || (n == 0 && !all))
		write_string(w, what);
	else if (n > KG_REPEATED_ENUM && x->note != NULL && !x->repeat)
		write_string(w, x->note);
	else
	{
		if (all)
			names[n++] = "*";
		n = kg_distinct_texts(names, n);
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "type", "string");
		kg_jw_kstrings(w, "enum", (char *const *) names, n);
		kg_jw_end_object(w);
	}
}

static const KgCatalog *
catalog_of(const Expansion *x)
{
	return x->catalog ? x->catalog : kg_running_catalog();
}

static void
write_types(const Expansion *x, KgJsonWriter *w, bool all)
{
	const KgCatalog *catalog = catalog_of(x);
	const char **names = palloc((catalog->ntypes + 1) * sizeof(char *));

	for (int i = 0; i < catalog->ntypes; i++)
		names[i] = kg_row_handle(&catalog->types[i]);
	write_names(x,
				w,
				names,
				catalog->ntypes,
				all,
				all ? "an entity type of the schema, or *"
					: "an entity type; the schema lists them");
}

static void
write_type(const Expansion *x, KgJsonWriter *w)
{
	write_types(x, w, false);
}

static void
write_type_or_all(const Expansion *x, KgJsonWriter *w)
{
	write_types(x, w, true);
}

static void
write_relations(const Expansion *x, KgJsonWriter *w, bool all)
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
				w,
				names,
				n,
				all,
				all ? "a relationship type of the schema, or *"
					: "a relationship type; the schema lists them");
}

static void
write_relation(const Expansion *x, KgJsonWriter *w)
{
	write_relations(x, w, false);
}

static void
write_relation_or_all(const Expansion *x, KgJsonWriter *w)
{
	write_relations(x, w, true);
}

static const char *
operand_part(KgOperandForm form)
{
	switch (form)
	{
		case KG_OPERAND_VALUE:
			return "operand_value";
		case KG_OPERAND_ORDERED:
			return "operand_ordered";
		case KG_OPERAND_LIST:
			return "operand_list";
		case KG_OPERAND_PART:
			return "operand_part";
		case KG_OPERAND_FLAG:
			return "operand_flag";
	}
	return NULL;
}

static void
write_each_operator(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	for (int op = 0; op < KG_NOPS; op++)
	{
		kg_jw_key(w, kg_operator(op)->name);
		write_part(x, operand_part(kg_operator(op)->form), w);
	}
	kg_jw_end_object(w);
}

/*
 * Writes the schema of filters. If "repeat" is set, the schema is written in
 * full, otherwise described in words.
 */
static void
write_filters(const Expansion *x, KgJsonWriter *w)
{
	if (x->repeat || x->note == NULL)
	{
		write_part(x, x->repeat ? "filters_in_full" : "filters_in_words", w);
		return;
	}
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "object");
	kg_jw_kstring(w, "description", x->note);
	kg_jw_end_object(w);
}

static char *
operator_names(void)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int op = 0; op < KG_NOPS; op++)
		appendStringInfo(
			&names, "%s%s", op > 0 ? " " : "", kg_operator(op)->name);
	return names.data;
}

static char *
dimensions(void)
{
	return psprintf("%d", kg_vectors()->dimensions);
}

/*
 * The next functions write parts that only tools generated for a type have
 * (tools/input/type_parts.h).
 */

static void
write_type_filters(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_jsonb(w, kg_type_filters_schema(x->type, x->repeat));
}

static void
write_sort_names(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_jsonb(w, kg_type_sort_names(x->type));
}

static void
write_sort_note(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_string(w, kg_type_sort_note(x->type));
}

static void
write_field_names(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_jsonb(w, kg_type_field_names(x->type));
}

static void
write_document(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_jsonb(w, kg_type_document_schema(x->type));
}

static void
write_changes(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_jsonb(w, kg_type_changes_schema(x->type));
}

static void
write_edge_properties(const Expansion *x, KgJsonWriter *w)
{
	kg_jw_jsonb(w, kg_relation_properties_schema(x->relation));
}

/* ---- conditions of parts ---- */

/*
 * Returns whether the schema includes valid_at and periods. Tools always
 * accept them, but they are published only if some data is valid for a period.
 */
static bool
has_periods(const Expansion *x)
{
	if (x->repeat)
		return true;
	if (x->type && !kg_derived_any(x->type))
		return kg_period_any(&x->type->period);
	return kg_catalog_has(catalog_of(x), KG_TRAIT_PERIOD);
}

/*
 * Returns whether the schema includes as_of. Outlines always include it. It is
 * published only if a type has history.
 */
static bool
has_history(const Expansion *x)
{
	if (x->outline)
		return true;
	return x->type ? x->type->history
				   : kg_catalog_has(catalog_of(x), KG_TRAIT_HISTORY);
}

static bool
searches_text(const Expansion *x)
{
	return x->repeat || kg_catalog_has(catalog_of(x), KG_TRAIT_SEARCH);
}

/*
 * Returns whether the schema includes all modes of a search. If embeddings are
 * configured, all modes are published, even if no type uses them.
 */
static bool
has_vectors(const Expansion *x)
{
	return x->repeat || kg_vectors()->dimensions > 0;
}

/*
 * Returns whether a search requires the argument "query". It is optional only
 * if embeddings are configured. An outline does not depend on settings, so
 * there it is required.
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

/* ---- numbers ---- */

/*
 * Numbers that templates refer to by name. A number is the least of these
 * values: the settings "setting" and "or_setting", and "at_most". The least
 * value is divided by "unit". Members that are not set are ignored. Without a
 * setting, the number is a constant.
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
	{"max_in_values", NULL, NULL, KG_MAX_IN_VALUES},
	{"max_params", NULL, NULL, KG_ASK_PARAMS},
	{"max_written", NULL, NULL, KG_WRITE_ITEMS},
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

/*
 * Stores the value of a setting, which may be NULL. Returns whether the stored
 * value was equal.
 */
static inline bool
is_known(const int *setting, int *known)
{
	if (setting == NULL || *known == *setting)
		return true;
	*known = *setting;
	return false;
}

/*
 * This hash is requested in every call, so it is cached until one of the
 * settings changes.
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
		same &= is_known(numbers[i].setting, &known[i][0]);
		same &= is_known(numbers[i].or_setting, &known[i][1]);
	}
	if (!same)
		hash = hash_numbers();
	reckoned = true;
	return hash;
}

/* ---- templates ---- */

/*
 * Parts that C functions write. In an outline, such a part is an object with
 * one key, or {}.
 */
static const struct
{
	const char *name;
	void (*write)(const Expansion *x, KgJsonWriter *w);
	const char *outlined;
	bool differs; /* true: the part depends on the type or relation */
} written_parts[] = {
	{"type", write_type, "$name"},
	{"type_or_all", write_type_or_all, "$name"},
	{"relation", write_relation, "$name"},
	{"relation_or_all", write_relation_or_all, "$name"},
	{"filters", write_filters, "$filters"},
	{"each_operator", write_each_operator},
	{"type_filters", write_type_filters, "$filters", true},
	{"sort_names", write_sort_names, NULL, true},
	{"sort_note", write_sort_note, NULL, true},
	{"field_names", write_field_names, NULL, true},
	{"document", write_document, "$object", true},
	{"changes", write_changes, NULL, true},
	{"edge_properties", write_edge_properties, NULL, true},
};

/* Parts that are inserted into texts. */
static const struct
{
	const char *name;
	char *(*text)(void);
} text_parts[] = {
	{"operator_names", operator_names},
	{"dimensions", dimensions},
};

/* Conditions that a template names in "$if". */
static const struct
{
	const char *name;
	bool (*holds)(const Expansion *x);
	bool differs; /* by type */
} conditions[] = {
	{"periods", has_periods, true},
	{"history", has_history, true},
	{"text_search", searches_text_alone},
	{"vectors", has_vectors},
	{"no_vectors", needs_query},
};

/*
 * Returns the template with the name. It is parsed once for each backend,
 * because templates are constants.
 */
static const JsonbContainer *
find_template(KgSchemaText *text, const char *name)
{
	while (text->name != NULL && strcmp(text->name, name) != 0)
		text++;
	if (text->name == NULL)
		elog(ERROR, "tools/schemas has no \"%s\"", name);
	if (text->parsed == NULL)
	{
		Jsonb *json = kg_json_parse(text->json);

		text->parsed = MemoryContextAlloc(TopMemoryContext, VARSIZE(json));
		memcpy(text->parsed, json, VARSIZE(json));
	}
	return &text->parsed->root;
}

/* Returns a member of a tool's template. The template must have this member. */
static JsonbValue
member_of_tool(const char *tool, const char *key)
{
	JsonbValue value;

	if (kg_json_get(find_template(kg_schema_tools, tool), key, &value) == NULL)
		elog(ERROR, "tools/schemas has no \"%s\" of \"%s\"", key, tool);
	return value;
}

static void
note_difference(const Expansion *x, bool differs)
{
	if (differs && x->differs != NULL)
		*x->differs = true;
}

/*
 * Returns whether the schema includes a part. A part without "$if" is always
 * included.
 */
static bool
is_included(const Expansion *x, const JsonbContainer *part)
{
	JsonbValue condition;

	if (kg_json_get(part, "$if", &condition) == NULL)
		return true;
	for (int i = 0; i < lengthof(conditions); i++)
		if (kg_json_string_is(&condition, conditions[i].name))
		{
			note_difference(x, conditions[i].differs);
			return conditions[i].holds(x);
		}
	elog(ERROR,
		 "unknown condition of a schema: %s",
		 kg_json_cstring(&condition));
}

/*
 * Writes a number that a template refers to by name. For an outline, writes the
 * name: outlines are cached, but a setting can change the number.
 */
static void
write_number(const Expansion *x, int i, KgJsonWriter *w)
{
	if (x->outline)
		kg_jw_string(w, numbers[i].name);
	else
		kg_jw_int(w, kg_template_number(i));
}

static void
write_part(const Expansion *x, const char *name, KgJsonWriter *w)
{
	int number = kg_template_find_number(name, strlen(name));
	JsonbValue part;

	if (number >= 0)
	{
		write_number(x, number, w);
		return;
	}
	for (int i = 0; i < lengthof(written_parts); i++)
		if (strcmp(written_parts[i].name, name) == 0)
		{
			note_difference(x, written_parts[i].differs);
			if (!x->outline)
				written_parts[i].write(x, w);
			else
			{
				kg_jw_begin_object(w);
				if (written_parts[i].outlined != NULL)
					kg_jw_kbool(w, written_parts[i].outlined, true);
				kg_jw_end_object(w);
			}
			return;
		}
	part.type = jbvBinary;
	part.val.binary.data = (JsonbContainer *) find_template(kg_schema_parts,
															name);
	part.val.binary.len = 0;
	write_value(x, &part, w);
}

/*
 * If a string in a template stands for a part, returns the name of the part.
 * Otherwise returns NULL. If the string also has a note, stores the note in the
 * expansion.
 */
static char *
part_of(Expansion *x, const JsonbValue *string)
{
	char *text = kg_json_cstring(string);
	size_t length = strlen(text);
	char *at;

	if (text[0] != '<' || strchr(text, '>') != text + length - 1)
		return NULL;
	text[length - 1] = '\0';
	at = strchr(text, '@');
	if (at != NULL)
	{
		*at = '\0';
		x->note = at + 1;
		x->note_at = string->val.string.val + (x->note - text);
	}
	return text + 1;
}

/*
 * Writes the members of the part that a string stands for. Writes nothing if
 * the schema does not include the part.
 */
static void
write_members_of(const Expansion *x, const JsonbValue *string, KgJsonWriter *w)
{
	Expansion inner = *x;
	const JsonbContainer *part = find_template(kg_schema_parts,
											   part_of(&inner, string));
	const Jsonb *expanded;

	if (!is_included(x, part))
		return;
	expanded = expanded_part(&inner, part);
	if (expanded != NULL)
		kg_jw_members(w, &expanded->root);
	else
		write_members(&inner, part, w);
}

/* Writes the members of an object in a template. */
static void
write_members(const Expansion *x, const JsonbContainer *object, KgJsonWriter *w)
{
	kg_json_each(it, object)
	{
		const char *key = kg_json_cstring(&it.key);

		if (key[0] == (x->repeat ? '?' : '!') ||
			(key[0] == '$' && (!x->outline || strcmp(key, "$if") == 0)))
			continue;
		if (key[0] == '?' || key[0] == '!')
			key++;
		if (strcmp(key, "...") != 0)
		{
			kg_jw_key(w, key);
			write_value(x, &it.value, w);
		}
		else if (!kg_json_is_array(&it.value))
			write_members_of(x, &it.value, w);
		else
			kg_json_each(part, kg_json_container(&it.value))
				write_members_of(x, &part.value, w);
	}
}

/* Writes an object or array of a template. */
static void
write_container(const Expansion *x, const JsonbContainer *template,
				KgJsonWriter *w)
{
	if (JsonContainerIsObject(template))
	{
		kg_jw_begin_object(w);
		write_members(x, template, w);
		kg_jw_end_object(w);
	}
	else
	{
		kg_jw_begin_array(w);
		kg_json_each(it, template)
			write_value(x, &it.value, w);
		kg_jw_end_array(w);
	}
}

/*
 * Returns the cached expansion of an object or array of a template. Returns
 * NULL if there is no cache, or if the expansion depends on the type or
 * relation. The cache compares the addresses of the object or array and of its
 * note, because templates are constants.
 */
static const Jsonb *
expanded_part(const Expansion *x, const JsonbContainer *template)
{
	Expansion inner = *x;
	ExpandedPart sought = {{template, x->note_at}};
	ExpandedPart *part;
	bool found;
	bool differs = false;

	if (x->parts == NULL)
		return NULL;
	part = hash_search(x->parts->table, &sought.key, HASH_ENTER, &found);
	if (!found)
	{
		MemoryContext caller = MemoryContextSwitchTo(x->parts->context);
		KgJsonWriter w;

		part->json = NULL;
		inner.differs = &differs;
		kg_jw_init(&w);
		write_container(&inner, template, &w);
		if (!differs)
			part->json = kg_jw_finish(&w);
		MemoryContextSwitchTo(caller);
	}
	note_difference(x, part->json == NULL);
	return part->json;
}

static void
write_value(const Expansion *x, const JsonbValue *value, KgJsonWriter *w)
{
	Expansion inner = *x;
	const Jsonb *part;
	char *name;

	check_stack_depth();
	if (value->type == jbvBinary)
	{
		part = expanded_part(x, kg_json_container(value));
		if (part != NULL)
			kg_jw_jsonb(w, part);
		else
			write_container(x, kg_json_container(value), w);
	}
	else if (value->type != jbvString)
		kg_jw_value(w, value);
	else if ((name = part_of(&inner, value)) != NULL)
		write_part(&inner, name, w);
	else if (x->outline)
		kg_jw_value(w, value);
	else
		kg_jw_string(w, expand_text(kg_json_cstring(value)));
}

static Jsonb *
expanded(const Expansion *x, const char *tool, const char *key)
{
	JsonbValue schema = member_of_tool(tool, key);
	const Jsonb *part = expanded_part(x, kg_json_container(&schema));
	KgJsonWriter w;

	if (part != NULL)
		return (Jsonb *) part;
	kg_jw_init(&w);
	write_value(x, &schema, &w);
	return kg_jw_finish(&w);
}

/* Appends the text of a part: a number, or an entry of text_parts. */
static void
append_part(StringInfo text, const char *name)
{
	int number = kg_template_find_number(name, strlen(name));

	if (number >= 0)
	{
		appendStringInfo(text, "%d", kg_template_number(number));
		return;
	}
	for (int i = 0; i < lengthof(text_parts); i++)
		if (strcmp(text_parts[i].name, name) == 0)
		{
			appendStringInfoString(text, text_parts[i].text());
			return;
		}
	elog(ERROR, "unknown part of a text: %s", name);
}

static char *
expand_text(const char *template)
{
	StringInfoData text;

	initStringInfo(&text);
	for (const char *p = template; *p != '\0'; p++)
	{
		const char *end = *p == '<' ? strchr(p, '>') : NULL;

		if (end == NULL)
		{
			appendStringInfoChar(&text, *p);
			continue;
		}
		append_part(&text, pnstrdup(p + 1, end - p - 1));
		p = end;
	}
	return text.data;
}

char *
kg_tool_text(const char *tool, const char *key)
{
	JsonbValue text = member_of_tool(tool, key);

	return expand_text(kg_json_cstring(&text));
}

KgExpandedParts *
kg_expanded_parts(void)
{
	HASHCTL ctl = {.keysize = sizeof(((ExpandedPart *) 0)->key),
				   .entrysize = sizeof(ExpandedPart),
				   .hcxt = CurrentMemoryContext};
	KgExpandedParts *parts = palloc(sizeof(KgExpandedParts));

	parts->context = CurrentMemoryContext;
	parts->table = hash_create(
		"kg expanded parts", 128, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return parts;
}

Jsonb *
kg_expand_input(const KgCatalog *catalog, const char *tool, const KgType *type,
				bool repeat, KgExpandedParts *parts)
{
	Expansion x = {
		.catalog = catalog, .type = type, .repeat = repeat, .parts = parts};

	Assert(!repeat || parts == NULL);

	return expanded(&x, tool, "input");
}

Jsonb *
kg_expand_output(const KgCatalog *catalog, const char *tool)
{
	Expansion x = {.catalog = catalog};

	return expanded(&x, tool, "output");
}

Jsonb *
kg_expand_relation_input(const char *tool, const KgRelation *relation,
						 KgExpandedParts *parts)
{
	Expansion x = {.relation = relation, .parts = parts};

	return expanded(&x, tool, "input");
}

Jsonb *
kg_template_outline(const char *tool)
{
	Expansion x = {.repeat = true, .outline = true};

	return expanded(&x, tool, "input");
}
