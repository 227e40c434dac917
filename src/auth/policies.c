/*
 * policies.c
 *	  A DBA's own policies, which are registered in kg_policy.
 */
#include "postgres.h"

#include "auth/policies.h"
#include "base/spi.h"

const char kg_policies_not_in_force[] =
	"SELECT format('policy %s on %s', p.policy, p.on_table), "
	"coalesce(p.problem, 'it was dropped, altered or is for roles that were "
	"renamed or dropped; the roles that it names have no tenant'), "
	"format('SELECT kg_add_policy(%L, %L, ...) again, or "
	"kg_drop_policy(%L)', p.policy, p.on_table, p.policy) "
	"FROM @kg_policy p WHERE $1 IS NULL AND (p.problem IS NOT NULL "
	"OR NOT EXISTS "
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
	"OR (u.number <> 0 AND r.rolname IS DISTINCT FROM u.name)))) "
	"ORDER BY p.policy";

bool
kg_policies_registered(void)
{
	static KgSaved saved;

	kg_spi_read_args(&saved, "SELECT FROM @kg_policy LIMIT 1", 0, NULL);
	return SPI_processed > 0;
}
