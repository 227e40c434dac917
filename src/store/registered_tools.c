/*
 * registered_tools.c
 *	  The rows of registered tools.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/spi.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "store/registered_tools.h"
#include "utils/builtins.h"

const KgToolHooks *kg_tool_hooks = NULL;

static KG_NORETURN void
throw_taken(const char *name, const char *by)
{
	KgError *err = kg_error_new(KG_ALREADY_EXISTS,
								"tool_name_collision_in_tenant: the name "
								"\"%s\" is taken by %s",
								name,
								by);

	kg_error_got_string(err, name);
	kg_error_expected(err, "another name");
	kg_error_throw(err);
}

/*
 * The primary key decides who has a name.  A name is registered by hand or
 * brought by one bundle; canonical is the tool that an alias stands for.
 */
static void
take_name(const char *tenant, const char *name, const char *canonical,
		  const char *bundle)
{
	static KgSaved insert;
	static KgSaved look;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[4];
	char nulls[] = "    ";
	const char *has;

	kg_spi_put_text(values, nulls, 0, tenant);
	kg_spi_put_text(values, nulls, 1, name);
	kg_spi_put_text(values, nulls, 2, bundle);
	kg_spi_put_text(values, nulls, 3, canonical);
	kg_spi_run(&insert,
			   "INSERT INTO @kg_tool(tenant, tool, bundle, canonical, "
			   "operation) VALUES ($1, $2, $3, $4, CASE WHEN $4 IS NULL THEN "
			   "'registered' ELSE 'alias' END) ON CONFLICT DO NOTHING",
			   4,
			   argtypes,
			   values,
			   nulls,
			   false,
			   SPI_OK_INSERT);
	kg_spi_run_latest(&look,
					  "SELECT operation, bundle, canonical FROM @kg_tool "
					  "WHERE tenant = $1 AND tool = $2",
					  2,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_SELECT);
	if (SPI_processed == 0)
		throw_taken(name, "another session");
	has = kg_spi_cstring(0, 1);
	if (strcmp(has, canonical ? "alias" : "registered") != 0)
		throw_taken(name,
					strcmp(has, "alias") == 0		 ? "an alias"
					: strcmp(has, "registered") == 0 ? "a registered tool"
													 : "a generated tool");
	if (canonical && strcmp(kg_spi_cstring(0, 3), canonical) != 0)
		throw_taken(name, "an alias of another tool");
	if (!kg_text_same(kg_spi_cstring(0, 2), bundle))
		throw_taken(name,
					bundle ? "a tool that this bundle did not bring"
						   : "a tool that a bundle brought");
}

static KG_NORETURN void
throw_frozen(const KgStoredTool *tool)
{
	KgError *err = kg_error_new(KG_ALREADY_EXISTS,
								"version \"%s\" of tool \"%s\" is registered "
								"with another definition",
								tool->version,
								tool->name);

	kg_error_path(err, "/version");
	kg_error_got_string(err, tool->version);
	kg_error_expected(err, "a new version, or the same definition");
	kg_error_throw(err);
}

static bool
read_stored(const char *tenant, const char *name, const bytea *precedence)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, BYTEAOID};
	Datum values[] = {CStringGetTextDatum(tenant),
					  CStringGetTextDatum(name),
					  PointerGetDatum(precedence)};

	kg_spi_run_latest(&saved,
					  "SELECT definition, deprecated FROM @kg_tool_version "
					  "WHERE tenant = $1 AND tool = $2 AND precedence = $3",
					  3,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_SELECT);
	return SPI_processed > 0;
}

Jsonb *
kg_stored_definition(const char *tenant, const char *name,
					 const bytea *precedence)
{
	bool isnull;

	if (!read_stored(tenant, name, precedence))
		return NULL;
	return DatumGetJsonbPCopy(kg_spi_value(0, 1, &isnull));
}

/* The same again, with which only a deprecation may come. */
static KgToolVerdict
keep_stored(const char *tenant, const KgStoredTool *tool)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, BYTEAOID, TEXTOID};
	const char *deprecated = kg_spi_cstring(0, 2);
	bool isnull;
	Jsonb *stored = DatumGetJsonbPCopy(kg_spi_value(0, 1, &isnull));
	Datum values[4];
	char nulls[] = "    ";

	/* Versions that differ in build metadata only are the same. */
	if (!kg_json_same(kg_json_without(stored, "version"),
					  kg_json_without(tool->definition, "version")))
		throw_frozen(tool);
	if (tool->deprecated == NULL || kg_text_same(deprecated, tool->deprecated))
		return KG_TOOL_UNCHANGED;
	kg_spi_put_text(values, nulls, 0, tenant);
	kg_spi_put_text(values, nulls, 1, tool->name);
	values[2] = PointerGetDatum(tool->precedence);
	kg_spi_put_text(values, nulls, 3, tool->deprecated);
	kg_spi_run(&saved,
			   "UPDATE @kg_tool_version SET deprecated = $4 WHERE tenant = $1 "
			   "AND tool = $2 AND precedence = $3",
			   4,
			   argtypes,
			   values,
			   nulls,
			   false,
			   SPI_OK_UPDATE);
	return KG_TOOL_DEPRECATED;
}

