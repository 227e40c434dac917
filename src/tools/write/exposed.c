/*
 * exposed.c
 *	  Finds the tool of a type or relation for an operation.
 */
#include "postgres.h"

#include "base/error.h"
#include "model/binding.h"
#include "store/edge/given_edges.h"
#include "tools/write/exposed.h"

const char *
kg_exposed_member(int operation)
{
	return operation & KG_EXPOSE_OF_RELATION ? "relation" : "type";
}

/*
 * Raises an error because a type or relation does not expose an operation. The
 * error lists the types or relations that expose it.
 */
static KG_NORETURN void
throw_not_exposed(const KgCatalog *catalog, const char *name, int operation,
				  const char *path)
{
	const char *member = kg_exposed_member(operation);
	KgError *err = kg_error_new(KG_FORBIDDEN,
								"no %s \"%s\" allows the operation \"%s\"",
								member,
								name,
								kg_operation_of(operation)->name);
	const char *expected =
		"another operation, because no type or relation allows this operation";
	const KgType *type;

	if (path != NULL)
		kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	for (int i = 0; i < catalog->ntools; i++)
	{
		const KgTool *tool = &catalog->tools[i];

		if (tool->operation != operation)
			continue;
		kg_error_allow(
			err, tool->row ? kg_row_handle(tool->row) : tool->relation->name);
		expected = psprintf("a %s that allows the operation", member);
	}
	type = operation & KG_EXPOSE_ROWS ? kg_catalog_type(catalog, name) : NULL;
	if (type != NULL && type->binding != NULL)
		kg_error_throw_expected(err,
								"%s, or \"write\": [\"%s\"] in \"x-table\" of "
								"this type, which an admin applies",
								expected,
								kg_operation_of(operation)->name);
	kg_error_throw_expected(err, "%s", expected);
}

/*
 * Returns the tool of a relation for an operation, or NULL. The tool serves all
 * variants of the relation. A name without its bundle finds the first relation
 * that has this name.
 */
static const KgTool *
tool_of_relation(const KgCatalog *catalog, const char *name, int operation)
{
	for (int i = 0; i < catalog->ntools; i++)
	{
		const KgTool *tool = &catalog->tools[i];

		if (tool->operation == operation && tool->relation != NULL &&
			(strcmp(tool->relation->name, name) == 0 ||
			 strcmp(psprintf("%s/%s", tool->bundle, tool->relation->name),
					name) == 0))
			return tool;
	}
	return NULL;
}

/* Raises an error if no bundle declares the relation. */
static void
require_relation(const KgCatalog *catalog, const char *name, const char *path)
{
	KgError *err;

	if (kg_given_relation(catalog, NULL, name, &err) != NULL)
		return;
	kg_error_path(err, "%s", path);
	kg_error_throw(err);
}

static const KgTool *
tool_of_type(const KgCatalog *catalog, const char *name, int operation)
{
	const KgType *type = kg_catalog_require_type(catalog, name, "/type");

	return kg_catalog_tool_of(catalog, type, operation);
}

const KgTool *
kg_exposed_require(const KgCatalog *catalog, const char *name, int operation,
				   const char *path)
{
	const KgTool *tool = operation & KG_EXPOSE_OF_RELATION
							 ? tool_of_relation(catalog, name, operation)
							 : tool_of_type(catalog, name, operation);

	if (tool == NULL && path != NULL && operation & KG_EXPOSE_OF_RELATION)
		require_relation(catalog, name, path);
	if (tool == NULL)
		throw_not_exposed(catalog, name, operation, path);
	return tool;
}
