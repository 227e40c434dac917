/*
 * annotations.c
 *	  Parser of a JSON Schema for its fields and x-* annotations.
 *
 * Several subschemas may describe one property: its own subschema, the target
 * of its $ref, and branches of allOf, anyOf and oneOf. All are collected in one
 * Gathered. The first subschema that sets an annotation takes precedence; types
 * and enums are united.
 *
 * A schema may refer to itself, and a few subschemas that refer to each other
 * can describe an unlimited number of properties. Therefore each subschema is
 * visited once per described value. Nested properties are read to the greatest
 * depth at which the type has at most kg_graph.max_properties properties and at
 * most kg_graph.schema_max_nodes positions are visited.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "model/annotations.h"
#include "model/annotation_names.h"
#include "model/binding.h"
#include "model/schema_ref.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "schema/schema.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Maximum nesting depth of properties that are read. */
#define KG_MAX_FIELD_DEPTH 16
/* Maximum length of chains of $ref and of nested branches. */
#define KG_MAX_NESTING 100
/*
 * Maximum length in bytes of an ability's name and of a resource type's name.
 */
#define KG_MAX_AUTHORIZE_NAME 255
/*
 * Number of bytes of property names that count as one visited position in the
 * limit kg_graph.schema_max_nodes.
 */
#define KG_BYTES_OF_PLACE 64

#define TYPE_STRING 1
#define TYPE_INTEGER 2
#define TYPE_NUMBER 4
#define TYPE_BOOLEAN 8
#define TYPE_OBJECT 16
#define TYPE_ARRAY 32
#define TYPE_NULL 64

typedef struct Member
{
	JsonbValue key;
	JsonbValue schema;
	const KgSchemaDocument *document; /* document that contains the schema */
} Member;

/* The union of all descriptions of one value in the schema. */
typedef struct Gathered
{
	int number;		/* serial number of the value */
	int types;		/* bit mask of TYPE_* */
	List *members;	/* List of Member *: properties */
	List *required; /* List of char * */
	JsonbValue items;
	/* document that contains the schema of items; NULL: no items */
	const KgSchemaDocument *items_document;
	List *enum_values; /* List of JsonbValue * */
	int nenums;		   /* number of subschemas with an enum */
	const char *format;
	JsonbValue *annotations[KG_ANNOTATION_COUNT];
	JsonbValue *title;
	JsonbValue *description;
} Gathered;

typedef struct Parser
{
	const Jsonb *schema;
	const Jsonb *definitions;
	const char *path;
	KgErrorList *errors;
	List *fields; /* List of KgField * */
	KgErrorCode code;
	HTAB *visits;  /* hash table of Visit */
	HTAB *names;   /* hash table of Named */
	int gathering; /* serial number of the value that is being described */
	int nesting;   /* nesting depth of $ref and branches within the value */
	/* faults are reported, because the schema is not stored yet */
	bool refusing;
	int max_depth; /* maximum nesting depth of properties */
	int places;	   /* number of subschema positions visited so far */
	bool full;	   /* a limit was reached; the rest of the schema is ignored */
} Parser;

/* The last visit of a subschema. */
typedef struct Visit
{
	const JsonbContainer *place; /* key */
	int gathering;
} Visit;

/* The first property with a given name. */
typedef struct Named
{
	const char *name; /* key */
	const KgField *field;
	/* serial numbers of the values that have a member of this name */
	List *parents;
} Named;

static JsonbValue *
copy_value(const JsonbValue *value)
{
	JsonbValue *copy = palloc(sizeof(JsonbValue));

	*copy = *value;
	return copy;
}

static void
report(Parser *parser, KgError *err, const char *pointer)
{
	kg_error_path(err, "%s%s", parser->path, pointer);
	kg_error_report(parser->errors, err);
}

/* Reports an error. The variadic arguments set members of KgErrorParts. */
#define REPORT(parser, pointer, ...) \
	report(parser, KG_ERROR((parser)->code, __VA_ARGS__), pointer)

static int
type_bit(const JsonbValue *name)
{
	static const char *const names[] = {
		"string", "integer", "number", "boolean", "object", "array", "null"};

	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_string_is(name, names[i]))
			return 1 << i;
	return 0;
}

static int
type_of_value(const JsonbValue *value)
{
	int64 ignored;

	switch ((int) value->type)
	{
		case jbvString:
			return TYPE_STRING;
		case jbvBool:
			return TYPE_BOOLEAN;
		case jbvNull:
			return TYPE_NULL;
		case jbvNumeric:
			return kg_json_int64(value, &ignored) ? TYPE_INTEGER : TYPE_NUMBER;
		default:
			return kg_json_is_object(value) ? TYPE_OBJECT : TYPE_ARRAY;
	}
}

static void gather(Parser *parser, const KgSchemaDocument *document,
				   const JsonbValue *schema, Gathered *g);

/*
 * Counts visited positions, as a measure of work and memory. Returns false if
 * the limit is exceeded.
 */
static bool
look_at(Parser *parser, int places)
{
	CHECK_FOR_INTERRUPTS();
	parser->places += places;
	if (parser->places > kg_setting_schema_max_nodes)
		parser->full = true;
	return !parser->full;
}

/* Returns true if this subschema was not visited for the current value yet. */
static bool
is_first_visit(Parser *parser, const JsonbContainer *place)
{
	bool found;
	Visit *visit = hash_search(parser->visits, &place, HASH_ENTER, &found);

	if (found && visit->gathering == parser->gathering)
		return false;
	visit->gathering = parser->gathering;
	return true;
}

static void
gather_types(const KgSchemaDocument *document, const JsonbContainer *object,
			 Gathered *g)
{
	JsonbValue value;

	if (document->dialect == KG_OPENAPI_30 &&
		kg_json_is_true(object, "nullable"))
		g->types |= TYPE_NULL;
	if (kg_json_get(object, "type", &value) == NULL)
		return;
	if (!kg_json_is_array(&value))
	{
		g->types |= type_bit(&value);
		return;
	}
	kg_json_each(it, kg_json_container(&value))
		g->types |= type_bit(&it.value);
}

static void
gather_enum(Parser *parser, const JsonbContainer *object, Gathered *g)
{
	JsonbValue value;

	if (kg_json_get(object, "const", &value) != NULL)
	{
		g->nenums++;
		g->enum_values = lappend(g->enum_values, copy_value(&value));
	}
	if (kg_json_get(object, "enum", &value) == NULL ||
		!kg_json_is_array(&value) ||
		!look_at(parser, kg_json_length(kg_json_container(&value))))
		return;
	g->nenums++;
	kg_json_each(it, kg_json_container(&value))
		g->enum_values = lappend(g->enum_values, copy_value(&it.value));
}

