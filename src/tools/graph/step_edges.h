/*
 * graph/step_edges.h
 *	  The stored edges of a step of a traversal, with their properties.
 */
#ifndef KG_GRAPH_STEP_EDGES_H
#define KG_GRAPH_STEP_EDGES_H

#include "query/graph/traverse.h"
#include "tools/graph/graph.h"
#include "tools/graph/reply.h"

/* Prefix by which arguments name a property of edges, as in "edge.since". */
#define KG_EDGE_PREFIX "edge."

/*
 * If the name has the prefix KG_EDGE_PREFIX, returns the name after it.
 * Otherwise returns NULL.
 */
extern const char *kg_edge_property(const char *name);
/* Returns whether every value of the field is a scalar, by its schema. */
extern bool kg_field_is_single(const KgField *field);
/*
 * Returns a property of a step's edges as an array of fields, indexed by
 * relation in the catalog. Sets *example to one of these fields. Returns NULL
 * if no relation of the step has the property, or if the step has several
 * hops.
 */
extern const KgField **kg_edge_fields(const KgCatalog *catalog,
									  const KgStepSpec *step, const char *name,
									  const KgField **example);
/*
 * Raises KG_INVALID_INPUT at a path, because the edges of the step have no such
 * property with a single value, or the step has several hops.
 */
extern KG_NORETURN void kg_throw_edge_property(const KgCatalog *catalog,
											   const KgStepSpec *step,
											   const char *sent,
											   const char *path);

typedef struct KgStepEdges KgStepEdges;

/*
 * Reads the edges that a step (counted from 1) follows, including all parallel
 * edges.
 */
extern KgStepEdges *kg_step_edges_read(KgGraphCall *call, const KgTraversal *t,
									   int step);
/*
 * Calls visit() for each edge that the step follows between two nodes: the
 * edges that have the step's direction and pass its filters.
 */
extern void
kg_step_edges_visit(const KgStepEdges *edges, int64 start, int64 end,
					void (*visit)(const KgReplyEdge *edge, void *arg),
					void *arg);
/*
 * Sets *value to the property of an edge. Returns false if the edge lacks the
 * property.
 */
extern bool kg_edge_value(const KgCatalog *catalog, const KgReplyEdge *edge,
						  const KgField *const *fields, JsonbValue *value,
						  const KgField **field);

#endif /* KG_GRAPH_STEP_EDGES_H */
