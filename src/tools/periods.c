/*
 * periods.c
 *	  Reports the types and relations that have a period of validity.
 */
#include "postgres.h"

#include "model/period.h"
#include "lib/stringinfo.h"
#include "tools/periods.h"

void
kg_period_write(const KgPeriod *period, KgJsonWriter *w)
{
	if (period->from != NULL)
		kg_jw_kstring(w, "valid_from", period->from->name);
	if (period->to != NULL)
		kg_jw_kstring(w, "valid_to", period->to->name);
}

static List *
add_name(List *names, const char *name)
{
	ListCell *lc;

	foreach(lc, names)
		if (strcmp(lfirst(lc), name) == 0)
			return names;
	return lappend(names, (char *) name);
}

List *
kg_periods_add_type(List *names, const KgType *type)
{
	return type != NULL && kg_period_any(&type->period)
			   ? add_name(names, kg_type_handle(type))
			   : names;
}

List *
kg_periods_add_relation(List *names, const KgRelation *relation)
{
	return kg_period_any(&relation->period) ? add_name(names, relation->name)
											: names;
}

char *
kg_periods_join(const List *names)
{
	StringInfoData text;
	ListCell *lc;

	initStringInfo(&text);
	foreach(lc, names)
		appendStringInfo(
			&text, "%s%s", text.len > 0 ? ", " : "", (char *) lfirst(lc));
	return text.data;
}
