/*
 * json_write.c
 *	  Writer of binary jsonb.
 *
 * The server builds a tree of values and converts it at the end, which unpacks
 * and rebuilds every inserted container. Replies are mostly stored documents in
 * an envelope. Therefore this writer creates the binary form directly and
 * copies containers, whose offsets are relative. The output has the same bytes
 * as the output of the server (see the test).
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/json.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#define KG_MAX_WRITTEN_DEPTH 2000

typedef struct KgJsonEntry
{
	uint32 type; /* JENTRY_IS... */
	uint32 order;
	uint32 key; /* offset into bytes */
	uint32 keylen;
	/* offset into bytes, aligned if the type requires it */
	uint32 value;
	uint32 len;
} KgJsonEntry;

typedef struct KgJsonFrame
{
	struct KgJsonFrame *outer;
	bool object;
	bool has_key;
	uint32 key;
	uint32 keylen;
	int n;
	int allocated;
	KgJsonEntry *entries;
	StringInfoData bytes;
} KgJsonFrame;

void
kg_jw_init(KgJsonWriter *w)
{
	memset(w, 0, sizeof(*w));
	w->context = CurrentMemoryContext;
}

static KG_NORETURN void
throw_too_large(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a JSON document exceeds the maximum of %u bytes",
					JENTRY_OFFLENMASK)));
}

static void
begin(KgJsonWriter *w, bool object)
{
	KgJsonFrame *frame = w->spare;

	if (++w->depth > KG_MAX_WRITTEN_DEPTH)
		elog(ERROR, "JSON document nested too deeply");
	if (frame)
	{
		w->spare = frame->outer;
		frame->n = 0;
		frame->bytes.len = 0;
	}
	else
	{
		MemoryContext old = MemoryContextSwitchTo(w->context);

		frame = palloc(sizeof(*frame));
		frame->n = 0;
		frame->allocated = 8;
		frame->entries = palloc(frame->allocated * sizeof(KgJsonEntry));
		initStringInfo(&frame->bytes);
		MemoryContextSwitchTo(old);
	}
	frame->object = object;
	frame->has_key = false;
	frame->outer = w->frame;
	w->frame = frame;
}

static uint32
add_bytes(KgJsonFrame *frame, const char *data, uint32 len, bool align)
{
	uint32 at;

	if (len > JENTRY_OFFLENMASK ||
		frame->bytes.len + (Size) len + 8 > JENTRY_OFFLENMASK)
		throw_too_large();
	enlargeStringInfo(&frame->bytes, len + 4);
	if (align)
		while (frame->bytes.len % sizeof(int32) != 0)
			frame->bytes.data[frame->bytes.len++] = '\0';
	at = frame->bytes.len;
	memcpy(frame->bytes.data + at, data, len);
	frame->bytes.len += len;
	return at;
}

static KgJsonEntry *
add_entry(KgJsonFrame *frame, uint32 type)
{
	KgJsonEntry *entry;

	Assert(frame->object == frame->has_key);
	if (frame->n == frame->allocated)
	{
		frame->allocated *= 2;
		frame->entries = repalloc_huge(frame->entries,
									   frame->allocated * sizeof(KgJsonEntry));
	}
	entry = &frame->entries[frame->n];
	entry->type = type;
	entry->order = frame->n++;
	entry->key = frame->key;
	entry->keylen = frame->keylen;
	entry->value = 0;
	entry->len = 0;
	frame->has_key = false;
	return entry;
}

static void
add_value(KgJsonFrame *frame, uint32 type, const char *data, uint32 len)
{
	KgJsonEntry *entry = add_entry(frame, type);

	entry->len = len;
	if (len > 0)
		entry->value = add_bytes(frame, data, len, type != JENTRY_ISSTRING);
}

/* Compares keys in jsonb's order: by length, then by bytes. */
static int
compare_keys(const KgJsonEntry *a, const KgJsonEntry *b, const char *bytes)
{
	if (a->keylen != b->keylen)
		return a->keylen < b->keylen ? -1 : 1;
	return memcmp(bytes + a->key, bytes + b->key, a->keylen);
}

static int
compare_entries(const void *a, const void *b, void *arg)
{
	const KgJsonEntry *x = a;
	const KgJsonEntry *y = b;
	int cmp = compare_keys(x, y, arg);

	return cmp != 0 ? cmp : x->order < y->order ? -1 : 1;
}

