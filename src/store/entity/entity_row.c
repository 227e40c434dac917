/*
 * entity_row.c
 *	  A row of kg_entity before it is stored. The functions compute its columns
 *	  from its document, and raise errors for its faults.
 *
 * No function looks up the table by its name, because the table has another
 * name on a shard.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/owner.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "model/bound_table.h"
#include "model/lock.h"
#include "model/tenant_state.h"
#include "model/writing.h"
#include "store/check/check.h"
#include "store/derived/extract.h"
#include "store/entity/entity_row.h"
#include "store/history/freed.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

const char *const kg_row_columns[KG_ROW_COLUMNS] = {"tenant",
													"bundle",
													"entity_type",
													"entity_id",
													"node",
													"type_no",
													"scope",
													"version",
													"created_at",
													"updated_at",
													"data",
													"index_keys"};

/*
 * Returns the tenant of a row. If bound is true, the role is subject to row
 * security and may write only for its own tenant; otherwise an error is raised.
 * The policy requires this, too, but the server tests it only after this
 * trigger has read the tenant's catalog.
 */
static char *
row_tenant(const Datum *values, const bool *nulls, bool bound)
{
	char *tenant;
	char *own;

	if (nulls[KG_ROW_TENANT])
		return (char *) kg_identity_require(KG_ACCESS_WRITE);
	tenant = TextDatumGetCString(values[KG_ROW_TENANT]);
	if (!bound)
		return tenant;
	own = (char *) kg_identity_require(KG_ACCESS_WRITE);
	if (strcmp(own, tenant) == 0)
		return tenant;
	kg_tenant_refuse_renamed(tenant, own);
	kg_error_throw(kg_error_new(
		KG_FORBIDDEN,
		"the row belongs to another tenant than that of the caller"));
}

/*
 * Returns the type of a row, and locks it against changes of its schema. Raises
 * an error if the type reads a table. Runs as the owner, so that policies of
 * the catalog tables do not affect the result.
 *
 * bound is true if the role is subject to row security. If such a caller has an
 * agent, types of bundles that the agent lacks are treated as missing. Errors
 * then do not contain their schemas.
 */
static const KgType *
locked_type(const char *tenant, const char *bundle, const char *name,
			bool bound)
{
	KgUserContext saved;
	const KgType *type;
	char *handle = psprintf("%s/%s", bundle, name);

	if (bound && kg_agent_hides_bundles())
		(void) kg_catalog_require_type(
			kg_catalog_newest(tenant), handle, "/entity_type");
	kg_become_owner(&saved);
	for (;;)
	{
		type = kg_catalog_require_type(
			kg_catalog_newest(tenant), handle, "/entity_type");
		if (!kg_lock_type_shared(type->type_no))
			break;
	}
	kg_restore_user(&saved);
	kg_binding_refuse(type, "a row of kg_entity");
	return type;
}

static char *
required_text(const Datum *values, const bool *nulls, int column,
			  const char *name)
{
	if (!nulls[column])
		return TextDatumGetCString(values[column]);
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf("column \"%s\" of kg_entity has no value", name),
		.path = psprintf("/%s", name),
		.expected =
			"INSERT INTO kg_entity(bundle, entity_type, data) VALUES (...)");
}

static void
refuse_change(const char *column)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("column \"%s\" of kg_entity cannot be changed",
								 column),
			 .path = psprintf("/%s", column),
			 .expected = "DELETE and INSERT instead");
}

static bool
same_text(Datum a, Datum b)
{
	return DatumGetBool(DirectFunctionCall2Coll(texteq, C_COLLATION_OID, a, b));
}

bool
kg_row_same_id(const Datum *old, const Datum *values)
{
	return same_text(old[KG_ROW_ID], values[KG_ROW_ID]);
}

/* Raises an error if an UPDATE changes a column that users may not change. */
void
kg_row_check_unchanged(const Datum *old, const Datum *values, const bool *nulls)
{
	static const struct
	{
		int column;
		const char *name;
	} fixed[] = {{KG_ROW_TENANT, "tenant"},
				 {KG_ROW_BUNDLE, "bundle"},
				 {KG_ROW_TYPE, "entity_type"}};

	for (int i = 0; i < lengthof(fixed); i++)
	{
		int column = fixed[i].column;

		if (nulls[column] || !same_text(old[column], values[column]))
			refuse_change(fixed[i].name);
	}
	if (nulls[KG_ROW_NODE] || old[KG_ROW_NODE] != values[KG_ROW_NODE])
		refuse_change("node");
}

