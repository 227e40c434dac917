/*
 * privileges.c
 *	  PostgreSQL privileges on the extension's objects that follow from a
 *	  role's grants and from being a gateway.
 *
 * A grant of a tenant is a row of kg_tenant_role. Policies read it, but
 * PostgreSQL checks privileges before policies. kg_role records the privileges
 * that the extension granted to each role, because PostgreSQL does not
 * distinguish them from privileges that a DBA granted.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "auth/grants.h"
#include "auth/moved.h"
#include "auth/privileges.h"
#include "base/compat.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/vectors.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Kinds of roles that need a privilege. */
#define KG_READS 1
#define KG_WRITES 2
#define KG_GATEWAY 4

typedef struct KgPrivilege
{
	int needed;
	AclMode mode;
	const char *name;
	const char *kind;
	const char *object;
} KgPrivilege;

/*
 * The parameter types are qualified. Otherwise they would be looked up in the
 * caller's search_path.
 */
#define KG_LOGIN "kg_login(pg_catalog.text, pg_catalog.bool)"

#define KG_EMBEDDINGS "kg_embedding"

#define KG_READABLE(table)                                          \
	{                                                               \
		KG_READS | KG_GATEWAY, ACL_SELECT, "SELECT", "TABLE", table \
	}
#define KG_WRITABLE(table)                                              \
	{KG_WRITES | KG_GATEWAY, ACL_INSERT, "INSERT", "TABLE", table},     \
		{KG_WRITES | KG_GATEWAY, ACL_UPDATE, "UPDATE", "TABLE", table}, \
	{                                                                   \
		KG_WRITES | KG_GATEWAY, ACL_DELETE, "DELETE", "TABLE", table    \
	}

/*
 * The privileges that roles need. Derived tables are included, because they
 * contain data of a tenant, too.
 */
static const KgPrivilege privileges[] = {
	KG_READABLE("kg_tenant"),
	KG_READABLE("kg_tenant_role"),
	KG_READABLE("kg_bundle"),
	KG_READABLE("kg_entity_type"),
	KG_READABLE("kg_relation"),
	KG_READABLE("kg_entity"),
	KG_READABLE("kg_edge"),
	KG_READABLE("kg_history"),
	KG_READABLE("kg_adjacency"),
	KG_READABLE("kg_index_key"),
	KG_READABLE("kg_term"),
	KG_READABLE("kg_trigram"),
	KG_READABLE("kg_word"),
	KG_READABLE("kg_word_count"),
	KG_READABLE(KG_EMBEDDINGS),
	KG_READABLE("kg_tool"),
	KG_READABLE("kg_tool_version"),
	KG_READABLE("kg_agent"),
	KG_READABLE("kg_agent_bundle"),
	KG_READABLE("kg_audit"),
	KG_READABLE("kg_limit"),
	KG_READABLE("kg_quota"),
	KG_WRITABLE("kg_entity"),
	KG_WRITABLE("kg_edge"),
	{KG_WRITES | KG_GATEWAY, ACL_USAGE, "USAGE", "SEQUENCE", "kg_node_seq"},
	{KG_GATEWAY, ACL_EXECUTE, "EXECUTE", "FUNCTION", KG_LOGIN},
	{KG_GATEWAY,
	 ACL_EXECUTE,
	 "EXECUTE",
	 "FUNCTION",
	 "kg_mcp(pg_catalog.jsonb, pg_catalog.text, pg_catalog.text)"},
	{KG_READS | KG_GATEWAY, ACL_USAGE, "USAGE", "SCHEMA", NULL},
};

/* The privileges of a role. The arrays have the indexes of privileges[]. */
typedef struct KgRolePrivileges
{
	bool needed[lengthof(privileges)];
	bool noted[lengthof(privileges)];
	bool gateway;
	bool exchange;
	bool found; /* the role has a row in kg_role */
} KgRolePrivileges;

void
kg_run_utility(const char *sql)
{
	int rc = SPI_execute(kg_spi_expand(sql), false, 0);

	if (rc != SPI_OK_UTILITY)
		elog(ERROR, "\"%s\" returned %s", sql, SPI_result_code_string(rc));
}

