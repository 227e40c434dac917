/*
 * extract.h
 *	  The values derived from one entity: index keys, search terms,
 *	  references.
 */
#ifndef KG_EXTRACT_H
#define KG_EXTRACT_H

#include "model/catalog.h"
#include "model/word.h"

typedef struct KgTermItem
{
	char kind; /* KG_TERM_* */
	char *term;
} KgTermItem;

typedef struct KgReferenceItem
{
	const KgField *field;
	char *value;
} KgReferenceItem;

typedef struct KgExtract
{
	int nterms;
	KgTermItem *terms;
	int nreferences;
	KgReferenceItem *references;
	KgWords words; /* words of the texts; empty if the type has no x-search */
} KgExtract;

/*
 * Returns the value of kg_entity.index_keys: a key for each x-index property.
 */
extern bytea *kg_extract_keys(const KgType *type, const Jsonb *data);

/*
 * Returns the value of kg_entity.scope. NULL means that the type has no
 * scopes, so every caller sees the entity. An empty text means that the type
 * has scopes but the entity has no path. Such an entity is below no path of a
 * caller.
 */
extern text *kg_extract_scope(const KgType *type, const Jsonb *data);

/*
 * Returns whether the stored keys and scope equal the keys and scope that the
 * document requires. scope is NULL for an SQL null.
 */
extern bool kg_extract_is_stored(const KgType *type, const Jsonb *data,
								 const bytea *keys, const text *scope);

/*
 * Extracts search terms, words and references into *extract, in the current
 * memory context. Each item occurs once.
 */
extern void kg_extract(const KgType *type, const char *entity_id,
					   const Jsonb *data, KgExtract *extract);
extern void kg_extract_references(const KgType *type, const Jsonb *data,
								  KgExtract *extract);

/*
 * Extracts the references to types that read a table. kg_extract() and
 * kg_extract_references() omit these references, because no row is derived
 * from them.
 */
extern void kg_extract_bound(const KgType *type, const Jsonb *data,
							 KgExtract *extract);

/*
 * Returns whether both documents are equal in each property from which
 * kg_extract() takes values. Does not extract them.
 */
extern bool kg_extract_same_sources(const KgType *type, const Jsonb *a,
									const Jsonb *b);

/*
 * Returns whether the two types make kg_extract() take equal terms and words
 * from every document.
 */
extern bool kg_extract_same_search(const KgType *a, const KgType *b);

/*
 * Returns a JSON Pointer to the first occurrence of the reference in the
 * document.
 */
extern char *kg_extract_pointer(const KgField *field, const Jsonb *data,
								const char *value);

extern bool kg_extract_same_terms(const KgExtract *a, const KgExtract *b);
extern bool kg_extract_same_references(const KgExtract *a, const KgExtract *b);

#endif /* KG_EXTRACT_H */
