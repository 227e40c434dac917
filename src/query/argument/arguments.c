/*
 * arguments.c
 *	  Reads a tool's arguments.
 */
#include "postgres.h"

#include "base/json_untrusted.h"
#include "base/settings.h"
#include "base/text.h"
#include "mb/pg_wchar.h"
#include "query/argument/arguments.h"
#include "query/argument/names.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/hsearch.h"
#include "utils/numeric.h"

typedef struct KgRepair
{
	const char *path;
	Jsonb *got;
	Jsonb *used; /* NULL: the argument was ignored */
} KgRepair;

/* Longer strings are not parsed as JSON. */
#define KG_MAX_REPAIR_BYTES 4096

#define KG_MAX_ID_BYTES 128

void
kg_repair_add(KgRepairs *repairs, const char *path, const JsonbValue *got,
			  const JsonbValue *used)
{
	KgRepair *repair = palloc(sizeof(*repair));

	repair->path = pstrdup(path);
	repair->got = kg_json_datum(got);
	repair->used = used ? kg_json_datum(used) : NULL;
	repairs->repairs = lappend(repairs->repairs, repair);
}

/*
 * Returns whether the repair was needed only because of the form of the
 * published schemas (setting kg_graph.schema_profile). In this form, an absent
 * argument is sent as null, and an object or array may be sent as JSON text.
 * Such a repair is not reported.
 */
static bool
is_of_profile(const KgRepair *repair)
{
	if (kg_setting_schema_profile == KG_PROFILE_DEFAULT ||
		!JB_ROOT_IS_SCALAR(repair->got))
		return false;
	return repair->used == NULL || !JB_ROOT_IS_SCALAR(repair->used);
}

static bool
are_of_profile(const KgRepairs *repairs)
{
	ListCell *lc;

	foreach(lc, repairs->repairs)
		if (!is_of_profile(lfirst(lc)))
			return false;
	return true;
}

void
kg_repairs_write_items(const KgRepairs *repairs, KgJsonWriter *w)
{
	ListCell *lc;

	foreach(lc, repairs->repairs)
	{
		const KgRepair *repair = lfirst(lc);

		if (is_of_profile(repair))
			continue;
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "path", repair->path);
		kg_jw_kjsonb(w, "got", repair->got);
		kg_jw_kjsonb_if(w, "used", repair->used);
		kg_jw_end_object(w);
	}
}

void
kg_repairs_write(const KgRepairs *repairs, KgJsonWriter *w)
{
	if (are_of_profile(repairs))
		return;
	kg_jw_kbegin_array(w, "repaired");
	kg_repairs_write_items(repairs, w);
	kg_jw_end_array(w);
}

/*
 * This function runs for most arguments but its result is used only in errors,
 * so it allocates only once.
 */
char *
kg_path_member(const char *path, const char *name)
{
	size_t len = strlen(path);
	char *result = palloc(len + 2 * strlen(name) + 2);
	char *p = result + len;

	memcpy(result, path, len);
	*p++ = '/';
	for (; *name != '\0'; name++)
	{
		bool escaped = *name == '~' || *name == '/';

		*p++ = escaped ? '~' : *name;
		if (escaped)
			*p++ = *name == '~' ? '0' : '1';
	}
	*p = '\0';
	return result;
}

char *
kg_path_parent(const char *path)
{
	return pnstrdup(path, strrchr(path, '/') - path);
}

char *
kg_path_last(const char *path)
{
	const char *last = strrchr(path, '/');
	char *name = pstrdup(last ? last + 1 : path);
	char *out = name;

	for (const char *p = name; *p != '\0'; p++)
		if (p[0] == '~' && (p[1] == '0' || p[1] == '1'))
			*out++ = *++p == '0' ? '~' : '/';
		else
			*out++ = *p;
	*out = '\0';
	return name;
}

char *
kg_path_index(const char *path, int index)
{
	return psprintf("%s/%d", path, index);
}

KgError *
kg_args_error(const char *path, const JsonbValue *got, const char *expected)
{
	return KG_ERROR(KG_INVALID_INPUT,
					.message = psprintf("argument %s must be %s",
										path[0] ? path : "(root)",
										expected),
					.path = path,
					.got = got,
					.expected = expected);
}