/* Sets version and times. They change if the data changes. */
static void
fill_version(bool update, const Datum *old, Datum *values, bool *nulls)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();

	if (update)
	{
		/*
		 * The comparison is by bytes: a change from 1.0 to 1.00 is a change.
		 */
		bool same = datum_image_eq(
			old[KG_ROW_DATA], values[KG_ROW_DATA], false, -1);

		values[KG_ROW_VERSION] = same ? old[KG_ROW_VERSION]
									  : Int64GetDatum(kg_version_plus(
											DatumGetInt64(old[KG_ROW_VERSION]),
											1));
		values[KG_ROW_UPDATED] = same ? old[KG_ROW_UPDATED]
									  : TimestampTzGetDatum(now);
		values[KG_ROW_CREATED] = old[KG_ROW_CREATED];
	}
	else
	{
		if (nulls[KG_ROW_VERSION])
			values[KG_ROW_VERSION] = Int64GetDatum(1);
		if (nulls[KG_ROW_CREATED])
			values[KG_ROW_CREATED] = TimestampTzGetDatum(now);
		if (nulls[KG_ROW_UPDATED])
			values[KG_ROW_UPDATED] = TimestampTzGetDatum(now);
	}
	nulls[KG_ROW_VERSION] = nulls[KG_ROW_CREATED] = nulls[KG_ROW_UPDATED] =
		false;
}

void
kg_row_begin_version(const KgType *type, Datum *values)
{
	int64 freed = kg_freed_version(TextDatumGetCString(values[KG_ROW_TENANT]),
								   type,
								   TextDatumGetCString(values[KG_ROW_ID]));

	if (DatumGetInt64(values[KG_ROW_VERSION]) <= freed)
		values[KG_ROW_VERSION] = Int64GetDatum(kg_version_plus(freed, 1));
}

/*
 * Returns whether the role may restore a dump: the owner, or a role that
 * bypasses row security.
 */
static bool
may_restore(void)
{
	return kg_has_owner_rights(GetUserId()) ||
		   has_bypassrls_privilege(GetUserId());
}

const char *
kg_row_given_column(const Datum *values, bool stored)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	int64 version = DatumGetInt64(values[KG_ROW_VERSION]);
	bool restores = may_restore();

	if (version < 1 || (version > 1 && !stored && !restores))
		return "version";
	(void) kg_version_plus(version, 0);
	if (restores)
		return NULL;
	if (DatumGetTimestampTz(values[KG_ROW_CREATED]) != now)
		return "created_at";
	return DatumGetTimestampTz(values[KG_ROW_UPDATED]) != now ? "updated_at"
															  : NULL;
}

void
kg_row_refuse_given(const Datum *values)
{
	const char *column = kg_row_given_column(values, false);

	if (column == NULL)
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("column \"%s\" of kg_entity cannot be written",
								 column),
			 .path = psprintf("/%s", column),
			 .expected = "no value, because kg_graph sets the column");
}

/*
 * Returns whether an error may contain values of the row. This is permitted if
 * the role itself wrote the values, or may select them.
 */
static bool
may_see_data(const TriggerData *trigdata)
{
	Oid relid = RelationGetRelid(trigdata->tg_relation);
	int attno = KG_ROW_DATA + 1;

	return !TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event) ||
		   bms_is_member(attno - FirstLowInvalidHeapAttributeNumber,
						 trigdata->tg_updatedcols) ||
		   pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		   pg_attribute_aclcheck(relid, attno, GetUserId(), ACL_SELECT) ==
			   ACLCHECK_OK;
}

static void
check_given_id(const char *id, const Datum *values, const bool *nulls,
			   const KgType *type, bool withhold)
{
	KgError *err;

	if (nulls[KG_ROW_ID] ||
		strcmp(TextDatumGetCString(values[KG_ROW_ID]), id) == 0)
		return;
	err = kg_error_new(KG_VALIDATION_FAILED,
					   "entity_id differs from property \"%s\"",
					   type->id_field->name);
	kg_error_path(err, "/entity_id");
	kg_error_got_string(err, TextDatumGetCString(values[KG_ROW_ID]));
	if (!withhold)
		kg_error_expected(err, "\"%s\", or no value", id);
	kg_error_throw(err);
}

/*
 * Returns whether the node number has been drawn from the sequence. Caches the
 * last value of the sequence, which never decreases.
 */
