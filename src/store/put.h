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
#include "utils/array.h"
#include "store/columns.h"
#include "store/references.h"

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
} KgOutcome;

typedef struct KgOutcomes
{
	const char *what; /* "entities", "edges": for the error of atomic */
	bool atomic;
	int n;
	KgOutcome *items;
} KgOutcomes;

extern KgOutcomes *kg_outcomes_make(const char *what, int n,
									const Jsonb *options);
/* Raises KG_INVALID_INPUT or KG_LIMIT_EXCEEDED; else the array. */
extern const JsonbContainer *kg_outcomes_items(const Jsonb *items);
extern void kg_outcome_error(KgOutcome *outcome, KgError *err);
/* Items with errors get that verdict; with atomic, they are raised. */
extern void kg_outcomes_settle(KgOutcomes *outcomes);
/* {items: [{id, verdict, error?}], counts: {...}} */
extern Jsonb *kg_outcomes_result(const KgOutcomes *outcomes);

/* An item of kg_put_entities() beside its outcome. */
typedef struct KgPutItem
{
	Jsonb *data; /* NULL: not an object */
	int64 node;	 /* of the stored entity; 0: none */
	bool same;	 /* as stored */
} KgPutItem;

/*
 * put_unique.c: report the items with a value of an x-ref-field that another
 * entity has, stored or among the items.
 */
extern void kg_put_check_unique(const char *tenant, int32 type_no,
								KgOutcomes *outcomes, const KgPutItem *items);

/*
 * New documents of entities that are stored, a row (node, data) each; as the
 * caller, under row security.  written gets, in order, those that were; without
 * it, one that was not is raised.
 */
extern void kg_entities_update(const char *tenant, const KgColumns *columns,
							   KgNodeList *written);

/*
 * What to raise, or report, where a trigger kept an "entity" or an "edge" from
 * being what: "inserted".
 */
extern KgError *kg_kept_error(const char *row, const char *what);

/* Somebody has the id: hidden from the caller, or written meanwhile. */
extern KgError *kg_id_taken_error(const KgType *type, const char *id);

/*
 * Entities whose index_keys or scope are not what the schema says: their
 * triggers fill them in and exchange the rows of kg_index_key.  Raises where
 * one could not be written: its scope would let others see it.  As the owner.
 */
extern void kg_entities_write_again(const char *tenant,
									const KgNodeList *nodes);

extern Jsonb *kg_put_entities(const char *type, const Jsonb *items,
							  const Jsonb *options);
extern Jsonb *kg_delete_entities(const char *type, ArrayType *ids,
								 const Jsonb *options);
extern Jsonb *kg_put_edges(const Jsonb *items, const Jsonb *options);
extern Jsonb *kg_delete_edges(const Jsonb *items, const Jsonb *options);

#endif /* KG_PUT_H */
