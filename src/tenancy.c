/*
 * tenancy.c
 *	  SQL functions of tenants and grants: kg_tenant, kg_create_tenant,
 *	  kg_drop_tenant, kg_grant, kg_revoke, kg_grant_gateway,
 *	  kg_revoke_gateway.
 *
 * A grant is a row of kg_tenant_role, which the policies go by, together with
 * ordinary table privileges, which PostgreSQL asks for first.  Both are made
 * as the extension's owner after the caller's right to grant was checked.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/identity.h"
#include "base/spi.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "query/adjacency.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PGDLLEXPORT Datum kg_sql_tenant(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_tenant_access(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_create_tenant(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_drop_tenant(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_grant(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_revoke(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_grant_gateway(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_revoke_gateway(PG_FUNCTION_ARGS);

/* What a tenant's roles may read; the derived tables hold its data too. */
static const char readable_tables[] =
	"@kg_tenant, @kg_tenant_role, @kg_bundle, @kg_entity_type, @kg_relation, "
	"@kg_entity, @kg_edge, @kg_adjacency, @kg_index_key, @kg_term, "
	"@kg_trigram, @kg_tool, "
	"@kg_agent, @kg_agent_bundle";
static const char writable_tables[] = "@kg_entity, @kg_edge";

static KgAccess
access_from_text(const text *value)
{
	char *name = text_to_cstring(value);
	KgError *err;

	if (strcmp(name, "read") == 0)
		return KG_ACCESS_READ;
	if (strcmp(name, "write") == 0)
		return KG_ACCESS_WRITE;
	if (strcmp(name, "admin") == 0)
		return KG_ACCESS_ADMIN;
	err = kg_error_new(KG_INVALID_INPUT, "access \"%s\" is not known", name);
	kg_error_path(err, "/access");
	kg_error_got_string(err, name);
	kg_error_allow(err, "read");
	kg_error_allow(err, "write");
	kg_error_allow(err, "admin");
	kg_error_throw(err);
}

PG_FUNCTION_INFO_V1(kg_sql_tenant);

Datum
kg_sql_tenant(PG_FUNCTION_ARGS)
{
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);

	if (tenant == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(tenant));
}

PG_FUNCTION_INFO_V1(kg_sql_tenant_access);

Datum
kg_sql_tenant_access(PG_FUNCTION_ARGS)
{
	const char *tenant = kg_identity_tenant(
		access_from_text(PG_GETARG_TEXT_PP(0)));

	if (tenant == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(tenant));
}

/* Run a utility statement as the owner; inside SPI_connect(). */
static void
run_utility(const char *sql)
{
	int rc = SPI_execute(kg_spi_expand(sql), false, 0);

	if (rc != SPI_OK_UTILITY)
		elog(ERROR, "\"%s\" returned %s", sql, SPI_result_code_string(rc));
}

PG_FUNCTION_INFO_V1(kg_sql_create_tenant);

Datum
kg_sql_create_tenant(PG_FUNCTION_ARGS)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID};
	Datum values[] = {PG_GETARG_DATUM(0)};
	char *tenant = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int len = strlen(tenant);
	KgUserContext user;
	KgError *err;

	for (int i = 0; i < len; i++)
	{
		if ((unsigned char) tenant[i] < 0x20 || tenant[i] == 0x7f)
			len = 0;
	}
	if (len < 1 || len > 63)
	{
		err = kg_error_new(KG_INVALID_INPUT, "tenant name is not valid");
		kg_error_got_string(err, tenant);
		kg_error_expected(err,
						  "1 to 63 bytes of text without control characters");
		kg_error_throw(err);
	}
	kg_become_owner(&user);
	SPI_connect();
	kg_spi_run(&saved,
			   "INSERT INTO @kg_tenant(tenant) VALUES ($1) "
			   "ON CONFLICT DO NOTHING",
			   1,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT);
	if (SPI_processed == 0)
	{
		err = kg_error_new(
			KG_ALREADY_EXISTS, "tenant \"%s\" already exists", tenant);
		kg_error_throw(err);
	}
	SPI_finish();
	kg_restore_user(&user);
	PG_RETURN_VOID();
}

