/*
 * conditions.h
 *	  Conditions on the columns of a typed sub-select, as SQL.
 *
 * Values are parameters of the column's own type, so an index of the column
 * serves them.
 */
#ifndef KG_VIRTUAL_CONDITIONS_H
#define KG_VIRTUAL_CONDITIONS_H

#include "query/sql.h"
#include "virtual/source.h"

/* Returns whether the columns can evaluate every condition of the filter. */
extern bool kg_vfilter_fits(const KgVSource *source, const KgFilter *filter);

/* Appends " AND <condition>" for each condition of an analysed filter. */
extern void kg_vfilter(KgSqlBuilder *b, const KgVSource *source,
					   const KgFilter *filter);

/*
 * Appends "(<condition>)" that the row has one of these ids.  Ids that no row
 * can have are left out.
 */
extern void kg_vids(KgSqlBuilder *b, const KgVSource *source,
					const char *const *ids, int n);

/*
 * Adds a parameter of a text as a value of the type.  Returns its number, or 0
 * if the type has no such value.
 */
extern int kg_vparam(KgSqlBuilder *b, Oid type, const char *text);

/*
 * Adds an array of the texts that are values of the type; others are left out.
 */
extern int kg_vparams(KgSqlBuilder *b, Oid type, const char *const *texts,
					  int n);

/* Returns an operator of the type's order, qualified, or NULL. */
extern const char *kg_voperator(Oid type, int strategy);

/* Returns whether that operator is leakproof. */
extern bool kg_voperator_is_leakproof(Oid type, int strategy);

/*
 * Returns the strategy of a condition that an index on the column may serve, or
 * InvalidStrategy.
 */
extern int kg_vstrategy(const KgCondition *condition);

/* Returns the expression of a column's value, NULL if it must not be seen. */
extern const char *kg_vvalue(const KgVColumn *column);

#endif /* KG_VIRTUAL_CONDITIONS_H */
