/*
 * input.c
 *	  Reads the arguments of a tool by the schema that the tool publishes.
 */
#include "postgres.h"

#include "base/json_untrusted.h"
#include "base/settings.h"
#include "model/handle.h"
#include "query/argument/names.h"
#include "query/time/past.h"
#include "query/argument/repair.h"
#include "query/time/validity.h"
#include "tools/input/input.h"
#include "tools/input/schema_template.h"

/* Maximum bytes of a string that is parsed as JSON text. */
#define KG_MAX_DECODED_BYTES (64 * 1024)

/* ---- the schema ---- */

static const KgMember *
find_member(const KgInput *in, const char *key)
{
	const KgMember *member = kg_outline_member(in->outline, key, strlen(key));

	if (member == NULL)
		elog(ERROR, "no argument \"%s\" in the tool's schema", key);
	return member;
}

static int64
number_of(const KgMemberBound *bound, int64 dflt)
{
	if (!bound->given)
		return dflt;
	return bound->number < 0 ? bound->value : kg_template_number(bound->number);
}

/* ---- objects ---- */

/*
 * Returns whether the call may omit a member. A required member cannot be
 * omitted. If the schema has both "id" and "ids", the call must have one of
 * them, so each may be omitted only if the call has the other.
 */
static bool
may_be_left_out(const KgInput *in, const char *key)
{
	static const char *const either[] = {"id", "ids"};

	if (find_member(in, key)->required)
		return false;
	for (int i = 0; i < lengthof(either); i++)
		if (strcmp(key, either[i]) == 0 && kg_input_declares(in, either[!i]))
			return kg_input_has(in, either[!i]);
	return true;
}

static bool
is_blank(const JsonbValue *value)
{
	return value->type == jbvNull ||
		   (value->type == jbvString && value->val.string.len == 0);
}

void (*kg_input_unknown)(const KgInput *in, const JsonbValue *key) = NULL;
bool (*kg_input_other_words)(KgInput *in) = NULL;

/*
 * Returns the member of an array's objects for which a name can stand, or NULL.
 * A name may then be sent in place of an object of the array.
 */
static const char *
member_of_name(const KgMember *member)
{
	const char *name = member->array && member->of_objects
						   ? kg_member_of_string(member)
						   : NULL;

	/*
	 * A name cannot stand for an object that a tool writes: such an object
	 * needs more than an id, and the name may be a statement about an entity.
	 */
	return name != NULL && strcmp(name, "id") != 0 &&
				   strcmp(name, "entity") != 0
			   ? name
			   : NULL;
}

/*
 * Returns whether a string is a name or a path, such as "customer.name". If
 * "sorted" is true, also accepts the forms "-name" and "name desc" of a field
 * to sort by.
 */
static bool
is_name(const JsonbValue *value, bool sorted)
{
	const char *text;
	size_t length;

	if (value->type != jbvString)
		return false;
	text = kg_json_cstring(value);
	if (sorted && (*text == '-' || *text == '+'))
		text++;
	length = kg_args_name_length(text);
	if (length == 0)
		return false;
	text += length;
	if (sorted && kg_args_example_of(value, "field", false) == NULL)
		return false;
	return *text == '\0' || (sorted && (pg_strcasecmp(text, " asc") == 0 ||
										pg_strcasecmp(text, " desc") == 0));
}

/*
 * Returns whether a string has the name of an object, or several such names
 * with commas.
 */
static bool
is_names(const JsonbValue *value, bool sorted)
{
	char **names;

	return is_name(value, sorted) ||
		   (!sorted && kg_args_split_names(value, &names) > 0);
}

/*
 * Returns whether a value has names in place of the objects of an array. The
 * value is a name, several names with commas, or an array of these and of
 * objects.
 */
