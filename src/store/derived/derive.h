/*
 * derive.h
 *	  Maintenance of kg_index_key, kg_unique_key, kg_term, kg_trigram, kg_word
 *	  and the derived rows of kg_edge when kg_entity changes, set-wise, one
 *	  tenant at a time.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_DERIVE_H
#define KG_DERIVE_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/reference/references.h"

/*
 * The derivation of rows from the entities that one statement writes. Entities
 * are added one at a time, and derived rows are written in batches. Checks
 * that must wait for the end of the statement or of the apply are collected.
 */
typedef struct KgDerivation KgDerivation;

/*
 * Begins a derivation. caller is the user that kg_become_owner() saved, or NULL
 * if the owner acts for itself.
 */
extern KgDerivation *kg_derive_begin(const char *tenant,
									 const KgUserContext *caller);

/*
 * To be called if a trigger of the innermost statement performs the derivation.
 * kg_derive_end() then leaves the checks to the last trigger of the statement
 * (kg_statement_complete()).
 */
extern void kg_derive_of_statement(KgDerivation *d);

/*
 * Locks the type and returns kg_catalog_locked(), which is the derivation's
 * catalog from then on. Call this function before you add rows of a type that
 * is not locked.
 */
extern const KgCatalog *kg_derive_lock_type(KgDerivation *d, int32 type_no);

/*
 * Makes the derivation leave the quotas uncounted. The caller must count them
 * again afterwards.
 */
extern void kg_derive_uncounted(KgDerivation *d);

/*
 * Makes the derivation compare rows instead of writing them. compare() is
 * called for each batch of derived rows, in the memory context of the batch.
 */
typedef void (*KgDerivedRows)(const KgColumns *keys, const KgColumns *terms,
							  const KgColumns *unique, const KgColumns *words,
							  const KgReferenceList *references, void *arg);
extern void kg_derive_compare(KgDerivation *d, KgDerivedRows compare,
							  void *arg);

/* An entity before or after a change. keys is the entity's index_keys. */
typedef struct KgVersion
{
	const char *entity_id;
	const Jsonb *data;
	const bytea *keys;
} KgVersion;

extern void kg_derive_inserted(KgDerivation *d, int32 type_no,
							   const char *entity_id, int64 node,
							   const Jsonb *data, const bytea *keys);
extern void kg_derive_updated(KgDerivation *d, int32 type_no, int64 node,
							  const KgVersion *before, const KgVersion *after);
extern void kg_derive_deleted(KgDerivation *d, int32 type_no,
							  const char *entity_id, int64 node,
							  const bytea *keys);

/*
 * Replaces kg_derive_inserted(), _updated() and _deleted() if another statement
 * has derived rows from the entity since this statement wrote or replaced the
 * version (model/writing.h). Deletes the rows that were derived from the
 * version. kg_derive_settle() then derives rows from the entity that is stored
 * by then.
 */
extern void kg_derive_overtaken(KgDerivation *d, int32 type_no, int64 node,
								const KgVersion *version);

/*
 * Replaces the references, unique values and counts of an entity whose type has
 * a new schema. If "search" is true, also replaces the entity's terms and
 * words. The entity's index keys are replaced when its column index_keys is
 * updated.
 */
extern void kg_derive_again(KgDerivation *d, int32 type_no,
							const char *entity_id, int64 node,
							const Jsonb *data, bool search);

/*
 * Replaces the unique values of an entity. Call this instead of
 * kg_derive_again() if only the x-ref-field of another type has changed, and
 * now names a property of the entity.
 */
extern void kg_derive_unique(KgDerivation *d, int32 type_no, int64 node,
							 const Jsonb *data);

/* Writes the rows that were added so far. */
extern void kg_derive_flush(KgDerivation *d);

/*
 * Writes the rows that were added so far, and derives rows from overtaken
 * entities (kg_derive_overtaken()). Call it after all rows of the statement
 * were added.
 */
extern void kg_derive_settle(KgDerivation *d);

/*
 * Writes the remaining rows. Then enforces unique values and references, unless
 * a scope is open for the tenant (scope.h).
 */
extern void kg_derive_end(KgDerivation *d);

#endif /* KG_DERIVE_H */
