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

const KgToolHooks *kg_tool_hooks = NULL;

static KG_NORETURN void
throw_taken(const char *name, const char *by, const char *path)
{
	KG_THROW(
		KG_ALREADY_EXISTS,
		.message = psprintf(
			"tool_name_collision_in_tenant: the name \"%s\" is taken by %s",
			name,
			by),
		.path = path,
		.got_string = name,
		.expected = "another name");
}

/*
 * Reserves a name for a tool. Raises KG_ALREADY_EXISTS if another tool has the
 * name, or if another session has reserved it first. A name belongs either to
 * tools that were registered without a bundle or to the tools of one bundle. If
 * the name is an alias, canonical is the name of the tool.
 */
static void
take_name(const char *tenant, const char *name, const char *canonical,
		  const char *bundle, const char *path)
{
	const char *has;

	KG_SPI_EXEC("INSERT INTO @kg_tool(tenant, tool, bundle, canonical, "
				"operation) VALUES ($1, $2, $3, $4, CASE WHEN $4 IS NULL THEN "
				"'registered' ELSE 'alias' END) ON CONFLICT DO NOTHING",
				kg_arg_text(tenant),
				kg_arg_text(name),
				kg_arg_text(bundle),
				kg_arg_text(canonical));
	KG_SPI_LATEST("SELECT operation, bundle, canonical FROM @kg_tool "
				  "WHERE tenant = $1 AND tool = $2",
				  kg_arg_text(tenant),
				  kg_arg_text(name));
	if (SPI_processed == 0)
		throw_taken(name, "another session", path);
	has = kg_spi_cstring(0, 1);
	if (strcmp(has, canonical ? "alias" : "registered") != 0)
		throw_taken(name,
					strcmp(has, "alias") == 0		 ? "an alias"
					: strcmp(has, "registered") == 0 ? "a registered tool"
													 : "a generated tool",
					path);
	if (canonical && strcmp(kg_spi_cstring(0, 3), canonical) != 0)
		throw_taken(name, "an alias of another tool", path);
	if (!kg_text_same(kg_spi_cstring(0, 2), bundle))
		throw_taken(name,
					bundle ? "a tool outside of this bundle"
						   : "a tool of a bundle",
					path);
}

static KG_NORETURN void
throw_frozen(const KgStoredTool *tool)
{
	KG_THROW(KG_ALREADY_EXISTS,
			 .message = psprintf("version \"%s\" of tool \"%s\" is registered "
								 "with another definition",
								 tool->version,
								 tool->name),
			 .path = "/version",
			 .got_string = tool->version,
			 .expected = "a new version, or the same definition");
}

static bool
read_stored(const char *tenant, const char *name, const bytea *precedence)
{
	KG_SPI_LATEST("SELECT definition, deprecated FROM @kg_tool_version "
				  "WHERE tenant = $1 AND tool = $2 AND precedence = $3",
				  kg_arg_text(tenant),
				  kg_arg_text(name),
				  kg_arg(BYTEAOID, PointerGetDatum(precedence)));
	return SPI_processed > 0;
}

Jsonb *
kg_stored_definition(const char *tenant, const char *name,
					 const bytea *precedence)
{
	if (!read_stored(tenant, name, precedence))
		return NULL;
	return DatumGetJsonbPCopy(kg_spi_datum(0, 1));
}

/*
 * Compares a version that is sent again with the stored version, which
 * read_stored() has read. If the definitions differ, an error is raised. If
 * only the deprecation differs, it is updated, and the result is
 * KG_TOOL_DEPRECATED. Otherwise the result is KG_TOOL_UNCHANGED.
 */