static bool
has_names(const KgMember *member, const JsonbValue *value)
{
	const char *name = member_of_name(member);
	bool sorted = name != NULL && strcmp(name, "field") == 0;
	bool found = false;

	if (name == NULL)
		return false;
	if (!kg_json_is_array(value))
		return is_names(value, sorted);
	kg_json_each(it, kg_json_container(value))
	{
		if (is_names(&it.value, sorted))
			found = true;
		else if (!kg_json_is_object(&it.value))
			return false;
	}
	return found;
}

/*
 * Returns the array of objects for which the value stands. The value has names
 * in place of some objects.
 */
static Jsonb *
with_objects(const KgMember *member, const JsonbValue *value)
{
	KgJsonWriter w;

	if (!kg_json_is_array(value))
		return kg_args_list_of(member, value);
	kg_jw_init_array(&w);
	kg_json_each(it, kg_json_container(value))
	{
		if (it.value.type == jbvString)
			kg_json_each(name, &kg_args_list_of(member, &it.value)->root)
				kg_jw_value(&w, &name.value);
		else
			kg_jw_value(&w, &it.value);
	}
	return kg_jw_finish(&w);
}

/*
 * Returns false if the value surely has the form that the schema requires, so
 * that in_form() need not be called. This is a fast test of a single value.
 */
static bool
may_have_other_form(const KgMember *member, const JsonbValue *value)
{
	switch ((int) value->type)
	{
		case jbvNull:
			return true;
		case jbvString:
			for (int i = 0; i < member->nnames; i++)
				if (kg_json_string_is(value, member->names[i]))
					return false;
			return member->array || member->object || member->or_array ||
				   member->or_object || member->nnames > 0 ||
				   value->val.string.len == 0;
		case jbvBinary:
			return member->array &&
				   (!kg_json_is_array(value) || has_names(member, value));
		default:
			return member->array;
	}
}

/*
 * If the argument is an array or object, and the value is a string with its
 * JSON text, returns the array or object. Otherwise returns NULL.
 */
static Jsonb *
decoded(const KgMember *member, const JsonbValue *value)
{
	bool array = member->array || member->or_array;
	bool object = member->object || member->or_object;
	Jsonb *json;

	if (value->type != jbvString || !(array || object) ||
		value->val.string.len > KG_MAX_DECODED_BYTES)
		return NULL;
	json = kg_json_parse_untrusted(value->val.string.val,
								   value->val.string.len);
	if (json == NULL || JB_ROOT_IS_SCALAR(json))
		return NULL;
	return (JB_ROOT_IS_ARRAY(json) ? array : object) ? json : NULL;
}

/*
 * Returns the name of an enum that equals the value without regard to case.
 * Returns NULL if there is no such name, or if there are several.
 */
static const char *
in_other_case(const KgMember *member, const JsonbValue *value)
{
	const char *text;
	const char *found = NULL;

	if (value->type != jbvString)
		return NULL;
	text = kg_json_cstring(value);
	for (int i = 0; i < member->nnames; i++)
	{
		if (strcmp(member->names[i], text) == 0 ||
			(found != NULL && pg_strcasecmp(member->names[i], text) == 0))
			return NULL;
		if (pg_strcasecmp(member->names[i], text) == 0)
			found = member->names[i];
	}
	return found;
}

/*
 * If a value has a form other than the schema's, but only one meaning, returns
 * it in the schema's form. Converts JSON text, a single value in place of an
 * array, names in place of an array's objects, and names in another case.
 * Returns NULL if the value needs no conversion.
 */
static Jsonb *
in_form(const KgMember *member, const char *key, const JsonbValue *value)
{
	Jsonb *form = decoded(member, value);
	const char *name;
	JsonbValue string;

	if (form != NULL || value->type == jbvNull)
		return form;
	if (has_names(member, value))
		return with_objects(member, value);
	if (member->array && !kg_json_is_array(value) && member->inner != NULL &&
		member->of_objects == kg_json_is_object(value))
		return is_blank(value)
				   ? NULL
				   : kg_args_list_of(member->of_names ? member : NULL, value);
	name = in_other_case(member, value);
	if (name == NULL)
		return NULL;
	string = kg_json_string_value(name);
	return kg_json_datum(&string);
}