/* Raises KG_NOT_FOUND unless the tenant exists; as owner, inside SPI. */
static void
require_tenant(Datum tenant)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID};
	KgError *err;

	kg_spi_run(&saved,
			   "SELECT FROM @kg_tenant WHERE tenant = $1",
			   1,
			   argtypes,
			   &tenant,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	if (SPI_processed > 0)
		return;
	err = kg_error_new(KG_NOT_FOUND,
					   "tenant \"%s\" does not exist",
					   TextDatumGetCString(tenant));
	kg_error_expected(err, "a tenant made by kg_create_tenant()");
	kg_error_throw(err);
}

/*
 * Granting is for the owner of the extension (superusers among them) and for
 * the tenant's admins.
 */
static void
require_grantor(const char *tenant)
{
	const char *mine;
	KgError *err;

	if (has_privs_of_role(GetUserId(), kg_extension_owner()))
		return;
	mine = kg_identity_tenant(KG_ACCESS_ADMIN);
	if (mine != NULL && strcmp(mine, tenant) == 0)
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "role \"%s\" may not grant tenant \"%s\"",
					   GetUserNameFromId(GetUserId(), false),
					   tenant);
	kg_error_expected(err, "a role with admin access to the tenant");
	kg_error_throw(err);
}

/*
 * Did a grant give the role USAGE on the extension's schema?  Who had it before
 * the first one keeps it.  As owner, inside SPI.
 */
static bool
gave_usage(Oid role)
{
	static KgSaved saved;
	static const Oid argtypes[] = {REGROLEOID};
	Datum values[] = {ObjectIdGetDatum(role)};

	kg_spi_run(&saved,
			   "SELECT FROM @kg_tenant_role WHERE role = $1 AND gave_usage "
			   "LIMIT 1",
			   1,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	return SPI_processed > 0;
}

static bool
has_usage(Oid role)
{
	return kg_schema_aclcheck(kg_extension_schema(), role, ACL_USAGE) ==
		   ACLCHECK_OK;
}

static void
change_usage(const char *name, bool grant)
{
	run_utility(
		psprintf("%s USAGE ON SCHEMA %s %s %s",
				 grant ? "GRANT" : "REVOKE",
				 quote_identifier(get_namespace_name(kg_extension_schema())),
				 grant ? "TO" : "FROM",
				 name));
}

/*
 * Bring a role's table privileges in line with the access it has to any
 * tenant; the policies decide which rows that reaches.  gave is what
 * gave_usage() said before a grant was deleted.  As owner, inside SPI.
 */
static void
synchronise_privileges(Oid role, bool gave)
{
	static KgSaved saved;
	static const Oid argtypes[] = {REGROLEOID};
	Datum values[] = {ObjectIdGetDatum(role)};
	const char *name = quote_identifier(GetUserNameFromId(role, false));
	int64 reads;
	int64 writes;

	kg_spi_run(&saved,
			   "SELECT count(*), count(*) FILTER (WHERE access <> 'read') "
			   "FROM @kg_tenant_role WHERE role = $1",
			   1,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	reads = kg_spi_int64(0, 1);
	writes = kg_spi_int64(0, 2);

	run_utility(psprintf("%s SELECT ON %s %s %s",
						 reads ? "GRANT" : "REVOKE",
						 readable_tables,
						 reads ? "TO" : "FROM",
						 name));
	run_utility(psprintf("%s INSERT, UPDATE, DELETE ON %s %s %s",
						 writes ? "GRANT" : "REVOKE",
						 writable_tables,
						 writes ? "TO" : "FROM",
						 name));
	run_utility(psprintf("%s USAGE ON SEQUENCE @kg_node_seq %s %s",
						 writes ? "GRANT" : "REVOKE",
						 writes ? "TO" : "FROM",
						 name));
	if (reads && !has_usage(role))
		change_usage(name, true);
	else if (reads == 0 && gave)
		change_usage(name, false);
}

PG_FUNCTION_INFO_V1(kg_sql_grant);

Datum
kg_sql_grant(PG_FUNCTION_ARGS)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, REGROLEOID, TEXTOID, BOOLOID};
	char *tenant = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid role = get_role_oid(text_to_cstring(PG_GETARG_TEXT_PP(1)), false);
	Datum values[4] = {
		PG_GETARG_DATUM(0), ObjectIdGetDatum(role), PG_GETARG_DATUM(2)};
	KgUserContext user;
	bool gave;

	(void) access_from_text(PG_GETARG_TEXT_PP(2));
	require_grantor(tenant);
	kg_become_owner(&user);
	SPI_connect();
	require_tenant(values[0]);
	/* Each grant that makes the USAGE needed says so: the last one tells. */
	gave = gave_usage(role) || !has_usage(role);
	values[3] = BoolGetDatum(gave);
	kg_spi_run(&saved,
			   "INSERT INTO @kg_tenant_role(tenant, role, access, gave_usage) "
			   "VALUES ($1, $2, $3, $4) "
			   "ON CONFLICT (tenant, role) DO UPDATE SET access = $3, "
			   "gave_usage = $4",
			   4,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT);
	synchronise_privileges(role, gave);
	SPI_finish();
	kg_restore_user(&user);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(kg_sql_revoke);

Datum
kg_sql_revoke(PG_FUNCTION_ARGS)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, REGROLEOID};
	char *tenant = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid role = get_role_oid(name, false);
	Datum values[] = {PG_GETARG_DATUM(0), ObjectIdGetDatum(role)};
	KgUserContext user;
	bool gave;

	require_grantor(tenant);
	kg_become_owner(&user);
	SPI_connect();
	require_tenant(values[0]);
	gave = gave_usage(role);
	kg_spi_run(&saved,
			   "DELETE FROM @kg_tenant_role WHERE tenant = $1 AND role = $2",
			   2,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_DELETE);
	if (SPI_processed == 0)
	{
		KgError *err = kg_error_new(KG_NOT_FOUND,
									"role \"%s\" has no grant for tenant "
									"\"%s\"",
									name,
									tenant);

		kg_error_throw(err);
	}
	synchronise_privileges(role, gave);
	SPI_finish();
	kg_restore_user(&user);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(kg_sql_drop_tenant);

