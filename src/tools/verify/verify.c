/*
 * verify.c
 *	  The tool verify_claims: decides which claims of a draft are true now,
 *	  for this caller.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/text.h"
#include "model/marks.h"
#include "tools/reply/reply.h"
#include "tools/verify/verify.h"

static const char *const verdicts[KG_NVERDICTS] = {
	[KG_SUPPORTED] = "supported",
	[KG_CONTRADICTED] = "contradicted",
	[KG_NOT_THERE] = "not_found",
	[KG_AMBIGUOUS] = "ambiguous",
	[KG_UNSURE] = "unknown",
	[KG_INVALID_CLAIM] = "invalid",
};

/* ---- the reply ---- */

static void
write_evidence(const KgClaim *claim, KgJsonWriter *w)
{
	ListCell *lc;

	if (claim->handles == NIL && claim->edges == NIL)
		return;
	kg_jw_kbegin_object(w, "evidence");
	kg_jw_klist(w, "handles", claim->handles);
	if (claim->edges != NIL)
	{
		kg_jw_kbegin_array(w, "edges");
		foreach(lc, claim->edges)
			kg_jw_jsonb(w, lfirst(lc));
		kg_jw_end_array(w);
	}
	kg_jw_end_object(w);
}

/* Writes the members of a claim other than its verdict. */
static void
write_details(const KgClaim *claim, KgJsonWriter *w)
{
	KgMarks marks = {NIL};
	ListCell *lc;

	if (claim->verdict != KG_NOT_THERE && claim->verdict != KG_INVALID_CLAIM)
		write_evidence(claim, w);
	kg_jw_kjsonb_if(w, "correction", claim->correction);
	kg_jw_kstring_if(w, "nearest", claim->nearest);
	kg_jw_kjsonb_if(w, "error", claim->error);
	kg_jw_kjsonb_if(w, "hints", claim->hints);
	kg_jw_kjsonb_if(w, "repaired", claim->repaired);
	foreach(lc, claim->corrected)
		kg_marks_note(&marks, lfirst(lc), "correction");
	kg_marks_write(&marks, w);
}

static Jsonb *
write_claim(const KgClaim *claim, bool whole)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	if (claim->has_id)
	{
		kg_jw_key(&w, "id");
		kg_jw_value(&w, &claim->id);
	}
	kg_jw_kstring(&w, "verdict", verdicts[claim->verdict]);
	kg_jw_kstring_if(&w, "reason", claim->reason);
	if (claim->stale)
		kg_jw_kbool(&w, "stale", true);
	if (claim->complete)
		kg_jw_kbool(&w, "complete", true);
	if (whole)
		write_details(claim, &w);
	return kg_jw_finish(&w);
}

static void
measure_claims(void *items, Size *whole, Size *stub, Size *extra)
{
	const KgVerify *v = items;

	for (int i = 0; i < v->n; i++)
	{
		whole[i] = strlen(", ") +
				   kg_json_text_size(&v->claims[i].written[true]->root);
		stub[i] = strlen(", ") +
				  kg_json_text_size(&v->claims[i].written[false]->root);
	}
}

static void
write_counts(const KgVerify *v, KgJsonWriter *w)
{
	int counts[KG_NVERDICTS] = {0};

	for (int i = 0; i < v->n; i++)
		counts[v->claims[i].verdict]++;
	kg_jw_kbegin_object(w, "counts");
	for (int i = 0; i < KG_NVERDICTS; i++)
		kg_jw_kint(w, verdicts[i], counts[i]);
	kg_jw_end_object(w);
}

static bool
has_counts(const KgVerify *v)
{
	for (int i = 0; i < v->n; i++)
		if (v->claims[i].kind == KG_CLAIM_COUNT ||
			v->claims[i].kind == KG_CLAIM_NONE)
			return true;
	return false;
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const KgVerify *v = state;

	kg_jw_kbegin_array(w, "claims");
	for (int i = 0; i < fit->listed; i++)
		kg_jw_jsonb(w, v->claims[i].written[i < fit->whole]);
	kg_jw_end_array(w);
	write_counts(v, w);
	kg_jw_kstring(w, "revision", v->call.catalog->revision);
	kg_jw_kstring(
		w, "checked_at", kg_time_text(GetCurrentStatementStartTimestamp()));
	if (has_counts(v))
		kg_jw_kstring(w,
					  "note",
					  "counts and absences apply only to the data that this "
					  "caller can see");
}

static Jsonb *
finish(KgVerify *v)
{
	KgDraft draft;

	for (int i = 0; i < v->n; i++)
		for (int whole = 0; whole < 2; whole++)
			v->claims[i].written[whole] = write_claim(&v->claims[i], whole);
	kg_draft_init(&draft, &v->call.input, v->call.max_bytes);
	draft.n = v->n;
	draft.least = v->n;
	draft.total = -1;
	draft.terse = true;
	for (int i = 0; i < v->n; i++)
		draft.rough += VARSIZE(v->claims[i].written[true]);
	draft.measure = measure_claims;
	draft.items = v;
	draft.write = write_reply;
	draft.state = v;
	return kg_draft_finish(&draft);
}

/*
 * Validates the arguments against the published schema. Does not validate them
 * if an invalid claim was found, because the schema would refuse it, too.
 */
static void
end_call(KgVerify *v)
{
	for (int i = 0; i < v->n; i++)
		if (v->claims[i].verdict == KG_INVALID_CLAIM)
		{
			kg_graph_end(v->call.graph);
			return;
		}
	kg_graph_call_end(&v->call);
}

Jsonb *
kg_tool_verify_claims(const Jsonb *arguments)
{
	KgVerify *v = palloc0(sizeof(KgVerify));
	Jsonb *result;

	kg_graph_call_begin(&v->call, "verify_claims", arguments);
	kg_claims_read(v);
	kg_claims_look_up(v);
	kg_claims_judge(v);
	kg_claims_call(v);
	result = finish(v);
	end_call(v);
	return result;
}
