/*
 * arguments.h
 *	  Reading a tool's arguments: the errors that tell a model what to send
 *	  instead, and the repairs that are made and reported.
 *
 * Every function takes the JSON Pointer of the object it reads ("" at the
 * root).  Everything is allocated in the current memory context.
 */
#ifndef KG_ARGUMENTS_H
#define KG_ARGUMENTS_H

#include "base/error.h"
#include "base/json.h"
#include "nodes/pg_list.h"

/* What was taken for something else than it was sent as. */
typedef struct KgRepairs
{
	List *repairs; /* of KgRepair */
} KgRepairs;

extern void kg_repair_add(KgRepairs *repairs, const char *path,
						  const JsonbValue *got, const JsonbValue *used);
/* Writes the member "repaired" where there is anything to report. */
/* Writes them into an array that is open. */
extern void kg_repairs_write_items(const KgRepairs *repairs, KgJsonWriter *w);
/* Writes the member "repaired", if there is anything to tell. */
extern void kg_repairs_write(const KgRepairs *repairs, KgJsonWriter *w);

/* path/name as a JSON Pointer. */
extern char *kg_path_member(const char *path, const char *name);
extern char *kg_path_index(const char *path, int index);
/* The last name of a path, as it is written in the arguments. */
extern char *kg_path_last(const char *path);

/* A value as the one item of an array, or in an object: [{member: value}]. */
extern Jsonb *kg_args_example_of(const JsonbValue *value, const char *member,
								 bool array);
/*
 * Splits a text at commas, semicolons or bars.  Returns the number of parts; 0 if
 * there are fewer than two, or one of them is empty.
 */
extern int kg_args_split(const char *text, char ***parts);
/*
 * A value as an array, of the argument of a name: "a, b" as two, where its items are
 * names.
 */
extern Jsonb *kg_args_list_of(const char *name, const JsonbValue *value);
/* The one scalar within an object or array that has no other, or NULL. */
extern Jsonb *kg_args_only_scalar(const JsonbValue *value);

/* Reads "true" or "false"; returns false for any other string. */
extern bool kg_args_read_bool(const JsonbValue *string, JsonbValue *boolean);

/* Raise KG_INVALID_INPUT for a member that is not known. */
extern void kg_args_known(const JsonbContainer *object, const char *path,
						  const char *const *known, int nknown);

/*
 * The value as an object or array; raises for anything else, with what to send
 * where it is a JSON-encoded string.
 */
extern const JsonbContainer *kg_args_as_object(const JsonbValue *value,
											   const char *path);
/* The same; an example of what is meant by something else may be given. */
extern const JsonbContainer *kg_args_as_object_or(const JsonbValue *value,
												  const char *path,
												  const Jsonb *meant);
extern const JsonbContainer *kg_args_as_array(const JsonbValue *value,
											  const char *path);

/* Members; false or NULL where absent. */
extern const JsonbContainer *kg_args_array(const JsonbContainer *object,
										   const char *key, const char *path);
/*
 * An array of objects, whose items are not looked at, and one of its items.  A
 * string is told that it belongs in the member string_member.
 */
extern const JsonbContainer *kg_args_objects(const JsonbContainer *object,
											 const char *key, const char *path,
											 const char *string_member);
extern const JsonbContainer *kg_args_item(const JsonbValue *value,
										  const char *path,
										  const char *string_member);
extern bool kg_args_int(const JsonbContainer *object, const char *key,
						const char *path, int64 min, int64 max, int64 *result,
						KgRepairs *repairs);
/* From least to most; expected says so. */
extern bool kg_args_number(const JsonbContainer *object, const char *key,
						   const char *path, double least, double most,
						   const char *expected, double *result,
						   KgRepairs *repairs);
extern bool kg_args_bool(const JsonbContainer *object, const char *key,
						 const char *path, bool *result, KgRepairs *repairs);
extern char *kg_args_string(const JsonbContainer *object, const char *key,
							const char *path);

/*
 * An id: a string of 1 to 128 bytes without control characters, or an integer
 * read as text.
 */
extern char *kg_args_as_id(const JsonbValue *value, const char *path);

/*
 * Returns the ids of an array of 1 to max, without duplicates, in order.  An empty
 * one selects nothing, so it is never told to be left out.
 */
extern char **kg_args_ids(const JsonbContainer *object, const char *key,
						  const char *path, int max, int *nids);

/* An error for a value that is not what the argument declares. */
extern KgError *kg_args_error(const char *path, const JsonbValue *got,
							  const char *expected);

/* The arguments object, its size checked; an absent one is {}. */
extern const JsonbContainer *kg_args_root(const Jsonb *arguments);

#endif /* KG_ARGUMENTS_H */