/* Returns the text that records a privilege in kg_role. */
static char *
note_of(const KgPrivilege *privilege)
{
	return privilege->object
			   ? psprintf("%s %s", privilege->name, privilege->object)
			   : psprintf("%s %s", privilege->name, privilege->kind);
}

/*
 * Returns true if an access control list grants the mode to the role directly.
 */
static bool
given_directly(Datum datum, Oid role, AclMode mode)
{
	Acl *acl = DatumGetAclP(datum);
	AclMode found = ACL_NO_RIGHTS;

	for (int i = 0; i < ACL_NUM(acl); i++)
		if (ACL_DAT(acl)[i].ai_grantee == role)
			found |= ACLITEM_GET_PRIVS(ACL_DAT(acl)[i]);
	return (found & mode) == mode;
}

/*
 * Returns true if the role has the privilege. If the role owns the object,
 * sets *owns, because privileges of an owner cannot be revoked.
 */
static bool
has_in_list(int cache, Oid object, AttrNumber acl_column,
			AttrNumber owner_column, Oid role, AclMode mode, bool *owns)
{
	HeapTuple tuple = SearchSysCache1(cache, ObjectIdGetDatum(object));
	bool isnull;
	Datum acl;
	bool has;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for object %u", object);
	*owns = DatumGetObjectId(
				SysCacheGetAttr(cache, tuple, owner_column, &isnull)) == role;
	acl = SysCacheGetAttr(cache, tuple, acl_column, &isnull);
	has = *owns || (!isnull && given_directly(acl, role, mode));
	ReleaseSysCache(tuple);
	return has;
}

static Oid
function_oid(const char *signature)
{
	return DatumGetObjectId(DirectFunctionCall1(
		regprocedurein,
		CStringGetDatum(kg_spi_expand(psprintf("@%s", signature)))));
}

/*
 * Returns true if the table exists. If the extension's SQL is older than the
 * library, a table may be missing.
 */
static bool
is_there(const KgPrivilege *privilege)
{
	return strcmp(privilege->kind, "TABLE") != 0 ||
		   OidIsValid(kg_find_relation(privilege->object));
}

/* Returns false for the table of embeddings unless embeddings are enabled. */
static bool
is_used(const KgPrivilege *privilege)
{
	return privilege->object == NULL ||
		   strcmp(privilege->object, KG_EMBEDDINGS) != 0 ||
		   kg_vectors()->dimensions > 0;
}

/*
 * Returns true if the role has the privilege. For tables and functions, only a
 * direct grant to the role counts. A grant to PUBLIC or to another role may be
 * revoked at any time. For USAGE on the schema, which PUBLIC usually has, any
 * grant counts. Sets *owns to whether the role owns the table or the function.
 */
static bool
has_privilege(const KgPrivilege *privilege, Oid role, bool *owns)
{
	*owns = false;
	if (!is_there(privilege))
		return false;
	if (privilege->object == NULL)
		return kg_schema_aclcheck(
				   kg_extension_schema(), role, privilege->mode) == ACLCHECK_OK;
	if (privilege->mode == ACL_EXECUTE)
		return has_in_list(PROCOID,
						   function_oid(privilege->object),
						   Anum_pg_proc_proacl,
						   Anum_pg_proc_proowner,
						   role,
						   privilege->mode,
						   owns);
	return has_in_list(RELOID,
					   kg_relation_oid(privilege->object),
					   Anum_pg_class_relacl,
					   Anum_pg_class_relowner,
					   role,
					   privilege->mode,
					   owns);
}

bool
kg_may_login(Oid role)
{
	bool owns;

	return has_in_list(PROCOID,
					   function_oid(KG_LOGIN),
					   Anum_pg_proc_proacl,
					   Anum_pg_proc_proowner,
					   role,
					   ACL_EXECUTE,
					   &owns);
}

