/*
 * agent_changes.c
 *	  SQL functions that create and change agents: kg_create_agent,
 *	  kg_alter_agent, kg_drop_agent, kg_bind_agent, kg_unbind_agent.
 *
 * They require admin access, which is checked here.  The rows are then written
 * as the owner of the extension, always for the caller's own tenant.  A
 * statement trigger notifies every backend and the gateways.
 */
#include "postgres.h"

#include "auth/audit.h"
#include <ctype.h>

#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/toolset.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"

static const struct
{
	const char *name;
	bool is_list;
} options_known[] = {{"title", false},
					 {"description", false},
					 {"instructions", false},
					 {"toolsets", true},
					 {"tools", true},
					 {"bundles", true}};

static void
check_list(const char *name, const JsonbValue *value)
{
	if (!kg_json_is_array(value))
		kg_error_throw_option(name, value, "an array of strings, or null");
	kg_json_each(it, kg_json_container(value))
	{
		if (it.value.type != jbvString)
			kg_error_throw_option(name, &it.value, "a string");
		if (strcmp(name, "toolsets") == 0 &&
			!kg_toolset_is_name(kg_json_cstring(&it.value)))
			kg_error_throw_option(name, &it.value, "the name of a toolset");
	}
}

static void
check_option(const char *name, const JsonbValue *value)
{
	KgError *err;

	for (int i = 0; i < lengthof(options_known); i++)
	{
		if (strcmp(options_known[i].name, name) != 0)
			continue;
		if (value->type == jbvNull)
			return;
		if (options_known[i].is_list)
			check_list(name, value);
		else if (value->type != jbvString)
			kg_error_throw_option(name, value, "a string, or null");
		return;
	}
	err = kg_error_new(KG_INVALID_INPUT, "option \"%s\" is not known", name);
	kg_error_path(err, "/%s", name);
	for (int i = 0; i < lengthof(options_known); i++)
		kg_error_allow(err, options_known[i].name);
	kg_error_throw(err);
}

static void
check_options(const Jsonb *options)
{
	if (!JB_ROOT_IS_OBJECT(options))
		KG_THROW(KG_INVALID_INPUT, .message = "options must be an object");
	kg_json_each(it, &options->root)
		check_option(kg_json_cstring(&it.key), &it.value);
}

static void
check_name(const char *agent)
{
	int len = strlen(agent);

	if (len >= 1 && len <= 128 && isalnum((unsigned char) agent[0]) &&
		strspn(agent,
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			   "0123456789._:@-") == len)
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = "agent name is not valid",
			 .path = "/agent",
			 .got_string = agent,
			 .expected = "1 to 128 letters, digits and characters of "
						 "\"._:@-\", beginning with a letter or digit");
}

static KG_NORETURN void
throw_missing(const char *agent)
{
	KG_THROW(KG_NOT_FOUND,
			 .message = psprintf("agent \"%s\" does not exist", agent),
			 .expected = "an agent made by kg_create_agent()");
}

/*
 * Raises an error unless the tenant has the bundle. The error may name the
 * tenant's bundles, because the caller is an admin. Locks the bundle, and waits
 * for a transaction that drops it.
 */
static void
require_bundle(Datum tenant, const char *bundle)
{
	const char **names;
	int n;
	const char *nearest;
	KgError *err;

	KG_SPI_EXEC("SELECT FROM @kg_bundle WHERE tenant = $1 AND bundle = $2 "
				"FOR KEY SHARE",
				kg_arg(TEXTOID, tenant),
				kg_arg_text(bundle));
	if (SPI_processed > 0)
		return;
	KG_SPI_EXEC("SELECT bundle FROM @kg_bundle WHERE tenant = $1 "
				"ORDER BY bundle",
				kg_arg(TEXTOID, tenant));
	n = SPI_processed;
	names = palloc(Max(1, n) * sizeof(char *));
	for (int i = 0; i < n; i++)
		names[i] = kg_spi_cstring(i, 1);
	err = kg_error_new(KG_NOT_FOUND, "bundle \"%s\" does not exist", bundle);
	kg_error_path(err, "/bundles");
	kg_error_got_string(err, bundle);
	nearest = kg_nearest(bundle, names, n);
	if (nearest)
		kg_error_did_you_mean(err, nearest);
	for (int i = 0; i < n && i < 20; i++)
		kg_error_allow(err, names[i]);
	kg_error_throw(err);
}

