/*
 * identity.c
 *	  Identity of the caller.
 *
 * The grants of the current role are read once and cached per role until the
 * relcache callback (base/invalidate.c) reports a change of a catalog table.
 * The cache has the list of (tenant, access) of a few roles.  The setting
 * kg_graph.tenant selects among them on every call, so that neither SET nor
 * SET ROLE leaves a stale result.
 *
 * A grant is valid for exactly the current role, not for its members.  A
 * tenant is an identity, not a privilege; a member selects it with SET ROLE.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "auth/agents.h"
#include "auth/grants.h"
#include "auth/identity.h"
#include "auth/moved.h"
#include "auth/owner.h"
#include "auth/policies.h"
#include "auth/token_identity.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rls.h"

typedef struct KgGrant
{
	char *tenant;
	KgAccess access;
} KgGrant;

typedef struct KgRoleGrants
{
	KgCacheEntry entry; /* entry of the cache; its hash is the role's OID */
	int ngrants;
	KgGrant *grants;
	const char *stale; /* name of the role in an invalid grant */
	/* name of a policy that names the role but is not in force; or NULL */
	const char *barred;
	/* A tenant of the role moved to another database; false for an owner. */
	bool moved;
} KgRoleGrants;

static const int most = 16;
/*
 * A cache of the grants of roles. It becomes stale if kg_tenant_role,
 * kg_policy, roles or memberships change.
 */
static KgCache grants_of_roles = {"grants", &most, KG_STALE_BY_ROLES};

/*
 * Stores the valid grants among the rows of SPI_tuptable, all for the role's
 * OID. After a restore of a dump, the OID may belong to another role.
 * Therefore a grant is valid only if the role still has the name to which the
 * tenant was granted.
 */
static void
keep_grants(KgRoleGrants *fresh, const char *name)
{
	MemoryContext old = MemoryContextSwitchTo(fresh->entry.context);

	fresh->grants = palloc0(Max(1, SPI_processed) * sizeof(KgGrant));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgGrant *grant = &fresh->grants[fresh->ngrants];
		char *granted = kg_spi_cstring(i, 3);

		if (name == NULL || strcmp(granted, name) != 0)
		{
			fresh->stale = granted;
			continue;
		}
		grant->tenant = kg_spi_cstring(i, 1);
		grant->access = kg_access_of_name(kg_spi_cstring(i, 2));
		fresh->ngrants++;
	}
	MemoryContextSwitchTo(old);
}

/*
 * Finds a registered policy (kg_policy) that names the role, directly or by
 * membership, and is not in force. A policy is in force while pg_policy has it
 * unchanged and the role has the registered name. If a name in the row belonged
 * to no role when the row was inserted, the name may stand for any role.
 */
static void
load_barred(KgRoleGrants *fresh, Oid role)
{
	MemoryContext old;

	if (!kg_policies_registered())
		return;
	KG_SPI_READ("SELECT p.policy FROM @kg_policy p LEFT JOIN pg_policy o "
				"ON o.polname = p.policy AND NOT o.polpermissive "
				"AND p.problem IS NULL AND o.polcmd = CASE p.command "
				/*
				 * Before version 0.2.0, a policy for SELECT was created for
				 * all commands, with a check.
				 */
				"WHEN 'SELECT' THEN CASE WHEN p.made_check IS NULL "
				"THEN 'r' ELSE '*' END "
				"WHEN 'INSERT' THEN 'a' WHEN 'UPDATE' THEN 'w' "
				"WHEN 'DELETE' THEN 'd' ELSE '*' END "
				"AND @kg_policy_text(o.polqual, o.polrelid) "
				"IS NOT DISTINCT FROM p.made_using "
				"AND @kg_policy_text(o.polwithcheck, o.polrelid) "
				"IS NOT DISTINCT FROM p.made_check "
				"AND EXISTS (SELECT FROM pg_class c JOIN pg_class k "
				"ON k.oid = p.tableoid AND k.relnamespace = c.relnamespace "
				"WHERE c.oid = o.polrelid AND c.relname = p.on_table "
				"AND c.relrowsecurity) "
				"CROSS JOIN LATERAL unnest(p.roles, p.role_numbers) "
				"u(name, number) "
				"LEFT JOIN pg_roles n ON n.rolname = u.name "
				"LEFT JOIN pg_roles r ON r.oid = u.number "
				"WHERE CASE WHEN u.name = 'public' "
				"THEN o.oid IS NULL OR 0 <> ALL (o.polroles) "
				"ELSE (u.number = 0 OR pg_has_role($1, n.oid, 'USAGE') "
				"OR pg_has_role($1, r.oid, 'USAGE')) "
				"AND (o.oid IS NULL OR r.oid IS NULL OR r.rolname <> u.name "
				"OR r.oid <> ALL (o.polroles)) END ORDER BY 1 LIMIT 1",
				kg_arg(OIDOID, ObjectIdGetDatum(role)));
	old = MemoryContextSwitchTo(fresh->entry.context);
	if (SPI_processed > 0)
		fresh->barred = kg_spi_cstring(0, 1);
	MemoryContextSwitchTo(old);
}