bool
kg_args_read_bool(const JsonbValue *string, JsonbValue *boolean)
{
	if (!kg_json_string_is(string, "true") &&
		!kg_json_string_is(string, "false"))
		return false;
	boolean->type = jbvBool;
	boolean->val.boolean = kg_json_string_is(string, "true");
	return true;
}

KgError *
kg_args_unknown(const char *path, const char *name, const char *more)
{
	return KG_ERROR(KG_INVALID_INPUT,
					.message = psprintf("unknown argument \"%s\"%s%s",
										name,
										more ? ": " : "",
										more ? more : ""),
					.path = kg_path_member(path, name),
					.got_string = name,
					.expected = "the name of an existing argument");
}

void
kg_args_known(const JsonbContainer *object, const char *path,
			  const KgOutline *known)
{
	kg_json_each(it, object)
	{
		bool found = false;
		char *key;
		const char *meant;
		const KgMember *member;
		bool sure;
		KgError *err;

		for (int i = 0; i < known->n && !found; i++)
			found = kg_json_string_is(&it.key, known->names[i]);
		if (found)
			continue;
		key = kg_json_cstring(&it.key);
		err = kg_args_unknown(path, key, NULL);
		for (int i = 0; i < known->n; i++)
			kg_error_allow(err, known->names[i]);
		meant = kg_name_meant(object, key, &it.value, known, &sure);
		kg_error_did_you_mean(err, meant);
		member = meant ? kg_outline_member(known, meant, strlen(meant)) : NULL;
		kg_error_meant_member(err, member);
		if (kg_member_takes_several(member, &it.value))
			kg_error_doubt(err);
		else if (sure)
			kg_error_sure(err);
		kg_error_throw(err);
	}
}

/*
 * Splits a sort such as "size desc", "size:descending", "-size" or "+size".
 * Leaves the property in *field and returns the order, or NULL if there is no
 * order.
 */
static const char *
split_order(JsonbValue *field)
{
	static const struct
	{
		const char *word;
		const char *order;
	} orders[] = {{"asc", "asc"},
				  {"desc", "desc"},
				  {"ascending", "asc"},
				  {"descending", "desc"}};
	const char *text = field->val.string.val;
	int len = field->val.string.len;

	if (len > 1 && (text[0] == '-' || text[0] == '+'))
	{
		field->val.string.val++;
		field->val.string.len--;
		return text[0] == '-' ? "desc" : "asc";
	}
	for (int i = 0; i < lengthof(orders); i++)
	{
		int word = strlen(orders[i].word);
		int name = len - word - 1;

		if (name < 1 || strchr(" \t:", text[name]) == NULL ||
			pg_strncasecmp(text + name + 1, orders[i].word, word) != 0)
			continue;
		field->val.string.len = name;
		return orders[i].order;
	}
	return NULL;
}

/*
 * Writes a field of a sort as an object. Returns false if a field has no name,
 * as in "desc".
 */
static bool
write_sorted(JsonbValue field, const char *member, KgJsonWriter *w)
{
	const char *order;

	while (field.val.string.len > 0 && *field.val.string.val == ' ')
	{
		field.val.string.val++;
		field.val.string.len--;
	}
	while (field.val.string.len > 0 &&
		   field.val.string.val[field.val.string.len - 1] == ' ')
		field.val.string.len--;
	order = split_order(&field);
	if (field.val.string.len == 0 || kg_json_string_is(&field, "asc") ||
		kg_json_string_is(&field, "desc"))
		return false;
	kg_jw_begin_object(w);
	kg_jw_key(w, member);
	kg_jw_value(w, &field);
	if (order != NULL)
		kg_jw_kstring(w, "order", order);
	kg_jw_end_object(w);
	return true;
}

/*
 * Returns the sort that a text such as "country, size desc" means: an array of
 * objects, or a single object if array is false.
 */
