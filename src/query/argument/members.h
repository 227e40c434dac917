/*
 * members.h
 *	  The members of an input schema, as structs: the only source of the names
 *	  and kinds of arguments, for reading them and for corrections.
 *
 * tools/input/outline.c makes these structs from the templates of the published
 * schemas. They have no values that depend on tenants. The value of a setting
 * is stored as the number of the setting.
 */
#ifndef KG_MEMBERS_H
#define KG_MEMBERS_H

#include "base/json.h"

/*
 * A bound or a default of a member; given is false if the schema has no such
 * bound or default.
 */
typedef struct KgMemberBound
{
	bool given;
	/* argument of kg_template_number(), or -1: use value */
	int number;
	int64 value;
} KgMemberBound;

typedef struct KgMember
{
	int len; /* length of name in bytes */
	bool required;
	/* the schema has a type, so null is not a valid value */
	bool typed;
	bool array;
	bool object;
	/* An array, or an object, is one of the member's types or alternatives. */
	bool or_array;
	bool or_object;
	bool string; /* a string is one of the member's types */
	bool number; /* a number is one of the member's types */
	/* an array of names of types, relations or properties */
	bool of_names;
	bool of_objects; /* an array of objects */
	bool filters;
	KgMemberBound minimum;
	KgMemberBound maximum;
	KgMemberBound min_items;
	KgMemberBound max_items;
	KgMemberBound default_number;
	/* default value, if it is one of "names"; or NULL */
	const char *default_name;
	int nnames; /* number of values in the member's enum */
	const char *const *names;
	/* schema of an object, or of an array's items */
	const struct KgOutline *inner;
} KgMember;

/* The members of an object. */
typedef struct KgOutline
{
	int n;
	const char *const *names; /* names of the members */
	/* in the order of names; NULL: only the names are known */
	const KgMember *members;
	/* the member that a string in place of the object means, or NULL */
	const char *string_member;
} KgOutline;

/*
 * Returns the member with this name; NULL: no such member, or only its name is
 * known.
 */
extern const KgMember *kg_outline_member(const KgOutline *outline,
										 const char *name, int len);

/* Returns whether an object has all required members. */
extern bool kg_outline_is_complete(const KgOutline *outline,
								   const JsonbContainer *object);

/* Returns an outline of some of the members. */
extern KgOutline kg_outline_of(const KgOutline *outline,
							   const char *const *names, int n);

/*
 * Returns whether an argument takes an array of at least two items, and the
 * value is not an array. Such a value has no certain meaning, because an array
 * of this value alone would be too short. member may be NULL.
 */
extern bool kg_member_takes_several(const KgMember *member,
									const JsonbValue *value);

/*
 * If the items of an array are objects and a string may stand for an item,
 * returns the member of the object that the string means; otherwise NULL.
 * member may be NULL.
 */
extern const char *kg_member_of_string(const KgMember *member);

#endif /* KG_MEMBERS_H */