static void
sort_members(KgJsonFrame *frame)
{
	KgJsonEntry *entries = frame->entries;
	int n = 0;

	if (frame->n < 2)
		return;
	if (frame->n > 12)
		qsort_arg(entries,
				  frame->n,
				  sizeof(KgJsonEntry),
				  compare_entries,
				  frame->bytes.data);
	else
		for (int i = 1; i < frame->n; i++)
		{
			KgJsonEntry entry = entries[i];
			int j = i;

			for (; j > 0 &&
				   compare_keys(&entries[j - 1], &entry, frame->bytes.data) > 0;
				 j--)
				entries[j] = entries[j - 1];
			entries[j] = entry;
		}
	for (int i = 0; i < frame->n; i++)
	{
		if (n > 0 &&
			compare_keys(&entries[n - 1], &entries[i], frame->bytes.data) == 0)
			n--;
		entries[n++] = entries[i];
	}
	frame->n = n;
}

/*
 * Returns an upper bound of the bytes that a frame needs. Raises an error if it
 * is above the limit of jsonb.
 */
static Size
frame_bound(const KgJsonFrame *frame)
{
	Size bound = sizeof(uint32) + (Size) frame->n * 2 * sizeof(JEntry) +
				 frame->bytes.len + (Size) frame->n * 4 + 8;

	if (bound > JENTRY_OFFLENMASK)
		throw_too_large();
	return bound;
}

static inline void
put_entry(JEntry *entries, int i, uint32 type, uint32 len, uint32 total)
{
	if (i % JB_OFFSET_STRIDE == 0)
		entries[i] = type | JENTRY_HAS_OFF | total;
	else
		entries[i] = type | len;
}

/* Writes a frame's container at dst, which is aligned.  Returns its length. */
static uint32
encode(KgJsonFrame *frame, char *dst)
{
	JsonbContainer *container = (JsonbContainer *) dst;
	int nentries = frame->object ? 2 * frame->n : frame->n;
	char *data = (char *) &container->children[nentries];
	const char *bytes = frame->bytes.data;
	uint32 total = 0;
	int at = 0;

	container->header = frame->n | (frame->object ? JB_FOBJECT : JB_FARRAY);
	if (frame->object)
		for (int i = 0; i < frame->n; i++)
		{
			const KgJsonEntry *entry = &frame->entries[i];

			memcpy(data + total, bytes + entry->key, entry->keylen);
			total += entry->keylen;
			put_entry(container->children,
					  at++,
					  JENTRY_ISSTRING,
					  entry->keylen,
					  total);
		}
	for (int i = 0; i < frame->n; i++)
	{
		const KgJsonEntry *entry = &frame->entries[i];
		uint32 before = total;

		if (entry->type == JENTRY_ISNUMERIC ||
			entry->type == JENTRY_ISCONTAINER)
			while (total % sizeof(int32) != 0)
				data[total++] = '\0';
		memcpy(data + total, bytes + entry->value, entry->len);
		total += entry->len;
		put_entry(
			container->children, at++, entry->type, total - before, total);
	}
	return data + total - dst;
}

static void
end(KgJsonWriter *w, bool object)
{
	KgJsonFrame *frame = w->frame;
	KgJsonFrame *outer = frame->outer;
	Size bound;

	Assert(frame->object == object && !frame->has_key);
	if (object)
		sort_members(frame);
	bound = frame_bound(frame);
	if (outer)
	{
		KgJsonEntry *entry = add_entry(outer, JENTRY_ISCONTAINER);
		StringInfo bytes = &outer->bytes;

		if (bytes->len + bound > JENTRY_OFFLENMASK)
			throw_too_large();
		enlargeStringInfo(bytes, bound + 4);
		while (bytes->len % sizeof(int32) != 0)
			bytes->data[bytes->len++] = '\0';
		entry->value = bytes->len;
		entry->len = encode(frame, bytes->data + bytes->len);
		bytes->len += entry->len;
	}
	else
	{
		w->result = MemoryContextAlloc(w->context, VARHDRSZ + bound);
		SET_VARSIZE(w->result,
					VARHDRSZ + encode(frame, (char *) &w->result->root));
	}
	frame->outer = w->spare;
	w->spare = frame;
	w->frame = outer;
	w->depth--;
}

void
kg_jw_init_object(KgJsonWriter *w)
{
	kg_jw_init(w);
	begin(w, true);
}

void
kg_jw_init_array(KgJsonWriter *w)
{
	kg_jw_init(w);
	begin(w, false);
}

void
kg_jw_begin_object(KgJsonWriter *w)
{
	begin(w, true);
}