void
kg_require_login(void)
{
	Oid types[] = {TEXTOID, BOOLOID};
	Oid login = GetSysCacheOid3(
		PROCNAMEARGSNSP,
		Anum_pg_proc_oid,
		CStringGetDatum("kg_login"),
		PointerGetDatum(buildoidvector(types, lengthof(types))),
		ObjectIdGetDatum(kg_extension_schema()));

	if (OidIsValid(login) &&
		kg_function_aclcheck(login, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf("role \"%s\" may not pass tokens with a call",
								 GetUserNameFromId(GetUserId(), false)),
			 .expected = "a gateway role made by kg_grant_gateway(), or a role "
						 "that may execute kg_login()");
}

/* Reads the privileges that kg_role records for the role. */
static void
read_notes(Oid role, KgRolePrivileges *it)
{
	const char **notes;
	int n;

	KG_SPI_EXEC("SELECT gateway, given, exchange FROM @kg_role WHERE role = $1",
				kg_arg(REGROLEOID, ObjectIdGetDatum(role)));
	it->found = SPI_processed > 0;
	if (!it->found)
		return;
	it->gateway = DatumGetBool(kg_spi_datum(0, 1));
	it->exchange = DatumGetBool(kg_spi_datum(0, 3));
	notes = kg_array_texts(DatumGetArrayTypeP(kg_spi_datum(0, 2)), false, &n);
	for (int i = 0; i < n; i++)
		for (int p = 0; p < lengthof(privileges); p++)
			if (strcmp(notes[i], note_of(&privileges[p])) == 0)
				it->noted[p] = true;
}

static void
write_notes(Oid role, const KgRolePrivileges *it)
{
	const char *notes[lengthof(privileges)];
	int n = 0;

	for (int p = 0; p < lengthof(privileges); p++)
		if (it->noted[p])
			notes[n++] = note_of(&privileges[p]);
	if (n == 0 && !it->gateway)
	{
		KG_SPI_EXEC("DELETE FROM @kg_role WHERE role = $1",
					kg_arg(REGROLEOID, ObjectIdGetDatum(role)));
		return;
	}
	KG_SPI_EXEC("INSERT INTO @kg_role(role, gateway, given, exchange) "
				"VALUES ($1, $2, $3, $4) ON CONFLICT (role) DO UPDATE "
				"SET gateway = $2, given = $3, exchange = $4",
				kg_arg(REGROLEOID, ObjectIdGetDatum(role)),
				kg_arg_bool(it->gateway),
				kg_arg_texts(notes, n),
				kg_arg_bool(it->exchange));
}

/*
 * Finds the privileges that the role needs for its valid grants and for being a
 * gateway. If a tenant of the role has moved, the role also needs the
 * privileges that it was granted before.
 */
static void
find_needed(Oid role, KgRolePrivileges *it)
{
	int needs = it->gateway ? KG_GATEWAY : 0;
	bool moved;

	KG_SPI_EXEC("SELECT count(*), count(*) FILTER (WHERE access <> 'read') "
				"FROM @kg_tenant_role WHERE role = $1 AND role_name = $2",
				kg_arg(REGROLEOID, ObjectIdGetDatum(role)),
				kg_arg_text(GetUserNameFromId(role, false)));
	if (kg_spi_int64(0, 1) > 0)
		needs |= KG_READS;
	if (kg_spi_int64(0, 2) > 0)
		needs |= KG_WRITES;
	/*
	 * If a role's tenant has moved away, the role keeps its recorded
	 * privileges. Its calls then get the error for a moved tenant
	 * (identity.c), not an error about privileges.
	 */
	moved = kg_tenant_has_moved(NULL, GetUserNameFromId(role, false));
	for (int p = 0; p < lengthof(privileges); p++)
		it->needed[p] = ((privileges[p].needed & needs) != 0 ||
						 (moved && it->noted[p])) &&
						is_used(&privileges[p]);
}

/*
 * Grants or revokes the marked privileges, with as few statements as possible.
 */
static void
change_privileges(const bool *marked, bool grant, Oid role)
{
	const char *name = quote_identifier(GetUserNameFromId(role, false));
	const KgPrivilege *last = NULL;
	StringInfoData sql;

	initStringInfo(&sql);
	for (int p = 0; p <= lengthof(privileges); p++)
	{
		const KgPrivilege *it = p < lengthof(privileges) ? &privileges[p]
														 : NULL;

		if (it != NULL && !marked[p])
			continue;
		if (last != NULL &&
			(it == NULL || it->mode != last->mode || it->kind != last->kind))
		{
			appendStringInfo(&sql, " %s %s", grant ? "TO" : "FROM", name);
			kg_run_utility(sql.data);
			resetStringInfo(&sql);
			last = NULL;
		}
		if (it == NULL)
			break;
		if (last == NULL)
			appendStringInfo(&sql,
							 "%s %s ON %s ",
							 grant ? "GRANT" : "REVOKE",
							 it->name,
							 it->kind);
		else
			appendStringInfoString(&sql, ", ");
		if (it->object != NULL)
			appendStringInfo(&sql, "@%s", it->object);
		else
			appendStringInfoString(
				&sql,
				quote_identifier(get_namespace_name(kg_extension_schema())));
		last = it;
	}
	pfree(sql.data);
}

static void
sync_role(Oid role, KgRolePrivileges *it)
{
	bool give[lengthof(privileges)] = {false};
	bool take[lengthof(privileges)] = {false};

	find_needed(role, it);
	for (int p = 0; p < lengthof(privileges); p++)
	{
		bool owns;
		bool has = has_privilege(&privileges[p], role, &owns);

		give[p] = it->needed[p] && !has;
		take[p] = !it->needed[p] && it->noted[p] && !owns;
		it->noted[p] = it->needed[p] && !owns && (it->noted[p] || give[p]);
	}
	change_privileges(give, true, role);
	change_privileges(take, false, role);
	write_notes(role, it);
}

void
kg_privileges_sync(Oid role)
{
	KgRolePrivileges it;

	memset(&it, 0, sizeof(it));
	read_notes(role, &it);
	sync_role(role, &it);
}

bool
kg_is_gateway(Oid role)
{
	KgRolePrivileges it;

	memset(&it, 0, sizeof(it));
	read_notes(role, &it);
	return it.gateway;
}

static bool
may_exchange(Oid role)
{
	KgRolePrivileges it;

	memset(&it, 0, sizeof(it));
	read_notes(role, &it);
	return it.gateway && it.exchange;
}

void
kg_require_exchange(void)
{
	Oid role = GetUserId();
	KgUserContext user;
	bool may;

	kg_spi_begin_as_owner(&user);
	may = may_exchange(role);
	kg_spi_end_as_owner(&user);
	if (may)
		return;
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf(
			"role \"%s\" may not pass authorization decisions with a call",
			GetUserNameFromId(role, false)),
		.expected =
			"a gateway role made by kg_grant_gateway(role, exchange => true)");
}

