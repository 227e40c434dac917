/*
 * misplaced.c
 *	  Properties of a type among the arguments, that belong into "filters".
 */
#include "postgres.h"

#include "query/arguments.h"
#include "query/repair.h"
#include "query/running.h"
#include "tools/definition.h"
#include "tools/misplaced.h"

/* The type that the object selects from: it names it, or the tool is of it. */
static const KgType *
selected_type(const JsonbContainer *object, const char *path)
{
	static const char *const names[] = {"label", "node_label"};
	const KgCatalog *catalog = kg_running_catalog();
	KgCallable called;
	JsonbValue label;

	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_get(object, names[i], &label) != NULL)
			return label.type == jbvString
					   ? kg_catalog_type(catalog, kg_json_cstring(&label))
					   : NULL;
	if (path[0] == '\0' &&
		kg_callable_find(catalog, kg_running_call()->tool, &called) &&
		called.tool != NULL)
		return called.tool->type;
	return NULL;
}

/*
 * What "filters" has, and the members of the object that are properties; these
 * go out.  NULL where one of them is in it already, or it is no object.
 */
static Jsonb *
gather(KgCorrection *correction, const JsonbContainer *object, const char *path,
	   const KgOutline *outline, const KgType *type, const JsonbValue *filters)
{
	KgJsonWriter w;
	JsonbValue taken;

	if (filters != NULL && !kg_json_is_object(filters))
		return NULL;
	kg_jw_init_object(&w);
	if (filters != NULL)
		kg_jw_members(&w, kg_json_container(filters));
	kg_json_each(it, object)
	{
		char *name = kg_json_cstring(&it.key);
		KgInstead out = {.kind = KG_INSTEAD_OUT,
						 .path = kg_path_member(path, name)};

		if (kg_outline_member(outline, name, strlen(name)) != NULL ||
			kg_type_field(type, name) == NULL)
			continue;
		if (filters != NULL &&
			kg_json_get(kg_json_container(filters), name, &taken) != NULL)
			return NULL;
		kg_jw_member(&w, &it);
		kg_correct(correction, &out);
	}
	return kg_jw_finish(&w);
}

void
kg_refuse_misplaced(const JsonbContainer *object, const char *path,
					const KgOutline *outline, const JsonbValue *key)
{
	KgCorrection correction = {NULL};
	char *name = kg_json_cstring(key);
	const KgCall *call = kg_running_call();
	KgInstead in = {.key = "filters"};
	JsonbValue filters;
	bool filtered;
	const KgType *type;
	KgError *err;

	if (call == NULL || call->tool == NULL ||
		kg_outline_member(outline, "filters", strlen("filters")) == NULL)
		return;
	type = selected_type(object, path);
	if (type == NULL || kg_type_field(type, name) == NULL)
		return;
	err = kg_error_new(
		KG_INVALID_INPUT,
		"unknown argument \"%s\": a property goes into \"filters\"",
		name);
	kg_error_path(err, "%s", kg_path_member(path, name));
	kg_error_got_string(err, name);
	kg_error_expected(err, "one of the known arguments");
	filtered = kg_json_get(object, "filters", &filters) != NULL;
	in.value = gather(
		&correction, object, path, outline, type, filtered ? &filters : NULL);
	if (in.value != NULL)
	{
		in.kind = filtered ? KG_INSTEAD_VALUE : KG_INSTEAD_ADD;
		in.path = filtered ? kg_path_member(path, in.key) : path;
		kg_correct(&correction, &in);
		if (correction.arguments != NULL)
			kg_error_call_tool(err, call->tool, correction.arguments);
	}
	kg_error_throw(err);
}