static Jsonb *
meant_sort(const JsonbValue *value, const char *member, bool array)
{
	const char *text = value->val.string.val;
	int len = value->val.string.len;
	JsonbValue field = *value;
	KgJsonWriter w;

	kg_jw_init(&w);
	if (array)
		kg_jw_begin_array(&w);
	for (int at = 0; at <= len; at++)
		if (at == len || (array && text[at] == ','))
		{
			field.val.string.len = (int) (text + at - field.val.string.val);
			if (!write_sorted(field, member, &w))
				return NULL;
			field.val.string.val = (char *) text + at + 1;
		}
	if (array)
		kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

int
kg_args_split(const char *text, char ***parts)
{
	static const char separators[] = ",;|";
	size_t len = strlen(text);
	int n = 0;

	*parts = palloc((len + 1) * sizeof(char *));
	while (true)
	{
		size_t part = strcspn(text, separators);
		const char *next = text + part;

		while (part > 0 && text[part - 1] == ' ')
			part--;
		while (part > 0 && *text == ' ')
		{
			text++;
			part--;
		}
		if (part == 0)
			return 0;
		(*parts)[n++] = pnstrdup(text, part);
		if (*next == '\0')
			return n > 1 ? n : 0;
		text = next + 1;
	}
}

size_t
kg_args_name_length(const char *text)
{
	if (!isalpha((unsigned char) *text))
		return 0;
	return strspn(text,
				  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.");
}

int
kg_args_split_names(const JsonbValue *value, char ***names)
{
	int n;

	if (value->type != jbvString || strchr(kg_json_cstring(value), '|') != NULL)
		return 0;
	n = kg_args_split(kg_json_cstring(value), names);
	for (int i = 0; i < n; i++)
		if ((*names)[i][kg_args_name_length((*names)[i])] != '\0')
			return 0;
	return n;
}

/*
 * Returns the value, optionally as the member of an object, and optionally as
 * the item of an array. A string for the member "field" is read as a sort.
 */
Jsonb *
kg_args_example_of(const JsonbValue *value, const char *member, bool array)
{
	KgJsonWriter w;

	if (member && strcmp(member, "field") == 0 && value->type == jbvString)
		return meant_sort(value, member, array);
	kg_jw_init(&w);
	if (array)
		kg_jw_begin_array(&w);
	if (member)
	{
		kg_jw_begin_object(&w);
		kg_jw_key(&w, member);
	}
	kg_jw_value(&w, value);
	if (member)
		kg_jw_end_object(&w);
	if (array)
		kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

Jsonb *
kg_args_list_of(const KgMember *member, const JsonbValue *value)
{
	const char *inner = NULL;
	char **parts;
	KgJsonWriter w;
	int n = 0;

	if (value->type == jbvString && member != NULL)
	{
		inner = kg_member_of_string(member);
		if (member->of_names)
			n = kg_args_split(kg_json_cstring(value), &parts);
		else if (inner != NULL && strcmp(inner, "field") != 0)
			n = kg_args_split_names(value, &parts);
	}
	if (n == 0)
		return kg_args_example_of(value, inner, true);
	kg_jw_init_array(&w);
	for (int i = 0; i < n; i++)
	{
		JsonbValue part = kg_json_string_value(parts[i]);

		kg_jw_jsonb(&w, kg_args_example_of(&part, inner, false));
	}
	return kg_jw_finish(&w);
}

/*
 * Returns the array or object that a string contains as JSON text, or NULL.
 */
static Jsonb *
encoded(const JsonbValue *value, char begin)
{
	const char *text = value->val.string.val;
	int len = value->val.string.len;
	int i = 0;

	while (i < len && strchr(" \t\r\n", text[i]) != NULL)
		i++;
	if (i == len || text[i] != begin || len > KG_MAX_REPAIR_BYTES)
		return NULL;
	return kg_json_parse_untrusted(text, len);
}

/*
 * Raises KG_INVALID_INPUT for a value that is not an object or array. If the
 * value is a string that contains JSON, the error has this JSON as its
 * correction. Otherwise the correction is "meant" (NULL: not known).
 */
static KG_NORETURN void
throw_not_container(const JsonbValue *value, const char *path, bool object,
					const Jsonb *meant)
{
	Jsonb *example = NULL;
	KgError *err;

	if (value->type == jbvString)
		example = encoded(value, object ? '{' : '[');
	if (example != NULL)
		err = kg_args_error(path,
							value,
							object ? "an object, not a JSON-encoded string"
								   : "an array, not a JSON-encoded string");
	else
		err = kg_args_error(path, value, object ? "an object" : "an array");
	kg_error_instead(err, NULL, example ? example : meant);
	kg_error_throw(err);
}

const JsonbContainer *
kg_args_as_object(const JsonbValue *value, const char *path)
{
	return kg_args_as_object_or(value, path, NULL);
}

const JsonbContainer *
kg_args_as_object_or(const JsonbValue *value, const char *path,
					 const Jsonb *meant)
{
	if (!kg_json_is_object(value))
		throw_not_container(value, path, true, meant);
	return kg_json_container(value);
}

/*
 * Returns a value as the only item of an array, if the items of the argument
 * may be such values; otherwise NULL.
 */
static Jsonb *
only_item(const KgMember *member, const JsonbValue *value)
{
	bool objects = member != NULL && member->of_objects;

	if (value->type == jbvNull || kg_json_is_array(value))
		return NULL;
	if (objects
			? !kg_json_is_object(value) && (value->type != jbvString ||
											kg_member_of_string(member) == NULL)
			: value->type == jbvBinary)
		return NULL;
	return kg_args_list_of(member, value);
}

const JsonbContainer *
kg_args_as_array(const JsonbValue *value, const char *path,
				 const KgMember *member)
{
	if (!kg_json_is_array(value))
		throw_not_container(value, path, false, only_item(member, value));
	return kg_json_container(value);
}

const JsonbContainer *
kg_args_array(const JsonbContainer *object, const char *key, const char *path,
			  const KgMember *member)
{
	JsonbValue value;

	if (kg_json_get(object, key, &value) == NULL)
		return NULL;
	return kg_args_as_array(&value, kg_path_member(path, key), member);
}

const JsonbContainer *
kg_args_item(const JsonbValue *value, const char *path,
			 const char *string_member)
{
	Jsonb *meant = NULL;

	if (value->type == jbvString && string_member != NULL)
		meant = kg_args_example_of(value, string_member, false);
	return kg_args_as_object_or(value, path, meant);
}

/*
 * Reads a member that is a number, or a string that contains a number. Returns
 * false if there is no such member.
 */
static bool
read_number(const JsonbContainer *object, const char *key, JsonbValue *value,
			JsonbValue *number, bool *repaired)
{
	if (kg_json_get(object, key, value) == NULL)
		return false;
	*number = *value;
	*repaired = value->type == jbvString && kg_json_number_of(value, number);
	return true;
}

/* Returns whether the value is an integer of any size. */
static bool
is_whole(const JsonbValue *number)
{
	Datum n;

	if (number->type != jbvNumeric)
		return false;
	n = NumericGetDatum(number->val.numeric);
	return DatumGetBool(DirectFunctionCall2(
		numeric_eq, n, DirectFunctionCall2(numeric_trunc, n, 0)));
}

static bool
numeric_is_below(Numeric number, int64 least)
{
	return DatumGetBool(
		DirectFunctionCall2(numeric_lt,
							NumericGetDatum(number),
							NumericGetDatum(int64_to_numeric(least))));
}

/*
 * Returns whether the argument is a maximum, so that "all" means its highest
 * value.
 */
static bool
is_most(const char *key)
{
	return strncmp(key, "max_", strlen("max_")) == 0 ||
		   strcmp(key, "limit") == 0 || strcmp(key, "k") == 0;
}

/* Returns whether the argument is a position in the order of the reply. */
static bool
is_first(const char *key)
{
	return strcmp(key, "offset") == 0;
}

/*
 * Returns the allowed number that is probably meant, or NULL if it is not
 * known. Only arguments that are maxima or positions have such a number. For
 * other arguments, another number would change the meaning of the call. A
 * negative number probably has a wrong sign.
 */
static Jsonb *
nearest_within(const char *key, const JsonbValue *given, int64 min, int64 max)
{
	JsonbValue number = *given;
	Jsonb *meant = kg_meant_count(given);
	int64 n;

	if (meant != NULL)
		kg_json_root(meant, &number);
	if (number.type != jbvBinary && is_most(key) && max != PG_INT64_MAX &&
		kg_means_all(kg_json_cstring(&number)))
		n = max;
	else if (!is_whole(&number) || (!is_most(key) && !is_first(key)))
		return NULL;
	else if (!kg_json_int64(&number, &n))
		n = numeric_is_below(number.val.numeric, min) ? min : max;
	else if (n < 0 && is_most(key))
		n = n < -max ? max : Max(min, -n);
	else
		n = Max(min, Min(max, n));
	return kg_json_parse(psprintf(INT64_FORMAT, n));
}

bool
kg_args_int(const JsonbContainer *object, const char *key, const char *path,
			int64 min, int64 max, int64 *result, KgRepairs *repairs)
{
	JsonbValue value;
	JsonbValue number;
	bool repaired;
	int64 n;

	if (!read_number(object, key, &value, &number, &repaired))
		return false;
	if (!kg_json_int64(&number, &n) || n < min || n > max)
	{
		const char *expected =
			max == PG_INT64_MAX
				? psprintf("an integer of at least " INT64_FORMAT, min)
				: psprintf("an integer from " INT64_FORMAT " to " INT64_FORMAT,
						   min,
						   max);

		KgError *err = kg_args_error(
			kg_path_member(path, key), &value, expected);

		kg_error_instead(err, NULL, nearest_within(key, &number, min, max));
		kg_error_throw(err);
	}
	if (repaired)
		kg_repair_add(repairs, kg_path_member(path, key), &value, &number);
	*result = n;
	return true;
}

bool
kg_args_number(const JsonbContainer *object, const char *key, const char *path,
			   double least, double most, const char *expected, double *result,
			   KgRepairs *repairs)
{
	JsonbValue value;
	JsonbValue number;
	bool repaired;
	double n = get_float8_nan();

	if (!read_number(object, key, &value, &number, &repaired))
		return false;
	if (number.type == jbvNumeric)
		n = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8_no_overflow, NumericGetDatum(number.val.numeric)));
	if (!(n >= least && n <= most))
		kg_error_throw(
			kg_args_error(kg_path_member(path, key), &value, expected));
	if (repaired)
		kg_repair_add(repairs, kg_path_member(path, key), &value, &number);
	*result = n;
	return true;
}

bool
kg_args_bool(const JsonbContainer *object, const char *key, const char *path,
			 bool *result, KgRepairs *repairs)
{
	JsonbValue value;
	JsonbValue boolean;

	if (kg_json_get(object, key, &value) == NULL)
		return false;
	boolean = value;
	if (value.type == jbvString && kg_args_read_bool(&value, &boolean))
		kg_repair_add(repairs, kg_path_member(path, key), &value, &boolean);
	if (boolean.type != jbvBool)
	{
		KgError *err = kg_args_error(
			kg_path_member(path, key), &value, "true or false");

		kg_error_instead(err, NULL, kg_meant_bool(&value));
		kg_error_throw(err);
	}
	*result = boolean.val.boolean;
	return true;
}

char *
kg_args_string(const JsonbContainer *object, const char *key, const char *path)
{
	JsonbValue value;

	if (kg_json_get(object, key, &value) == NULL)
		return NULL;
	if (value.type != jbvString)
	{
		KgError *err = kg_args_error(
			kg_path_member(path, key), &value, "a string");

		kg_error_instead(err, NULL, kg_args_only_scalar(&value));
		kg_error_throw(err);
	}
	return kg_json_cstring(&value);
}

/* Returns whether models wrap a value in an object with this key. */
static bool
is_wrapper(const JsonbValue *key)
{
	static const char *const names[] = {"id",
										"node_id",
										"entity_id",
										"value",
										"name",
										"type",
										"label",
										"handle",
										"code",
										"eq"};

	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_string_is(key, names[i]))
			return true;
	return false;
}

