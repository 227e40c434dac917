/*
 * template.h
 *	  The template of the arguments that an operation of a registered tool
 *	  passes to another tool. It is JSON with {"$arg": name} for values of the
 *	  input. A sequence may also use {"$result": operation, "path": pointer}
 *	  for values of earlier replies.
 *
 *	  A template is parsed once. It lives in the memory context that was
 *	  current at that time, and points into the value from which it was read.
 *	  Inserted values are not parsed: only objects of the template itself are
 *	  replaced.
 */
#ifndef KG_TEMPLATE_H
#define KG_TEMPLATE_H

#include "base/error.h"
#include "utils/jsonb.h"

typedef struct KgTemplate KgTemplate;

/* A position at which a value is inserted. */
typedef struct KgTemplatePlace
{
	int arg;	/* index among the names, or -1: */
	int result; /* index of the step, with a pointer into its reply */
	const char *pointer;
} KgTemplatePlace;

/* The names that a template may use. */
typedef struct KgTemplateNames
{
	int nargs;
	const char *const *args;
	int nresults; /* number of earlier steps */
	const char *const *results;
} KgTemplateNames;

/*
 * Parses a template. Reports faults with the path, a JSON Pointer to the
 * template in the definition. Returns NULL if there are any.
 */
extern KgTemplate *kg_template_read(const JsonbValue *value,
									const KgTemplateNames *names,
									const char *path, KgErrorList *errors);

extern int kg_template_places(const KgTemplate *template,
							  const KgTemplatePlace **places);

/* Returns the JSON Pointer of an insertion position in the filled arguments. */
extern char *kg_template_path(const KgTemplate *template, int place);

/*
 * Returns the index of the placeholder whose value contains the target of a
 * JSON Pointer, or -1. Sets *rest to the part of the pointer below the
 * placeholder.
 */
extern int kg_template_place_at(const KgTemplate *template, const char *path,
								const char **rest);

/*
 * Returns the arguments with the values inserted; the key of a NULL value is
 * omitted. Returns NULL once they exceed max_bytes, the limit of
 * kg_args_root().
 */
extern Jsonb *kg_template_fill(const KgTemplate *template,
							   const JsonbValue *const *values, int max_bytes);

/*
 * Sets *found to the target of a JSON Pointer. Returns NULL if it has no
 * target.
 */
extern JsonbValue *kg_json_at(const Jsonb *document, const char *pointer,
							  JsonbValue *found);

/* Returns the argument that is inserted unchanged as the member key, or -1. */
extern int kg_template_member(const KgTemplate *template, const char *key);

#endif /* KG_TEMPLATE_H */
