/*
 * derive.h
 *	  Keeping kg_index_key, kg_unique_key, kg_term, kg_trigram, kg_word and the
 *	  derived rows of kg_edge in step with kg_entity, set-wise, one tenant at a
 *	  time.
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
 * A change in progress: rows are added one at a time and written in batches;
 * what has to wait for the end of the statement (or of the apply) is gathered.
 */
typedef struct KgDerivation KgDerivation;

/* caller is what kg_become_owner() saved; NULL: the owner acts for itself. */
extern KgDerivation *kg_derive_begin(const char *tenant,
									 const KgUserContext *caller);

/* The rows are those of the innermost statement, whose trigger derives. */
extern void kg_derive_of_statement(KgDerivation *d);

/*
 * Before rows of the type are told whose type is not locked: kg_catalog_locked(),
 * of which the derivation goes on.
 */
extern const KgCatalog *kg_derive_lock_type(KgDerivation *d, int32 type_no);

/*
 * Nothing is written: the rows that would be are told, batch by batch, in the
 * batch's context.
 */
typedef void (*KgDerivedRows)(const KgColumns *keys, const KgColumns *terms,
							  const KgColumns *unique, const KgColumns *words,
							  const KgReferenceList *references, void *arg);
extern void kg_derive_compare(KgDerivation *d, KgDerivedRows compare,
							  void *arg);

/* Of kg_trigram: the rows (trigram, term) of a term. */
extern void kg_derive_trigrams(KgColumns *rows, const char *term);

/* An entity before or after a change; keys is its index_keys. */
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
 * A version that the statement has replaced or written, where others have been
 * derived in the middle of it (model/writing.h): what is derived from it goes,
 * and kg_derive_settle() derives what is stored by now.
 */
extern void kg_derive_overtaken(KgDerivation *d, int32 type_no, int64 node,
								const KgVersion *version);

/*
 * The type's schema changed: its terms and references are replaced.  Keys are,
 * when index_keys is updated.
 */
extern void kg_derive_again(KgDerivation *d, int32 type_no,
							const char *entity_id, int64 node,
							const Jsonb *data);

/* The same where only another type's x-ref-field is new. */
extern void kg_derive_unique(KgDerivation *d, int32 type_no, int64 node,
							 const Jsonb *data);

/* Write what was gathered so far. */
extern void kg_derive_flush(KgDerivation *d);

/* After all rows of the statement. */
extern void kg_derive_settle(KgDerivation *d);

/*
 * Write what is left; then, unless a scope is open for the tenant (scope.h),
 * enforce unique values and references.
 */
extern void kg_derive_end(KgDerivation *d);

#endif /* KG_DERIVE_H */