/*
 * Returns "type:id" for an object that has only a type and an id, both strings,
 * under one of their usual names. Returns NULL for any other object.
 */
static Jsonb *
handle_of_object(const JsonbContainer *object)
{
	static const char *const types[] = {
		"type", "label", "entity_type", "node_label"};
	static const char *const ids[] = {"id", "node_id", "entity_id"};
	JsonbValue type = {.type = jbvNull};
	JsonbValue id = {.type = jbvNull};
	JsonbValue handle;

	if (kg_json_length(object) != 2)
		return NULL;
	for (int i = 0; i < lengthof(types) && type.type == jbvNull; i++)
		(void) kg_json_get(object, types[i], &type);
	for (int i = 0; i < lengthof(ids) && id.type == jbvNull; i++)
		(void) kg_json_get(object, ids[i], &id);
	if (type.type != jbvString || id.type != jbvString)
		return NULL;
	handle = kg_json_string_value(
		psprintf("%s:%s", kg_json_cstring(&type), kg_json_cstring(&id)));
	return kg_json_datum(&handle);
}

Jsonb *
kg_args_only_scalar(const JsonbValue *value)
{
	KgJsonIter it;

	if (kg_json_is_object(value) &&
		kg_json_length(kg_json_container(value)) == 2)
		return handle_of_object(kg_json_container(value));

	if (value->type == jbvNumeric)
	{
		JsonbValue text;
		int64 n;

		if (!kg_json_int64(value, &n))
			return NULL;
		text = kg_json_string_value(psprintf(INT64_FORMAT, n));
		return kg_json_datum(&text);
	}
	if (value->type != jbvBinary ||
		kg_json_length(kg_json_container(value)) != 1)
		return NULL;
	kg_json_iter_init(&it, kg_json_container(value));
	(void) kg_json_iter_next(&it);
	if (it.value.type != jbvString || (it.is_object && !is_wrapper(&it.key)))
		return NULL;
	return kg_json_datum(&it.value);
}

