/*
 * progress.c
 *	  Progress reports to the client while a statement runs.
 */
#include "postgres.h"

#include "base/progress.h"
#include "base/settings.h"

void
kg_tell(int sqlstate, const char *json)
{
	ereport(NOTICE,
			(errcode(sqlstate),
			 errmsg_internal("%s", json),
			 errhidestmt(true),
			 errhidecontext(true)));
}

void
kg_work_begin(KgWork *work, const char *what, int64 total)
{
	memset(work, 0, sizeof(*work));
	if (kg_setting_progress < 0)
		return;
	work->what = what;
	work->total = total;
	work->next = kg_setting_progress;
	INSTR_TIME_SET_CURRENT(work->begun);
}

static double
milliseconds_since(instr_time begun)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, begun);
	return INSTR_TIME_GET_MILLISEC(now);
}

void
kg_work_done(KgWork *work, int64 n)
{
	double elapsed;
	char total[32] = "null";
	char *json;

	if (work->what == NULL)
		return;
	work->done += n;
	elapsed = milliseconds_since(work->begun);
	if (elapsed < work->next)
		return;
	/* A trigger may have set kg_graph.progress to -1 meanwhile. */
	work->next = elapsed + Max(kg_setting_progress, 0);
	if (work->total >= 0)
		snprintf(total, sizeof(total), INT64_FORMAT, work->total);
	json = psprintf("{\"what\": \"%s\", \"done\": " INT64_FORMAT
					", \"total\": %s}",
					work->what,
					work->done,
					total);
	kg_tell(KG_TELL_PROGRESS, json);
	pfree(json);
}
