/*
 * types/typescript.c
 *	  Conversion of JSON Schemas to TypeScript interfaces or zod schemas. The
 *	  code uses no name of the global scope, so a bundle's type may have any
 *	  name. If the schema's bounds permit integers beyond 2^53, the type of
 *	  the number is also bigint.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/property_order.h"
#include "kgctl/schema_types.h"
#include "kgctl/types/types.h"

/* Maximal nesting depth of schemas. */
#define MAX_DEPTH 32
/* Number::MAX_SAFE_INTEGER */
#define MAX_SAFE 9007199254740991.0

typedef struct Writer
{
	KgArena *arena;
	KgBuf *out;
	bool zod;
	const KgJson *root; /* document to which references are resolved */
	KgJson *names;		/* an object whose members are the type names in use */
	int indent;
	int depth;
} Writer;

static void write_type(Writer *w, const KgJson *schema);

/* ---- names ---- */

/*
 * Returns a new name of a type in PascalCase (KnownIssue for known_issue, Cites
 * for CITES), followed by the suffix. Adds a number if the name is taken.
 */
static const char *
pascal(Writer *w, const char *text, const char *suffix)
{
	bool capitals = strpbrk(text, "abcdefghijklmnopqrstuvwxyz") == NULL;
	bool first = true;
	const char *name;
	KgBuf made;

	kg_buf_init(&made);
	for (; *text != '\0'; text++)
	{
		char c = *text;

		if ((c >= 'a' && c <= 'z' && first))
			c = (char) (c - 'a' + 'A');
		else if (c >= 'A' && c <= 'Z' && capitals && !first)
			c = (char) (c - 'A' + 'a');
		first = strchr("_- /.$", *text) != NULL;
		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			(c >= 'a' && c <= 'z'))
			kg_buf_putc(&made, c);
	}
	kg_buf_puts(&made, suffix);
	name = made.data;
	for (int i = 2; kgctl_json_get(w->names, name) != NULL; i++)
		name = kg_arena_format(w->arena, "%s%d", made.data, i);
	name = kg_arena_strndup(w->arena, name, strlen(name));
	kg_buf_free(&made);
	kg_json_put(w->arena, w->names, name, kg_json_new(w->arena, KG_JSON_NULL));
	return name;
}

