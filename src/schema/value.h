/*
 * value.h
 *	  JSON values inside a binary jsonb, for the validator, and iterators over
 *	  their members. Iteration allocates no memory.
 *
 * A KgJsVal points into the datum. The iterators compute offsets as
 * getJsonbOffset() does, but accumulate them, so that an iteration takes linear
 * time.
 */
#ifndef KG_VALUE_H
#define KG_VALUE_H

#include "port/pg_bswap.h"
#include "utils/jsonb.h"

typedef enum KgJsType
{
	KG_JS_NULL,
	KG_JS_BOOL,
	KG_JS_NUMBER,
	KG_JS_STRING,
	KG_JS_ARRAY,
	KG_JS_OBJECT
} KgJsType;

#define KG_JS_NTYPES 6
/* Used only in masks: a number without a fraction. */
#define KG_JS_INTEGER 6

typedef struct KgJsVal
{
	const char *data; /* bytes of a string, a Numeric or a JsonbContainer */
	uint32 len;		  /* length in bytes; for a boolean, its value */
	uint32 type;	  /* a KgJsType */
} KgJsVal;

#define KG_VAL_CONTAINER(v) ((JsonbContainer *) (v)->data)
#define KG_VAL_COUNT(v) ((int) JsonContainerSize(KG_VAL_CONTAINER(v)))

static inline uint32
kg_entry_end(JEntry entry, uint32 start)
{
	return JBE_HAS_OFF(entry) ? JBE_OFFLENFLD(entry)
							  : start + JBE_OFFLENFLD(entry);
}

static inline void
kg_val_set(KgJsVal *v, const char *base, JEntry entry, uint32 start, uint32 end)
{
	v->len = end - start;
	v->data = base + start;
	if (JBE_ISSTRING(entry))
	{
		v->type = KG_JS_STRING;
		return;
	}
	switch (entry & JENTRY_TYPEMASK)
	{
		case JENTRY_ISNUMERIC:
			v->type = KG_JS_NUMBER;
			v->data = base + INTALIGN(start);
			break;
		case JENTRY_ISBOOL_FALSE:
			v->type = KG_JS_BOOL;
			v->len = 0;
			break;
		case JENTRY_ISBOOL_TRUE:
			v->type = KG_JS_BOOL;
			v->len = 1;
			break;
		case JENTRY_ISNULL:
			v->type = KG_JS_NULL;
			break;
		default:
			v->data = base + INTALIGN(start);
			v->len = end - INTALIGN(start);
			v->type = JsonContainerIsObject(KG_VAL_CONTAINER(v)) ? KG_JS_OBJECT
																 : KG_JS_ARRAY;
			break;
	}
}

/*
 * An iterator over an array:
 *
 *	  kg_array_begin(&w, v);
 *	  while (kg_array_next(&w, &item)) ...
 *
 * w.i is the number of items read.
 */
typedef struct KgJsArrayWalk
{
	const JEntry *entries;
	const char *base;
	uint32 offset;
	int n;
	int i;
} KgJsArrayWalk;

static inline void
kg_array_begin(KgJsArrayWalk *w, const KgJsVal *v)
{
	JsonbContainer *jc = KG_VAL_CONTAINER(v);

	w->n = JsonContainerSize(jc);
	w->entries = jc->children;
	w->base = (const char *) &jc->children[w->n];
	w->offset = 0;
	w->i = 0;
}

static inline bool
kg_array_next(KgJsArrayWalk *w, KgJsVal *item)
{
	uint32 end;

	if (w->i >= w->n)
		return false;
	end = kg_entry_end(w->entries[w->i], w->offset);
	kg_val_set(item, w->base, w->entries[w->i], w->offset, end);
	w->offset = end;
	w->i++;
	return true;
}

/*
 * An iterator over the pairs of an object, in jsonb's order of keys: by length,
 * then by bytes.
 */
typedef struct KgJsObjectWalk
{
	const JEntry *keys;
	const JEntry *values;
	const char *base;
	uint32 key_offset;
	uint32 value_offset;
	int n;
	int i;
	const char *key;
	uint32 key_len;
	KgJsVal value;
} KgJsObjectWalk;

static inline void
kg_object_begin(KgJsObjectWalk *w, const KgJsVal *v)
{
	JsonbContainer *jc = KG_VAL_CONTAINER(v);

	w->n = JsonContainerSize(jc);
	w->keys = jc->children;
	w->values = jc->children + w->n;
	w->base = (const char *) &jc->children[2 * w->n];
	w->key_offset = 0;
	w->value_offset = w->n > 0 ? getJsonbOffset(jc, w->n) : 0;
	w->i = 0;
}

static inline bool
kg_object_next(KgJsObjectWalk *w)
{
	uint32 end;

	if (w->i >= w->n)
		return false;
	end = kg_entry_end(w->keys[w->i], w->key_offset);
	w->key = w->base + w->key_offset;
	w->key_len = end - w->key_offset;
	w->key_offset = end;
	end = kg_entry_end(w->values[w->i], w->value_offset);
	kg_val_set(&w->value, w->base, w->values[w->i], w->value_offset, end);
	w->value_offset = end;
	w->i++;
	return true;
}

/*
 * Compares two keys in jsonb's order. Returns a number below, equal to or above
 * 0.
 */
static inline int
kg_key_compare(const char *a, uint32 alen, const char *b, uint32 blen)
{
	if (alen != blen)
		return alen < blen ? -1 : 1;
	return memcmp(a, b, alen);
}

/*
 * Returns the first eight bytes of a key, padded with zeros, as a number. Such
 * numbers are ordered like the bytes.
 *
 * The key must be inside a jsonb: if it is shorter than eight bytes, bytes
 * before the key are read, too. They exist, because the container's header and
 * the entries of at least one pair precede each key.
 */
static inline uint64
kg_key_prefix(const char *key, uint32 len)
{
	uint64 bytes;

	if (len >= sizeof(bytes))
		memcpy(&bytes, key, sizeof(bytes));
	else if (len == 0)
		return 0;
	else
		memcpy(&bytes, key + len - sizeof(bytes), sizeof(bytes));
#ifdef WORDS_BIGENDIAN
	return len >= sizeof(bytes) ? bytes : bytes << (8 * (sizeof(bytes) - len));
#else
	if (len < sizeof(bytes))
		bytes >>= 8 * (sizeof(bytes) - len);
	return pg_bswap64(bytes);
#endif
}

extern void kg_val_from_jsonb(KgJsVal *v, const Jsonb *jsonb);
/*
 * Converts any JsonbValue to a KgJsVal. Serializes a value that is not yet in
 * binary form.
 */
extern void kg_val_from_value(KgJsVal *v, const JsonbValue *value);
extern void kg_val_to_value(const KgJsVal *v, JsonbValue *value);
/*
 * Finds a member of an object and sets *member. Returns false if the object
 * does not have it.
 */
extern bool kg_val_get(const KgJsVal *object, const char *key, int len,
					   KgJsVal *member);
extern bool kg_val_at(const KgJsVal *array, int index, KgJsVal *item);
extern bool kg_val_is(const KgJsVal *v, const char *s);
extern char *kg_val_cstring(const KgJsVal *v);

/*
 * Returns true if two values are equal in JSON: numbers by value, objects with
 * members in any order.
 */
extern bool kg_val_equal(const KgJsVal *a, const KgJsVal *b);
extern uint32 kg_val_hash(const KgJsVal *v);

/* Returns the name of a type in JSON, such as "null" or "boolean". */
extern const char *kg_type_name(int type);

#endif /* KG_VALUE_H */
