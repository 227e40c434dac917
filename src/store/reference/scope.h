/*
 * scope.h
 *	  Scopes: checks that one or several statements leave to a common end.
 *
 * Between the begin and the end of a scope, statements of its tenant leave
 * references and unique values unchecked. The end checks all of them. Scopes
 * nest, because a trigger of a DBA may call a function that opens a scope. A
 * scope inside another one of the same tenant leaves the checks to the outer
 * end. If a (sub)transaction aborts, the scopes that began in it end.
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
	KgReferenceList missing; /* references without a target so far */
	KgNodeList renamed; /* nodes whose id or referred values may have changed */
	bool ids_changed;	/* ids of some changed, not only values */
	KgNodeList deleted;
	KgTargetNames names;  /* ids and values that deleted nodes had */
	KgNodeList undone;	  /* nodes of deleted whose creation is undone */
	KgNodeList undone_in; /* subtransactions of these nodes, in that order */
	KgNodeList taken; /* nodes with a value that another node had (unique.h) */
	/* edges of entities that were written during the deletion */
	KgLostEdges lost;
	bool stale;	  /* some entries were rolled back or overwritten */
	bool arrived; /* entities were written later, and may be missing here */
} KgUnchecked;

/*
 * Returns the list to which edges of entities that were written during the
 * deletion are added; NULL if no deletion is under way.
 */
extern KgLostEdges *kg_unchecked_lost(const char *tenant,
									  KgUnchecked *unchecked);

extern void kg_unchecked_init(KgUnchecked *unchecked, MemoryContext context);

typedef struct KgScope KgScope;

/* Registers the transaction callbacks when the module is loaded. */
extern void kg_scope_init(void);

/* Begins a scope; enforce.h ends it. */
extern KgScope *kg_scope_begin(const char *tenant);
/* Begins a scope that leaves its checks to these unchecked entries. */
extern KgScope *kg_scope_begin_within(const char *tenant,
									  KgUnchecked *unchecked);
/*
 * Closes the innermost scope. Returns its unchecked entries, or NULL if it
 * leaves them to an outer scope. They are valid until kg_scope_free().
 */
extern KgUnchecked *kg_scope_close(KgScope *scope);
extern const char *kg_scope_tenant(const KgScope *scope);
extern void kg_scope_free(KgScope *scope);

/*
 * Returns the unchecked entries of the scope that is open for the tenant, or
 * NULL.
 */
extern KgUnchecked *kg_scope_unchecked(const char *tenant);

/*
 * Ends a trigger of kg_entity in the innermost statement. If this is the last
 * trigger, adds the unchecked rows of the previous triggers and returns true.
 * Otherwise stores the unchecked rows for the next trigger and returns false.
 */
extern bool kg_statement_complete(const char *tenant, KgUnchecked *unchecked);
/*
 * Adds the tenants (char *) that have unchecked rows in the innermost
 * statement.
 */
extern List *kg_statement_tenants(List *tenants);

/*
 * Leaves missing references to the outer statement that deleted their targets,
 * because this statement has not applied x-on-delete to the referrers yet.
 * Removes these references from "missing". The targets in unchecked->deleted
 * were already treated.
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
 * Notes that the scope undoes the creation of these nodes. Their referrers are
 * neither deleted nor changed, whatever x-on-delete says.
 */
extern void kg_scope_undoes(KgScope *scope, const KgNodeList *nodes);

/*
 * Notes that the schema of the type has changed: until the end of the scope,
 * stored entities have outdated keys, terms and references.
 */
extern void kg_scope_rewrites(KgScope *scope, int32 type_no);
/*
 * Returns whether kg_scope_rewrites() was called for the type or, if it is
 * NULL, for any type of the tenant.
 */
extern bool kg_scope_is_rewritten(const char *tenant, const KgType *type);

#endif /* KG_SCOPE_H */
