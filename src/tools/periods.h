/*
 * periods.h
 *	  The types and relations that have a period of validity (model/period.h).
 */
#ifndef KG_PERIODS_H
#define KG_PERIODS_H

#include "base/json.h"
#include "model/catalog.h"

/*
 * Writes the names of a period's properties as members valid_from and
 * valid_to.
 */
extern void kg_period_write(const KgPeriod *period, KgJsonWriter *w);

/*
 * kg_periods_add_type() and kg_periods_add_relation() return the list, with the
 * name of the type or relation added. They add no name without a period of
 * validity, and no name that the list has. kg_periods_join() returns the names
 * of the list as a text.
 */
extern List *kg_periods_add_type(List *names, const KgType *type);
extern List *kg_periods_add_relation(List *names, const KgRelation *relation);
extern char *kg_periods_join(const List *names);

#endif /* KG_PERIODS_H */
