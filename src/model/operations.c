/*
 * operations.c
 *	  Operations of the generated tools.
 */
#include "postgres.h"

#include "model/operations.h"

/* In the order in which a type's tools are created. */
static const KgOperation operations[] = {
	{KG_EXPOSE_LIST, "list", "list_", "", false, true},
	{KG_EXPOSE_GET, "get", "get_", "", false, true},
	{KG_EXPOSE_LIST_IDS, "list_ids", "list_", "_ids", false, true},
	/* Not idempotent: a repetition is refused because the ids exist. */
	{KG_EXPOSE_CREATE, "create", "create_", "", false, false},
	{KG_EXPOSE_UPDATE, "update", "update_", "", true, true},
	{KG_EXPOSE_DELETE, "delete", "delete_", "", true, true},
	{KG_EXPOSE_HISTORY, "history", "history_", "", false, true},
	{KG_EXPOSE_LINK, "link", "link_", "", false, true},
	{KG_EXPOSE_UNLINK, "unlink", "unlink_", "", true, true},
};

const KgOperation *
kg_operation(int number)
{
	return number < lengthof(operations) ? &operations[number] : NULL;
}

const KgOperation *
kg_operation_of(int expose)
{
	for (int i = 0; i < lengthof(operations); i++)
		if (operations[i].expose == expose)
			return &operations[i];
	return NULL;
}

const KgOperation *
kg_operation_named(const char *name, int len)
{
	for (int i = 0; i < lengthof(operations); i++)
		if (strlen(operations[i].name) == len &&
			memcmp(operations[i].name, name, len) == 0)
			return &operations[i];
	return NULL;
}

char *
kg_operation_tool(const KgOperation *operation, const char *name)
{
	return psprintf("%s%s%s", operation->before, name, operation->after);
}
