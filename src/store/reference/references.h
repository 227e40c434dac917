/*
 * references.h
 *	  Enforcing references: every x-ref value has its target, under concurrency
 *	  too.  What happens when a target goes is in on_delete.h.
 *
 * How a race is decided: who adds a reference locks the target's row (KEY
 * SHARE, or SHARE where x-ref-field names another property), who deletes or
 * renames a target locks it exclusively; each looks again with a snapshot
 * taken after it has its lock.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_REFERENCES_H
#define KG_REFERENCES_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/derived/columns.h"

typedef struct KgReference
{
	int64 source; /* node */
	const KgField *field;
	char *value;
} KgReference;

typedef struct KgReferenceList
{
	MemoryContext context;
	KgReference *items;
	int n;
	int capacity;
} KgReferenceList;

typedef struct KgNodeList
{
	MemoryContext context;
	int64 *nodes;
	int n;
	int capacity;
} KgNodeList;

extern void kg_reference_add(KgReferenceList *list, int64 source,
							 const KgField *field, const char *value);
extern void kg_node_add(KgNodeList *list, int64 node);

/* Each node once, in order; and whether a list in order has a node. */
extern void kg_nodes_sort(KgNodeList *list);
extern bool kg_nodes_have(const KgNodeList *sorted, int64 node);

/*
 * For whom references are resolved.  A target that the caller does not see is as
 * good as missing, unless the source refers to it already.
 */
typedef struct KgEdgeKey
{
	int64 source;
	int64 relation_no;
	int64 target;
} KgEdgeKey;

typedef struct KgSight
{
	const KgUserContext *caller; /* NULL: sees every entity */
	KgEdgeKey *kept;			 /* what is referred to already, in order */
	int nkept;
} KgSight;

/* Nothing is referred to so far. */
extern void kg_sight_init(KgSight *sight, const char *tenant,
						  const KgUserContext *caller);

/* Or what these nodes refer to. */
extern void kg_sight_keep(KgSight *sight, const char *tenant,
						  const KgNodeList *nodes);

/* Is the target, which was looked up, to be taken for missing? */
extern bool kg_sight_hides(const KgSight *sight, const KgReference *reference,
						   int64 source, int64 target, bool hidden);

/*
 * Lock the targets of references and insert the derived edges; references
 * without a target are added to missing.
 */
extern void kg_references_resolve(const KgCatalog *catalog,
								  const KgReferenceList *references,
								  const KgSight *sight,
								  KgReferenceList *missing);

/*
 * The same with the edges (source, relation_no, target, property) told, many
 * at a time; repeated: one of them may be there for several properties,
 * and is stored for the first by name.  Whoever is told may reorder them.
 */
typedef void (*KgDerivedEdges)(const char *tenant, KgColumns *edges,
							   bool repeated, void *arg);
extern void kg_references_edges(const KgCatalog *catalog,
								const KgReferenceList *references,
								const KgSight *sight, KgReferenceList *missing,
								KgDerivedEdges write, void *arg);

/*
 * Lock the targets of references, from whichever catalog their fields are;
 * returns their nodes, 0 where there is none.  Where sight is given, hidden
 * tells which of them the caller does not see.
 */
extern int64 *kg_references_find(const KgCatalog *catalog,
								 const KgReferenceList *references,
								 const KgSight *sight, bool *hidden);

/* Add what a document refers to. */
extern void kg_references_of(const KgType *type, int64 node, const Jsonb *data,
							 KgReferenceList *references);

/* Edges to what is gone, of entities whose edges were dropped meanwhile. */
typedef struct KgLostEdges
{
	MemoryContext context;
	KgEdgeKey *edges;
	int n;
	int capacity;
} KgLostEdges;

extern void kg_lost_edge_add(KgLostEdges *list, const KgEdgeKey *edge);

/*
 * Drops the derived edges that start at these nodes; sight keeps them.  Those that
 * lead to what is gone are added to lost, unless it is NULL.
 */
extern void kg_references_forget(const char *tenant, const KgNodeList *nodes,
								 KgSight *sight, KgLostEdges *lost);

/*
 * Read the references of stored entities again.  Entities and their types stay
 * as they are read: who changes one meanwhile is waited for.  Returns the
 * catalog, as kg_catalog_locked() does.
 */
extern const KgCatalog *kg_references_reread(const char *tenant,
											 const KgNodeList *nodes,
											 KgReferenceList *references);

/*
 * References are missing, or referrers of deleted nodes are left: queue it for
 * the constraint trigger kg_references, which raises now or, where it is
 * deferred, looks again at commit.
 */
extern void kg_references_pending(const char *tenant,
								  const KgUserContext *caller,
								  const KgReferenceList *missing,
								  const KgNodeList *referrers);

#endif /* KG_REFERENCES_H */
