/*
 * extract.h
 *	  What is derived from one entity: index keys, search terms, references.
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
	KgWords words; /* none, where the type has no x-search */
} KgExtract;

/* What kg_entity.index_keys is: a key of every x-index property. */
extern bytea *kg_extract_keys(const KgType *type, const Jsonb *data);

/*
 * What kg_entity.scope is: NULL where the type has no scopes, which every
 * caller sees; empty where it has and the entity names none, which lies below
 * no path.
 */
extern text *kg_extract_scope(const KgType *type, const Jsonb *data);

/* Is that what is stored?  scope is NULL for SQL's. */
extern bool kg_extract_is_stored(const KgType *type, const Jsonb *data,
								 const bytea *keys, const text *scope);

/* The rest, in the current memory context; every item once. */
extern void kg_extract(const KgType *type, const char *entity_id,
					   const Jsonb *data, KgExtract *extract);
extern void kg_extract_references(const KgType *type, const Jsonb *data,
								  KgExtract *extract);

/*
 * Have two documents the same in every property that the rest is taken of?  That
 * is told without taking it.
 */
extern bool kg_extract_same_sources(const KgType *type, const Jsonb *a,
									const Jsonb *b);

/* JSON Pointer to the first place where a document has the reference. */
extern char *kg_extract_pointer(const KgField *field, const Jsonb *data,
								const char *value);

extern bool kg_extract_same_terms(const KgExtract *a, const KgExtract *b);
extern bool kg_extract_same_references(const KgExtract *a, const KgExtract *b);

#endif /* KG_EXTRACT_H */