static void
gather_members(Parser *parser, const KgSchemaDocument *document,
			   const JsonbContainer *object, Gathered *g)
{
	JsonbValue value;

	if (kg_json_get(object, "required", &value) != NULL &&
		kg_json_is_array(&value) &&
		look_at(parser, kg_json_length(kg_json_container(&value))))
	{
		kg_json_each(it, kg_json_container(&value))
			if (it.value.type == jbvString)
				g->required = lappend(g->required, kg_json_cstring(&it.value));
	}
	if (kg_json_get(object, "properties", &value) == NULL ||
		!kg_json_is_object(&value) ||
		!look_at(parser, kg_json_length(kg_json_container(&value))))
		return;
	kg_json_each(it, kg_json_container(&value))
	{
		Member *member = palloc(sizeof(Member));

		member->key = it.key;
		member->schema = it.value;
		member->document = document;
		g->members = lappend(g->members, member);
	}
}

/*
 * Collects the descriptions in the branches of a keyword such as allOf, whose
 * value is an array of schemas.
 */
static void
gather_branches(Parser *parser, const KgSchemaDocument *document,
				const JsonbContainer *object, const char *keyword, Gathered *g)
{
	JsonbValue value;

	if (kg_json_get(object, keyword, &value) == NULL ||
		!kg_json_is_array(&value))
		return;
	kg_json_each(it, kg_json_container(&value))
		gather(parser, document, &it.value, g);
}

static void
gather(Parser *parser, const KgSchemaDocument *document,
	   const JsonbValue *schema, Gathered *g)
{
	const JsonbContainer *object;
	JsonbValue value;

	check_stack_depth();
	if (!kg_json_is_object(schema))
		return;
	object = kg_json_container(schema);
	/* A cyclic chain of $ref ends here. */
	if (parser->nesting >= KG_MAX_NESTING || !is_first_visit(parser, object) ||
		!look_at(parser, 1))
		return;
	parser->nesting++;

	gather_types(document, object, g);
	gather_enum(parser, object, g);
	gather_members(parser, document, object, g);
	if (g->items_document == NULL &&
		kg_json_get(object, "items", &value) != NULL &&
		kg_json_is_object(&value))
	{
		g->items = value;
		g->items_document = document;
	}
	if (g->format == NULL && kg_json_get(object, "format", &value) != NULL &&
		value.type == jbvString)
		g->format = kg_json_cstring(&value);
	if (g->title == NULL && kg_json_get(object, "title", &value) != NULL)
		g->title = copy_value(&value);
	if (g->description == NULL &&
		kg_json_get(object, "description", &value) != NULL)
		g->description = copy_value(&value);
	for (int i = 0; i < KG_ANNOTATION_COUNT; i++)
		if (g->annotations[i] == NULL &&
			kg_json_get(object, kg_annotation_name(i), &value) != NULL)
			g->annotations[i] = copy_value(&value);

	if (kg_json_get(object, "$ref", &value) != NULL && value.type == jbvString)
	{
		JsonbValue target;
		const KgSchemaDocument *other = kg_schema_ref_find(
			document, parser->definitions, kg_json_cstring(&value), &target);

		if (other != NULL)
			gather(parser, other, &target, g);
	}
	gather_branches(parser, document, object, "allOf", g);
	gather_branches(parser, document, object, "anyOf", g);
	gather_branches(parser, document, object, "oneOf", g);
	parser->nesting--;
}

/*
 * Begins the description of another value, which gets the next serial number.
 */
static void
begin_gathering(Parser *parser, Gathered *g)
{
	memset(g, 0, sizeof(*g));
	g->number = ++parser->gathering;
}

/*
 * Returns the declared types. If no type is declared, returns the types of the
 * enum's values, or object or array if the schema describes members or items.
 */
static int
effective_types(const Gathered *g)
{
	int types = g->types;
	ListCell *lc;

	if (types == 0)
	{
		foreach(lc, g->enum_values)
			types |= type_of_value(lfirst(lc));
		if (types == 0 && g->members != NIL)
			types = TYPE_OBJECT;
		if (types == 0 && g->items_document != NULL)
			types = TYPE_ARRAY;
	}
	return types;
}

static KgKind
kind_of(const Gathered *g, int types)
{
	ListCell *lc;

	switch (types & ~TYPE_NULL)
	{
		case TYPE_STRING:
			if (g->enum_values != NIL)
			{
				foreach(lc, g->enum_values)
				{
					JsonbValue *value = lfirst(lc);

					if (value->type != jbvString && value->type != jbvNull)
						return KG_KIND_STRING;
				}
				return KG_KIND_ENUM;
			}
			if (g->format && strcmp(g->format, "date") == 0)
				return KG_KIND_DATE;
			if (g->format && strcmp(g->format, "date-time") == 0)
				return KG_KIND_DATETIME;
			return KG_KIND_STRING;
		case TYPE_INTEGER:
			return KG_KIND_INTEGER;
		case TYPE_NUMBER:
		case TYPE_NUMBER | TYPE_INTEGER:
			return KG_KIND_NUMBER;
		case TYPE_BOOLEAN:
			return KG_KIND_BOOLEAN;
		case TYPE_OBJECT:
			return KG_KIND_OBJECT;
		default:
			return KG_KIND_ANY;
	}
}

static bool
annotation_bool(Parser *parser, const Gathered *g, KgAnnotation which,
				const char *pointer)
{
	const JsonbValue *value = g->annotations[which];

	if (value == NULL)
		return false;
	if (value->type == jbvBool)
		return value->val.boolean;
	REPORT(parser,
		   pointer,
		   .message = psprintf("\"%s\" must be true or false",
							   kg_annotation_name(which)),
		   .got = value,
		   .expected = "true or false",
		   .keyword = kg_annotation_name(which));
	return false;
}

static const char *
annotation_string(Parser *parser, const Gathered *g, KgAnnotation which,
				  const char *pointer)
{
	const JsonbValue *value = g->annotations[which];

	if (value == NULL)
		return NULL;
	if (value->type == jbvString && value->val.string.len > 0)
		return kg_json_cstring(value);
	REPORT(parser,
		   pointer,
		   .message = psprintf("\"%s\" must be a string",
							   kg_annotation_name(which)),
		   .got = value,
		   .expected = "a string that is not empty",
		   .keyword = kg_annotation_name(which));
	return NULL;
}

