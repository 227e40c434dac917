/*
 * owner.c
 *	  The right to act for the whole database, which belongs to the extension's
 *	  owner.
 */
#include "postgres.h"

#include "auth/owner.h"
#include "base/error.h"
#include "base/extension.h"
#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

bool
kg_has_owner_rights(Oid role)
{
	return has_privs_of_role(role, kg_extension_owner());
}

/*
 * Functions that only the owner may execute, apart from trigger functions.
 * kg_login() and kg_explain() are not in the list, because the owner may grant
 * them to other roles. test/sql/execute_rights.sql compares the list with the
 * functions that are not granted to PUBLIC.
 */
#define KG_OWNER_FUNCTIONS                                               \
	"'{kg_create_tenant,kg_drop_tenant,kg_rename_tenant,"                \
	"kg_free_tenant_name,kg_tenant_size,kg_freeze_tenant,"               \
	"kg_thaw_tenant,kg_export_tenant,kg_import_tenant,kg_set_shard,"     \
	"kg_mark_moved,kg_set_authorizer,kg_issue_token,kg_grant_gateway,"   \
	"kg_revoke_gateway,kg_add_policy,kg_drop_policy,kg_definitions,"     \
	"kg_more_definitions,kg_our_tables,kg_our_functions,kg_policy_text," \
	"kg_manifest_text,kg_definitions_wrong,kg_table_settings,"           \
	"kg_dump_customizations,"                                            \
	"kg_renew_secrets,kg_enable_vectors,kg_disable_vectors}'::name[]"

const char kg_owner_execute_given[] =
	"SELECT format('privileges of %s', g.name), format('EXECUTE on %s "
	"functions that are for the owner of the extension', count(*)), "
	"format('REVOKE EXECUTE ON FUNCTION %s FROM %s', "
	"string_agg(p.oid::regprocedure::text, ', ' "
	"ORDER BY p.oid::regprocedure::text COLLATE \"C\"), g.name) "
	"FROM pg_extension e JOIN pg_depend d ON d.refobjid = e.oid "
	"AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' "
	"AND d.classid = 'pg_proc'::regclass JOIN pg_proc p ON p.oid = d.objid "
	"CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, "
	"acldefault('f', p.proowner))) a CROSS JOIN LATERAL (SELECT CASE "
	"a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END) "
	"g(name) WHERE $1 IS NULL AND e.extname = 'kg_graph' "
	"AND a.privilege_type = 'EXECUTE' "
	"AND (p.prorettype = 'trigger'::regtype "
	"OR p.proname = ANY (" KG_OWNER_FUNCTIONS ")) "
	"AND (a.grantee = 0 OR NOT pg_has_role(a.grantee, e.extowner, 'USAGE')) "
	"GROUP BY g.name ORDER BY g.name COLLATE \"C\"";

static KG_NORETURN void
refuse(const char *act, const char *expected)
{
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf("role \"%s\" may not %s",
								 GetUserNameFromId(GetUserId(), false),
								 act),
			 .expected = expected);
}

void
kg_owner_require(const char *act)
{
	if (!kg_has_owner_rights(GetUserId()))
		refuse(act, "the owner of the extension");
}

void
kg_owner_require_statistics(const char *act)
{
	if (!kg_has_owner_rights(GetUserId()) &&
		!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
		refuse(act,
			   "the owner of the extension, or a member of "
			   "pg_read_all_stats");
}

PG_FUNCTION_INFO_V1(kg_sql_require_owner);

/*
 * Raises KG_FORBIDDEN unless the caller is the owner. Functions of the
 * extension in SQL and PL/pgSQL, and policies, call this function.
 */
Datum
kg_sql_require_owner(PG_FUNCTION_ARGS)
{
	kg_owner_require(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	PG_RETURN_BOOL(true);
}
