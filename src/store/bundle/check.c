/*
 * bundle/check.c
 *	  Checks of the types, relations and tools of a payload against the
 *	  catalog.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/annotations.h"
#include "miscadmin.h"
#include "store/bundle/bundle.h"
#include "utils/builtins.h"

static void
check_type(KgApply *apply, KgPayloadType *type)
{
	char *what = psprintf("entity type \"%s\"", type->name);
	int64 before = apply->errors.total;
	const KgType *parsed;

	if (!kg_bundle_check_depth(
			apply, type->schema, what, type->name, type->path))
		return;
	parsed = kg_type_parse(apply->payload->name,
						   type->name,
						   type->schema,
						   apply->payload->definitions,
						   type->path,
						   &apply->errors);
	kg_bundle_check_compiles(apply, type->schema, what, type->name, type->path);
	type->stored = kg_catalog_type_in(
		apply->before, apply->payload->name, type->name);
	if (apply->errors.total > before)
		return;
	((KgType *) parsed)->context = CurrentMemoryContext;
	type->parsed = parsed;
}

/*
 * Returns the path of the field's subschema in the payload. It is correct only
 * if no $ref or branch (such as anyOf) leads to the field.
 */
static char *
field_path(const KgPayloadType *type, const KgField *field)
{
	return psprintf("%s%s", type->path, kg_field_schema_pointer(field));
}

/* Returns whether an x-ref-field can name the property. */
static bool
is_target_field(const KgType *type, const char *name)
{
	const KgField *field = kg_type_field(type, name);

	return field && (field == type->id_field ||
					 (field->indexed && field->kind == KG_KIND_STRING));
}

static void
check_reference(KgApply *apply, const KgPayloadType *type, const KgField *field)
{
	const char *bundle = field->ref_bundle ? field->ref_bundle
										   : apply->payload->name;
	const KgType *target;
	char *path = field_path(type, field);
	KgError *err;

	if (!kg_valid_type_name(field->relation))
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "relation name \"%s\" is not valid",
						   field->relation);
		kg_error_keyword(err, "x-relation");
		kg_error_got_string(err, field->relation);
		kg_error_expected(err,
						  "an \"x-relation\" that matches "
						  "^[A-Za-z][A-Za-z0-9_]{0,61}[A-Za-z0-9]$");
		kg_apply_report(apply, err, path);
	}
	if (!kg_bundle_has_type(apply, bundle, field->ref_type))
	{
		kg_bundle_unknown_type(apply,
							   field->ref_bundle
								   ? psprintf("%s/%s", bundle, field->ref_type)
								   : field->ref_type,
							   "x-ref",
							   path);
		return;
	}
	target = kg_bundle_future_type(apply, bundle, field->ref_type);
	if (target != NULL && field->kind == KG_KIND_INTEGER && !target->number_ids)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "property \"%s\" is an integer, but ids of \"%s\" "
						   "are strings",
						   field->name,
						   field->ref_type);
		kg_error_keyword(err, "x-ref");
		kg_error_expected(err, "\"type\": \"string\"");
		kg_apply_report(apply, err, path);
	}
	if (field->ref_field == NULL || target == NULL)
		return;
	if (is_target_field(target, field->ref_field))
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "\"x-ref-field\" names \"%s\" of \"%s\", which is not "
					   "an indexed string property",
					   field->ref_field,
					   field->ref_type);
	kg_error_keyword(err, "x-ref-field");
	kg_error_got_string(err, field->ref_field);
	kg_error_expected(err,
					  "a string property with \"x-index\": true, or the "
					  "id property");
	kg_apply_report(apply, err, path);
}

static void
check_counted(KgApply *apply, const KgPayloadType *type, const KgField *field)
{
	KgError *err;

	if (field->derived_relation == NULL ||
		kg_bundle_has_relation(apply, field->derived_relation))
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "\"x-derived\" counts relation \"%s\", which does "
					   "not exist",
					   field->derived_relation);
	kg_error_keyword(err, "x-derived");
	kg_error_got_string(err, field->derived_relation);
	kg_error_expected(err, "a relation of this bundle or another");
	kg_apply_report(apply, err, field_path(type, field));
}

static void
check_fields(KgApply *apply, KgPayloadType *type)
{
	const KgType *parsed = type->parsed;

	for (int i = 0; i < parsed->nfields; i++)
	{
		const KgField *field = &parsed->fields[i];

		if (field->ref_type)
			check_reference(apply, type, field);
		if (field->derived && field->derived_relation == NULL)
			kg_apply_warn(
				apply,
				psprintf("property \"%s\" of type \"%s\" has no value, because "
						 "its \"x-derived\" does not name a relation to count",
						 field->name,
						 type->name));
		check_counted(apply, type, field);
	}
}

/*
 * Reports a change of a type's ids from integers to strings, because a property
 * of a stored type refers to them by integers.
 */
static void
report_integer(KgApply *apply, const KgType *type, const KgField *field,
			   const KgPayloadType *target)
{
	KgError *err = kg_error_new(
		KG_REFERENCE_MISSING,
		"ids of \"%s\" cannot become strings, because "
		"property \"%s\" of \"%s/%s\" refers to them by integers",
		field->ref_type,
		field->name,
		type->bundle,
		type->name);

	kg_error_keyword(err, "x-id-field");
	kg_error_expected(err,
					  "an \"x-id-field\" of type integer, or a change of the "
					  "referring type first");
	kg_apply_report(apply, err, target->path);
}

