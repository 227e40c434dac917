/*
 * reply.c
 *	  Builds replies: measures a reply, shortens it to max_bytes, and reports
 *	  omissions, marks and repairs.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "query/run/running.h"
#include "tools/reply/cite.h"
#include "tools/reply/reply.h"
#include "utils/builtins.h"

/* Maximum size in bytes of the member "max_bytes" in "next". */
#define KG_BYTES_MEMBER 32

/*
 * First estimate of the bytes of the reply without its items, used until these
 * bytes are measured.
 */
#define KG_ENVELOPE_BYTES 256

/*
 * Number of tries in which the estimate of the bytes without items may
 * decrease.
 */
#define KG_FREE_TRIES 8

int64
kg_input_max_bytes(const KgInput *in)
{
	int64 max_bytes = 0;
	int64 max_tokens = 0;

	(void) kg_input_int(in, "max_bytes", &max_bytes);
	if (kg_input_declares(in, "max_tokens") &&
		kg_input_int(in, "max_tokens", &max_tokens))
		max_bytes = Min(max_bytes, max_tokens * KG_TOKEN_BYTES);
	return max_bytes;
}

int64
kg_input_limit(const KgInput *in, int64 otherwise)
{
	int64 limit = otherwise;

	(void) kg_input_int(in, "limit", &limit);
	if (limit > 0 || !kg_input_declares(in, "cursor") ||
		!kg_input_has(in, "cursor"))
		return limit;
	KG_THROW(KG_INVALID_INPUT,
			 .message =
				 "limit 0 returns only counts, which do not depend on a cursor",
			 .path = "/cursor",
			 .expected = "a limit of at least 1, or no cursor");
}

/* ---- the envelope: members that all replies have ---- */

/*
 * Returns whether there are more items, which the argument "limit" excludes.
 * Returns false if only counts were requested.
 */
static bool
has_more(const KgDraft *draft)
{
	return draft->more && !draft->counts;
}

/*
 * Returns the index of the item with which "next" begins, or -1 if there is no
 * next page. This is the first item whose data is not in the reply. If it is
 * also the first item of the page, sets next->max_bytes to the bytes that the
 * item needs. If the item needs more than the maximum of max_bytes, "next"
 * begins after it.
 */
static int
next_item(const KgDraft *draft, const KgFit *fit, KgNext *next)
{
	int at = fit->whole;

	if (at == fit->n && !has_more(draft))
		return -1;
	if (at == 0 && fit->n > 0)
	{
		next->max_bytes = fit->needed;
		if (fit->needed == 0)
			at = 1;
	}
	return at < fit->n || has_more(draft) ? at : -1;
}

static bool
is_replaced(const JsonbValue *key, const KgNext *next)
{
	if (kg_json_string_is(key, "cursor") || kg_json_string_is(key, "offset"))
		return next->cursor != NULL || next->offset >= 0;
	if (kg_json_string_is(key, "max_bytes") ||
		kg_json_string_is(key, "max_tokens"))
		return next->max_bytes > 0;
	if (kg_json_string_is(key, "ids"))
		return next->ids != NULL;
	return false;
}

/*
 * Writes "next": the arguments of the call, in which the values of "next"
 * replace the sent values.
 */
static void
write_arguments(const JsonbContainer *args, const KgNext *next, KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "next");
	kg_json_each(it, args)
		if (!is_replaced(&it.key, next))
			kg_jw_member(w, &it);
	kg_jw_kstring_if(w, "cursor", next->cursor);
	if (next->offset >= 0)
		kg_jw_kint(w, "offset", next->offset);
	kg_jw_kjsonb_if(w, "ids", next->ids);
	if (next->max_bytes > 0)
		kg_jw_kint(w, "max_bytes", next->max_bytes);
	kg_jw_end_object(w);
}

/*
 * Writes "next" if there is a next page. If the tool has no pages, writes
 * "next" with a max_bytes that suffices for the whole reply.
 */
static void
write_next(const KgDraft *draft, const KgFit *fit, KgJsonWriter *w)
{
	KgNext next = {NULL, -1, NULL, 0};

	if (draft->paged)
	{
		int item = next_item(draft, fit, &next);

		if (item < 0)
			return;
		if (item > 0)
			draft->next(draft->state, item, &next);
	}
	else
	{
		next.max_bytes = fit->needed;
		if (next.max_bytes == 0)
			return;
	}
	write_arguments(draft->input->object, &next, w);
}

static bool
any_withheld(const KgWithheld *withheld)
{
	return withheld->items + withheld->properties + withheld->node_properties +
			   withheld->edge_properties + withheld->observations +
			   withheld->relations >
		   0;
}

