/*
 * json.h
 *	  JSON values with the exact text of their numbers and their position in
 *	  the source.
 *
 * They are used for documents, and for messages and answers that contain
 * documents. A library that converts numbers to doubles would change them:
 * 0.1, 12345678901234567.25 and 1e400 are valid in jsonb. Errors of the
 * database are shown as file:line. Other JSON is read and made by jansson.
 *
 * All values live in an arena and are freed with it.
 */
#ifndef KG_KGCTL_JSON_H
#define KG_KGCTL_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "kgctl/buf.h"

/* Deeper input is refused, because the readers and writers are recursive. */
#define KG_JSON_MAX_DEPTH 256

typedef enum KgJsonKind
{
	KG_JSON_NULL,
	KG_JSON_BOOL,
	KG_JSON_NUMBER,
	KG_JSON_STRING,
	KG_JSON_ARRAY,
	KG_JSON_OBJECT,
	KG_JSON_RAW /* an object as text, see kg_json_load() */
} KgJsonKind;

typedef struct KgJson KgJson;

typedef struct KgctlMember
{
	const char *key; /* NUL-terminated */
	size_t keylen;
	KgJson *value;
} KgctlMember;

struct KgJson
{
	KgJsonKind kind;
	unsigned line;		/* 1-based; 0: not read from a source */
	const char *source; /* file name, or NULL */
	size_t len;			/* number of bytes, items or members */
	union
	{
		bool boolean;
		const char *text; /* string or number, NUL-terminated; or raw text */
		KgJson **items;
		KgctlMember *members;
	} u;
};

typedef struct KgArena KgArena;

extern KgArena *kg_arena_new(void);
extern void kg_arena_free(KgArena *arena);
/* Frees all values in the arena, and retains some memory for new ones. */
extern void kg_arena_reset(KgArena *arena);
extern size_t kg_arena_size(const KgArena *arena);
extern void *kg_arena_alloc(KgArena *arena, size_t size);
extern char *kg_arena_strndup(KgArena *arena, const char *s, size_t len);
extern char *kg_arena_format(KgArena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Parses text. Returns NULL if it is not JSON or UTF-8, has duplicate keys, or
 * has values that jsonb cannot represent; *error (malloc'd) is "line 3, column
 * 7: ...".
 */
extern KgJson *kgctl_json_parse(KgArena *arena, const char *text, size_t len,
								const char *source, char **error);

/*
 * Like kgctl_json_parse(), for a bundle, which may have very many edges and
 * entities. These are checked and become KG_JSON_RAW values that point into
 * text.
 */
extern KgJson *kg_json_parse_bundle(KgArena *arena, const char *text,
									size_t len, const char *source,
									char **error);

/* Returns an item; if it is KG_JSON_RAW, parses its text first. */
extern const KgJson *kg_json_load(KgArena *arena, const KgJson *item);

/* Constructors. Strings are copied. */
extern KgJson *kg_json_new(KgArena *arena, KgJsonKind kind);
extern KgJson *kg_json_string(KgArena *arena, const char *s, size_t len);
extern KgJson *kg_json_number(KgArena *arena, const char *s, size_t len);
extern KgJson *kg_json_object(KgArena *arena);
extern KgJson *kg_json_array(KgArena *arena);

/*
 * Append an item or a member. The cost is amortized, because the vectors
 * double.
 */
extern void kg_json_push(KgArena *arena, KgJson *array, KgJson *item);
extern void kg_json_set(KgArena *arena, KgJson *object, const char *key,
						size_t keylen, KgJson *value);
/* Sets a member by a C string. Does nothing if value is NULL. */
extern void kg_json_put(KgArena *arena, KgJson *object, const char *key,
						KgJson *value);

/*
 * Returns whether the object has two members of the same name, and sets *which
 * to one of them.
 */
extern bool kg_json_duplicate(const KgJson *object, const KgctlMember **which);

/* Readers. For NULL and values of another kind they find nothing. */
extern KgJson *kgctl_json_get(const KgJson *object, const char *key);
extern size_t kgctl_json_length(const KgJson *array);
extern bool kg_json_is_true(const KgJson *value);
extern const char *kgctl_json_text(const KgJson *value); /* strings only */
extern const char *kg_json_get_text(const KgJson *object, const char *key);
extern const char *kg_json_text_or(const KgJson *object, const char *key,
								   const char *otherwise);
extern bool kg_json_is_number(const char *s, size_t len);
extern bool kg_json_is_integer(const KgJson *value);

/* Returns the value at a JSON Pointer, or its nearest existing ancestor. */
extern const KgJson *kg_json_nearest(KgArena *arena, const KgJson *value,
									 const char *pointer);

/*
 * Returns whether two values are equal as jsonb: members in any order, numbers
 * by value.
 */
extern bool kg_json_equal(const KgJson *a, const KgJson *b);

/* Writes a value; indent < 0 is compact. */
extern void kg_json_write(KgBuf *out, const KgJson *value, int indent);

/* Writes a jansson value and releases it. */
extern void kg_json_write_made(KgBuf *out, json_t *made);

/*
 * Finds a member of the outermost object in valid JSON (a reply of the
 * database), without building values.
 */
extern bool kg_json_scan(const char *text, size_t len, const char *key,
						 const char **value, size_t *value_len);

#endif /* KG_KGCTL_JSON_H */