/*
 * Reads the grants of a role as the owner, adds them to the cache, and returns
 * them.
 */
static const KgRoleGrants *
load_grants(Oid role)
{
	KgRoleGrants *fresh;
	KgUserContext saved;
	char *name = GetUserNameFromId(role, true);

	kg_become_owner(&saved);
	kg_spi_begin_load();
	KG_SPI_READ("SELECT tenant, access, role_name FROM @kg_tenant_role "
				"WHERE role = $1 ORDER BY tenant",
				kg_arg(REGROLEOID, ObjectIdGetDatum(role)));
	fresh = kg_cache_make(&grants_of_roles, sizeof(*fresh));
	keep_grants(fresh, name);
	load_barred(fresh, role);
	/*
	 * The owner may use the database without a tenant, so a moved tenant does
	 * not matter.
	 */
	fresh->moved = name != NULL && !kg_has_owner_rights(role) &&
				   kg_tenant_has_moved(NULL, name);
	kg_cache_keep(&grants_of_roles, fresh, role);
	kg_spi_end_load();
	kg_restore_user(&saved);
	return fresh;
}

static const KgRoleGrants *
grants_of_current_role(void)
{
	Oid role = GetUserId();
	const KgRoleGrants *kept = kg_cache_find(
		&grants_of_roles, role, NULL, NULL);

	return kept ? kept : load_grants(role);
}

/* tenant for which an authorizer function runs, or NULL */
static const char *asking_for = NULL;

static bool
names_tenant(void)
{
	return kg_setting_tenant != NULL && kg_setting_tenant[0] != '\0';
}

/*
 * Returns the grant in force: the only grant of the role, or the grant for the
 * tenant that the setting names. Returns NULL if there is no such grant, or
 * several grants and no setting.
 */
static const KgGrant *
current_grant(const KgRoleGrants *grants)
{
	const char *wanted = kg_setting_tenant;

	if (!names_tenant())
		return grants->ngrants == 1 ? &grants->grants[0] : NULL;
	for (int i = 0; i < grants->ngrants; i++)
		if (strcmp(grants->grants[i].tenant, wanted) == 0)
			return &grants->grants[i];
	return NULL;
}

static void
refuse_moved(void)
{
	if (names_tenant() || grants_of_current_role()->ngrants == 0)
		kg_tenant_refuse_moved(names_tenant() ? kg_setting_tenant : NULL,
							   GetUserNameFromId(GetUserId(), false));
}

const char *
kg_identity_tenant(KgAccess access)
{
	const KgTokenIdentity *token = kg_token_identity();
	const KgRoleGrants *grants;
	const KgGrant *grant;

	if (asking_for != NULL)
		return access == KG_ACCESS_READ ? asking_for : NULL;
	/*
	 * A parallel worker does not have the leader's token, and cannot detect
	 * that the leader has a token. So a worker has no caller.
	 */
	if (kg_token_lapsed() || IsParallelWorker())
		return NULL;
	grants = grants_of_current_role();
	if (grants->barred)
		return NULL;
	if (token != NULL)
		return token->access < access ? NULL : token->tenant;
	grant = current_grant(grants);
	/*
	 * If the caller's tenant has moved away, the call must not run as a call
	 * without a tenant.
	 */
	if (grant == NULL && grants->moved)
		refuse_moved();
	if (grant == NULL || grant->access < access)
		return NULL;
	return grant->tenant;
}

