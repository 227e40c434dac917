/*
 * named_tool.c
 *	  Finds the intended tool for a name that no tool has.
 *
 *	  A name that is only a verb matches the tools of all types equally well.
 *	  The names of the arguments decide then.
 */
#include "postgres.h"

#include "base/meaning.h"
#include "query/argument/names.h"
#include "query/argument/repair.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/fixed_tools.h"
#include "tools/named_tool.h"
#include "tools/input/outline.h"

#define KG_MOST_VERBS 12
#define KG_MOST_TOOLS 4

typedef struct Verbs
{
	/* operation of the generated tools for which the verbs stand, or 0 */
	int operation;
	const char *verbs[KG_MOST_VERBS];
	/*
	 * Names of the tools that serve all types and for which the verbs stand,
	 * best first.
	 */
	const char *tools[KG_MOST_TOOLS];
} Verbs;

static const Verbs all_verbs[] = {
	{KG_EXPOSE_LIST,
	 {"list",
	  "list_all",
	  "list_entities",
	  "list_nodes",
	  "filter",
	  "select",
	  "browse",
	  "query",
	  "query_entities",
	  "query_nodes",
	  "find"},
	 {"find_nodes", "search_entities", "find"}},
	{KG_EXPOSE_GET,
	 {"get",
	  "get_by_id",
	  "get_entity",
	  "get_entities",
	  "get_node",
	  "get_nodes",
	  "fetch",
	  "read",
	  "retrieve",
	  "lookup",
	  "show"},
	 {"describe_entity", "describe_entities", "get"}},
	{0,
	 {"search",
	  "search_all",
	  "search_nodes",
	  "search_graph",
	  "find_entity",
	  "find_entities",
	  "find_by_name"},
	 {"search_entities", "find_nodes", "find"}},
};

static const Verbs *
verbs_of(const char *name)
{
	for (int i = 0; i < lengthof(all_verbs); i++)
		for (int v = 0; v < KG_MOST_VERBS && all_verbs[i].verbs[v]; v++)
			if (kg_name_spelled(name, all_verbs[i].verbs[v]))
				return &all_verbs[i];
	return NULL;
}

static bool
is_offered(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/*
 * If an argument names a type, returns the type and sets *argument to that
 * argument. Otherwise returns NULL.
 */
static const KgType *
named_type(const KgCatalog *catalog, const JsonbContainer *arguments,
		   const char **argument)
{
	kg_json_each(it, arguments)
	{
		char *name = kg_json_cstring(&it.key);
		const KgType *type;

		if (it.value.type != jbvString ||
			!kg_name_means(arguments, name, &it.value, "label", NULL))
			continue;
		type = kg_catalog_type(catalog, kg_json_cstring(&it.value));
		if (type == NULL)
			continue;
		*argument = name;
		return type;
	}
	return NULL;
}

/*
 * Returns the arguments with the names that the tool uses. Returns NULL if the
 * tool does not have one of the arguments, or requires an argument that is
 * missing.
 */
static Jsonb *
fit(const JsonbContainer *arguments, const char *template)
{
	const KgOutline *outline = kg_outline(template);
	Jsonb *fitted;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, arguments)
	{
		char *name = kg_json_cstring(&it.key);
		Jsonb *as = NULL;

		if (kg_outline_member(outline, name, strlen(name)) == NULL)
		{
			const char *ours = kg_name_same(
				arguments, name, &it.value, outline);

			if (ours == NULL)
				return NULL;
			as = kg_repair_as_member(
				kg_outline_member(outline, ours, strlen(ours)), &it.value);
			kg_jw_key(&w, ours);
		}
		else
			kg_jw_key(&w, name);
		if (as != NULL)
			kg_jw_jsonb(&w, as);
		else
			kg_jw_value(&w, &it.value);
	}
	fitted = kg_jw_finish(&w);
	return kg_outline_is_complete(outline, &fitted->root) ? fitted : NULL;
}

/*
 * Returns the tool that has the operation for the type that an argument names.
 * Returns NULL if there is no such tool. Sets *instead to the arguments for the
 * tool, without the name of the type.
 */
static const char *
tool_of_type(const KgCatalog *catalog, int operation, const char *const *names,
			 int n, const Jsonb *arguments, Jsonb **instead)
{
	const char *argument;
	const KgType *type = named_type(catalog, &arguments->root, &argument);
	const KgTool *tool = type ? kg_catalog_tool_of(catalog, type, operation)
							  : NULL;
	Jsonb *rest;

	if (tool == NULL || !is_offered(tool->name, names, n))
		return NULL;
	rest = kg_json_without(arguments, argument);
	*instead = fit(&rest->root, kg_tool_input_template(type, operation));
	/*
	 * If the arguments do not fit the tool, they are suggested anyway: the
	 * error of the tool reports the fault.
	 */
	if (*instead == NULL)
		*instead = rest;
	return tool->name;
}

bool
kg_tool_of_verb(const KgCatalog *catalog, const char *name,
				const char *const *names, int n, const Jsonb *arguments,
				const char **tool, Jsonb **instead)
{
	const Verbs *verbs = verbs_of(name);
	bool says_nothing = arguments == NULL || !JB_ROOT_IS_OBJECT(arguments) ||
						JB_ROOT_COUNT(arguments) == 0;

	*tool = NULL;
	*instead = NULL;
	if (verbs == NULL)
		return false;
	if (!says_nothing && verbs->operation != 0)
		*tool = tool_of_type(
			catalog, verbs->operation, names, n, arguments, instead);
	for (int i = 0; i < KG_MOST_TOOLS && verbs->tools[i] && !*tool; i++)
	{
		if (!is_offered(verbs->tools[i], names, n))
			continue;
		if (!says_nothing)
			*instead = fit(&arguments->root, verbs->tools[i]);
		if (says_nothing || *instead != NULL)
			*tool = verbs->tools[i];
	}
	return true;
}

const char *
kg_tool_meant(const char *name, const char *const *names, const bool *writes,
			  int n)
{
	const char **reading = palloc((n + 1) * sizeof(char *));
	const char *writing = NULL;
	int nreading = 0;
	int nwriting = 0;

	for (int i = 0; i < n; i++)
		if (!writes[i])
		{
			/*
			 * A tool that reads is not proposed for a name that means a change
			 * of data.
			 */
			if (!kg_is_change(name) || kg_is_change(names[i]))
				reading[nreading++] = names[i];
		}
		else if (kg_is_respelling(name, names[i]) && nwriting++ == 0)
			writing = names[i];
	if (nwriting > 0)
		return nwriting == 1 ? writing : NULL;
	return kg_nearest(name, reading, nreading);
}
