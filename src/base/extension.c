/*
 * extension.c
 *	  The extension's schema, owner and tables.
 *
 * Schema and owner are cached and read again after an invalidation, because
 * the extension may have been dropped and created since.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "catalog/namespace.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static uint64 extension_generation = 0;
static Oid extension_schema = InvalidOid;
static Oid extension_owner = InvalidOid;

/* Tables whose changes make caches stale (base/invalidate.c). */
static const char *const watched_tables[] = {"kg_tenant",
											 "kg_tenant_role",
											 "kg_tenant_state",
											 "kg_bundle",
											 "kg_entity_type",
											 "kg_relation",
											 "kg_tool",
											 "kg_tool_version",
											 "kg_auth_key",
											 "kg_agent",
											 "kg_agent_bundle",
											 "kg_policy",
											 "kg_secret",
											 "kg_entity",
											 "kg_edge",
											 "kg_history",
											 "kg_limit"};

bool
kg_find_extension(const char *name, KgExtension *extension)
{
	Relation rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	bool found;

	ScanKeyInit(&key,
				Anum_pg_extension_extname,
				BTEqualStrategyNumber,
				F_NAMEEQ,
				CStringGetDatum(name));
	scan = systable_beginscan(rel, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple);
	if (found)
	{
		bool isnull;
		Datum version = heap_getattr(tuple,
									 Anum_pg_extension_extversion,
									 RelationGetDescr(rel),
									 &isnull);

		extension->schema =
			((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
		extension->owner = ((Form_pg_extension) GETSTRUCT(tuple))->extowner;
		extension->version = TextDatumGetCString(version);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/*
 * Loads schema and owner of the extension. Returns false if it does not exist
 * and missing_ok is true; otherwise raises an error then. They are loaded again
 * after an invalidation, because the extension may have been dropped and
 * created since.
 */
static bool
load_extension(bool missing_ok)
{
	uint64 seen = kg_generation();
	KgExtension extension;

	if (!kg_find_extension("kg_graph", &extension))
	{
		if (!missing_ok)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("extension \"kg_graph\" does not exist")));
		return false;
	}
	extension_schema = extension.schema;
	extension_owner = extension.owner;
	pfree(extension.version);

	for (int i = 0; i < lengthof(watched_tables); i++)
	{
		Oid relid = get_relname_relid(watched_tables[i], extension_schema);

		if (OidIsValid(relid))
			kg_watch(relid);
	}
	extension_generation = seen;
	return true;
}

static bool
load_if_stale(bool missing_ok)
{
	return extension_generation == kg_generation() ||
		   load_extension(missing_ok);
}

Oid
kg_extension_schema(void)
{
	(void) load_if_stale(false);
	return extension_schema;
}

Oid
kg_extension_owner(void)
{
	(void) load_if_stale(false);
	return extension_owner;
}

uint64
kg_extension_schema_version(void)
{
	static NameData name;
	static uint64 version = 0;
	static Oid named = InvalidOid;
	static uint64 seen = 0;
	Oid schema = kg_extension_schema();

	if (named != schema || seen != kg_namespace_changes())
	{
		uint64 changes = kg_namespace_changes();
		char *now = get_namespace_name(schema);

		if (now == NULL)
			elog(ERROR, "schema %u of kg_graph is gone", schema);
		if (version == 0 || strcmp(NameStr(name), now) != 0)
		{
			namestrcpy(&name, now);
			version++;
		}
		named = schema;
		seen = changes;
		pfree(now);
	}
	return version;
}

char *
kg_qualified(const char *name)
{
	const char *schema = get_namespace_name(kg_extension_schema());

	return quote_qualified_identifier(schema, name);
}

Oid
kg_find_relation(const char *name)
{
	return get_relname_relid(name, kg_extension_schema());
}

Oid
kg_relation_oid(const char *name)
{
	Oid relid = kg_find_relation(name);

	if (!OidIsValid(relid))
		ereport(
			ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("relation \"%s\" of kg_graph does not exist",
					kg_qualified(name)),
			 errdetail("It was renamed, or moved to another schema."),
			 errhint(
				 "To restore it, use ALTER ... RENAME TO %s or SET SCHEMA %s.",
				 name,
				 quote_identifier(get_namespace_name(kg_extension_schema())))));
	return relid;
}

bool
kg_is_relation(Oid relid, const char *name)
{
	char *own = get_rel_name(relid);

	return own != NULL && strcmp(own, name) == 0 && load_if_stale(true) &&
		   get_rel_namespace(relid) == extension_schema;
}

static bool
is_column(TupleDesc desc, int place, const char *name)
{
	Form_pg_attribute column = TupleDescAttr(desc, place);

	return !column->attisdropped && strcmp(NameStr(column->attname), name) == 0;
}

void
kg_find_columns(TupleDesc desc, const char *const *names, int n, int *places)
{
	for (int i = 0; i < n; i++)
	{
		int place = i;

		if (place >= desc->natts || !is_column(desc, place, names[i]))
			for (place = 0; place < desc->natts; place++)
				if (is_column(desc, place, names[i]))
					break;
		if (place == desc->natts)
			ereport(
				ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("a table of kg_graph lacks column \"%s\"", names[i]),
				 errdetail("It was renamed or dropped."),
				 errhint("To restore a renamed column, use ALTER TABLE ... "
						 "RENAME COLUMN ... TO %s.",
						 names[i])));
		places[i] = place;
	}
}

void
kg_become_owner(KgUserContext *saved)
{
	GetUserIdAndSecContext(&saved->userid, &saved->sec_context);
	SetUserIdAndSecContext(kg_extension_owner(),
						   saved->sec_context | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_NOFORCE_RLS);
}

void
kg_restore_user(const KgUserContext *saved)
{
	SetUserIdAndSecContext(saved->userid, saved->sec_context);
}
