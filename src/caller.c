/*
 * caller.c
 *	  SQL functions of the caller's identity and visibility: kg_login,
 *	  kg_logout, kg_claim, kg_agent, kg_tenant, and the functions that policies
 *	  call.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/login.h"
#include "auth/tenant_planner.h"
#include "auth/token_identity.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "model/catalog.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/run/running.h"
#include "query/run/same_rights.h"
#include "store/derived/extract.h"
#include "utils/builtins.h"

static void
log_in(void *arg)
{
	FunctionCallInfo fcinfo = arg;
	bool session = PG_GETARG_BOOL(1);

	/* Code inside a call must not change the identity of the call. */
	if (InSecurityRestrictedOperation())
		kg_error_throw(kg_error_new(
			KG_FORBIDDEN, "a call of kg_graph cannot change its own identity"));
	if (session && !kg_setting_session_login)
		KG_THROW(KG_FORBIDDEN,
				 .message = "binding an identity to the session is not allowed",
				 .expected = "kg_graph.session_login = on, set by a superuser");
	kg_auth_login(PG_GETARG_TEXT_PP(0), session, false);
}

KG_AUDITED(kg_sql_login, KG_AUDIT_SECRET)
{
	kg_auth_hidden(log_in, fcinfo);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(kg_sql_logout);

Datum
kg_sql_logout(PG_FUNCTION_ARGS)
{
	kg_token_logout();
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(kg_sql_claim);

/*
 * Returns a claim of the token in force as text, like the operator ->>. Returns
 * NULL if no token is in force.
 */
Datum
kg_sql_claim(PG_FUNCTION_ARGS)
{
	const KgTokenIdentity *token = kg_token_identity();
	JsonbValue value;

	if (token == NULL || kg_json_get(&token->claims->root,
									 text_to_cstring(PG_GETARG_TEXT_PP(0)),
									 &value) == NULL)
		PG_RETURN_NULL();
	if (value.type == jbvNull)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(kg_json_cstring(&value)));
}

PG_FUNCTION_INFO_V1(kg_sql_agent);

Datum
kg_sql_agent(PG_FUNCTION_ARGS)
{
	const KgAgent *agent = kg_agent_current();

	if (agent == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(agent->name));
}

PG_FUNCTION_INFO_V1(kg_sql_bundle_visible);

/*
 * Returns true if the caller sees the bundle in the argument. Policies of the
 * tables that have a column for the bundle call this function.
 *
 * The column is NULL in the row of a registered tool without a bundle. For
 * NULL, the function returns true within a tool, or if no agent hides a bundle.
 * The statements of the tool then omit a registered tool that refers to a
 * hidden object.
 */
Datum
kg_sql_bundle_visible(PG_FUNCTION_ARGS)
{
	text *bundle;

	if (kg_identity_agent() != NULL)
		kg_same_rights_require(fcinfo, PG_ARGISNULL(0));
	if (PG_ARGISNULL(0))
		PG_RETURN_BOOL(kg_identity_in_tool() || !kg_agent_hides_bundles());
	bundle = PG_GETARG_TEXT_PP(0);
	PG_RETURN_BOOL(
		kg_agent_sees_bundle(VARDATA_ANY(bundle), VARSIZE_ANY_EXHDR(bundle)));
}

PG_FUNCTION_INFO_V1(kg_sql_entity_visible);

static bool
sees_bundle(FunctionCallInfo fcinfo, const text *bundle)
{
	const char *name = VARDATA_ANY(bundle);
	int len = VARSIZE_ANY_EXHDR(bundle);

	if (kg_identity_agent() == NULL)
		return true;
	if (kg_same_rights_see_bundle(fcinfo, name, len))
		return true;
	kg_running_require_bundle(name, len);
	return false;
}

/* Returns true if the caller sees the bundle and the scope path. */
static bool
is_visible(FunctionCallInfo fcinfo)
{
	text *scope;

	if (PG_ARGISNULL(0) || !sees_bundle(fcinfo, PG_GETARG_TEXT_PP(0)))
		return false;
	if (!kg_identity_scoped())
		return true;
	if (PG_ARGISNULL(1))
		return kg_identity_sees_scope(NULL, 0);
	scope = PG_GETARG_TEXT_PP(1);
	return kg_identity_sees_scope(VARDATA_ANY(scope), VARSIZE_ANY_EXHDR(scope));
}

/*
 * Returns true if the bundle and the scope path of a row are visible to the
 * caller. Policies of kg_entity call this function for rows that are written.
 */
Datum
kg_sql_entity_visible(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_visible(fcinfo));
}

PG_FUNCTION_INFO_V1(kg_sql_entity_authorized);

/*
 * Returns true if the caller sees a stored row: its bundle, its scope path and,
 * by a decision of the authorizer, the entity. Policies of kg_entity call this
 * function. It tests the bundle and the scope first, so that the authorizer is
 * not called for rows that the caller cannot see anyway.
 */
