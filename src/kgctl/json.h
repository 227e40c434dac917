/*
 * json.h
 *	  JSON values with the exact text of their numbers and the place in the
 *	  source they came from.
 *
 * That is for documents, and for messages and answers that carry them: neither
 * property survives a library that turns numbers into doubles, but 0.1,
 * 12345678901234567.25 and 1e400 are ordinary values of jsonb, and an error of
 * the database is to be shown as file:line.  JSON that carries none is read
 * and made by jansson.
 *
 * All values live in an arena and are freed with it.
 */
#ifndef KG_KGCTL_JSON_H
#define KG_KGCTL_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "kgctl/buf.h"

/* Deeper input is refused: the readers and writers here are recursive. */
#define KG_JSON_MAX_DEPTH 256

typedef enum KgJsonKind
{
	KG_JSON_NULL,
	KG_JSON_BOOL,
	KG_JSON_NUMBER,
	KG_JSON_STRING,
	KG_JSON_ARRAY,
	KG_JSON_OBJECT,
	KG_JSON_RAW /* an object that was read, as its text: kg_json_load() */
} KgJsonKind;

typedef struct KgJson KgJson;

typedef struct KgMember
{
	const char *key; /* NUL-terminated */
	size_t keylen;
	KgJson *value;
} KgMember;

struct KgJson
{
	KgJsonKind kind;
	unsigned line;		/* 1-based; 0: made here */
	const char *source; /* file name, or NULL */
	size_t len;			/* bytes, items or members */
	union
	{
		bool boolean;
		const char *text; /* string or number, NUL-terminated; raw */
		KgJson **items;
		KgMember *members;
	} u;
};

typedef struct KgArena KgArena;

extern KgArena *kg_arena_new(void);
extern void kg_arena_free(KgArena *arena);
/* Forget what is in it; some memory is kept for what comes. */
extern void kg_arena_reset(KgArena *arena);
extern size_t kg_arena_size(const KgArena *arena);
extern char *kg_arena_strndup(KgArena *arena, const char *s, size_t len);
extern char *kg_arena_format(KgArena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Parse text.  NULL with *error (malloc'd: "line 3, column 7: ...") where it is
 * not JSON, not UTF-8, has a duplicate key or what jsonb cannot hold.
 */
extern KgJson *kg_json_parse(KgArena *arena, const char *text, size_t len,
							 const char *source, char **error);

/*
 * The same for a bundle, whose edges and entities may be very many: they are
 * checked and stay KG_JSON_RAW, pointing into text.
 */
extern KgJson *kg_json_parse_bundle(KgArena *arena, const char *text,
									size_t len, const char *source,
									char **error);

/* An item as a value to look into: read again if it is raw. */
extern const KgJson *kg_json_load(KgArena *arena, const KgJson *item);

/* Constructors; strings are copied. */
extern KgJson *kg_json_new(KgArena *arena, KgJsonKind kind);
extern KgJson *kg_json_string(KgArena *arena, const char *s, size_t len);
extern KgJson *kg_json_number(KgArena *arena, const char *s, size_t len);
extern KgJson *kg_json_object(KgArena *arena);
extern KgJson *kg_json_array(KgArena *arena);

/* Append; amortised, because the vectors double in place in the arena. */
extern void kg_json_push(KgArena *arena, KgJson *array, KgJson *item);
extern void kg_json_set(KgArena *arena, KgJson *object, const char *key,
						size_t keylen, KgJson *value);
/* The same by a name that is a C string; NULL is not set. */
extern void kg_json_put(KgArena *arena, KgJson *object, const char *key,
						KgJson *value);

/* Whether the object has two members of one name; *which is one of them. */
extern bool kg_json_duplicate(const KgJson *object, const KgMember **which);

/* Readers; each takes NULL and values of another kind and then finds nothing. */
extern KgJson *kg_json_get(const KgJson *object, const char *key);
extern size_t kg_json_length(const KgJson *array);
extern bool kg_json_is_true(const KgJson *value);
extern const char *kg_json_text(const KgJson *value); /* strings only */
extern const char *kg_json_get_text(const KgJson *object, const char *key);
extern const char *kg_json_text_or(const KgJson *object, const char *key,
								   const char *otherwise);
extern bool kg_json_is_number(const char *s, size_t len);
extern bool kg_json_is_integer(const KgJson *value);

/* The value at a JSON Pointer, or the nearest one above it that exists. */
extern const KgJson *kg_json_nearest(KgArena *arena, const KgJson *value,
									 const char *pointer);

/* Equality of jsonb: members in any order, numbers by value. */
extern bool kg_json_equal(const KgJson *a, const KgJson *b);

/* Write; indent < 0 is compact. */
extern void kg_json_write(KgBuf *out, const KgJson *value, int indent);

/* Write what was made with jansson, and let it go. */
extern void kg_json_write_made(KgBuf *out, json_t *made);

/*
 * Find a member of the outermost object of text that is known to be valid JSON
 * (a reply of the database), without building values.
 */
extern bool kg_json_scan(const char *text, size_t len, const char *key,
						 const char **value, size_t *value_len);

#endif /* KG_KGCTL_JSON_H */
