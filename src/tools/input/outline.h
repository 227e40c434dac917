/*
 * outline.h
 *	  The members of an input schema's template, as structs.
 *
 *	  A template is read once for each backend. Outlines need no invalidation:
 *	  templates are constants. Values that depend on tenants are not in them;
 *	  values of settings are in them as numbers of settings.
 */
#ifndef KG_OUTLINE_H
#define KG_OUTLINE_H

#include "postgres.h"

/* A bound or a default, if the schema has it. */
typedef struct KgBound
{
	bool given;
	int number; /* for kg_template_number(), or -1: use value */
	int64 value;
} KgBound;

typedef struct KgMember
{
	int len; /* length of its name in bytes */
	bool required;
	bool typed; /* it has a type: null is no value of it */
	bool array;
	bool object;
	KgBound minimum;
	KgBound maximum;
	KgBound min_items;
	KgBound max_items;
	KgBound default_number;
	const char *default_name; /* one of the names, or NULL */
	int nnames;				  /* number of values in its enum */
	const char *const *names;
	const struct KgOutline
		*inner; /* schema of an object, or of an array's items */
} KgMember;

typedef struct KgOutline
{
	int n;
	const char **names; /* of the members */
	KgMember *members;
} KgOutline;

extern const KgOutline *kg_outline(const char *template);

/* Returns the member of a name, or NULL. */
/* Returns whether an object has all required members. */
extern bool kg_outline_is_complete(const KgOutline *outline,
								   const JsonbContainer *object);
extern const KgMember *kg_outline_member(const KgOutline *outline,
										 const char *name, int len);

#endif /* KG_OUTLINE_H */
