/*
 * graph/net.h
 *	  Nodes and links of a file. They are collected under the file's own names
 *	  until the whole file was read. Then the schemas of the bundle decide
 *	  which links are edges, which links are references, and the type of each
 *	  value.
 */
#ifndef KG_KGCTL_NET_H
#define KG_KGCTL_NET_H

#include <sys/queue.h>

#include "kgctl/graph/graph.h"

typedef struct KgNode
{
	const char *key;  /* name of the node in the file */
	const char *type; /* entity type, or NULL */
	/* The id if no property of the node contains it; otherwise NULL. */
	const char *id;
	bool defined;		/* the file describes the node, not only links to it */
	KgJson *properties; /* for each name an array of the property's values */
	unsigned long line; /* line number in the file; 0: unknown */
	STAILQ_ENTRY(KgNode) next;
} KgNode;

typedef struct KgNetLink
{
	KgNode *from;
	KgNode *to;
	/* name of a relation or of a property that is a reference; or NULL */
	const char *name;
	KgJson *properties;
	unsigned long line;
	STAILQ_ENTRY(KgNetLink) next;
} KgNetLink;

typedef struct KgNet KgNet;

extern KgNet *kg_net_new(KgGraph *graph);
extern void kg_net_free(KgNet *net);

/* Returns the node of a key. Creates the node if it does not exist. */
extern KgNode *kg_net_node(KgNet *net, const char *key);

/*
 * Adds a link to the net and returns it. Properties can be added to it
 * afterwards.
 */
extern KgNetLink *kg_net_link(KgNet *net, KgNode *from, const char *name,
							  KgNode *to, unsigned long line);

/* Adds a value to a property of a node or a link. */
extern void kg_net_value(KgNet *net, KgJson *properties, const char *name,
						 KgJson *value);

/*
 * Sets the type and the id of a node from a handle, "type:id" or
 * "bundle/type:id". Does nothing if the type has no prefix and the bundle does
 * not have the type.
 */
extern void kg_net_handle(KgNet *net, KgNode *node, const char *handle);

/*
 * Adds the records of all nodes and links to the graph. On failure, prints
 * errors and returns false.
 */
extern bool kg_net_finish(KgNet *net);

#endif /* KG_KGCTL_NET_H */