/* Returns whether the member is null or blank and can be treated as absent. */
static bool
says_nothing(const KgInput *in, const KgMember *member, const char *key,
			 const JsonbValue *value)
{
	/*
	 * In a nested object or an array, a blank string may be a value, so it is
	 * not treated as absent.
	 */
	return (value->type == jbvNull
				? member->typed
				: is_blank(value) && !member->array && in->path[0] == '\0') &&
		   may_be_left_out(in, key);
}

/* Returns whether some member has a form other than the schema's. */
static bool
has_other_form(const KgInput *in)
{
	kg_json_each(it, in->object)
	{
		char *key = kg_json_cstring(&it.key);
		const KgMember *member = kg_outline_member(
			in->outline, key, strlen(key));

		if (says_nothing(in, member, key, &it.value) ||
			in_form(member, key, &it.value) != NULL)
			return true;
	}
	return false;
}

/*
 * Converts values in other forms to the schema's form, and reports the
 * repairs.
 */
static void
take_forms(KgInput *in)
{
	KgJsonWriter w;

	if (!has_other_form(in))
		return;
	kg_jw_init_object(&w);
	kg_json_each(it, in->object)
	{
		char *key = kg_json_cstring(&it.key);
		const KgMember *member = kg_outline_member(
			in->outline, key, strlen(key));
		bool nothing = says_nothing(in, member, key, &it.value);
		Jsonb *form = nothing ? NULL : in_form(member, key, &it.value);
		JsonbValue used;

		if (!nothing && form == NULL)
		{
			kg_jw_member(&w, &it);
			continue;
		}
		if (form != NULL)
		{
			kg_json_root(form, &used);
			kg_jw_kjsonb(&w, key, form);
		}
		kg_repair_add(in->repairs,
					  kg_input_path(in, key),
					  &it.value,
					  form ? &used : NULL);
		kg_repair_take(kg_input_path(in, key), form);
	}
	in->object = &kg_jw_finish(&w)->root;
}

/*
 * Synonyms of names of arguments. If the schema has the name "published",
 * "word" is accepted in its place. If "beside" is not NULL, the schema must
 * have that name, too. If "unless" is not NULL, the schema must not have that
 * name, with which the word would be ambiguous.
 */
static const struct
{
	const char *word;
	const char *published;
	const char *beside;
	const char *unless;
	bool array; /* true: the value must be an array */
} words[] = {{"type", "label", NULL, "relationship"},
			 {"type", "node_label", NULL, NULL},
			 {"relation", "relationship", NULL, NULL},
			 {"relation", "type", "direction", NULL},
			 {"types", "node_labels", NULL, NULL},
			 {"relations", "relationship_types", NULL, NULL},
			 {"subject", "from", "within", NULL},
			 {"source", "from", "within", NULL},
			 {"object", "to", "within", NULL},
			 {"target", "to", "within", NULL},
			 {"predicate", "relation", "within", NULL},
			 {"value", "is", "entity", NULL},
			 {"expected", "is", "entity", NULL},
			 {"equals", "is", "entity", NULL},
			 {"function", "fn", NULL, NULL},
			 {"func", "fn", NULL, NULL},
			 {"op", "fn", NULL, NULL},
			 {"alias", "as", "fn", NULL},
			 {"field", "property", NULL, NULL},
			 {"property", "field", "order", NULL},
			 {"direction", "order", "field", NULL},
			 {"per_page", "limit", NULL, NULL},
			 {"perPage", "limit", NULL, NULL},
			 {"page_size", "limit", NULL, NULL},
			 {"pageSize", "limit", NULL, NULL},
			 {"items_per_page", "limit", NULL, NULL},
			 {"skip", "offset", NULL, NULL},
			 {"properties", "columns", NULL, NULL, true},
			 {"properties", "fields", NULL, NULL, true}};

