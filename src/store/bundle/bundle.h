/*
 * bundle.h
 *	  Applying, exporting and dropping bundles (tools.md, "Bundles").
 */
#ifndef KG_BUNDLE_H
#define KG_BUNDLE_H

#include "store/bundle/payload.h"
#include "store/reference/scope.h"
#include "utils/snapshot.h"

typedef struct KgApplyOptions
{
	bool merge;
	bool dry_run;
	bool has_expected_revision;
	int64 expected_revision;
	int max_errors;
	int max_diff; /* handles listed in a dry run's diff, per kind of change */
} KgApplyOptions;

/* What happened to the rows of one type or relation. */
typedef struct KgCounts
{
	const char *name;
	int64 created;
	int64 updated;
	int64 unchanged;
	int64 deleted;
} KgCounts;

/* An apply in progress. */
typedef struct KgApply
{
	MemoryContext context; /* of the apply */
	const char *tenant;
	KgApplyOptions options;
	KgPayload *payload;
	KgErrorList errors;
	const KgCatalog *before; /* as the owner sees it, under the lock */
	const KgCatalog *after;	 /* once the types are written */
	int64 revision;			 /* stored; 0: the bundle is new */
	int32 unstored;			 /* numbers given in a dry run */
	bool changed;
	bool moved;			 /* types have another order */
	bool sees_all;		 /* the caller may see every stored entity */
	List *variants;		 /* the bundle's relations as they will be */
	List *entity_counts; /* of KgCounts * */
	List *edge_counts;
	List *type_changes[3]; /* names created, updated, deleted */
	List *tool_changes[3]; /* registered, "tool@version" */
	List *samples[3];	   /* handles created, updated, deleted */
	int64 sampled[3];	   /* of how many */
	List *warnings;		   /* of char * */
	KgScope *scope;		   /* in which the entities are written */
	struct KgTally *tally; /* of what goes with deleted entities, or NULL */
	Snapshot began;		   /* before the entities are written */
} KgApply;

#define KG_CHANGE_CREATED 0
#define KG_CHANGE_UPDATED 1
#define KG_CHANGE_DELETED 2

#define KG_DEFAULT_DIFF 100
#define KG_MAX_DIFF 1000000

extern KgCounts *kg_apply_counts(KgApply *apply, List **counts,
								 const char *name);
extern void kg_apply_sample(KgApply *apply, int change, const char *type,
							const char *id);

/*
 * bundle/definitions.c: the definitions that hold afterwards, and the types
 * that change with them.
 */
extern void kg_bundle_definitions(KgApply *apply);
extern bool kg_bundle_changes_definitions(const KgApply *apply);
/* The bundle as it was, or NULL. */
extern const KgBundle *kg_bundle_stored(const KgApply *apply);

/* bundle/check.c: gather every fault of the payload against the catalog. */
extern void kg_bundle_check(KgApply *apply);
/* What of that depends on other bundles, once more. */
extern void kg_bundle_check_others(KgApply *apply);
/*
 * Does a schema compile, with the definitions of the payload?  what says whose
 * it is.
 */
extern bool kg_bundle_check_schema(KgApply *apply, const Jsonb *schema,
								   const char *what, const char *path);
/* Is the type there after the apply? */
extern bool kg_bundle_has_type(const KgApply *apply, const char *bundle,
							   const char *name);
extern void kg_bundle_unknown_type(KgApply *apply, const char *name,
								   const char *keyword, const char *path);

/*
 * bundle/relations.c: the relations as they will be, which kg_bundle_check()
 * has gathered and checked once the types are parsed; as the owner.
 */
extern void kg_bundle_check_relations(KgApply *apply);
/* What of that depends on other bundles, once more. */
extern void kg_bundle_check_other_relations(KgApply *apply);
/* Is there a relation of the name, of any bundle, after the apply? */
extern bool kg_bundle_has_relation(const KgApply *apply, const char *name);
/* Do relations come or go, or the types that they join? */
extern bool kg_bundle_changes_relations(const KgApply *apply);
extern void kg_bundle_write_relations(KgApply *apply);

/* What a declared relation of the bundle, as it will be, exposes. */
typedef struct KgExposed
{
	const char *relation;
	int expose;
	const char *path;
} KgExposed;

extern List *kg_bundle_exposed(const KgApply *apply);

/* bundle/tools.c: the generated tools; as the owner. */
extern void kg_bundle_check_tools(KgApply *apply);
extern void kg_bundle_write_tools(KgApply *apply);

/* The entities and references of the payload. */
extern void kg_bundle_check_entities(KgApply *apply);

/* bundle/types.c: bundle, types, relations and tools; as the owner. */
/*
 * Raises KG_FORBIDDEN where x-authorize comes, changes or goes with what was
 * written and the caller is not the owner of the extension.
 */
extern void kg_bundle_check_authorize(const KgApply *apply, Oid caller);
extern void kg_bundle_write_types(KgApply *apply);
/* After the entities are gone. */
extern void kg_bundle_delete_types(KgApply *apply);

/* bundle/unique.c: properties that come to be named by an x-ref-field, or not. */
extern void kg_bundle_lock_names(KgApply *apply);
extern void kg_bundle_lock_unique(KgApply *apply);
extern bool kg_bundle_gains_unique(const KgApply *apply, const KgType *type);
extern void kg_bundle_clear_unique(const KgApply *apply, const KgType *type);
/* After the types are gone. */
extern void kg_bundle_forget_unique(KgApply *apply);

/* bundle/entities.c: entities; as the caller. */
extern void kg_bundle_write_entities(KgApply *apply);
/*
 * Count by what is stored, where triggers have written entities as well since
 * apply->began; what they kept from being written is reported.
 */
extern void kg_bundle_review_entities(KgApply *apply);
/* Until that is done, a trigger of the DBA's cannot ask for it. */
extern void kg_bundle_begin_rebuild(KgApply *apply);
/*
 * Derive anew what depends on a changed schema; as the owner.  Raises where the
 * caller does not see every entity of a type that changes.
 */
extern void kg_bundle_rebuild(KgApply *apply, const KgUserContext *caller);

/*
 * bundle/gone.c: what goes with the entities that an apply deletes; as the
 * caller.  Begun before the first of them is deleted, ended when their
 * references have been dealt with.
 */
extern void kg_bundle_tally_begin(KgApply *apply);
extern void kg_bundle_tally_end(KgApply *apply);

/* Entities that the payload keeps and that went with others. */
extern void kg_bundle_check_kept(KgApply *apply);

/* bundle/registered.c: registered tools that the bundle brings; as the owner. */
extern void kg_bundle_lock_registered(const KgApply *apply);
extern void kg_bundle_write_registered(KgApply *apply, bool admin);
/* What registered tools call, where the types or relations changed. */
extern void kg_bundle_check_registered(KgApply *apply);

/* bundle/edges.c: explicit edges; as the caller. */
extern void kg_bundle_write_edges(KgApply *apply);

#endif /* KG_BUNDLE_H */
