/*
 * register.c
 *	  Registers a tool: reads the definition in a request and stores it as a
 *	  row.
 *
 *	  Registering a tool and changing types or relations exclude each other
 *	  (kg_lock_tools_exclusive(), kg_lock_tools_shared()). So each of them
 *	  sees the other's result and checks it.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/owner.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/semver.h"
#include "base/settings.h"
#include "model/lock.h"
#include "model/tool_version.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/registered_tools.h"
#include "tools/input/client_schema.h"
#include "tools/registered/definition.h"
#include "tools/fixed_tools.h"
#include "tools/registered/register.h"
#include "utils/builtins.h"
#include "utils/regproc.h"

static KgSemver
read_version(const char *text)
{
	KgSemver version;

	if (kg_semver_read(text, &version))
		return version;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("\"%s\" is not a version", text),
			 .path = "/version",
			 .got_string = text,
			 .expected = "a version in the form of semver 2.0.0");
}

/*
 * Returns the definition of the version that "default_of" names, or NULL. If
 * that version does not exist, reports a fault. Must run as the owner of the
 * extension.
 */
static Jsonb *
find_default(const char *tenant, const Jsonb *sent, KgErrorList *errors)
{
	char *name = kg_definition_string(sent, "name");
	char *of = kg_definition_string(sent, "default_of");
	KgSemver version;
	Jsonb *found = NULL;

	if (of == NULL || name == NULL)
		return NULL;
	if (kg_semver_read(of, &version))
		found = kg_stored_definition(tenant, name, version.precedence);
	if (found != NULL)
		return found;
	KG_REPORT(errors,
			  KG_VERSION_NOT_FOUND,
			  .message = psprintf("tool \"%s\" has no version \"%s\", whose "
								  "operation this version would run",
								  name,
								  of),
			  .got_string = of,
			  .path = "/default_of",
			  .expected = "a registered version");
	return NULL;
}

/*
 * Returns the definition with the qualified name of its function, so that it
 * does not depend on the search_path of later callers.
 */
static Jsonb *
qualify_function(Jsonb *definition)
{
	char *kind = kg_definition_string(definition, "kind");
	char *function = kg_definition_string(definition, "operation");
	KgJsonWriter w;
	Oid oid;

	if (kind == NULL || function == NULL || strcmp(kind, "function") != 0)
		return definition;
	oid = kg_definition_function_named(function);
	if (!OidIsValid(oid))
		return definition;
	kg_jw_init_object(&w);
	kg_json_each(it, &definition->root)
	{
		kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		if (kg_json_string_is(&it.key, "operation"))
			kg_jw_string(&w, format_procedure_qualified(oid));
		else
			kg_jw_value(&w, &it.value);
	}
	return kg_jw_finish(&w);
}

static void
check_function_owner(const KgDefinition *def, const char *bundle, Oid caller)
{
	if (def->kind != KG_DEFINED_FUNCTION ||
		(bundle == NULL && kg_has_owner_rights(caller)))
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = bundle
							? "a bundle cannot have tools of kind \"function\""
							: "tools of kind \"function\" can be registered "
							  "only by the owner of the extension",
			 .path = "/kind");
}

static void
check_not_fixed(const char *name, const char *path)
{
	if (kg_fixed_tool_find(name) == NULL)
		return;
	KG_THROW(
		KG_ALREADY_EXISTS,
		.message = psprintf("tool_name_collision_in_tenant: the name \"%s\" is "
							"the name of a tool that every tenant has",
							name),
		.path = path,
		.got_string = name,
		.expected = "another name");
}

static void
check_names(const Jsonb *definition)
{
	JsonbValue aliases;

	check_not_fixed(kg_definition_string(definition, "name"), "/name");
	if (kg_json_get(&definition->root, "aliases", &aliases) == NULL)
		return;
	kg_json_each(it, kg_json_container(&aliases))
		check_not_fixed(kg_json_cstring(&it.value),
						psprintf("/aliases/%d", it.index));
}

static KgStoredTool *
make_stored(const Jsonb *sent, const Jsonb *definition, const char *bundle)
{
	KgStoredTool *tool = palloc0(sizeof(KgStoredTool));
	JsonbValue deprecated;

	tool->name = kg_definition_string(definition, "name");
	tool->version = kg_definition_string(definition, "version");
	tool->precedence = read_version(tool->version).precedence;
	tool->toolset = kg_definition_string(definition, "toolset");
	tool->bundle = bundle;
	tool->definition = definition;
	if (kg_json_get(&sent->root, "deprecated", &deprecated))
	{
		if (deprecated.type == jbvString)
			tool->deprecated = kg_json_cstring(&deprecated);
		else if (deprecated.val.boolean)
			tool->deprecated = "";
	}
	return tool;
}

