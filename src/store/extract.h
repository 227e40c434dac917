/*
 * extract.h
 *	  What is derived from one entity: index keys, search terms, references.
 */
#ifndef KG_EXTRACT_H
#define KG_EXTRACT_H

#include "catalog/catalog.h"

typedef struct KgKeyItem
{
	const KgField *field;
	bytea *key;
} KgKeyItem;

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
	int nkeys;
	KgKeyItem *keys;
	int nterms;
	KgTermItem *terms;
	int nreferences;
	KgReferenceItem *references;
} KgExtract;

/* In the current memory context; every item once. */
extern void kg_extract(const KgType *type, const char *entity_id,
					   const Jsonb *data, KgExtract *extract);
extern void kg_extract_keys(const KgType *type, const Jsonb *data,
							KgExtract *extract);
extern void kg_extract_references(const KgType *type, const Jsonb *data,
								  KgExtract *extract);

extern bool kg_extract_same_keys(const KgExtract *a, const KgExtract *b);
/* The keys of unique fields only. */
extern bool kg_extract_same_unique(const KgExtract *a, const KgExtract *b);
extern bool kg_extract_same_terms(const KgExtract *a, const KgExtract *b);
extern bool kg_extract_same_references(const KgExtract *a, const KgExtract *b);

#endif /* KG_EXTRACT_H */
