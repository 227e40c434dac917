/*
 * input.h
 *	  Reads the arguments of a tool by the schema that the tool publishes.
 *
 *	  The template of the schema is the only source of member names, required
 *	  members, bounds, defaults and enums. A reader passes the name of the
 *	  member. All readers raise KG_INVALID_INPUT for invalid values; the error
 *	  says which values are valid.
 */
#ifndef KG_INPUT_H
#define KG_INPUT_H

#include "model/catalog.h"
#include "query/argument/arguments.h"
#include "tools/input/outline.h"

/* An object among the arguments, with its schema. */
typedef struct KgInput
{
	const JsonbContainer *object;
	const KgOutline *outline;
	const char *path; /* JSON Pointer; "" at the root */
	KgRepairs *repairs;
} KgInput;

/*
 * Raises a specific error for a member that the schema does not have, or
 * returns. Set by tools/correct/correct.c.
 */
extern void (*kg_input_unknown)(const KgInput *in, const JsonbValue *key);
/*
 * Replaces members that the schema does not have by those of the same meaning
 * (tools/correct/other_words.h). Set by tools/correct/correct.c.
 */
extern bool (*kg_input_other_words)(KgInput *in);

/* Begins to read the arguments and checks the names of their members. */
extern void kg_input_open(KgInput *in, const Jsonb *arguments,
						  const char *template, KgRepairs *repairs);

/*
 * Returns a date-time as text, or NULL if it is not declared or absent.
 * Numbers are refused, and the error does not suggest to send them as strings.
 */
extern const char *kg_input_instant(const KgInput *in, const char *key);

/*
 * Sets the time of the query from "as_of" (of a type, or NULL) and from
 * "valid_at", if the schema has these members. Call them before any data is
 * read.
 */
extern void kg_input_as_of(const KgInput *in, const KgCatalog *catalog,
						   const KgType *type);
extern void kg_input_valid_at(const KgInput *in, const KgCatalog *catalog);

/*
 * kg_input_declares() returns whether the schema has the member. The second
 * function returns whether the call has the member.
 */
extern bool kg_input_declares(const KgInput *in, const char *key);
extern bool kg_input_has(const KgInput *in, const char *key);
/*
 * kg_input_minimum() returns the minimum of a number. The second function
 * returns the maximum of a number, or of the number of an array's items.
 */
extern int64 kg_input_minimum(const KgInput *in, const char *key);
extern int64 kg_input_maximum(const KgInput *in, const char *key);
/* Returns the default of a number, or -1 without a default. */
extern int64 kg_input_default(const KgInput *in, const char *key);
/* Returns the JSON Pointer of a member. */
extern char *kg_input_path(const KgInput *in, const char *key);

/*
 * Sets *value to a member. Returns false if it is absent. Raises an error if
 * it is required.
 */
extern bool kg_input_value(const KgInput *in, const char *key,
						   JsonbValue *value);

/*
 * Read members of a type. An absent member has its default; without a default,
 * the result is unchanged, NULL or -1.
 */
extern bool kg_input_int(const KgInput *in, const char *key, int64 *result);
extern bool kg_input_bool(const KgInput *in, const char *key);
extern char *kg_input_string(const KgInput *in, const char *key);
/*
 * Returns the index of a string in the enum of its schema. "what" describes
 * the string in errors.
 */
extern int kg_input_enum(const KgInput *in, const char *key, const char *what);
extern char **kg_input_ids(const KgInput *in, const char *key, int *n);
/*
 * Returns an array. Raises an error if it has too few or too many items;
 * "what" describes them.
 */
extern const JsonbContainer *kg_input_array(const KgInput *in, const char *key,
											const char *what);
extern bool kg_input_object(const KgInput *in, const char *key, KgInput *inner);
/*
 * Return the number of objects in an array (0 if it is absent), and one of the
 * objects. For a string item, the error suggests the outline's string_member.
 */
extern int kg_input_objects(const KgInput *in, const char *key,
							const char *what);
extern void kg_input_item(const KgInput *in, const char *key, int index,
						  KgInput *item);

/*
 * Read an array whose items are objects or arrays of objects.
 * kg_input_nested() returns the number of objects in an item, or 0 if the item
 * is an object. kg_input_nested_item() reads one of them (-1: the item
 * itself).
 */
extern int kg_input_nested(const KgInput *in, const char *key, int index);
extern void kg_input_nested_item(const KgInput *in, const char *key, int index,
								 int inner, KgInput *item);

/* Raises KG_INVALID_INPUT if a member is absent. */
extern void kg_input_require(const KgInput *in, const char *key);
/* Raises an error for a member that is not among the known ones. */
extern void kg_input_only(const KgInput *in, const char *const *known,
						  int nknown);

/* Returns the index of a string among some names. The error lists the names. */
extern int kg_name_among(const char *name, const char *path, const char *what,
						 const char *const *names, int n);

#endif /* KG_INPUT_H */
