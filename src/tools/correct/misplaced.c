/*
 * misplaced.c
 *	  Corrects calls that pass properties of a type as arguments instead of in
 *	  "filters".
 */
#include "postgres.h"

#include "query/argument/arguments.h"
#include "query/argument/names.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "tools/callable.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/correct/misplaced.h"
#include "tools/input/outline.h"
#include "tools/offered.h"

/*
 * An object of the arguments that contains misplaced properties. The properties
 * belong to the "filters" of a node (selection).
 */
typedef struct Misplaced
{
	const KgOutline *outline;
	const JsonbContainer *object;
	const char *path;
	const JsonbContainer
		*node; /* the node: the object itself, or a member of the object */
	const char *node_path;
	const KgType *type; /* type whose entities the node selects */
	/* the unknown argument that names the type, or NULL */
	const char *type_name;
} Misplaced;

static bool
is_known(const Misplaced *m, const char *name)
{
	return kg_outline_member(m->outline, name, strlen(name)) != NULL;
}

static const KgType *
type_of_tool(const KgCatalog *catalog)
{
	KgCallable called;

	return kg_callable_find(catalog, kg_running_call()->tool, &called) &&
				   called.tool != NULL
			   ? kg_tool_type(called.tool)
			   : NULL;
}

/*
 * Returns the type with this name, or the type that a misspelt name certainly
 * means, or NULL. Without the type, its properties would be unknown arguments,
 * and a property might be corrected to the name of another argument.
 */
static const KgType *
type_meant(const KgCatalog *catalog, const char *name)
{
	const KgType *type = kg_catalog_type(catalog, name);
	const char **handles;
	const char *near;

	if (type != NULL)
		return type;
	handles = palloc(Max(1, catalog->ntypes) * sizeof(char *));
	for (int i = 0; i < catalog->ntypes; i++)
		handles[i] = kg_row_handle(&catalog->types[i]);
	near = kg_nearest(name, handles, catalog->ntypes);
	return near != NULL ? kg_catalog_type(catalog, near) : NULL;
}

/*
 * Sets the type whose entities the node selects. The tool determines the type,
 * or an argument names it.
 */
static void
find_type(Misplaced *m)
{
	/*
	 * In a step, which has the member "to", the member "type" is a
	 * relationship type and does not name an entity type.
	 */
	static const char *const names[] = {"label", "node_label", "type"};
	int n = is_known(m, names[2]) && !is_known(m, "to") ? 3 : 2;
	const KgCatalog *catalog = kg_running_catalog();
	JsonbValue label;

	if (m->path[0] == '\0')
		m->type = type_of_tool(catalog);
	for (int i = 0; i < n && m->type == NULL; i++)
		if (kg_json_get(m->node, names[i], &label) != NULL)
		{
			if (label.type == jbvString)
				m->type = type_meant(catalog, kg_json_cstring(&label));
			return;
		}
	if (m->type != NULL)
		return;
	kg_json_each(it, m->node)
	{
		char *name = kg_json_cstring(&it.key);

		if (it.value.type != jbvString || is_known(m, name) ||
			!kg_name_means(m->node, name, &it.value, names[0], NULL))
			continue;
		m->type = type_meant(catalog, kg_json_cstring(&it.value));
		m->type_name = name;
		if (m->type != NULL)
			return;
	}
}

/*
 * For the end of a step without a label: returns a type that has the property.
 * Returns NULL if no type has the property.
 */
static const KgType *
any_type_with(const Misplaced *m, const char *name)
{
	const KgCatalog *catalog = kg_running_catalog();
	JsonbValue label;

	if (m->path[0] == '\0' || !is_known(m, "label") ||
		!is_known(m, "filters") ||
		kg_json_get(m->object, "label", &label) != NULL)
		return NULL;
	for (int i = 0; i < catalog->ntypes; i++)
		if (kg_type_field(kg_type_of(&catalog->types[i]), name) != NULL)
			return kg_type_of(&catalog->types[i]);
	return NULL;
}

/*
 * Returns whether a name is a property, and is not the unknown argument that
 * names the type.
 */
static bool
is_property(const Misplaced *m, const char *name)
{
	return kg_type_field(m->type, name) != NULL &&
		   (m->type_name == NULL || strcmp(m->type_name, name) != 0);
}

/*
 * Returns "filters" with the misplaced properties added, and removes these
 * properties from the arguments of the call. Returns NULL if "filters" is not
 * an object, or already has one of these properties.
 */
static Jsonb *
gather(KgCorrection *correction, const Misplaced *m, const JsonbValue *filters)
{
	KgJsonWriter w;
	JsonbValue taken;

	if (filters != NULL && !kg_json_is_object(filters))
		return NULL;
	kg_jw_init_object(&w);
	if (filters != NULL)
		kg_jw_members(&w, kg_json_container(filters));
	kg_json_each(it, m->object)
	{
		char *name = kg_json_cstring(&it.key);

		if (is_known(m, name) || !is_property(m, name))
			continue;
		if (filters != NULL &&
			kg_json_get(kg_json_container(filters), name, &taken) != NULL)
			return NULL;
		kg_jw_member(&w, &it);
		kg_correct_out(correction, kg_path_member(m->path, name));
	}
	return kg_jw_finish(&w);
}

