/*
 * template.c
 *	  Templates of arguments. A template is parsed once, and values are
 *	  inserted for each call.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "tools/registered/template.h"

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
	/* name of the member, if the containing part is an object */
	const char *key;
	int keylen;
	JsonbValue value; /* value of the part, if it is a constant */
	int place;
	int n;
	struct Part *members;
	/* the part that contains this part; NULL: this is the root */
	const struct Part *outer;
} Part;

struct KgTemplate
{
	Part root;
	int nplaces;
	int allocated;
	KgTemplatePlace *places;
	/*
	 * indexed by insertion position: the part that the inserted value replaces
	 */
	const Part **parts;
};

typedef struct Reading
{
	KgTemplate *template;
	const KgTemplateNames *names;
	StringInfoData path; /* JSON Pointer of the part, in the definition */
	KgErrorList *errors;
} Reading;

static void
report(const Reading *r, KgError *err)
{
	kg_error_path(err, "%s", r->path.data);
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
			 const char *const *names, int n)
{
	char *name = value->type == jbvString ? kg_json_cstring(value) : NULL;
	int found = name ? find_name(name, names, n) : -1;
	KgError *err;

	if (found >= 0)
		return found;
	err = kg_error_new(KG_INVALID_INPUT,
					   name ? "no %s has the name \"%s\""
							: "the name of the %s is not a string",
					   what,
					   name ? name : "");
	kg_error_got(err, value);
	for (int i = 0; i < n; i++)
		kg_error_allow(err, names[i]);
	if (name)
		kg_error_did_you_mean(err, kg_nearest(name, names, n));
	report(r, err);
	return -1;
}

static bool
is_pointer(const char *text)
{
	return text[0] == '\0' || text[0] == '/';
}

static char *
read_pointer(const Reading *r, const JsonbContainer *object)
{
	JsonbValue value;
	KgError *err;

	if (kg_json_get(object, "path", &value) == NULL)
		return "";
	if (value.type == jbvString && is_pointer(kg_json_cstring(&value)))
		return kg_json_cstring(&value);
	err = kg_error_new(KG_INVALID_INPUT, "\"path\" is not a JSON Pointer");
	kg_error_got(err, &value);
	kg_error_expected(err, "a JSON Pointer such as \"/items/0/id\"");
	report(r, err);
	return "";
}

static KgTemplatePlace *
add_place(KgTemplate *template, Part *part)
{
	KgTemplatePlace *place;

	if (template->nplaces == template->allocated)
	{
		template->allocated *= 2;
		template->places = repalloc(
			template->places, template->allocated * sizeof(KgTemplatePlace));
		template->parts = repalloc(template->parts,
								   template->allocated * sizeof(Part *));
	}
	part->kind = PART_PLACE;
	part->place = template->nplaces++;
	template->parts[part->place] = part;
	place = &template->places[part->place];
	memset(place, 0, sizeof(*place));
	place->arg = -1;
	return place;
}

/*
 * Returns whether an object is an instruction such as {"$arg": name}. All keys
 * that begin with $ are reserved for instructions.
 */
static bool
has_dollar(const JsonbContainer *object)
{
	kg_json_each(it, object)
		if (it.key.val.string.len > 0 && it.key.val.string.val[0] == '$')
			return true;
	return false;
}

static void
read_place(const Reading *r, const JsonbContainer *object, Part *node)
{
	JsonbValue value;
	KgTemplatePlace *place = add_place(r->template, node);
	KgError *err;

	if (node->outer != NULL && kg_json_length(object) == 1 &&
		kg_json_get(object, KG_ARG, &value))
	{
		place->arg = require_name(
			r, &value, "argument", r->names->args, r->names->nargs);
		return;
	}
	if (node->outer != NULL && kg_json_get(object, KG_RESULT, &value) &&
		kg_json_length(object) ==
			1 + (kg_json_get(object, "path", &(JsonbValue){0}) != NULL))
	{
		place->result = require_name(r,
									 &value,
									 "earlier operation",
									 r->names->results,
									 r->names->nresults);
		place->pointer = read_pointer(r, object);
		return;
	}
	err = kg_error_new(KG_INVALID_INPUT,
					   "an object with a key that begins with \"$\" must be "
					   "{\"$arg\": name} or "
					   "{\"$result\": name, \"path\": pointer}, and cannot be "
					   "\"arguments\" itself");
	report(r, err);
}

static bool read_node(Reading *r, const JsonbValue *value, Part *node);

/*
 * Parses the members of an object or array. Returns whether any member contains
 * an insertion position.
 */
static bool
read_members(Reading *r, const JsonbContainer *container, Part *node)
{
	int len = r->path.len;
	bool filled = false;

	node->members = palloc0(Max(1, kg_json_length(container)) * sizeof(Part));
	kg_json_each(it, container)
	{
		Part *member = &node->members[node->n++];

		member->outer = node;
		if (it.is_object)
		{
			member->key = kg_json_cstring(&it.key);
			member->keylen = it.key.val.string.len;
			kg_json_pointer_append(&r->path, member->key, member->keylen);
		}
		else
			appendStringInfo(&r->path, "/%d", it.index);
		filled |= read_node(r, &it.value, member);
		r->path.len = len;
		r->path.data[len] = '\0';
	}
	return filled;
}

