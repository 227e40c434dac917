/*
 * json_read.c
 *	  A strict reader of JSON text (RFC 8259) that retains line numbers and
 *	  the text of numbers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/json.h"
#include "kgctl/utf8.h"

typedef struct Reader
{
	KgArena *arena;
	KgArena *items;		 /* arena of items, reset after each item; or NULL */
	const char *keys[3]; /* names of the enclosing members, outermost first */
	const char *text;
	size_t len;
	size_t at;
	unsigned line;
	size_t line_start;
	const char *source;
	char **error;
	KgBuf scratch;
} Reader;

static KgJson *read_value(Reader *r, int depth);

static KgJson *
fail(Reader *r, const char *what)
{
	if (*r->error == NULL)
		*r->error = kg_format("line %u, column %zu: %s",
							  r->line,
							  r->at - r->line_start + 1,
							  what);
	return NULL;
}

static void
skip_space(Reader *r)
{
	for (; r->at < r->len; r->at++)
	{
		char c = r->text[r->at];

		if (c == '\n')
		{
			r->line++;
			r->line_start = r->at + 1;
		}
		else if (c != ' ' && c != '\t' && c != '\r')
			return;
	}
}

static bool
read_hex4(Reader *r, uint32_t *out)
{
	uint32_t code = 0;

	if (r->len - r->at < 4)
		return false;
	for (int i = 0; i < 4; i++)
	{
		char c = r->text[r->at++];

		code <<= 4;
		if (c >= '0' && c <= '9')
			code |= (uint32_t) (c - '0');
		else if (c >= 'a' && c <= 'f')
			code |= (uint32_t) (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			code |= (uint32_t) (c - 'A' + 10);
		else
			return false;
	}
	*out = code;
	return true;
}

static bool
read_unicode_escape(Reader *r)
{
	uint32_t code;
	uint32_t low;
	char utf8[4];

	if (!read_hex4(r, &code))
		return fail(r, "bad \\u escape"), false;
	if (code == 0)
		return fail(r, "\\u0000 cannot be stored in jsonb"), false;
	if (code >= 0xDC00 && code <= 0xDFFF)
		return fail(r, "lone low surrogate"), false;
	if (code >= 0xD800 && code <= 0xDBFF)
	{
		if (r->len - r->at < 6 || r->text[r->at] != '\\' ||
			r->text[r->at + 1] != 'u')
			return fail(r, "lone high surrogate"), false;
		r->at += 2;
		if (!read_hex4(r, &low) || low < 0xDC00 || low > 0xDFFF)
			return fail(r, "lone high surrogate"), false;
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
	}
	kg_buf_add(&r->scratch, utf8, kg_utf8_encode(code, utf8));
	return true;
}

static bool
read_escape(Reader *r)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	const char *which;
	char c;

	if (r->at >= r->len)
		return fail(r, "unterminated string"), false;
	c = r->text[r->at++];
	if (c == 'u')
		return read_unicode_escape(r);
	which = c == '\0' ? NULL : strchr(from, c);
	if (which == NULL)
		return fail(r, "bad escape in a string"), false;
	kg_buf_putc(&r->scratch, to[which - from]);
	return true;
}

/*
 * Reads a string into r->scratch. The opening quote is at r->at. Returns false
 * on failure.
 */
static bool
read_string(Reader *r)
{
	r->scratch.len = 0;
	kg_buf_reserve(&r->scratch, 0);
	r->at++;
	for (;;)
	{
		size_t start = r->at;

		while (r->at < r->len && r->text[r->at] != '"' &&
			   r->text[r->at] != '\\' && (unsigned char) r->text[r->at] >= 0x20)
			r->at++;
		kg_buf_add(&r->scratch, r->text + start, r->at - start);
		if (r->at >= r->len)
			return fail(r, "unterminated string"), false;
		if (r->text[r->at] == '"')
			break;
		if (r->text[r->at] != '\\')
			return fail(r, "control character in a string"), false;
		r->at++;
		if (!read_escape(r))
			return false;
	}
	r->at++;
	return true;
}

static KgJson *
at_line(Reader *r, KgJson *value, unsigned line)
{
	value->line = line;
	value->source = r->source;
	return value;
}

static KgJson *
read_number(Reader *r)
{
	size_t start = r->at;

	while (r->at < r->len && r->text[r->at] != '\0' &&
		   strchr("+-.eE0123456789", r->text[r->at]) != NULL)
		r->at++;
	if (!kg_json_number_fits(r->text + start, r->at - start))
	{
		bool number = kg_json_is_number(r->text + start, r->at - start);

		r->at = start;
		return fail(r, number ? KG_JSON_NUMBER_LIMITS : "not a JSON value");
	}
	return at_line(
		r, kg_json_number(r->arena, r->text + start, r->at - start), r->line);
}

