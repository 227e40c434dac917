/*
 * grants.c
 *	  SQL functions kg_grant, kg_revoke, kg_grant_gateway, kg_revoke_gateway.
 *
 * A grant is a row of kg_tenant_role, which policies read, plus PostgreSQL
 * privileges (privileges.c).  Both are made as the extension's owner after a
 * check of the caller's right to grant.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/grants.h"
#include "auth/identity.h"
#include "auth/moved.h"
#include "auth/owner.h"
#include "auth/privileges.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/text.h"
#include "base/trigger.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

void
kg_tenant_check_name(const char *tenant)
{
	int len = strlen(tenant);

	if (len >= 1 && len <= 63 && !kg_has_control(tenant, len))
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = "tenant name is not valid",
			 .got_string = tenant,
			 .expected = "1 to 63 bytes of text without control characters");
}

void
kg_tenant_throw_exists(const char *tenant)
{
	kg_error_throw(kg_error_new(
		KG_ALREADY_EXISTS, "tenant \"%s\" already exists", tenant));
}

/*
 * Returns whether the table of former names exists. If it does not, because the
 * extension has not been updated yet, no tenant was renamed.
 */
static bool
has_former_names(void)
{
	return OidIsValid(kg_find_relation("kg_former_name"));
}

bool
kg_tenant_became(const char *former, const char *name)
{
	static KgSaved saved;

	return has_former_names() &&
		   kg_spi_finds(&saved,
						"SELECT FROM @kg_former_name WHERE name = $1 "
						"AND became = $2",
						kg_arg_text(former),
						kg_arg_text(name));
}

void
kg_tenant_refuse_former(Datum name)
{
	if (!has_former_names())
		return;
	KG_SPI_NEWEST("SELECT FROM @kg_former_name WHERE name = $1",
				  kg_arg(TEXTOID, name));
	if (SPI_processed == 0)
		return;
	KG_THROW(
		KG_ALREADY_EXISTS,
		.message = psprintf("name \"%s\" is reserved, because it is the former "
							"name of a renamed tenant",
							TextDatumGetCString(name)),
		.expected =
			"another name, or this name after a call of kg_free_tenant_name()");
}

/*
 * Deletes the record that a tenant of this name has moved. The roles of the
 * moved tenant lose their privileges for it.
 */
static void
forget_moved(Datum name)
{
	List *roles = NIL;

	KG_SPI_NEWEST("SELECT r.oid::bigint FROM @kg_moved_tenant m "
				  "JOIN pg_roles r ON r.rolname = ANY (m.roles) "
				  "WHERE m.name = $1",
				  kg_arg(TEXTOID, name));
	for (uint64 i = 0; i < SPI_processed; i++)
		roles = lappend_oid(roles, (Oid) kg_spi_int64(i, 1));
	KG_SPI_NEWEST("DELETE FROM @kg_moved_tenant WHERE name = $1",
				  kg_arg(TEXTOID, name));
	kg_sync_roles(roles);
}

void
kg_tenant_take_name(Datum name)
{
	kg_tenant_refuse_former(name);
	if (kg_has_moved_tenants())
		forget_moved(name);
	KG_SPI_NEWEST("DELETE FROM @kg_audit WHERE tenant = $1",
				  kg_arg(TEXTOID, name));
}

void
kg_require_tenant(Datum tenant)
{
	KG_SPI_EXEC("SELECT FROM @kg_tenant WHERE tenant = $1 AND NOT EXISTS "
				"(SELECT FROM @kg_tenant_state WHERE tenant = $1 "
				"AND state = 'dropping')",
				kg_arg(TEXTOID, tenant));
	if (SPI_processed > 0)
		return;
	kg_tenant_refuse_moved(TextDatumGetCString(tenant), NULL);
	KG_THROW(KG_NOT_FOUND,
			 .message = psprintf("tenant \"%s\" does not exist",
								 TextDatumGetCString(tenant)),
			 .expected = "a tenant made by kg_create_tenant()");
}

/* A call that grants a tenant to a role or revokes it. */
typedef struct KgGrantCall
{
	char *tenant;
	char *name; /* name of the role, as given by the caller */
	Oid role;	/* invalid if no role has that name */
	bool by_owner;
} KgGrantCall;

