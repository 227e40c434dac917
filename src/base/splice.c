/*
 * splice.c
 *	  Insertion of complete jsonb documents into a new object.
 *
 * pushJsonbValue() unpacks a container member by member and rebuilds it, which
 * is most of the work for a reply inside an envelope inside a message. The
 * format (utils/jsonb.h) does not require this. A container has relative
 * offsets only, and may be at any position aligned to four bytes. An object
 * with the few members of a KgSplice has an offset in its first entry only.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/splice.h"

StaticAssertDecl(2 * KG_SPLICE_MEMBERS <= JB_OFFSET_STRIDE,
				 "only the first entry of a spliced object holds an offset");

void
kg_splice_init(KgSplice *splice)
{
	splice->n = 0;
}

/*
 * Returns true if the key a is after the key b in the order of an object: by
 * length, then by bytes.
 */
static bool
comes_after(const char *a, int la, const char *b, int lb)
{
	return la != lb ? la > lb : memcmp(a, b, la) > 0;
}

void
kg_splice_add(KgSplice *splice, const char *key, const JsonbValue *value)
{
	int at = splice->n;
	int len = strlen(key);

	if (splice->n == KG_SPLICE_MEMBERS)
		elog(ERROR, "too many members in a spliced object");
	while (at > 0 && comes_after(splice->members[at - 1].key,
								 splice->members[at - 1].len,
								 key,
								 len))
	{
		splice->members[at] = splice->members[at - 1];
		at--;
	}
	splice->members[at].key = key;
	splice->members[at].len = len;
	splice->members[at].value = *value;
	splice->n++;
}

void
kg_splice_jsonb(KgSplice *splice, const char *key, const Jsonb *value)
{
	JsonbValue root;

	kg_json_root(value, &root);
	kg_splice_add(splice, key, &root);
}

void
kg_splice_string(KgSplice *splice, const char *key, const char *value)
{
	JsonbValue string = kg_json_string_value(value);

	kg_splice_add(splice, key, &string);
}

void
kg_splice_bool(KgSplice *splice, const char *key, bool value)
{
	JsonbValue boolean;

	boolean.type = jbvBool;
	boolean.val.boolean = value;
	kg_splice_add(splice, key, &boolean);
}

/*
 * Writes zero bytes up to the alignment of numbers and containers. Returns the
 * aligned position.
 */
static char *
align(const char *start, char *at)
{
	while ((at - start) % 4 != 0)
		*at++ = '\0';
	return at;
}

static char *
write_bytes(const void *bytes, Size len, char *at)
{
	memcpy(at, bytes, len);
	return at + len;
}

/*
 * Writes a value, for which there is space, and sets the type bits of its
 * entry. Returns the end of the value.
 */
static char *
write_value(const JsonbValue *value, const char *start, char *at, JEntry *type)
{
	switch ((int) value->type)
	{
		case jbvNull:
			*type = JENTRY_ISNULL;
			return at;
		case jbvBool:
			*type = value->val.boolean ? JENTRY_ISBOOL_TRUE
									   : JENTRY_ISBOOL_FALSE;
			return at;
		case jbvString:
			*type = JENTRY_ISSTRING;
			return write_bytes(
				value->val.string.val, value->val.string.len, at);
		case jbvNumeric:
			*type = JENTRY_ISNUMERIC;
			return write_bytes(value->val.numeric,
							   VARSIZE_ANY(value->val.numeric),
							   align(start, at));
		case jbvBinary:
			*type = JENTRY_ISCONTAINER;
			return write_bytes(value->val.binary.data,
							   value->val.binary.len,
							   align(start, at));
		default:
			elog(ERROR, "unexpected kind of value in a spliced object");
			return at;
	}
}

/* Returns the bytes of a value, alignment included. */
static Size
value_size(const JsonbValue *value)
{
	switch ((int) value->type)
	{
		case jbvString:
			return value->val.string.len;
		case jbvNumeric:
			return INTALIGN(VARSIZE_ANY(value->val.numeric)) + sizeof(int);
		case jbvBinary:
			return value->val.binary.len + sizeof(int);
		default:
			return 0;
	}
}

/*
 * Returns the object in a new jsonb, in which "before" bytes precede the
 * object.
 */
static Jsonb *
write_object(KgSplice *splice, int before)
{
	int n = splice->n;
	JEntry entries[2 * KG_SPLICE_MEMBERS];
	int head = before + sizeof(uint32) + 2 * n * sizeof(JEntry);
	uint32 header = n | JB_FOBJECT;
	Size size = head;
	char *out;
	char *at;

	for (int i = 0; i < n; i++)
		size += splice->members[i].len + value_size(&splice->members[i].value);
	if (size > JENTRY_OFFLENMASK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("reply is larger than a jsonb document can be")));
	out = palloc(size);
	at = out + head;
	for (int i = 0; i < 2 * n; i++)
	{
		const char *start = at;
		JEntry type = JENTRY_ISSTRING;

		if (i < n)
			at = write_bytes(
				splice->members[i].key, splice->members[i].len, at);
		else
			at = write_value(&splice->members[i - n].value, out, at, &type);
		entries[i] = type | (at - start);
	}
	if (n > 0)
		/*
		 * the end offset of the first entry equals its length, so only the
		 * flag must be set
		 */
		entries[0] |= JENTRY_HAS_OFF;
	memcpy(out + before, &header, sizeof(header));
	memcpy(out + before + sizeof(header), entries, 2 * n * sizeof(JEntry));
	SET_VARSIZE(out, at - out);
	return (Jsonb *) out;
}

Jsonb *
kg_splice_finish(KgSplice *splice)
{
	return write_object(splice, VARHDRSZ);
}

Jsonb *
kg_splice_finish_array(KgSplice *splice)
{
	const uint32 header = 1 | JB_FARRAY;
	const int before = VARHDRSZ + sizeof(uint32) + sizeof(JEntry);
	Jsonb *out = write_object(splice, before);
	JEntry entry = JENTRY_ISCONTAINER | JENTRY_HAS_OFF |
				   (VARSIZE(out) - before);

	memcpy((char *) out + VARHDRSZ, &header, sizeof(header));
	memcpy((char *) out + VARHDRSZ + sizeof(header), &entry, sizeof(entry));
	return out;
}
