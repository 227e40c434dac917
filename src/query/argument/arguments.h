/*
 * arguments.h
 *	  Reads a tool's arguments. Errors say which argument to send instead;
 *	  repairs are made and reported.
 *
 * A function that reads a member takes the JSON Pointer of the object ("" for
 * the root). Results are allocated in the current memory context.
 */
#ifndef KG_ARGUMENTS_H
#define KG_ARGUMENTS_H

#include "base/error.h"
#include "base/json.h"
#include "nodes/pg_list.h"
#include "query/argument/members.h"

/*
 * The repairs of a call: arguments that were read as another value than the
 * caller sent.
 */
typedef struct KgRepairs
{
	List *repairs; /* List of KgRepair */
} KgRepairs;

extern void kg_repair_add(KgRepairs *repairs, const char *path,
						  const JsonbValue *got, const JsonbValue *used);
/*
 * Writes the repairs as items of an open array. Leaves out repairs that were
 * needed only because of the form of the published schemas.
 */
extern void kg_repairs_write_items(const KgRepairs *repairs, KgJsonWriter *w);
/*
 * Writes the member "repaired" if kg_repairs_write_items() has an item to
 * write.
 */
extern void kg_repairs_write(const KgRepairs *repairs, KgJsonWriter *w);

/* Return the JSON Pointer of a member or an item of the value at path. */
extern char *kg_path_member(const char *path, const char *name);
extern char *kg_path_index(const char *path, int index);
/* Returns the path of the object or array that has the value at path. */
extern char *kg_path_parent(const char *path);
/* Returns the last name of a path without the escapes of JSON Pointer. */
extern char *kg_path_last(const char *path);

/*
 * Returns a value, as the member of an object if member is not NULL, and as the
 * only item of an array if array: [{member: value}].
 */
extern Jsonb *kg_args_example_of(const JsonbValue *value, const char *member,
								 bool array);
/*
 * Splits a text at commas, semicolons or bars. Returns the number of parts; 0
 * if there are fewer than two, or one of them is empty.
 */
extern int kg_args_split(const char *text, char ***parts);
/*
 * Returns the length of the name or path with which a text begins, such as
 * "customer.name". Returns 0 if it begins with no name.
 */
extern size_t kg_args_name_length(const char *text);
/*
 * Splits a string such as "PLACED_BY, LIVES_IN" into its names. Returns their
 * number. Returns 0 for any other value, and for "A|B", which has alternatives.
 */
extern int kg_args_split_names(const JsonbValue *value, char ***names);
/*
 * Returns a value as an array in the form of an argument (NULL: unknown). If
 * the argument's items are names, "a, b" becomes two items. If its items are
 * objects, a string becomes an object, and a string of several names becomes an
 * object for each name.
 */
extern Jsonb *kg_args_list_of(const KgMember *member, const JsonbValue *value);
/*
 * Returns the only scalar of an object or array as text. For an object with a
 * type and an id, returns "type:id". For an integer, returns its text. Returns
 * NULL for any other value.
 */
extern Jsonb *kg_args_only_scalar(const JsonbValue *value);

/* Reads "true" or "false"; returns false for any other string. */
extern bool kg_args_read_bool(const JsonbValue *string, JsonbValue *boolean);

/*
 * Returns the error KG_INVALID_INPUT for an unknown argument of the object at
 * path. "more" follows in the message, unless it is NULL.
 */
extern KgError *kg_args_unknown(const char *path, const char *name,
								const char *more);
/*
 * Raises KG_INVALID_INPUT for a member of the object that the outline does not
 * have.
 */
extern void kg_args_known(const JsonbContainer *object, const char *path,
						  const KgOutline *known);

/*
 * Returns the value as an object. Raises KG_INVALID_INPUT for any other value;
 * for a JSON-encoded string the error has the correction.
 */
extern const JsonbContainer *kg_args_as_object(const JsonbValue *value,
											   const char *path);
/*
 * Return the value as an object or an array. Raise KG_INVALID_INPUT for any
 * other value. For kg_args_as_object_or(), meant is the correction of the
 * error, or NULL. For kg_args_as_array(), the member of the schema, or NULL,
 * determines the correction.
 */
extern const JsonbContainer *kg_args_as_object_or(const JsonbValue *value,
												  const char *path,
												  const Jsonb *meant);
extern const JsonbContainer *kg_args_as_array(const JsonbValue *value,
											  const char *path,
											  const KgMember *member);

/*
 * kg_args_array(), kg_args_int(), kg_args_bool() and kg_args_string() read the
 * member "key" of the object at path. They return NULL or false if it is
 * absent, and raise KG_INVALID_INPUT for a value of another type.
 */
extern const JsonbContainer *kg_args_array(const JsonbContainer *object,
										   const char *key, const char *path,
										   const KgMember *member);
/*
 * Returns an item of an array of objects. Raises KG_INVALID_INPUT if the item
 * is not an object. If the item is a string and string_member is not NULL, the
 * error has a correction: an object with the string in this member.
 */
extern const JsonbContainer *kg_args_item(const JsonbValue *value,
										  const char *path,
										  const char *string_member);
extern bool kg_args_int(const JsonbContainer *object, const char *key,
						const char *path, int64 min, int64 max, int64 *result,
						KgRepairs *repairs);
/*
 * Reads the member "key" of the object at path: a number from least to most.
 * Returns false if the member is absent. Raises KG_INVALID_INPUT for any other
 * value; expected describes the range in the error.
 */
extern bool kg_args_number(const JsonbContainer *object, const char *key,
						   const char *path, double least, double most,
						   const char *expected, double *result,
						   KgRepairs *repairs);
extern bool kg_args_bool(const JsonbContainer *object, const char *key,
						 const char *path, bool *result, KgRepairs *repairs);
extern char *kg_args_string(const JsonbContainer *object, const char *key,
							const char *path);

/*
 * Returns an id: a string of 1 to 128 bytes without control characters, or an
 * integer as text. Raises KG_INVALID_INPUT for any other value.
 */
extern char *kg_args_as_id(const JsonbValue *value, const char *path);

/*
 * Returns the distinct ids of the member, an array of 1 to max ids, in order;
 * NULL if the member is absent. An empty array is an error without a
 * correction: to leave it out would select all entities.
 */
extern char **kg_args_ids(const JsonbContainer *object, const char *key,
						  const char *path, int max, int *nids);

/*
 * Returns an error for a value of another type or range than the argument
 * declares.
 */
extern KgError *kg_args_error(const char *path, const JsonbValue *got,
							  const char *expected);

/*
 * Returns the arguments as an object. Raises KG_LIMIT_EXCEEDED if they exceed
 * kg_graph.max_argument_bytes, and KG_INVALID_INPUT if they are not an object.
 */
extern const JsonbContainer *kg_args_root(const Jsonb *arguments);

#endif /* KG_ARGUMENTS_H */
