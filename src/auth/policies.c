/*
 * policies.c
 *	  Policies of the DBA, which are registered in kg_policy.
 */
#include "postgres.h"

#include "auth/owner.h"
#include "auth/policies.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_authid.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "utils/builtins.h"

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

const char kg_policies_for_reading_alone[] =
	"SELECT format('policy %s on %s', o.polname, c.relname), 'an UPDATE or "
	"DELETE that reads no column changes rows that it hides from reading', "
	"format('SELECT kg_add_policy(%L, %L, ..., command => ''SELECT'')', "
	"o.polname, c.relname) "
	"FROM pg_extension e JOIN pg_class c ON c.relnamespace = e.extnamespace "
	"JOIN pg_policy o ON o.polrelid = c.oid WHERE $1 IS NULL "
	"AND e.extname = 'kg_graph' AND c.relname IN ('kg_entity', 'kg_edge') "
	"AND NOT o.polpermissive AND o.polcmd = 'r' "
	"AND EXISTS (SELECT FROM unnest('{w,d}'::\"char\"[]) k(cmd) "
	"WHERE NOT EXISTS (SELECT FROM pg_policy w "
	"WHERE w.polrelid = o.polrelid AND NOT w.polpermissive "
	"AND w.polcmd IN (k.cmd, '*') "
	"AND (0 = ANY (w.polroles) OR w.polroles @> o.polroles) "
	"AND @kg_policy_text(w.polqual, w.polrelid) "
	"= @kg_policy_text(o.polqual, o.polrelid))) "
	"ORDER BY c.relname, o.polname";

bool
kg_policies_registered(void)
{
	static KgSaved saved;

	kg_spi_read_args(&saved, "SELECT FROM @kg_policy LIMIT 1", 0, NULL);
	return SPI_processed > 0;
}

PG_FUNCTION_INFO_V1(kg_sql_policy_probe);

/*
 * Raises the error, if any, that PostgreSQL would raise when it adds a table's
 * policies to a statement of a role. For example, a policy that reads its own
 * table causes such an error. The statement is not executed. The function turns
 * row_security on. During a restore it is off, which would raise a different
 * error.
 */
Datum
kg_sql_policy_probe(PG_FUNCTION_ARGS)
{
	static const char *const statements[] = {"SELECT FROM %s",
											 "INSERT INTO %s DEFAULT VALUES",
											 "UPDATE %s SET tenant = tenant",
											 "DELETE FROM %s"};
	char *table = kg_qualified(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	Oid role = PG_GETARG_OID(1);
	Oid userid;
	int sec_context;

	kg_owner_require("test policies as another role");
	GetUserIdAndSecContext(&userid, &sec_context);
	/*
	 * PUBLIC is not a role that can be set. Any role to which policies apply
	 * can replace it, because every role is a member of PUBLIC.
	 */
	SetUserIdAndSecContext(OidIsValid(role) ? role : ROLE_PG_MONITOR,
						   sec_context | SECURITY_LOCAL_USERID_CHANGE);
	SPI_connect();
	for (int i = 0; i < lengthof(statements); i++)
		if (SPI_prepare(psprintf(statements[i], table), 0, NULL) == NULL)
			elog(ERROR, "SPI_prepare failed");
	SPI_finish();
	SetUserIdAndSecContext(userid, sec_context);
	PG_RETURN_VOID();
}

/*
 * Reports the error position as a position in the expression, because it is
 * not a position in the calling statement.
 */
static void
point_into_expression(void *arg)
{
	int position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery(arg);
}

/*
 * Parses the text as an expression, by the parser for PL/pgSQL expressions.
 * This parser adds "SELECT" before the text. Returns the list of parsed
 * statements.
 */
static List *
parse_expression(char *text)
{
	ErrorContextCallback context = {
		error_context_stack, point_into_expression, text};
	List *statements;

	error_context_stack = &context;
	statements = raw_parser(text, RAW_PARSE_PLPGSQL_EXPR);
	error_context_stack = context.previous;
	return statements;
}

/*
 * Returns true if the query is a single value, without a column name or any
 * clause.
 */
static bool
is_value_alone(const SelectStmt *query)
{
	SelectStmt *alone = makeNode(SelectStmt);

	alone->targetList = query->targetList;
	return equal(query, alone) && list_length(query->targetList) == 1 &&
		   linitial_node(ResTarget, query->targetList)->name == NULL;
}

PG_FUNCTION_INFO_V1(kg_sql_policy_expression);

/*
 * Returns the text in parentheses, for CREATE POLICY. Raises an error unless
 * the text is one complete expression, which closes no parenthesis that it does
 * not open. The line break before the last parenthesis ends a comment at the
 * end of the text.
 */
Datum
kg_sql_policy_expression(PG_FUNCTION_ARGS)
{
	char *given = text_to_cstring(PG_GETARG_TEXT_PP(0));
	List *statements = parse_expression(given);

	if (list_length(statements) == 1 &&
		is_value_alone(
			castNode(SelectStmt, linitial_node(RawStmt, statements)->stmt)))
		PG_RETURN_TEXT_P(cstring_to_text(psprintf("(%s\n)", given)));
	KG_THROW(
		KG_INVALID_INPUT,
		.message = "the text is not a single SQL expression",
		.got_string = given,
		.expected =
			"one expression of type boolean, as in USING of CREATE POLICY");
}