static void
write_unit(const char *unit, int n, KgJsonWriter *w)
{
	if (n > 0)
		kg_jw_kint(w, unit, n);
}

static void
write_withheld(const KgDraft *draft, const KgWithheld *withheld,
			   KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "withheld");
	write_unit(draft->untried_at_least ? "items_at_least" : "items",
			   withheld->items,
			   w);
	write_unit("properties", withheld->properties, w);
	write_unit("node_properties", withheld->node_properties, w);
	write_unit("edge_properties", withheld->edge_properties, w);
	write_unit("observations", withheld->observations, w);
	write_unit("relations", withheld->relations, w);
	kg_jw_end_object(w);
}

static void
write_hints(const Jsonb *hints, int n, KgJsonWriter *w)
{
	KgJsonIter it;

	kg_jw_kbegin_array(w, "hints");
	kg_json_iter_init(&it, &hints->root);
	while (kg_json_iter_next(&it) && it.index < n)
		kg_jw_value(w, &it.value);
	kg_jw_end_array(w);
}

/*
 * Returns whether the tool has no own member with this name. If the tool has
 * such a member, the envelope omits its member.
 */
static bool
is_free(const KgDraft *draft, const char *member)
{
	JsonbValue value;

	return draft->own == NULL ||
		   kg_json_get(draft->own, member, &value) == NULL;
}

static void
write_truncated(const KgDraft *draft, const KgFit *fit, bool cut,
				KgJsonWriter *w)
{
	if (is_free(draft, "truncated"))
		kg_jw_kbool(w, "truncated", true);
	if (is_free(draft, "reason"))
		kg_jw_kstring(w,
					  "reason",
					  cut				? "max_bytes"
					  : draft->untold	? draft->untold
					  : has_more(draft) ? "limit"
										: draft->stopped);
	if (draft->highest_limit > 0)
		kg_jw_kint(w, "highest_limit", draft->highest_limit);
	if (is_free(draft, "next"))
		write_next(draft, fit, w);
}

static void
write_envelope(const KgDraft *draft, const KgFit *fit,
			   const KgWithheld *withheld, const KgMarks *marks,
			   KgJsonWriter *w)
{
	bool cut = any_withheld(withheld) || fit->extras < draft->nextras;

	if (draft->total >= 0)
		kg_jw_kint(
			w, draft->at_least ? "total_at_least" : "total", draft->total);
	if (!draft->terse)
		kg_jw_kint(w, "returned", fit->listed);
	if (cut || has_more(draft) || draft->stopped != NULL)
		write_truncated(draft, fit, cut, w);
	else if (!draft->terse)
		kg_jw_kbool(w, "truncated", false);
	if (any_withheld(withheld) && is_free(draft, "withheld"))
		write_withheld(draft, withheld, w);
	if (draft->hints != NULL)
		write_hints(draft->hints, fit->hints, w);
	if (draft->cited != NULL && is_free(draft, "citations"))
		kg_citations_write(draft, fit->listed, w);
	kg_marks_write(marks, w);
	if (is_free(draft, "repaired"))
		kg_repairs_write(draft->input->repairs, w);
}

static Jsonb *
write_reply(const KgDraft *draft, const KgFit *fit)
{
	KgWithheld withheld = {fit->n - fit->listed + draft->untried,
						   fit->listed - fit->whole};
	KgMarks marks = draft->marks;
	KgJsonWriter w;

	if (draft->cut != NULL)
		draft->cut(draft->items, fit, &withheld, &marks);
	kg_jw_init_object(&w);
	draft->write(draft->state, fit, &w);
	write_envelope(draft, fit, &withheld, &marks, &w);
	return kg_jw_finish(&w);
}

/*
 * Returns whether "limit" is 0, which requests only the counts.
 * kg_input_limit() has already validated it.
 */
static bool
asks_for_counts(const KgInput *in)
{
	JsonbValue limit;
	JsonbValue number;
	int64 n;

	if (!kg_input_declares(in, "limit") ||
		kg_json_get(in->object, "limit", &limit) == NULL)
		return false;
	if (kg_json_number_of(&limit, &number))
		limit = number;
	return kg_json_int64(&limit, &n) && n == 0;
}

void
kg_draft_init(KgDraft *draft, const KgInput *input, int64 max_bytes)
{
	memset(draft, 0, sizeof(*draft));
	draft->input = input;
	draft->max_bytes = max_bytes;
	draft->total = -1;
	draft->counts = asks_for_counts(input);
}

/* ---- shortening ---- */

