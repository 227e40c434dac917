/*
 * check.c
 *	  Checks an entity: its id, size, depth, schema and scope.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/text.h"
#include "model/id.h"
#include "model/key.h"
#include "model/period.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/derived/extract.h"
#include "utils/builtins.h"

/*
 * Adds an error. If the caller may not see the entity, the error contains the
 * type and the violated keyword, but no values and no names of properties
 * within values.
 */
static void
report(KgError *err, const KgType *type, const char *id, const char *path,
	   const char *pointer, KgErrorList *errors)
{
	if (errors && errors->withhold)
	{
		KgError *bare = kg_error_new(kg_error_code(err),
									 "a stored entity of type \"%s\" is not "
									 "valid",
									 type->name);

		kg_error_entity(bare, kg_type_handle(type), NULL);
		kg_error_violated(bare, err);
		kg_error_report(errors, bare);
		return;
	}
	kg_error_entity(err, kg_type_handle(type), id);
	kg_error_path(err, "%s%s", path, pointer);
	kg_error_report(errors, err);
}

char *
kg_entity_id(const KgType *type, const Jsonb *data, const char *path,
			 KgErrorList *errors)
{
	JsonbValue value;
	KgError *err;
	const KgField *field = type->id_field;
	const char *kind = type->number_ids ? KG_ID_NUMBER : "a string";
	int64 number;

	if (!kg_field_value(field, &data->root, &value))
	{
		err = kg_error_new(KG_VALIDATION_FAILED,
						   "entity of type \"%s\" has no id",
						   type->name);
		kg_error_expected(err, "%s as the value of \"%s\"", kind, field->name);
	}
	else if (type->number_ids && kg_json_int64(&value, &number))
		return kg_id_of_value(&value);
	else if (type->number_ids || value.type != jbvString)
	{
		err = kg_error_new(KG_VALIDATION_FAILED,
						   "id of an entity of type \"%s\" is not %s",
						   type->name,
						   kind);
		kg_error_got(err, &value);
		kg_error_expected(err, "%s as the value of \"%s\"", kind, field->name);
	}
	else if (value.val.string.len < 1 ||
			 value.val.string.len > KG_MAX_ID_BYTES ||
			 kg_has_control(value.val.string.val, value.val.string.len))
	{
		if (value.val.string.len < 1 || value.val.string.len > KG_MAX_ID_BYTES)
			err = kg_error_new(KG_VALIDATION_FAILED,
							   "id of an entity of type \"%s\" has %d bytes; 1 "
							   "to %d are allowed",
							   type->name,
							   value.val.string.len,
							   KG_MAX_ID_BYTES);
		else
			err = kg_error_new(KG_VALIDATION_FAILED,
							   "id of an entity of type \"%s\" has control "
							   "characters",
							   type->name);
		kg_error_got(err, &value);
		kg_error_expected(
			err, "1 to %d bytes without control characters", KG_MAX_ID_BYTES);
	}
	else
		return kg_json_cstring(&value);
	kg_error_keyword(err, "x-id-field");
	report(err, type, NULL, path, kg_field_pointer(field), errors);
	return NULL;
}

/*
 * Checks the depth of the document, and its size as text. Reports a fault and
 * returns false if a limit is exceeded. Apart from long numbers, the text is at
 * most six times as long as binary jsonb (a byte of a string can become
 * \u00xx). So small entities are not converted to text.
 */
