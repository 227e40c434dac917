/*
 * periods.h
 *	  Telling which types and relations hold for a time (model/period.h).
 */
#ifndef KG_PERIODS_H
#define KG_PERIODS_H

#include "base/json.h"
#include "model/catalog.h"

/* The members valid_from and valid_to of an object: the properties' names. */
extern void kg_period_write(const KgPeriod *period, KgJsonWriter *w);

/* Names of those that do, each once. */
extern List *kg_periods_add_type(List *names, const KgType *type);
extern List *kg_periods_add_relation(List *names, const KgRelation *relation);
extern char *kg_periods_join(const List *names);

#endif /* KG_PERIODS_H */
