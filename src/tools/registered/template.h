/*
 * template.h
 *	  The template of the arguments that an operation of a registered tool
 *	  passes to another tool. A template is JSON, in which {"$arg": name}
 *	  stands for the value of an argument. In a sequence, {"$result":
 *	  operation, "path": pointer} stands for a value in the reply of an
 *	  earlier step.
 *
 *	  A template is parsed once. It is allocated in the current memory
 *	  context, and points into the value from which it was read. Inserted
 *	  values are not parsed: an object in them that looks like an instruction
 *	  stays as it is.
 */
#ifndef KG_TEMPLATE_H
#define KG_TEMPLATE_H

#include "base/error.h"
#include "utils/jsonb.h"

typedef struct KgTemplate KgTemplate;

/* A position at which a value is inserted. */
typedef struct KgTemplatePlace
{
	/*
	 * index of the argument to insert; -1: the value comes from the reply of a
	 * step
	 */
	int arg;
	/*
	 * index of the step whose reply has the value; pointer is the JSON Pointer
	 * of the value in the reply
	 */
	int result;
	const char *pointer;
} KgTemplatePlace;

/* The names of arguments and steps that a template may use. */
typedef struct KgTemplateNames
{
	int nargs;
	const char *const *args;
	int nresults; /* number of earlier steps */
	const char *const *results;
} KgTemplateNames;

/*
 * Parses a template. "path" is the JSON Pointer of the template in the
 * definition, for errors. If the template has faults, reports them and returns
 * NULL.
 */
extern KgTemplate *kg_template_read(const JsonbValue *value,
									const KgTemplateNames *names,
									const char *path, KgErrorList *errors);

extern int kg_template_places(const KgTemplate *template,
							  const KgTemplatePlace **places);

/*
 * Returns the JSON Pointer, in the filled arguments, of the value at an
 * insertion position.
 */
extern char *kg_template_path(const KgTemplate *template, int place);

/*
 * Returns the index of the insertion position whose value has the target of a
 * JSON Pointer, or -1. Sets *rest to the remaining part of the pointer, which
 * points into the inserted value.
 */
extern int kg_template_place_at(const KgTemplate *template, const char *path,
								const char **rest);

/*
 * Returns the arguments with the values inserted. If a value is NULL, the key
 * of the value is omitted. Returns NULL if the arguments exceed max_bytes, with
 * bytes counted as in kg_args_root().
 */
extern Jsonb *kg_template_fill(const KgTemplate *template,
							   const JsonbValue *const *values, int max_bytes);

/*
 * Returns the index of the argument whose value the template inserts unchanged
 * as the member "key", or -1.
 */
extern int kg_template_member(const KgTemplate *template, const char *key);

#endif /* KG_TEMPLATE_H */
