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
	/*
	 * Maximal number of handles in the diff of a dry run, for each kind of
	 * change
	 */
	int max_diff;
} KgApplyOptions;

/* The numbers of written rows of one type or relation. */
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
	MemoryContext context; /* lives as long as the apply */
	const char *tenant;
	KgApplyOptions options;
	KgPayload *payload;
	KgErrorList errors;
	/* catalog before the apply, read as the owner, under the bundle's lock */
	const KgCatalog *before;
	const KgCatalog *after; /* the catalog after the types are written */
	/* Revision of the stored bundle; 0: the bundle is new. */
	int64 revision;
	/* count of numbers that a dry run used for types and relations */
	int32 unstored;
	bool changed;
	bool moved;			 /* the order of the types has changed */
	bool sees_all;		 /* the caller may see every stored entity */
	List *variants;		 /* the bundle's relations after the apply */
	List *entity_counts; /* List of KgCounts * */
	List *edge_counts;
	/* names of types that were created, updated and deleted */
	List *type_changes[3];
	List *tool_changes[3]; /* tools as "tool@version" */
	/* handles of entities that were created, updated and deleted */
	List *samples[3];
	/* number of all entities that were created, updated and deleted */
	int64 sampled[3];
	List *warnings; /* List of char * */
	KgScope *scope; /* the scope (scope.h) in which entities are written */
	/* Counts of rows that are deleted along with entities, or NULL. */
	struct KgTally *tally;
	/* snapshot that was taken before the entities were written */
	Snapshot began;
} KgApply;

#define KG_CHANGE_CREATED 0
#define KG_CHANGE_UPDATED 1
#define KG_CHANGE_DELETED 2

#define KG_DEFAULT_DIFF 100
#define KG_MAX_DIFF 1000000

/*
 * kg_apply_counts() returns the counts of written rows of a type or relation,
 * and adds them to *counts if they are missing. kg_apply_sample() collects the
 * handle ("type:id") of an entity that a dry run shows. (In bundle/outcome.c.)
 */
extern KgCounts *kg_apply_counts(KgApply *apply, List **counts,
								 const char *name);
extern void kg_apply_sample(KgApply *apply, int change, const char *type,
							const char *id);
/* Collects a fault at a path of the payload. */
extern void kg_apply_report(KgApply *apply, KgError *err, const char *path);
/* Adds a warning, unless it is in the list. The list then owns the text. */
extern void kg_apply_warn(KgApply *apply, char *text);

/*
 * bundle/definitions.c: computes the shared definitions after the apply, and
 * the types that change with them.
 */
extern void kg_bundle_definitions(KgApply *apply);
extern bool kg_bundle_changes_definitions(const KgApply *apply);
/*
 * Returns the stored bundle of the payload's name, or NULL if it is not stored.
 */
extern const KgBundle *kg_bundle_stored(const KgApply *apply);

/* bundle/check.c: collects all faults of the payload against the catalog. */
extern void kg_bundle_check(KgApply *apply);
/* Repeats the checks that depend on other bundles. */
extern void kg_bundle_check_others(KgApply *apply);

/* bundle/future_types.c: returns types as they will be after the apply. */
/*
 * Returns false and reports an error if a schema is nested too deeply. "what"
 * names the owner of the schema in the error.
 */
extern bool kg_bundle_check_depth(KgApply *apply, const Jsonb *schema,
								  const char *what, const char *type,
								  const char *path);
/*
 * Reports a schema that does not compile with the payload's definitions.
 * Warnings of the compilation are added to the warnings of the apply.
 */
extern void kg_bundle_check_compiles(KgApply *apply, const Jsonb *schema,
									 const char *what, const char *type,
									 const char *path);
/* Checks depth and compilation. Returns whether the schema is valid. */
extern bool kg_bundle_check_schema(KgApply *apply, const Jsonb *schema,
								   const char *what, const char *path);
/*
 * Returns a type as it is after the apply: a type of the payload, or a stored
 * type that remains. Returns NULL if the type does not exist or its schema is
 * invalid.
 */
extern const KgType *kg_bundle_future_type(const KgApply *apply,
										   const char *bundle,
										   const char *name);
/* Returns whether the type exists after the apply, valid or not. */
extern bool kg_bundle_has_type(const KgApply *apply, const char *bundle,
							   const char *name);
/* Reports a type that does not exist, with the names of existing types. */
extern void kg_bundle_unknown_type(KgApply *apply, const char *name,
								   const char *keyword, const char *path);

/*
 * bundle/bindings.c: checks the tables that types read, with the caller's
 * privileges. Call after kg_bundle_check().
 */
extern void kg_bundle_check_bindings(KgApply *apply);

/*
 * bundle/relations.c: checks the relations as they are after the apply, once
 * the types are parsed. Called by kg_bundle_check(). All functions run as the
 * extension's owner.
 */
