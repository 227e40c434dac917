/*
 * toolset.h
 *	  Sets of tools by name: the vocabularies, whose bits are known, and those
 *	  that registered tools name.
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
/* Also those that are named; SQL is there where it is named itself. */
#define KG_TOOLSET_ALL (0x7fffffff & ~KG_TOOLSET_SQL)

/* Some that are chosen: of vocabularies the bits, of others the names. */
typedef struct KgToolsets
{
	int bits;
	uint64 hash;
	int n;
	size_t len; /* of the names */
	char names[FLEXIBLE_ARRAY_MEMBER];
} KgToolsets;

/* The toolset of a name ("catalog", "graph", "bfs", "memory", "compact", "sql"), or 0. */
extern int kg_toolset_of_name(const char *name);

/* Can a toolset have the name?  "all" stands for all of them. */
extern bool kg_toolset_is_name(const char *name);

/* There has to be room for the name and its end. */
extern void kg_toolsets_add(KgToolsets *toolsets, const char *name);

/* Is it "all", perhaps with others? */
extern bool kg_toolsets_have_all(const KgToolsets *toolsets);
extern bool kg_toolsets_have(const KgToolsets *toolsets, const char *name);

#endif /* KG_TOOLSET_H */