static void
read_reference(Parser *parser, const Gathered *g, KgField *field,
			   const char *pointer)
{
	const char *ref = annotation_string(parser, g, KG_X_REF, pointer);
	const char *on_delete;
	const char *slash;
	KgError *err;

	field->ref_field = annotation_string(parser, g, KG_X_REF_FIELD, pointer);
	field->relation = annotation_string(parser, g, KG_X_RELATION, pointer);
	on_delete = annotation_string(parser, g, KG_X_ON_DELETE, pointer);
	if (ref == NULL)
	{
		if (field->ref_field || field->relation || on_delete)
			REPORT(parser,
				   pointer,
				   .message =
					   "\"x-ref-field\", \"x-relation\" and \"x-on-delete\" "
					   "require \"x-ref\" in the same property",
				   .expected =
					   "\"x-ref\" with the name of the referenced entity type");
		return;
	}
	if (field->kind != KG_KIND_STRING &&
		(field->kind != KG_KIND_INTEGER || field->ref_field != NULL))
	{
		REPORT(parser,
			   pointer,
			   .message = field->ref_field
							  ? "\"x-ref-field\" requires a property of type "
								"string or an array of strings"
							  : "\"x-ref\" requires a property of type string "
								"or integer, or an array of these",
			   .keyword = "x-ref",
			   .expected = field->ref_field
							   ? "\"type\": \"string\" without enum"
							   : "\"type\": \"string\" without enum, or "
								 "\"integer\" for a type whose ids are "
								 "integers");
		return;
	}
	slash = strchr(ref, '/');
	if (slash)
	{
		field->ref_bundle = pnstrdup(ref, slash - ref);
		field->ref_type = slash + 1;
	}
	else
		field->ref_type = ref;
	if (field->relation == NULL)
	{
		char *upper = pstrdup(field->name);

		for (char *p = upper; *p; p++)
		{
			if (*p >= 'a' && *p <= 'z')
				*p -= 'a' - 'A';
			else if (!((*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
				*p = '_';
		}
		field->relation = upper;
	}
	if (on_delete == NULL || strcmp(on_delete, "restrict") == 0)
		field->on_delete = KG_ON_DELETE_RESTRICT;
	else if (strcmp(on_delete, "cascade") == 0)
		field->on_delete = KG_ON_DELETE_CASCADE;
	else if (strcmp(on_delete, "set_null") == 0)
		field->on_delete = KG_ON_DELETE_SET_NULL;
	else
	{
		err = kg_error_new(
			parser->code, "\"%s\" is not a rule of \"x-on-delete\"", on_delete);
		kg_error_keyword(err, "x-on-delete");
		kg_error_got_string(err, on_delete);
		kg_error_allow(err, "restrict");
		kg_error_allow(err, "cascade");
		kg_error_allow(err, "set_null");
		report(parser, err, pointer);
	}
}

static void
read_derived(Parser *parser, const Gathered *g, KgField *field,
			 const char *pointer)
{
	const JsonbValue *value = g->annotations[KG_X_DERIVED];
	JsonbValue count;
	JsonbValue direction;
	const JsonbContainer *object = kg_json_container(value);

	if (value == NULL || (value->type == jbvBool && !value->val.boolean))
		return;
	field->derived = true;
	direction = kg_json_string_value("outgoing");
	if (kg_json_is_object(value) && kg_json_get(object, "count", &count) &&
		count.type == jbvString &&
		(kg_json_get(object, "direction", &direction) == NULL ||
		 kg_json_string_is(&direction, "incoming") ||
		 kg_json_string_is(&direction, "outgoing")) &&
		kg_json_length(object) <= 2)
	{
		field->derived_relation = kg_json_cstring(&count);
		field->derived_incoming = kg_json_string_is(&direction, "incoming");
	}
	else if (value->type != jbvBool)
		REPORT(parser,
			   pointer,
			   .message = "\"x-derived\" does not name the relation whose "
						  "edges are counted",
			   .keyword = "x-derived",
			   .got = value,
			   .expected = "{\"count\": relation, \"direction\": \"incoming\" "
						   "or \"outgoing\"}");
	field->counted = field->indexed && field->derived_relation != NULL;
	if (field->required || field->is_array ||
		(field->kind != KG_KIND_INTEGER && field->kind != KG_KIND_NUMBER))
		REPORT(parser,
			   pointer,
			   .message = "a property with \"x-derived\" must be an integer or "
						  "a number, and must not be required",
			   .keyword = "x-derived",
			   .expected = "\"type\": \"integer\" outside \"required\"");
	if (!field->indexed || field->counted)
		return;
	REPORT(
		parser,
		pointer,
		.message = "a property with \"x-derived\" that is not a count cannot "
				   "be indexed",
		.keyword = "x-index",
		.expected = "\"x-derived\": {\"count\": relation}, or no \"x-index\"");
	field->indexed = false;
}

static bool
enum_has(const KgField *field, const char *value)
{
	for (int i = 0; i < field->nenum; i++)
		if (strcmp(field->enum_values[i], value) == 0)
			return true;
	return false;
}

/*
 * Reads an enum. If several subschemas list a value, the rank of its first
 * occurrence counts.
 */
static void
read_enum(const Gathered *g, KgField *field)
{
	ListCell *lc;

	field->enum_values = palloc(Max(1, list_length(g->enum_values)) *
								sizeof(char *));
	foreach(lc, g->enum_values)
	{
		JsonbValue *value = lfirst(lc);

		const char *text;

		CHECK_FOR_INTERRUPTS();
		if (value->type == jbvNull)
		{
			field->nullable = true;
			continue;
		}
		text = kg_json_cstring(value);
		if (g->nenums < 2 || !enum_has(field, text))
			field->enum_values[field->nenum++] = text;
	}
}

static void
check_indexable(Parser *parser, KgField *field, const char *pointer)
{
	if (!field->indexed ||
		(field->kind != KG_KIND_OBJECT && field->kind != KG_KIND_ANY))
		return;
	REPORT(
		parser,
		pointer,
		.message = psprintf(
			"property \"%s\" cannot be indexed: it has no single scalar type",
			field->name),
		.keyword = "x-index",
		.expected = "string, integer, number or boolean, each also with null, "
					"or an array of one of these");
	field->indexed = false;
}

static void walk_members(Parser *parser, const Gathered *g, const char *prefix,
						 List *steps, bool is_array, bool required,
						 const char *pointer, int depth);

static void
read_order(Parser *parser, const Gathered *g, KgField *field,
		   const char *pointer)
{
	const char *order = annotation_string(parser, g, KG_X_ORDER, pointer);

	if (order == NULL)
		return;
	field->by_version = strcmp(order, "version") == 0 &&
						field->kind == KG_KIND_STRING && field->nenum == 0;
	if (field->by_version)
		return;
	REPORT(parser,
		   pointer,
		   .message = "\"x-order\" must be \"version\", on a property of type "
					  "string or an array of strings",
		   .got_string = order,
		   .keyword = "x-order",
		   .expected = "\"version\", beside \"type\": \"string\"");
}

static KgStep *
copy_steps(List *steps, int *nsteps)
{
	KgStep *copy = palloc(Max(1, list_length(steps)) * sizeof(KgStep));
	ListCell *lc;

	*nsteps = 0;
	foreach(lc, steps)
		copy[(*nsteps)++] = *(KgStep *) lfirst(lc);
	return copy;
}

static KgStep *
new_step(const char *key, int keylen)
{
	KgStep *step = palloc(sizeof(KgStep));

	step->key = key;
	step->keylen = keylen;
	return step;
}

/*
 * Adds annotations of an array to its items, because an annotation may be
 * written at the array or at its items.
 */
static void
inherit_annotations(Gathered *items, const Gathered *array)
{
	for (int i = 0; i < KG_ANNOTATION_COUNT; i++)
		if (items->annotations[i] == NULL)
			items->annotations[i] = array->annotations[i];
	if (items->title == NULL)
		items->title = array->title;
	if (items->description == NULL)
		items->description = array->description;
}

/*
 * Gives no keys to a field whose name another field has, and reports the fault
 * if the schema is not stored yet. Requests and stored keys use the name, so it
 * must be unique. A schema that was stored before this check existed may repeat
 * a name; the name then denotes the first field.
 */
static void
repeat_name(Parser *parser, KgField *field, const KgField *first)
{
	field->repeats_name = true;
	field->indexed = false;
	field->counted = false;
	if (!parser->refusing)
		return;
	REPORT(
		parser,
		kg_field_schema_pointer(field),
		.message = psprintf("two properties have the name \"%s\"", field->name),
		.got_string = field->name,
		.expected = psprintf("another key in \"%s\" or \"%s\"; a property "
							 "within an object has the name object.key",
							 kg_field_pointer(first),
							 kg_field_pointer(field)));
}

static void
walk_property(Parser *parser, const Member *member, const Gathered *parent,
			  Named *named, List *steps, bool is_array, bool required,
			  const char *parent_pointer, int depth)
{
	KgField *field = palloc0(sizeof(KgField));
	char *key = kg_json_cstring(&member->key);
	StringInfoData pointer;
	Gathered g;
	int types;
	bool member_required = false;
	ListCell *lc;

	begin_gathering(parser, &g);
	foreach(lc, parent->members)
	{
		const Member *same = lfirst(lc);

		if (same->key.val.string.len == member->key.val.string.len &&
			memcmp(same->key.val.string.val,
				   member->key.val.string.val,
				   same->key.val.string.len) == 0)
			gather(parser, same->document, &same->schema, &g);
	}
	initStringInfo(&pointer);
	appendStringInfo(&pointer, "%s/properties", parent_pointer);
	kg_json_pointer_append(&pointer, key, strlen(key));

	foreach(lc, parent->required)
		if (strcmp(lfirst(lc), key) == 0)
			member_required = true;
	steps = lappend(list_copy(steps), new_step(key, strlen(key)));
	types = effective_types(&g);
	field->nullable = (types & TYPE_NULL) != 0;
	while ((types & ~TYPE_NULL) == TYPE_ARRAY && g.items_document != NULL &&
		   depth++ < KG_MAX_FIELD_DEPTH)
	{
		Gathered items;

		begin_gathering(parser, &items);
		gather(parser, g.items_document, &g.items, &items);
		inherit_annotations(&items, &g);
		appendStringInfoString(&pointer, "/items");
		steps = lappend(steps, new_step(NULL, 0));
		is_array = true;
		g = items;
		types = effective_types(&g);
	}

	field->name = named->name;
	field->steps = copy_steps(steps, &field->nsteps);
	field->kind = kind_of(&g, types);
	field->is_array = is_array;
	field->required = required && member_required;
	field->format = g.format;
	field->title = g.title ? kg_json_cstring(g.title) : NULL;
	field->description = g.description ? kg_json_cstring(g.description) : NULL;
	read_enum(&g, field);
	field->indexed = annotation_bool(parser, &g, KG_X_INDEX, pointer.data);
	field->untrusted = annotation_bool(
		parser, &g, KG_X_UNTRUSTED, pointer.data);
	field->detail = annotation_bool(parser, &g, KG_X_DETAIL, pointer.data);
	field->content_type = annotation_string(
		parser, &g, KG_X_CONTENT_TYPE, pointer.data);
	check_indexable(parser, field, pointer.data);
	read_order(parser, &g, field, pointer.data);
	read_reference(parser, &g, field, pointer.data);
	read_derived(parser, &g, field, pointer.data);
	if (named->field != NULL)
		repeat_name(parser, field, named->field);
	else
		named->field = field;
	parser->fields = lappend(parser->fields, field);

	if (g.members != NIL)
		walk_members(parser,
					 &g,
					 field->name,
					 steps,
					 is_array,
					 field->required,
					 pointer.data,
					 depth + 1);
}

static void
walk_members(Parser *parser, const Gathered *g, const char *prefix, List *steps,
			 bool is_array, bool required, const char *pointer, int depth)
{
	ListCell *lc;

	check_stack_depth();
	if (depth > parser->max_depth)
		return;
	foreach(lc, g->members)
	{
		Member *member = lfirst(lc);
		char *name = kg_json_cstring(&member->key);
		Named *named;
		bool found;

		if (list_length(parser->fields) >= kg_setting_max_properties)
			parser->full = true;
		if (parser->full)
			return;
		if (prefix[0])
			name = psprintf("%s.%s", prefix, name);
		named = hash_search(parser->names, &name, HASH_ENTER, &found);
		if (!found)
		{
			named->field = NULL;
			named->parents = NIL;
		}
		/*
		 * Descriptions of a property in two branches of one value are a single
		 * field.
		 */
		if (list_member_int(named->parents, g->number))
			continue;
		named->parents = lappend_int(named->parents, g->number);
		if (!look_at(parser, strlen(name) / KG_BYTES_OF_PLACE))
			return;
		walk_property(parser,
					  member,
					  g,
					  named,
					  steps,
					  is_array,
					  required,
					  pointer,
					  depth);
	}
}

/*
 * Reports an annotation that names a property which does not exist. type->name
 * is NULL if the properties are those of a relation's edges.
 */
static void
report_property(Parser *parser, const KgType *type, KgAnnotation which,
				const char *name, const char *expected)
{
	KgError *err = kg_error_new(
		parser->code,
		"property \"%s\" referenced in \"%s\"%s does not exist",
		name,
		kg_annotation_name(which),
		type->name ? psprintf(" of entity type \"%s\"", type->name) : "");
	const char **names = palloc(Max(1, type->nfields) * sizeof(char *));

	for (int i = 0; i < type->nfields; i++)
	{
		names[i] = type->fields[i].name;
		kg_error_allow(err, names[i]);
	}
	kg_error_keyword(err, kg_annotation_name(which));
	kg_error_got_string(err, name);
	kg_error_expected(err, "%s", expected);
	kg_error_did_you_mean(err, kg_nearest(name, names, type->nfields));
	report(parser, err, psprintf("/%s", kg_annotation_name(which)));
}

static const KgField *
named_field(Parser *parser, const KgType *type, KgAnnotation which,
			const char *name)
{
	for (int i = 0; i < type->nfields; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return &type->fields[i];
	report_property(parser, type, which, name, "the name of a property");
	return NULL;
}

static const KgField *
string_field(Parser *parser, const KgType *type, const Gathered *g,
			 KgAnnotation which)
{
	const char *name = annotation_string(parser, g, which, "");
	const KgField *field;

	if (name == NULL)
		return NULL;
	field = named_field(parser, type, which, name);
	if (field == NULL)
		return NULL;
	if (!field->is_array && field->kind != KG_KIND_OBJECT &&
		field->kind != KG_KIND_ANY && field->kind != KG_KIND_INTEGER &&
		field->kind != KG_KIND_NUMBER && field->kind != KG_KIND_BOOLEAN)
		return field;
	REPORT(parser,
		   psprintf("/%s", kg_annotation_name(which)),
		   .message = psprintf("\"%s\" names \"%s\", which %s",
							   kg_annotation_name(which),
							   name,
							   which == KG_X_ID_FIELD ? "cannot be an id"
													  : "is not a string"),
		   .keyword = kg_annotation_name(which),
		   .got_string = name,
		   .expected = which == KG_X_ID_FIELD
						   ? "a property of type string, or an integer of the "
							 "root in a type without \"x-table\""
						   : "a property of type string");
	return NULL;
}

/*
 * Returns the property that is the beginning or the end of validity, or NULL if
 * the annotation is missing. If the property is no date or date-time, reports
 * that and returns NULL.
 */
static const KgField *
time_field(Parser *parser, const KgType *type, const Gathered *g,
		   KgAnnotation which)
{
	const char *name = annotation_string(
		parser, g, which, psprintf("/%s", kg_annotation_name(which)));
	const KgField *field;

	field = name ? named_field(parser, type, which, name) : NULL;
	if (field == NULL ||
		(!field->is_array && !field->derived &&
		 (field->kind == KG_KIND_DATE || field->kind == KG_KIND_DATETIME)))
		return field;
	REPORT(parser,
		   psprintf("/%s", kg_annotation_name(which)),
		   .message = psprintf(
			   "\"%s\" names \"%s\", which is neither a date nor a date-time",
			   kg_annotation_name(which),
			   name),
		   .keyword = kg_annotation_name(which),
		   .got_string = name,
		   .expected = "a property of type string whose \"format\" is \"date\" "
					   "or \"date-time\"");
	return NULL;
}

static KgPeriod
read_period(Parser *parser, const KgType *type, const Gathered *g)
{
	KgPeriod period = {time_field(parser, type, g, KG_X_VALID_FROM),
					   time_field(parser, type, g, KG_X_VALID_TO)};

	if (period.from == NULL || period.from != period.to)
		return period;
	REPORT(
		parser,
		"/x-valid-to",
		.message = "\"x-valid-from\" and \"x-valid-to\" name the same property",
		.keyword = "x-valid-to",
		.got_string = period.to->name,
		.expected = "two different properties, or only one of the annotations");
	return period;
}

/*
 * Sets *result to the fields in an annotation whose value is a list of distinct
 * property names, and returns their number. Reports other values.
 */
static int
field_list(Parser *parser, const KgType *type, const Gathered *g,
		   KgAnnotation which, const KgField ***result)
{
	const JsonbValue *value = g->annotations[which];
	const KgField **list;
	int n = 0;

	*result = NULL;
	if (value == NULL)
		return 0;
	if (!kg_json_is_array(value))
	{
		REPORT(parser,
			   psprintf("/%s", kg_annotation_name(which)),
			   .message = psprintf("\"%s\" must be an array",
								   kg_annotation_name(which)),
			   .keyword = kg_annotation_name(which),
			   .got = value,
			   .expected = "an array of property names");
		return 0;
	}
	list = palloc(Max(1, kg_json_length(kg_json_container(value))) *
				  sizeof(KgField *));
	kg_json_each(it, kg_json_container(value))
	{
		const KgField *field = NULL;
		bool repeated = false;

		if (it.value.type == jbvString)
			field = named_field(
				parser, type, which, kg_json_cstring(&it.value));
		for (int i = 0; i < n; i++)
			repeated |= list[i] == field;
		if (it.value.type != jbvString || repeated)
			REPORT(parser,
				   psprintf("/%s/%d", kg_annotation_name(which), it.index),
				   .message = psprintf(
					   "\"%s\" must contain distinct property names",
					   kg_annotation_name(which)),
				   .keyword = kg_annotation_name(which),
				   .got = &it.value,
				   .expected = "each property name once");
		else if (field)
			list[n++] = field;
	}
	*result = list;
	return n;
}

/*
 * Reads the annotation x-search: the properties whose words are indexed. They
 * must be texts.
 */
static void
read_search(Parser *parser, KgType *type, const Gathered *g)
{
	type->nsearch = field_list(
		parser, type, g, KG_X_SEARCH, &type->search_fields);
	for (int i = 0; i < type->nsearch; i++)
	{
		const KgField *field = type->search_fields[i];

		if (!field->derived &&
			(field->kind == KG_KIND_STRING || field->kind == KG_KIND_ENUM ||
			 field->kind == KG_KIND_ANY))
			continue;
		REPORT(
			parser,
			"/x-search",
			.message = psprintf(
				"\"x-search\" names \"%s\", which is not a text", field->name),
			.keyword = "x-search",
			.got_string = field->name,
			.expected = "properties of type string, or arrays of them");
	}
}

bool
kg_expose_read(const JsonbValue *value, bool of_relation, int *expose)
{
	*expose = 0;
	if (!kg_json_is_array(value))
		return false;
	kg_json_each(it, kg_json_container(value))
	{
		const KgOperation *operation = NULL;

		if (it.value.type == jbvString)
			operation = kg_operation_named(it.value.val.string.val,
										   it.value.val.string.len);
		if (operation == NULL ||
			((operation->expose & KG_EXPOSE_OF_RELATION) != 0) != of_relation)
			return false;
		*expose |= operation->expose;
	}
	return true;
}

void
kg_expose_allow(KgError *err, bool of_relation)
{
	const KgOperation *operation;

	for (int i = 0; (operation = kg_operation(i)) != NULL; i++)
		if (((operation->expose & KG_EXPOSE_OF_RELATION) != 0) == of_relation)
			kg_error_allow(err, operation->name);
}

static void
read_expose(Parser *parser, KgType *type, const Gathered *g)
{
	const JsonbValue *value = g->annotations[KG_X_TOOL_EXPOSE];
	KgError *err;

	type->expose = KG_EXPOSE_LIST | KG_EXPOSE_GET;
	if (value == NULL || kg_expose_read(value, false, &type->expose))
		return;
	err = kg_error_new(parser->code,
					   "\"x-tool-expose\" must be an array of names of tools");
	kg_error_keyword(err, "x-tool-expose");
	kg_error_got(err, value);
	kg_expose_allow(err, false);
	report(parser, err, "/x-tool-expose");
}

static void
read_format(Parser *parser, KgType *type, const Gathered *g)
{
	const char *mode = annotation_string(parser, g, KG_X_FORMAT, "");
	KgError *err;

	type->annotate_format = mode && strcmp(mode, "annotate") == 0;
	if (mode == NULL || type->annotate_format || strcmp(mode, "assert") == 0)
		return;
	err = kg_error_new(parser->code, "\"x-format\" has no mode \"%s\"", mode);
	kg_error_keyword(err, "x-format");
	kg_error_got_string(err, mode);
	kg_error_allow(err, "assert");
	kg_error_allow(err, "annotate");
	report(parser, err, "/x-format");
}

static void
report_authorize(Parser *parser, const char *member, const JsonbValue *got,
				 const char *expected)
{
	KgError *err = kg_error_new(parser->code, "\"x-authorize\" is not valid");

	kg_error_keyword(err, "x-authorize");
	if (got)
		kg_error_got(err, got);
	kg_error_expected(err, "%s", expected);
	report(parser, err, psprintf("/x-authorize%s", member));
}

/*
 * Returns a name from a member of x-authorize, or NULL if the member is
 * missing. If the name is invalid, reports that and returns NULL.
 */
static const char *
authorize_name(Parser *parser, const JsonbValue *object, const char *member)
{
	JsonbValue value;
	const char *name;

	if (!kg_json_get(kg_json_container(object), member, &value))
		return NULL;
	name = value.type == jbvString ? kg_json_cstring(&value) : "";
	if (name[0] != '\0' && strlen(name) <= KG_MAX_AUTHORIZE_NAME)
		return name;
	report_authorize(
		parser, psprintf("/%s", member), &value, "a string of 1 to 255 bytes");
	return NULL;
}

/*
 * Returns the property whose value is the id of the authorizer's resource. If
 * the property does not exist or has an unsuitable type, reports that and
 * returns NULL.
 */
static const KgField *
resource_field(Parser *parser, const KgType *type, const char *name)
{
	const KgField *field = named_field(parser, type, KG_X_AUTHORIZE, name);

	if (field == NULL ||
		(!field->is_array && !field->derived &&
		 (field->kind == KG_KIND_STRING || field->kind == KG_KIND_ENUM ||
		  field->kind == KG_KIND_INTEGER || field->kind == KG_KIND_DATE ||
		  field->kind == KG_KIND_DATETIME)))
		return field;
	report_authorize(
		parser, "/id", NULL, "a property of type string or integer");
	return NULL;
}

static void
read_authorize(Parser *parser, KgType *type, const Gathered *g)
{
	const JsonbValue *value = g->annotations[KG_X_AUTHORIZE];
	KgAuthorize *authorize;
	const char *id;
	JsonbValue root;

	if (value == NULL)
		return;
	/*
	 * The policies search the annotation in the root of the schema only
	 * (query/run/decisions.c).
	 */
	if (kg_json_get(&parser->schema->root, "x-authorize", &root) == NULL)
		report_authorize(
			parser, "", value, "\"x-authorize\" at the root of the schema");
	authorize = palloc0(sizeof(KgAuthorize));
	/*
	 * Set authorize even if the annotation is faulty, because entities that
	 * need a decision must not become visible without it.
	 */
	type->authorize = authorize;
	authorize->ability = "";
	authorize->resource_type = type->name;
	if (!kg_json_is_object(value))
	{
		report_authorize(
			parser, "", value, "an object with the member \"ability\"");
		return;
	}
	kg_json_each(it, kg_json_container(value))
		if (!kg_json_string_is(&it.key, "ability") &&
			!kg_json_string_is(&it.key, "resource_type") &&
			!kg_json_string_is(&it.key, "id"))
			report_authorize(
				parser,
				"",
				&it.key,
				"no members except \"ability\", \"resource_type\" and \"id\"");
	authorize->ability = authorize_name(parser, value, "ability");
	if (authorize->ability == NULL)
	{
		authorize->ability = "";
		report_authorize(
			parser, "", value, "an object with the member \"ability\"");
	}
	id = authorize_name(parser, value, "resource_type");
	if (id != NULL)
		authorize->resource_type = id;
	id = authorize_name(parser, value, "id");
	if (id != NULL)
		authorize->id_field = resource_field(parser, type, id);
	if (authorize->id_field == type->id_field)
		authorize->id_field = NULL;
}

/*
 * Reads x-table. A column can be filtered and sorted by without an index of
 * keys. So each property with scalar values is treated as if it had x-index.
 */
static void
read_table(Parser *parser, KgType *type, const Gathered *g)
{
	const JsonbValue *value = g->annotations[KG_X_TABLE];

	if (value == NULL)
		return;
	type->binding = kg_binding_read(
		value, false, psprintf("%s/x-table", parser->path), parser->errors);
	if (type->expose & KG_EXPOSE_WRITING)
		REPORT(parser,
			   "/x-tool-expose",
			   .message = "tools that write a table must be listed in "
						  "\"write\" of \"x-table\"",
			   .keyword = "x-tool-expose",
			   .expected = "\"x-tool-expose\" of list, get and list_ids, and "
						   "\"x-table\": {\"write\": [\"create\", \"update\", "
						   "\"delete\"], ...}");
	else if (type->binding != NULL)
		type->expose |= type->binding->write;
	for (int i = 0; i < type->nfields; i++)
	{
		KgField *field = &type->fields[i];

		if (field->ref_type != NULL && field->kind != KG_KIND_STRING)
			REPORT(parser,
				   kg_field_schema_pointer(field),
				   .message = "a reference of a type that reads a table is a "
							  "string",
				   .keyword = "x-ref",
				   .expected = "\"type\": \"string\" without enum");
		field->indexed |= field->kind != KG_KIND_OBJECT &&
						  field->kind != KG_KIND_ANY && !field->derived &&
						  field != type->id_field;
	}
}

/*
 * Returns the id field if ids are integers, or NULL. The field is indexed,
 * because its keys order the entities.
 */
static const KgField *
number_id_field(KgType *type, const Gathered *g)
{
	const JsonbValue *name = g->annotations[KG_X_ID_FIELD];

	for (int i = 0; i < type->nfields; i++)
	{
		KgField *field = &type->fields[i];

		if (!kg_json_string_is(name, field->name) || field->is_array ||
			field->kind != KG_KIND_INTEGER || field->nsteps != 1 ||
			field->derived || field->repeats_name ||
			g->annotations[KG_X_TABLE] != NULL)
			continue;
		field->indexed = true;
		type->number_ids = true;
		return field;
	}
	return NULL;
}

static void
read_id_field(Parser *parser, KgType *type, const Gathered *g)
{
	if (g->annotations[KG_X_ID_FIELD] == NULL)
	{
		REPORT(parser,
			   "",
			   .message = psprintf(
				   "schema of entity type \"%s\" has no \"x-id-field\"",
				   type->name),
			   .keyword = "x-id-field",
			   .expected = "\"x-id-field\" with the name of the property that "
						   "is the entity's id");
		return;
	}
	type->id_field = number_id_field(type, g);
	if (type->id_field == NULL)
		type->id_field = string_field(parser, type, g, KG_X_ID_FIELD);
}

/*
 * Maximum number of digits of a number in a generated id, so that the number
 * fits into an int64.
 */
#define KG_MAX_ID_DIGITS 18
#define KG_ID_DIGITS 6

/*
 * Reports a faulty x-id-generate in a schema that is not stored yet. In a
 * schema that version 0.1.0 stored, the annotation can have any value, because
 * 0.1.0 ignored it.
 */
static void
report_generate(Parser *parser, const JsonbValue *got, const char *expected)
{
	if (!parser->refusing)
		return;
	REPORT(parser,
		   "/x-id-generate",
		   .message = "\"x-id-generate\" is not valid",
		   .keyword = "x-id-generate",
		   .got = got,
		   .expected = expected);
}

static void
read_id_sequence(Parser *parser, KgType *type, const JsonbValue *value)
{
	JsonbValue prefix;
	JsonbValue member;
	int64 digits = KG_ID_DIGITS;
	int known = 1;

	if (kg_json_get(kg_json_container(value), "digits", &member) != NULL)
	{
		known++;
		if (!kg_json_int64(&member, &digits))
			digits = 0;
	}
	if (kg_json_get(kg_json_container(value), "sequence", &prefix) == NULL ||
		prefix.type != jbvString || prefix.val.string.len > 64 ||
		kg_json_length(kg_json_container(value)) != known || digits < 1 ||
		digits > KG_MAX_ID_DIGITS)
	{
		report_generate(parser,
						value,
						"{\"sequence\": a prefix of at most 64 bytes, "
						"\"digits\": 1 to 18}");
		return;
	}
	type->id_generate.prefix = kg_json_cstring(&prefix);
	type->id_generate.digits = digits;
}

static void
read_id_generate(Parser *parser, KgType *type, const Gathered *g)
{
	const JsonbValue *value = g->annotations[KG_X_ID_GENERATE];

	if (value == NULL)
		return;
	if (type->id_field != NULL &&
		(type->id_field->nsteps != 1 || type->number_ids))
		report_generate(parser,
						value,
						"an \"x-id-field\" that names a property of type "
						"string at the root of the entity");
	else if (g->annotations[KG_X_TABLE] != NULL)
	{
		type->id_generate.table = kg_json_string_is(value, "table");
		if (!type->id_generate.table)
			report_generate(parser,
							value,
							"the string \"table\" for a type with \"x-table\"");
	}
	else if (kg_json_is_object(value))
		read_id_sequence(parser, type, value);
	else if (value->type == jbvString && kg_json_string_is(value, "uuid"))
		type->id_generate.uuid = true;
	else
		report_generate(parser, value, "\"uuid\" or {\"sequence\": \"ORD-\"}");
}

/*
 * Renames a property "id" to "data.id", because the name "id" denotes the
 * entity's id.
 */
static void
rename_id_property(Parser *parser, KgType *type)
{
	KgField *other = (KgField *) kg_type_field(type, "data.id");

	for (int i = 0; i < type->nfields; i++)
	{
		KgField *field = &type->fields[i];

		if (strcmp(field->name, "id") != 0 || field == type->id_field ||
			field->repeats_name)
			continue;
		field->name = "data.id";
		if (other != NULL)
			repeat_name(parser, field, other);
	}
}

static int
take_fields(Parser *parser, KgField **fields)
{
	int n = 0;
	ListCell *lc;

	*fields = palloc(Max(1, list_length(parser->fields)) * sizeof(KgField));
	foreach(lc, parser->fields)
		(*fields)[n++] = *(KgField *) lfirst(lc);
	return n;
}

static void
init_parser(Parser *parser, const Jsonb *schema, const Jsonb *definitions,
			const char *path, KgErrorList *errors)
{
	memset(parser, 0, sizeof(*parser));
	parser->schema = schema;
	parser->definitions = definitions;
	parser->path = path;
	parser->errors = errors;
	parser->refusing = errors != NULL;
	parser->code = KG_INVALID_INPUT;
	parser->max_depth = KG_MAX_FIELD_DEPTH;
}

/*
 * Reads the schema and its properties to a maximum depth. Returns false if a
 * limit was reached.
 */
static bool
try_depth(Parser *parser, int max_depth, const JsonbValue *root, Gathered *g)
{
	HASHCTL ctl = {0};

	ctl.keysize = sizeof(const JsonbContainer *);
	ctl.entrysize = sizeof(Visit);
	ctl.hcxt = CurrentMemoryContext;
	parser->visits = hash_create(
		"kg schema visits", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	parser->names = kg_text_table(
		"kg schema names", sizeof(Named), CurrentMemoryContext);
	parser->fields = NIL;
	parser->max_depth = max_depth;
	parser->gathering = 0;
	parser->places = 0;
	parser->full = false;
	begin_gathering(parser, g);
	gather(parser, kg_schema_document(root), root, g);
	walk_members(parser, g, "", NIL, false, true, "", 0);
	hash_destroy(parser->visits);
	hash_destroy(parser->names);
	return !parser->full;
}

/*
 * Returns the greatest depth to which properties can be read within the limits,
 * or -1 if there is no such depth.
 */
static int
find_depth(const Parser *parser, const JsonbValue *root)
{
	int depth;

	for (depth = 0; depth < KG_MAX_FIELD_DEPTH; depth++)
	{
		MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
												   "kg schema properties",
												   ALLOCSET_DEFAULT_SIZES);
		MemoryContext caller = MemoryContextSwitchTo(work);
		KgErrorList unheard = {0};
		Parser trial = *parser;
		Gathered g;
		bool fits;

		trial.errors = &unheard;
		fits = try_depth(&trial, depth, root, &g);
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(work);
		if (!fits)
			break;
	}
	return depth - 1;
}

static KgError *
limit_error(void)
{
	return KG_ERROR(
		KG_LIMIT_EXCEEDED,
		.message = psprintf("schema has more than %d properties, or more than "
							"%d subschemas in which to find them",
							kg_setting_max_properties,
							kg_setting_schema_max_nodes),
		.hint = "See kg_graph.max_properties and kg_graph.schema_max_nodes.");
}

/*
 * Reads the fields and annotations of the whole schema. Several depths may be
 * tried; only the last attempt reports faults. If the limits were lowered after
 * a schema was stored, the schema is read as far as the new limits allow.
 */
static void
read_schema(Parser *parser, const Jsonb *schema, const JsonbValue *root,
			Gathered *g)
{
	KgErrorList *errors = parser->errors;
	KgError *err;
	KgErrorList found = {.limit = errors ? errors->limit : 1};
	int depth = KG_MAX_FIELD_DEPTH;
	ListCell *lc;

	/* A schema that is too large is refused before it is copied. */
	err = errors != NULL ? kg_schema_size_error(schema) : NULL;
	if (err != NULL)
	{
		(void) try_depth(parser, 0, root, g);
		report(parser, err, "");
		return;
	}
	parser->errors = &found;
	if (!try_depth(parser, depth, root, g))
	{
		depth = find_depth(parser, root);
		found.errors = NIL;
		found.total = 0;
		(void) try_depth(parser, Max(depth, 0), root, g);
	}
	parser->errors = errors;
	if (depth >= 0)
	{
		foreach(lc, found.errors)
			kg_error_report(errors, lfirst(lc));
		if (errors != NULL)
			errors->total += found.total - list_length(found.errors);
	}
	else if (errors != NULL)
		report(parser, limit_error(), "");
}

/*
 * Returns the position of a field in the list. A field that is not in the list
 * sorts last.
 */
static int
position_of(const KgField *const *order, int n, const KgField *field)
{
	for (int i = 0; i < n; i++)
	{
		size_t len = strlen(order[i]->name);

		/*
		 * A listed object is followed by its members, which have its name as a
		 * prefix.
		 */
		if (strncmp(field->name, order[i]->name, len) == 0 &&
			(field->name[len] == '\0' || field->name[len] == '.'))
			return i;
	}
	return n;
}

/*
 * Sorts the fields in the order of x-property-order. Fields that
 * x-property-order does not list follow in their previous order. Must be called
 * before any pointer to a field exists. In a schema that version 0.1.0 stored,
 * the annotation can have any value, because 0.1.0 ignored it.
 */
static void
order_fields(Parser *parser, KgType *type, const Gathered *g)
{
	const KgField **order;
	KgErrorList unheard = {0};
	Parser lenient = *parser;
	KgField *sorted = palloc(Max(1, type->nfields) * sizeof(KgField));
	int nsorted = 0;
	int n;

	if (!parser->refusing)
		lenient.errors = &unheard;
	n = field_list(&lenient, type, g, KG_X_PROPERTY_ORDER, &order);
	if (n == 0)
		return;
	for (int position = 0; position <= n; position++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < type->nfields; i++)
			if (position_of(order, n, &type->fields[i]) == position)
				sorted[nsorted++] = type->fields[i];
	}
	type->fields = sorted;
}

KgType *
kg_type_parse(const char *bundle, const char *name, const Jsonb *schema,
			  const Jsonb *definitions, const char *path, KgErrorList *errors)
{
	Parser parser;
	KgType *type = palloc0(sizeof(KgType));
	Gathered g;
	JsonbValue root;

	init_parser(&parser, schema, definitions, path, errors);
	type->bundle = bundle;
	type->name = name;
	type->schema = schema;
	type->definitions = definitions;
	kg_json_root(schema, &root);
	if (!kg_json_is_object(&root))
	{
		KgError *err = kg_error_new(parser.code,
									"schema of entity type \"%s\" must be "
									"an object",
									name);

		kg_error_got(err, &root);
		kg_error_expected(err, "a JSON Schema object with \"x-id-field\"");
		report(&parser, err, "");
		return type;
	}
	kg_annotations_check_names(kg_json_container(&root), path, errors);

	read_schema(&parser, schema, &root, &g);
	if (!parser.refusing && g.annotations[KG_X_TABLE] != NULL &&
		!kg_binding_names_table(g.annotations[KG_X_TABLE]))
		g.annotations[KG_X_TABLE] = NULL;
	type->nfields = take_fields(&parser, &type->fields);
	order_fields(&parser, type, &g);
	for (int i = 0; i < type->nfields; i++)
		type->fields[i].type = type;
	type->title = g.title ? kg_json_cstring(g.title) : NULL;
	type->description = g.description ? kg_json_cstring(g.description) : NULL;
	type->tool_description = annotation_string(
		&parser, &g, KG_X_TOOL_DESCRIPTION, "");
	read_id_field(&parser, type, &g);
	read_id_generate(&parser, type, &g);
	read_expose(&parser, type, &g);
	read_format(&parser, type, &g);
	type->history = annotation_bool(&parser, &g, KG_X_HISTORY, "/x-history");
	type->signs = annotation_bool(&parser, &g, KG_X_SIGNS, "/x-signs");
	type->label_field = string_field(&parser, type, &g, KG_X_LABEL_FIELD);
	type->scope_field = string_field(&parser, type, &g, KG_X_SCOPE_FIELD);
	read_authorize(&parser, type, &g);
	type->period = read_period(&parser, type, &g);
	type->naliases = field_list(
		&parser, type, &g, KG_X_ALIAS_FIELDS, &type->alias_fields);
	type->nsummary = field_list(
		&parser, type, &g, KG_X_SUMMARY_FIELDS, &type->summary_fields);
	read_search(&parser, type, &g);
	read_table(&parser, type, &g);
	rename_id_property(&parser, type);
	return type;
}

int
kg_properties_parse(const Jsonb *schema, const Jsonb *definitions,
					const char *path, KgErrorList *errors, KgField **fields,
					KgPeriod *period)
{
	Parser parser;
	Gathered g;
	JsonbValue root;
	KgType properties;

	init_parser(&parser, schema, definitions, path, errors);
	kg_json_root(schema, &root);
	read_schema(&parser, schema, &root, &g);
	memset(&properties, 0, sizeof(properties));
	properties.nfields = take_fields(&parser, fields);
	properties.fields = *fields;
	*period = read_period(&parser, &properties, &g);
	return properties.nfields;
}
