/*
 * marks.h
 *	  Marks of values in a reply: those with untrusted text, and those with a
 *	  media type.
 */
#ifndef KG_MARKS_H
#define KG_MARKS_H

#include "base/json.h"
#include "model/catalog.h"
#include "nodes/pg_list.h"

typedef struct KgMarks
{
	List *untrusted; /* List of KgMark * */
	List *typed;	 /* List of const KgField *, with a content type */
} KgMarks;

/*
 * Notes that the reply's member has the value of the field.  Does nothing if
 * field is NULL.
 */
extern void kg_marks_note(KgMarks *marks, const KgField *field,
						  const char *member);
/* Renames a marked member. */
extern void kg_marks_rename(KgMarks *marks, const char *member,
							const char *told);
/*
 * Notes a member of one of several objects. All notes for the same object must
 * be consecutive.
 */
extern void kg_marks_note_of(KgMarks *marks, const char *of,
							 const KgField *field, const char *member);

/*
 * Writes "untrusted", [member, ...] or {of: [member, ...]}, and
 * "content_types", if there are any.
 */
extern void kg_marks_write(const KgMarks *marks, KgJsonWriter *w);

/* Writes the marks of a single member. */
extern void kg_marks_write_member(const KgField *field, const char *member,
								  KgJsonWriter *w);

#endif /* KG_MARKS_H */