static bool
check_size(const KgType *type, const char *id, const Jsonb *data,
		   const char *path, KgErrorList *errors)
{
	int64 size = VARSIZE(data);
	int64 numbers = kg_json_number_bytes(&data->root,
										 kg_setting_max_entity_bytes);
	KgError *err;

	if (size + numbers > kg_setting_max_entity_bytes / 6)
	{
		if (numbers > kg_setting_max_entity_bytes)
			size = numbers;
		else
		{
			char *text = JsonbToCString(
				NULL, (JsonbContainer *) &data->root, size);

			size = strlen(text);
			pfree(text);
		}
		if (size > kg_setting_max_entity_bytes)
		{
			err = kg_error_new(KG_LIMIT_EXCEEDED,
							   "entity has " INT64_FORMAT " bytes; "
							   "kg_graph.max_entity_bytes allows %d",
							   size,
							   kg_setting_max_entity_bytes);
			kg_error_expected(err,
							  "at most %d bytes of JSON text",
							  kg_setting_max_entity_bytes);
			report(err, type, id, path, "", errors);
			return false;
		}
	}
	if (kg_json_deeper_than(&data->root, kg_setting_max_depth))
	{
		err = kg_error_new(KG_LIMIT_EXCEEDED,
						   "entity is nested deeper than kg_graph.max_depth, "
						   "%d, allows",
						   kg_setting_max_depth);
		kg_error_expected(err, "at most %d levels", kg_setting_max_depth);
		report(err, type, id, path, "", errors);
		return false;
	}
	return true;
}

/*
 * Reports values of x-derived properties, and then returns false. These
 * properties are computed and cannot be written.
 */
static bool
check_derived(const KgType *type, const char *id, const Jsonb *data,
			  const char *path, KgErrorList *errors)
{
	bool good = true;

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		JsonbValue value;
		KgError *err;

		if (!field->derived || !kg_field_value(field, &data->root, &value))
			continue;
		err = kg_error_new(KG_VALIDATION_FAILED,
						   "property \"%s\" is computed and cannot be written",
						   field->name);
		kg_error_keyword(err, "x-derived");
		kg_error_got(err, &value);
		kg_error_expected(err, "an entity without a value of this property");
		report(err, type, id, path, kg_field_pointer(field), errors);
		good = false;
	}
	return good;
}

static void
report_violation(const KgSchemaError *violation, const KgType *type,
				 const char *id, const char *path, KgErrorList *errors)
{
	ListCell *lc;
	KgError *err = kg_error_new(KG_VALIDATION_FAILED,
								"value at \"%s\" violates keyword \"%s\"",
								violation->instance_path,
								violation->keyword);

	kg_error_keyword(err, pstrdup(violation->keyword));
	kg_error_schema_path(err, violation->schema_path);
	if (violation->value)
		kg_error_got_jsonb(err, violation->value);
	if (violation->expected)
		kg_error_expected(err, "%s", violation->expected);
	foreach(lc, violation->allowed)
		kg_error_allow(err, lfirst(lc));
	if (violation->did_you_mean)
		kg_error_did_you_mean(err, violation->did_you_mean);
	report(err, type, id, path, violation->instance_path, errors);
}

/* Returns whether a violation is about the value of a property. */
static bool
is_about(const KgSchemaError *violation, const KgField *field)
{
	StringInfoData pointer;

	initStringInfo(&pointer);
	appendStringInfoString(&pointer, violation->instance_path);
	if (violation->missing != NULL)
		kg_json_pointer_append(
			&pointer, violation->missing, strlen(violation->missing));
	return strcmp(pointer.data, kg_field_pointer(field)) == 0;
}

typedef struct KeyCheck
{
	const KgType *type;
	const char *id;
	const char *path;
	KgErrorList *errors;
	const KgField *field;
	bool good;
} KeyCheck;

static void
check_key(const JsonbValue *value, void *arg)
{
	KeyCheck *check = arg;

	if (value->type == jbvNull || kg_key_fits(check->field, value))
		return;
	report(kg_key_limit_error(check->field, value),
		   check->type,
		   check->id,
		   check->path,
		   kg_field_pointer(check->field),
		   check->errors);
	check->good = false;
}

static bool
check_period(const KgType *type, const char *id, const Jsonb *data,
			 const char *path, KgErrorList *errors)
{
	const KgField *field;
	KgError *err = kg_period_fault(&type->period, data, &field);

	if (err == NULL)
		return true;
	report(err, type, id, path, kg_field_pointer(field), errors);
	return false;
}