/*
 * Binds a bundle to an agent. Changes nothing if the bundle is bound already.
 */
static void
bind(Datum tenant, Datum agent, const char *bundle, int position)
{
	require_bundle(tenant, bundle);
	KG_SPI_EXEC("INSERT INTO @kg_agent_bundle(tenant, agent, bundle, position) "
				"VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, agent),
				kg_arg_text(bundle),
				kg_arg_int4(position));
}

static void
unbind_all(Datum tenant, Datum agent)
{
	KG_SPI_EXEC("DELETE FROM @kg_agent_bundle WHERE tenant = $1 AND agent = $2",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, agent));
}

/*
 * Binds the bundles that the option "bundles" lists, in the order in which
 * prompts show them, and unbinds all others. Does nothing if the option is
 * missing.
 */
static void
bind_listed(Datum tenant, Datum agent, const Jsonb *options)
{
	JsonbValue bundles;

	if (kg_json_get(&options->root, "bundles", &bundles) == NULL)
		return;
	unbind_all(tenant, agent);
	if (bundles.type == jbvNull)
		return;
	kg_json_each(it, kg_json_container(&bundles))
		bind(tenant, agent, kg_json_cstring(&it.value), it.index);
}

/*
 * Raises an error unless each toolset is built in or is the toolset of a
 * registered tool.
 */
static void
check_toolsets(Datum tenant, const Jsonb *options)
{
	JsonbValue toolsets;

	if (kg_json_get(&options->root, "toolsets", &toolsets) == NULL ||
		!kg_json_is_array(&toolsets))
		return;
	kg_json_each(it, kg_json_container(&toolsets))
	{
		char *name = kg_json_cstring(&it.value);

		if (kg_toolset_of_name(name) != 0)
			continue;
		KG_SPI_EXEC("SELECT FROM @kg_tool_version WHERE tenant = $1 "
					"AND toolset = $2 LIMIT 1",
					kg_arg(TEXTOID, tenant),
					kg_arg_text(name));
		if (SPI_processed == 0)
			kg_error_throw_option("toolsets",
								  &it.value,
								  "catalog, graph, bfs, memory, compact, sql, "
								  "or the toolset of a registered tool");
	}
}

static Datum
begin(KgUserContext *user)
{
	Datum tenant = CStringGetTextDatum(kg_identity_require(KG_ACCESS_ADMIN));

	kg_visibility_require_tenant("change its agents");
	kg_become_owner(user);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	return tenant;
}

static void
finish(const KgUserContext *user)
{
	SPI_finish();
	kg_restore_user(user);
}

KG_AUDITED(kg_sql_create_agent, KG_AUDIT_WRITES)
{
	Jsonb *options = PG_GETARG_JSONB_P(1);
	char *agent = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Datum tenant;
	KgUserContext user;

	check_name(agent);
	check_options(options);
	tenant = begin(&user);
	check_toolsets(tenant, options);
	KG_SPI_EXEC(
		"INSERT INTO @kg_agent(tenant, agent, title, description, "
		"instructions, toolsets, tools) SELECT $1, $2, $3->>'title', "
		"$3->>'description', $3->>'instructions', "
		"CASE WHEN pg_catalog.jsonb_typeof($3->'toolsets') = 'array' THEN "
		"ARRAY(SELECT pg_catalog.jsonb_array_elements_text($3->'toolsets')) "
		"END, CASE WHEN pg_catalog.jsonb_typeof($3->'tools') = 'array' THEN "
		"ARRAY(SELECT pg_catalog.jsonb_array_elements_text($3->'tools')) END "
		"ON CONFLICT DO NOTHING",
		kg_arg(TEXTOID, tenant),
		kg_arg(TEXTOID, PG_GETARG_DATUM(0)),
		kg_arg_jsonb(options));
	if (SPI_processed == 0)
		KG_THROW(KG_ALREADY_EXISTS,
				 .message = psprintf("agent \"%s\" already exists", agent));
	bind_listed(tenant, PG_GETARG_DATUM(0), options);
	finish(&user);
	PG_RETURN_VOID();
}

/*
 * Defines kg_alter_agent(), which changes the options of an agent. An option
 * that is missing keeps its value; null removes it.
 */
