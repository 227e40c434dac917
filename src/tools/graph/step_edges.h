/*
 * graph/step_edges.h
 *	  The stored edges of a step of a traversal, with their properties.
 */
#ifndef KG_GRAPH_STEP_EDGES_H
#define KG_GRAPH_STEP_EDGES_H

#include "query/graph/traverse.h"
#include "tools/graph/graph.h"
#include "tools/graph/reply.h"

/* Prefix of a property of edges in arguments, as in "edge.since". */
#define KG_EDGE_PREFIX "edge."

/* Returns the name after the prefix; NULL if the prefix is missing. */
extern const char *kg_edge_property(const char *name);
/*
 * Returns a property of the edges of a step as an array by the relation's index
 * in the catalog. Returns NULL if no relation of the step has the property, or
 * if the step has several hops. Sets *example to one of the array's fields.
 */
extern const KgField **kg_edge_fields(const KgCatalog *catalog,
									  const KgStepSpec *step, const char *name,
									  const KgField **example);
/* Raises KG_INVALID_INPUT at a path for a property that no edge has. */
extern KG_NORETURN void kg_throw_edge_property(const KgCatalog *catalog,
											   const KgStepSpec *step,
											   const char *sent,
											   const char *path);

typedef struct KgStepEdges KgStepEdges;

/* Reads the edges of a step (from 1), with each of the parallel edges. */
extern KgStepEdges *kg_step_edges_read(KgGraphCall *call, const KgTraversal *t,
									   int step);
/*
 * Calls visit() for each edge that the step follows between two nodes. These are
 * the edges in the step's direction that pass its filters.
 */
extern void
kg_step_edges_visit(const KgStepEdges *edges, int64 start, int64 end,
					void (*visit)(const KgReplyEdge *edge, void *arg),
					void *arg);
/* Sets *value to an edge's property; returns false if it is missing. */
extern bool kg_edge_value(const KgCatalog *catalog, const KgReplyEdge *edge,
						  const KgField *const *fields, JsonbValue *value,
						  const KgField **field);

#endif /* KG_GRAPH_STEP_EDGES_H */