/*
 * Begins a grant, and checks the caller's right to grant. Raises an error
 * unless the caller is the extension's owner (which includes superusers) or an
 * admin of the tenant.
 */
static void
start_grant(KgGrantCall *call, Datum tenant, Datum role, bool missing_ok)
{
	const char *mine;

	call->tenant = TextDatumGetCString(tenant);
	call->name = TextDatumGetCString(role);
	call->role = get_role_oid(call->name, missing_ok);
	call->by_owner = kg_has_owner_rights(GetUserId());
	if (call->by_owner)
		return;
	kg_visibility_require_tenant("grant access to it");
	mine = kg_identity_tenant(KG_ACCESS_ADMIN);
	if (mine != NULL && strcmp(mine, call->tenant) == 0)
		return;
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf("role \"%s\" may not grant access to tenant \"%s\"",
							GetUserNameFromId(GetUserId(), false),
							call->tenant),
		.expected = "a role with admin access to the tenant");
}

/*
 * Counts the valid grants of a role for the tenant, and its valid grants for
 * other tenants.
 */
static void
count_grants(const KgGrantCall *call, Datum tenant, int64 *here, int64 *others)
{
	KG_SPI_EXEC("SELECT count(*) FILTER (WHERE tenant = $1), "
				"count(*) FILTER (WHERE tenant <> $1) "
				"FROM @kg_tenant_role WHERE role = $2 AND role_name = $3",
				kg_arg(TEXTOID, tenant),
				kg_arg(REGROLEOID, ObjectIdGetDatum(call->role)),
				kg_arg_text(call->name));
	*here = kg_spi_int64(0, 1);
	*others = kg_spi_int64(0, 2);
}

/*
 * Returns true for the owner, a role that bypasses row security, such as a
 * superuser, or a gateway. An admin of a tenant cannot change the rights of
 * these roles.
 */
static bool
is_above_tenants(Oid role)
{
	return kg_has_owner_rights(role) || has_bypassrls_privilege(role) ||
		   kg_is_gateway(role);
}

/*
 * Raises an error unless the caller may grant the tenant to the role or, if add
 * is false, revoke it. The extension's owner may do both. A grant by a tenant's
 * admin must not affect other tenants. Therefore the role must have a grant for
 * this tenant or no grant at all. It must not be a gateway. PostgreSQL's own
 * rules must let the admin grant privileges to it. Runs as the owner, within
 * SPI.
 */
static void
require_grantable(const KgGrantCall *call, Oid grantor, Datum tenant, bool add)
{
	int64 here;
	int64 others;

	if (call->by_owner)
		return;
	if (!OidIsValid(call->role))
		return;
	count_grants(call, tenant, &here, &others);
	if (!is_above_tenants(call->role) &&
		(!add || here > 0 ||
		 (others == 0 && !kg_may_login(call->role) &&
		  is_admin_of_role(grantor, call->role))))
		return;
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf(
			"role \"%s\" is not a role that an admin of tenant \"%s\" may %s",
			call->name,
			call->tenant,
			add ? "grant access to" : "revoke access from"),
		.expected =
			"a role that has access to the tenant, or a role that has no "
			"tenant and of which the admin is a member WITH ADMIN OPTION");
}

static void
require_no_gateway(Oid role)
{
	if (!kg_is_gateway(role))
		return;
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf("role \"%s\" is a gateway and has no tenant",
							GetUserNameFromId(role, false)),
		.expected =
			"another role, or this role after a call of kg_revoke_gateway()");
}

/*
 * Deletes the grants of a tenant for a name: the name of a role, or the name
 * or OID of a dropped role. If orphans_only is true, does not delete the grant
 * of an existing role. Returns the roles of the deleted grants, because their
 * privileges may have to change. Runs as the owner, within SPI.
 */
