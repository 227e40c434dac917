/*
 * outline.h
 *	  What a template of an input schema says of each argument, as structs.
 *
 *	  Read from the template once a backend.  Nothing invalidates it: a template
 *	  is a constant, and what tenants and settings decide is not in it, or is the
 *	  number of a setting.
 */
#ifndef KG_OUTLINE_H
#define KG_OUTLINE_H

#include "postgres.h"

/* A bound or default, where the schema has one. */
typedef struct KgBound
{
	bool given;
	int number; /* of kg_template_number(), or -1: */
	int64 value;
} KgBound;

typedef struct KgMember
{
	int len; /* of its name */
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
	int nnames;				  /* of its enum */
	const char *const *names;
	const struct KgOutline *inner; /* of an object, or of an array's items */
} KgMember;

typedef struct KgOutline
{
	int n;
	const char **names; /* of the members */
	KgMember *members;
} KgOutline;

extern const KgOutline *kg_outline(const char *template);

/* NULL where there is none of the name. */
extern const KgMember *kg_outline_member(const KgOutline *outline,
										 const char *name, int len);

#endif /* KG_OUTLINE_H */
