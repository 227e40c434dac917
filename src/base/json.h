/*
 * json.h
 *	  Helpers to read and write binary jsonb, the only JSON representation
 *	  inside the backend.
 */
#ifndef KG_JSON_H
#define KG_JSON_H

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/*
 * Reads a member of an object into *value.  Returns value, or NULL if the
 * member is absent.  The value points into the container.
 */
extern JsonbValue *kg_json_get(const JsonbContainer *object, const char *key,
							   JsonbValue *value);
/* Returns whether a member of an object is true. */
extern bool kg_json_is_true(const JsonbContainer *object, const char *key);

/* Returns the container of an object or array, or NULL for a scalar. */
extern const JsonbContainer *kg_json_container(const JsonbValue *value);

/* Reads the root of a datum into *value.  A scalar root is unwrapped. */
extern void kg_json_root(const Jsonb *jsonb, JsonbValue *value);

extern bool kg_json_is_object(const JsonbValue *value);
extern bool kg_json_is_array(const JsonbValue *value);
/*
 * Returns a palloc'd C string: the content of a jbvString, or the JSON text of
 * any other value.
 */
extern char *kg_json_cstring(const JsonbValue *value);
extern bool kg_json_string_is(const JsonbValue *value, const char *s);
/*
 * Returns JSON's name of the type: "null", "string", "number", "boolean",
 * "object" or "array".
 */
extern const char *kg_json_type_name(const JsonbValue *value);
/*
 * Reads an integral number within the range of int64.  Returns false for any
 * other value.
 */
extern bool kg_json_int64(const JsonbValue *value, int64 *result);
/*
 * Returns the length in bytes of the JSON text of all long numbers in a
 * container. A long number is one that jsonb does not store in the short form
 * of numeric. Few bytes of jsonb may encode a number of 130,000 digits. Stops
 * counting above max.
 */
extern int64 kg_json_number_bytes(const JsonbContainer *container, int64 max);
/*
 * kg_json_number_size() returns the length of a number's text in bytes.
 * kg_json_number_length() does so only for a long number, and returns 0 for any
 * other.
 */
extern Size kg_json_number_size(Numeric number);
extern int64 kg_json_number_length(const JsonbValue *number);
/*
 * Writes a number's text at "at" and returns the end of the text. Returns NULL
 * if the number is long (kg_json_number_bytes()).
 */
extern char *kg_json_number_write(Numeric number, char *at);
/* Returns a string value that points to s. */
extern JsonbValue kg_json_string_value(const char *s);
/* Returns a copy of any value as a datum. */
extern Jsonb *kg_json_datum(const JsonbValue *value);
/* Returns true if both are equal or both are NULL. */
extern bool kg_json_same(const Jsonb *a, const Jsonb *b);
/*
 * Returns true if two values, as read by kg_json_get() or KgJsonIter, are
 * equal.
 */
extern bool kg_json_same_value(const JsonbValue *a, const JsonbValue *b);

/*
 * An iterator over an object or array, without recursion into members.
 *
 *	  kg_json_each(it, container)
 *		  uses it.key (objects), it.value, it.index
 *
 * Values point into the container.
 */
typedef struct KgJsonIter
{
	const JsonbContainer *container;
	bool is_object;
	int n;
	int index; /* index of the current member, from 0 */
	JsonbValue key;
	JsonbValue value;
	/* offsets of the next key and next value in the container's data */
	uint32 key_at;
	uint32 value_at;
} KgJsonIter;

/* Returns true if arrays and objects nest deeper than limit. */
extern bool kg_json_deeper_than(const JsonbContainer *container, int limit);

extern void kg_json_iter_init(KgJsonIter *it, const JsonbContainer *container);
extern bool kg_json_iter_next(KgJsonIter *it);

extern KgJsonIter kg_json_iter(const JsonbContainer *container);

#define kg_json_each(it, container) \
	for (KgJsonIter it = kg_json_iter(container); kg_json_iter_next(&it);)

/*
 * Advances the iterator of an object to the member of that name. Returns false
 * if there is no such member. Successive calls must request names in the order
 * of the object's members.
 */
extern bool kg_json_iter_find(KgJsonIter *it, const JsonbValue *name);
extern int kg_json_length(const JsonbContainer *container);

/*
 * A writer of a jsonb document.
 *
 * Begin and end calls nest. Inside an object, kg_jw_key() precedes every
 * value. If two members have the same name, the later member replaces the
 * earlier one. Values are copied immediately into the context that was current
 * at kg_jw_init(); a container is copied as it is.
 *
 * kg_jw_finish() allocates the document in the context that is current then.
 * It also ends the outermost object or array if that is still open.
 */
typedef struct KgJsonWriter
{
	struct KgJsonFrame *frame; /* innermost open object or array */
	struct KgJsonFrame *spare; /* closed frames for reuse */
	/* document; NULL until the outermost container is ended */
	Jsonb *result;
	MemoryContext context;
	int depth;
} KgJsonWriter;