static bool
was_assigned(int64 node)
{
	static Oid sequence = InvalidOid;
	static int64 known = 0;
	Oid current = kg_relation_oid("kg_node_seq");
	KgUserContext user;
	LOCAL_FCINFO(last, 1);

	if (sequence == current && node <= known)
		return true;
	sequence = current;
	kg_become_owner(&user);
	InitFunctionCallInfoData(*last, NULL, 1, InvalidOid, NULL, NULL);
	last->args[0].value = ObjectIdGetDatum(current);
	last->args[0].isnull = false;
	known = DatumGetInt64(pg_sequence_last_value(last));
	if (last->isnull)
		known = 0;
	kg_restore_user(&user);
	return node <= known;
}

static KG_NORETURN void
throw_given_node(void)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = "column \"node\" of kg_entity does not have a number "
						"that kg_graph assigned",
			 .path = "/node",
			 .expected = "no value; kg_graph assigns the number");
}

/*
 * Returns whether the role may choose this node number. A role that restores a
 * dump may choose it. Raises an error for 0, which means "no entity" in
 * look-ups, and for negative numbers, which have other meanings.
 */
static bool
may_give_node(Datum node)
{
	if (DatumGetInt64(node) <= 0)
		throw_given_node();
	return may_restore();
}

/*
 * Returns whether the history has a change of this entity with this node. If
 * so, the row creates the entity again.
 */
static bool
had_node(const Datum *values)
{
	static KgSaved saved;

	return kg_spi_finds(&saved,
						"SELECT FROM @kg_history WHERE tenant = $1 "
						"AND type_no = $2 AND entity_id = $3 AND node = $4 "
						"LIMIT 1",
						kg_arg(TEXTOID, values[KG_ROW_TENANT]),
						kg_arg(INT4OID, values[KG_ROW_TYPE_NO]),
						kg_arg(TEXTOID, values[KG_ROW_ID]),
						kg_arg(INT8OID, values[KG_ROW_NODE]));
}

void
kg_row_fill_node(Datum *values, bool *nulls)
{
	if (nulls[KG_ROW_NODE])
	{
		values[KG_ROW_NODE] = Int64GetDatum(
			nextval_internal(kg_relation_oid("kg_node_seq"), false));
		nulls[KG_ROW_NODE] = false;
	}
	else if (!may_give_node(values[KG_ROW_NODE]) && !had_node(values))
		throw_given_node();
}

const KgType *
kg_row_complete(const TriggerData *trigdata, const Datum *old, Datum *values,
				bool *nulls)
{
	bool update = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event);
	KgErrorList errors = {
		NIL, kg_setting_max_errors, 0, !may_see_data(trigdata)};
	bool bound = check_enable_rls(RelationGetRelid(trigdata->tg_relation),
								  InvalidOid,
								  true) == RLS_ENABLED;
	char *tenant = row_tenant(values, nulls, bound);
	char *bundle = required_text(values, nulls, KG_ROW_BUNDLE, "bundle");
	char *name = required_text(values, nulls, KG_ROW_TYPE, "entity_type");
	const KgType *type;
	Jsonb *data;
	text *scope;
	char *id;

	if (nulls[KG_ROW_DATA])
		(void) required_text(values, nulls, KG_ROW_DATA, "data");
	type = locked_type(tenant, bundle, name, bound);
	data = DatumGetJsonbP(values[KG_ROW_DATA]);
	id = kg_entity_id(type, data, "", &errors);
	(void) kg_entity_check(type, id, data, "", &errors);
	kg_throw_violations(&errors, "entity is not valid");

	if (update && !nulls[KG_ROW_ID] && kg_row_same_id(old, values))
		nulls[KG_ROW_ID] = true; /* a changed id is computed from the data */
	check_given_id(id, values, nulls, type, errors.withhold);
	values[KG_ROW_TENANT] = CStringGetTextDatum(tenant);
	values[KG_ROW_ID] = CStringGetTextDatum(id);
	values[KG_ROW_TYPE_NO] = Int32GetDatum(type->type_no);
	nulls[KG_ROW_TENANT] = nulls[KG_ROW_ID] = nulls[KG_ROW_TYPE_NO] = false;
	values[KG_ROW_KEYS] = PointerGetDatum(kg_extract_keys(type, data));
	nulls[KG_ROW_KEYS] = false;
	scope = kg_extract_scope(type, data);
	values[KG_ROW_SCOPE] = PointerGetDatum(scope);
	nulls[KG_ROW_SCOPE] = scope == NULL;
	fill_version(update, old, values, nulls);
	kg_writing_row(type->type_no);
	return type;
}

void
kg_row_require_node(const Datum *values, const bool *nulls)
{
	if (nulls[KG_ROW_NODE] ||
		(!may_give_node(values[KG_ROW_NODE]) &&
		 !was_assigned(DatumGetInt64(values[KG_ROW_NODE]))))
		throw_given_node();
}
