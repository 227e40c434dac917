/*
 * marks.h
 *	  Which members of an object that is no entity hold text from outside.
 */
#ifndef KG_MARKS_H
#define KG_MARKS_H

#include "base/json.h"
#include "catalog/catalog.h"

typedef struct KgMarks
{
	int n;
	const char *members[3];
} KgMarks;

/* The member shows the field, or nothing where it is NULL. */
extern void kg_marks_note(KgMarks *marks, const KgField *field,
						  const char *member);

/* Writes "untrusted": [member, ...], where there is any. */
extern void kg_marks_write_members(const KgMarks *marks, KgJsonWriter *w);

/* Of one member. */
extern void kg_marks_write_member(const KgField *field, const char *member,
								  KgJsonWriter *w);

#endif /* KG_MARKS_H */
