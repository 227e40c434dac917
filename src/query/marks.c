/*
 * marks.c
 *	  Which members of an object that is no entity hold text from outside.
 *
 * Names of hits, values in hints: what entities say of themselves is marked in
 * tools/shape.c and tools/graph_reply.c.
 */
#include "postgres.h"

#include "query/marks.h"

void
kg_marks_note(KgMarks *marks, const KgField *field, const char *member)
{
	if (field == NULL || !field->untrusted)
		return;
	Assert(marks->n < lengthof(marks->members));
	marks->members[marks->n++] = member;
}

void
kg_marks_write_members(const KgMarks *marks, KgJsonWriter *w)
{
	if (marks->n == 0)
		return;
	kg_jw_key(w, "untrusted");
	kg_jw_begin_array(w);
	for (int i = 0; i < marks->n; i++)
		kg_jw_string(w, marks->members[i]);
	kg_jw_end_array(w);
}

void
kg_marks_write_member(const KgField *field, const char *member, KgJsonWriter *w)
{
	KgMarks marks = {0};

	kg_marks_note(&marks, field, member);
	kg_marks_write_members(&marks, w);
}
