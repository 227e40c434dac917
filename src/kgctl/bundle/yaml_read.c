/*
 * yaml_read.c
 *	  Parsing YAML documents into JSON values, through libyaml's events.
 *
 * An alias shares the anchored value instead of copying it. But the values of
 * aliases are counted as if they were copied, and their number is limited.
 */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "kgctl/bundle/yaml.h"

/* Maximal number of values that aliases may add to the values in the text. */
#define MAX_UNFOLDED 1000000
#define MAX_ANCHORS 10000

typedef struct Anchor
{
	char *name;
	KgJson *value;
	size_t size; /* number of values in the anchored value */
	/* the anchored value is being read, so an alias to it would be a cycle */
	bool open;
} Anchor;

typedef struct Reader
{
	KgArena *arena;
	yaml_parser_t parser;
	const char *source;
	char **error;
	Anchor *anchors;
	size_t nanchors;
	/* number of values in the document with its aliases expanded */
	size_t values;
	size_t unfolded; /* number of values that only aliases have added */
} Reader;

static KgJson *read_node(Reader *r, yaml_event_t *event, int depth);

static KgJson *
fail(Reader *r, const yaml_mark_t *mark, const char *what, const char *name)
{
	if (*r->error == NULL)
		*r->error = kg_format("line %zu: %s%s%s%s",
							  mark->line + 1,
							  what,
							  name ? " \"" : "",
							  name ? name : "",
							  name ? "\"" : "");
	return NULL;
}

static bool
next_event(Reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return true;
	if (*r->error == NULL && r->parser.problem != NULL &&
		strcmp(r->parser.problem,
			   "found invalid Unicode character escape code") == 0)
		*r->error = kg_format("line %zu: YAML knows no surrogates such as "
							  "\"\\ud83d\\ude00\"; write the character "
							  "itself or \"\\U0001f600\"",
							  r->parser.problem_mark.line + 1);
	if (*r->error == NULL)
		*r->error = kg_format("line %zu: %s%s%s",
							  r->parser.problem_mark.line + 1,
							  r->parser.problem ? r->parser.problem
												: "not YAML",
							  r->parser.context ? " " : "",
							  r->parser.context ? r->parser.context : "");
	return false;
}

bool
kg_is_yaml(const char *path)
{
	return kg_ends_with(path, ".yaml") || kg_ends_with(path, ".yml");
}

static Anchor *
add_anchor(Reader *r, const yaml_event_t *event, const char *name)
{
	Anchor *anchor;

	if (r->nanchors >= MAX_ANCHORS)
	{
		fail(r, &event->start_mark, "too many anchors", NULL);
		return NULL;
	}
	if (r->nanchors % 64 == 0)
		r->anchors = kg_realloc(r->anchors,
								(r->nanchors + 64) * sizeof(Anchor));
	anchor = &r->anchors[r->nanchors++];
	anchor->name = kg_strdup(name);
	anchor->value = NULL;
	anchor->size = 0;
	anchor->open = true;
	return anchor;
}

static KgJson *
read_alias(Reader *r, const yaml_event_t *event)
{
	const char *name = (const char *) event->data.alias.anchor;

	/* Search from the end: the latest anchor of a name applies. */
	for (size_t i = r->nanchors; i-- > 0;)
		if (strcmp(r->anchors[i].name, name) == 0)
		{
			if (r->anchors[i].open)
				return fail(r, &event->start_mark, "alias to itself", name);
			r->values += r->anchors[i].size;
			r->unfolded += r->anchors[i].size;
			if (r->unfolded > MAX_UNFOLDED)
				return fail(
					r, &event->start_mark, "aliases expand too far", NULL);
			return r->anchors[i].value;
		}
	return fail(r, &event->start_mark, "unknown anchor", name);
}

static bool
is_word(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(s, word, len) == 0;
}

/*
 * Returns whether s is one of up to three spellings in words, such as "true",
 * "True" and "TRUE".
 */
static bool
is_spelled(const char *s, size_t len, const char *const *words)
{
	for (size_t i = 0; i < 3; i++)
		if (is_word(s, len, words[i]))
			return true;
	return false;
}

/*
 * Returns the number after the prefix "0o" (octal) or "0x" (hexadecimal). If
 * the number may be beyond 64 bits, reports an error and returns NULL.
 */
static KgJson *
read_based(Reader *r, const yaml_event_t *event, const char *s, size_t len)
{
	int base = s[1] == 'o' ? 8 : 16;
	char *text;
	KgJson *value;

	if (len > 2 + (base == 8 ? 21 : 15))
		return fail(r,
					&event->start_mark,
					"this number is too large for its notation; write it in "
					"decimal:",
					s);
	text = kg_format("%llu", strtoull(s + 2, NULL, base));
	value = kg_json_number(r->arena, text, strlen(text));
	free(text);
	return value;
}

/*
 * Returns a decimal number that is valid in YAML but not in JSON: it has a sign
 * "+", or no digit before or after the point.
 */