static KgJson *
read_word(Reader *r)
{
	static const struct
	{
		const char *word;
		KgJsonKind kind;
		bool boolean;
	} words[] = {{"null", KG_JSON_NULL, false},
				 {"true", KG_JSON_BOOL, true},
				 {"false", KG_JSON_BOOL, false}};

	for (size_t i = 0; i < 3; i++)
	{
		size_t n = strlen(words[i].word);

		if (r->len - r->at >= n &&
			memcmp(r->text + r->at, words[i].word, n) == 0)
		{
			KgJson *value = kg_json_new(r->arena, words[i].kind);

			value->u.boolean = words[i].boolean;
			r->at += n;
			return at_line(r, value, r->line);
		}
	}
	return read_number(r);
}

/*
 * Returns whether the current array has edges or entities of a bundle. At depth
 * 0, the array is a whole file of edges or entities.
 */
static bool
has_many(const Reader *r, int depth)
{
	if (r->items == NULL || r->arena == r->items)
		return false;
	return depth == 0 ||
		   (depth == 1 && r->keys[0] != NULL &&
			strcmp(r->keys[0], "edges") == 0) ||
		   (depth == 3 && r->keys[0] != NULL &&
			strcmp(r->keys[0], "entities") == 0 && r->keys[2] != NULL &&
			strcmp(r->keys[2], "items") == 0);
}

/*
 * Checks an object and returns it unparsed, as a KG_JSON_RAW value. Returns
 * NULL if it is invalid.
 */
static KgJson *
read_raw(Reader *r, int depth)
{
	KgArena *arena = r->arena;
	size_t start = r->at;
	unsigned line = r->line;
	const KgJson *read;
	KgJson *raw;

	r->arena = r->items;
	read = read_value(r, depth);
	r->arena = arena;
	kg_arena_reset(r->items);
	if (read == NULL)
		return NULL;
	raw = at_line(r, kg_json_new(arena, KG_JSON_RAW), line);
	raw->u.text = r->text + start;
	raw->len = r->at - start;
	return raw;
}

static KgJson *
read_item(Reader *r, int depth, bool many)
{
	skip_space(r);
	if (many && r->at < r->len && r->text[r->at] == '{')
		return read_raw(r, depth);
	return read_value(r, depth);
}

static KgJson *
read_array(Reader *r, int depth)
{
	bool many = has_many(r, depth);
	KgJson *array = at_line(r, kg_json_array(r->arena), r->line);

	/*
	 * Forget the name of the enclosing member, which does not apply to members
	 * of an item.
	 */
	if (depth < 3)
		r->keys[depth] = NULL;
	r->at++;
	skip_space(r);
	if (r->at < r->len && r->text[r->at] == ']')
	{
		r->at++;
		return array;
	}
	for (;;)
	{
		KgJson *item = read_item(r, depth + 1, many);

		if (item == NULL)
			return NULL;
		kg_json_push(r->arena, array, item);
		skip_space(r);
		if (r->at < r->len && r->text[r->at] == ',')
			r->at++;
		else if (r->at < r->len && r->text[r->at] == ']')
			break;
		else
			return fail(r, "expected a comma or the end of an array");
	}
	r->at++;
	return array;
}

static bool
read_member(Reader *r, KgJson *object, int depth)
{
	const char *key;
	size_t keylen;
	KgJson *value;

	skip_space(r);
	if (r->at >= r->len || r->text[r->at] != '"')
		return fail(r, "expected a member name"), false;
	if (!read_string(r))
		return false;
	keylen = r->scratch.len;
	key = kg_arena_strndup(r->arena, r->scratch.data, keylen);
	skip_space(r);
	if (r->at >= r->len || r->text[r->at] != ':')
		return fail(r, "expected a colon"), false;
	r->at++;
	if (depth < 3)
		r->keys[depth] = key;
	value = read_value(r, depth + 1);
	if (value == NULL)
		return false;
	kg_json_set(r->arena, object, key, keylen, value);
	return true;
}

