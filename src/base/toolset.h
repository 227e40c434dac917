/*
 * toolset.h
 *	  Sets of toolsets: the built-in vocabularies as bits, and the toolsets of
 *	  registered tools as names.
 */
#ifndef KG_TOOLSET_H
#define KG_TOOLSET_H

#include "postgres.h"

#define KG_TOOLSET_CATALOG 1
#define KG_TOOLSET_GRAPH 2
#define KG_TOOLSET_BFS 4
#define KG_TOOLSET_MEMORY 8
#define KG_TOOLSET_COMPACT 16
#define KG_TOOLSET_SQL 32
#define KG_TOOLSET_WRITE 64
#define KG_TOOLSET_LAST KG_TOOLSET_WRITE
/* Toolsets that must be selected by their own names. */
#define KG_TOOLSET_BY_NAME (KG_TOOLSET_SQL | KG_TOOLSET_WRITE)
/* Includes the toolsets of registered tools. */
#define KG_TOOLSET_ALL (0x7fffffff & ~KG_TOOLSET_BY_NAME)

/*
 * A selection of toolsets: bits for the fixed toolsets, and names for all
 * other toolsets.
 */
typedef struct KgToolsets
{
	int bits;
	uint64 hash;
	int n;
	size_t len; /* length of names; bytes */
	char names[FLEXIBLE_ARRAY_MEMBER];
} KgToolsets;

/*
 * Returns the bit of a vocabulary ("catalog", "graph", "bfs", "memory",
 * "compact", "sql", "write"), or 0.
 */
extern int kg_toolset_of_name(const char *name);

/*
 * Returns true if the text is a valid name of a toolset. The name "all" stands
 * for all toolsets.
 */
extern bool kg_toolset_is_name(const char *name);

/*
 * Adds a toolset.  The caller must have allocated space for the name and its
 * terminating zero byte.
 */
extern void kg_toolsets_add(KgToolsets *toolsets, const char *name);

/* Returns true if the selection includes "all". */
extern bool kg_toolsets_have_all(const KgToolsets *toolsets);
extern bool kg_toolsets_have(const KgToolsets *toolsets, const char *name);

#endif /* KG_TOOLSET_H */