typedef struct Sizes
{
	Size *whole;
	Size *stub;
	Size *extra;
	Size *hint;
	int64 hints; /* bytes of all hints */
	int64 total; /* bytes of all items with their data, extras and hints */
} Sizes;

static int
count_hints(const KgDraft *draft)
{
	return draft->hints != NULL ? kg_json_length(&draft->hints->root) : 0;
}

static void
measure_hints(const KgDraft *draft, Sizes *sizes)
{
	sizes->hint = palloc((count_hints(draft) + 1) * sizeof(Size));
	sizes->hints = 0;
	if (draft->hints == NULL)
		return;
	kg_json_each(it, &draft->hints->root)
	{
		sizes->hint[it.index] = strlen(", ") + kg_value_text_size(&it.value);
		sizes->hints += sizes->hint[it.index];
	}
}

static void
measure(const KgDraft *draft, Sizes *sizes)
{
	if (sizes->whole != NULL)
		return;
	sizes->whole = palloc0((draft->n + 1) * sizeof(Size));
	sizes->stub = palloc0((draft->n + 1) * sizeof(Size));
	sizes->extra = palloc0((draft->nextras + 1) * sizeof(Size));
	if (draft->n + draft->nextras > 0)
		draft->measure(draft->items, sizes->whole, sizes->stub, sizes->extra);
	kg_citations_measure(draft, sizes->whole, sizes->stub);
	measure_hints(draft, sizes);
	sizes->total = sizes->hints;
	for (int i = 0; i < draft->n; i++)
		sizes->total += sizes->whole[i];
	for (int i = 0; i < draft->nextras; i++)
		sizes->total += sizes->extra[i];
}

/* Returns the bytes of the items, extras and hints that "fit" selects. */
static int64
fit_size(const Sizes *sizes, const KgFit *fit)
{
	int64 size = 0;

	for (int i = 0; i < fit->listed; i++)
		size += i < fit->whole ? sizes->whole[i] : sizes->stub[i];
	for (int i = 0; i < fit->extras; i++)
		size += sizes->extra[i];
	for (int i = 0; i < fit->hints; i++)
		size += sizes->hint[i];
	return size;
}

static KgFit
everything(const KgDraft *draft)
{
	KgFit fit;

	fit.n = fit.listed = fit.whole = draft->n;
	fit.extras = draft->nextras;
	fit.hints = count_hints(draft);
	fit.needed = 0;
	return fit;
}

static bool
is_everything(const KgDraft *draft, const KgFit *fit)
{
	return fit->whole == fit->n && fit->extras == draft->nextras &&
		   fit->hints == count_hints(draft);
}

/*
 * Returns the number of items that are listed even if they exceed the room. If
 * the first item of a page does not fit even without its data, returns 0.
 * "next" then requests that item, or skips it.
 */
static int
least_listed(const KgDraft *draft, const Sizes *sizes, int64 room)
{
	if (draft->paged && draft->n > 0 && room >= 0 &&
		(int64) sizes->stub[0] > room)
		return 0;
	return draft->least;
}

/*
 * Selects the items that fit into "room" bytes, and returns the number of bytes
 * that the selected items take. "next" begins with the first item without its
 * data. So on a page, items with all their data take at least half of the room,
 * and the first item has all its data if possible.
 */
static int64
choose_items(const KgDraft *draft, const Sizes *sizes, int64 room, KgFit *fit)
{
	int64 size = 0;
	int least = least_listed(draft, sizes, room);
	int k = 0;

	while (draft->paged && k < fit->n &&
		   size + (int64) sizes->whole[k] <=
			   (k == 0 || draft->solid ? room : room / 2))
		size += sizes->whole[k++];
	fit->listed = k;
	while (fit->listed < fit->n &&
		   (fit->listed < least ||
			(!draft->solid && size + (int64) sizes->stub[fit->listed] <= room)))
		size += sizes->stub[fit->listed++];
	while (k < fit->listed &&
		   size + (int64) (sizes->whole[k] - sizes->stub[k]) <= room)
	{
		size += sizes->whole[k] - sizes->stub[k];
		k++;
	}
	fit->whole = k;
	return size;
}

/* Selects the items, extras and hints that fit into "room" bytes. */
static KgFit
choose(const KgDraft *draft, const Sizes *sizes, int64 room)
{
	KgFit fit = everything(draft);
	int64 size = sizes->total;

	while (size > room && fit.extras > 0)
		size -= sizes->extra[--fit.extras];
	if (size <= room)
		return fit;
	size = sizes->hints + choose_items(draft, sizes, room - sizes->hints, &fit);
	while (size > room && fit.hints > 0)
		size -= sizes->hint[--fit.hints];
	return fit;
}

