/*
 * node_list.h
 *	  Lists of nodes.
 */
#ifndef KG_NODE_LIST_H
#define KG_NODE_LIST_H

typedef struct KgNodeList
{
	MemoryContext context;
	int64 *nodes;
	int n;
	int capacity;
} KgNodeList;

/* Adds a node; memory is allocated in the list's context. */
extern void kg_node_add(KgNodeList *list, int64 node);

/*
 * kg_nodes_sort() sorts the list and removes duplicates. kg_nodes_have()
 * returns whether a sorted list contains the node.
 */
extern void kg_nodes_sort(KgNodeList *list);
extern bool kg_nodes_have(const KgNodeList *sorted, int64 node);

#endif /* KG_NODE_LIST_H */
