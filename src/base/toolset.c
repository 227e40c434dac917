/*
 * toolset.c
 *	  Sets of toolsets.
 */
#include "postgres.h"

#include "base/toolset.h"

int
kg_toolset_of_name(const char *name)
{
	if (strcmp(name, "catalog") == 0)
		return KG_TOOLSET_CATALOG;
	if (strcmp(name, "graph") == 0)
		return KG_TOOLSET_GRAPH;
	if (strcmp(name, "bfs") == 0)
		return KG_TOOLSET_BFS;
	if (strcmp(name, "memory") == 0)
		return KG_TOOLSET_MEMORY;
	if (strcmp(name, "compact") == 0)
		return KG_TOOLSET_COMPACT;
	if (strcmp(name, "sql") == 0)
		return KG_TOOLSET_SQL;
	if (strcmp(name, "write") == 0)
		return KG_TOOLSET_WRITE;
	return 0;
}

bool
kg_toolset_is_name(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len <= 63 && strcmp(name, "all") != 0 &&
		   strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == len;
}

void
kg_toolsets_add(KgToolsets *toolsets, const char *name)
{
	int bit = kg_toolset_of_name(name);

	if (strcmp(name, "all") == 0)
		bit = KG_TOOLSET_ALL;
	toolsets->bits |= bit;
	if (bit != 0)
		return;
	strcpy(toolsets->names + toolsets->len, name);
	toolsets->len += strlen(name) + 1;
	toolsets->n++;
}

bool
kg_toolsets_have_all(const KgToolsets *toolsets)
{
	return (toolsets->bits & KG_TOOLSET_ALL) == KG_TOOLSET_ALL;
}

bool
kg_toolsets_have(const KgToolsets *toolsets, const char *name)
{
	const char *p = toolsets->names;
	int bit = kg_toolset_of_name(name);

	if ((toolsets->bits & bit) != 0 ||
		(bit == 0 && kg_toolsets_have_all(toolsets)))
		return true;
	for (int i = 0; i < toolsets->n; i++, p += strlen(p) + 1)
		if (strcmp(p, name) == 0)
			return true;
	return false;
}
