/*
 * template.h
 *	  The arguments that an operation of a registered tool calls another tool
 *	  with: JSON with {"$arg": name} for values of the input, and in a sequence
 *	  {"$result": operation, "path": pointer} for values of earlier replies.
 *
 *	  A template is taken apart once, lives in the context that was current then
 *	  and points into the value that it was read from.  What it is filled with stays what it is: only the template's own
 *	  objects are looked at.
 */
#ifndef KG_TEMPLATE_H
#define KG_TEMPLATE_H

#include "base/error.h"
#include "utils/jsonb.h"

typedef struct KgTemplate KgTemplate;

/* A value to be filled in. */
typedef struct KgTemplatePlace
{
	int arg;	/* of the names, or -1: */
	int result; /* the step, and a pointer into its reply */
	const char *pointer;
} KgTemplatePlace;

/* What may be named in it. */
typedef struct KgTemplateNames
{
	int nargs;
	const char *const *args;
	int nresults; /* of the steps before */
	const char *const *results;
} KgTemplateNames;

/*
 * Faults are reported at path (JSON Pointer of the template in the definition);
 * NULL where there are any.
 */
extern KgTemplate *kg_template_read(const JsonbValue *value,
									const KgTemplateNames *names,
									const char *path, KgErrorList *errors);

extern int kg_template_places(const KgTemplate *template,
							  const KgTemplatePlace **places);

/* Returns the JSON Pointer of a place in the arguments that are made. */
extern char *kg_template_path(const KgTemplate *template, int place);

/*
 * Returns the place that a JSON Pointer into the arguments leads to or into, and
 * the rest of the pointer; -1: none.
 */
extern int kg_template_place_at(const KgTemplate *template, const char *path,
								const char **rest);

/*
 * Returns the arguments with these values in its places (NULL: its key is left
 * out), or NULL as soon as they would have more bytes than kg_args_root() takes
 * with such a limit.
 */
extern Jsonb *kg_template_fill(const KgTemplate *template,
							   const JsonbValue *const *values, int max_bytes);

/* Where a JSON Pointer leads, into *found; NULL where nowhere. */
extern JsonbValue *kg_json_at(const Jsonb *document, const char *pointer,
							  JsonbValue *found);

/* The member that is filled in with an argument as it is, or -1. */
extern int kg_template_member(const KgTemplate *template, const char *key);

#endif /* KG_TEMPLATE_H */
