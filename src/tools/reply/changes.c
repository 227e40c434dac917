/*
 * changes.c
 *	  Replies that list changes of the history.
 */
#include "postgres.h"

#include "store/history/image.h"
#include "tools/reply/changes.h"
#include "tools/reply/reply.h"

/*
 * Writes a change. If "whole" is true, writes it with the values before and
 * after.
 */
static void
write_change(const KgChangesPage *page, int i, bool whole, KgJsonWriter *w)
{
	const KgChange *change = &page->changes[i];

	kg_jw_begin_object(w);
	if (page->subject != NULL)
		page->subject(page->state, change, w);
	kg_jw_kint(w, "change", change->change);
	kg_jw_kint(w, "transaction", change->transaction);
	kg_jw_kstring(w, "at", change->at);
	kg_jw_kstring(w, "by", change->by);
	kg_jw_kstring_if(w, "subject", change->subject);
	kg_jw_kstring_if(w, "agent", change->agent);
	kg_jw_kstring_if(w, "tool", change->tool);
	kg_jw_kstring_if(w, "reason", change->reason);
	kg_jw_kstring(w, "verdict", change->verdict);
	if (change->key == NULL)
		kg_jw_kint(w, "version", change->version);
	else if (*change->key != '\0')
		kg_jw_kstring(w, "key", change->key);
	if (whole)
	{
		kg_image_write_changed(w, "before", change->before, change->after);
		kg_image_write_changed(w, "after", change->after, change->before);
	}
	kg_jw_end_object(w);
}

static void
measure_changes(void *items, Size *whole, Size *stub, Size *extra)
{
	const KgChangesPage *page = items;

	for (int i = 0; i < page->n; i++)
		for (int full = 0; full < 2; full++)
		{
			KgJsonWriter w;

			kg_jw_init(&w);
			write_change(page, i, full, &w);
			(full ? whole
				  : stub)[i] = strlen(", ") +
							   kg_json_text_size(&kg_jw_finish(&w)->root);
		}
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const KgChangesPage *page = state;

	if (page->head != NULL)
		page->head(page->state, w);
	kg_jw_kbegin_array(w, "changes");
	for (int i = 0; i < fit->listed; i++)
		write_change(page, i, i < fit->whole, w);
	kg_jw_end_array(w);
}

/*
 * Sets the cursor of the next page, which begins after the last change in the
 * reply.
 */
static void
next_changes(void *state, int item, KgNext *next)
{
	const KgChangesPage *page = state;

	next->cursor = page->cursor(page->state, &page->changes[item - 1]);
}

Jsonb *
kg_changes_reply(const KgChangesPage *page)
{
	KgDraft draft;

	kg_draft_init(&draft, page->input, kg_input_max_bytes(page->input));
	draft.n = page->n;
	draft.least = 1;
	draft.total = -1;
	draft.paged = true;
	draft.more = page->more;
	draft.measure = measure_changes;
	draft.items = (void *) page;
	for (int i = 0; i < page->n; i++)
	{
		const KgChange *change = &page->changes[i];

		draft.rough += (change->before ? VARSIZE(change->before) : 0) +
					   (change->after ? VARSIZE(change->after) : 0);
	}
	draft.marks = page->marks;
	draft.write = write_reply;
	draft.next = next_changes;
	draft.state = (void *) page;
	return kg_draft_finish(&draft);
}