static bool
is_identifier(const char *name)
{
	return *name != '\0' && (*name < '0' || *name > '9') &&
		   strspn(name,
				  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_$") == strlen(name);
}

static void
write_key(Writer *w, const char *name)
{
	bool prototype = strcmp(name, "__proto__") == 0;

	/* The plain name __proto__ in an object would set the prototype. */
	if (prototype && w->zod)
		kg_buf_puts(w->out, "[\"__proto__\"]");
	else if (is_identifier(name))
		kg_buf_puts(w->out, name);
	else
		kg_buf_json(w->out, name, strlen(name));
}

static void
write_line(Writer *w)
{
	kg_buf_putc(w->out, '\n');
	for (int i = 0; i < w->indent; i++)
		kg_buf_puts(w->out, "  ");
}

/* Writes a comment. The text is changed so that it cannot end the comment. */
static void
write_comment(Writer *w, const char *text)
{
	if (text == NULL || *text == '\0')
		return;
	kg_buf_puts(w->out, "/** ");
	for (; *text != '\0'; text++)
		if (*text == '*' && text[1] == '/')
			kg_buf_puts(w->out, "*\\");
		else if (*text == '\n')
		{
			write_line(w);
			kg_buf_puts(w->out, " * ");
		}
		else if (*text != '\r')
			kg_buf_putc(w->out, *text);
	kg_buf_puts(w->out, " */");
	write_line(w);
}

/*
 * Returns the description of a property, to which the target of its reference
 * and its format are added.
 */
static const char *
description_of(Writer *w, const KgJson *schema)
{
	const KgJson *items = kgctl_json_get(schema, "items");
	const char *text = kg_json_get_text(schema, "description");
	const char *target = kg_json_get_text(schema, "x-ref");
	const char *format = kg_json_get_text(schema, "format");

	if (target == NULL)
		target = kg_json_get_text(items, "x-ref");
	if (text == NULL && target == NULL && format == NULL)
		return NULL;
	return kg_arena_format(
		w->arena,
		"%s%s%s%s%s%s",
		text ? text : "",
		text && (target || format) ? "\n" : "",
		target ? "Refers to " : "",
		target ? target : "",
		target && format ? "\n" : "",
		format ? kg_arena_format(w->arena, "Format: %s", format) : "");
}

/* ---- types ---- */

static void
write_literal(Writer *w, const KgJson *value)
{
	if (w->zod)
		kg_buf_puts(w->out, "z.literal(");
	kg_json_write(w->out, value, -1);
	if (w->zod)
		kg_buf_putc(w->out, ')');
}

/*
 * Writes a union type. Calls the function each() for every member of the list;
 * each() writes the member's type.
 */
static void
write_union(Writer *w, const KgJson *list,
			void (*each)(Writer *w, const KgJson *item))
{
	size_t n = kgctl_json_length(list);

	if (n == 0)
	{
		kg_buf_puts(w->out, w->zod ? "z.never()" : "never");
		return;
	}
	if (n > 1)
		kg_buf_puts(w->out, w->zod ? "z.union([" : "(");
	for (size_t i = 0; i < n; i++)
	{
		kg_buf_puts(w->out, i == 0 ? "" : w->zod ? ", " : " | ");
		each(w, list->u.items[i]);
	}
	if (n > 1)
		kg_buf_puts(w->out, w->zod ? "])" : ")");
}

/*
 * Writes a value of enum or const as a type. zod has no literals of arrays and
 * objects.
 */
static void
write_value(Writer *w, const KgJson *value)
{
	if (value->kind == KG_JSON_ARRAY || value->kind == KG_JSON_OBJECT)
		kg_buf_puts(w->out, w->zod ? "z.unknown()" : "unknown");
	else
		write_literal(w, value);
}

static void
write_intersection(Writer *w, const KgJson *list)
{
	size_t n = kgctl_json_length(list);

	for (size_t i = 0; w->zod && i + 1 < n; i++)
		kg_buf_puts(w->out, "z.intersection(");
	for (size_t i = 0; i < n; i++)
	{
		kg_buf_puts(w->out, i == 0 ? "" : w->zod ? ", " : " & ");
		write_type(w, list->u.items[i]);
		kg_buf_puts(w->out, w->zod && i > 0 ? ")" : "");
	}
}

static double
number_in(const KgJson *schema, const char *name, double otherwise)
{
	const KgJson *value = kgctl_json_get(schema, name);

	return value != NULL && value->kind == KG_JSON_NUMBER
			   ? strtod(value->u.text, NULL)
			   : otherwise;
}

/* Returns whether the bounds of an integer permit values beyond 2^53. */
static bool
is_large(const KgJson *schema)
{
	return number_in(schema, "maximum", 0) > MAX_SAFE ||
		   number_in(schema, "exclusiveMaximum", 0) > MAX_SAFE + 1 ||
		   number_in(schema, "minimum", 0) < -MAX_SAFE ||
		   number_in(schema, "exclusiveMinimum", 0) < -MAX_SAFE - 1;
}

/*
 * Writes a bound as a method of zod. Does nothing if a JavaScript number cannot
 * represent the bound.
 */
static void
write_bound(Writer *w, const KgJson *schema, const char *name,
			const char *method)
{
	const KgJson *value = kgctl_json_get(schema, name);
	double number = number_in(schema, name, 0);

	if (value == NULL || value->kind != KG_JSON_NUMBER || number > MAX_SAFE ||
		number < -MAX_SAFE)
		return;
	kg_buf_printf(w->out, ".%s(%s)", method, value->u.text);
}

/*
 * Writes a limit of a number, and its exclusive form. In draft-04, the value of
 * the exclusive form is a boolean that changes the meaning of the limit.
 */
static void
write_limit(Writer *w, const KgJson *schema, const char *name,
			const char *method, const char *exclusive,
			const char *exclusive_method)
{
	bool excluded = kg_json_is_true(kgctl_json_get(schema, exclusive));

	write_bound(w, schema, name, excluded ? exclusive_method : method);
	write_bound(w, schema, exclusive, exclusive_method);
}

static void
write_number(Writer *w, const KgJson *schema, bool integer)
{
	bool large = integer && is_large(schema);

	if (!w->zod)
	{
		kg_buf_puts(w->out, large ? "(number | bigint)" : "number");
		return;
	}
	kg_buf_puts(w->out,
				large	  ? "z.union([z.int(), z.bigint()])"
				: integer ? "z.int()"
						  : "z.number()");
	if (large)
		return;
	write_limit(w, schema, "minimum", "min", "exclusiveMinimum", "gt");
	write_limit(w, schema, "maximum", "max", "exclusiveMaximum", "lt");
}

static void
write_text(Writer *w, const KgJson *schema)
{
	const char *pattern = kg_json_get_text(schema, "pattern");

	kg_buf_puts(w->out, w->zod ? "z.string()" : "string");
	if (!w->zod)
		return;
	/*
	 * Test only a lower bound: JavaScript counts some characters twice in a
	 * length, so valid texts could exceed an upper bound.
	 */
	write_bound(w, schema, "minLength", "min");
	if (pattern != NULL)
	{
		kg_buf_puts(w->out, ".regex(new globalThis.RegExp(");
		kg_buf_json(w->out, pattern, strlen(pattern));
		kg_buf_puts(w->out, ", \"u\"))");
	}
}

static void
write_array(Writer *w, const KgJson *schema)
{
	const KgJson *items = kgctl_json_get(schema, "items");

	if (kgctl_json_get(schema, "prefixItems") != NULL)
		items = NULL;
	kg_buf_puts(w->out, w->zod ? "z.array(" : "(");
	if (items != NULL)
		write_type(w, items);
	else
		kg_buf_puts(w->out, w->zod ? "z.unknown()" : "unknown");
	kg_buf_puts(w->out, w->zod ? ")" : ")[]");
	if (w->zod)
	{
		write_bound(w, schema, "minItems", "min");
		write_bound(w, schema, "maxItems", "max");
	}
}

static bool
is_required(const KgJson *schema, const char *name)
{
	const KgJson *list = kgctl_json_get(schema, "required");

	for (size_t i = 0; i < kgctl_json_length(list); i++)
		if (kgctl_json_text(list->u.items[i]) != NULL &&
			strcmp(list->u.items[i]->u.text, name) == 0)
			return true;
	return false;
}

static void
write_members(Writer *w, const KgJson *schema, const KgJson *properties)
{
	w->indent++;
	for (size_t i = 0; i < properties->len; i++)
	{
		const KgctlMember *m = &properties->u.members[i];
		bool required = is_required(schema, m->key);

		write_line(w);
		write_comment(w, description_of(w, m->value));
		write_key(w, m->key);
		kg_buf_puts(w->out, !required && !w->zod ? "?: " : ": ");
		write_type(w, m->value);
		if (w->zod && !required)
			kg_buf_puts(w->out, ".optional()");
		kg_buf_puts(w->out, w->zod ? "," : ";");
	}
	w->indent--;
	if (properties->len > 0)
		write_line(w);
}

static void
write_object(Writer *w, const KgJson *schema)
{
	const KgJson *properties = kgctl_json_get(schema, "properties");
	const KgJson *more = kgctl_json_get(schema, "additionalProperties");
	bool any = properties != NULL && properties->kind == KG_JSON_OBJECT &&
			   properties->len > 0;
	bool closed = kg_json_is_false(more);

	if (!any && !closed)
	{
		kg_buf_puts(w->out,
					w->zod ? "z.record(z.string(), " : "{ [key: string]: ");
		if (more != NULL)
			write_type(w, more);
		else
			kg_buf_puts(w->out, w->zod ? "z.unknown()" : "unknown");
		kg_buf_puts(w->out, w->zod ? ")" : " }");
		return;
	}
	if (w->zod)
		kg_buf_puts(w->out, closed ? "z.strictObject(" : "z.looseObject(");
	kg_buf_putc(w->out, '{');
	if (any)
		write_members(w, schema, properties);
	if (!w->zod && more != NULL && !closed)
		kg_buf_puts(w->out, "  [key: string]: unknown;\n");
	kg_buf_puts(w->out, w->zod ? "})" : "}");
}

static void
write_named(Writer *w, const KgJson *schema, const char *type)
{
	if (strcmp(type, "string") == 0)
		write_text(w, schema);
	else if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
		write_number(w, schema, *type == 'i');
	else if (strcmp(type, "boolean") == 0)
		kg_buf_puts(w->out, w->zod ? "z.boolean()" : "boolean");
	else if (strcmp(type, "null") == 0)
		kg_buf_puts(w->out, w->zod ? "z.null()" : "null");
	else if (strcmp(type, "array") == 0)
		write_array(w, schema);
	else
		write_object(w, schema);
}

static void
write_types(Writer *w, const KgJson *schema, const KgJson *types)
{
	size_t n = kgctl_json_length(types);

	kg_buf_puts(w->out, n < 2 ? "" : w->zod ? "z.union([" : "(");
	for (size_t i = 0; i < n; i++)
	{
		kg_buf_puts(w->out, i == 0 ? "" : w->zod ? ", " : " | ");
		write_named(w,
					schema,
					kgctl_json_text(types->u.items[i])
						? types->u.items[i]->u.text
						: "");
	}
	kg_buf_puts(w->out, n < 2 ? "" : w->zod ? "])" : ")");
}

static void
write_schema(Writer *w, const KgJson *schema)
{
	const KgJson *type = kgctl_json_get(schema, "type");
	const KgJson *list;

	if (kg_json_is_false(schema))
		kg_buf_puts(w->out, w->zod ? "z.never()" : "never");
	else if (kgctl_json_get(schema, "const") != NULL)
		write_value(w, kgctl_json_get(schema, "const"));
	else if ((list = kgctl_json_get(schema, "enum")) != NULL)
		write_union(w, list, write_value);
	else if (kgctl_json_text(type) != NULL &&
			 kg_schema_is_nullable(w->root, schema))
	{
		kg_buf_puts(w->out, w->zod ? "z.union([" : "(");
		write_named(w, schema, type->u.text);
		kg_buf_puts(w->out, w->zod ? ", z.null()])" : " | null)");
	}
	else if (kgctl_json_text(type) != NULL)
		write_named(w, schema, type->u.text);
	else if (kgctl_json_length(type) > 0)
		write_types(w, schema, type);
	else if ((list = kgctl_json_get(schema, "anyOf")) != NULL ||
			 (list = kgctl_json_get(schema, "oneOf")) != NULL)
		write_union(w, list, write_type);
	else if (kgctl_json_length(kgctl_json_get(schema, "allOf")) > 0)
		write_intersection(w, kgctl_json_get(schema, "allOf"));
	else if (kgctl_json_get(schema, "properties") != NULL)
		write_object(w, schema);
	else
		kg_buf_puts(w->out, w->zod ? "z.unknown()" : "unknown");
}

/*
 * Writes the type of a schema. Writes "unknown" for a schema that contains
 * itself or is nested too deeply.
 */
static void
write_type(Writer *w, const KgJson *schema)
{
	const KgJson *found = kg_schema_follow(w->arena, w->root, schema);

	if (w->depth >= MAX_DEPTH || found == NULL ||
		kg_json_get_text(found, "$ref") != NULL)
	{
		kg_buf_puts(w->out, w->zod ? "z.unknown()" : "unknown");
		return;
	}
	w->depth++;
	write_schema(w, found);
	w->depth--;
}

/* ---- the file ---- */

static void
write_definition(Writer *w, const char *name, const char *about,
				 const KgJson *schema)
{
	kg_buf_putc(w->out, '\n');
	write_comment(w, about);
	w->root = schema;
	kg_buf_printf(
		w->out, w->zod ? "export const %s = " : "export type %s = ", name);
	write_type(w, schema);
	kg_buf_puts(w->out, ";\n");
	if (w->zod)
		kg_buf_printf(
			w->out, "export type %s = z.infer<typeof %s>;\n", name, name);
}

/* Writes the type of an edge with the properties that its relation declares. */
static void
write_edge(Writer *w, const KgJson *relation)
{
	const char *relation_name = kg_json_text_or(relation, "name", "");
	const KgJson *schema = kgctl_json_get(relation, "schema");
	const char *name = pascal(w, relation_name, "Edge");
	bool properties = schema != NULL && schema->kind == KG_JSON_OBJECT;

	w->root = schema;
	kg_buf_printf(w->out,
				  w->zod ? "\nexport const %s = z.strictObject({\n  relation: "
						   "z.literal(\"%s\"),\n  from: z.string(),\n  to: "
						   "z.string(),\n"
						 : "\nexport type %s = {\n  relation: \"%s\";\n  /** A "
						   "handle, type:id. */\n  from: string;\n  to: "
						   "string;\n",
				  name,
				  relation_name);
	if (properties)
	{
		kg_buf_puts(w->out, w->zod ? "  properties: " : "  properties?: ");
		w->indent++;
		write_type(w, schema);
		w->indent--;
		kg_buf_puts(w->out, w->zod ? ".optional(),\n" : ";\n");
	}
	kg_buf_puts(w->out, w->zod ? "});\n" : "};\n");
	if (w->zod)
		kg_buf_printf(
			w->out, "export type %s = z.infer<typeof %s>;\n", name, name);
}

static bool
is_first(const KgJson *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(kg_json_text_or(list->u.items[k], "name", ""),
				   kg_json_text_or(list->u.items[i], "name", "")) == 0)
			return false;
	return true;
}

