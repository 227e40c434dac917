/*
 * json.h
 *	  Reading and writing binary jsonb: thin helpers over the server's jsonb
 *	  API, which is the only JSON format inside the backend.
 */
#ifndef KG_JSON_H
#define KG_JSON_H

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/*
 * Member of an object container, into *value; NULL where absent.  Points into
 * the container: copies nothing.
 */
extern JsonbValue *kg_json_get(const JsonbContainer *object, const char *key,
							   JsonbValue *value);

/* The container of an object or array value; NULL for a scalar. */
extern const JsonbContainer *kg_json_container(const JsonbValue *value);

/* The root of a datum as a value: a scalar root is unwrapped. */
extern void kg_json_root(const Jsonb *jsonb, JsonbValue *value);

extern bool kg_json_is_object(const JsonbValue *value);
extern bool kg_json_is_array(const JsonbValue *value);
/* A palloc'd C string of a jbvString (or of any other value as JSON text). */
extern char *kg_json_cstring(const JsonbValue *value);
extern bool kg_json_string_is(const JsonbValue *value, const char *s);
/* "null", "string", "number", "boolean", "object", "array": JSON's names. */
extern const char *kg_json_type_name(const JsonbValue *value);
/* An integral number that fits, else false. */
extern bool kg_json_int64(const JsonbValue *value, int64 *result);
/*
 * The bytes of JSON text that the long numbers of a container take: few bytes of
 * jsonb may hold 130,000 digits.  Counting stops above max.
 */
extern int64 kg_json_number_bytes(const JsonbContainer *container, int64 max);
/* The bytes of a number's text; and 0 instead where they are few. */
extern Size kg_json_number_size(Numeric number);
/* Its text into as many bytes, and where that ends; NULL where they are many. */
extern char *kg_json_number_write(Numeric number, char *at);
extern int64 kg_json_number_length(const JsonbValue *number);
/* A string value that borrows s. */
extern JsonbValue kg_json_string_value(const char *s);
/* Any value as a datum of its own. */
extern Jsonb *kg_json_datum(const JsonbValue *value);
/* Equal, or both NULL. */
extern bool kg_json_same(const Jsonb *a, const Jsonb *b);
/* Of values as kg_json_get() and KgJsonIter have them. */
extern bool kg_json_same_value(const JsonbValue *a, const JsonbValue *b);

/*
 * Walk an object or array without recursion into its members:
 *
 *	  kg_json_each(it, container)
 *		  ... it.key (objects), it.value, it.index ...
 *
 * Values borrow from the container.
 */
typedef struct KgJsonIter
{
	const JsonbContainer *container;
	bool is_object;
	int n;
	int index; /* of the member just read, from 0 */
	JsonbValue key;
	JsonbValue value;
	/* where the next key and the next value begin in the container's data */
	uint32 key_at;
	uint32 value_at;
} KgJsonIter;

/* Does the value nest deeper than so many arrays and objects? */
extern bool kg_json_deeper_than(const JsonbContainer *container, int limit);

extern void kg_json_iter_init(KgJsonIter *it, const JsonbContainer *container);
extern bool kg_json_iter_next(KgJsonIter *it);

extern KgJsonIter kg_json_iter(const JsonbContainer *container);

#define kg_json_each(it, container) \
	for (KgJsonIter it = kg_json_iter(container); kg_json_iter_next(&it);)

/*
 * Walk an object on to a member of that name; false where there is none.  Names
 * are asked for in the order that objects have theirs in, as another walk does.
 */
extern bool kg_json_iter_find(KgJsonIter *it, const JsonbValue *name);
extern int kg_json_length(const JsonbContainer *container);

/*
 * Write a document: begin/end pairs nest; inside an object every value is
 * preceded by kg_jw_key().  Of two members with one name the later stays.
 * Values are copied at once, into the context that was current at
 * kg_jw_init(); a container is copied as it is, not taken apart.  The document
 * that kg_jw_finish() returns is in the context that is current then; it ends
 * the outermost object or array, where that was not done.
 */
typedef struct KgJsonWriter
{
	struct KgJsonFrame *frame; /* innermost open object or array */
	struct KgJsonFrame *spare; /* closed ones, to be used again */
	Jsonb *result;			   /* the root, once its end was written */
	MemoryContext context;
	int depth;
} KgJsonWriter;

extern void kg_jw_init(KgJsonWriter *w);
/* The same, and begin the outermost. */
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
/* A member that was read, as it is; all members of an object. */
extern void kg_jw_member(KgJsonWriter *w, const KgJsonIter *member);
extern void kg_jw_members(KgJsonWriter *w, const JsonbContainer *object);
/* key and value in one call */
extern void kg_jw_kbegin_object(KgJsonWriter *w, const char *key);
extern void kg_jw_kbegin_array(KgJsonWriter *w, const char *key);
extern void kg_jw_kstring(KgJsonWriter *w, const char *key, const char *s);
extern void kg_jw_kint(KgJsonWriter *w, const char *key, int64 n);
extern void kg_jw_kbool(KgJsonWriter *w, const char *key, bool b);
extern void kg_jw_kjsonb(KgJsonWriter *w, const char *key, const Jsonb *jsonb);
/* The same where there is a value. */
extern void kg_jw_kstring_if(KgJsonWriter *w, const char *key, const char *s);
extern void kg_jw_kjsonb_if(KgJsonWriter *w, const char *key,
							const Jsonb *jsonb);
extern void kg_jw_kstrings(KgJsonWriter *w, const char *key,
						   char *const *strings, int n);
/* The same of a List of them. */
extern void kg_jw_klist(KgJsonWriter *w, const char *key, const List *strings);
extern Jsonb *kg_jw_finish(KgJsonWriter *w);

/* An object with a member, in place of one of that name; and without one. */
extern Jsonb *kg_json_with(const Jsonb *object, const char *key,
						   const JsonbValue *value);
extern Jsonb *kg_json_without(const Jsonb *object, const char *key);

/* Length of JSON as jsonb's output function writes it. */
extern Size kg_value_text_size(const JsonbValue *value);
extern Size kg_json_text_size(const JsonbContainer *container);
extern Size kg_string_text_size(const char *s, int len);
/* Append a string as JSON. */
extern void kg_json_append_string(StringInfo text, const char *s, int len);
/* That text: what JsonbToCString() makes, in less than half the instructions. */
extern char *kg_json_text(const JsonbContainer *container);
/*
 * Of an object: the members of nfirst names first, and of nlast more last, in as
 * many bytes as kg_json_text_size() says.
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
/* Append that text, without a blank between its parts. */
extern void kg_json_append(StringInfo text, const JsonbValue *value);

/* JSON text to datum; for literals of our own. */
extern Jsonb *kg_json_parse(const char *text);

/* Append a member name to a JSON Pointer (RFC 6901: ~ and / escaped). */
extern void kg_json_pointer_append(StringInfo pointer, const char *name,
								   int len);

/*
 * Reads a string that is a JSON number without an exponent, of 60 characters at
 * most; returns false for any other value.  An exponent is refused because the
 * meaning of a model's "1e5" is in doubt.
 */
extern bool kg_json_number_of(const JsonbValue *string, JsonbValue *number);

#endif /* KG_JSON_H */