extern void kg_bundle_check_relations(KgApply *apply);
/* Repeats the checks of relations that depend on other bundles. */
extern void kg_bundle_check_other_relations(KgApply *apply);
/*
 * Returns whether a relation of the name exists in any bundle after the apply.
 */
extern bool kg_bundle_has_relation(const KgApply *apply, const char *name);
/*
 * Returns whether the apply creates or deletes relations, or changes their
 * types.
 */
extern bool kg_bundle_changes_relations(const KgApply *apply);
extern void kg_bundle_write_relations(KgApply *apply);

/*
 * The operations of a declared relation that the bundle exposes as tools after
 * the apply.
 */
typedef struct KgExposed
{
	const char *relation;
	int expose;
	const char *path;
} KgExposed;

extern List *kg_bundle_exposed(const KgApply *apply);

/*
 * bundle/tools.c: checks and writes the generated tools, as the extension's
 * owner.
 */
extern void kg_bundle_check_tools(KgApply *apply);
extern void kg_bundle_write_tools(KgApply *apply);

/*
 * bundle/check_entities.c: checks the entities and references of the payload.
 */
extern void kg_bundle_check_entities(KgApply *apply);

/*
 * bundle/types.c: writes the bundle, its types, relations and tools, as the
 * extension's owner.
 */
/*
 * Raises KG_FORBIDDEN if the apply adds, changes or deletes x-authorize and the
 * caller is not the owner of the extension.
 */
extern void kg_bundle_check_authorize(const KgApply *apply, Oid caller);
extern void kg_bundle_write_types(KgApply *apply);
/*
 * Deletes the stored types that the payload lacks. Call it after the entities
 * of these types are deleted. Raises an error if a type still has entities.
 */
extern void kg_bundle_delete_types(KgApply *apply);

/*
 * kg_bundle_lock_names() locks, if necessary, the set of properties, types and
 * relations that schemas of the tenant name. kg_bundle_lock_unique() locks the
 * types that gain a unique property, one that an x-ref-field names.
 * kg_bundle_gains_unique() returns whether the type gains such a property.
 * kg_bundle_clear_unique() deletes the stored values of these properties. (In
 * bundle/unique.c.)
 */
extern void kg_bundle_lock_names(KgApply *apply);
extern void kg_bundle_lock_unique(KgApply *apply);
extern bool kg_bundle_gains_unique(const KgApply *apply, const KgType *type);
extern void kg_bundle_clear_unique(const KgApply *apply, const KgType *type);
/*
 * Deletes the unique values of properties that x-ref-field does not name any
 * more. Call it after the types are deleted.
 */
extern void kg_bundle_forget_unique(KgApply *apply);

/* bundle/entities.c: writes the entities, as the caller. */
extern void kg_bundle_write_entities(KgApply *apply);
/*
 * Counts the entities anew from the stored rows, if triggers have written
 * entities since apply->began. Reports entities that triggers prevented from
 * being written.
 */
extern void kg_bundle_review_entities(KgApply *apply);
/*
 * Marks the types whose schema changes. Until kg_bundle_rebuild() has run, a
 * DBA's trigger cannot query the derived rows of these types.
 */
extern void kg_bundle_begin_rebuild(KgApply *apply);
/*
 * Derives the rows that depend on a changed schema anew, as the extension's
 * owner. Raises an error if the caller does not see every entity of a changed
 * type.
 */
extern void kg_bundle_rebuild(KgApply *apply, const KgUserContext *caller);

/*
 * bundle/gone.c: counts rows that are deleted along with the entities that an
 * apply deletes, as the caller. Call the first function before the first
 * deletion, and the second function after x-on-delete was applied to the
 * references to all deleted entities.
 */
extern void kg_bundle_tally_begin(KgApply *apply);
extern void kg_bundle_tally_end(KgApply *apply);

/*
 * Reports entities of the payload that were deleted along with other entities.
 */
extern void kg_bundle_check_kept(KgApply *apply);

/*
 * kg_bundle_lock_registered() locks the tenant's tools if the apply may change
 * them. kg_bundle_write_registered() writes the registered tools of the bundle.
 * It raises KG_FORBIDDEN if a tool changes and admin is false. Both run as the
 * extension's owner. (In bundle/registered.c.)
 */
extern void kg_bundle_lock_registered(const KgApply *apply);
extern void kg_bundle_write_registered(KgApply *apply, bool admin);
/*
 * Checks registered tools against the types and relations that they use, if
 * these types or relations changed.
 */
extern void kg_bundle_check_registered(KgApply *apply);

/* bundle/edges.c: writes explicit edges, as the caller. */
extern void kg_bundle_write_edges(KgApply *apply);

#endif /* KG_BUNDLE_H */
