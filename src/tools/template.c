/*
 * template.c
 *	  Templates of arguments: taken apart once, filled in with each call.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "tools/template.h"

#define KG_ARG "$arg"
#define KG_RESULT "$result"

typedef enum PartKind
{
	PART_CONST,
	PART_PLACE,
	PART_OBJECT,
	PART_ARRAY
} PartKind;

typedef struct Part
{
	PartKind kind;
	const char *key; /* in an object */
	int keylen;
	JsonbValue value; /* of a constant */
	int place;
	int n;
	struct Part *members;
} Part;

struct KgTemplate
{
	Part root;
	int nplaces;
	int allocated;
	KgTemplatePlace *places;
};

typedef struct Reading
{
	KgTemplate *template;
	const KgTemplateNames *names;
	const char *at; /* of the template in the definition */
	KgErrorList *errors;
} Reading;

static void
report(const Reading *r, KgError *err, const char *path)
{
	kg_error_path(err, "%s%s", r->at, path);
	kg_error_report(r->errors, err);
}

static int
find_name(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static int
require_name(const Reading *r, const JsonbValue *value, const char *what,
			 const char *const *names, int n, const char *path)
{
	char *name = value->type == jbvString ? kg_json_cstring(value) : NULL;
	int found = name ? find_name(name, names, n) : -1;
	KgError *err;

	if (found >= 0)
		return found;
	err = kg_error_new(KG_INVALID_INPUT,
					   name ? "%s \"%s\" does not exist"
							: "the name of %s is not a string",
					   what,
					   name ? name : "");
	kg_error_got(err, value);
	for (int i = 0; i < n; i++)
		kg_error_allow(err, names[i]);
	if (name)
		kg_error_did_you_mean(err, kg_nearest(name, names, n));
	report(r, err, path);
	return -1;
}

static bool
is_pointer(const char *text)
{
	return text[0] == '\0' || text[0] == '/';
}

static char *
read_pointer(const Reading *r, const JsonbContainer *object, const char *path)
{
	JsonbValue value;
	KgError *err;

	if (kg_json_get(object, "path", &value) == NULL)
		return "";
	if (value.type == jbvString && is_pointer(kg_json_cstring(&value)))
		return kg_json_cstring(&value);
	err = kg_error_new(KG_INVALID_INPUT, "\"path\" is no JSON Pointer");
	kg_error_got(err, &value);
	kg_error_expected(err, "such as \"/items/0/id\"");
	report(r, err, path);
	return "";
}

static KgTemplatePlace *
add_place(KgTemplate *template, const char *path)
{
	KgTemplatePlace *place;

	if (template->nplaces == template->allocated)
	{
		template->allocated = Max(8, 2 * template->allocated);
		template->places =
			template->places
				? repalloc(template->places,
						   template->allocated * sizeof(KgTemplatePlace))
				: palloc(template->allocated * sizeof(KgTemplatePlace));
	}
	place = &template->places[template->nplaces++];
	memset(place, 0, sizeof(*place));
	place->path = pstrdup(path);
	return place;
}

/* Is the object one of ours?  A key that begins with $ is not for anything else. */
static bool
has_dollar(const JsonbContainer *object)
{
	kg_json_each(it, object)
		if (it.key.val.string.len > 0 && it.key.val.string.val[0] == '$')
			return true;
	return false;
}

static void
read_place(const Reading *r, const JsonbContainer *object, const char *path,
		   Part *node)
{
	JsonbValue value;
	KgTemplatePlace *place = add_place(r->template, path);
	KgError *err;

	node->kind = PART_PLACE;
	node->place = r->template->nplaces - 1;
	place->arg = -1;
	if (path[0] != '\0' && kg_json_length(object) == 1 &&
		kg_json_get(object, KG_ARG, &value))
	{
		place->arg = require_name(
			r, &value, "argument", r->names->args, r->names->nargs, path);
		return;
	}
	if (path[0] != '\0' && kg_json_get(object, KG_RESULT, &value) &&
		kg_json_length(object) ==
			1 + (kg_json_get(object, "path", &(JsonbValue){0}) != NULL))
	{
		place->result = require_name(r,
									 &value,
									 "an earlier operation",
									 r->names->results,
									 r->names->nresults,
									 path);
		place->pointer = read_pointer(r, object, path);
		return;
	}
	err = kg_error_new(KG_INVALID_INPUT,
					   "a key that begins with \"$\" is for {\"$arg\": name} "
					   "and {\"$result\": name, \"path\": pointer} only, as "
					   "whole values");
	report(r, err, path);
}

static bool read_node(const Reading *r, const JsonbValue *value,
					  const char *path, Part *node);

/* True where something in it is to be filled in. */
static bool
read_members(const Reading *r, const JsonbContainer *container,
			 const char *path, Part *node)
{
	bool filled = false;

	node->members = palloc0(Max(1, kg_json_length(container)) * sizeof(Part));
	kg_json_each(it, container)
	{
		Part *member = &node->members[node->n++];
		StringInfoData at;

		initStringInfo(&at);
		appendStringInfoString(&at, path);
		if (it.is_object)
		{
			member->key = kg_json_cstring(&it.key);
			member->keylen = it.key.val.string.len;
			kg_json_pointer_append(&at, member->key, member->keylen);
		}
		else
			appendStringInfo(&at, "/%d", it.index);
		filled |= read_node(r, &it.value, at.data, member);
		pfree(at.data);
	}
	return filled;
}

static bool
read_node(const Reading *r, const JsonbValue *value, const char *path,
		  Part *node)
{
	const JsonbContainer *container = kg_json_container(value);

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	node->kind = PART_CONST;
	if (container != NULL)
	{
		if (kg_json_is_object(value) && has_dollar(container))
		{
			read_place(r, container, path, node);
			return true;
		}
		if (read_members(r, container, path, node))
		{
			node->kind = kg_json_is_object(value) ? PART_OBJECT : PART_ARRAY;
			return true;
		}
	}
	kg_json_root(kg_json_datum(value), &node->value);
	return false;
}

KgTemplate *
kg_template_read(const JsonbValue *value, const KgTemplateNames *names,
				 const char *path, KgErrorList *errors)
{
	KgTemplate *template = palloc0(sizeof(KgTemplate));
	Reading r = {template, names, path, errors};
	int64 before = errors->total;
	KgError *err;

	if (!kg_json_is_object(value))
	{
		err = kg_error_new(KG_INVALID_INPUT, "\"arguments\" is no object");
		kg_error_got(err, value);
		kg_error_expected(err, "an object");
		report(&r, err, "");
		return NULL;
	}
	if (!read_node(&r, value, "", &template->root))
		template->root.kind = PART_CONST;
	return errors->total == before ? template : NULL;
}

int
kg_template_places(const KgTemplate *template, const KgTemplatePlace **places)
{
	*places = template->places;
	return template->nplaces;
}

JsonbValue *
kg_json_at(const Jsonb *document, const char *pointer, JsonbValue *found)
{
	kg_json_root(document, found);
	while (*pointer == '/')
	{
		const JsonbContainer *container = kg_json_container(found);
		StringInfoData token;
		char *end;
		long index;
		JsonbValue *item;

		initStringInfo(&token);
		for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++)
		{
			bool escaped = pointer[0] == '~' &&
						   (pointer[1] == '0' || pointer[1] == '1');

			appendStringInfoChar(
				&token, escaped ? (*++pointer == '0' ? '~' : '/') : *pointer);
		}
		if (kg_json_is_object(found))
		{
			if (kg_json_get(container, token.data, found) == NULL)
				return NULL;
			continue;
		}
		index = strtol(token.data, &end, 10);
		if (!kg_json_is_array(found) || *end != '\0' || end == token.data ||
			index < 0 || index >= kg_json_length(container))
			return NULL;
		item = getIthJsonbValueFromContainer((JsonbContainer *) container,
											 (uint32) index);
		*found = *item;
	}
	return found;
}