/* The roles with a grant for the tenant, in the caller's context. */
static Oid *
granted_roles(Datum tenant, int *n)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID};
	Oid *roles;

	kg_spi_run(
		&saved,
		"SELECT t.role::oid::bigint FROM @kg_tenant_role t "
		"JOIN pg_catalog.pg_roles r ON r.oid = t.role WHERE t.tenant = $1",
		1,
		argtypes,
		&tenant,
		NULL,
		false,
		SPI_OK_SELECT);
	*n = (int) SPI_processed;
	roles = palloc((*n + 1) * sizeof(Oid));
	for (int i = 0; i < *n; i++)
		roles[i] = (Oid) kg_spi_int64(i, 1);
	SPI_freetuptable(SPI_tuptable);
	return roles;
}

/* Everything of a tenant, from the leaves up, and what its grants gave. */
Datum
kg_sql_drop_tenant(PG_FUNCTION_ARGS)
{
	static KgSaved saved[14];
	static const char *const statements[] = {
		"DELETE FROM @kg_edge WHERE tenant = $1",
		"DELETE FROM @kg_adjacency WHERE tenant = $1 AND block = 0",
		"DELETE FROM @kg_adjacency WHERE tenant = $1 "
		"AND block >= (SELECT -max(node) FROM @kg_entity WHERE tenant = $1) "
		"AND block <= (SELECT -min(node) FROM @kg_entity WHERE tenant = $1)",
		"DELETE FROM @kg_adjacency WHERE tenant = $1 AND block >= "
		"(SELECT (min(node) - 1) / " KG_BLOCK_TEXT " + 1 "
		"FROM @kg_entity WHERE tenant = $1) "
		"AND block <= "
		"(SELECT (max(node) - 1) / " KG_BLOCK_TEXT " + 1 "
		"FROM @kg_entity WHERE tenant = $1)",
		("DELETE FROM @kg_index_key WHERE tenant = $1 AND type_no IN "
		 "(SELECT type_no FROM @kg_entity_type WHERE tenant = $1)"),
		"DELETE FROM @kg_unique_key WHERE tenant = $1",
		"DELETE FROM @kg_term WHERE tenant = $1",
		"DELETE FROM @kg_trigram WHERE tenant = $1",
		"DELETE FROM @kg_entity WHERE tenant = $1",
		"DELETE FROM @kg_relation WHERE tenant = $1",
		"DELETE FROM @kg_entity_type WHERE tenant = $1",
		"DELETE FROM @kg_bundle WHERE tenant = $1",
		"DELETE FROM @kg_tenant_role WHERE tenant = $1",
		"DELETE FROM @kg_tenant WHERE tenant = $1"};
	static const Oid argtypes[] = {TEXTOID};
	Datum values[] = {PG_GETARG_DATUM(0)};
	KgUserContext user;
	Oid *roles;
	bool *gave;
	int nroles;

	kg_become_owner(&user);
	SPI_connect();
	require_tenant(values[0]);
	roles = granted_roles(values[0], &nroles);
	gave = palloc((nroles + 1) * sizeof(bool));
	for (int i = 0; i < nroles; i++)
		gave[i] = gave_usage(roles[i]);
	for (int i = 0; i < lengthof(statements); i++)
		kg_spi_run(&saved[i],
				   statements[i],
				   1,
				   argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_DELETE);
	for (int i = 0; i < nroles; i++)
		synchronise_privileges(roles[i], gave[i]);
	SPI_finish();
	kg_restore_user(&user);
	PG_RETURN_VOID();
}

