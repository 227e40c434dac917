/*
 * bundle/outcome.c
 *	  The outcome of an apply: numbers of written rows, samples of handles
 *	  and faults.
 */
#include "postgres.h"

#include "store/bundle/bundle.h"
#include "utils/memutils.h"

KgCounts *
kg_apply_counts(KgApply *apply, List **counts, const char *name)
{
	ListCell *lc;
	KgCounts *fresh;
	MemoryContext old;

	foreach(lc, *counts)
	{
		KgCounts *known = lfirst(lc);

		if (strcmp(known->name, name) == 0)
			return known;
	}
	/*
	 * The counts are allocated in the apply's context, because they outlive the
	 * scratch context of a batch.
	 */
	old = MemoryContextSwitchTo(apply->context);
	fresh = palloc0(sizeof(KgCounts));
	fresh->name = pstrdup(name);
	*counts = lappend(*counts, fresh);
	MemoryContextSwitchTo(old);
	return fresh;
}

void
kg_apply_sample(KgApply *apply, int change, const char *type, const char *id)
{
	MemoryContext old;

	if (!apply->options.dry_run ||
		apply->sampled[change]++ >= apply->options.max_diff)
		return;
	old = MemoryContextSwitchTo(apply->context);
	apply->samples[change] = lappend(apply->samples[change],
									 psprintf("%s:%s", type, id));
	MemoryContextSwitchTo(old);
}

void
kg_apply_warn(KgApply *apply, char *text)
{
	ListCell *lc;

	foreach(lc, apply->warnings)
		if (strcmp(lfirst(lc), text) == 0)
			return;
	apply->warnings = lappend(apply->warnings, text);
}

void
kg_apply_report(KgApply *apply, KgError *err, const char *path)
{
	kg_error_path(err, "%s", path);
	kg_error_report(&apply->errors, err);
}