static List *
delete_grants(const KgGrantCall *call, Datum tenant, bool orphans_only)
{
	List *roles = NIL;

	KG_SPI_EXEC("DELETE FROM @kg_tenant_role WHERE tenant = $1 AND "
				"CASE WHEN $4 THEN role_name = $2 AND role <> $3 "
				"ELSE role_name = $2 OR role = $3 OR (role::oid::text = $2 "
				"AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles r "
				"WHERE r.oid = role AND r.rolname = role_name)) END "
				"RETURNING role::oid::bigint",
				kg_arg(TEXTOID, tenant),
				kg_arg_text(call->name),
				kg_arg(REGROLEOID, ObjectIdGetDatum(call->role)),
				kg_arg_bool(orphans_only));
	for (uint64 i = 0; i < SPI_processed; i++)
		roles = lappend_oid(roles, (Oid) kg_spi_int64(i, 1));
	return roles;
}

void
kg_sync_roles(List *roles)
{
	ListCell *lc;

	foreach(lc, roles)
		if (GetUserNameFromId(lfirst_oid(lc), true) != NULL)
			kg_privileges_sync(lfirst_oid(lc));
}

void
kg_sync_all_roles(void)
{
	static KgSaved saved;
	List *roles = NIL;

	kg_spi_exec_args(&saved,
					 "SELECT role::oid::bigint FROM @kg_tenant_role "
					 "UNION SELECT role::oid::bigint FROM @kg_role",
					 0,
					 NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
		roles = lappend_oid(roles, (Oid) kg_spi_int64(i, 1));
	kg_sync_roles(roles);
}

List *
kg_granted_roles(Datum tenant)
{
	List *roles = NIL;

	KG_SPI_EXEC("SELECT role::oid::bigint FROM @kg_tenant_role "
				"WHERE tenant = $1",
				kg_arg(TEXTOID, tenant));
	for (uint64 i = 0; i < SPI_processed; i++)
		roles = lappend_oid(roles, (Oid) kg_spi_int64(i, 1));
	return roles;
}

void
kg_grant_role(Datum tenant, Oid role, const char *name, Datum access)
{
	require_no_gateway(role);
	KG_SPI_EXEC("INSERT INTO @kg_tenant_role(tenant, role, role_name, access) "
				"VALUES ($1, $2, $3, $4) "
				"ON CONFLICT (tenant, role) DO UPDATE SET role_name = $3, "
				"access = $4",
				kg_arg(TEXTOID, tenant),
				kg_arg(REGROLEOID, ObjectIdGetDatum(role)),
				kg_arg_text(name),
				kg_arg(TEXTOID, access));
	kg_privileges_sync(role);
}

KG_AUDITED(kg_sql_grant, KG_AUDIT_WRITES)
{
	Datum tenant = PG_GETARG_DATUM(0);
	KgGrantCall call;
	KgUserContext user;

	(void) kg_access_require(text_to_cstring(PG_GETARG_TEXT_PP(2)));
	start_grant(&call, tenant, PG_GETARG_DATUM(1), false);
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(tenant);
	require_grantable(&call, user.userid, tenant, true);
	(void) delete_grants(&call, tenant, true);
	kg_grant_role(tenant, call.role, call.name, PG_GETARG_DATUM(2));
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_revoke, KG_AUDIT_WRITES)
{
	Datum tenant = PG_GETARG_DATUM(0);
	KgGrantCall call;
	KgUserContext user;
	List *roles;

	start_grant(&call, tenant, PG_GETARG_DATUM(1), true);
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(tenant);
	require_grantable(&call, user.userid, tenant, false);
	roles = delete_grants(&call, tenant, false);
	if (roles == NIL)
		KG_THROW(
			KG_NOT_FOUND,
			.message = psprintf("role \"%s\" has no grant for tenant \"%s\"",
								call.name,
								call.tenant));
	kg_sync_roles(roles);
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

static const char *const grant_tables[] = {"kg_tenant_role", NULL};

PG_FUNCTION_INFO_V1(kg_sql_check_tenant_role);

/*
 * Row trigger of kg_tenant_role. Warns about a grant that is not valid
 * (auth/identity.c), which a dump or a manual INSERT may contain. Raises an
 * error if the OID or the name of the role is missing.
 */
Datum
kg_sql_check_tenant_role(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	HeapTuple row;
	TupleDesc desc;
	char *granted;
	char *present;
	Oid role;
	bool isnull;

	kg_trigger_require(fcinfo,
					   "kg_check_tenant_role",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_ROW,
					   grant_tables);
	row = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event) ? trigdata->tg_newtuple
													  : trigdata->tg_trigtuple;
	desc = trigdata->tg_relation->rd_att;
	granted = SPI_getvalue(row, desc, SPI_fnumber(desc, "role_name"));
	role = DatumGetObjectId(
		SPI_getbinval(row, desc, SPI_fnumber(desc, "role"), &isnull));
	if (granted == NULL || isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("a grant must have the OID and the name of its role"),
				 errhint("Use kg_grant().")));
	present = GetUserNameFromId(role, true);
	if (present == NULL || strcmp(present, granted) != 0)
		ereport(WARNING,
				(errmsg("a grant of tenant \"%s\" to role \"%s\" has no effect",
						SPI_getvalue(row, desc, SPI_fnumber(desc, "tenant")),
						granted),
				 present ? errdetail("OID %u now belongs to role \"%s\".",
									 role,
									 present)
						 : errdetail("No role has OID %u.", role),
				 errhint("Call kg_grant() again, or kg_revoke() to remove the "
						 "grant; kg_check() lists such grants.")));
	return PointerGetDatum(row);
}