/*
 * Returns whether an equal definition is already stored. Such a definition is
 * not checked again, and kg_check() reports its faults.
 */
static bool
is_registered(const char *tenant, const KgDefinition *def)
{
	return kg_json_same(
		kg_stored_definition(
			tenant, def->name, read_version(def->version).precedence),
		def->source);
}

/*
 * Returns the row to store, and sets *def to the parsed definition. If the
 * definition has faults, reports them and returns NULL.
 */
static KgStoredTool *
prepare(const char *tenant, const Jsonb *sent, const char *bundle, Oid caller,
		KgDefinition **def, KgErrorList *errors)
{
	int64 before = errors->total;
	Jsonb *definition = NULL;
	JsonbValue input;

	if (JB_ROOT_IS_OBJECT(sent))
		definition = find_default(tenant, sent, errors);
	if (errors->total == before)
		definition = kg_definition_normalise(sent, definition, errors);
	if (definition == NULL || errors->total > before)
		return NULL;
	definition = qualify_function(definition);
	*def = kg_definition_read(definition, errors);
	if (*def == NULL)
	{
		/*
		 * Also reports faults at the root of the input schema. They may be the
		 * cause of other faults: for example, no arguments are found in a
		 * schema with $ref at its root.
		 */
		if (kg_json_get(&definition->root, "input_schema", &input) &&
			kg_json_is_object(&input))
			kg_client_check_root(kg_json_container(&input), errors);
		return NULL;
	}
	check_function_owner(*def, bundle, caller);
	if (!is_registered(tenant, *def))
	{
		check_names(definition);
		kg_client_check(*def, errors);
	}
	if (errors->total > before)
		return NULL;
	return make_stored(sent, definition, bundle);
}

static Jsonb *
make_reply(const char *name, const char *version, const char *verdict)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "tool", name);
	kg_jw_kstring_if(&w, "version", version);
	kg_jw_kstring(&w, "verdict", verdict);
	return kg_jw_finish(&w);
}

Jsonb *
kg_register_tool(const Jsonb *sent)
{
	/*
	 * Values of the member of the reply that reports the result, indexed by
	 * KgToolVerdict.
	 */
	static const char *const verdicts[] = {
		"created", "deprecated", "unchanged"};
	char *tenant = pstrdup(kg_identity_require(KG_ACCESS_ADMIN));
	KgErrorList errors = {NIL, kg_setting_max_errors};
	KgDefinition *def = NULL;
	KgStoredTool *tool;
	KgUserContext user;
	KgToolVerdict verdict;

	kg_visibility_require_tenant("register a tool");
	kg_lock_tools_exclusive(tenant);
	kg_become_owner(&user);
	tool = prepare(tenant, sent, NULL, user.userid, &def, &errors);
	if (tool != NULL)
		(void) kg_definition_bind(
			def, kg_catalog_newest(tenant), true, &errors);
	kg_throw_violations(&errors, "the definition of the tool is not valid");
	verdict = kg_store_tool(tenant, tool);
	if (verdict != KG_TOOL_UNCHANGED)
		kg_touch_catalog(tenant);
	kg_restore_user(&user);
	return make_reply(tool->name, tool->version, verdicts[verdict]);
}

static KG_NORETURN void
throw_unknown(const KgCatalog *catalog, const char *name, const char *version)
{
	const char **names = palloc((catalog->nregistered + 1) * sizeof(char *));
	const KgRegisteredName *found = kg_registered_name(catalog, name);
	KgError *err;

	if (found != NULL)
	{
		err = kg_error_new(KG_VERSION_NOT_FOUND,
						   "tool \"%s\" has no version \"%s\"",
						   name,
						   version);
		for (int i = 0; i < found->n; i++)
			kg_error_allow(err, found->versions[i].version);
		kg_error_throw(err);
	}
	for (int i = 0; i < catalog->nregistered; i++)
		names[i] = catalog->registered[i].name;
	KG_THROW(KG_UNKNOWN_TOOL,
			 .message = psprintf("no tool \"%s\" is registered", name),
			 .got_string = name,
			 .did_you_mean = kg_nearest(name, names, catalog->nregistered));
}

