/*
 * limit_changes.c
 *	  SQL functions kg_set_limits and kg_limits.
 *
 * Limits are set by admins of the tenant, whose access is checked here, and by
 * the extension's owner, whose subject "*" is the ceiling.  The rows are
 * written as the owner.  A statement trigger notifies every backend.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/agent.h"
#include "auth/grants.h"
#include "auth/identity.h"
#include "auth/limits.h"
#include "auth/owner.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/text.h"
#include "base/trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#define KG_MAX_SUBJECT_BYTES 1024

/*
 * Raises an error unless the caller is the owner or an admin of the tenant.
 * Other callers cannot set limits. Returns true for the owner.
 */
static bool
require_right(const char *tenant)
{
	const char *mine;

	if (kg_has_owner_rights(GetUserId()))
		return true;
	kg_visibility_require_tenant("set its limits");
	mine = kg_identity_require(KG_ACCESS_ADMIN);
	if (strcmp(mine, tenant) == 0)
		return false;
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf("role \"%s\" may not set limits of tenant \"%s\"",
							GetUserNameFromId(GetUserId(), false),
							tenant),
		.expected = "a role with admin access to the tenant");
}

static KG_NORETURN void
throw_subject(KgErrorCode code, const char *subject, const char *expected)
{
	KG_THROW(
		code,
		.message = psprintf(
			code == KG_NOT_FOUND ? "subject \"%s\" does not exist"
								 : "subject \"%s\" is not valid",
			pnstrdup(subject, pg_mbcliplen(subject, strlen(subject), 128))),
		.path = "/subject",
		.got_string = subject,
		.expected = expected);
}

static void
check_subject_text(const char *subject)
{
	int len = strlen(subject);

	if (len > KG_MAX_SUBJECT_BYTES || kg_has_control(subject, len))
		throw_subject(KG_INVALID_INPUT,
					  subject,
					  "at most 1024 bytes without control characters");
}

/*
 * Raises an error unless the subject of limits is "*", an existing role, an
 * agent of the tenant, or the subject of a token ("sub:VALUE").
 */
static void
check_subject(const char *tenant, const char *subject)
{
	if (strcmp(subject, "*") == 0)
		return;
	check_subject_text(subject);
	if (strncmp(subject, "role:", 5) == 0)
	{
		if (!OidIsValid(get_role_oid(subject + 5, true)))
			throw_subject(KG_NOT_FOUND, subject, "the name of a role");
	}
	else if (strncmp(subject, "agent:", 6) == 0)
	{
		if (kg_agent_get(tenant, subject + 6) == NULL)
			throw_subject(KG_NOT_FOUND, subject, "an agent of the tenant");
	}
	else if (strncmp(subject, "sub:", 4) != 0 || subject[4] == '\0')
		throw_subject(
			KG_INVALID_INPUT, subject, "*, role:NAME, agent:NAME or sub:VALUE");
}

/*
 * Returns the limits in stored form: numbers or null. Raises an error for an
 * unknown limit, an invalid value, or a quota unless for_everybody is true.
 */
static Jsonb *
read_limits(const Jsonb *given, bool for_everybody)
{
	const char *names[KG_NLIMITS + 1] = {NULL};
	KgJsonWriter w;

	if (!JB_ROOT_IS_OBJECT(given))
		kg_error_throw(
			kg_error_new(KG_INVALID_INPUT, "limits must be an object"));
	for (int i = 0; i < KG_NLIMITS; i++)
		names[i] = kg_limit_name(i);
	kg_check_members(&given->root, names, "", NULL);
	kg_jw_init_object(&w);
	for (int i = 0; i < KG_NLIMITS; i++)
	{
		JsonbValue value;
		int64 n;

		if (kg_json_get(&given->root, names[i], &value) == NULL)
			continue;
		if (i >= KG_FIRST_QUOTA && !for_everybody)
			kg_error_throw_option(
				names[i],
				&value,
				"the subject *, because quotas apply to the whole tenant");
		n = kg_limit_read(i, &value);
		kg_jw_key(&w, names[i]);
		if (n == KG_UNLIMITED)
			kg_jw_null(&w);
		else
			kg_jw_int(&w, n);
	}
	return kg_jw_finish(&w);
}

/*
 * Raises an error if a limit is above the ceiling.  Runs as the owner, within
 * SPI.
 */
static void
check_ceiling(Datum tenant, const Jsonb *limits)
{
	Jsonb *ceiling;

	KG_SPI_EXEC("SELECT limits FROM @kg_limit "
				"WHERE tenant = $1 AND subject = '" KG_CEILING "'",
				kg_arg(TEXTOID, tenant));
	if (SPI_processed == 0)
		return;
	ceiling = DatumGetJsonbP(kg_spi_datum(0, 1));
	for (int i = 0; i < KG_NLIMITS; i++)
	{
		const char *name = kg_limit_name(i);
		JsonbValue value;
		JsonbValue most;
		int64 n;
		int64 highest;

		if (kg_json_get(&limits->root, name, &value) &&
			kg_json_int64(&value, &n) &&
			kg_json_get(&ceiling->root, name, &most) &&
			kg_json_int64(&most, &highest) && n > highest)
			kg_error_throw_option(
				name,
				&value,
				psprintf("at most " INT64_FORMAT
						 ", the maximum that the extension's owner set",
						 highest));
	}
}

