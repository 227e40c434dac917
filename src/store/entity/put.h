/*
 * put.h
 *	  Writing and deleting sets of entities and explicit edges, with a
 *	  verdict for each item. Valid items are written, and invalid items are
 *	  reported. With the option atomic, either all items are written or none.
 *
 * All functions run as the current role, which needs write access, inside
 * SPI_connect(). Results are in the caller's memory context.
 */
#ifndef KG_PUT_H
#define KG_PUT_H

#include "base/error.h"
#include "base/json.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/reference/references.h"
#include "utils/array.h"

typedef enum KgVerdict
{
	KG_VERDICT_NONE, /* the verdict is not decided yet */
	KG_VERDICT_CREATED,
	KG_VERDICT_UPDATED,
	KG_VERDICT_UNCHANGED,
	KG_VERDICT_DELETED,
	KG_VERDICT_MERGED, /* merged into another entity */
	KG_VERDICT_NOT_FOUND,
	KG_VERDICT_ERROR
} KgVerdict;

/*
 * The result of one item. If it has errors, its verdict becomes
 * KG_VERDICT_ERROR.
 */
typedef struct KgOutcome
{
	/* Id of the entity; NULL: the item has no id, or is an edge. */
	const char *id;
	bool generated; /* kg_graph generated the id (x-id-generate) */
	KgVerdict verdict;
	KgErrorList errors;
	/*
	 * Version of the entity when it was locked, or state of the edge
	 * (edges.h); 0: none.
	 */
	int64 before;
	int64 version;	/* new version of the entity, if versions are reported */
	Jsonb *changed; /* [{property, before, after}], or NULL */
	/* if an id was not found: the id into which it was merged, or NULL */
	const char *merged_into;
	Jsonb *nearest; /* similar ids, if an id was not found; or NULL */
} KgOutcome;

/*
 * Returns [{id, label}] of entities that the caller sees and that have ids
 * similar to id.
 */
typedef Jsonb *(*KgNearest)(const KgType *type, const char *id);

/*
 * Hook (query/merged.c): returns the id of the entity into which the entity
 * with this id was merged, or NULL if the caller sees no such entity.
 */
extern const char *(*kg_merged_into)(const KgType *type, const char *id);

struct KgOutcomes;

/*
 * Adds members to the errors of a call. Returns the corrected call {tool,
 * arguments}, or NULL if any error has no unambiguous correction.
 */
typedef Jsonb *(*KgCompleteErrors)(const struct KgOutcomes *outcomes,
								   const KgErrorList *all);

typedef struct KgOutcomes
{
	/* "entities" or "edges", for the error of the option atomic */
	const char *what;
	bool atomic;
	bool stored; /* the reply is stored for an idempotency key */
	/* report versions and changes; if the call fails, report the items */
	bool told;
	int n;
	KgOutcome *items;
	const KgType *type; /* type of the written entities, or NULL */
	/*
	 * Relation of the written edges, if all have the same relation; or NULL.
	 */
	const KgRelation *relation;
	KgNearest nearest; /* NULL: do not search similar ids */
	int hinted;		   /* number of items with similar ids so far */
	int nfollowed;	   /* number of ids looked up by kg_merged_into() so far */
	KgCompleteErrors complete; /* NULL: errors are not completed */
	const Jsonb *beside;	   /* further members of the result, or NULL */
	/* number of changes with effects beyond the items (confirm.c) */
	int64 effects;
} KgOutcomes;

extern KgOutcomes *kg_outcomes_make(const char *what, int n, bool atomic,
									bool told);
/*
 * Makes the outcomes of an SQL function with these options. Raises an error if
 * the options are not valid for writes.
 */
extern KgOutcomes *kg_outcomes_of_options(const char *what, int n,
										  const Jsonb *options, bool told);
/*
 * Returns the array of items. Raises KG_INVALID_INPUT if items is not an array,
 * or KG_LIMIT_EXCEEDED if it is too large.
 */
