/*
 * graph/net.h
 *	  Nodes and links of a file, by the names that the file gives them, until
 *	  all are known. Then the schemas of the bundle decide which links are
 *	  edges and which are references, and the type of each value.
 */
#ifndef KG_KGCTL_NET_H
#define KG_KGCTL_NET_H

#include <sys/queue.h>

#include "kgctl/graph/graph.h"

typedef struct KgNode
{
	const char *key;  /* in the file */
	const char *type; /* or NULL */
	/* the id, if the node has no property with its id; or NULL */
	const char *id;
	bool defined;		/* the file describes it */
	KgJson *properties; /* of each name an array of its values */
	unsigned long line; /* 0: unknown */
	STAILQ_ENTRY(KgNode) next;
} KgNode;

typedef struct KgNetLink
{
	KgNode *from;
	KgNode *to;
	const char *name; /* name of a relation or a property; or NULL */
	KgJson *properties;
	unsigned long line;
	STAILQ_ENTRY(KgNetLink) next;
} KgNetLink;

typedef struct KgNet KgNet;

extern KgNet *kg_net_new(KgGraph *graph);
extern void kg_net_free(KgNet *net);

/* Returns the node of a key, which it creates if necessary. */
extern KgNode *kg_net_node(KgNet *net, const char *key);

/* Adds a link, whose properties may be added afterwards. */
extern KgNetLink *kg_net_link(KgNet *net, KgNode *from, const char *name,
							  KgNode *to, unsigned long line);

/* Adds a value of a property, of a node or a link. */
extern void kg_net_value(KgNet *net, KgJson *properties, const char *name,
						 KgJson *value);

/*
 * Sets type and id of a node from a handle, "type:id" or "bundle/type:id", if
 * the type belongs to the bundle.
 */
extern void kg_net_handle(KgNet *net, KgNode *node, const char *handle);

/* Adds the records to the graph. Returns false after messages. */
extern bool kg_net_finish(KgNet *net);

#endif /* KG_KGCTL_NET_H */