char *
kg_args_as_id(const JsonbValue *value, const char *path)
{
	int64 n;
	int len;

	if (kg_json_int64(value, &n))
		return psprintf(INT64_FORMAT, n);
	if (value->type != jbvString)
	{
		KgError *err = kg_args_error(
			path, value, "an id: a string or an integer");

		kg_error_instead(err, NULL, kg_args_only_scalar(value));
		kg_error_throw(err);
	}
	len = value->val.string.len;
	if (len < 1 || len > KG_MAX_ID_BYTES)
		kg_error_throw(kg_args_error(
			path, value, psprintf("an id of 1 to %d bytes", KG_MAX_ID_BYTES)));
	if (kg_has_control(value->val.string.val, len))
		kg_error_throw(
			kg_args_error(path, value, "an id without control characters"));
	return kg_json_cstring(value);
}

char **
kg_args_ids(const JsonbContainer *object, const char *key, const char *path,
			int max, int *nids)
{
	const JsonbContainer *array = kg_args_array(object, key, path, NULL);
	char *member;
	HTAB *seen;
	HASHCTL ctl;
	char **ids;
	int n;

	*nids = 0;
	if (array == NULL)
		return NULL;
	member = kg_path_member(path, key);
	n = kg_json_length(array);
	if (n < 1 || n > max)
	{
		JsonbValue got = kg_json_string_value(psprintf("%d ids", n));
		KgError *err = kg_args_error(
			member, &got, psprintf("an array of 1 to %d ids", max));

		kg_error_throw(err);
	}
	ids = palloc(n * sizeof(char *));
	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = KG_MAX_ID_BYTES + 1;
	ctl.entrysize = KG_MAX_ID_BYTES + 1;
	ctl.hcxt = CurrentMemoryContext;
	seen = hash_create("kg_graph ids",
					   Max(n, 16),
					   &ctl,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	kg_json_each(it, array)
	{
		char *id = kg_args_as_id(&it.value, kg_path_index(member, it.index));
		bool found;

		(void) hash_search(seen, id, HASH_ENTER, &found);
		if (!found)
			ids[(*nids)++] = id;
	}
	hash_destroy(seen);
	return ids;
}

const JsonbContainer *
kg_args_root(const Jsonb *arguments)
{
	JsonbValue root;
	int64 size = VARSIZE(arguments);

	/*
	 * The digits of numbers also count, because replies, hints and errors may
	 * repeat the arguments in full.
	 */
	if (size <= kg_setting_max_argument_bytes)
		size += kg_json_number_bytes(&arguments->root,
									 kg_setting_max_argument_bytes);
	if (size > kg_setting_max_argument_bytes)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf(
					 "arguments of " INT64_FORMAT
					 " bytes exceed kg_graph.max_argument_bytes (%d)",
					 size,
					 kg_setting_max_argument_bytes),
				 .expected = psprintf("arguments of at most %d bytes",
									  kg_setting_max_argument_bytes));
	kg_json_root(arguments, &root);
	return kg_args_as_object(&root, "");
}
