/*
 * toolset.h
 *	  The vocabularies of tools; a set of them is an OR.
 */
#ifndef KG_TOOLSET_H
#define KG_TOOLSET_H

#define KG_TOOLSET_CATALOG 1
#define KG_TOOLSET_GRAPH 2
#define KG_TOOLSET_BFS 4
#define KG_TOOLSET_MEMORY 8
#define KG_TOOLSET_ALL 15

/* The toolset of a name ("catalog", "graph", "bfs", "memory"), or 0. */
extern int kg_toolset_of_name(const char *name);

#endif /* KG_TOOLSET_H */
