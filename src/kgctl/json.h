/*
 * json.h
 *	  JSON values with the exact text of their numbers and their position in
 *	  the source.
 *
 * They are used for documents, and for messages and answers that contain
 * documents. A library that converts numbers to doubles would change values
 * that are valid in jsonb, such as 12345678901234567.25 and 1e400. The
 * positions are needed to print errors of the database as file:line. Other JSON
 * is read and made by jansson.
 *
 * All values live in an arena and are freed with it.
 */
#ifndef KG_KGCTL_JSON_H
#define KG_KGCTL_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "kgctl/buf.h"

/*
 * Maximal nesting depth of input. Deeper input is refused, because the readers
 * and writers are recursive.
 */
#define KG_JSON_MAX_DEPTH 256

typedef enum KgJsonKind
{
	KG_JSON_NULL,
	KG_JSON_BOOL,
	KG_JSON_NUMBER,
	KG_JSON_STRING,
	KG_JSON_ARRAY,
	KG_JSON_OBJECT,
	KG_JSON_RAW /* an unparsed object, as text; see kg_json_load() */
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
	unsigned line; /* line in the source, from 1; 0: not read from a source */
	const char *source; /* file name, or NULL */
	/* number of bytes of a string, items of an array or members of an object */
	size_t len;
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
/* Frees all values in the arena. Some memory is retained for new values. */
extern void kg_arena_reset(KgArena *arena);
extern size_t kg_arena_size(const KgArena *arena);
extern void *kg_arena_alloc(KgArena *arena, size_t size);
extern char *kg_arena_strndup(KgArena *arena, const char *s, size_t len);
extern char *kg_arena_format(KgArena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Parses JSON text. Fails if the text is not valid JSON in UTF-8, or has
 * duplicate keys or values that jsonb cannot represent. On failure, returns
 * NULL and sets *error (malloc'd) to text such as "line 3, column 7: ...".
 */
extern KgJson *kgctl_json_parse(KgArena *arena, const char *text, size_t len,
								const char *source, char **error);

/* Parses a text that begins in a line of its source. */
extern KgJson *kg_json_parse_from(KgArena *arena, const char *text, size_t len,
								  const char *source, unsigned line,
								  char **error);

/*
 * Parses the text of a bundle like kgctl_json_parse(). But because a bundle may
 * have many edges and entities, these are only checked, not parsed into
 * members. Each becomes a KG_JSON_RAW value that points into text.
 */
extern KgJson *kg_json_parse_bundle(KgArena *arena, const char *text,
									size_t len, const char *source,
									char **error);

/* Returns an item. If it is KG_JSON_RAW, parses its text first. */
extern const KgJson *kg_json_load(KgArena *arena, const KgJson *item);

/* Return new values. Strings are copied. */
extern KgJson *kg_json_new(KgArena *arena, KgJsonKind kind);
extern KgJson *kg_json_string(KgArena *arena, const char *s, size_t len);
extern KgJson *kg_json_number(KgArena *arena, const char *s, size_t len);
extern KgJson *kg_json_bool(KgArena *arena, bool boolean);
extern KgJson *kg_json_object(KgArena *arena);
extern KgJson *kg_json_array(KgArena *arena);

/*
 * Append an item or a member. The amortized cost is constant, because the
 * vectors double in size.
 */
extern void kg_json_push(KgArena *arena, KgJson *array, KgJson *item);
extern void kg_json_set(KgArena *arena, KgJson *object, const char *key,
						size_t keylen, KgJson *value);
/* Sets a member whose name is a C string. Does nothing if value is NULL. */
extern void kg_json_put(KgArena *arena, KgJson *object, const char *key,
						KgJson *value);

/*
 * Returns whether the object has two members of the same name. If it has, sets
 * *which to one of these members.
 */
extern bool kg_json_duplicate(const KgJson *object, const KgctlMember **which);

/*
 * Access functions. If the value is NULL or of another kind, the functions
 * return NULL, 0 or false.
 */
extern KgJson *kgctl_json_get(const KgJson *object, const char *key);
extern size_t kgctl_json_length(const KgJson *array);
extern bool kg_json_is_true(const KgJson *value);
extern bool kg_json_is_false(const KgJson *value);
/* Returns whether a value can be an entity's id: a string or a number. */
extern bool kg_json_is_id(const KgJson *value);
/* Returns the text of a string, or NULL for other values. */
extern const char *kgctl_json_text(const KgJson *value);
extern const char *kg_json_get_text(const KgJson *object, const char *key);
extern const char *kg_json_text_or(const KgJson *object, const char *key,
								   const char *otherwise);
extern bool kg_json_is_number(const char *s, size_t len);
/*
 * Returns whether a text is a JSON number that jsonb can represent: its digits
 * are limited.
 */
extern bool kg_json_number_fits(const char *s, size_t len);
#define KG_JSON_NUMBER_LIMITS                                             \
	"jsonb has numbers of at most 131072 digits before and 16383 digits " \
	"after the decimal point"
extern bool kg_json_is_integer(const KgJson *value);

/*
 * Returns the value at a JSON Pointer. If there is no such value, returns its
 * nearest existing ancestor.
 */
extern const KgJson *kg_json_nearest(KgArena *arena, const KgJson *value,
									 const char *pointer);

/*
 * Returns whether two values are equal as jsonb: members in any order, numbers
 * by value.
 */
extern bool kg_json_equal(const KgJson *a, const KgJson *b);

/* Appends the text of a value. A negative indent selects the compact form. */
extern void kg_json_write(KgBuf *out, const KgJson *value, int indent);

/* Appends the text of a jansson value and releases the value. */
extern void kg_json_write_made(KgBuf *out, json_t *made);

/*
 * Finds a member of the outermost object in text, without parsing the text into
 * values. Sets *value and *value_len to the text of the member's value. Returns
 * false if there is no such member. text must be valid JSON, such as a reply of
 * the database.
 */
extern bool kg_json_scan(const char *text, size_t len, const char *key,
						 const char **value, size_t *value_len);

#endif /* KG_KGCTL_JSON_H */
