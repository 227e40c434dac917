/*
 * scope.h
 *	  What a statement leaves to be checked at its end, or at the end of several.
 *
 * Between the begin and the end of a scope, statements of its tenant leave
 * references and unique values unchecked; the end checks them all together.
 * Scopes nest, because a trigger of the DBA's may call what opens one: inside
 * one of the same tenant, the outer end checks.  The (sub)transaction that an
 * error ends takes with it what was begun in it.
 *
 * All functions run as the extension's owner, inside SPI_connect(); caller is
 * what kg_become_owner() saved.
 */
#ifndef KG_SCOPE_H
#define KG_SCOPE_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/reference/references.h"

typedef struct KgUnchecked
{
	KgReferenceList missing; /* references without a target so far */
	KgNodeList renamed;		 /* nodes that may be named differently now */
	bool ids_changed;		 /* those of some, and not only their values */
	KgNodeList deleted;
	KgNodeList undone;	  /* those of deleted whose creation is undone, */
	KgNodeList undone_in; /* and by which subtransaction each, in order */
	KgNodeList taken; /* nodes with a value that another one had (unique.h) */
	KgLostEdges lost; /* of entities that were written meanwhile */
	bool stale;		  /* some of it was rolled back, or written over */
	bool arrived;	  /* entities were written since, which may be missed */
} KgUnchecked;

/* Returns the list that keeps lost edges; NULL if no deletion is under way. */
extern KgLostEdges *kg_unchecked_lost(const char *tenant,
									  KgUnchecked *unchecked);

extern void kg_unchecked_init(KgUnchecked *unchecked, MemoryContext context);

/* Look at it again and raise what is wrong, or leave it to kg_references. */
extern void kg_unchecked_enforce(const KgCatalog *catalog,
								 const KgUserContext *caller,
								 KgUnchecked *unchecked);

/*
 * Edges of entities anew, from what is stored; references without a target are
 * added to missing.
 */
extern void kg_references_renew(const char *tenant, const KgNodeList *nodes,
								const KgUserContext *caller,
								KgReferenceList *missing);

typedef struct KgScope KgScope;

/* When the module is loaded. */
extern void kg_scope_init(void);

extern KgScope *kg_scope_begin(const char *tenant);
extern void kg_scope_end(KgScope *scope, const KgUserContext *caller);

/* Of the scope that is open for the tenant, or NULL. */
extern KgUnchecked *kg_scope_unchecked(const char *tenant);

/*
 * Ends a trigger of kg_entity in the innermost statement.  Returns true if it is
 * the last trigger, and adds the unchecked rows of the others; else keeps the
 * unchecked rows for the next trigger.
 */
extern bool kg_statement_complete(const char *tenant, KgUnchecked *unchecked);
/* Adds the tenants (char *) that have unchecked rows in that statement. */
extern List *kg_statement_tenants(List *tenants);

/*
 * The creation of these nodes is undone in the scope: who refers to them is
 * neither deleted nor changed, whatever x-on-delete says.
 */
extern void kg_scope_undoes(KgScope *scope, const KgNodeList *nodes);

/*
 * Until the end of the scope, keys, terms and references of the type are not
 * what its stored entities have: its schema has changed.
 */
extern void kg_scope_rewrites(KgScope *scope, int32 type_no);
/* Is that so of the type, or (NULL) of any of the tenant's? */
extern bool kg_scope_is_rewritten(const char *tenant, const KgType *type);

/* kg_writing_require_derived(), and raise the same of those types. */
extern void kg_scope_require_derived(const char *tenant, const KgType *type);

/*
 * Raise that edges of references cannot be asked: some of the tenant's are not
 * there yet, of which the entities at both ends may be.
 */
extern void kg_scope_require_edges(const char *tenant);

#endif /* KG_SCOPE_H */