/* Raises an error with the reason why the caller has no tenant. */
static KG_NORETURN void
throw_no_tenant(void)
{
	const KgRoleGrants *grants = grants_of_current_role();
	const char *role = GetUserNameFromId(GetUserId(), false);
	bool set = names_tenant();
	KgError *err;

	refuse_moved();
	if (kg_token_lapsed())
	{
		err = kg_error_new(KG_NO_TENANT,
						   "the token of this session is no longer valid");
		kg_error_expected(err, "a call of kg_login() with a new token");
	}
	else if (grants->ngrants == 0)
	{
		err = kg_error_new(KG_NO_TENANT, "role \"%s\" has no tenant", role);
		kg_error_expected(err,
						  "a token, or a grant made by an administrator: "
						  "SELECT kg_grant('tenant', 'role', 'read')");
		if (grants->stale)
			kg_error_hint(err,
						  "The grant to role \"%s\" has no effect, because the "
						  "role was renamed or dropped. Call kg_grant() again; "
						  "kg_check() lists such grants.",
						  grants->stale);
	}
	else
	{
		err = set ? kg_error_new(KG_NO_TENANT,
								 "role \"%s\" has no grant for the tenant in "
								 "kg_graph.tenant",
								 role)
				  : kg_error_new(KG_NO_TENANT,
								 "role \"%s\" has grants for several tenants",
								 role);
		if (set)
			kg_error_got_string(err, kg_setting_tenant);
		kg_error_expected(err, "SET kg_graph.tenant to a granted tenant");
		for (int i = 0; i < grants->ngrants; i++)
			kg_error_allow(err, grants->grants[i].tenant);
	}
	kg_error_throw(err);
}

static const char *
require_token(const KgTokenIdentity *token, KgAccess access)
{
	if (token->access >= access)
		return pstrdup(token->tenant);
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf("the token gives %s access to tenant \"%s\", but "
							"%s access is required",
							kg_access_name(token->access),
							token->tenant,
							kg_access_name(access)),
		.expected = psprintf("a token with %s access", kg_access_name(access)));
}

/*
 * Raises an error in a parallel worker, because policies would find no caller
 * there.
 */
static void
require_not_worker(void)
{
	if (IsParallelWorker())
		kg_error_throw_expected(
			kg_error_new(KG_NO_TENANT,
						 "a function of kg_graph was called in a parallel "
						 "worker, which has no tenant"),
			"PARALLEL RESTRICTED or PARALLEL UNSAFE for the calling function, "
			"like the functions of kg_graph that it calls");
}

/*
 * Raises an error if a policy for the role is not in force. Otherwise the role
 * would see rows that the policy hides.
 */
static void
require_not_barred(void)
{
	const char *policy = grants_of_current_role()->barred;

	if (policy == NULL)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf("registered policy \"%s\" for role \"%s\" is "
								 "missing, altered or disabled",
								 policy,
								 GetUserNameFromId(GetUserId(), false)),
			 .expected = "a policy made again by an administrator with "
						 "kg_add_policy(); kg_check() lists such policies");
}

void
kg_identity_require_row_security(void)
{
	if (!row_security &&
		check_enable_rls(kg_relation_oid("kg_entity"), InvalidOid, true) ==
			RLS_ENABLED)
		kg_error_throw_expected(
			kg_error_new(
				KG_FORBIDDEN,
				"row_security is off: tables that have policies cannot "
				"be read"),
			"SET row_security = on");
}

const char *
kg_identity_current(KgAccess access)
{
	AcceptInvalidationMessages();
	return kg_identity_tenant(access);
}

