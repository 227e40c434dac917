/*
 * references.h
 *	  Enforces references: each x-ref value has a target, even if sessions write
 *	  concurrently. on_delete.h applies x-on-delete when targets are deleted.
 *
 * Row locks prevent races. A session that adds a reference locks the target's
 * row. The lock is KEY SHARE, or SHARE if x-ref-field names a property other
 * than the id. A session that deletes or renames a target locks its row
 * exclusively. Each session checks again with a snapshot that it takes after
 * it has the lock.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_REFERENCES_H
#define KG_REFERENCES_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/entity/node_list.h"

/*
 * The value of a reference field, whose target is not looked up yet. (A
 * resolved node is a KgRef, query/graph/nodes.h.)
 */
typedef struct KgFieldReference
{
	int64 source; /* node with the reference */
	const KgField *field;
	char *value;
} KgFieldReference;

typedef struct KgReferenceList
{
	MemoryContext context;
	KgFieldReference *items;
	int n;
	int capacity;
} KgReferenceList;

extern void kg_reference_add(KgReferenceList *list, int64 source,
							 const KgField *field, const char *value);

/* The identity of a derived edge. */
typedef struct KgEdgeKey
{
	int64 source;
	int64 relation_no;
	int64 target;
} KgEdgeKey;

typedef struct KgSight
{
	const KgUserContext *caller; /* NULL: every entity is visible */
	KgEdgeKey *kept;			 /* edges that already exist, sorted */
	int nkept;
} KgSight;

/*
 * Initializes the view of a caller on targets of references. A target that the
 * caller does not see counts as missing, unless the source already refers to
 * it. Initially, no existing references are known.
 */
extern void kg_sight_init(KgSight *sight, const char *tenant,
						  const KgUserContext *caller);

/*
 * Adds the edges of these nodes to the existing references, whose targets
 * count as visible.
 */
extern void kg_sight_keep(KgSight *sight, const char *tenant,
						  const KgNodeList *nodes);

/*
 * Returns whether a target that was found counts as missing. hidden is true if
 * the caller does not see the target.
 */
extern bool kg_sight_hides(const KgSight *sight,
						   const KgFieldReference *reference, int64 source,
						   int64 target, bool hidden);

/*
 * Locks the targets of references and inserts the derived edges. Adds
 * references without a target to the list "missing".
 */
extern void kg_references_resolve(const KgCatalog *catalog,
								  const KgReferenceList *references,
								  const KgSight *sight,
								  KgReferenceList *missing);

/*
 * Resolves references as kg_references_resolve() does, but passes the derived
 * edges to a function instead of inserting them. The function gets batches of
 * rows (source, relation_no, target, property). If repeated is true, an edge
 * may occur once for each of several properties; only the edge of the first
 * property by name is stored. The function may reorder the rows.
 */
typedef void (*KgDerivedEdges)(const char *tenant, KgColumns *edges,
							   bool repeated, void *arg);
extern void kg_references_edges(const KgCatalog *catalog,
								const KgReferenceList *references,
								const KgSight *sight, KgReferenceList *missing,
								KgDerivedEdges write, void *arg);

/*
 * Locks the targets of references. The fields may belong to any catalog.
 * Returns the node of each target, or 0 if it is missing. If sight is not NULL,
 * sets hidden[i] for each target i that the caller does not see.
 */
extern int64 *kg_references_find(const KgCatalog *catalog,
								 const KgReferenceList *references,
								 const KgSight *sight, bool *hidden);

/* Adds the references of a document to the list. */
extern void kg_references_of(const KgType *type, int64 node, const Jsonb *data,
							 KgReferenceList *references);

/*
 * Derived edges whose targets are deleted and whose sources had all their
 * edges deleted at the same time.
 */
typedef struct KgLostEdges
{
	MemoryContext context;
	KgEdgeKey *edges;
	int n;
	int capacity;
} KgLostEdges;

extern void kg_lost_edge_add(KgLostEdges *list, const KgEdgeKey *edge);

/*
 * A name by which references find a node: its id (field_no is KG_NAME_ID), or
 * its value of an x-ref-field.
 */
#define KG_NAME_ID (-1)
typedef struct KgTargetName
{
	int32 type_no;
	int32 field_no;
	int len;
	const char *data;
	int64 node;
} KgTargetName;

typedef struct KgTargetNames
{
	MemoryContext context;
	KgTargetName *items;
	int n;
	int capacity;
} KgTargetNames;

/* Adds a copy of the name to the list. */
extern void kg_target_name_add(KgTargetNames *list, const KgTargetName *name);
extern void kg_target_names_sort(KgTargetNames *list);

/*
 * Returns true if one of these nodes has the name; both lists must be sorted.
 */
extern bool kg_target_names_have(const KgTargetNames *sorted,
								 const KgTargetName *name,
								 const KgNodeList *nodes);

/*
 * Deletes the derived edges that start at these nodes, and adds them to sight.
 * If lost is not NULL, adds to "lost" the edges that end at deleted nodes.
 */
extern void kg_references_forget(const char *tenant, const KgNodeList *nodes,
								 KgSight *sight, KgLostEdges *lost);

/*
 * Reads the references of stored entities again. Locks the entities and their
 * types, and so waits for sessions that change them. Returns the locked
 * catalog, like kg_catalog_locked().
 */
extern const KgCatalog *kg_references_reread(const char *tenant,
											 const KgNodeList *nodes,
											 KgReferenceList *references);

/*
 * Queues missing references, and referrers of deleted nodes, for the
 * constraint trigger kg_references. The trigger raises an error now. If it is
 * deferred, it checks them again at commit.
 */
extern void kg_references_pending(const char *tenant,
								  const KgUserContext *caller,
								  const KgReferenceList *missing,
								  const KgNodeList *referrers);

#endif /* KG_REFERENCES_H */
