/*
 * packed_keys.c
 *	  Encoding all keys of an entity as one value (kg_entity.index_keys).
 */
#include "postgres.h"

#include "model/key.h"
#include "model/packed_keys.h"

static int
compare_items(const void *pa, const void *pb)
{
	const KgKeyItem *a = pa;
	const KgKeyItem *b = pb;

	if (a->field_no != b->field_no)
		return a->field_no < b->field_no ? -1 : 1;
	return kg_key_compare(a->key, b->key);
}

bytea *
kg_keys_pack(KgKeyItem *items, int n)
{
	Size size = VARHDRSZ;
	bytea *packed;
	unsigned char *p;

	if (n > 1)
		qsort(items, n, sizeof(KgKeyItem), compare_items);
	for (int i = 0; i < n; i++)
		size += KG_PACKED_HEADER + VARSIZE(items[i].key) - VARHDRSZ;
	packed = palloc(size);
	SET_VARSIZE(packed, size);
	p = (unsigned char *) VARDATA(packed);
	for (int i = 0; i < n; i++)
	{
		int len = VARSIZE(items[i].key) - VARHDRSZ;

		/*
		 * These errors cannot occur, because types have fewer fields and
		 * kg_graph.max_key_bytes is lower.
		 */
		if (items[i].field_no > PG_UINT16_MAX || len > PG_UINT16_MAX)
			elog(ERROR, "key of %d bytes does not fit", len);
		*p++ = items[i].field_no >> 8;
		*p++ = items[i].field_no;
		*p++ = len >> 8;
		*p++ = len;
		memcpy(p, VARDATA(items[i].key), len);
		p += len;
	}
	return packed;
}

bool
kg_keys_same(const bytea *a, const bytea *b)
{
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

int
kg_packed_key_compare(const KgPackedKey *a, const KgPackedKey *b)
{
	int order;

	if (a->field_no != b->field_no)
		return a->field_no < b->field_no ? -1 : 1;
	order = memcmp(a->data, b->data, Min(a->len, b->len));
	return order ? order : a->len - b->len;
}

bytea *
kg_packed_key_copy(const KgPackedKey *key)
{
	bytea *copy = palloc(VARHDRSZ + key->len);

	SET_VARSIZE(copy, VARHDRSZ + key->len);
	memcpy(VARDATA(copy), key->data, key->len);
	return copy;
}