/*
 * If the name of a member is a synonym of a name in the schema that the object
 * lacks, returns the name in the schema. Otherwise returns NULL.
 */
static const char *
synonym_of(const KgInput *in, const KgJsonIter *member)
{
	const JsonbValue *key = &member->key;

	if (kg_outline_member(
			in->outline, key->val.string.val, key->val.string.len) != NULL)
		return NULL;
	for (int i = 0; i < lengthof(words); i++)
		if (kg_json_string_is(key, words[i].word) &&
			kg_input_declares(in, words[i].published) &&
			(words[i].beside == NULL ||
			 kg_input_declares(in, words[i].beside)) &&
			(words[i].unless == NULL ||
			 !kg_input_declares(in, words[i].unless)) &&
			(!words[i].array || kg_json_is_array(&member->value)) &&
			!kg_input_has(in, words[i].published))
			return words[i].published;
	return NULL;
}

void
kg_input_replace(KgInput *in, const Jsonb *object)
{
	in->object = &object->root;
	kg_repair_take(in->path, object);
}

/*
 * Returns the name in the schema that replaces a member's name, or NULL. If the
 * object has two synonyms of one name, neither is replaced.
 */
static const char *
published_word(const KgInput *in, const KgJsonIter *member)
{
	const char *published = synonym_of(in, member);

	if (published == NULL)
		return NULL;
	kg_json_each(it, in->object)
		if (it.index != member->index && synonym_of(in, &it) == published)
			return NULL;
	return published;
}

static bool
has_words(const KgInput *in)
{
	kg_json_each(it, in->object)
		if (published_word(in, &it) != NULL)
			return true;
	return false;
}

/*
 * Replaces each synonym of an argument by the argument's name in the schema.
 * Returns false if the object has no synonyms.
 */
static bool
take_words(KgInput *in)
{
	KgJsonWriter w;

	if (!has_words(in))
		return false;
	kg_jw_init_object(&w);
	kg_json_each(it, in->object)
	{
		const char *published = published_word(in, &it);
		JsonbValue used;

		if (published == NULL)
		{
			kg_jw_member(&w, &it);
			continue;
		}
		used = kg_json_string_value(published);
		kg_repair_add(in->repairs,
					  kg_input_path(in, kg_json_cstring(&it.key)),
					  &it.key,
					  &used);
		kg_jw_key(&w, published);
		kg_jw_value(&w, &it.value);
	}
	kg_input_replace(in, kg_jw_finish(&w));
	return true;
}

/*
 * Replaces synonyms, then checks that the schema has all members of the object.
 * Returns whether a member may have a form other than the schema's. If not,
 * this is the only pass over the arguments.
 */
static bool
check_known(KgInput *in)
{
	const KgOutline *outline = in->outline;
	bool other_form = false;

	kg_json_each(it, in->object)
	{
		const KgMember *member = kg_outline_member(
			outline, it.key.val.string.val, it.key.val.string.len);

		if (member == NULL)
		{
			if (in->repairs != NULL &&
				(take_words(in) || kg_input_other_words(in)))
				return check_known(in);
			kg_input_unknown(in, &it.key);
			kg_args_known(in->object, in->path, outline);
		}
		other_form = other_form || may_have_other_form(member, &it.value);
	}
	return other_form;
}

static void
open_object(KgInput *in, const JsonbContainer *object, const KgOutline *outline,
			const char *path, KgRepairs *repairs)
{
	in->object = object;
	in->outline = outline;
	in->path = path;
	in->repairs = repairs;
	if (check_known(in) && repairs != NULL)
		take_forms(in);
}

void
kg_input_open(KgInput *in, const Jsonb *arguments, const char *template,
			  KgRepairs *repairs)
{
	open_object(in, kg_args_root(arguments), kg_outline(template), "", repairs);
}