Jsonb *
kg_unregister_tool(const char *name, const char *version)
{
	char *tenant = pstrdup(kg_identity_require(KG_ACCESS_ADMIN));
	const bytea *precedence = NULL;
	const KgCatalog *catalog;
	const KgRegisteredName *found;
	KgUserContext user;

	kg_visibility_require_tenant("unregister a tool");
	if (version)
		precedence = read_version(version).precedence;
	kg_lock_tools_exclusive(tenant);
	catalog = kg_catalog_newest(tenant);
	found = kg_registered_name(catalog, name);
	if (found != NULL && found->versions[0].bundle != NULL)
		kg_error_throw(
			kg_error_new(KG_FORBIDDEN,
						 "tool \"%s\" belongs to bundle \"%s\"; to remove the "
						 "tool, apply the bundle without it",
						 name,
						 found->versions[0].bundle));
	kg_become_owner(&user);
	if (kg_remove_tool(tenant, name, precedence) == 0)
		throw_unknown(catalog, name, version);
	kg_touch_catalog(tenant);
	kg_restore_user(&user);
	return make_reply(name, version, "removed");
}

/* ---- bundles ---- */

/*
 * Adds the faults of one definition to "errors", with paths that begin at the
 * bundle.
 */
static void
move_errors(KgErrorList *own, const char *path, KgErrorList *errors)
{
	ListCell *lc;

	foreach(lc, own->errors)
	{
		kg_error_prefix_path(lfirst(lc), path);
		kg_error_report(errors, lfirst(lc));
	}
}

static KgStoredTool *
prepare_of_bundle(const char *tenant, const Jsonb *sent, const char *bundle,
				  const char *path, KgErrorList *errors)
{
	KgErrorList own = {NIL, errors->limit};
	KgDefinition *def = NULL;
	KgStoredTool *tool = prepare(tenant, sent, bundle, InvalidOid, &def, &own);

	move_errors(&own, path, errors);
	return tool;
}

/*
 * Checks a version of a tool against the tools that it calls, in the catalog
 * version->whose. "own" means that the version belongs to the bundle that is
 * being applied.
 */
static void
check_version(const KgToolVersion *version, bool own, int index,
			  KgErrorList *errors)
{
	KgErrorList faults = {NIL, errors->limit};
	KgDefinition *def = kg_definition_read(version->definition, &faults);
	ListCell *lc;

	if (def != NULL && def->kind != KG_DEFINED_FUNCTION)
		(void) kg_definition_bind(def, version->whose, own, &faults);
	foreach(lc, faults.errors)
	{
		if (kg_agent_hides_bundles())
		{
			kg_error_report(errors,
							kg_error_new(KG_INVALID_INPUT,
										 "a registered tool would break"));
			return;
		}
		kg_error_prefix_message(
			lfirst(lc),
			psprintf(own ? "tool \"%s\" version %s"
						 : "registered tool \"%s\" version %s would break",
					 version->tool,
					 version->version));
		if (index >= 0)
			kg_error_prefix_path(lfirst(lc), psprintf("/tools/%d", index));
		kg_error_report(errors, lfirst(lc));
	}
}

static void
check_of_bundle(const KgCatalog *catalog, const char *bundle,
				const Jsonb *tools, KgErrorList *errors)
{
	for (int i = 0; i < catalog->nregistered; i++)
	{
		const KgRegisteredName *name = &catalog->registered[i];

		for (int j = 0; j < name->n; j++)
		{
			const KgToolVersion *version = &name->versions[j];
			bool own = version->bundle != NULL &&
					   strcmp(version->bundle, bundle) == 0;

			check_version(
				version, own, own ? kg_tool_index(tools, version) : -1, errors);
		}
	}
}

static bool
is_fixed(const char *name)
{
	return kg_fixed_tool_find(name) != NULL;
}

static const char *
unlisted(const KgToolVersion *version)
{
	KgErrorList errors = {NIL, 1};
	const KgDefinition *def = kg_definition_read(version->definition, &errors);

	return def != NULL ? kg_client_bad_name(def) : NULL;
}

void
kg_register_init(void)
{
	static const KgToolHooks hooks = {
		prepare_of_bundle, check_of_bundle, is_fixed, unlisted};

	kg_tool_hooks = &hooks;
}