static void
take_aliases(const char *tenant, const KgStoredTool *tool)
{
	JsonbValue aliases;
	KgJsonIter it;

	if (kg_json_get(&tool->definition->root, "aliases", &aliases) == NULL)
		return;
	kg_json_iter_init(&it, kg_json_container(&aliases));
	while (kg_json_iter_next(&it))
		take_name(tenant, kg_json_cstring(&it.value), tool->name, tool->bundle);
}

KgToolVerdict
kg_store_tool(const char *tenant, const KgStoredTool *tool)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID,
								   TEXTOID,
								   BYTEAOID,
								   TEXTOID,
								   TEXTOID,
								   TEXTOID,
								   TEXTOID,
								   JSONBOID};
	Datum values[8];
	char nulls[] = "        ";

	take_name(tenant, tool->name, NULL, tool->bundle);
	if (read_stored(tenant, tool->name, tool->precedence))
		return keep_stored(tenant, tool);
	take_aliases(tenant, tool);
	kg_spi_put_text(values, nulls, 0, tenant);
	kg_spi_put_text(values, nulls, 1, tool->name);
	values[2] = PointerGetDatum(tool->precedence);
	kg_spi_put_text(values, nulls, 3, tool->version);
	kg_spi_put_text(values, nulls, 4, tool->toolset);
	kg_spi_put_text(values, nulls, 5, tool->bundle);
	kg_spi_put_text(values, nulls, 6, tool->deprecated);
	kg_spi_put_jsonb(values, nulls, 7, tool->definition);
	kg_spi_run(&saved,
			   "INSERT INTO @kg_tool_version(tenant, tool, precedence, "
			   "version, toolset, bundle, deprecated, definition) "
			   "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			   8,
			   argtypes,
			   values,
			   nulls,
			   false,
			   SPI_OK_INSERT);
	return KG_TOOL_CREATED;
}

int64
kg_remove_tool(const char *tenant, const char *name, const bytea *precedence)
{
	static KgSaved versions;
	static KgSaved aliases;
	static KgSaved names;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, BYTEAOID};
	Datum values[] = {CStringGetTextDatum(tenant),
					  CStringGetTextDatum(name),
					  PointerGetDatum(precedence)};
	int64 n;

	kg_spi_run(&versions,
			   "DELETE FROM @kg_tool_version WHERE tenant = $1 AND tool = $2 "
			   "AND precedence = coalesce($3, precedence)",
			   3,
			   argtypes,
			   values,
			   precedence ? NULL : "  n",
			   false,
			   SPI_OK_DELETE);
	n = SPI_processed;
	kg_spi_run(&aliases,
			   "DELETE FROM @kg_tool t WHERE tenant = $1 AND canonical = $2 "
			   "AND NOT EXISTS (SELECT FROM @kg_tool_version v "
			   "WHERE v.tenant = $1 AND v.tool = $2 "
			   "AND v.definition -> 'aliases' ? t.tool)",
			   2,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_DELETE);
	kg_spi_run(&names,
			   "DELETE FROM @kg_tool t WHERE tenant = $1 AND tool = $2 "
			   "AND operation = 'registered' AND NOT EXISTS (SELECT "
			   "FROM @kg_tool_version v WHERE v.tenant = $1 AND v.tool = $2)",
			   2,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_DELETE);
	return n;
}

/* All of them: the row of one could go, and leave a version as it was before. */
void
kg_touch_catalog(const char *tenant)
{
	static KgSaved bundles;
	static KgSaved tenants;
	static const Oid argtypes[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(tenant)};

	kg_spi_run(&bundles,
			   "UPDATE @kg_bundle SET revision = revision WHERE tenant = $1",
			   1,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_UPDATE);
	if (SPI_processed == 0)
		kg_spi_run(&tenants,
				   "UPDATE @kg_tenant SET authorizer = authorizer "
				   "WHERE tenant = $1",
				   1,
				   argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_UPDATE);
}