/*
 * Returns the value of max_bytes to suggest for the next call, or 0 if
 * max_bytes cannot be higher. With this value, the whole reply or, on a page,
 * the first item fits. It is at least 1.5 times the present max_bytes, so that
 * repeated calls come to an end.
 */
static int64
bytes_needed(const KgDraft *draft, const Sizes *sizes, const KgFit *fit,
			 int64 overhead)
{
	int64 needed;

	if (draft->max_bytes >= kg_setting_max_reply_bytes)
		return 0;
	needed = draft->paged && draft->n > 0 ? (int64) sizes->whole[0]
										  : sizes->total;
	needed += Max(overhead, 0) + 2 * KG_BYTES_MEMBER;
	needed = Max(needed, draft->max_bytes + draft->max_bytes / 2);
	if (draft->untried > 0 && !draft->paged)
		needed = kg_setting_max_reply_bytes;
	return Min(needed, kg_setting_max_reply_bytes);
}

char *
kg_expect_at_least(const char *name, int64 least, int unit)
{
	if (least * unit <= kg_setting_max_reply_bytes)
		return psprintf("%s of at least " INT64_FORMAT, name, least);
	return psprintf("arguments with a shorter reply: this reply needs %s of at "
					"least " INT64_FORMAT
					", but kg_graph.max_reply_bytes is %d",
					name,
					least,
					kg_setting_max_reply_bytes);
}

void
kg_throw_too_small(const KgInput *in, int64 max_bytes, int64 size)
{
	JsonbValue tokens;
	int64 number;
	bool by_tokens = kg_json_get(in->object, "max_tokens", &tokens) != NULL &&
					 (!kg_json_int64(&tokens, &number) ||
					  number * KG_TOKEN_BYTES == max_bytes);
	const char *name = by_tokens ? "max_tokens" : "max_bytes";
	int unit = by_tokens ? KG_TOKEN_BYTES : 1;
	int64 least = (size + unit - 1) / unit;
	KgError *err = kg_error_new(KG_LIMIT_EXCEEDED,
								"the shortest reply to these arguments is "
								"longer than %s (" INT64_FORMAT ") allows",
								name,
								max_bytes / unit);

	kg_error_path(err, "/%s", name);
	kg_error_expected(err, "%s", kg_expect_at_least(name, least, unit));
	if (least * unit <= kg_setting_max_reply_bytes)
		kg_error_member_int(err, KG_AT_LEAST, least);
	kg_error_throw(err);
}

Jsonb *
kg_draft_finish(const KgDraft *draft)
{
	Sizes sizes = {NULL};
	KgFit fit = everything(draft);
	int64 overhead = KG_ENVELOPE_BYTES;
	int64 shortest = PG_INT64_MAX;
	int tries = 0;

	if (draft->untried > 0 || draft->rough > draft->max_bytes)
		overhead += kg_json_text_size(draft->input->object);
	/*
	 * If the reply is certainly too long, selects the parts before writing it
	 * the first time.
	 */
	if (draft->rough > draft->max_bytes)
	{
		measure(draft, &sizes);
		if (sizes.total > draft->max_bytes)
			fit = choose(draft, &sizes, draft->max_bytes - overhead);
	}
	for (;;)
	{
		KgFit tried = fit;
		Jsonb *reply;
		int64 size;

		CHECK_FOR_INTERRUPTS();
		if (draft->untried > 0 || !is_everything(draft, &fit))
		{
			measure(draft, &sizes);
			fit.needed = bytes_needed(draft, &sizes, &fit, overhead);
		}
		reply = write_reply(draft, &fit);
		size = kg_json_text_size(&reply->root);
		if (size <= draft->max_bytes)
		{
			kg_running_measured(reply, size);
			return reply;
		}
		/*
		 * A reply with fewer items may be longer: "next" may take more bytes
		 * than the items that it replaces. So the shortest reply is
		 * remembered.
		 */
		shortest = Min(shortest, size);
		measure(draft, &sizes);
		/*
		 * If each of two selections of items leads to the estimate that selects
		 * the other, they could alternate forever. So after some tries, the
		 * estimate may only increase.
		 */
		overhead = tries++ < KG_FREE_TRIES
					   ? size - fit_size(&sizes, &fit)
					   : Max(overhead, size - fit_size(&sizes, &fit));
		fit = choose(draft, &sizes, draft->max_bytes - overhead);
		if (fit.listed == tried.listed && fit.whole == tried.whole &&
			fit.extras == tried.extras && fit.hints == tried.hints)
			kg_throw_too_small(
				draft->input, draft->max_bytes, shortest + KG_BYTES_MEMBER);
		pfree(reply);
	}
}