void
kg_jw_end_object(KgJsonWriter *w)
{
	end(w, true);
}

void
kg_jw_begin_array(KgJsonWriter *w)
{
	begin(w, false);
}

void
kg_jw_end_array(KgJsonWriter *w)
{
	end(w, false);
}

void
kg_jw_keyn(KgJsonWriter *w, const char *key, int len)
{
	KgJsonFrame *frame = w->frame;

	Assert(frame->object && !frame->has_key);
	frame->key = add_bytes(frame, key, len, false);
	frame->keylen = len;
	frame->has_key = true;
}

void
kg_jw_key(KgJsonWriter *w, const char *key)
{
	kg_jw_keyn(w, key, strlen(key));
}

/*
 * Returns a new jsonb with the value. If the value is a container in binary
 * form, its length is unknown, so its members are visited.
 */
static Jsonb *
convert(KgJsonWriter *w, const JsonbValue *value)
{
	MemoryContext old = MemoryContextSwitchTo(w->context);
	Jsonb *jsonb;

	/*
	 * The length of the container is unknown, so its members are visited to
	 * measure it.
	 */
	if (value->type == jbvBinary)
	{
		KgJsonbState state = {0};
		JsonbIterator *it = JsonbIteratorInit(
			(JsonbContainer *) value->val.binary.data);
		JsonbIteratorToken token;
		JsonbValue v;

		while ((token = JsonbIteratorNext(&it, &v, false)) != WJB_DONE)
			kg_jsonb_push(
				&state,
				token,
				token < WJB_BEGIN_ARRAY ||
						(token == WJB_BEGIN_ARRAY && v.val.array.rawScalar)
					? &v
					: NULL);
		jsonb = JsonbValueToJsonb(state.result);
	}
	else
		jsonb = JsonbValueToJsonb((JsonbValue *) value);
	MemoryContextSwitchTo(old);
	return jsonb;
}

static void
add_converted(KgJsonWriter *w, const JsonbValue *value)
{
	Jsonb *jsonb = convert(w, value);
	JsonbValue scalar;

	if (JB_ROOT_IS_SCALAR(jsonb))
	{
		JsonbExtractScalar(&jsonb->root, &scalar);
		kg_jw_value(w, &scalar);
	}
	else
		add_value(w->frame,
				  JENTRY_ISCONTAINER,
				  (char *) &jsonb->root,
				  VARSIZE(jsonb) - VARHDRSZ);
	pfree(jsonb);
}

void
kg_jw_value(KgJsonWriter *w, const JsonbValue *value)
{
	if (w->frame == NULL)
	{
		w->result = convert(w, value);
		return;
	}
	switch ((int) value->type)
	{
		case jbvNull:
			(void) add_entry(w->frame, JENTRY_ISNULL);
			break;
		case jbvBool:
			(void) add_entry(w->frame,
							 value->val.boolean ? JENTRY_ISBOOL_TRUE
												: JENTRY_ISBOOL_FALSE);
			break;
		case jbvString:
			add_value(w->frame,
					  JENTRY_ISSTRING,
					  value->val.string.val,
					  value->val.string.len);
			break;
		case jbvNumeric:
			add_value(w->frame,
					  JENTRY_ISNUMERIC,
					  (char *) value->val.numeric,
					  VARSIZE_ANY(value->val.numeric));
			break;
		case jbvBinary:
			if (value->val.binary.len > 0 &&
				!JsonContainerIsScalar(value->val.binary.data))
			{
				add_value(w->frame,
						  JENTRY_ISCONTAINER,
						  (char *) value->val.binary.data,
						  value->val.binary.len);
				break;
			}
			pg_fallthrough;
		default:
			add_converted(w, value);
			break;
	}
}

void
kg_jw_stringn(KgJsonWriter *w, const char *s, int len)
{
	JsonbValue value;

	value.type = jbvString;
	value.val.string.val = (char *) s;
	value.val.string.len = len;
	kg_jw_value(w, &value);
}

void
kg_jw_string(KgJsonWriter *w, const char *s)
{
	if (s == NULL)
		kg_jw_null(w);
	else
		kg_jw_stringn(w, s, strlen(s));
}

void
kg_jw_int(KgJsonWriter *w, int64 n)
{
	kg_jw_numeric(w, int64_to_numeric(n));
}

void
kg_jw_numeric(KgJsonWriter *w, Numeric n)
{
	JsonbValue value;

	value.type = jbvNumeric;
	value.val.numeric = n;
	kg_jw_value(w, &value);
}

