/*
 * json.c
 *	  JSON values: arena, construction, lookup, comparison, writing.
 *	  The reader is in json_read.c.
 */
#define _GNU_SOURCE /* memmem() */
#include <stdlib.h>
#include <string.h>

#include "kgctl/json.h"

/* Limits of PostgreSQL's type numeric. */
#define MAX_DIGITS 131072
#define MAX_SCALE 16383
#define MAX_EXPONENT 1000000000L

#define ARENA_CHUNK 4096
#define ARENA_CHUNK_MAX (256 * 1024)

typedef struct Chunk
{
	struct Chunk *next;
	size_t used;
	size_t size;
} Chunk;

struct KgArena
{
	Chunk *chunks;
	size_t next_size;
	size_t size; /* size of all chunks in bytes */
};

KgArena *
kg_arena_new(void)
{
	KgArena *arena = kg_calloc(1, sizeof(KgArena));

	arena->next_size = ARENA_CHUNK;
	return arena;
}

void
kg_arena_free(KgArena *arena)
{
	Chunk *chunk;

	if (arena == NULL)
		return;
	chunk = arena->chunks;
	while (chunk != NULL)
	{
		Chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	free(arena);
}

void
kg_arena_reset(KgArena *arena)
{
	Chunk *kept = arena->chunks;

	if (kept == NULL)
		return;
	while (kept->next != NULL)
	{
		Chunk *next = kept->next;

		kept->next = next->next;
		free(next);
	}
	kept->used = 0;
	arena->size = sizeof(Chunk) + kept->size;
}

size_t
kg_arena_size(const KgArena *arena)
{
	return arena->size;
}

void *
kg_arena_alloc(KgArena *arena, size_t size)
{
	Chunk *chunk = arena->chunks;
	void *p;

	size = (size + 7) & ~(size_t) 7;
	if (chunk == NULL || chunk->size - chunk->used < size)
	{
		size_t want = arena->next_size;

		if (want < size)
			want = size;
		chunk = kg_malloc(sizeof(Chunk) + want);
		chunk->used = 0;
		chunk->size = want;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->size += sizeof(Chunk) + want;
		if (arena->next_size < ARENA_CHUNK_MAX)
			arena->next_size *= 2;
	}
	p = (char *) (chunk + 1) + chunk->used;
	chunk->used += size;
	return p;
}

char *
kg_arena_strndup(KgArena *arena, const char *s, size_t len)
{
	char *copy = kg_arena_alloc(arena, len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *
kg_arena_format(KgArena *arena, const char *fmt, ...)
{
	KgBuf text;
	va_list args;
	char *copy;

	kg_buf_init(&text);
	va_start(args, fmt);
	kg_buf_vprintf(&text, fmt, args);
	va_end(args);
	copy = kg_arena_strndup(arena, text.data, text.len);
	kg_buf_free(&text);
	return copy;
}

KgJson *
kg_json_new(KgArena *arena, KgJsonKind kind)
{
	KgJson *value = kg_arena_alloc(arena, sizeof(KgJson));

	memset(value, 0, sizeof(*value));
	value->kind = kind;
	return value;
}

KgJson *
kg_json_string(KgArena *arena, const char *s, size_t len)
{
	KgJson *value = kg_json_new(arena, KG_JSON_STRING);

	value->u.text = kg_arena_strndup(arena, s, len);
	value->len = len;
	return value;
}

KgJson *
kg_json_number(KgArena *arena, const char *s, size_t len)
{
	KgJson *value = kg_json_string(arena, s, len);

	value->kind = KG_JSON_NUMBER;
	return value;
}

KgJson *
kg_json_bool(KgArena *arena, bool boolean)
{
	KgJson *value = kg_json_new(arena, KG_JSON_BOOL);

	value->u.boolean = boolean;
	return value;
}

KgJson *
kg_json_object(KgArena *arena)
{
	return kg_json_new(arena, KG_JSON_OBJECT);
}

KgJson *
kg_json_array(KgArena *arena)
{
	return kg_json_new(arena, KG_JSON_ARRAY);
}

/*
 * Returns a vector of len elements that has room for one more; it is "old", or
 * an enlarged copy. A vector grows whenever its length is a power of two (from
 * 4 on), so its capacity need not be stored.
 */
static void *
grow(KgArena *arena, void *old, size_t len, size_t width)
{
	void *bigger;

	if (len != 0 && (len < 4 || (len & (len - 1)) != 0))
		return old;
	bigger = kg_arena_alloc(arena, (len ? len * 2 : 4) * width);
	if (len > 0)
		memcpy(bigger, old, len * width);
	return bigger;
}

void
kg_json_push(KgArena *arena, KgJson *array, KgJson *item)
{
	array->u.items = grow(arena, array->u.items, array->len, sizeof(KgJson *));
	array->u.items[array->len++] = item;
}

void
kg_json_set(KgArena *arena, KgJson *object, const char *key, size_t keylen,
			KgJson *value)
{
	KgctlMember *member;

	object->u.members = grow(
		arena, object->u.members, object->len, sizeof(KgctlMember));
	member = &object->u.members[object->len++];
	member->key = kg_arena_strndup(arena, key, keylen);
	member->keylen = keylen;
	member->value = value;
}

void
kg_json_put(KgArena *arena, KgJson *object, const char *key, KgJson *value)
{
	if (value != NULL)
		kg_json_set(arena, object, key, strlen(key), value);
}

static bool
same_key(const KgctlMember *member, const char *key, size_t keylen)
{
	return member->keylen == keylen && memcmp(member->key, key, keylen) == 0;
}

static int
compare_members(const void *a, const void *b)
{
	const KgctlMember *x = *(const KgctlMember *const *) a;
	const KgctlMember *y = *(const KgctlMember *const *) b;
	size_t n = x->keylen < y->keylen ? x->keylen : y->keylen;
	int order = memcmp(x->key, y->key, n);

	if (order != 0)
		return order;
	return x->keylen < y->keylen ? -1 : x->keylen > y->keylen;
}

/*
 * Returns the members of an object, sorted by key. The caller frees the array.
 */
static const KgctlMember **
sorted_members(const KgJson *object)
{
	const KgctlMember **sorted = kg_malloc(object->len * sizeof(KgctlMember *));

	for (size_t i = 0; i < object->len; i++)
		sorted[i] = &object->u.members[i];
	qsort(sorted, object->len, sizeof(KgctlMember *), compare_members);
	return sorted;
}

/*
 * Maximal number of members for which comparing all pairs is faster than
 * sorting.
 */
#define FEW 12

bool
kg_json_duplicate(const KgJson *object, const KgctlMember **which)
{
	const KgctlMember *members = object->u.members;
	const KgctlMember **sorted;

	*which = NULL;
	if (object->len <= FEW)
	{
		for (size_t i = 1; i < object->len; i++)
			for (size_t j = 0; j < i; j++)
				if (same_key(&members[i], members[j].key, members[j].keylen))
				{
					*which = &members[i];
					return true;
				}
		return false;
	}
	sorted = sorted_members(object);
	for (size_t i = 1; i < object->len && *which == NULL; i++)
		if (compare_members(&sorted[i - 1], &sorted[i]) == 0)
			*which = sorted[i] > sorted[i - 1] ? sorted[i] : sorted[i - 1];
	free(sorted);
	return *which != NULL;
}

KgJson *
kgctl_json_get(const KgJson *object, const char *key)
{
	size_t keylen = strlen(key);

	if (object == NULL || object->kind != KG_JSON_OBJECT)
		return NULL;
	for (size_t i = 0; i < object->len; i++)
		if (same_key(&object->u.members[i], key, keylen))
			return object->u.members[i].value;
	return NULL;
}

size_t
kgctl_json_length(const KgJson *array)
{
	return array != NULL && array->kind == KG_JSON_ARRAY ? array->len : 0;
}

bool
kg_json_is_true(const KgJson *value)
{
	return value != NULL && value->kind == KG_JSON_BOOL && value->u.boolean;
}

bool
kg_json_is_false(const KgJson *value)
{
	return value != NULL && value->kind == KG_JSON_BOOL && !value->u.boolean;
}

bool
kg_json_is_id(const KgJson *value)
{
	return value != NULL &&
		   (value->kind == KG_JSON_STRING || value->kind == KG_JSON_NUMBER);
}

const char *
kgctl_json_text(const KgJson *value)
{
	if (value == NULL || value->kind != KG_JSON_STRING)
		return NULL;
	return value->u.text;
}

const char *
kg_json_get_text(const KgJson *object, const char *key)
{
	return kgctl_json_text(kgctl_json_get(object, key));
}

const char *
kg_json_text_or(const KgJson *object, const char *key, const char *otherwise)
{
	const char *text = kg_json_get_text(object, key);

	return text ? text : otherwise;
}

static size_t
digits(const char *s, size_t len, size_t at)
{
	size_t start = at;

	while (at < len && s[at] >= '0' && s[at] <= '9')
		at++;
	return at - start;
}

/* Returns whether s is a number in the grammar of RFC 8259. */
bool
kg_json_is_number(const char *s, size_t len)
{
	size_t at = 0;
	size_t n;

	if (at < len && s[at] == '-')
		at++;
	n = digits(s, len, at);
	if (n == 0 || (n > 1 && s[at] == '0'))
		return false;
	at += n;
	if (at < len && s[at] == '.')
	{
		n = digits(s, len, ++at);
		if (n == 0)
			return false;
		at += n;
	}
	if (at < len && (s[at] == 'e' || s[at] == 'E'))
	{
		at++;
		if (at < len && (s[at] == '+' || s[at] == '-'))
			at++;
		n = digits(s, len, at);
		if (n == 0)
			return false;
		at += n;
	}
	return at == len;
}

bool
kg_json_number_fits(const char *s, size_t len)
{
	size_t at = *s == '-';
	size_t whole = digits(s, len, at);
	size_t fraction = 0;
	size_t first = at; /* position of the first digit that is not 0 */
	long exponent = 0;
	long before; /* number of digits before the point, without the exponent */
	bool zero;
	bool minus;

	if (!kg_json_is_number(s, len))
		return false;
	while (first < len && (s[first] == '0' || s[first] == '.'))
		first++;
	zero = first == len || digits(s, len, first) == 0;
	before = first == at ? (long) whole : (long) at + 2 - (long) first;
	at += whole;
	if (at < len && s[at] == '.')
	{
		fraction = digits(s, len, ++at);
		at += fraction;
	}
	minus = at + 1 < len && s[at + 1] == '-';
	for (at++; at < len; at++)
		if (digits(s, len, at) > 0 &&
			(exponent = 10 * exponent + s[at] - '0') > MAX_EXPONENT)
			return false;
	exponent = minus ? -exponent : exponent;
	return (zero || before + exponent <= MAX_DIGITS) &&
		   (long) fraction - exponent <= MAX_SCALE;
}

bool
kg_json_is_integer(const KgJson *value)
{
	return value != NULL && value->kind == KG_JSON_NUMBER &&
		   strpbrk(value->u.text, ".eE") == NULL;
}

/*
 * A number, split into its sign, its significant digits and the exponent of the
 * last digit.
 */
typedef struct Decimal
{
	bool negative;
	/* the digits without leading and trailing zeros; zero has no digits */
	char *digits;
	long exponent;
} Decimal;

static void
read_decimal(const char *s, Decimal *out)
{
	KgBuf buf;
	size_t skip;

	kg_buf_init(&buf);
	out->exponent = 0;
	out->negative = *s == '-';
	if (out->negative)
		s++;
	for (; *s >= '0' && *s <= '9'; s++)
		kg_buf_putc(&buf, *s);
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++)
		{
			kg_buf_putc(&buf, *s);
			out->exponent--;
		}
	/*
	 * strtol() saturates at a value that is far outside the range of numeric,
	 * so no check is needed.
	 */
	if (*s == 'e' || *s == 'E')
	{
		long exponent = strtol(s + 1, NULL, 10);

		if (exponent > 1000000000L)
			exponent = 1000000000L;
		if (exponent < -1000000000L)
			exponent = -1000000000L;
		out->exponent += exponent;
	}
	while (buf.len > 0 && buf.data[buf.len - 1] == '0')
	{
		buf.data[--buf.len] = '\0';
		out->exponent++;
	}
	skip = buf.len > 0 ? strspn(buf.data, "0") : 0;
	out->digits = kg_strndup(buf.len ? buf.data + skip : "", buf.len - skip);
	if (out->digits[0] == '\0')
	{
		out->negative = false;
		out->exponent = 0;
	}
	kg_buf_free(&buf);
}

static bool
equal_numbers(const KgJson *a, const KgJson *b)
{
	Decimal x;
	Decimal y;
	bool equal;

	if (strcmp(a->u.text, b->u.text) == 0)
		return true;
	read_decimal(a->u.text, &x);
	read_decimal(b->u.text, &y);
	equal = x.negative == y.negative && x.exponent == y.exponent &&
			strcmp(x.digits, y.digits) == 0;
	free(x.digits);
	free(y.digits);
	return equal;
}

static bool
equal_objects(const KgJson *a, const KgJson *b)
{
	const KgctlMember **x;
	const KgctlMember **y;
	bool equal = true;

	if (a->len != b->len)
		return false;
	x = sorted_members(a);
	y = sorted_members(b);
	for (size_t i = 0; i < a->len && equal; i++)
		equal = same_key(x[i], y[i]->key, y[i]->keylen) &&
				kg_json_equal(x[i]->value, y[i]->value);
	free(x);
	free(y);
	return equal;
}

bool
kg_json_equal(const KgJson *a, const KgJson *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind)
	{
		case KG_JSON_NULL:
			return true;
		case KG_JSON_BOOL:
			return a->u.boolean == b->u.boolean;
		case KG_JSON_NUMBER:
			return equal_numbers(a, b);
		case KG_JSON_STRING:
			return a->len == b->len &&
				   memcmp(a->u.text, b->u.text, a->len) == 0;
		case KG_JSON_ARRAY:
			if (a->len != b->len)
				return false;
			for (size_t i = 0; i < a->len; i++)
				if (!kg_json_equal(a->u.items[i], b->u.items[i]))
					return false;
			return true;
		case KG_JSON_OBJECT:
			return equal_objects(a, b);
		case KG_JSON_RAW:
			return a->len == b->len &&
				   memcmp(a->u.text, b->u.text, a->len) == 0;
	}
	return false;
}

static void
newline(KgBuf *out, int indent)
{
	if (indent < 0)
		return;
	kg_buf_putc(out, '\n');
	for (int i = 0; i < indent; i++)
		kg_buf_puts(out, "  ");
}

void
kg_json_write(KgBuf *out, const KgJson *value, int indent)
{
	int inner = indent < 0 ? indent : indent + 1;

	switch (value->kind)
	{
		case KG_JSON_NULL:
			kg_buf_puts(out, "null");
			break;
		case KG_JSON_BOOL:
			kg_buf_puts(out, value->u.boolean ? "true" : "false");
			break;
		case KG_JSON_NUMBER:
		case KG_JSON_RAW:
			kg_buf_add(out, value->u.text, value->len);
			break;
		case KG_JSON_STRING:
			kg_buf_json(out, value->u.text, value->len);
			break;
		case KG_JSON_ARRAY:
			kg_buf_putc(out, '[');
			for (size_t i = 0; i < value->len; i++)
			{
				if (i > 0)
					kg_buf_putc(out, ',');
				newline(out, inner);
				kg_json_write(out, value->u.items[i], inner);
			}
			if (value->len > 0)
				newline(out, indent);
			kg_buf_putc(out, ']');
			break;
		case KG_JSON_OBJECT:
			kg_buf_putc(out, '{');
			for (size_t i = 0; i < value->len; i++)
			{
				const KgctlMember *member = &value->u.members[i];

				if (i > 0)
					kg_buf_putc(out, ',');
				newline(out, inner);
				kg_buf_json(out, member->key, member->keylen);
				kg_buf_puts(out, indent < 0 ? ":" : ": ");
				kg_json_write(out, member->value, inner);
			}
			if (value->len > 0)
				newline(out, indent);
			kg_buf_putc(out, '}');
			break;
	}
}

static int
append(const char *text, size_t len, void *out)
{
	kg_buf_add(out, text, len);
	return 0;
}

void
kg_json_write_made(KgBuf *out, json_t *made)
{
	(void) json_dump_callback(
		made, append, out, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(made);
}

/* Returns the index after the string that starts at text[at] == '"'. */
static size_t
skip_string(const char *text, size_t len, size_t at)
{
	for (at++; at < len && text[at] != '"'; at++)
		if (text[at] == '\\')
			at++;
	return at < len ? at + 1 : len;
}

static size_t
skip_value(const char *text, size_t len, size_t at)
{
	int depth = 0;

	while (at < len)
	{
		char c = text[at];

		if (c == '"')
		{
			at = skip_string(text, len, at);
			if (depth == 0)
				return at;
			continue;
		}
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
		{
			if (depth == 0)
				return at;
			if (--depth == 0)
				return at + 1;
		}
		else if (c == ',' && depth == 0)
			return at;
		at++;
	}
	return len;
}

/*
 * Returns whether a JSON string with these characters occurs in text, as a name
 * or as a value.
 */
static bool
has_string(const char *text, size_t len, const char *string, size_t string_len)
{
	const char *end = text + len;

	while ((text = memmem(text, (size_t) (end - text), string, string_len)) !=
		   NULL)
	{
		if (text[-1] == '"' && text + string_len < end &&
			text[string_len] == '"')
			return true;
		text++;
	}
	return false;
}

bool
kg_json_scan(const char *text, size_t len, const char *key, const char **value,
			 size_t *value_len)
{
	size_t keylen = strlen(key);
	size_t at = 0;

	/*
	 * Search for the name first: usually it does not occur, and a search is
	 * much faster than parsing.
	 */
	if (len == 0 || !has_string(text + 1, len - 1, key, keylen))
		return false;
	while (at < len && text[at] != '{')
		at++;
	at++;
	while (at < len)
	{
		size_t start;
		size_t end;

		while (at < len && text[at] != '"' && text[at] != '}')
			at++;
		if (at >= len || text[at] == '}')
			return false;
		start = at + 1;
		at = skip_string(text, len, at);
		end = at - 1;
		while (at < len && (text[at] == ':' || text[at] == ' '))
			at++;
		if (end - start == keylen && memcmp(text + start, key, keylen) == 0)
		{
			*value = text + at;
			*value_len = skip_value(text, len, at) - at;
			return true;
		}
		at = skip_value(text, len, at);
	}
	return false;
}
