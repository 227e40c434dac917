/*
 * graph/step_edges.h
 *	  The stored edges of a step of a traversal, with their properties.
 */
#ifndef KG_GRAPH_STEP_EDGES_H
#define KG_GRAPH_STEP_EDGES_H

#include "query/graph/traverse.h"
#include "tools/graph/graph.h"
#include "tools/graph/reply.h"

/* A property of edges, as "edge.since" in arguments. */
#define KG_EDGE_PREFIX "edge."

/* Returns the property's name after the prefix, or NULL. */
extern const char *kg_edge_property(const char *name);
/*
 * Returns the property of the edges of a step, by index of the relation in the
 * catalog; NULL if no relation of the step has it, or the step has several
 * hops. *example is one of them.
 */
extern const KgField **kg_edge_fields(const KgCatalog *catalog,
									  const KgStepSpec *step, const char *name,
									  const KgField **example);
/* Raises KG_INVALID_INPUT at a path for a property that no edge has. */
extern KG_NORETURN void
kg_throw_edge_property(const KgCatalog *catalog, const KgStepSpec *step,
					   const char *sent, const char *path) KG_NORETURN_TAIL;

typedef struct KgStepEdges KgStepEdges;

/* Reads the edges of a step, from 1; parallel edges are each read. */
extern KgStepEdges *kg_step_edges_read(KgGraphCall *call, const KgTraversal *t,
									   int step);
/*
 * Visits the edges that the step walks from a node to another: in its direction,
 * and those that pass its filters.
 */
extern void
kg_step_edges_visit(const KgStepEdges *edges, int64 start, int64 end,
					void (*visit)(const KgReplyEdge *edge, void *arg),
					void *arg);
/* Sets *value to the property of an edge; returns false if it is missing. */
extern bool kg_edge_value(const KgCatalog *catalog, const KgReplyEdge *edge,
						  const KgField *const *fields, JsonbValue *value,
						  const KgField **field);

#endif /* KG_GRAPH_STEP_EDGES_H */
