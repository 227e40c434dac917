/*
 * repair.h
 *	  Corrections: the arguments of the call that was probably meant.
 *
 * kg_error_throw() adds the member "call" to errors by itself, through
 * kg_error_complete, for the running tool. Hints write it with
 * kg_correction_write(). A correction uses only the data in the error or hint;
 * it reads nothing else.
 */
#ifndef KG_REPAIR_H
#define KG_REPAIR_H

#include "base/error.h"
#include "base/json.h"
#include "query/argument/members.h"

extern void kg_repair_init(void);

/*
 * Sets the tool and the arguments of the running call. Within a registered
 * tool, sets both to NULL.
 */
extern void kg_repair_begin(const char *tool, const Jsonb *arguments);

/*
 * Records that the argument at path was read as the value "used" (NULL: it was
 * ignored), so that the corrected call in an error has this value, too.
 */
extern void kg_repair_take(const char *path, const Jsonb *used);

/*
 * Returns a copy of a container with one change. path is the path of the
 * container.
 */
extern Jsonb *kg_changed(const JsonbContainer *container, const char *path,
						 const KgInstead *change);

/* The corrections of the running call collected so far. */
typedef struct KgCorrection
{
	const Jsonb *arguments; /* NULL: no correction */
} KgCorrection;

extern void kg_correct(KgCorrection *correction, const KgInstead *change);
/*
 * Add a correction. kg_correct_set(): the object at the path gets the member.
 * kg_correct_out(): the value at the path is left out.
 */
extern void kg_correct_set(KgCorrection *correction, const char *path,
						   const char *key, const Jsonb *value);
extern void kg_correct_out(KgCorrection *correction, const char *path);
/*
 * Adds the change that an error suggests to the corrections. Returns false if
 * the error suggests no change, or a change that is not certainly meant.
 */
extern bool kg_correct_error(KgCorrection *correction, const KgError *err);
/* Returns the corrected call {tool, arguments}, or NULL. */
extern Jsonb *kg_correction_call(const KgCorrection *correction);
/* Writes the member "call" if there is a correction. */
extern void kg_correction_write(const KgCorrection *correction,
								KgJsonWriter *w);

/*
 * Adds a correction of a text that lists several values in place of one: "got"
 * is the text, such as "a, b", and "parts" are its n values. If the value at
 * the path is an array, the parts replace the text in this array. Otherwise, if
 * "condition" is true, the path leads to a condition of a filter, and {"in":
 * [parts]} replaces the condition. In all other cases only one value is
 * possible, so no correction is added.
 */
extern void kg_correct_list(KgCorrection *correction, const char *path,
							const JsonbValue *got, char **parts, int n,
							bool condition);

/*
 * Sets *value to the value at a path of the running call's arguments. Returns
 * false if there is no such value.
 */
extern bool kg_repair_value_at(const char *path, JsonbValue *value);

/*
 * Returns a value in the form that an argument requires, such as an array; NULL
 * if it needs no change. member NULL: an argument that takes one value.
 */
extern Jsonb *kg_repair_as_member(const KgMember *member,
								  const JsonbValue *value);

/*
 * Returns whether a text is certainly another spelling of a name. A name that
 * is only near may be suggested, but is never put into a call.
 */
extern bool kg_is_certain(const char *given, const char *meant);

/*
 * Returns the index of the only name, or of the only label (labels NULL: no
 * labels), that a text means; -1 if no name or several may be meant.
 */
extern int kg_likely(const char *text, const char *const *names,
					 const char *const *labels, int n);

#endif /* KG_REPAIR_H */