/*
 * Checks stored types that refer to a changed type. Reports an x-ref-field if
 * the target type would lose the property, or if the property's new schema is
 * unsuitable. Also reports references by integers to a type whose ids become
 * strings.
 */
static void
check_named_fields(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, payload->name) == 0 &&
			(!apply->options.merge || kg_payload_type(payload, type->name)))
			continue;
		for (int j = 0; j < type->nfields; j++)
		{
			const KgField *field = &type->fields[j];
			const KgPayloadType *target;
			KgError *err;

			if (field->ref_type == NULL ||
				strcmp(field->ref_bundle, payload->name) != 0)
				continue;
			target = kg_payload_type(payload, field->ref_type);
			if (target == NULL || target->parsed == NULL)
				continue;
			if (field->kind == KG_KIND_INTEGER && !target->parsed->number_ids)
				report_integer(apply, type, field, target);
			if (field->ref_field == NULL ||
				is_target_field(target->parsed, field->ref_field))
				continue;
			err = kg_error_new(
				KG_REFERENCE_MISSING,
				"property \"%s\" of type \"%s\" must remain an indexed "
				"string, because an \"x-ref-field\" of \"%s/%s\" names it",
				field->ref_field,
				field->ref_type,
				type->bundle,
				type->name);
			kg_error_keyword(err, "x-ref-field");
			kg_error_got_string(err, field->ref_field);
			kg_error_expected(
				err,
				"an indexed string property of that name, or this change after "
				"a change of the referring type");
			kg_apply_report(apply, err, target->path);
		}
	}
}

/* Reports types of other bundles that refer to a type to be deleted. */
static void
check_foreign_references(KgApply *apply)
{
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, apply->payload->name) == 0)
			continue;
		for (int j = 0; j < type->nfields; j++)
		{
			const KgField *field = &type->fields[j];
			KgError *err;

			if (field->ref_type == NULL ||
				strcmp(field->ref_bundle, apply->payload->name) != 0 ||
				kg_bundle_has_type(apply, field->ref_bundle, field->ref_type))
				continue;
			err = kg_error_new(
				KG_REFERENCE_MISSING,
				"entity type \"%s\" cannot be deleted, because \"%s/%s\" "
				"refers to it",
				field->ref_type,
				type->bundle,
				type->name);
			kg_error_keyword(err, "x-ref");
			kg_error_expected(
				err,
				"a bundle with this type, or the same bundle after the "
				"reference was removed");
			kg_apply_report(apply, err, "/schemas");
		}
	}
}

void
kg_bundle_check_others(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	for (int i = 0; i < payload->ntypes; i++)
	{
		const KgType *type = payload->types[i].parsed;

		for (int j = 0; type && j < type->nfields; j++)
		{
			const KgField *field = &type->fields[j];

			if (field->ref_type && field->ref_bundle &&
				strcmp(field->ref_bundle, payload->name) != 0)
				check_reference(apply, &payload->types[i], field);
			check_counted(apply, &payload->types[i], field);
		}
	}
	kg_bundle_check_other_relations(apply);
	check_foreign_references(apply);
	check_named_fields(apply);
}

/*
 * The search for reference cycles between types, which are permitted and
 * reported as warnings.
 */
typedef struct CycleSearch
{
	KgApply *apply;
	/* search state of each type: 0 new, 1 on the current path, 2 done */
	int *state;
	int *path;
	int depth;
} CycleSearch;

static int
payload_type_index(const KgPayload *payload, const KgField *field)
{
	if (field->ref_bundle && strcmp(field->ref_bundle, payload->name) != 0)
		return -1;
	for (int i = 0; i < payload->ntypes; i++)
		if (strcmp(payload->types[i].name, field->ref_type) == 0)
			return i;
	return -1;
}

static void
find_cycles(CycleSearch *search, int index)
{
	const KgPayload *payload = search->apply->payload;
	const KgType *type = payload->types[index].parsed;

	check_stack_depth();
	search->state[index] = 1;
	search->path[search->depth++] = index;
	for (int i = 0; type && i < type->nfields; i++)
	{
		int next;
		StringInfoData text;
		int start;

		if (type->fields[i].ref_type == NULL)
			continue;
		next = payload_type_index(payload, &type->fields[i]);
		if (next < 0 || search->state[next] == 2)
			continue;
		if (search->state[next] == 0)
		{
			find_cycles(search, next);
			continue;
		}
		initStringInfo(&text);
		appendStringInfoString(&text, "reference cycle between types: ");
		for (start = 0; search->path[start] != next; start++)
			;
		for (; start < search->depth; start++)
			appendStringInfo(
				&text, "%s -> ", payload->types[search->path[start]].name);
		appendStringInfoString(&text, payload->types[next].name);
		kg_apply_warn(search->apply, text.data);
	}
	search->depth--;
	search->state[index] = 2;
}

void
kg_bundle_check(KgApply *apply)
{
	KgPayload *payload = apply->payload;
	CycleSearch search = {apply};

	for (int i = 0; i < payload->ntypes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_type(apply, &payload->types[i]);
	}
	kg_bundle_check_relations(apply);
	for (int i = 0; i < payload->ntypes; i++)
		if (payload->types[i].parsed)
			check_fields(apply, &payload->types[i]);
	kg_bundle_check_tools(apply);
	check_foreign_references(apply);
	check_named_fields(apply);

	search.state = palloc0(Max(1, payload->ntypes) * sizeof(int));
	search.path = palloc(Max(1, payload->ntypes) * sizeof(int));
	for (int i = 0; i < payload->ntypes; i++)
		if (search.state[i] == 0)
			find_cycles(&search, i);
}