static KgJson *
read_decimal(Reader *r, const char *s)
{
	KgBuf text;
	KgJson *value = NULL;
	size_t point;
	size_t digits;

	kg_buf_init(&text);
	if (*s == '-')
		kg_buf_putc(&text, '-');
	if (*s == '+' || *s == '-')
		s++;
	point = strspn(s, "0123456789");
	digits = s[point] == '.' ? strspn(s + point + 1, "0123456789") : 0;
	kg_buf_add(&text, point ? s : "0", point ? point : 1);
	if (digits > 0)
		kg_buf_add(&text, s + point, digits + 1);
	if (point + digits > 0)
	{
		point += s[point] == '.';
		kg_buf_puts(&text, s + point + digits);
		if (kg_json_is_number(text.data, text.len))
			value = kg_json_number(r->arena, text.data, text.len);
	}
	kg_buf_free(&text);
	return value;
}

/*
 * Returns the number. If jsonb cannot represent it, reports an error and
 * returns NULL.
 */
static KgJson *
check_number(Reader *r, const yaml_event_t *event, KgJson *number)
{
	return kg_json_number_fits(number->u.text, number->len)
			   ? number
			   : fail(r, &event->start_mark, KG_JSON_NUMBER_LIMITS, NULL);
}

/*
 * Returns the value of an unquoted scalar, by the core schema of YAML 1.2.2,
 * section 10.3.2. Refuses numbers that JSON cannot represent or that other
 * versions of YAML interpret differently, and then returns NULL.
 */
static KgJson *
read_plain(Reader *r, const yaml_event_t *event, const char *s, size_t len)
{
	static const char *const nulls[] = {"null", "Null", "NULL"};
	static const char *const trues[] = {"true", "True", "TRUE"};
	static const char *const falses[] = {"false", "False", "FALSE"};
	static const char *const infinities[] = {".inf", ".Inf", ".INF"};
	static const char *const nans[] = {".nan", ".NaN", ".NAN"};
	size_t sign = len > 0 && (*s == '-' || *s == '+');
	size_t digits = strspn(s + sign, "0123456789");
	size_t zeros = strspn(s + sign, "0");
	KgJson *value = NULL;

	if (len == 0 || is_word(s, len, "~") || is_spelled(s, len, nulls))
		return kg_json_new(r->arena, KG_JSON_NULL);
	if (is_spelled(s, len, trues) || is_spelled(s, len, falses))
		return kg_json_bool(r->arena, (s[0] | 0x20) == 't');
	if (kg_json_is_number(s, len))
		return check_number(r, event, kg_json_number(r->arena, s, len));
	if (len > 2 && s[0] == '0' &&
		((s[1] == 'o' && strspn(s + 2, "01234567") == len - 2) ||
		 (s[1] == 'x' && strspn(s + 2, "0123456789abcdefABCDEF") == len - 2)))
		return read_based(r, event, s, len);
	if (is_spelled(s + sign, len - sign, infinities) ||
		is_spelled(s, len, nans))
		return fail(r, &event->start_mark, "JSON has no such number:", s);
	/* if all digits are zeros, the last zero is not a leading zero */
	zeros -= zeros == digits && zeros > 0;
	if (zeros > 0 && read_decimal(r, s + sign + zeros))
		return fail(r,
					&event->start_mark,
					"the value may be a text or a number; quote the text, or "
					"write the number without leading zeros:",
					s);
	if (sign + digits > 0 || *s == '.')
		value = read_decimal(r, s);
	return value ? check_number(r, event, value)
				 : kg_json_string(r->arena, s, len);
}

/*
 * Returns whether JSON can represent a scalar: it has no NUL, and no tag except
 * the tag of strings.
 */
static bool
check_scalar(Reader *r, const yaml_event_t *event)
{
	const char *tag = (const char *) event->data.scalar.tag;

	if (memchr(event->data.scalar.value, '\0', event->data.scalar.length) !=
		NULL)
		return fail(r,
					&event->start_mark,
					"NUL cannot be stored in jsonb",
					NULL) != NULL;
	if (tag == NULL || strcmp(tag, "!") == 0 || strcmp(tag, YAML_STR_TAG) == 0)
		return true;
	return fail(r, &event->start_mark, "unsupported tag", tag) != NULL;
}

static KgJson *
read_scalar(Reader *r, const yaml_event_t *event)
{
	const char *s = (const char *) event->data.scalar.value;
	size_t len = event->data.scalar.length;
	bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
				 event->data.scalar.tag == NULL;

	if (!check_scalar(r, event))
		return NULL;
	return plain ? read_plain(r, event, s, len)
				 : kg_json_string(r->arena, s, len);
}

static KgJson *
read_sequence(Reader *r, int depth)
{
	KgJson *array = kg_json_array(r->arena);
	yaml_event_t event;

	while (next_event(r, &event))
	{
		KgJson *item;

		if (event.type == YAML_SEQUENCE_END_EVENT)
		{
			yaml_event_delete(&event);
			return array;
		}
		item = read_node(r, &event, depth + 1);
		yaml_event_delete(&event);
		if (item == NULL)
			return NULL;
		kg_json_push(r->arena, array, item);
	}
	return NULL;
}

