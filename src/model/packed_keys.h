/*
 * packed_keys.h
 *	  All keys of an entity in one value (kg_entity.index_keys).
 *
 * What an entity has in kg_index_key is kept with the entity too, so that its
 * keys can be found by its node: a filter on a second property, the order of a
 * page, and what is to be deleted when the entity changes.  An index on the
 * node number of kg_index_key would say the same and cost as much as all else
 * that is written for a key.
 *
 *	  A key is two bytes of field number and two of length (big-endian), then the
 *	  key itself (key.h); keys are in the order of field number and key, each once.
 */
#ifndef KG_PACKED_KEYS_H
#define KG_PACKED_KEYS_H

#include "model/catalog.h"

/* One key of an entity. */
typedef struct KgKeyItem
{
	int32 field_no;
	bytea *key;
} KgKeyItem;

/* Sorts items; each must be there once.  In the current memory context. */
extern bytea *kg_keys_pack(KgKeyItem *items, int n);

/* A key within a packed value. */
typedef struct KgPackedKey
{
	int32 field_no;
	const unsigned char *data;
	int len;
} KgPackedKey;

typedef struct KgKeysIter
{
	const unsigned char *p;
	const unsigned char *end;
	KgPackedKey key; /* where kg_keys_next() returned true */
} KgKeysIter;

/* Are both the same keys?  Of detoasted values. */
extern bool kg_keys_same(const bytea *a, const bytea *b);

/* Of a detoasted value, which must outlive the iterator. */
extern void kg_keys_iter_init(KgKeysIter *it, const bytea *packed);
/* False at the end, and where the value is malformed. */
extern bool kg_keys_next(KgKeysIter *it);

/* By field number, then by key: below, equal to or above 0. */
extern int kg_packed_key_compare(const KgPackedKey *a, const KgPackedKey *b);
/* A copy as a value of its own. */
extern bytea *kg_packed_key_copy(const KgPackedKey *key);

#endif /* KG_PACKED_KEYS_H */
