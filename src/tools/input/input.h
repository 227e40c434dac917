/*
 * input.h
 *	  The arguments of a tool, read by the schema that the tool publishes.
 *
 *	  What members there are, which are required, bounds, defaults and enums
 *	  stand in the template of that schema and nowhere else; a reader names the
 *	  member.  Raises KG_INVALID_INPUT for what does not fit, with what does.
 */
#ifndef KG_INPUT_H
#define KG_INPUT_H

#include "model/catalog.h"
#include "query/argument/arguments.h"
#include "tools/input/outline.h"

/* An object among the arguments, and what its schema has of it. */
typedef struct KgInput
{
	const JsonbContainer *object;
	const KgOutline *outline;
	const char *path; /* JSON Pointer; "" at the root */
	KgRepairs *repairs;
} KgInput;

/*
 * Raises a better error than "unknown argument" for a member that the schema
 * does not have, or returns.  Set by tools/correct/correct.c.
 */
extern void (*kg_input_unknown)(const KgInput *in, const JsonbValue *key);

/* Begin with all arguments: checks their names. */
extern void kg_input_open(KgInput *in, const Jsonb *arguments,
						  const char *template, KgRepairs *repairs);

/*
 * A date-time as text, or NULL where it is not declared or not sent.  A number is
 * none as a string either, and is not told to be sent as one.
 */
extern const char *kg_input_instant(const KgInput *in, const char *key);

/*
 * The time then which the call asks about, of a type or NULL, where the schema
 * has "as_of", and the instant, where it has "valid_at"; before anything is
 * looked up.
 */
extern void kg_input_as_of(const KgInput *in, const KgCatalog *catalog,
						   const KgType *type);
extern void kg_input_valid_at(const KgInput *in, const KgCatalog *catalog);

/* Does the schema have the member?  Was it sent? */
extern bool kg_input_declares(const KgInput *in, const char *key);
extern bool kg_input_has(const KgInput *in, const char *key);
/* The least a number can be, and the most that it can be, or have. */
extern int64 kg_input_minimum(const KgInput *in, const char *key);
extern int64 kg_input_maximum(const KgInput *in, const char *key);
/* The JSON Pointer of a member. */
extern char *kg_input_path(const KgInput *in, const char *key);

/* A member; false where it was not sent.  Raises where it is required. */
extern bool kg_input_value(const KgInput *in, const char *key,
						   JsonbValue *value);

/*
 * Members of a kind.  What was not sent is its default; where the schema has none the
 * result stays as it was, NULL, or -1.
 */
extern bool kg_input_int(const KgInput *in, const char *key, int64 *result);
extern bool kg_input_bool(const KgInput *in, const char *key);
extern char *kg_input_string(const KgInput *in, const char *key);
/* The place of a string in its enum; what it is, for the error. */
extern int kg_input_enum(const KgInput *in, const char *key, const char *what);
extern char **kg_input_ids(const KgInput *in, const char *key, int *n);
/* An array; raises for too few or too many of what its items are. */
extern const JsonbContainer *kg_input_array(const KgInput *in, const char *key,
											const char *what);
extern bool kg_input_object(const KgInput *in, const char *key, KgInput *inner);
/*
 * The number of objects in an array, 0 where it was not sent, and one of them.
 * A string is told that it belongs in the member string_member.
 */
extern int kg_input_objects(const KgInput *in, const char *key,
							const char *string_member, const char *what);
extern void kg_input_item(const KgInput *in, const char *key, int index,
						  const char *string_member, KgInput *item);

/*
 * An array whose items are objects, or arrays of them: how many objects an item
 * is an array of, 0 where it is one itself, and one of them (-1: itself).
 */
extern int kg_input_nested(const KgInput *in, const char *key, int index);
extern void kg_input_nested_item(const KgInput *in, const char *key, int index,
								 int inner, KgInput *item);

/* Raise KG_INVALID_INPUT where a member was not sent. */
extern void kg_input_require(const KgInput *in, const char *key);
/* Raise for a member that is none of those that go together. */
extern void kg_input_only(const KgInput *in, const char *const *known,
						  int nknown);

/* Which of some names a string is; raises with them. */
extern int kg_name_among(const char *name, const char *path, const char *what,
						 const char *const *names, int n);

#endif /* KG_INPUT_H */