KG_AUDITED(kg_sql_alter_agent, KG_AUDIT_WRITES)
{
	Jsonb *options = PG_GETARG_JSONB_P(1);
	Datum tenant;
	KgUserContext user;

	check_options(options);
	tenant = begin(&user);
	check_toolsets(tenant, options);
	KG_SPI_EXEC(
		"UPDATE @kg_agent SET updated_at = pg_catalog.now(), "
		"title = CASE WHEN $3 ? 'title' THEN $3->>'title' ELSE title END, "
		"description = CASE WHEN $3 ? 'description' THEN $3->>'description' "
		"ELSE description END, "
		"instructions = CASE WHEN $3 ? 'instructions' "
		"THEN $3->>'instructions' ELSE instructions END, "
		"toolsets = CASE WHEN pg_catalog.jsonb_typeof($3->'toolsets') = "
		"'array' THEN ARRAY(SELECT "
		"pg_catalog.jsonb_array_elements_text($3->'toolsets')) "
		"WHEN $3 ? 'toolsets' THEN NULL ELSE toolsets END, "
		"tools = CASE WHEN pg_catalog.jsonb_typeof($3->'tools') = 'array' "
		"THEN ARRAY(SELECT pg_catalog.jsonb_array_elements_text($3->'tools')) "
		"WHEN $3 ? 'tools' THEN NULL ELSE tools END "
		"WHERE tenant = $1 AND agent = $2",
		kg_arg(TEXTOID, tenant),
		kg_arg(TEXTOID, PG_GETARG_DATUM(0)),
		kg_arg_jsonb(options));
	if (SPI_processed == 0)
		throw_missing(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	bind_listed(tenant, PG_GETARG_DATUM(0), options);
	finish(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_drop_agent, KG_AUDIT_WRITES)
{
	Datum tenant;
	KgUserContext user;

	tenant = begin(&user);
	unbind_all(tenant, PG_GETARG_DATUM(0));
	KG_SPI_EXEC("DELETE FROM @kg_agent WHERE tenant = $1 AND agent = $2",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, PG_GETARG_DATUM(0)));
	if (SPI_processed == 0)
		throw_missing(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	finish(&user);
	PG_RETURN_VOID();
}

/*
 * Raises an error unless the agent exists, and locks it.  Called within
 * begin().
 */
static void
require_agent(Datum tenant, Datum agent)
{
	KG_SPI_EXEC("SELECT FROM @kg_agent WHERE tenant = $1 AND agent = $2 "
				"FOR KEY SHARE",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, agent));
	if (SPI_processed == 0)
		throw_missing(TextDatumGetCString(agent));
}

/*
 * Defines kg_bind_agent(), which binds a bundle to an agent, after the agent's
 * other bundles.
 */
KG_AUDITED(kg_sql_bind_agent, KG_AUDIT_WRITES)
{
	Datum tenant;
	KgUserContext user;
	int position;

	tenant = begin(&user);
	require_agent(tenant, PG_GETARG_DATUM(0));
	KG_SPI_EXEC("SELECT pg_catalog.int8(coalesce(pg_catalog.max(position), -1) "
				"+ 1) FROM @kg_agent_bundle WHERE tenant = $1 AND agent = $2",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, PG_GETARG_DATUM(0)));
	position = kg_spi_int64(0, 1);
	bind(tenant,
		 PG_GETARG_DATUM(0),
		 text_to_cstring(PG_GETARG_TEXT_PP(1)),
		 position);
	finish(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_unbind_agent, KG_AUDIT_WRITES)
{
	Datum tenant;
	KgUserContext user;

	tenant = begin(&user);
	require_agent(tenant, PG_GETARG_DATUM(0));
	KG_SPI_EXEC("DELETE FROM @kg_agent_bundle WHERE tenant = $1 AND agent = $2 "
				"AND bundle = $3",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, PG_GETARG_DATUM(0)),
				kg_arg(TEXTOID, PG_GETARG_DATUM(1)));
	if (SPI_processed == 0)
		KG_THROW(
			KG_NOT_FOUND,
			.message = psprintf("agent \"%s\" is not bound to bundle \"%s\"",
								TextDatumGetCString(PG_GETARG_DATUM(0)),
								TextDatumGetCString(PG_GETARG_DATUM(1))));
	finish(&user);
	PG_RETURN_VOID();
}