/*
 * If the call has ids, but only "filters" can select the node, raises an error
 * with a condition on the id.
 */
static void
refuse_ids(const Misplaced *m, const char *name)
{
	KgCorrection correction = {NULL};
	JsonbValue value;
	KgJsonWriter w;
	KgError *err;
	bool several;

	if ((strcmp(name, "ids") != 0 && strcmp(name, "id") != 0) ||
		m->path[0] == '\0' || !is_known(m, "label") ||
		!is_known(m, "filters") || is_known(m, "ids") ||
		kg_json_get(m->object, "filters", &value) != NULL)
		return;
	(void) kg_json_get(m->object, name, &value);
	several = kg_json_is_array(&value);
	kg_jw_init_object(&w);
	kg_jw_key(&w, "id");
	if (several)
	{
		kg_jw_begin_object(&w);
		kg_jw_key(&w, "in");
	}
	kg_jw_value(&w, &value);
	if (several)
		kg_jw_end_object(&w);
	kg_correct_out(&correction, kg_path_member(m->path, name));
	kg_correct_set(&correction, m->path, "filters", kg_jw_finish(&w));
	err = kg_args_unknown(
		m->path, name, "a filter on ids must be in \"filters\"");
	if (correction.arguments != NULL)
		kg_error_call_tool(err, kg_running_call()->tool, correction.arguments);
	kg_error_throw(err);
}

/*
 * If a get tool was called with properties, adds to the error a call of the
 * type's list tool with the properties as filters. Does so only if the list
 * tool has all other arguments of the call.
 */
static void
propose_list(const Misplaced *m, KgError *err)
{
	const KgCatalog *catalog = kg_running_catalog();
	const KgTool *list = kg_catalog_tool_of(catalog, m->type, KG_EXPOSE_LIST);
	const KgOutline *outline;
	KgCallable called;
	KgJsonWriter filters;
	KgJsonWriter w;

	if (!kg_callable_find(catalog, kg_running_call()->tool, &called) ||
		called.tool == NULL || called.tool->operation != KG_EXPOSE_GET ||
		list == NULL ||
		!kg_tool_is_offered(kg_agent_current(), list, kg_operations_offered()))
		return;
	outline = kg_outline(kg_tool_input_template(m->type, list->operation));
	kg_jw_init_object(&filters);
	kg_jw_init_object(&w);
	kg_json_each(it, m->object)
	{
		char *name = kg_json_cstring(&it.key);

		if (!is_known(m, name) && is_property(m, name) &&
			kg_type_field(m->type, name)->indexed)
			kg_jw_member(&filters, &it);
		else if (kg_outline_member(outline, name, strlen(name)) != NULL)
			kg_jw_member(&w, &it);
		else
			return;
	}
	kg_jw_kjsonb(&w, "filters", kg_jw_finish(&filters));
	kg_error_call_tool(err, list->name, kg_jw_finish(&w));
}

/*
 * Raises KG_INVALID_INPUT for a property by which the tool cannot filter.
 * Without this error, a correction might use the value of the property for
 * another argument, such as "code" for "id".
 */
static void
refuse_property(const Misplaced *m, const char *name)
{
	KgError *err;

	if (!is_property(m, name) || m->type->id_field == NULL ||
		strcmp(m->type->id_field->name, name) == 0)
		return;
	err = kg_args_unknown(
		m->path,
		name,
		"it is a property, and the tool cannot select by properties");
	for (int i = 0; i < m->outline->n; i++)
		kg_error_allow(err, m->outline->names[i]);
	propose_list(m, err);
	kg_error_throw(err);
}

void
kg_refuse_misplaced(const JsonbContainer *object, const char *path,
					const KgOutline *outline, const JsonbValue *key)
{
	KgCorrection correction = {NULL};
	char *name = kg_json_cstring(key);
	const KgCall *call = kg_running_call();
	Misplaced m = {outline, object, path, object, path};
	const Jsonb *gathered;
	JsonbValue node;
	JsonbValue filters;
	bool filtered;
	KgError *err;

	if (call == NULL || call->tool == NULL)
		return;
	if (!is_known(&m, "filters") && is_known(&m, "node") &&
		kg_json_get(object, "node", &node) != NULL && kg_json_is_object(&node))
	{
		m.node = kg_json_container(&node);
		m.node_path = kg_path_member(path, "node");
	}
	find_type(&m);
	if (m.type == NULL)
		m.type = any_type_with(&m, name);
	refuse_ids(&m, name);
	if (m.type == NULL)
		return;
	if (!is_known(&m, "filters") && m.node == object)
	{
		if (!is_known(&m, "items") &&
			type_of_tool(kg_running_catalog()) != NULL)
			refuse_property(&m, name);
		return;
	}
	if (!is_property(&m, name))
		return;
	err = kg_args_unknown(
		m.path, name, "a filter on a property must be in \"filters\"");
	filtered = kg_json_get(m.node, "filters", &filters) != NULL;
	gathered = gather(&correction, &m, filtered ? &filters : NULL);
	if (gathered != NULL)
	{
		kg_correct_set(&correction, m.node_path, "filters", gathered);
		if (correction.arguments != NULL)
			kg_error_call_tool(err, call->tool, correction.arguments);
	}
	kg_error_throw(err);
}
