/*
 * references.h
 *	  Enforcing references: every x-ref value has its target, under concurrency
 *	  too; and what happens to referrers when a target goes.
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

#include "catalog/catalog.h"

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

/*
 * Lock the targets of references and insert the derived edges; references
 * without a target are added to missing.
 */
extern void kg_references_resolve(const KgCatalog *catalog,
								  const KgReferenceList *references,
								  KgReferenceList *missing);

/*
 * Lock the targets of references, from whichever catalog their fields are, and
 * say which have one.
 */
extern void kg_references_find(const KgCatalog *catalog,
							   const KgReferenceList *references, bool *found);

/* An edge to a node. */
typedef struct KgIncoming
{
	int64 source;
	int64 target;
	int32 type_no; /* of the source */
	int32 relation_no;
	char *property; /* NULL: explicit */
} KgIncoming;

/* References to nodes that x-on-delete does not let go; returns how many. */
extern int kg_references_restricting(const KgCatalog *catalog,
									 const KgNodeList *nodes,
									 KgIncoming **result);

/* Drop the derived edges that start at these nodes. */
extern void kg_references_forget(const char *tenant, const KgNodeList *nodes);

/*
 * Targets are gone: drop explicit edges to them, delete or update referrers as
 * x-on-delete says, and add to referrers the nodes whose references restrict.
 */
extern void kg_references_deleted(const KgCatalog *catalog,
								  const KgNodeList *deleted,
								  KgNodeList *referrers);

/* Add to referrers the nodes with references to these. */
extern void kg_references_find_referrers(const char *tenant,
										 const KgNodeList *nodes,
										 KgNodeList *referrers);

/*
 * Read the references of stored entities again.  They stay as they are read:
 * who changes or deletes one meanwhile is waited for.
 */
extern void kg_references_reread(const KgCatalog *catalog,
								 const KgNodeList *nodes,
								 KgReferenceList *references);

/*
 * References are missing, or referrers of deleted nodes are left: queue it for
 * the constraint trigger kg_references, which raises now or, where it is
 * deferred, looks again at commit.
 */
extern void kg_references_pending(const char *tenant,
								  const KgReferenceList *missing,
								  const KgNodeList *referrers);

#endif /* KG_REFERENCES_H */
