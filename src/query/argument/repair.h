/*
 * repair.h
 *	  What to send instead: the whole arguments of a call, with what is wrong in
 *	  them put right.
 *
 *	  Errors have it as "call" by themselves: kg_error_throw() asks here, about
 *	  the tool that runs.  Hints write it.  Nothing is looked up: a correction is
 *	  made of what the error or hint says anyway.
 */
#ifndef KG_REPAIR_H
#define KG_REPAIR_H

#include "base/error.h"
#include "base/json.h"

extern void kg_repair_init(void);

/* The tool that runs, and its arguments; NULL: none that can be named. */
extern void kg_repair_begin(const char *tool, const Jsonb *arguments);

/*
 * Changes the arguments of the call that runs as one of them was read (NULL: it
 * was left out), so that a call that an error tells has this too.
 */
extern void kg_repair_take(const char *path, const Jsonb *used);

/* A container with one thing in it changed; path is that of the container. */
extern Jsonb *kg_changed(const JsonbContainer *container, const char *path,
						 const KgInstead *change);

/* Changes of the call that runs, gathered. */
typedef struct KgCorrection
{
	const Jsonb *arguments; /* NULL: nothing was changed */
} KgCorrection;

extern void kg_correct(KgCorrection *correction, const KgInstead *change);
/*
 * Adds the change that an error suggests. Returns false if it suggests none, or
 * none with a certain meaning.
 */
extern bool kg_correct_error(KgCorrection *correction, const KgError *err);
/* Returns the corrected call {tool, arguments}, or NULL. */
extern Jsonb *kg_correction_call(const KgCorrection *correction);
/* Writes the member "call" where something was changed. */
extern void kg_correction_write(const KgCorrection *correction,
								KgJsonWriter *w);

/*
 * Corrects a text that lists several values: in an array they become its items,
 * elsewhere {"in": [...]}.
 */
extern void kg_correct_list(KgCorrection *correction, const char *path,
							const JsonbValue *got, char **parts, int n);

/* The value at a path of the arguments of the call that runs. */
extern bool kg_repair_value_at(const char *path, JsonbValue *value);

/*
 * What a value is as the argument of that name: an array, where that is one; NULL
 * where it is as it is.
 */
extern Jsonb *kg_repair_as_member(const char *name, const JsonbValue *value);

/*
 * Is a text another spelling of a name, and nothing of it left over?  What is only
 * near may be told, but is never put into a call.
 */
extern bool kg_is_certain(const char *given, const char *meant);

/*
 * Which of some names, or of the labels beside them (NULL: none), is the one that
 * a text means; -1 where none is, or several are.
 */
extern int kg_likely(const char *text, const char *const *names,
					 const char *const *labels, int n);

#endif /* KG_REPAIR_H */