bool
kg_input_declares(const KgInput *in, const char *key)
{
	return kg_outline_member(in->outline, key, strlen(key)) != NULL;
}

bool
kg_input_has(const KgInput *in, const char *key)
{
	JsonbValue value;

	return kg_json_get(in->object, key, &value) != NULL;
}

const char *
kg_input_instant(const KgInput *in, const char *key)
{
	JsonbValue value;

	if (kg_json_get(in->object, key, &value) == NULL ||
		!kg_input_declares(in, key))
		return NULL;
	if (value.type == jbvNumeric)
		return kg_json_cstring(&value);
	return kg_input_string(in, key);
}

void
kg_input_as_of(const KgInput *in, const KgCatalog *catalog, const KgType *type)
{
	kg_past_ask(catalog, type, kg_input_instant(in, "as_of"));
}

void
kg_input_valid_at(const KgInput *in, const KgCatalog *catalog)
{
	const char *valid_at = kg_input_instant(in, "valid_at");

	kg_validity_ask(
		catalog, valid_at, valid_at ? kg_input_path(in, "valid_at") : NULL);
}

int64
kg_input_minimum(const KgInput *in, const char *key)
{
	return number_of(&find_member(in, key)->minimum, PG_INT32_MIN);
}

int64
kg_input_maximum(const KgInput *in, const char *key)
{
	const KgMember *member = find_member(in, key);

	return number_of(&member->max_items,
					 number_of(&member->maximum, PG_INT32_MAX));
}

int64
kg_input_default(const KgInput *in, const char *key)
{
	return number_of(&find_member(in, key)->default_number, -1);
}

char *
kg_input_path(const KgInput *in, const char *key)
{
	return kg_path_member(in->path, key);
}

void
kg_input_require(const KgInput *in, const char *key)
{
	if (kg_input_has(in, key))
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("argument \"%s\" is missing", key),
			 .path = kg_input_path(in, key),
			 .expected = psprintf("a value for \"%s\"", key));
}

void
kg_input_only(const KgInput *in, const char *const *known, int nknown)
{
	const KgOutline some = kg_outline_of(in->outline, known, nknown);

	kg_args_known(in->object, in->path, &some);
}

bool
kg_input_value(const KgInput *in, const char *key, JsonbValue *value)
{
	if (kg_json_get(in->object, key, value) != NULL)
		return true;
	if (find_member(in, key)->required)
		kg_input_require(in, key);
	return false;
}

/*
 * Returns whether a text is equal or similar to the name of a type that the
 * caller sees.
 */
static bool
may_be_type(const char *text)
{
	const KgCatalog *catalog = kg_running_catalog();
	const char **names = palloc(Max(1, catalog->ntypes) * sizeof(char *));

	if (kg_catalog_type(catalog, text) != NULL)
		return true;
	for (int i = 0; i < catalog->ntypes; i++)
		names[i] = catalog->types[i].name;
	return kg_likely(text, names, NULL, catalog->ntypes) >= 0;
}

/*
 * Returns the selection {"ids": [value]} for a text that is not the name of a
 * type. Returns NULL if the object requires a label.
 */
static Jsonb *
meant_id(const KgOutline *outline, const JsonbValue *value)
{
	KgJsonWriter w;

	if (kg_outline_member(outline, "label", 5)->required)
		return NULL;
	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, "ids");
	kg_jw_value(&w, value);
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

/*
 * Returns the selection of nodes for which a string stands. The string is a
 * handle ("type:id"). If the object has "ids", the string may also be a type or
 * an id. Returns NULL for other strings.
 */