static const char *
require_tenant(KgAccess access)
{
	const KgTokenIdentity *token;
	const KgGrant *grant;

	AcceptInvalidationMessages();
	require_not_worker();
	require_not_barred();
	kg_identity_require_row_security();
	token = kg_token_identity();
	if (token != NULL)
		return require_token(token, access);
	grant = kg_token_lapsed() ? NULL : current_grant(grants_of_current_role());
	if (grant == NULL)
		throw_no_tenant();
	if (grant->access < access)
		KG_THROW(KG_FORBIDDEN,
				 .message = psprintf("role \"%s\" has %s access to tenant "
									 "\"%s\", but %s access is required",
									 GetUserNameFromId(GetUserId(), false),
									 kg_access_name(grant->access),
									 grant->tenant,
									 kg_access_name(access)),
				 .expected = psprintf("a role with %s access",
									  kg_access_name(access)));
	return pstrdup(grant->tenant);
}

/*
 * Returns a copy of the tenant's name, if the caller has this access and the
 * agent in force exists. Otherwise raises an error. If admin access is
 * required, the agent need not exist, because an admin may create it.
 */
const char *
kg_identity_require(KgAccess access)
{
	const char *tenant = require_tenant(access);

	if (access < KG_ACCESS_ADMIN)
		kg_agent_require_named(tenant, kg_identity_agent());
	return tenant;
}

const char *
kg_identity_agent(void)
{
	const KgTokenIdentity *token = kg_token_identity();

	if (token != NULL)
		return token->agent;
	if (kg_setting_agent == NULL || kg_setting_agent[0] == '\0')
		return NULL;
	return kg_setting_agent;
}

bool
kg_identity_scoped(void)
{
	const KgTokenIdentity *token = kg_token_identity();

	return token != NULL && token->scoped;
}

bool
kg_identity_sees_scope(const char *scope, int len)
{
	const KgTokenIdentity *token = kg_token_identity();

	if (token == NULL || !token->scoped)
		return true;
	for (int i = 0; i < token->nscopes; i++)
	{
		int prefix = strlen(token->scopes[i]);

		if (scope == NULL)
			return true;
		/* The last slash of a scope is optional: "1/22" is below "1/22/". */
		if (len >= prefix - 1 &&
			memcmp(scope, token->scopes[i], prefix - 1) == 0 &&
			(len == prefix - 1 || scope[prefix - 1] == '/'))
			return true;
	}
	return false;
}

static int tools_running = 0;

void
kg_identity_enter_tool(void)
{
	tools_running++;
}

void
kg_identity_leave_tool(void)
{
	tools_running--;
}

bool
kg_identity_in_tool(void)
{
	return tools_running > 0;
}

void
kg_identity_as_tool(void (*work)(void *arg), void *arg)
{
	kg_identity_enter_tool();
	PG_TRY();
	{
		work(arg);
	}
	PG_FINALLY();
	{
		kg_identity_leave_tool();
	}
	PG_END_TRY();
}

static const char *
setting_or_none(const char *setting)
{
	return setting != NULL ? setting : "";
}

/*
 * Raises an error if the called function changed a setting, because the rest of
 * the call would run with another identity.
 */
static void
require_unchanged(const char *name, const char *setting, const char *before)
{
	if (strcmp(setting_or_none(setting), before) != 0)
		kg_error_throw_expected(
			kg_error_new(KG_FORBIDDEN, "it has changed %s", name),
			"a function that does not change the identity of the caller");
}

void
kg_identity_while_asking(const char *tenant, void (*work)(void *arg), void *arg)
{
	const char *outer = asking_for;
	int running = tools_running;
	char *named_tenant = pstrdup(setting_or_none(kg_setting_tenant));
	char *named_agent = pstrdup(setting_or_none(kg_setting_agent));

	asking_for = tenant;
	tools_running = 0;
	PG_TRY();
	{
		work(arg);
		require_unchanged("kg_graph.tenant", kg_setting_tenant, named_tenant);
		require_unchanged("kg_graph.agent", kg_setting_agent, named_agent);
	}
	PG_FINALLY();
	{
		asking_for = outer;
		tools_running = running;
	}
	PG_END_TRY();
}

bool
kg_identity_is_asking(void)
{
	return asking_for != NULL;
}