/*
 * Filling.
 */

static void
fill(const Part *node, const JsonbValue *const *values, const char *key,
	 KgJsonWriter *w)
{
	const JsonbValue *value = node->kind == PART_PLACE ? values[node->place]
													   : &node->value;

	if (value == NULL)
		return;
	if (key != NULL)
		kg_jw_keyn(w, key, node->keylen);
	switch (node->kind)
	{
		case PART_CONST:
		case PART_PLACE:
			kg_jw_value(w, value);
			break;
		case PART_OBJECT:
			kg_jw_begin_object(w);
			for (int i = 0; i < node->n; i++)
				fill(&node->members[i], values, node->members[i].key, w);
			kg_jw_end_object(w);
			break;
		case PART_ARRAY:
			kg_jw_begin_array(w);
			for (int i = 0; i < node->n; i++)
				fill(&node->members[i], values, NULL, w);
			kg_jw_end_array(w);
			break;
	}
}

Jsonb *
kg_template_fill(const KgTemplate *template, const JsonbValue *const *values)
{
	KgJsonWriter w;

	if (template->root.kind == PART_CONST)
		return kg_json_datum(&template->root.value);
	kg_jw_init(&w);
	fill(&template->root, values, NULL, &w);
	return kg_jw_finish(&w);
}

int
kg_template_member(const KgTemplate *template, const char *key)
{
	for (int i = 0; i < template->root.n; i++)
	{
		const Part *member = &template->root.members[i];

		if (template->root.kind == PART_OBJECT && member->kind == PART_PLACE &&
			strcmp(member->key, key) == 0)
			return template->places[member->place].arg;
	}
	return -1;
}
