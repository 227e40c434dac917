/*
 * bound_targets.h
 *	  References of stored entities to rows of tables of the user.
 *
 * Such a reference is checked when it is written: the caller must see the row.
 * The row is not locked and no edge is derived, so the table's own writers may
 * delete the row later. kg_check() then reports the reference, and graph
 * searches do not follow it.
 */
#ifndef KG_BOUND_TARGETS_H
#define KG_BOUND_TARGETS_H

#include "store/reference/references.h"

/*
 * Returns for each id whether the current user and its agent see a row of the
 * bound type with this id. The ids are unique and sorted by strcmp(). Raises
 * KG_FORBIDDEN or KG_FAILED_BINDING if the user cannot read the table.
 * virtual/graph.c sets this pointer.
 */
typedef bool *(*KgBoundTargets)(const KgCatalog *catalog, const KgType *type,
								const char *const *ids, int n);
extern KgBoundTargets kg_bound_targets;

/*
 * Adds to the list "references" the references of a document whose target type
 * reads a table. Omits references that the document "before" has, too; before
 * may be NULL.
 */
extern void kg_bound_references_of(const KgType *type, int64 node,
								   const Jsonb *before, const Jsonb *data,
								   KgReferenceList *references);

/*
 * Adds to the list "missing" the references for which the caller sees no row.
 * Sorts the references.
 */
extern void kg_bound_references_find(const KgCatalog *catalog,
									 const KgUserContext *caller,
									 KgReferenceList *references,
									 KgReferenceList *missing);

#endif /* KG_BOUND_TARGETS_H */
