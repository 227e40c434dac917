/*
 * packed_keys.h
 *	  All keys of an entity in one value (kg_entity.index_keys).
 *
 * The keys that an entity has in kg_index_key are also stored in its own row,
 * so that they are found by node. A filter on a second property, the order of a
 * page and the deletion of old keys need the keys of a node. An index of
 * kg_index_key on nodes would cost as much as all other writes for a key.
 *
 * A packed key consists of its field number (two bytes, big-endian), its length
 * (two bytes, big-endian) and the key itself (key.h). Packed keys are distinct
 * and sorted by field number and key.
 */
#ifndef KG_PACKED_KEYS_H
#define KG_PACKED_KEYS_H

#include "model/catalog.h"

/* Number of bytes before each key: field number and length. */
#define KG_PACKED_HEADER 4

/* A key of an entity, to be packed. */
typedef struct KgKeyItem
{
	int32 field_no;
	bytea *key;
} KgKeyItem;

/*
 * Sorts the items and returns them as one packed value in the current memory
 * context. The items must be distinct.
 */
extern bytea *kg_keys_pack(KgKeyItem *items, int n);

/* A key within a packed value. Its bytes are not copied. */
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
	/* current key; valid after kg_keys_next() has returned true */
	KgPackedKey key;
} KgKeysIter;

/* Returns true if two detoasted values have equal keys. */
extern bool kg_keys_same(const bytea *a, const bytea *b);

/* Begins iterating over a detoasted value, which must outlive the iterator. */
static inline void
kg_keys_iter_init(KgKeysIter *it, const bytea *packed)
{
	it->p = (const unsigned char *) VARDATA_ANY(packed);
	it->end = it->p + VARSIZE_ANY_EXHDR(packed);
}

/*
 * Advances to the next key. Returns false at the end, or if the value is
 * malformed.
 */
static inline bool
kg_keys_next(KgKeysIter *it)
{
	if (it->end - it->p < KG_PACKED_HEADER)
		return false;
	it->key.field_no = it->p[0] << 8 | it->p[1];
	it->key.len = it->p[2] << 8 | it->p[3];
	it->key.data = it->p + KG_PACKED_HEADER;
	if (it->end - it->key.data < it->key.len)
		return false;
	it->p = it->key.data + it->key.len;
	return true;
}

/*
 * Compares two keys by field number, then by key. Returns a number below, equal
 * to or above 0.
 */
extern int kg_packed_key_compare(const KgPackedKey *a, const KgPackedKey *b);
/* Returns a palloc'd copy of the key as a bytea. */
extern bytea *kg_packed_key_copy(const KgPackedKey *key);

#endif /* KG_PACKED_KEYS_H */