extern const JsonbContainer *kg_outcomes_items(const Jsonb *items);
extern void kg_outcome_error(KgOutcome *outcome, KgError *err);
/*
 * Returns whether the item is an object. If it is not, adds an error to the
 * outcome.
 */
extern bool kg_outcome_is_object(KgOutcome *outcome, const JsonbValue *item,
								 const char *path, const char *expected);
/*
 * Returns the entities whose ids are most similar to an id that was not found,
 * or NULL. Only the first few such items of a call are searched; for later
 * items, returns NULL.
 */
extern Jsonb *kg_outcomes_nearest(KgOutcomes *outcomes, const KgType *type,
								  const char *id);
/*
 * Returns the id into which an id that was not found was merged, or NULL. Only
 * the first few such ids of a call are looked up.
 */
extern const char *kg_outcomes_merged_into(KgOutcomes *outcomes,
										   const KgType *type, const char *id);
/*
 * If the entity that an error reports as missing was merged, adds the member
 * "merged_into" and the correction of the id, and returns true. given is the
 * id, or a handle that ends with the id. The error must have its path.
 */
extern bool kg_outcomes_tell_merged(KgOutcomes *outcomes, KgError *err,
									const KgType *type, const char *id,
									const char *given);
/* Reports that no entity has the id of item i. path is the path of the id. */
extern void kg_outcomes_report_missing(KgOutcomes *outcomes, int i,
									   const KgType *type, const char *path);
/*
 * Sets the verdict of items with errors. If the option atomic is set and there
 * are errors, raises them. Raises KG_CONFLICT if the errors may result from a
 * concurrent rename of the tenant.
 */
extern void kg_outcomes_settle(KgOutcomes *outcomes, const char *tenant);
/* Returns the reply: {items: [{id, verdict, error?}], counts: {...}}. */
extern Jsonb *kg_outcomes_result(const KgOutcomes *outcomes);

/*
 * kg_put_is_dry() returns the option dry_run. kg_put_dry() calls work(arg) and
 * rolls back its writes. It returns the reply of work, marked as the reply of
 * a dry run.
 */
extern bool kg_put_is_dry(const Jsonb *options);
/*
 * Returns the option reason, or NULL. Raises an error if it is not a text, or
 * is too long.
 */
extern const char *kg_put_reason(const Jsonb *options);
extern Jsonb *kg_put_dry(Jsonb *(*work)(void *arg), void *arg);

/* An item of kg_put_entities() or kg_update_entities(). */
typedef struct KgPutItem
{
	Jsonb *data; /* NULL: the item is not an object */
	int64 node;	 /* node of the stored entity, or 0 if it is not stored */
	bool same;	 /* the item equals the stored entity */
	/* The next members are for an update: */
	Jsonb *old;					 /* the stored document */
	int64 expected;				 /* the expected version, or 0 */
	const JsonbContainer *set;	 /* properties to set, or NULL */
	const JsonbContainer *unset; /* names of properties to remove, or NULL */
	/*
	 * Values that are added to, or removed from, arrays: {property: values},
	 * or NULL.
	 */
	const JsonbContainer *add;
	const JsonbContainer *remove;
	/* the item changes references, or values to which references refer */
	bool refers;
} KgPutItem;

/*
 * put_update.c: kg_patch_read() reads an item of kg_update_entities(): id,
 * set, unset, add, remove and expected_version. kg_patch_apply() applies the
 * item to the stored document, which gives the new document. Both report
 * faults in outcomes.
 */
extern void kg_patch_read(const KgType *type, int i, const JsonbValue *value,
						  KgOutcome *outcome, KgPutItem *item);
extern void kg_patch_apply(const KgType *type, int i, KgOutcomes *outcomes,
						   KgPutItem *item);
/*
 * Returns the stored document after the changes of the item: properties are
 * set or removed, and values are added to arrays or removed from them.
 */