static KgJson *
read_object(Reader *r, int depth)
{
	KgJson *object = at_line(r, kg_json_object(r->arena), r->line);
	const KgctlMember *twice;

	r->at++;
	skip_space(r);
	if (r->at < r->len && r->text[r->at] == '}')
	{
		r->at++;
		return object;
	}
	for (;;)
	{
		if (!read_member(r, object, depth))
			return NULL;
		skip_space(r);
		if (r->at < r->len && r->text[r->at] == ',')
			r->at++;
		else if (r->at < r->len && r->text[r->at] == '}')
			break;
		else
			return fail(r, "expected a comma or the end of an object");
	}
	r->at++;
	if (kg_json_duplicate(object, &twice))
	{
		if (*r->error == NULL)
			*r->error = kg_format("line %u: duplicate member \"%s\"",
								  twice->value->line,
								  twice->key);
		return NULL;
	}
	return object;
}

static KgJson *
read_value(Reader *r, int depth)
{
	unsigned line;

	if (depth > KG_JSON_MAX_DEPTH)
		return fail(r, "nested too deeply");
	skip_space(r);
	if (r->at >= r->len)
		return fail(r, "unexpected end of the text");
	line = r->line;
	switch (r->text[r->at])
	{
		case '{':
			return read_object(r, depth);
		case '[':
			return read_array(r, depth);
		case '"':
			if (!read_string(r))
				return NULL;
			return at_line(
				r,
				kg_json_string(r->arena, r->scratch.data, r->scratch.len),
				line);
		default:
			return read_word(r);
	}
}

static KgJson *
parse(KgArena *arena, KgArena *items, const char *text, size_t len,
	  const char *source, unsigned line, char **error)
{
	Reader r;
	KgJson *value;

	memset(&r, 0, sizeof(r));
	r.arena = arena;
	r.items = items;
	r.text = text;
	r.len = len;
	r.line = line;
	r.source = source;
	r.error = error;
	*error = NULL;
	if (!kg_utf8_valid(text, len, &r.at))
		return fail(&r, "not valid UTF-8");
	r.at = 0;
	/* Skip a byte order mark, which some editors write. */
	if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		r.at = 3;
	value = read_value(&r, 0);
	if (value != NULL)
	{
		skip_space(&r);
		if (r.at < r.len)
			value = fail(&r, "text after the end of the value");
	}
	kg_buf_free(&r.scratch);
	return value;
}

KgJson *
kgctl_json_parse(KgArena *arena, const char *text, size_t len,
				 const char *source, char **error)
{
	return parse(arena, NULL, text, len, source, 1, error);
}

KgJson *
kg_json_parse_from(KgArena *arena, const char *text, size_t len,
				   const char *source, unsigned line, char **error)
{
	return parse(arena, NULL, text, len, source, line, error);
}

KgJson *
kg_json_parse_bundle(KgArena *arena, const char *text, size_t len,
					 const char *source, char **error)
{
	KgArena *scratch = kg_arena_new();
	KgJson *value = parse(arena, scratch, text, len, source, 1, error);

	kg_arena_free(scratch);
	return value;
}

const KgJson *
kg_json_load(KgArena *arena, const KgJson *item)
{
	char *ignored = NULL;
	Reader r;

	if (item == NULL || item->kind != KG_JSON_RAW)
		return item;
	memset(&r, 0, sizeof(r));
	r.arena = arena;
	r.text = item->u.text;
	r.len = item->len;
	r.line = item->line;
	r.source = item->source;
	r.error = &ignored;
	item = read_value(&r, 0);
	kg_buf_free(&r.scratch);
	free(ignored);
	return item;
}

const KgJson *
kg_json_nearest(KgArena *arena, const KgJson *value, const char *pointer)
{
	KgBuf token;

	kg_buf_init(&token);
	value = kg_json_load(arena, value);
	while (value != NULL && *pointer == '/')
	{
		const KgJson *next = NULL;

		token.len = 0;
		kg_buf_add(&token, "", 0);
		for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++)
		{
			if (pointer[0] == '~' && pointer[1] == '1')
				kg_buf_putc(&token, '/'), pointer++;
			else if (pointer[0] == '~' && pointer[1] == '0')
				kg_buf_putc(&token, '~'), pointer++;
			else
				kg_buf_putc(&token, *pointer);
		}
		if (value->kind == KG_JSON_OBJECT)
			next = kgctl_json_get(value, token.data);
		else if (value->kind == KG_JSON_ARRAY && token.len > 0 &&
				 token.len < 10 &&
				 strspn(token.data, "0123456789") == token.len)
		{
			size_t i = (size_t) strtoul(token.data, NULL, 10);

			if (i < value->len)
				next = value->u.items[i];
		}
		if (next == NULL)
			break;
		value = kg_json_load(arena, next);
	}
	kg_buf_free(&token);
	return value;
}