/*
 * Reports values of indexed properties that do not fit into the index, and then
 * returns false.
 */
static bool
check_keys(const KgType *type, const char *id, const Jsonb *data,
		   const char *path, KgErrorList *errors)
{
	KeyCheck check = {type, id, path, errors, NULL, true};
	/*
	 * If the document is this small, every value fits. The 8 bytes are added
	 * because the key of a version may be longer than its value.
	 */
	bool all_fit = VARSIZE(data) + 8 <= kg_setting_max_key_bytes;

	for (int i = 0; i < type->nfields; i++)
	{
		check.field = &type->fields[i];
		if (check.field->indexed && (!all_fit || check.field->by_version))
			kg_field_visit(check.field, &data->root, check_key, &check);
	}
	return check.good;
}

bool
kg_entity_check(const KgType *type, const char *id, const Jsonb *data,
				const char *path, KgErrorList *errors)
{
	const KgSchema *schema = kg_type_schema(type);
	JsonbValue root;
	List *violations;
	ListCell *lc;

	if (!check_size(type, id, data, path, errors) ||
		!check_derived(type, id, data, path, errors))
		return false;
	kg_json_root(data, &root);
	if (kg_schema_is_valid(schema, &root))
		return check_keys(type, id, data, path, errors) &&
			   check_period(type, id, data, path, errors);
	violations = kg_schema_errors(
		schema, &root, Max(1, errors->limit - list_length(errors->errors)));
	/*
	 * If id is NULL, kg_entity_id() has already reported the fault of the id,
	 * so violations by the id are not reported again.
	 */
	foreach(lc, violations)
		if (id != NULL || !is_about(lfirst(lc), type->id_field))
			report_violation(lfirst(lc), type, id, path, errors);
	return false;
}

void
kg_entity_check_scope(const KgType *type, const char *id, const Jsonb *data,
					  const char *path, KgErrorList *errors)
{
	const KgTokenIdentity *token = kg_token_identity();
	text *scope;
	KgError *err;

	if (!kg_identity_scoped())
		return;
	scope = kg_extract_scope(type, data);
	if (kg_identity_sees_scope(scope ? VARDATA(scope) : NULL,
							   scope ? VARSIZE(scope) - VARHDRSZ : 0))
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "the entity is outside of the caller's scope paths");
	kg_error_keyword(err, "x-scope-field");
	if (scope && VARSIZE(scope) > VARHDRSZ)
		kg_error_got_string(err, text_to_cstring(scope));
	kg_error_expected(err, "a scope path of the caller, or a path below it");
	for (int i = 0; i < token->nscopes; i++)
		kg_error_allow(err, token->scopes[i]);
	report(err,
		   type,
		   id,
		   path,
		   scope ? kg_field_pointer(type->scope_field) : "",
		   errors);
}

KgError *
kg_violations_error(const KgErrorList *errors, const char *what)
{
	KgError *first = linitial((List *) errors->errors);
	KgError *err = first;

	/*
	 * If there is only one error, it is raised unchanged. Several errors are
	 * listed in one error.
	 */
	if (errors->total > 1)
		err = kg_error_new(kg_error_code(first),
						   "%s: " INT64_FORMAT " errors, first: %s",
						   what,
						   errors->total,
						   kg_error_message(first));
	kg_error_errors(err, kg_error_array(errors));
	return err;
}

void
kg_throw_violations(const KgErrorList *errors, const char *what)
{
	if (errors->total > 0)
		kg_error_throw(kg_violations_error(errors, what));
}

KgError *
kg_no_target_error(const KgField *field, const char *value, const char *what)
{
	return KG_ERROR(
		KG_REFERENCE_MISSING,
		.message = psprintf("property \"%s\" refers to an entity of type "
							"\"%s\" that does not exist",
							field->name,
							field->ref_type),
		.keyword = "x-ref",
		.got_string = value,
		.expected = psprintf("the %s of an %s of type \"%s\"",
							 field->ref_field ? field->ref_field : "id",
							 what,
							 field->ref_type));
}