static void
write_file(Writer *w, const KgJson *bundle)
{
	const KgJson *schemas = kgctl_json_get(bundle, "schemas");
	const KgJson *relations = kgctl_json_get(bundle, "relations");
	const char *all = pascal(w, "entity_types", "");
	KgBuf map;

	kg_buf_init(&map);
	kg_buf_printf(
		w->out,
		"// Made by kgctl types from the bundle \"%s\", version %s.\n",
		kg_json_text_or(bundle, "bundle_name", ""),
		kg_json_text_or(bundle, "version", ""));
	if (w->zod)
		kg_buf_puts(w->out, "import * as z from \"zod\";\n");
	for (size_t i = 0; i < kgctl_json_length(schemas); i++)
	{
		const KgJson *entry = schemas->u.items[i];
		KgJson *schema = kgctl_json_get(entry, "schema");
		const char *type = kg_json_text_or(entry, "entity_type", "");
		const char *name = pascal(w, type, "");

		kg_property_order_restore(schema);
		write_definition(
			w, name, kg_json_get_text(schema, "description"), schema);
		kg_buf_printf(
			&map, w->zod ? "  \"%s\": %s,\n" : "  \"%s\": %s;\n", type, name);
	}
	for (size_t i = 0; i < kgctl_json_length(relations); i++)
		if (is_first(relations, i))
			write_edge(w, relations->u.items[i]);
	kg_buf_printf(w->out,
				  w->zod ? "\n/** The schema of each entity type. */\nexport "
						   "const %s = {\n%s};\n"
						 : "\n/** The type of each entity type. */\nexport "
						   "interface %s {\n%s}\n",
				  all,
				  map.data ? map.data : "");
	kg_buf_free(&map);
}

static void
write_bundle(KgArena *arena, const KgJson *bundle, KgBuf *out, bool zod)
{
	Writer w = {.arena = arena, .out = out, .zod = zod};

	w.names = kg_json_object(arena);
	write_file(&w, bundle);
}

void
kg_types_typescript(KgArena *arena, const KgJson *bundle, KgBuf *out)
{
	write_bundle(arena, bundle, out, false);
}

void
kg_types_zod(KgArena *arena, const KgJson *bundle, KgBuf *out)
{
	write_bundle(arena, bundle, out, true);
}
