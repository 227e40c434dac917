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
#include "virtual/operators.h"
#include "virtual/source.h"

/* Returns whether the columns can evaluate every condition of the filter. */
extern bool kg_vfilter_fits(const KgVSource *source, const KgFilter *filter);

/* Appends " AND <condition>" for each condition of an analysed filter. */
extern void kg_vfilter(KgSqlBuilder *b, const KgVSource *source,
					   const KgFilter *filter);

/*
 * Appends "(<condition>)" that columns have the values of one of these ids.  Ids
 * that no row can have are left out.
 */
extern void kg_vids(KgSqlBuilder *b, const KgVColumn *keys, int nkeys,
					const char *const *ids, int n);

/*
 * Adds a parameter of a text as a value of the type.  Returns its number, or 0
 * if the type has no such value.
 */
extern int kg_vparam(KgSqlBuilder *b, Oid type, const char *text);

/*
 * Returns the strategy of a condition that an index on the column may serve, or
 * InvalidStrategy.
 */
extern int kg_vstrategy(const KgCondition *condition);

/* Returns the expression of a column's value, NULL if it must not be seen. */
static inline const char *
kg_vvalue(const KgVColumn *column)
{
	return column->seen != NULL ? column->seen : column->sql;
}

/* Like kg_vvalue(), for a statement that reads most rows. */
static inline const char *
kg_vvalue_by_set(const KgVColumn *column)
{
	return column->seen_by_set != NULL ? column->seen_by_set : column->sql;
}

#endif /* KG_VIRTUAL_CONDITIONS_H */
