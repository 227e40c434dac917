/*
 * differences.c
 *	  The list of differences that kg_check() reports.
 */
#include "postgres.h"

#include "store/check/differences.h"
#include "utils/memutils.h"

typedef struct KgKindCount
{
	char kind[NAMEDATALEN];
	int64 n;
	int64 of_tenant;
} KgKindCount;

void
kg_differences_init(KgDifferences *differences, int64 limit)
{
	memset(differences, 0, sizeof(*differences));
	differences->context = CurrentMemoryContext;
	differences->limit = limit;
	kg_jw_init_array(&differences->written);
}

static KgKindCount *
find_kind(const KgDifferences *differences, const char *kind)
{
	ListCell *lc;

	foreach(lc, differences->counts)
		if (strcmp(((KgKindCount *) lfirst(lc))->kind, kind) == 0)
			return lfirst(lc);
	return NULL;
}

static void
count_kind(KgDifferences *differences, const char *kind)
{
	KgKindCount *count = find_kind(differences, kind);
	MemoryContext old;

	differences->total++;
	differences->of_tenant++;
	if (count == NULL)
	{
		old = MemoryContextSwitchTo(differences->context);
		count = palloc0(sizeof(KgKindCount));
		strlcpy(count->kind, kind, sizeof(count->kind));
		differences->counts = lappend(differences->counts, count);
		MemoryContextSwitchTo(old);
	}
	count->n++;
	count->of_tenant++;
}

void
kg_differences_next_tenant(KgDifferences *differences)
{
	ListCell *lc;

	differences->of_tenant = 0;
	foreach(lc, differences->counts)
		((KgKindCount *) lfirst(lc))->of_tenant = 0;
}

int64
kg_differences_found(const KgDifferences *differences, const char *kind)
{
	const KgKindCount *count = find_kind(differences, kind);

	return count ? count->of_tenant : 0;
}

void
kg_differences_write_counts(const KgDifferences *differences, KgJsonWriter *w)
{
	ListCell *lc;

	foreach(lc, differences->counts)
	{
		const KgKindCount *count = lfirst(lc);

		kg_jw_kint(w, count->kind, count->n);
	}
}

void
kg_differences_add(KgDifferences *differences, const KgDifference *it)
{
	KgJsonWriter *w = &differences->written;

	count_kind(differences, it->kind);
	if (differences->total > differences->limit)
		return;
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "kind", it->kind);
	kg_jw_kstring_if(w, "table", it->table);
	kg_jw_kstring_if(w, "tenant", it->tenant);
	kg_jw_kstring_if(w, "type", it->type);
	kg_jw_kstring_if(w, "id", it->id);
	kg_jw_kstring_if(w, "object", it->object);
	kg_jw_kstring_if(w, "expected", it->expected);
	kg_jw_kstring_if(w, "got", it->got);
	kg_jw_kstring_if(w, "repair", it->repair);
	kg_jw_end_object(w);
}