static void
store_limits(Datum tenant, const char *subject, const Jsonb *limits)
{
	if (kg_json_length(&limits->root) == 0)
		KG_SPI_EXEC("DELETE FROM @kg_limit WHERE tenant = $1 AND subject = $2",
					kg_arg(TEXTOID, tenant),
					kg_arg_text(subject));
	else
		KG_SPI_EXEC("INSERT INTO @kg_limit(tenant, subject, limits) "
					"VALUES ($1, $2, $3) ON CONFLICT (tenant, subject) "
					"DO UPDATE SET limits = $3, updated_at = now()",
					kg_arg(TEXTOID, tenant),
					kg_arg_text(subject),
					kg_arg_jsonb(limits));
}

KG_AUDITED(kg_sql_set_limits, KG_AUDIT_WRITES)
{
	Datum tenant;
	char *name;
	char *subject;
	bool by_owner;
	bool for_everybody;
	KgUserContext user;
	Jsonb *limits;

	tenant = PG_GETARG_DATUM(0);
	name = TextDatumGetCString(tenant);
	subject = text_to_cstring(PG_GETARG_TEXT_PP(1));
	by_owner = require_right(name);
	for_everybody = strcmp(subject, "*") == 0;
	check_subject(name, subject);
	limits = read_limits(PG_GETARG_JSONB_P(2), for_everybody);
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(tenant);
	if (!by_owner)
		check_ceiling(tenant, limits);
	store_limits(
		tenant, by_owner && for_everybody ? KG_CEILING : subject, limits);
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

static const char *const limit_tables[] = {"kg_limit", NULL};

PG_FUNCTION_INFO_V1(kg_sql_check_limit);

/*
 * Row trigger of kg_limit: raises an error for a subject or limits that are not
 * valid, and stores the limits in their normal form. Does not require that the
 * subject exists, because a restore inserts all rows of the dump.
 */
Datum
kg_sql_check_limit(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	TupleDesc desc;
	HeapTuple row;
	char *subject;
	Datum limits;
	bool isnull;

	kg_trigger_require(fcinfo,
					   "kg_check_limit",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_ROW,
					   limit_tables);
	row = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event) ? trigdata->tg_newtuple
													  : trigdata->tg_trigtuple;
	desc = RelationGetDescr(trigdata->tg_relation);
	subject = SPI_getvalue(row, desc, SPI_fnumber(desc, "subject"));
	limits = SPI_getbinval(row, desc, SPI_fnumber(desc, "limits"), &isnull);
	/* A constraint of the table refuses a NULL. */
	if (subject)
		check_subject_text(subject);
	if (subject && !isnull)
	{
		Jsonb *kept = read_limits(DatumGetJsonbP(limits),
								  strcmp(subject, "*") == 0 ||
									  strcmp(subject, KG_CEILING) == 0);
		int place = SPI_fnumber(desc, "limits");
		Datum value = JsonbPGetDatum(kept);
		bool null = false;

		row = heap_modify_tuple_by_cols(row, desc, 1, &place, &value, &null);
	}
	return PointerGetDatum(row);
}

/*
 * Returns the limit in force: the lower of value and the setting that the limit
 * lowers. If value is KG_UNLIMITED, returns the setting. If the limit lowers no
 * setting, or the setting is 0 (no time limit), returns value.
 */
static int64
in_force(KgLimit limit, int64 value)
{
	static const int *const settings[KG_NLOWERED] = {
		[KG_LOWER_COST] = &kg_setting_max_cost,
		[KG_LOWER_ROWS] = &kg_setting_max_rows,
		[KG_LOWER_REPLY_BYTES] = &kg_setting_max_reply_bytes,
		[KG_LOWER_CALL_TIME] = &kg_setting_max_call_time};

	for (int i = 0; i < KG_NLOWERED; i++)
	{
		if (kg_limit_of_setting(i) != limit)
			continue;
		if (i == KG_LOWER_CALL_TIME && *settings[i] == 0)
			return value;
		return value == KG_UNLIMITED ? *settings[i] : Min(value, *settings[i]);
	}
	return value;
}

static void
write_limit(KgJsonWriter *w, KgLimit limit, int64 value)
{
	kg_jw_key(w, kg_limit_name(limit));
	if (value == KG_UNLIMITED)
		kg_jw_null(w);
	else
		kg_jw_int(w, value);
}

PG_FUNCTION_INFO_V1(kg_sql_limits);

/* Returns the limits in force for the caller. */
Datum
kg_sql_limits(PG_FUNCTION_ARGS)
{
	const char *tenant = kg_identity_require(KG_ACCESS_READ);
	const KgLimits *limits = kg_limits_of_caller(tenant);
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "tenant", tenant);
	kg_jw_kstring(&w, "caller", limits->caller);
	kg_jw_kbegin_object(&w, "limits");
	for (int i = 0; i < KG_FIRST_QUOTA; i++)
		write_limit(&w, i, in_force(i, limits->values[i]));
	kg_jw_end_object(&w);
	kg_jw_kbegin_object(&w, "counted_as");
	for (int i = 0; i <= KG_LIMIT_EDGES_PER_MINUTE; i++)
		kg_jw_kstring(&w, kg_limit_name(i), limits->counted[i]);
	kg_jw_end_object(&w);
	kg_jw_kbegin_object(&w, "quotas");
	for (int i = KG_FIRST_QUOTA; i < KG_NLIMITS; i++)
		write_limit(&w, i, limits->values[i]);
	kg_jw_end_object(&w);
	PG_RETURN_JSONB_P(kg_jw_finish(&w));
}
