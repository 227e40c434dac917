/*
 * write_errors.c
 *	  Adds hints and the corrected call to the errors of tools that write.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "model/id.h"
#include "query/argument/hints.h"
#include "query/argument/repair.h"
#include "query/run/decisions.h"
#include "query/run/running.h"
#include "tools/write/write_errors.h"

/* Maximum number of errors of a call that get hints. */
#define KG_MAX_HINTED 5

Jsonb *
kg_write_nearest(const KgType *type, const char *id)
{
	JsonbValue value = kg_json_string_value(id);
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_hints_write_nearest(kg_running_catalog(), type, &value, NULL, NULL, &w);
	return kg_jw_finish(&w);
}

/*
 * Returns the reference property to which a JSON Pointer of the arguments
 * points, or NULL. Such pointers are "/items/0/supplier",
 * "/items/0/set/supplier" or "/items/0/lines/3/product".
 */
static const KgField *
reference_at(const KgType *type, const char *path)
{
	StringInfoData name;
	int depth = 0;

	initStringInfo(&name);
	for (const char *at = path; *at == '/'; depth++)
	{
		int len = strcspn(at + 1, "/");
		bool index = strspn(at + 1, "0123456789") == len;
		bool set = depth == 2 && len == 3 && at[1 + len] == '/' &&
				   (memcmp(at + 1, "set", 3) == 0 ||
					memcmp(at + 1, "add", 3) == 0);

		if (depth >= 2 && !index && !set)
			appendStringInfo(
				&name, "%s%.*s", name.len > 0 ? "." : "", len, at + 1);
		at += 1 + len;
	}
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].ref_type != NULL &&
			strcmp(type->fields[i].name, name.data) == 0)
			return &type->fields[i];
	return NULL;
}

/*
 * Returns the type of an end of a relation. Returns NULL if the end can have
 * several types.
 */
static const KgType *
type_of_end(const KgRelation *relation, bool is_from)
{
	int type_no = 0;

	for (int i = 0; relation != NULL && i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		int other = is_from ? variant->from_type_no : variant->to_type_no;

		if (type_no != 0 && other != type_no)
			return NULL;
		type_no = other;
	}
	return kg_catalog_type_no(kg_running_catalog(), type_no);
}

/* Returns the type of the entity that an error reports as missing, or NULL. */
static const KgType *
missing_type(const KgOutcomes *outcomes, const KgError *err)
{
	const char *path = kg_error_said(err)->path;
	const KgField *field;

	if (outcomes->type == NULL)
		return type_of_end(outcomes->relation,
						   strcmp(kg_path_last(path), "from") == 0);
	if (kg_error_code(err) != KG_REFERENCE_MISSING)
		return outcomes->type;
	field = reference_at(outcomes->type, path);
	if (field == NULL || field->ref_field != NULL)
		return NULL;
	return kg_catalog_type_in(
		kg_running_catalog(), field->ref_bundle, field->ref_type);
}

/*
 * Adds "nearest" (the entities with similar ids) to an error about a missing
 * entity, and corrects the id. Returns whether the correction is certain.
 */
static bool
complete_missing(const KgOutcomes *outcomes, KgError *err,
				 KgCorrection *correction)
{
	const KgInstead *said = kg_error_said(err);
	const Jsonb *before = correction->arguments;
	const KgType *type;
	JsonbValue got;
	Jsonb *nearest;
	KgJsonWriter w;

	if (said->path == NULL || said->got == NULL)
		return false;
	type = missing_type(outcomes, err);
	kg_json_root(said->got, &got);
	if (type == NULL || got.type != jbvString)
		return false;
	kg_jw_init(&w);
	kg_hints_write_nearest(
		kg_running_catalog(), type, &got, said->path, correction, &w);
	nearest = kg_jw_finish(&w);
	if (kg_json_length(&nearest->root) > 0)
		kg_error_nearest(err, nearest);
	return correction->arguments != before;
}

/*
 * If the value is a string with a number, but the schema requires a number,
 * corrects the value. Returns false for other errors.
 */
static bool
correct_number(const KgError *err, KgCorrection *correction)
{
	const KgInstead *said = kg_error_said(err);
	const Jsonb *told = kg_error_object(err);
	KgInstead change = {.kind = KG_INSTEAD_VALUE, .path = said->path};
	JsonbValue keyword;
	JsonbValue expected;
	JsonbValue got;
	JsonbValue number;
	int len = strlen(KG_ID_NUMBER);
	bool of_id;
	bool whole;

	if (said->path == NULL || said->got == NULL ||
		kg_json_get(&told->root, "keyword", &keyword) == NULL ||
		kg_json_get(&told->root, "expected", &expected) == NULL)
		return false;
	of_id = kg_json_string_is(&keyword, "x-id-field") &&
			strncmp(kg_json_cstring(&expected), KG_ID_NUMBER, len) == 0;
	if (!of_id && !kg_json_string_is(&keyword, "type"))
		return false;
	whole = of_id || kg_json_string_is(&expected, "an integer");
	kg_json_root(said->got, &got);
	if ((!whole && !kg_json_string_is(&expected, "a number")) ||
		got.type != jbvString || !kg_json_number_of(&got, &number) ||
		(whole && strchr(kg_json_cstring(&got), '.') != NULL))
		return false;
	change.got = said->got;
	change.value = kg_json_datum(&number);
	kg_correct(correction, &change);
	return true;
}

