/*
 * toolset.c
 *	  The vocabularies of tools, by name.
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
	return 0;
}