/*
 * Returns the name of a member, for which any scalar's text is accepted. For a
 * merge key or a name that JSON cannot represent, reports an error and returns
 * NULL.
 */
static KgJson *
read_key(Reader *r, const yaml_event_t *event)
{
	if (event->type != YAML_SCALAR_EVENT)
		return fail(r, &event->start_mark, "a key must be a string", NULL);
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
		is_word((const char *) event->data.scalar.value,
				event->data.scalar.length,
				"<<"))
		return fail(
			r, &event->start_mark, "merge keys are not supported", NULL);
	if (!check_scalar(r, event))
		return NULL;
	return kg_json_string(r->arena,
						  (const char *) event->data.scalar.value,
						  event->data.scalar.length);
}

static KgJson *
read_mapping(Reader *r, int depth)
{
	KgJson *object = kg_json_object(r->arena);
	const KgctlMember *twice;
	yaml_event_t event;

	while (next_event(r, &event))
	{
		KgJson *key;
		KgJson *value = NULL;
		yaml_mark_t mark = event.start_mark;

		if (event.type == YAML_MAPPING_END_EVENT)
		{
			yaml_event_delete(&event);
			if (kg_json_duplicate(object, &twice))
			{
				mark.line = twice->value->line ? twice->value->line - 1 : 0;
				return fail(r, &mark, "duplicate key", twice->key);
			}
			return object;
		}
		key = read_key(r, &event);
		yaml_event_delete(&event);
		if (key != NULL && next_event(r, &event))
		{
			value = read_node(r, &event, depth + 1);
			yaml_event_delete(&event);
		}
		if (value == NULL)
			return NULL;
		kg_json_set(r->arena, object, key->u.text, key->len, value);
	}
	return NULL;
}

static KgJson *
read_node(Reader *r, yaml_event_t *event, int depth)
{
	const char *name = NULL;
	size_t before = r->values;
	size_t at = 0;
	KgJson *value;
	unsigned line = (unsigned) event->start_mark.line + 1;

	if (depth > KG_JSON_MAX_DEPTH)
		return fail(r, &event->start_mark, "nested too deeply", NULL);
	if (event->type == YAML_ALIAS_EVENT)
		return read_alias(r, event);
	if (event->type == YAML_SCALAR_EVENT)
		name = (const char *) event->data.scalar.anchor;
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		name = (const char *) event->data.sequence_start.anchor;
	else if (event->type == YAML_MAPPING_START_EVENT)
		name = (const char *) event->data.mapping_start.anchor;
	else
		return fail(r, &event->start_mark, "expected a value", NULL);
	if (name != NULL)
	{
		at = r->nanchors;
		if (add_anchor(r, event, name) == NULL)
			return NULL;
	}
	r->values++;
	if (event->type == YAML_SCALAR_EVENT)
		value = read_scalar(r, event);
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		value = read_sequence(r, depth);
	else
		value = read_mapping(r, depth);
	if (value == NULL)
		return NULL;
	value->line = line;
	value->source = r->source;
	if (name != NULL)
	{
		r->anchors[at].value = value;
		r->anchors[at].size = r->values - before;
		r->anchors[at].open = false;
	}
	return value;
}

/*
 * Returns the value of one document. Reads the events before and after it, too.
 * Returns NULL on failure.
 */
static KgJson *
read_document(Reader *r)
{
	KgJson *value = NULL;
	yaml_event_t event;

	if (!next_event(r, &event))
		return NULL;
	yaml_event_delete(&event); /* stream start */
	if (!next_event(r, &event))
		return NULL;
	if (event.type == YAML_STREAM_END_EVENT)
	{
		fail(r, &event.start_mark, "the file is empty", NULL);
		yaml_event_delete(&event);
		return NULL;
	}
	yaml_event_delete(&event); /* document start */
	if (!next_event(r, &event))
		return NULL;
	value = read_node(r, &event, 0);
	yaml_event_delete(&event);
	if (value == NULL || !next_event(r, &event))
		return NULL;
	yaml_event_delete(&event); /* document end */
	if (!next_event(r, &event))
		return NULL;
	if (event.type != YAML_STREAM_END_EVENT)
		value = fail(r, &event.start_mark, "more than one document", NULL);
	yaml_event_delete(&event);
	return value;
}

KgJson *
kg_yaml_parse(KgArena *arena, const char *text, size_t len, const char *source,
			  char **error)
{
	Reader r;
	KgJson *value;

	memset(&r, 0, sizeof(r));
	r.arena = arena;
	r.source = source;
	r.error = error;
	*error = NULL;
	if (!yaml_parser_initialize(&r.parser))
	{
		*error = kg_strdup("out of memory");
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	/* Skip a byte order mark, because libyaml would count it as a column. */
	if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
	{
		text += 3;
		len -= 3;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *) text, len);
	value = read_document(&r);
	yaml_parser_delete(&r.parser);
	for (size_t i = 0; i < r.nanchors; i++)
		free(r.anchors[i].name);
	free(r.anchors);
	if (value == NULL && *error == NULL)
		*error = kg_strdup("not YAML");
	return value;
}
