/*
 * splice.c
 *	  Putting finished jsonb documents into an object without taking them
 *	  apart.
 *
 * pushJsonbValue() unpacks a container member by member and builds it again,
 * which for a reply inside an envelope inside a message is most of the work.
 * The format (utils/jsonb.h) needs none of it: a container's bytes hold only
 * relative offsets and may stand wherever they are aligned to four bytes.
 * With so few members only the first entry holds an offset.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/splice.h"
#include "lib/stringinfo.h"

StaticAssertDecl(2 * KG_SPLICE_MEMBERS <= JB_OFFSET_STRIDE,
				 "only the first entry of a spliced object holds an offset");

void
kg_splice_init(KgSplice *splice)
{
	splice->n = 0;
}

/* The order of keys in an object: shorter ones first, then by byte. */
static int
compare_keys(const char *a, const char *b)
{
	size_t la = strlen(a);
	size_t lb = strlen(b);

	return la != lb ? (la > lb ? 1 : -1) : memcmp(a, b, la);
}

void
kg_splice_add(KgSplice *splice, const char *key, const JsonbValue *value)
{
	int at = splice->n;

	if (splice->n == KG_SPLICE_MEMBERS)
		elog(ERROR, "too many members in a spliced object");
	while (at > 0 && compare_keys(splice->members[at - 1].key, key) > 0)
	{
		splice->members[at] = splice->members[at - 1];
		at--;
	}
	splice->members[at].key = key;
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

/* Zero bytes up to the alignment of numbers and containers. */
static void
align(StringInfo out)
{
	while (out->len % 4 != 0)
		appendStringInfoChar(out, '\0');
}

/* Append the value's bytes; returns the type bits of its entry. */
static JEntry
append_value(StringInfo out, const JsonbValue *value)
{
	switch ((int) value->type)
	{
		case jbvNull:
			return JENTRY_ISNULL;
		case jbvBool:
			return value->val.boolean ? JENTRY_ISBOOL_TRUE
									  : JENTRY_ISBOOL_FALSE;
		case jbvString:
			appendBinaryStringInfo(
				out, value->val.string.val, value->val.string.len);
			return JENTRY_ISSTRING;
		case jbvNumeric:
			align(out);
			appendBinaryStringInfo(out,
								   (const char *) value->val.numeric,
								   VARSIZE_ANY(value->val.numeric));
			return JENTRY_ISNUMERIC;
		case jbvBinary:
			align(out);
			appendBinaryStringInfo(out,
								   (const char *) value->val.binary.data,
								   value->val.binary.len);
			return JENTRY_ISCONTAINER;
		default:
			elog(ERROR, "unexpected kind of value in a spliced object");
			return 0;
	}
}

/* Bytes of a value, with what aligns it. */
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

/* The object below what is before it, in as much room as it takes. */
static void
write_object(KgSplice *splice, int before, StringInfo out)
{
	int n = splice->n;
	JEntry entries[2 * KG_SPLICE_MEMBERS];
	int head = before + sizeof(uint32) + 2 * n * sizeof(JEntry);
	uint32 header = n | JB_FOBJECT;
	Size size = head + 1;

	for (int i = 0; i < n; i++)
		size += strlen(splice->members[i].key) +
				value_size(&splice->members[i].value);
	if (size > JENTRY_OFFLENMASK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("reply is larger than a jsonb document can be")));
	out->data = palloc(size);
	out->maxlen = size;
	out->cursor = 0;
	out->len = head;
	for (int i = 0; i < 2 * n; i++)
	{
		int start = out->len;
		JEntry type = JENTRY_ISSTRING;

		if (i < n)
			appendStringInfoString(out, splice->members[i].key);
		else
			type = append_value(out, &splice->members[i - n].value);
		entries[i] = type | (out->len - start);
	}
	if (n > 0)
		entries[0] |= JENTRY_HAS_OFF; /* its end is its length */
	memcpy(out->data + before, &header, sizeof(header));
	memcpy(
		out->data + before + sizeof(header), entries, 2 * n * sizeof(JEntry));
	SET_VARSIZE(out->data, out->len);
}

Jsonb *
kg_splice_finish(KgSplice *splice)
{
	StringInfoData out;

	write_object(splice, VARHDRSZ, &out);
	return (Jsonb *) out.data;
}

Jsonb *
kg_splice_finish_array(KgSplice *splice)
{
	const uint32 header = 1 | JB_FARRAY;
	const int before = VARHDRSZ + sizeof(uint32) + sizeof(JEntry);
	StringInfoData out;
	JEntry entry;

	write_object(splice, before, &out);
	entry = JENTRY_ISCONTAINER | JENTRY_HAS_OFF | (out.len - before);
	memcpy(out.data + VARHDRSZ, &header, sizeof(header));
	memcpy(out.data + VARHDRSZ + sizeof(header), &entry, sizeof(entry));
	return (Jsonb *) out.data;
}
