/*
 * bundle/future_types.c
 *	  Types as they will be after an apply: checks of schemas, and look-ups by
 *	  name.
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/json.h"
#include "base/settings.h"
#include "store/bundle/bundle.h"
#include "utils/memutils.h"

typedef struct Compilation
{
	const Jsonb *schema;
	KgSchemaOptions options;
	MemoryContext scratch;
	List *warnings; /* allocated in scratch */
} Compilation;

static void
compile(void *arg)
{
	Compilation *c = arg;

	MemoryContextSwitchTo(c->scratch);
	c->warnings = kg_schema_warnings(kg_schema_compile(c->schema, &c->options));
}

void
kg_bundle_check_compiles(KgApply *apply, const Jsonb *schema, const char *what,
						 const char *type, const char *path)
{
	Compilation compilation = {schema,
							   {NULL, apply->payload->definitions, false}};
	ErrorData *edata;
	ListCell *lc;

	compilation.scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph schema check", ALLOCSET_DEFAULT_SIZES);
	edata = kg_catch(KG_CATCH_MEMORY, compile, &compilation);
	if (edata != NULL)
	{
		Jsonb *object = kg_error_caught(edata);
		KgErrorCode code = kg_error_caught_code(edata);
		KgError *err;
		JsonbValue value;
		const char *pointer = "";

		err = kg_error_new(code == KG_LIMIT_EXCEEDED ? code : KG_INVALID_INPUT,
						   "schema of %s: %s",
						   what,
						   edata->message);
		kg_error_entity(err, type, NULL);
		if (kg_json_get(&object->root, "path", &value))
			pointer = kg_json_cstring(&value);
		if (kg_json_get(&object->root, "got", &value))
			kg_error_got(err, &value);
		if (kg_json_get(&object->root, "expected", &value))
			kg_error_expected(err, "%s", kg_json_cstring(&value));
		else if (edata->hint)
			kg_error_expected(err, "%s", edata->hint);
		kg_apply_report(apply, err, psprintf("%s%s", path, pointer));
	}
	foreach(lc, compilation.warnings)
		kg_apply_warn(apply,
					  psprintf("schema of %s: %s", what, (char *) lfirst(lc)));
	MemoryContextDelete(compilation.scratch);
}

bool
kg_bundle_check_depth(KgApply *apply, const Jsonb *schema, const char *what,
					  const char *type, const char *path)
{
	KgError *err;

	if (!kg_json_deeper_than(&schema->root, kg_setting_schema_max_depth))
		return true;
	err = kg_error_new(KG_LIMIT_EXCEEDED,
					   "schema of %s is nested deeper than "
					   "kg_graph.schema_max_depth, %d, allows",
					   what,
					   kg_setting_schema_max_depth);
	kg_error_entity(err, type, NULL);
	kg_error_expected(err, "at most %d levels", kg_setting_schema_max_depth);
	kg_apply_report(apply, err, path);
	return false;
}

bool
kg_bundle_check_schema(KgApply *apply, const Jsonb *schema, const char *what,
					   const char *path)
{
	int64 before = apply->errors.total;

	if (kg_bundle_check_depth(apply, schema, what, NULL, path))
		kg_bundle_check_compiles(apply, schema, what, NULL, path);
	return apply->errors.total == before;
}

const KgType *
kg_bundle_future_type(const KgApply *apply, const char *bundle,
					  const char *name)
{
	const KgPayload *payload = apply->payload;

	if (strcmp(bundle, payload->name) == 0)
	{
		for (int i = 0; i < payload->ntypes; i++)
			if (strcmp(payload->types[i].name, name) == 0)
				return payload->types[i].parsed;
		if (!apply->options.merge)
			return NULL;
	}
	return kg_catalog_type_in(apply->before, bundle, name);
}

bool
kg_bundle_has_type(const KgApply *apply, const char *bundle, const char *name)
{
	/* The type will exist, even if its schema is invalid. */
	if (strcmp(bundle, apply->payload->name) == 0 &&
		kg_payload_type(apply->payload, name))
		return true;
	return kg_bundle_future_type(apply, bundle, name) != NULL;
}

void
kg_bundle_unknown_type(KgApply *apply, const char *name, const char *keyword,
					   const char *path)
{
	const KgPayload *payload = apply->payload;
	KgError *err = kg_error_new(
		KG_UNKNOWN_TYPE, "entity type \"%s\" does not exist", name);
	const char **names = palloc((payload->ntypes + apply->before->ntypes + 1) *
								sizeof(char *));
	int n = 0;

	for (int i = 0; i < payload->ntypes; i++)
		names[n++] = payload->types[i].name;
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgTypeRow *row = &apply->before->types[i];

		if (strcmp(row->bundle, payload->name) != 0)
			names[n++] = psprintf("%s/%s", row->bundle, row->name);
		else if (apply->options.merge)
			names[n++] = row->name;
	}
	for (int i = 0; i < n; i++)
		kg_error_allow(err, names[i]);
	kg_error_did_you_mean(err, kg_nearest(name, names, n));
	kg_error_keyword(err, keyword);
	kg_error_got_string(err, name);
	kg_error_expected(err,
					  "an entity type of the bundle, or a type of another "
					  "bundle as bundle/type");
	kg_apply_report(apply, err, path);
}