static Jsonb *
meant_selector(const KgOutline *outline, const JsonbValue *value)
{
	const char *text = value->val.string.val;
	int len = value->val.string.len;
	const char *colon = memchr(text, ':', len);
	bool several = kg_outline_member(outline, "ids", 3) != NULL;
	KgJsonWriter w;

	if (kg_outline_member(outline, "label", 5) == NULL || len == 0 ||
		colon == text || colon == text + len - 1 || (colon == NULL && !several))
		return NULL;
	if (colon == NULL && !may_be_type(kg_json_cstring(value)))
		return meant_id(outline, value);
	kg_jw_init_object(&w);
	kg_jw_key(&w, "label");
	kg_jw_stringn(&w, text, colon ? colon - text : len);
	if (colon != NULL)
	{
		kg_jw_key(&w, several ? "ids" : "node_id");
		if (several)
			kg_jw_begin_array(&w);
		kg_jw_stringn(&w, colon + 1, text + len - colon - 1);
		if (several)
			kg_jw_end_array(&w);
	}
	return kg_jw_finish(&w);
}

/* Returns whether a text is "type:id" with the name of a type that exists. */
static bool
is_handle(const JsonbValue *value)
{
	const KgType *type;
	const char *id;

	return kg_handle_split(
			   kg_running_catalog(), kg_json_cstring(value), &type, &id) &&
		   *id != '\0';
}

bool
kg_input_object(const KgInput *in, const char *key, KgInput *inner)
{
	const KgOutline *outline = find_member(in, key)->inner;
	char *path = kg_input_path(in, key);
	Jsonb *meant = NULL;
	JsonbValue value;

	if (!kg_input_value(in, key, &value))
		return false;
	if (value.type == jbvString)
		meant = meant_selector(outline, &value);
	if (meant != NULL && in->repairs != NULL && is_handle(&value))
	{
		JsonbValue got = value;

		kg_json_root(meant, &value);
		kg_repair_add(in->repairs, path, &got, &value);
		kg_repair_take(path, meant);
	}
	open_object(inner,
				kg_args_as_object_or(&value, path, meant),
				outline,
				path,
				in->repairs);
	return true;
}

/* ---- values ---- */

bool
kg_input_int(const KgInput *in, const char *key, int64 *result)
{
	const KgMember *member = find_member(in, key);

	*result = number_of(&member->default_number, *result);
	if (member->required)
		kg_input_require(in, key);
	return kg_args_int(in->object,
					   key,
					   in->path,
					   number_of(&member->minimum, 0),
					   number_of(&member->maximum, PG_INT32_MAX),
					   result,
					   in->repairs);
}

bool
kg_input_bool(const KgInput *in, const char *key)
{
	bool result = false;

	(void) find_member(in, key);
	(void) kg_args_bool(in->object, key, in->path, &result, in->repairs);
	return result;
}

char *
kg_input_string(const KgInput *in, const char *key)
{
	if (find_member(in, key)->required)
		kg_input_require(in, key);
	return kg_args_string(in->object, key, in->path);
}

int
kg_name_among(const char *name, const char *path, const char *what,
			  const char *const *names, int n)
{
	JsonbValue got;
	KgError *err;
	bool sure;

	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	got = kg_json_string_value(name);
	err = kg_args_error(path, &got, what);
	for (int i = 0; i < n; i++)
		kg_error_allow(err, names[i]);
	kg_error_did_you_mean(err, kg_word_meant(name, names, n, &sure));
	if (sure)
		kg_error_sure(err);
	kg_error_throw(err);
}

int
kg_input_enum(const KgInput *in, const char *key, const char *what)
{
	const KgMember *member = find_member(in, key);
	const char *name = kg_input_string(in, key);

	if (name == NULL)
		name = member->default_name;
	if (name == NULL)
		return -1;
	return kg_name_among(
		name, kg_input_path(in, key), what, member->names, member->nnames);
}

/* ---- arrays ---- */

