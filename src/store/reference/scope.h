/*
 * scope.h
 *	  Scopes: statements that postpone checks to a common end.
 *
 * Between the begin and the end of a scope, statements of its tenant leave
 * references and unique values unchecked. The end of the scope checks all of
 * them. Scopes nest, because a trigger of a DBA may call a function that opens
 * a scope. An inner scope of the same tenant leaves the checks to the end of
 * the outer scope. If a (sub)transaction aborts, the scopes that began in it
 * end.
 *
 * All functions run as the extension's owner, inside SPI_connect(). caller is
 * the user that kg_become_owner() saved.
 */
#ifndef KG_SCOPE_H
#define KG_SCOPE_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/reference/references.h"

typedef struct KgUnchecked
{
	/* references for which no target has been found yet */
	KgReferenceList missing;
	/* nodes whose id, or value to which references refer, may have changed */
	KgNodeList renamed;
	bool ids_changed; /* the ids of some of these nodes changed */
	KgNodeList deleted;
	/* ids and values of x-ref-fields that the deleted nodes had */
	KgTargetNames names;
	KgNodeList undone;	  /* those deleted nodes whose creation is undone */
	KgNodeList undone_in; /* for each node in "undone", its subtransaction */
	/* nodes with a unique value that another node had (unique.h) */
	KgNodeList taken;
	/*
	 * Edges to deleted nodes, whose sources were written during the deletion.
	 */
	KgLostEdges lost;
	/* some entries of this list were rolled back or overwritten */
	bool stale;
	/* entities were written later, and this list may lack their entries */
	bool arrived;
} KgUnchecked;

/*
 * Returns the list for edges that lead to deleted nodes and whose source
 * entities are written during the deletion. Returns NULL if no deletion is in
 * progress.
 */
extern KgLostEdges *kg_unchecked_lost(const char *tenant,
									  KgUnchecked *unchecked);

extern void kg_unchecked_init(KgUnchecked *unchecked, MemoryContext context);

typedef struct KgScope KgScope;

/* Registers the transaction callbacks when the module is loaded. */
extern void kg_scope_init(void);

/* Begins a scope and returns it. kg_scope_end() (enforce.h) ends it. */
extern KgScope *kg_scope_begin(const char *tenant);
/*
 * Begins a scope that adds its checks to the given unchecked entries, and
 * returns it.
 */
extern KgScope *kg_scope_begin_within(const char *tenant,
									  KgUnchecked *unchecked);
/*
 * Closes the innermost scope. Returns its unchecked entries, or NULL if it
 * leaves them to an outer scope. The entries are valid until kg_scope_free().
 */
extern KgUnchecked *kg_scope_close(KgScope *scope);
extern const char *kg_scope_tenant(const KgScope *scope);
extern void kg_scope_free(KgScope *scope);

/*
 * Returns the unchecked entries of the open scope of the tenant, or NULL if no
 * scope is open.
 */
extern KgUnchecked *kg_scope_unchecked(const char *tenant);

/*
 * Called at the end of each trigger of kg_entity in the innermost statement.
 * If more triggers of the statement follow, stores the unchecked rows for the
 * next trigger and returns false. In the last trigger, adds the stored rows of
 * the previous triggers to "unchecked" and returns true.
 */
extern bool kg_statement_complete(const char *tenant, KgUnchecked *unchecked);
/*
 * Adds the tenants (char *) that have unchecked rows in the innermost
 * statement. Returns the list.
 */
extern List *kg_statement_tenants(List *tenants);

/*
 * Leaves missing references to an outer statement that deleted their targets
 * and has not yet applied x-on-delete to the referrers. Removes these
 * references from "missing". References to targets in unchecked->deleted are
 * not affected, because x-on-delete has been applied to them.
 */
extern void kg_statement_leave_to_outer(const char *tenant,
										const KgUnchecked *unchecked,
										KgReferenceList *missing);

/*
 * kg_scope_defers() records that references of the transaction are deferred to
 * its commit. kg_scope_has_deferred() returns whether the tenant has deferred
 * references.
 */
extern void kg_scope_defers(void);
extern bool kg_scope_has_deferred(const char *tenant);

/*
 * Notes that the scope undoes the creation of these nodes. Entities that refer
 * to these nodes are then neither deleted nor changed, regardless of
 * x-on-delete.
 */
extern void kg_scope_undoes(KgScope *scope, const KgNodeList *nodes);

/*
 * Notes that the schema of the type has changed. Until the end of the scope,
 * stored entities of the type have outdated keys, terms and references.
 */
extern void kg_scope_rewrites(KgScope *scope, int32 type_no);
/*
 * Returns whether kg_scope_rewrites() was called for the type. If type is
 * NULL, returns whether it was called for any type of the tenant.
 */
extern bool kg_scope_is_rewritten(const char *tenant, const KgType *type);

#endif /* KG_SCOPE_H */