static int
depth_of(const char *path)
{
	int depth = 0;

	for (const char *at = path; at != NULL && *at != '\0'; at++)
		depth += *at == '/';
	return depth;
}

/*
 * Moves the values of "add" or "remove" from a property in "set" to the member
 * "add" or "remove" of the item itself.
 */
static void
move_values(KgCorrection *correction, const char *item, const char *property,
			const char *member, const JsonbValue *values)
{
	char *path = kg_path_member(item, member);
	JsonbValue there;
	KgJsonWriter w;

	if (kg_repair_value_at(path, &there))
	{
		kg_correct_set(correction, path, property, kg_json_datum(values));
		return;
	}
	kg_jw_init_object(&w);
	kg_jw_key(&w, property);
	kg_jw_value(&w, values);
	kg_correct_set(correction, item, member, kg_jw_finish(&w));
}

/*
 * If an array property in "set" has an operator in place of its value,
 * corrects {"set": {property: {"add": [...]}}} to {"add": {property: [...]}}.
 * Returns false for other errors.
 */
static bool
correct_operators(const KgError *err, KgCorrection *correction)
{
	const KgInstead *said = kg_error_said(err);
	const char *property;
	char *item;
	JsonbValue got;
	JsonbValue there;

	if (said->path == NULL || said->got == NULL || depth_of(said->path) != 4)
		return false;
	item = kg_path_parent(kg_path_parent(said->path));
	property = kg_path_last(said->path);
	if (strcmp(said->path,
			   kg_path_member(kg_path_member(item, "set"), property)) != 0 ||
		!kg_repair_value_at(said->path, &got) || !kg_json_is_object(&got) ||
		kg_json_length(kg_json_container(&got)) == 0)
		return false;
	kg_json_each(it, kg_json_container(&got))
		if (!kg_json_is_array(&it.value) ||
			(!kg_json_string_is(&it.key, "add") &&
			 !kg_json_string_is(&it.key, "remove")))
			return false;
	(void) kg_repair_value_at(kg_path_member(item, "set"), &there);
	kg_correct_out(correction,
				   kg_json_length(kg_json_container(&there)) == 1
					   ? kg_path_member(item, "set")
					   : said->path);
	kg_json_each(it, kg_json_container(&got))
		move_values(
			correction, item, property, kg_json_cstring(&it.key), &it.value);
	return true;
}

/*
 * If items have an option that belongs to the call, moves the option to the
 * arguments of the call. Returns false for other errors, and if items or the
 * call itself have different values of the option.
 */
static bool
correct_option(const KgError *err, KgCorrection *correction)
{
	static const char *const options[] = {
		"reason", "dry_run", "atomic", "idempotency_key"};
	const KgInstead *said = kg_error_said(err);
	const char *path;
	const char *name;
	JsonbValue value;
	JsonbValue there;
	int i = 0;

	/*
	 * An error about an unknown key has the path of the item, such as
	 * "/items/0". Other paths are about other errors.
	 */
	if (said->path == NULL || said->got == NULL || depth_of(said->path) != 2)
		return false;
	kg_json_root(said->got, &value);
	if (value.type != jbvString)
		return false;
	name = kg_json_cstring(&value);
	path = kg_path_member(said->path, name);
	while (i < lengthof(options) && strcmp(options[i], name) != 0)
		i++;
	if (i == lengthof(options) || !kg_repair_value_at(path, &value))
		return false;
	if (correction->arguments == NULL ||
		kg_json_get(&correction->arguments->root, name, &there) == NULL)
	{
		if (kg_repair_value_at(kg_path_member("", name), &there) &&
			!kg_json_same_value(&there, &value))
			return false;
		if (!kg_repair_value_at(kg_path_member("", name), &there))
			kg_correct_set(correction, "", name, kg_json_datum(&value));
	}
	else if (!kg_json_same_value(&there, &value))
		return false;
	kg_correct_out(correction, path);
	return true;
}

Jsonb *
kg_write_complete(const KgOutcomes *outcomes, const KgErrorList *all)
{
	KgCorrection correction = {NULL};
	bool certain = all->total == list_length(all->errors);
	int hinted = 0;
	ListCell *lc;

	/*
	 * Decisions of an authorizer are missing. The write will be repeated after
	 * they were requested, so no correction is computed now.
	 */
	if (kg_decisions_left_open() > 0)
		return NULL;
	foreach(lc, all->errors)
	{
		KgError *err = lfirst(lc);
		KgErrorCode code = kg_error_code(err);

		if (code != KG_REFERENCE_MISSING && code != KG_NOT_FOUND)
			certain = (correct_number(err, &correction) ||
					   correct_operators(err, &correction) ||
					   correct_option(err, &correction) ||
					   kg_correct_error(&correction, err)) &&
					  certain;
		else if (kg_error_said(err)->kind != KG_INSTEAD_NONE)
			certain = kg_correct_error(&correction, err) && certain;
		else if (hinted++ >= KG_MAX_HINTED)
			certain = false;
		else
			certain = complete_missing(outcomes, err, &correction) && certain;
	}
	return certain ? kg_correction_call(&correction) : NULL;
}