static void
check_length(const KgInput *in, const char *key, int n, const char *what)
{
	int64 min = number_of(&find_member(in, key)->min_items, 0);
	int64 max = kg_input_maximum(in, key);
	JsonbValue got;
	char *expected;
	KgError *err;

	if (n >= min && n <= max)
		return;
	got = kg_json_string_value(psprintf("%d %s", n, what));
	expected = min > 0 ? psprintf("an array of " INT64_FORMAT
								  " to " INT64_FORMAT " %s",
								  min,
								  max,
								  what)
					   : psprintf("an array of at most " INT64_FORMAT " %s",
								  max,
								  what);
	err = kg_args_error(kg_input_path(in, key), &got, expected);
	if (n == 0 && !find_member(in, key)->required)
		kg_error_leave_out(err);
	kg_error_throw(err);
}

char **
kg_input_ids(const KgInput *in, const char *key, int *n)
{
	return kg_args_ids(
		in->object, key, in->path, (int) kg_input_maximum(in, key), n);
}

const JsonbContainer *
kg_input_array(const KgInput *in, const char *key, const char *what)
{
	const JsonbContainer *array;
	JsonbValue value;

	if (!kg_input_value(in, key, &value))
		return NULL;
	array = kg_args_as_array(
		&value, kg_input_path(in, key), find_member(in, key));
	check_length(in, key, kg_json_length(array), what);
	return array;
}

int
kg_input_objects(const KgInput *in, const char *key, const char *what)
{
	const JsonbContainer *array = kg_input_array(in, key, what);

	return array != NULL ? kg_json_length(array) : 0;
}

/*
 * If the value is {"name": "desc"} in place of {"field": "name", "order":
 * "desc"}, raises KG_INVALID_INPUT with the correction.
 */
static void
refuse_order_by_name(const KgOutline *outline, const JsonbValue *value,
					 const char *path)
{
	const KgMember *order = kg_outline_member(outline, "order", 5);
	const KgMember *field = kg_outline_member(outline, "field", 5);
	const char *word;
	KgJsonIter it;
	KgJsonWriter w;
	KgError *err;

	if (order == NULL || field == NULL || !kg_json_is_object(value) ||
		kg_json_length(kg_json_container(value)) != 1)
		return;
	kg_json_iter_init(&it, kg_json_container(value));
	(void) kg_json_iter_next(&it);
	word = kg_order_meant(&it.value);
	if (word == NULL || kg_json_string_is(&it.key, "field") ||
		kg_json_string_is(&it.key, "order"))
		return;
	err = kg_args_error(path, value, "an object {field, order}");
	kg_jw_init_object(&w);
	kg_jw_key(&w, "field");
	kg_jw_value(&w, &it.key);
	kg_jw_kstring(&w, "order", word);
	kg_jw_end_object(&w);
	kg_error_instead(err, NULL, kg_jw_finish(&w));
	kg_error_throw(err);
}

/*
 * If the value is {"sum": "price"} in place of {"fn": "sum", "property":
 * "price"}, raises KG_INVALID_INPUT with the correction.
 */
static void
refuse_function_by_name(const KgOutline *outline, const JsonbValue *value,
						const char *path)
{
	const KgMember *fn = kg_outline_member(outline, "fn", 2);
	KgJsonIter it;
	KgJsonWriter w;
	KgError *err;
	bool known = false;

	if (fn == NULL || !kg_json_is_object(value) ||
		kg_json_length(kg_json_container(value)) != 1)
		return;
	kg_json_iter_init(&it, kg_json_container(value));
	(void) kg_json_iter_next(&it);
	for (int i = 0; i < fn->nnames; i++)
		known |= kg_json_string_is(&it.key, fn->names[i]);
	if (!known || it.value.type != jbvString)
		return;
	err = kg_args_error(path, value, "an object {fn, property}");
	kg_jw_init_object(&w);
	kg_jw_key(&w, "fn");
	kg_jw_value(&w, &it.key);
	if (!kg_json_string_is(&it.value, "*"))
	{
		kg_jw_key(&w, "property");
		kg_jw_value(&w, &it.value);
	}
	kg_error_instead(err, NULL, kg_jw_finish(&w));
	kg_error_throw(err);
}