/*
 * A gateway acts for whoever's token it carries, so it must be nobody itself:
 * neither a tenant's role nor one that row-level security lets through.
 */
static void
require_plain_role(Oid role)
{
	static KgSaved saved;
	static const Oid argtypes[] = {REGROLEOID};
	Datum values[] = {ObjectIdGetDatum(role)};
	KgError *err;

	kg_spi_run(&saved,
			   "SELECT FROM pg_catalog.pg_roles r WHERE r.oid = $1 "
			   "AND (r.rolsuper OR r.rolbypassrls OR EXISTS "
			   "(SELECT FROM @kg_tenant_role t WHERE t.role = $1))",
			   1,
			   argtypes,
			   values,
			   NULL,
			   true,
			   SPI_OK_SELECT);
	if (SPI_processed == 0)
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "role \"%s\" cannot be a gateway",
					   GetUserNameFromId(role, false));
	kg_error_expected(err, "a role without a tenant, SUPERUSER and BYPASSRLS");
	kg_error_throw(err);
}

/*
 * The server logs bound parameters with log_statement and with
 * log_min_duration_statement; a token is one.  Only a superuser may turn that
 * off for a role; others have to be told.
 */
static void
silence_parameters(const char *role, bool on)
{
	static const char *const settings[] = {"log_parameter_max_length",
										   "log_parameter_max_length_on_error"};

	for (int i = 0; i < lengthof(settings); i++)
		run_utility(
			psprintf(on ? "ALTER ROLE %s SET %s = 0" : "ALTER ROLE %s RESET %s",
					 role,
					 settings[i]));
}

static void
change_gateway(PG_FUNCTION_ARGS, bool grant)
{
	Oid role = get_role_oid(text_to_cstring(PG_GETARG_TEXT_PP(0)), false);
	const char *name = quote_identifier(GetUserNameFromId(role, false));
	const char *verb = grant ? "GRANT" : "REVOKE";
	const char *to = grant ? "TO" : "FROM";
	KgUserContext user;

	kg_become_owner(&user);
	SPI_connect();
	if (grant)
		require_plain_role(role);
	run_utility(
		psprintf("%s SELECT ON %s %s %s", verb, readable_tables, to, name));
	run_utility(psprintf("%s EXECUTE ON FUNCTION @kg_login(text, boolean), "
						 "@kg_mcp(jsonb, text, text) %s %s",
						 verb,
						 to,
						 name));
	change_usage(name, grant);
	if (superuser())
		silence_parameters(name, grant);
	else if (grant)
		ereport(NOTICE,
				(errmsg("tokens may appear in the server log"),
				 errhint("A superuser should set log_parameter_max_length to 0 "
						 "for role \"%s\".",
						 GetUserNameFromId(role, false))));
	SPI_finish();
	kg_restore_user(&user);
}

PG_FUNCTION_INFO_V1(kg_sql_grant_gateway);

/* EXECUTE is the owner's alone (sql/46_mcp.sql). */
Datum
kg_sql_grant_gateway(PG_FUNCTION_ARGS)
{
	change_gateway(fcinfo, true);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(kg_sql_revoke_gateway);

Datum
kg_sql_revoke_gateway(PG_FUNCTION_ARGS)
{
	change_gateway(fcinfo, false);
	PG_RETURN_VOID();
}