/*
 * Raises an error unless the role may be a gateway.  A gateway acts for the
 * bearer of each token.  It must have no identity of its own: no grant for a
 * tenant, and no bypass of row-level security.
 */
static void
require_plain_role(Oid role)
{
	KG_SPI_READ("SELECT FROM pg_catalog.pg_roles r WHERE r.oid = $1 "
				"AND (r.rolsuper OR r.rolbypassrls OR EXISTS "
				"(SELECT FROM @kg_tenant_role t WHERE t.role = $1))",
				kg_arg(REGROLEOID, ObjectIdGetDatum(role)));
	if (SPI_processed == 0)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf("role \"%s\" cannot be a gateway",
								 GetUserNameFromId(role, false)),
			 .expected =
				 "a role that has no tenant and is not SUPERUSER or BYPASSRLS");
}

/*
 * Turns logging of bound parameters off or on for a role. Otherwise,
 * log_statement and log_min_duration_statement would log a token that is a
 * parameter. Only a superuser may change this for a role.
 */
static void
silence_parameters(const char *role, bool on)
{
	static const char *const settings[] = {"log_parameter_max_length",
										   "log_parameter_max_length_on_error"};

	for (int i = 0; i < lengthof(settings); i++)
		kg_run_utility(
			psprintf(on ? "ALTER ROLE %s SET %s = 0" : "ALTER ROLE %s RESET %s",
					 role,
					 settings[i]));
}

static void
change_gateway(PG_FUNCTION_ARGS, bool grant)
{
	const char *name;
	KgUserContext user;
	Oid role;

	kg_owner_require("grant or revoke the rights of gateways");
	role = get_role_oid(text_to_cstring(PG_GETARG_TEXT_PP(0)), false);
	name = quote_identifier(GetUserNameFromId(role, false));
	kg_spi_begin_as_owner(&user);
	if (grant)
		require_plain_role(role);
	else if (!kg_is_gateway(role))
		KG_THROW(KG_NOT_FOUND,
				 .message = psprintf("role \"%s\" is not a gateway",
									 GetUserNameFromId(role, false)));
	kg_set_gateway(role, grant, grant && PG_GETARG_BOOL(1));
	if (superuser())
		silence_parameters(name, grant);
	else if (grant)
		ereport(NOTICE,
				(errmsg("tokens may appear in the server log"),
				 errhint("A superuser should set log_parameter_max_length to 0 "
						 "for role \"%s\".",
						 GetUserNameFromId(role, false))));
	kg_spi_end_as_owner(&user);
}

KG_AUDITED(kg_sql_grant_gateway, KG_AUDIT_WRITES)
{
	change_gateway(fcinfo, true);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_revoke_gateway, KG_AUDIT_WRITES)
{
	change_gateway(fcinfo, false);
	PG_RETURN_VOID();
}