/*
 * If the value is "year(released)" in place of {"property": "released",
 * "truncate": "year"}, raises KG_INVALID_INPUT with the correction.
 */
static void
refuse_truncation(const KgOutline *outline, const JsonbValue *value,
				  const char *path)
{
	const KgMember *truncate = kg_outline_member(outline, "truncate", 8);
	JsonbValue property;
	JsonbValue taken;
	char *text;
	char *open;
	int len;
	KgJsonWriter w;
	KgError *err;

	if (truncate == NULL || !kg_json_is_object(value) ||
		kg_json_get(kg_json_container(value), "property", &property) == NULL ||
		property.type != jbvString ||
		kg_json_get(kg_json_container(value), "truncate", &taken) != NULL)
		return;
	text = kg_json_cstring(&property);
	len = strlen(text);
	open = strchr(text, '(');
	if (open == NULL || text[len - 1] != ')' || strchr(open + 1, '(') != NULL)
		return;
	text[len - 1] = *open = '\0';
	for (int i = 0; i < truncate->nnames; i++)
	{
		if (pg_strcasecmp(truncate->names[i], text) != 0)
			continue;
		err = kg_args_error(path, value, "an object {property, truncate}");
		kg_jw_init_object(&w);
		kg_json_each(it, kg_json_container(value))
			if (!kg_json_string_is(&it.key, "property"))
				kg_jw_member(&w, &it);
		kg_jw_kstring(&w, "property", open + 1);
		kg_jw_kstring(&w, "truncate", truncate->names[i]);
		kg_error_instead(err, NULL, kg_jw_finish(&w));
		kg_error_throw(err);
	}
}

void
kg_input_item(const KgInput *in, const char *key, int index, KgInput *item)
{
	const KgOutline *outline = find_member(in, key)->inner;
	JsonbValue array;
	JsonbValue *value = getIthJsonbValueFromContainer(
		(JsonbContainer *) kg_json_container(
			kg_json_get(in->object, key, &array)),
		(uint32) index);
	char *path = kg_path_index(kg_input_path(in, key), index);

	refuse_order_by_name(outline, value, path);
	refuse_function_by_name(outline, value, path);
	refuse_truncation(outline, value, path);
	open_object(item,
				kg_args_item(value, path, outline->string_member),
				outline,
				path,
				in->repairs);
}

static JsonbValue *
item_of(const JsonbContainer *array, int index)
{
	return getIthJsonbValueFromContainer((JsonbContainer *) array,
										 (uint32) index);
}

static JsonbValue *
item_at(const KgInput *in, const char *key, int index)
{
	JsonbValue array;

	(void) kg_json_get(in->object, key, &array);
	return item_of(kg_json_container(&array), index);
}

int
kg_input_nested(const KgInput *in, const char *key, int index)
{
	JsonbValue *value = item_at(in, key, index);
	int n;

	if (!kg_json_is_array(value))
		return 0;
	n = kg_json_length(kg_json_container(value));
	if (n == 0 || n > kg_setting_max_steps)
		kg_error_throw(
			kg_args_error(kg_path_index(kg_input_path(in, key), index),
						  value,
						  psprintf("a step, or an array of 1 to %d steps",
								   kg_setting_max_steps)));
	return n;
}

void
kg_input_nested_item(const KgInput *in, const char *key, int index, int inner,
					 KgInput *item)
{
	JsonbValue *value = item_at(in, key, index);
	char *path = kg_path_index(kg_input_path(in, key), index);

	if (inner >= 0)
	{
		value = item_of(kg_json_container(value), inner);
		path = kg_path_index(path, inner);
	}
	open_object(
		item,
		kg_args_item(value, path, find_member(in, key)->inner->string_member),
		find_member(in, key)->inner,
		path,
		in->repairs);
}
