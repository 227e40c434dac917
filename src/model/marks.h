/*
 * marks.h
 *	  What is to be known of values that are shown: which hold text from
 *	  outside, and the media types of those that have one.
 */
#ifndef KG_MARKS_H
#define KG_MARKS_H

#include "base/json.h"
#include "model/catalog.h"
#include "nodes/pg_list.h"

typedef struct KgMarks
{
	List *untrusted; /* of KgMark */
	List *typed;	 /* of const KgField, with a content type */
} KgMarks;

/* The member shows the field, or nothing where it is NULL. */
extern void kg_marks_note(KgMarks *marks, const KgField *field,
						  const char *member);
/* A marked member that is told under another name. */
extern void kg_marks_rename(KgMarks *marks, const char *member,
							const char *told);
/* The same where several things have such members; all of one together. */
extern void kg_marks_note_of(KgMarks *marks, const char *of,
							 const KgField *field, const char *member);

/*
 * Writes "untrusted", [member, ...] or {of: [member, ...]}, and "content_types",
 * where there are any.
 */
extern void kg_marks_write(const KgMarks *marks, KgJsonWriter *w);

/* Of one member. */
extern void kg_marks_write_member(const KgField *field, const char *member,
								  KgJsonWriter *w);

#endif /* KG_MARKS_H */
