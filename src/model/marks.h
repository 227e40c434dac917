/*
 * marks.h
 *	  Marks of members of a reply. A mark says that the value is untrusted
 *	  text, or that the value has a media type.
 */
#ifndef KG_MARKS_H
#define KG_MARKS_H

#include "base/json.h"
#include "model/catalog.h"
#include "nodes/pg_list.h"

typedef struct KgMarks
{
	List *untrusted; /* List of KgMark * */
	List *typed;	 /* List of const KgField *: fields with a content type */
} KgMarks;

/*
 * Marks a member of the reply that has a value of the field. Does nothing if
 * field is NULL.
 */
extern void kg_marks_note(KgMarks *marks, const KgField *field,
						  const char *member);
/* Renames a marked member. The last argument is its new name. */
extern void kg_marks_rename(KgMarks *marks, const char *member,
							const char *told);
/*
 * Marks a member of one of several objects in the reply. All calls for one
 * object must be consecutive.
 */
extern void kg_marks_note_of(KgMarks *marks, const char *of,
							 const KgField *field, const char *member);

/*
 * Writes the members "untrusted", as [member, ...] or {of: [member, ...]}, and
 * "content_types". Omits a member without marks.
 */
extern void kg_marks_write(const KgMarks *marks, KgJsonWriter *w);

/* Writes the marks of a single member. */
extern void kg_marks_write_member(const KgField *field, const char *member,
								  KgJsonWriter *w);

#endif /* KG_MARKS_H */