Datum
kg_sql_entity_authorized(PG_FUNCTION_ARGS)
{
	if (!is_visible(fcinfo))
		PG_RETURN_BOOL(false);
	if (PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4) ||
		PG_ARGISNULL(5))
		PG_RETURN_BOOL(false);
	PG_RETURN_BOOL(kg_decisions_allow(PG_GETARG_INT32(2),
									  PG_GETARG_INT64(3),
									  PG_GETARG_TEXT_PP(4),
									  PG_GETARG_DATUM(5)));
}

PG_FUNCTION_INFO_V1(kg_sql_change_visible);

/*
 * Returns true if the document is in the caller's scopes by the current
 * schema. The schema may have had no x-scope-field when the row was written.
 */
static bool
is_in_scope(int32 type_no, const Jsonb *data)
{
	const KgType *type = kg_catalog_type_no(kg_catalog_of_caller(), type_no);
	text *scope;

	if (type == NULL)
		return false;
	scope = kg_extract_scope(type, data);
	return kg_identity_sees_scope(scope ? VARDATA_ANY(scope) : NULL,
								  scope ? VARSIZE_ANY_EXHDR(scope) : 0);
}

/*
 * Returns true if the caller sees one image (the entity before or after) of a
 * change. number identifies the image.
 */
static bool
is_image_visible(FunctionCallInfo fcinfo, int data, int number)
{
	if (PG_ARGISNULL(data))
		return true;
	if (kg_identity_scoped() &&
		!is_in_scope(PG_GETARG_INT32(1), PG_GETARG_JSONB_P(data)))
		return false;
	/*
	 * Decisions are cached by node, so each image gets its own (negative)
	 * number as its node.
	 */
	return kg_decisions_allow(PG_GETARG_INT32(1),
							  -(2 * PG_GETARG_INT64(3) + number),
							  PG_GETARG_TEXT_PP(2),
							  PG_GETARG_DATUM(data));
}

/*
 * Returns true if the caller sees a change, that is, both its old and its new
 * image. The policy of kg_history calls this function. A change of an edge is
 * visible if both ends are visible; the statement that reads the change checks
 * this.
 */
Datum
kg_sql_change_visible(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(3) ||
		!sees_bundle(fcinfo, PG_GETARG_TEXT_PP(0)))
		PG_RETURN_BOOL(false);
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_BOOL(kg_visibility_edges_are_plain());
	PG_RETURN_BOOL(kg_visibility_entities_are_plain() &&
				   is_image_visible(fcinfo, 4, 0) &&
				   is_image_visible(fcinfo, 5, 1));
}

PG_FUNCTION_INFO_V1(kg_sql_tenant);

Datum
kg_sql_tenant(PG_FUNCTION_ARGS)
{
	const char *tenant = kg_same_rights_tenant(fcinfo);

	if (tenant == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(tenant));
}

PG_FUNCTION_INFO_V1(kg_sql_tenant_access);

Datum
kg_sql_tenant_access(PG_FUNCTION_ARGS)
{
	const char *tenant = kg_identity_tenant(
		kg_access_require(text_to_cstring(PG_GETARG_TEXT_PP(0))));

	if (tenant == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(tenant));
}

PG_FUNCTION_INFO_V1(kg_sql_own_tenant);

/*
 * Returns true if the argument is the tenant of the caller. Every policy calls
 * this function before any other condition (auth/tenant_planner.c).
 */
Datum
kg_sql_own_tenant(PG_FUNCTION_ARGS)
{
	text *tenant = PG_GETARG_TEXT_PP(0);
	const char *own = kg_same_rights_tenant(fcinfo);
	Size len = VARSIZE_ANY_EXHDR(tenant);

	PG_RETURN_BOOL(own != NULL && strlen(own) == len &&
				   memcmp(own, VARDATA_ANY(tenant), len) == 0);
}

PG_FUNCTION_INFO_V1(kg_sql_own_tenant_support);

Datum
kg_sql_own_tenant_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(kg_own_tenant_support((Node *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(kg_sql_derived_tenant);

/*
 * Policies of edges, keys and terms call this function. Returns kg_tenant()
 * with the same argument, or NULL outside of a tool if an entity may be hidden
 * from the caller (auth/identity.h). The comparison with the tenant becomes an
 * index condition. A scan with NULL reads no row, so EXPLAIN ANALYZE cannot
 * reveal the number of hidden rows.
 */
Datum
kg_sql_derived_tenant(PG_FUNCTION_ARGS)
{
	if (kg_identity_agent() != NULL)
		kg_same_rights_require(fcinfo, true);
	if (!kg_identity_in_tool() &&
		(!kg_visibility_is_whole() || kg_decisions_needed()))
		PG_RETURN_NULL();
	return PG_NARGS() > 0 ? kg_sql_tenant_access(fcinfo)
						  : kg_sql_tenant(fcinfo);
}

PG_FUNCTION_INFO_V1(kg_sql_packed_tenant);

/*
 * The policy of packed edges calls this function. Returns the result of
 * kg_sql_derived_tenant(). Outside of a tool, also returns NULL if a policy of
 * kg_edge may hide edges, because such a policy cannot filter packed edges.
 */
Datum
kg_sql_packed_tenant(PG_FUNCTION_ARGS)
{
	if (!kg_identity_in_tool() && !kg_visibility_edges_are_plain())
		PG_RETURN_NULL();
	return kg_sql_derived_tenant(fcinfo);
}