void
kg_set_gateway(Oid role, bool gateway, bool exchange)
{
	KgRolePrivileges it;

	memset(&it, 0, sizeof(it));
	read_notes(role, &it);
	it.gateway = gateway;
	it.exchange = exchange;
	sync_role(role, &it);
}

const char kg_privileges_of_roles[] =
	"SELECT r.oid, r.rolname, CASE WHEN r.rolsuper THEN NULL "
	"WHEN r.rolbypassrls THEN 'has BYPASSRLS: it reads and writes all tenants' "
	"WHEN r.oid <> e.extowner AND pg_has_role(r.oid, e.extowner, 'MEMBER') "
	"THEN format('is a member of the extension''s owner, %s: it may do all "
	"that "
	"the owner may', e.extowner::regrole) END, "
	"CASE WHEN r.rolbypassrls THEN format('ALTER ROLE %I NOBYPASSRLS', "
	"r.rolname) ELSE format('REVOKE %s FROM %I, or from the role through which "
	"it is a member', e.extowner::regrole, r.rolname) END "
	"FROM pg_extension e CROSS JOIN pg_roles r "
	"WHERE e.extname = 'kg_graph' AND $1 IS NULL "
	"AND r.oid IN (SELECT role FROM @kg_tenant_role "
	"UNION SELECT role FROM @kg_role) ORDER BY r.rolname";

List *
kg_privileges_missing(Oid role)
{
	KgRolePrivileges it;
	List *missing = NIL;

	memset(&it, 0, sizeof(it));
	read_notes(role, &it);
	find_needed(role, &it);
	for (int p = 0; p < lengthof(privileges); p++)
	{
		bool owns;

		if (it.needed[p] && !has_privilege(&privileges[p], role, &owns))
			missing = lappend(missing, note_of(&privileges[p]));
	}
	return missing;
}