static bool
read_node(Reading *r, const JsonbValue *value, Part *node)
{
	const JsonbContainer *container = kg_json_container(value);

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	node->kind = PART_CONST;
	node->value = *value;
	if (container == NULL)
		return false;
	if (kg_json_is_object(value) && has_dollar(container))
	{
		read_place(r, container, node);
		return true;
	}
	if (!read_members(r, container, node))
		return false;
	node->kind = kg_json_is_object(value) ? PART_OBJECT : PART_ARRAY;
	return true;
}

KgTemplate *
kg_template_read(const JsonbValue *value, const KgTemplateNames *names,
				 const char *path, KgErrorList *errors)
{
	KgTemplate *template = palloc0(sizeof(KgTemplate));
	Reading r = {template, names, .errors = errors};
	int64 before = errors->total;
	KgError *err;

	initStringInfo(&r.path);
	appendStringInfoString(&r.path, path);

	if (!kg_json_is_object(value))
	{
		err = kg_error_new(KG_INVALID_INPUT, "\"arguments\" is not an object");
		kg_error_got(err, value);
		kg_error_expected(err, "an object");
		report(&r, err);
		return NULL;
	}
	template->allocated = 8;
	template->places = palloc(template->allocated * sizeof(KgTemplatePlace));
	template->parts = palloc(template->allocated * sizeof(Part *));
	(void) read_node(&r, value, &template->root);
	pfree(r.path.data);
	return errors->total == before ? template : NULL;
}

int
kg_template_places(const KgTemplate *template, const KgTemplatePlace **places)
{
	*places = template->places;
	return template->nplaces;
}

static void
append_path(const Part *part, StringInfo path)
{
	check_stack_depth();
	if (part->outer == NULL)
		return;
	append_path(part->outer, path);
	if (part->key != NULL)
		kg_json_pointer_append(path, part->key, part->keylen);
	else
		appendStringInfo(path, "/%d", (int) (part - part->outer->members));
}

char *
kg_template_path(const KgTemplate *template, int place)
{
	StringInfoData path;

	initStringInfo(&path);
	append_path(template->parts[place], &path);
	return path.data;
}

static const Part *
find_member(const Part *part, const char *token)
{
	int index;

	if (part->kind == PART_OBJECT)
	{
		for (int i = 0; i < part->n; i++)
			if (strcmp(part->members[i].key, token) == 0)
				return &part->members[i];
		return NULL;
	}
	index = part->kind == PART_ARRAY ? kg_json_pointer_index(token) : -1;
	return index >= 0 && index < part->n ? &part->members[index] : NULL;
}

int
kg_template_place_at(const KgTemplate *template, const char *path,
					 const char **rest)
{
	const Part *part = &template->root;
	StringInfoData token;

	initStringInfo(&token);
	while (part != NULL && part->kind != PART_PLACE && *path == '/')
	{
		path = kg_json_pointer_step(path, &token);
		part = find_member(part, token.data);
	}
	pfree(token.data);
	if (part == NULL || part->kind != PART_PLACE)
		return -1;
	*rest = path;
	return part->place;
}

/* ---- inserting values ---- */

typedef struct Filling
{
	const JsonbValue *const *values;
	KgJsonWriter w;
	int64 left; /* number of bytes that the arguments may still have */
} Filling;

/*
 * Subtracts the bytes of a value from f->left. Bytes are counted as in
 * kg_args_root(). Returns false if too few bytes are left.
 */
static bool
take_bytes(Filling *f, const JsonbValue *value)
{
	const JsonbContainer *container = kg_json_container(value);

	f->left -= sizeof(JEntry);
	if (value->type == jbvString)
		f->left -= value->val.string.len;
	else if (value->type == jbvNumeric)
		f->left -= VARSIZE_ANY(value->val.numeric) +
				   kg_json_number_size(value->val.numeric);
	else if (container != NULL)
	{
		f->left -= value->val.binary.len;
		if (f->left >= 0)
			f->left -= kg_json_number_bytes(container, f->left);
	}
	return f->left >= 0;
}

/*
 * Writes a part of the template with its values inserted. Returns false if too
 * few bytes are left.
 */
static bool
fill(Filling *f, const Part *node)
{
	const JsonbValue *value = node->kind == PART_PLACE ? f->values[node->place]
													   : &node->value;
	bool object = node->kind == PART_OBJECT;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (value == NULL)
		return true;
	if (node->key != NULL)
	{
		f->left -= node->keylen + (int64) sizeof(JEntry);
		kg_jw_keyn(&f->w, node->key, node->keylen);
	}
	if (node->kind == PART_CONST || node->kind == PART_PLACE)
	{
		if (!take_bytes(f, value))
			return false;
		kg_jw_value(&f->w, value);
		return true;
	}
	if (object)
		kg_jw_begin_object(&f->w);
	else
		kg_jw_begin_array(&f->w);
	for (int i = 0; i < node->n; i++)
		if (!fill(f, &node->members[i]))
			return false;
	if (object)
		kg_jw_end_object(&f->w);
	else
		kg_jw_end_array(&f->w);
	return f->left >= 0;
}

Jsonb *
kg_template_fill(const KgTemplate *template, const JsonbValue *const *values,
				 int max_bytes)
{
	Filling f = {.values = values, .left = max_bytes};

	if (template->root.kind == PART_CONST)
		return kg_json_datum(&template->root.value);
	kg_jw_init(&f.w);
	return fill(&f, &template->root) ? kg_jw_finish(&f.w) : NULL;
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
