/*
 * operations.c
 *	  Operations of the generated tools.
 */
#include "postgres.h"

#include "model/operations.h"

const KgOperation kg_operations[KG_NOPERATIONS] = {
	[KG_OPERATION_LIST] = {KG_EXPOSE_LIST, "list", "list_", "", false, true},
	[KG_OPERATION_GET] = {KG_EXPOSE_GET, "get", "get_", "", false, true},
	[KG_OPERATION_LIST_IDS] =
		{KG_EXPOSE_LIST_IDS, "list_ids", "list_", "_ids", false, true},
	/* not idempotent: a repeated call is refused, because the ids exist */
	[KG_OPERATION_CREATE] =
		{KG_EXPOSE_CREATE, "create", "create_", "", false, false},
	[KG_OPERATION_UPDATE] =
		{KG_EXPOSE_UPDATE, "update", "update_", "", true, true},
	[KG_OPERATION_DELETE] =
		{KG_EXPOSE_DELETE, "delete", "delete_", "", true, true},
	/* not idempotent: a repeated call does not find the merged entities */
	[KG_OPERATION_MERGE] =
		{KG_EXPOSE_MERGE, "merge", "merge_", "", true, false},
	[KG_OPERATION_HISTORY] =
		{KG_EXPOSE_HISTORY, "history", "history_", "", false, true},
	[KG_OPERATION_LINK] = {KG_EXPOSE_LINK, "link", "link_", "", false, true},
	[KG_OPERATION_UNLINK] =
		{KG_EXPOSE_UNLINK, "unlink", "unlink_", "", true, true},
};

const KgOperation *
kg_operation(int number)
{
	return number < KG_NOPERATIONS ? &kg_operations[number] : NULL;
}

const KgOperation *
kg_operation_of(int expose)
{
	for (int i = 0; i < KG_NOPERATIONS; i++)
		if (kg_operations[i].expose == expose)
			return &kg_operations[i];
	return NULL;
}

const KgOperation *
kg_operation_named(const char *name, int len)
{
	for (int i = 0; i < KG_NOPERATIONS; i++)
		if (strlen(kg_operations[i].name) == len &&
			memcmp(kg_operations[i].name, name, len) == 0)
			return &kg_operations[i];
	return NULL;
}

char *
kg_operation_tool(const KgOperation *operation, const char *name)
{
	return psprintf("%s%s%s", operation->before, name, operation->after);
}
