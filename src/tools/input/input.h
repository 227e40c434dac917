/*
 * input.h
 *	  Reads the arguments of a tool by the schema that the tool publishes.
 *
 *	  The template of the schema is the only source of member names, required
 *	  members, bounds, defaults and enums. Functions that read a member get
 *	  only its name. They raise KG_INVALID_INPUT for invalid values, and the
 *	  error says which values are valid.
 */
#ifndef KG_INPUT_H
#define KG_INPUT_H

#include "model/catalog.h"
#include "query/argument/arguments.h"
#include "tools/input/outline.h"

/* An object in the arguments, with its schema. */
typedef struct KgInput
{
	const JsonbContainer *object;
	const KgOutline *outline;
	const char *path; /* JSON Pointer; "" at the root */
	KgRepairs *repairs;
} KgInput;

/*
 * Hook for a member that the schema does not have. Raises a specific error, or
 * returns. Set by tools/correct/correct.c.
 */
extern void (*kg_input_unknown)(const KgInput *in, const JsonbValue *key);
/*
 * Hook that replaces members which the schema does not have by members with the
 * same meaning (tools/correct/other_words.h). Returns whether it replaced any.
 * Set by tools/correct/correct.c.
 */
extern bool (*kg_input_other_words)(KgInput *in);

/* Opens the arguments for reading, and checks the names of their members. */
extern void kg_input_open(KgInput *in, const Jsonb *arguments,
						  const char *template, KgRepairs *repairs);

/*
 * Replaces the object by an object that has the same meaning. The corrected
 * call in an error has the new object, too.
 */
extern void kg_input_replace(KgInput *in, const Jsonb *object);

/*
 * Returns a member whose text the caller parses as a date-time. Returns NULL if
 * the schema does not declare the member or the call lacks it. Returns a number
 * as its digits, so that the caller refuses it. An error about the type would
 * suggest sending the number as a string.
 */
extern const char *kg_input_instant(const KgInput *in, const char *key);

/*
 * Read the members "as_of" and "valid_at", if the schema has them, and set the
 * time for which the call reads data. For as_of, type is the type that must
 * have history, or NULL. These functions must be called before any data is
 * read.
 */
extern void kg_input_as_of(const KgInput *in, const KgCatalog *catalog,
						   const KgType *type);
extern void kg_input_valid_at(const KgInput *in, const KgCatalog *catalog);

/*
 * kg_input_declares() returns whether the schema has the member, and
 * kg_input_has() whether the call has it.
 */
extern bool kg_input_declares(const KgInput *in, const char *key);
extern bool kg_input_has(const KgInput *in, const char *key);
/*
 * kg_input_minimum() returns the minimum of a number in the schema.
 * kg_input_maximum() returns the maximum of a number, or of the number of
 * items of an array.
 */
extern int64 kg_input_minimum(const KgInput *in, const char *key);
extern int64 kg_input_maximum(const KgInput *in, const char *key);
/*
 * Returns the default of a number in the schema, or -1 if there is no default.
 */
extern int64 kg_input_default(const KgInput *in, const char *key);
/* Returns the JSON Pointer of a member of the object. */
extern char *kg_input_path(const KgInput *in, const char *key);

/*
 * Sets *value to the value of a member. If the member is absent, returns
 * false, or raises an error if the member is required.
 */
extern bool kg_input_value(const KgInput *in, const char *key,
						   JsonbValue *value);

/*
 * Read members of a certain type. An absent member has the default in the
 * schema. Without a default, an absent integer leaves *result unchanged, and
 * other functions return NULL, false or -1.
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
 * Returns an array, or NULL if the member is absent. Raises an error if the
 * array has too few or too many items. "what" describes the items in the error.
 */
extern const JsonbContainer *kg_input_array(const KgInput *in, const char *key,
											const char *what);
extern bool kg_input_object(const KgInput *in, const char *key, KgInput *inner);
/*
 * kg_input_objects() returns the number of objects in an array, or 0 if the
 * array is absent. kg_input_item() opens one of these objects. If an item is a
 * string, the error suggests an object whose member string_member (KgOutline)
 * has the string.
 */
extern int kg_input_objects(const KgInput *in, const char *key,
							const char *what);
extern void kg_input_item(const KgInput *in, const char *key, int index,
						  KgInput *item);

/*
 * Read an array whose items are objects or arrays of objects. kg_input_nested()
 * returns the number of objects in an item that is an array, or 0 if the item
 * is an object. kg_input_nested_item() opens an object of such an array; with
 * inner -1, it opens the item itself.
 */
extern int kg_input_nested(const KgInput *in, const char *key, int index);
extern void kg_input_nested_item(const KgInput *in, const char *key, int index,
								 int inner, KgInput *item);

/* Raises KG_INVALID_INPUT if the member is absent. */
extern void kg_input_require(const KgInput *in, const char *key);
/* Raises KG_INVALID_INPUT for a member whose name is not in "known". */
extern void kg_input_only(const KgInput *in, const char *const *known,
						  int nknown);

/*
 * Returns the index of a string in an array of names. If the array lacks the
 * string, raises an error that lists the names. "what" describes the string.
 */
extern int kg_name_among(const char *name, const char *path, const char *what,
						 const char *const *names, int n);

#endif /* KG_INPUT_H */
