/*
 * put.h
 *	  Writing and deleting entities and explicit edges set by set, with a
 *	  verdict for each item: what is good is written, what is not is reported;
 *	  with the option atomic, all of it or nothing.
 *
 * Everything runs as the current role, which needs write access, inside
 * SPI_connect(); results are in the caller's memory context.
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
	KG_VERDICT_NONE, /* not decided yet */
	KG_VERDICT_CREATED,
	KG_VERDICT_UPDATED,
	KG_VERDICT_UNCHANGED,
	KG_VERDICT_DELETED,
	KG_VERDICT_NOT_FOUND,
	KG_VERDICT_ERROR
} KgVerdict;

/* What becomes of one item; errors make its verdict KG_VERDICT_ERROR. */
typedef struct KgOutcome
{
	const char *id; /* of an entity; NULL where it has none, and for edges */
	KgVerdict verdict;
	KgErrorList errors;
	/* Its version when it was locked, of an edge its state (edges.h); or 0. */
	int64 before;
	int64 version;	/* and afterwards, where that is told */
	Jsonb *changed; /* [{property, before, after}], or NULL */
	Jsonb *nearest; /* of an id that was not found, or NULL */
} KgOutcome;

/* Of the entities that the caller sees, [{id, label}]. */
typedef Jsonb *(*KgNearest)(const KgType *type, const char *id);

typedef struct KgOutcomes
{
	const char *what; /* "entities", "edges": for the error of atomic */
	bool atomic;
	bool told; /* versions and changes are, and an error of atomic has items */
	int n;
	KgOutcome *items;
	const KgType *type; /* of what is changed, or NULL */
	KgNearest nearest;	/* NULL: ids that are not found are named alone */
	int hinted;			/* of them */
} KgOutcomes;

extern KgOutcomes *kg_outcomes_make(const char *what, int n, bool atomic,
									bool told);
/* The option atomic, of options with those that writes have. */
extern bool kg_put_atomic(const Jsonb *options);
/* Raises KG_INVALID_INPUT or KG_LIMIT_EXCEEDED; else the array. */
extern const JsonbContainer *kg_outcomes_items(const Jsonb *items);
extern void kg_outcome_error(KgOutcome *outcome, KgError *err);
/* The ids nearest to one that is not there, for the first few; or NULL. */
extern Jsonb *kg_outcomes_nearest(KgOutcomes *outcomes, const KgType *type,
								  const char *id);
/*
 * Items with errors get that verdict; with atomic, they are raised.  Raises
 * KG_CONFLICT where they may be because the tenant has another name by now.
 */
extern void kg_outcomes_settle(KgOutcomes *outcomes, const char *tenant);
/* {items: [{id, verdict, error?}], counts: {...}} */
extern Jsonb *kg_outcomes_result(const KgOutcomes *outcomes);

/* The option dry_run: the same reply, marked, and nothing is written. */
extern bool kg_put_is_dry(const Jsonb *options);
/* The option reason, or NULL. */
extern const char *kg_put_reason(const Jsonb *options);
extern Jsonb *kg_put_dry(Jsonb *(*work)(void *arg), void *arg);

/* An item of kg_put_entities() beside its outcome. */
typedef struct KgPutItem
{
	Jsonb *data; /* NULL: not an object */
	int64 node;	 /* of the stored entity; 0: none */
	bool same;	 /* as stored */
	/* of an update */
	Jsonb *old;					 /* what is stored */
	int64 expected;				 /* version, or 0 */
	const JsonbContainer *set;	 /* properties, or NULL */
	const JsonbContainer *unset; /* names, or NULL */
	bool refers;				 /* it touches what refers to others */
} KgPutItem;

/*
 * put_update.c: read an item of kg_update_entities(), id, set, unset and
 * expected_version; and, when what is stored is known, make data of it.  Faults
 * are reported.
 */
extern void kg_patch_read(int i, const JsonbValue *value, KgOutcome *outcome,
						  KgPutItem *item);
extern void kg_patch_apply(const KgType *type, int i, KgOutcomes *outcomes,
						   KgPutItem *item);
/* Returns what is stored with what the item sets, and without what it unsets. */
extern Jsonb *kg_patch_merged(const KgPutItem *item);
/* Returns whether the item touches what refers to others, or is referred to by. */
extern bool kg_patch_refers(const KgType *type, const KgPutItem *item);
/* [{property, before, after}] of two documents. */
extern Jsonb *kg_patch_changes(const Jsonb *before, const Jsonb *after);
/* An id: a string, or an integer as text; NULL is reported. */
extern const char *kg_patch_id(const JsonbValue *value, const char *path,
							   KgOutcome *outcome);
/* A version, 0 where none is given. */
extern int64 kg_patch_version(const JsonbContainer *object, const char *path,
							  KgOutcome *outcome);
extern KgError *kg_moved_error(const KgType *type, const char *id,
							   int64 expected, int64 version);

/*
 * put_unique.c: report the items with a value of an x-ref-field that another
 * entity has, stored or among the items.
 */
extern void kg_put_check_unique(const char *tenant, int32 type_no,
								KgOutcomes *outcomes, const KgPutItem *items);

typedef enum KgPutMode
{
	KG_PUT_ANY,	   /* create, or exchange what is there */
	KG_PUT_CREATE, /* what is there is KG_ALREADY_EXISTS */
	KG_PUT_UPDATE  /* what is not there is KG_NOT_FOUND */
} KgPutMode;

/* Items into outcomes of as many; type is "bundle/type" or "type". */
extern void kg_entities_put(const char *type, const JsonbContainer *items,
							KgPutMode mode, KgOutcomes *outcomes);
/*
 * Those that have an id and no error; expected (or NULL) has a version each, or
 * 0.
 */
extern void kg_entities_delete(const char *type, KgOutcomes *outcomes,
							   const int64 *expected);
/*
 * deleting: without properties.  relation, "bundle/relation", is of all items;
 * NULL: each has it.
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
 * The items by their ids: two calls that name the same entities lock them, and
 * make them, in one order, so that neither waits for the other.
 */
extern int *kg_outcomes_order(KgOutcomes *outcomes);
/*
 * Go through the items without errors in an order, so many at a time: rows are
 * their numbers, and what work allocates goes with the batch.
 */
typedef void (*KgOutcomesWork)(void *arg, const int *rows, int n);

extern void kg_outcomes_each(const KgOutcomes *outcomes, const int *order,
							 int batch, KgOutcomesWork work, void *arg);
/* The id of an item is another one's, too. */
extern void kg_outcomes_twice(KgOutcomes *outcomes, int i, const KgType *type);

#endif /* KG_PUT_H */
