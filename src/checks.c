/*
 * checks.c
 *	  kg_check(): a row for each thing that is not as it should be.
 *
 * A check is a statement that answers what is wrong: object, message and hint,
 * a row each.  It runs as the owner of the extension; every name in it is
 * qualified or found in pg_catalog.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

typedef struct KgCheck
{
	const char *code;
	const char *sql;
} KgCheck;

static const KgCheck checks[] = {
	{"GRANT_ORPHANED",
	 "SELECT format('grant of tenant %s to role %s', t.tenant, t.role_name), "
	 "CASE WHEN r.rolname IS NULL THEN format('no role has its number, %s; "
	 "the grant does not count', t.role::oid) "
	 "ELSE format('its number, %s, is of role %s now; "
	 "the grant does not count', t.role::oid, r.rolname) END, "
	 "format('SELECT kg_revoke(%L, %L), or kg_grant() to the role that is "
	 "meant', t.tenant, t.role_name) "
	 "FROM @kg_tenant_role t LEFT JOIN pg_roles r ON r.oid = t.role "
	 "WHERE r.rolname IS DISTINCT FROM t.role_name "
	 "ORDER BY t.tenant, t.role_name"},
	{"POLICY_NOT_IN_FORCE",
	 "SELECT format('policy %s on %s', p.policy, p.on_table), "
	 "coalesce(p.problem, 'it was dropped, altered or is for roles that were "
	 "renamed or dropped; the roles that it names have no tenant'), "
	 "format('SELECT kg_add_policy(%L, %L, ...) again, or "
	 "kg_drop_policy(%L)', p.policy, p.on_table, p.policy) "
	 "FROM @kg_policy p WHERE p.problem IS NOT NULL OR NOT EXISTS "
	 "(SELECT FROM pg_policy o JOIN pg_class c ON c.oid = o.polrelid "
	 "JOIN pg_class k ON k.oid = p.tableoid "
	 "AND k.relnamespace = c.relnamespace "
	 "WHERE o.polname = p.policy AND c.relname = p.on_table "
	 "AND c.relrowsecurity AND NOT o.polpermissive "
	 "AND @kg_policy_text(o.polqual, o.polrelid) "
	 "IS NOT DISTINCT FROM p.made_using "
	 "AND @kg_policy_text(o.polwithcheck, o.polrelid) "
	 "IS NOT DISTINCT FROM p.made_check "
	 "AND NOT EXISTS (SELECT FROM unnest(p.roles, p.role_numbers) "
	 "u(name, number) LEFT JOIN pg_roles r ON r.oid = u.number "
	 "WHERE u.number <> ALL (o.polroles) "
	 "OR (u.number <> 0 AND r.rolname IS DISTINCT FROM u.name))) "
	 "ORDER BY p.policy"},
	{"NOT_IN_DUMPS",
	 "SELECT s, 'pg_dump leaves out what a DBA made on our tables', "
	 "CASE WHEN s LIKE 'CREATE POLICY%' THEN 'kg_add_policy() makes policies "
	 "that dumps keep' ELSE 'run what kg_dump_customizations() says after a "
	 "restore' END FROM @kg_dump_customizations() s"},
};

/* Inside SPI_connect(), as the owner: the rows of one check. */
static void
run_check(const KgCheck *check, KgSaved *saved, ReturnSetInfo *result)
{
	kg_spi_run(saved, check->sql, 0, NULL, NULL, NULL, false, SPI_OK_SELECT);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Datum values[4] = {CStringGetTextDatum(check->code)};
		bool nulls[4] = {false};

		for (int column = 1; column <= 3; column++)
			values[column] = kg_spi_value(i, column, &nulls[column]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	SPI_freetuptable(SPI_tuptable);
}

PGDLLEXPORT Datum kg_sql_check(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_check);

/* EXECUTE is the owner's alone (sql/40_tenancy.sql). */
Datum
kg_sql_check(PG_FUNCTION_ARGS)
{
	static KgSaved saved[lengthof(checks)];
	KgUserContext user;

	InitMaterializedSRF(fcinfo, 0);
	kg_become_owner(&user);
	SPI_connect();
	for (int i = 0; i < lengthof(checks); i++)
		run_check(&checks[i], &saved[i], (ReturnSetInfo *) fcinfo->resultinfo);
	SPI_finish();
	kg_restore_user(&user);
	return (Datum) 0;
}