extern Jsonb *kg_patch_merged(const KgPutItem *item);
/*
 * Returns whether the item changes a property that refers to entities, or a
 * property to which references refer.
 */
extern bool kg_patch_refers(const KgType *type, const KgPutItem *item);
/*
 * Returns a pointer into the arguments of the call for a pointer into the
 * merged document of item i. A pointer into "add" ends at the property, because
 * the array in "add" has other indexes than the merged array.
 */
extern const char *kg_patch_pointer(const KgPutItem *item, int i,
									const char *pointer);
/* Returns the differences of two documents: [{property, before, after}]. */
extern Jsonb *kg_patch_changes(const Jsonb *before, const Jsonb *after);
/*
 * Returns the id: a string, or an integer as text. For any other value,
 * reports a fault and returns NULL.
 */
extern const char *kg_patch_id(const KgType *type, const JsonbValue *value,
							   const char *path, KgOutcome *outcome);
/*
 * Returns the expected version of an item, or 0 if the item has no expected
 * version. If the version is invalid, reports that and returns 0.
 */
extern int64 kg_patch_version(const JsonbContainer *object, const char *path,
							  KgOutcome *outcome);
extern KgError *kg_moved_error(const KgType *type, const char *id,
							   int64 expected, int64 version);

/*
 * Reports each item that has a value of an x-ref-field which another entity has
 * (in put_unique.c). The other entity is stored, or is another item.
 */
extern void kg_put_check_unique(const char *tenant, int32 type_no,
								KgOutcomes *outcomes, const KgPutItem *items);

typedef enum KgPutMode
{
	KG_PUT_ANY, /* create the entity, or replace the stored entity */
	/* create; a stored entity is the error KG_ALREADY_EXISTS */
	KG_PUT_CREATE,
	KG_PUT_UPDATE /* replace; a missing entity is the error KG_NOT_FOUND */
} KgPutMode;

/*
 * Writes items. outcomes has one element for each item. type is "bundle/type"
 * or "type".
 */
extern void kg_entities_put(const char *type, const JsonbContainer *items,
							KgPutMode mode, KgOutcomes *outcomes);
/*
 * Deletes the entities of outcomes that have an id and no error. expected has
 * the expected version of each entity, or 0; expected may be NULL.
 */
extern void kg_entities_delete(const char *type, KgOutcomes *outcomes,
							   const int64 *expected);
/*
 * Writes edges, or deletes them if "deleting" is true; items to delete have no
 * properties. relation, "bundle/relation", applies to all items. If relation
 * is NULL, each item names its relation.
 */
extern void kg_edges_put(const JsonbContainer *items, const char *relation,
						 bool deleting, KgOutcomes *outcomes);

extern Jsonb *kg_put_entities(const char *type, const Jsonb *items,
							  const Jsonb *options);
extern Jsonb *kg_update_entities(const char *type, const Jsonb *items,
								 const Jsonb *options);
extern Jsonb *kg_delete_entities(const char *type, ArrayType *ids,
								 const Jsonb *options);
extern Jsonb *kg_put_edges(const Jsonb *items, const Jsonb *options);
extern Jsonb *kg_delete_edges(const Jsonb *items, const Jsonb *options);

/*
 * Returns the order of the items by id. Two calls with the same ids therefore
 * lock and create their entities in the same order, and do not deadlock.
 */
extern int *kg_outcomes_order(KgOutcomes *outcomes);
/*
 * Calls work for batches of the items without errors, in the order of
 * kg_outcomes_order(). rows has the indexes of the items. Memory that work
 * allocates is freed after the batch.
 */
typedef void (*KgOutcomesWork)(void *arg, const int *rows, int n);

extern void kg_outcomes_each(const KgOutcomes *outcomes, const int *order,
							 int batch, KgOutcomesWork work, void *arg);
/* Reports that item i has the same id as another item. */
extern void kg_outcomes_twice(KgOutcomes *outcomes, int i, const KgType *type);

#endif /* KG_PUT_H */