void
kg_jw_bool(KgJsonWriter *w, bool b)
{
	JsonbValue value;

	value.type = jbvBool;
	value.val.boolean = b;
	kg_jw_value(w, &value);
}

void
kg_jw_null(KgJsonWriter *w)
{
	JsonbValue value;

	value.type = jbvNull;
	kg_jw_value(w, &value);
}

void
kg_jw_jsonb(KgJsonWriter *w, const Jsonb *jsonb)
{
	JsonbValue value;

	kg_json_root(jsonb, &value);
	kg_jw_value(w, &value);
}

void
kg_jw_member(KgJsonWriter *w, const KgJsonIter *member)
{
	kg_jw_keyn(w, member->key.val.string.val, member->key.val.string.len);
	kg_jw_value(w, &member->value);
}

void
kg_jw_members(KgJsonWriter *w, const JsonbContainer *object)
{
	kg_json_each(it, object)
		kg_jw_member(w, &it);
}

void
kg_jw_replaced(KgJsonWriter *w, const JsonbContainer *container,
			   KgJsonReplace replace)
{
	bool object = JsonContainerIsObject(container);

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	object ? kg_jw_begin_object(w) : kg_jw_begin_array(w);
	kg_json_each(it, container)
	{
		const JsonbContainer *inner = kg_json_container(&it.value);

		if (object)
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		if (replace(w, container, &it))
			continue;
		if (inner != NULL)
			kg_jw_replaced(w, inner, replace);
		else
			kg_jw_value(w, &it.value);
	}
	object ? kg_jw_end_object(w) : kg_jw_end_array(w);
}

void
kg_jw_kbegin_object(KgJsonWriter *w, const char *key)
{
	kg_jw_key(w, key);
	kg_jw_begin_object(w);
}

void
kg_jw_kbegin_array(KgJsonWriter *w, const char *key)
{
	kg_jw_key(w, key);
	kg_jw_begin_array(w);
}

void
kg_jw_kstring(KgJsonWriter *w, const char *key, const char *s)
{
	kg_jw_key(w, key);
	kg_jw_string(w, s);
}

void
kg_jw_kint(KgJsonWriter *w, const char *key, int64 n)
{
	kg_jw_key(w, key);
	kg_jw_int(w, n);
}

void
kg_jw_kbool(KgJsonWriter *w, const char *key, bool b)
{
	kg_jw_key(w, key);
	kg_jw_bool(w, b);
}

void
kg_jw_kjsonb(KgJsonWriter *w, const char *key, const Jsonb *jsonb)
{
	kg_jw_key(w, key);
	kg_jw_jsonb(w, jsonb);
}

void
kg_jw_kstring_if(KgJsonWriter *w, const char *key, const char *s)
{
	if (s)
		kg_jw_kstring(w, key, s);
}

void
kg_jw_kjsonb_if(KgJsonWriter *w, const char *key, const Jsonb *jsonb)
{
	if (jsonb)
		kg_jw_kjsonb(w, key, jsonb);
}

void
kg_jw_kstrings(KgJsonWriter *w, const char *key, char *const *strings, int n)
{
	kg_jw_kbegin_array(w, key);
	for (int i = 0; i < n; i++)
		kg_jw_string(w, strings[i]);
	kg_jw_end_array(w);
}

void
kg_jw_klist(KgJsonWriter *w, const char *key, const List *strings)
{
	ListCell *lc;

	kg_jw_kbegin_array(w, key);
	foreach(lc, strings)
		kg_jw_string(w, lfirst(lc));
	kg_jw_end_array(w);
}

Jsonb *
kg_jw_finish(KgJsonWriter *w)
{
	Jsonb *copy;

	if (w->frame)
		end(w, w->frame->object);
	Assert(w->frame == NULL && w->result != NULL);
	if (CurrentMemoryContext == w->context)
		return w->result;
	copy = palloc(VARSIZE(w->result));
	memcpy(copy, w->result, VARSIZE(w->result));
	return copy;
}

Jsonb *
kg_json_with(const Jsonb *object, const char *key, const JsonbValue *value)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_members(&w, &object->root);
	kg_jw_key(&w, key);
	kg_jw_value(&w, value);
	return kg_jw_finish(&w);
}

Jsonb *
kg_json_without(const Jsonb *object, const char *key)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, &object->root)
		if (!kg_json_string_is(&it.key, key))
			kg_jw_member(&w, &it);
	return kg_jw_finish(&w);
}