static KgToolVerdict
keep_stored(const char *tenant, const KgStoredTool *tool)
{
	const char *deprecated = kg_spi_cstring(0, 2);
	Jsonb *stored = DatumGetJsonbPCopy(kg_spi_datum(0, 1));

	/* Versions that differ only in build metadata count as equal. */
	if (!kg_json_same(kg_json_without(stored, "version"),
					  kg_json_without(tool->definition, "version")))
		throw_frozen(tool);
	if (tool->deprecated == NULL || kg_text_same(deprecated, tool->deprecated))
		return KG_TOOL_UNCHANGED;
	KG_SPI_EXEC("UPDATE @kg_tool_version SET deprecated = $4 WHERE tenant = $1 "
				"AND tool = $2 AND precedence = $3",
				kg_arg_text(tenant),
				kg_arg_text(tool->name),
				kg_arg(BYTEAOID, PointerGetDatum(tool->precedence)),
				kg_arg_text(tool->deprecated));
	return KG_TOOL_DEPRECATED;
}

static void
take_aliases(const char *tenant, const KgStoredTool *tool)
{
	JsonbValue aliases;

	if (kg_json_get(&tool->definition->root, "aliases", &aliases) == NULL)
		return;
	kg_json_each(it, kg_json_container(&aliases))
		take_name(tenant,
				  kg_json_cstring(&it.value),
				  tool->name,
				  tool->bundle,
				  psprintf("/aliases/%d", it.index));
}

KgToolVerdict
kg_store_tool(const char *tenant, const KgStoredTool *tool)
{
	take_name(tenant, tool->name, NULL, tool->bundle, "/name");
	if (read_stored(tenant, tool->name, tool->precedence))
		return keep_stored(tenant, tool);
	take_aliases(tenant, tool);
	KG_SPI_EXEC("INSERT INTO @kg_tool_version(tenant, tool, precedence, "
				"version, toolset, bundle, deprecated, definition) "
				"VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
				kg_arg_text(tenant),
				kg_arg_text(tool->name),
				kg_arg(BYTEAOID, PointerGetDatum(tool->precedence)),
				kg_arg_text(tool->version),
				kg_arg_text(tool->toolset),
				kg_arg_text(tool->bundle),
				kg_arg_text(tool->deprecated),
				kg_arg_jsonb(tool->definition));
	return KG_TOOL_CREATED;
}

int64
kg_remove_tool(const char *tenant, const char *name, const bytea *precedence)
{
	KgArg of[] = {kg_arg_text(tenant), kg_arg_text(name)};
	int64 n;

	KG_SPI_EXEC(
		"DELETE FROM @kg_tool_version WHERE tenant = $1 AND tool = $2 "
		"AND precedence = coalesce($3, precedence)",
		of[0],
		of[1],
		((KgArg){BYTEAOID, precedence == NULL, PointerGetDatum(precedence)}));
	n = SPI_processed;
	KG_SPI_EXEC("DELETE FROM @kg_tool t WHERE tenant = $1 AND canonical = $2 "
				"AND NOT EXISTS (SELECT FROM @kg_tool_version v "
				"WHERE v.tenant = $1 AND v.tool = $2 "
				"AND v.definition -> 'aliases' ? t.tool)",
				of[0],
				of[1]);
	KG_SPI_EXEC("DELETE FROM @kg_tool t WHERE tenant = $1 AND tool = $2 "
				"AND operation = 'registered' AND NOT EXISTS (SELECT "
				"FROM @kg_tool_version v WHERE v.tenant = $1 AND v.tool = $2)",
				of[0],
				of[1]);
	return n;
}

/*
 * Sets a new version of the catalog in all rows of kg_bundle. If only one row
 * had it, a deletion of that row could restore an earlier version. If the
 * tenant has no bundle, sets it in the tenant's row.
 */
void
kg_touch_catalog(const char *tenant)
{
	KG_SPI_EXEC("UPDATE @kg_bundle SET revision = revision WHERE tenant = $1",
				kg_arg_text(tenant));
	if (SPI_processed == 0)
		KG_SPI_EXEC("UPDATE @kg_tenant SET authorizer = authorizer "
					"WHERE tenant = $1",
					kg_arg_text(tenant));
}
