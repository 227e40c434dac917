/*
 * marks.c
 *	  Marks of members of a reply: untrusted text, or a media type.
 */
#include "postgres.h"

#include "model/marks.h"

typedef struct KgMark
{
	/* name of the object that has the member; NULL: the reply itself */
	const char *of;
	const char *member;
} KgMark;

void
kg_marks_note_of(KgMarks *marks, const char *of, const KgField *field,
				 const char *member)
{
	KgMark *mark;

	if (field == NULL || !field->untrusted)
		return;
	mark = palloc(sizeof(*mark));
	mark->of = of;
	mark->member = member;
	marks->untrusted = lappend(marks->untrusted, mark);
}

void
kg_marks_note(KgMarks *marks, const KgField *field, const char *member)
{
	kg_marks_note_of(marks, NULL, field, member);
}

void
kg_marks_rename(KgMarks *marks, const char *member, const char *told)
{
	ListCell *lc;

	foreach(lc, marks->untrusted)
	{
		KgMark *mark = lfirst(lc);

		if (strcmp(mark->member, member) == 0)
			mark->member = told;
	}
}

/*
 * Writes the array of the marked members of one object, from index first.
 * Returns their number.
 */
static int
write_untrusted_of(const List *untrusted, int first, KgJsonWriter *w)
{
	const KgMark *mark = list_nth(untrusted, first);
	const char *of = mark->of;
	int n = 0;

	kg_jw_kbegin_array(w, of != NULL ? of : "untrusted");
	while (mark->of == of)
	{
		kg_jw_string(w, mark->member);
		if (first + ++n == list_length(untrusted))
			break;
		mark = list_nth(untrusted, first + n);
	}
	kg_jw_end_array(w);
	return n;
}

static void
write_untrusted(const List *untrusted, KgJsonWriter *w)
{
	if (untrusted == NIL)
		return;
	if (((const KgMark *) linitial(untrusted))->of == NULL)
	{
		(void) write_untrusted_of(untrusted, 0, w);
		return;
	}
	kg_jw_kbegin_object(w, "untrusted");
	for (int i = 0; i < list_length(untrusted);)
		i += write_untrusted_of(untrusted, i, w);
	kg_jw_end_object(w);
}

void
kg_marks_write(const KgMarks *marks, KgJsonWriter *w)
{
	ListCell *lc;

	write_untrusted(marks->untrusted, w);
	if (marks->typed == NIL)
		return;
	kg_jw_kbegin_object(w, "content_types");
	foreach(lc, marks->typed)
	{
		const KgField *field = lfirst(lc);

		kg_jw_kstring(w, field->name, field->content_type);
	}
	kg_jw_end_object(w);
}

void
kg_marks_write_member(const KgField *field, const char *member, KgJsonWriter *w)
{
	KgMarks marks = {NIL};

	kg_marks_note(&marks, field, member);
	kg_marks_write(&marks, w);
}
