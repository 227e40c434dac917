/*
 * bundle/registered.c
 *	  Registered tools in a bundle, and registered tools that a change of the
 *	  bundle could invalidate. All functions run as the extension's owner,
 *	  inside SPI_connect().
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/json.h"
#include "base/semver.h"
#include "model/lock.h"
#include "model/tool_version.h"
#include "store/bundle/bundle.h"
#include "store/registered_tools.h"

/*
 * Returns whether the apply may change types, relations or registered tools,
 * and not only entities and edges.
 */
static bool
declares(const KgApply *apply)
{
	return !apply->options.merge || apply->payload->has_schemas ||
		   apply->payload->has_relations || apply->payload->definitions ||
		   apply->payload->tools;
}

void
kg_bundle_lock_registered(const KgApply *apply)
{
	if (declares(apply))
		kg_lock_tools_shared(apply->tenant);
}

static void
note(KgApply *apply, int change, const char *tool, const char *version)
{
	MemoryContext old = MemoryContextSwitchTo(apply->context);

	apply->tool_changes[change] = lappend(apply->tool_changes[change],
										  psprintf("%s@%s", tool, version));
	apply->changed = true;
	MemoryContextSwitchTo(old);
}

int
kg_tool_index(const Jsonb *tools, const KgToolVersion *version)
{
	KgSemver stored;
	JsonbValue name;
	JsonbValue number;
	KgSemver given;

	if (tools == NULL || !kg_semver_read(version->version, &stored))
		return -1;
	kg_json_each(it, (JsonbContainer *) &tools->root)
		if (kg_json_is_object(&it.value) &&
			kg_json_get(kg_json_container(&it.value), "name", &name) &&
			kg_json_string_is(&name, version->tool) &&
			kg_json_get(kg_json_container(&it.value), "version", &number) &&
			number.type == jbvString &&
			kg_semver_read(kg_json_cstring(&number), &given) &&
			VARSIZE(given.precedence) == VARSIZE(stored.precedence) &&
			memcmp(given.precedence,
				   stored.precedence,
				   VARSIZE(given.precedence)) == 0)
			return it.index;
	return -1;
}

static void
remove_gone(KgApply *apply)
{
	for (int i = 0; i < apply->before->nregistered; i++)
	{
		const KgRegisteredName *name = &apply->before->registered[i];

		for (int j = 0; j < name->n; j++)
		{
			const KgToolVersion *version = &name->versions[j];
			KgSemver semver;

			if (version->bundle == NULL ||
				strcmp(version->bundle, apply->payload->name) != 0 ||
				kg_tool_index(apply->payload->tools, version) >= 0 ||
				!kg_semver_read(version->version, &semver))
				continue;
			(void) kg_remove_tool(
				apply->tenant, version->tool, semver.precedence);
			note(apply, KG_CHANGE_DELETED, version->tool, version->version);
		}
	}
}

/* A tool of the payload. */
typedef struct Given
{
	KgApply *apply;
	Jsonb *definition;
	const char *path;
} Given;

static void
write_one(void *arg)
{
	const Given *given = arg;
	KgApply *apply = given->apply;
	KgStoredTool *tool = kg_tool_hooks->prepare(apply->tenant,
												given->definition,
												apply->payload->name,
												given->path,
												&apply->errors);

	if (tool == NULL)
		return;
	switch (kg_store_tool(apply->tenant, tool))
	{
		case KG_TOOL_CREATED:
			note(apply, KG_CHANGE_CREATED, tool->name, tool->version);
			break;
		case KG_TOOL_DEPRECATED:
			note(apply, KG_CHANGE_UPDATED, tool->name, tool->version);
			break;
		case KG_TOOL_UNCHANGED:
			break;
	}
}

/*
 * Reports a version that occurs twice in the payload, and then returns true.
 * Versions that differ only in build metadata count as equal.
 */
static bool
report_twice(KgApply *apply, const Jsonb *definition, int index)
{
	KgToolVersion version = {0};
	JsonbValue name;
	JsonbValue number;
	int first;

	if (!JB_ROOT_IS_OBJECT(definition) ||
		kg_json_get(&definition->root, "name", &name) == NULL ||
		name.type != jbvString ||
		kg_json_get(&definition->root, "version", &number) == NULL ||
		number.type != jbvString)
		return false;
	version.tool = kg_json_cstring(&name);
	version.version = kg_json_cstring(&number);
	first = kg_tool_index(apply->payload->tools, &version);
	if (first < 0 || first == index)
		return false;
	KG_REPORT(
		&apply->errors,
		KG_ALREADY_EXISTS,
		.message = psprintf(
			"version \"%s\" of tool \"%s\" is in the bundle twice",
			version.version,
			version.tool),
		.path = psprintf("/tools/%d/version", index),
		.got = &number,
		.expected = psprintf(
			"a version other than that of /tools/%d, or only one of the two",
			first));
	return true;
}

static void
write_given(KgApply *apply)
{
	if (apply->payload->tools == NULL)
		return;
	kg_json_each(it, &apply->payload->tools->root)
	{
		Given given = {
			apply, kg_json_datum(&it.value), psprintf("/tools/%d", it.index)};

		if (!report_twice(apply, given.definition, it.index))
			kg_catch_below(given.path, write_one, &given);
	}
}

void
kg_bundle_write_registered(KgApply *apply, bool admin)
{
	if (!apply->options.merge)
		remove_gone(apply);
	write_given(apply);
	if ((apply->tool_changes[0] || apply->tool_changes[1] ||
		 apply->tool_changes[2]) &&
		!admin)
		kg_error_throw(
			kg_error_new(KG_FORBIDDEN,
						 "only an admin of the tenant may add, change or "
						 "remove registered tools of a bundle"));
}

void
kg_bundle_check_registered(KgApply *apply)
{
	const KgCatalog *now;

	if (!apply->changed || !declares(apply))
		return;
	CommandCounterIncrement();
	now = kg_catalog_newest(apply->tenant);
	if (now->nregistered > 0)
		kg_tool_hooks->check(
			now, apply->payload->name, apply->payload->tools, &apply->errors);
}
