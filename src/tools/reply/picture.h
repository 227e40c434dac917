/*
 * picture.h
 *	  Graphs as pictures for people: the source text of a Mermaid flowchart or
 *	  of a Graphviz graph, made from a bundle, a schema or a tool's reply.
 *
 *	  Only the JSON in the argument is read. Access was checked when the
 *	  caller obtained that JSON.
 */
#ifndef KG_PICTURE_H
#define KG_PICTURE_H

#include "base/json.h"

typedef struct KgPictureNode
{
	const char *handle; /* text that identifies the node; edges refer to it */
	int handlelen;
	const char *name; /* name that is shown above the handle, or NULL */
	int namelen;
} KgPictureNode;

typedef struct KgPictureEdge
{
	int from;
	int to;
	const char *label;
	int labellen;
	bool symmetric;
} KgPictureEdge;

typedef struct KgPicture
{
	/* nodes in the order in which they are first mentioned */
	KgPictureNode *nodes;
	int nnodes;
	KgPictureEdge *edges; /* edges without duplicates (from, to, label) */
	int nedges;
	const char *direction; /* "LR", "RL", "TB" or "BT" */
	/* maximum number of characters in a line of a label */
	int max_label;
} KgPicture;

/*
 * Reads the nodes and edges of a picture. Raises KG_INVALID_INPUT if the JSON
 * has nothing to draw.
 */
extern KgPicture *kg_picture_read(const Jsonb *graph, const Jsonb *options);

extern text *kg_picture_mermaid(const KgPicture *picture);
extern text *kg_picture_dot(const KgPicture *picture);

#endif /* KG_PICTURE_H */
