/*
 * tool_version.c
 *	  Registered tools of a tenant, as a part of its catalog.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/semver.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "model/tool_version.h"
#include "utils/builtins.h"

static void
add_aliases(KgCatalog *catalog, const KgToolVersion *version)
{
	JsonbValue aliases;

	if (kg_json_get(&version->definition->root, "aliases", &aliases) == NULL ||
		!kg_json_is_array(&aliases))
		return;
	kg_json_each(it, kg_json_container(&aliases))
	{
		KgToolAlias *alias = palloc(sizeof(KgToolAlias));

		alias->alias = kg_json_cstring(&it.value);
		alias->tool = version->tool;
		catalog->aliases = lappend(catalog->aliases, alias);
	}
}

/*
 * Reads a row of the query in kg_load_tool_versions() into *version. Allocates
 * in the catalog's context.
 */
static void
read_version(KgCatalog *catalog, KgToolVersion *version, uint64 row)
{
	KgSemver semver;

	version->tool = kg_spi_cstring(row, 1);
	version->version = kg_spi_cstring(row, 2);
	version->toolset = kg_spi_cstring(row, 3);
	version->bundle = kg_spi_cstring(row, 4);
	version->deprecated = kg_spi_cstring(row, 5);
	version->definition = DatumGetJsonbPCopy(kg_spi_datum(row, 6));
	version->prerelease = !kg_semver_read(version->version, &semver) ||
						  semver.prerelease;
	version->context = CurrentMemoryContext;
	version->whose = catalog;
	add_aliases(catalog, version);
}

static void
add_to_name(KgCatalog *catalog, KgToolVersion *version)
{
	KgRegisteredName *name = NULL;

	if (catalog->nregistered > 0)
		name = &catalog->registered[catalog->nregistered - 1];
	if (name == NULL || strcmp(name->name, version->tool) != 0)
	{
		name = &catalog->registered[catalog->nregistered++];
		name->name = version->tool;
		name->versions = version;
	}
	name->n++;
	if (!version->prerelease && version->deprecated == NULL)
		name->latest = version;
}

void
kg_load_tool_versions(KgCatalog *catalog, const Datum *tenant,
					  MemoryContext context)
{
	KgToolVersion *versions;

	KG_SPI_READ("SELECT tool, version, toolset, bundle, deprecated, definition "
				"FROM @kg_tool_version WHERE tenant = $1 "
				"ORDER BY tool, precedence",
				kg_arg(TEXTOID, *tenant));
	MemoryContextSwitchTo(context);
	versions = palloc0(Max(1, SPI_processed) * sizeof(KgToolVersion));
	catalog->registered = palloc0(Max(1, SPI_processed) *
								  sizeof(KgRegisteredName));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		read_version(catalog, &versions[i], i);
		add_to_name(catalog, &versions[i]);
	}
	SPI_freetuptable(SPI_tuptable);
}

static int
compare_name(const void *name, const void *registered)
{
	return strcmp(name, ((const KgRegisteredName *) registered)->name);
}

static const KgRegisteredName *
find_name(const KgCatalog *catalog, const char *name)
{
	return bsearch(name,
				   catalog->registered,
				   catalog->nregistered,
				   sizeof(KgRegisteredName),
				   compare_name);
}

const KgRegisteredName *
kg_registered_name(const KgCatalog *catalog, const char *name)
{
	const KgRegisteredName *found = find_name(catalog, name);
	ListCell *lc;

	if (found != NULL)
		return found;
	foreach(lc, catalog->aliases)
	{
		const KgToolAlias *alias = lfirst(lc);

		if (strcmp(alias->alias, name) == 0)
			return find_name(catalog, alias->tool);
	}
	return NULL;
}

const KgToolVersion *
kg_registered_version(const KgRegisteredName *name, const bytea *precedence)
{
	for (int i = 0; i < name->n; i++)
	{
		KgSemver semver;

		if (kg_semver_read(name->versions[i].version, &semver) &&
			VARSIZE(semver.precedence) == VARSIZE(precedence) &&
			memcmp(semver.precedence, precedence, VARSIZE(precedence)) == 0)
			return &name->versions[i];
	}
	return NULL;
}
