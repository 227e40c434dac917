/*
 * picture.h
 *	  Graphs as pictures for people: the source text of a Mermaid flowchart or
 *	  of a Graphviz graph, made from a bundle, a schema or a tool's reply.
 *
 *	  Only the JSON in the argument is read. The caller's access was checked
 *	  when this JSON was made.
 */
#ifndef KG_PICTURE_H
#define KG_PICTURE_H

#include "base/json.h"

typedef struct KgPictureNode
{
	const char *handle; /* text of the node, by which edges name it */
	int handlelen;
	const char *name; /* shown above the handle; NULL: none */
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
	KgPictureNode *nodes; /* in the order of their first mention */
	int nnodes;
	KgPictureEdge *edges; /* each (from, to, label) once */
	int nedges;
	const char *direction; /* LR, RL, TB or BT */
	int max_label;		   /* characters of a label's line */
} KgPicture;

/* Raises KG_INVALID_INPUT if the JSON has nothing to draw. */
extern KgPicture *kg_picture_read(const Jsonb *graph, const Jsonb *options);

extern text *kg_picture_mermaid(const KgPicture *picture);
extern text *kg_picture_dot(const KgPicture *picture);

#endif /* KG_PICTURE_H */