extern void kg_jw_init(KgJsonWriter *w);
/* Initializes the writer and begins the outermost object or array. */
extern void kg_jw_init_object(KgJsonWriter *w);
extern void kg_jw_init_array(KgJsonWriter *w);
extern void kg_jw_begin_object(KgJsonWriter *w);
extern void kg_jw_end_object(KgJsonWriter *w);
extern void kg_jw_begin_array(KgJsonWriter *w);
extern void kg_jw_end_array(KgJsonWriter *w);
extern void kg_jw_key(KgJsonWriter *w, const char *key);
extern void kg_jw_keyn(KgJsonWriter *w, const char *key, int len);
extern void kg_jw_string(KgJsonWriter *w, const char *s);
extern void kg_jw_stringn(KgJsonWriter *w, const char *s, int len);
extern void kg_jw_int(KgJsonWriter *w, int64 n);
extern void kg_jw_numeric(KgJsonWriter *w, Numeric n);
extern void kg_jw_bool(KgJsonWriter *w, bool b);
extern void kg_jw_null(KgJsonWriter *w);
extern void kg_jw_value(KgJsonWriter *w, const JsonbValue *value);
extern void kg_jw_jsonb(KgJsonWriter *w, const Jsonb *jsonb);
/*
 * kg_jw_member() writes the iterator's current member unchanged.
 * kg_jw_members() writes all members of an object.
 */
extern void kg_jw_member(KgJsonWriter *w, const KgJsonIter *member);
extern void kg_jw_members(KgJsonWriter *w, const JsonbContainer *object);
/*
 * Writes a copy of an object or array in which some values, at any depth, are
 * replaced. replace() is called for each member of "in". replace() writes a
 * value in place of the member and returns true, or writes nothing and returns
 * false.
 */
typedef bool (*KgJsonReplace)(KgJsonWriter *w, const JsonbContainer *in,
							  const KgJsonIter *member);
extern void kg_jw_replaced(KgJsonWriter *w, const JsonbContainer *container,
						   KgJsonReplace replace);
/* Write a key and its value. */
extern void kg_jw_kbegin_object(KgJsonWriter *w, const char *key);
extern void kg_jw_kbegin_array(KgJsonWriter *w, const char *key);
extern void kg_jw_kstring(KgJsonWriter *w, const char *key, const char *s);
extern void kg_jw_kint(KgJsonWriter *w, const char *key, int64 n);
extern void kg_jw_kbool(KgJsonWriter *w, const char *key, bool b);
extern void kg_jw_kjsonb(KgJsonWriter *w, const char *key, const Jsonb *jsonb);
/* Writes key and string if s is not NULL. */
extern void kg_jw_kstring_if(KgJsonWriter *w, const char *key, const char *s);
extern void kg_jw_kjsonb_if(KgJsonWriter *w, const char *key,
							const Jsonb *jsonb);
extern void kg_jw_kstrings(KgJsonWriter *w, const char *key,
						   char *const *strings, int n);
/* Writes a key and an array of a List of strings. */
extern void kg_jw_klist(KgJsonWriter *w, const char *key, const List *strings);
extern Jsonb *kg_jw_finish(KgJsonWriter *w);

/*
 * kg_json_with() returns a copy of object with a member set. kg_json_without()
 * returns a copy without a member.
 */
extern Jsonb *kg_json_with(const Jsonb *object, const char *key,
						   const JsonbValue *value);
extern Jsonb *kg_json_without(const Jsonb *object, const char *key);

/*
 * Return the length of the text that jsonb's output function writes for the
 * value.
 */
extern Size kg_value_text_size(const JsonbValue *value);
extern Size kg_json_text_size(const JsonbContainer *container);
extern Size kg_string_text_size(const char *s, int len);
/* Appends a string as JSON. */
extern void kg_json_append_string(StringInfo text, const char *s, int len);
/*
 * Returns the text that JsonbToCString() returns, with less than half the
 * instructions.
 */
extern char *kg_json_text(const JsonbContainer *container);
/*
 * The name of a member, for kg_json_text_in_order(). That function writes the
 * members with the first nfirst names at the beginning of the text, and the
 * members with the last nlast names at its end. The text has the length that
 * kg_json_text_size() returns.
 */
typedef struct KgMemberName
{
	const char *text;
	uint32 len;
} KgMemberName;

#define KG_MEMBER_NAME(name)   \
	{                          \
		name, sizeof(name) - 1 \
	}

extern char *kg_json_text_in_order(const JsonbContainer *object,
								   const KgMemberName *names, int nfirst,
								   int nlast, Size size);
extern Size kg_int_text_size(int64 n);
/* Appends the JSON text of a value without blanks between its parts. */
extern void kg_json_append(StringInfo text, const JsonbValue *value);

/*
 * Returns the value of JSON text. Raises the server's error if the text is not
 * valid.
 */
extern Jsonb *kg_json_parse(const char *text);

/* Appends a member name to a JSON Pointer, with ~ and / escaped (RFC 6901). */
extern void kg_json_pointer_append(StringInfo pointer, const char *name,
								   int len);
/*
 * Reads the first step of a JSON Pointer into "step", without escapes. Returns
 * the rest of the pointer.
 */
extern const char *kg_json_pointer_step(const char *pointer, StringInfo step);
/* Returns the index that a step into an array means, or -1. */
extern int kg_json_pointer_index(const char *step);
/*
 * Replaces a value by the target of a JSON Pointer into the value. Returns
 * false if there is no target.
 */
extern bool kg_json_follow(JsonbValue *value, const char *pointer);

/*
 * Reads a string that contains a JSON number of at most 60 characters without
 * an exponent.  Returns false for any other value.  An exponent is refused
 * because the intended meaning of a model's "1e5" is unclear.
 */
extern bool kg_json_number_of(const JsonbValue *string, JsonbValue *number);

#endif /* KG_JSON_H */
