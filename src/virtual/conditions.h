/*
 * conditions.h
 *	  Conditions of filters as SQL conditions on the columns of a typed
 *	  sub-select (source.h). Parameters have the column's own type, so that an
 *	  index of the column can be used.
 */
#ifndef KG_VIRTUAL_CONDITIONS_H
#define KG_VIRTUAL_CONDITIONS_H

#include "query/sql.h"
#include "virtual/operators.h"
#include "virtual/source.h"

/*
 * Returns whether each condition of the filter can be evaluated on columns of
 * the source.
 */
extern bool kg_vfilter_fits(const KgVSource *source, const KgFilter *filter);

/* Appends " AND <condition>" for each condition of an analysed filter. */
extern void kg_vfilter(KgSqlBuilder *b, const KgVSource *source,
					   const KgFilter *filter);

/*
 * Appends a condition, which needs no parentheses: the key columns have the
 * values of one of the ids. Ids that no row can have are omitted.
 */
extern void kg_vids(KgSqlBuilder *b, const KgVColumn *keys, int nkeys,
					const char *const *ids, int n);

/*
 * Adds a parameter, whose value is a text converted to the type. Returns the
 * parameter's number, or 0 if the text is not a value of the type.
 */
extern int kg_vparam(KgSqlBuilder *b, Oid type, const char *text);

/*
 * Returns the B-tree strategy of a condition that an index on the column may
 * serve, or InvalidStrategy.
 */
extern int kg_vstrategy(const KgCondition *condition);

/*
 * Returns an expression for a column's value. For a reference whose target the
 * caller cannot see, the expression is NULL.
 */
static inline const char *
kg_vvalue(const KgVColumn *column)
{
	return column->seen != NULL ? column->seen : column->sql;
}

/*
 * Returns an expression for a column's value, with the same result as
 * kg_vvalue(), for a statement that reads most rows of a table.
 */
static inline const char *
kg_vvalue_by_set(const KgVColumn *column)
{
	return column->seen_by_set != NULL ? column->seen_by_set : column->sql;
}

#endif /* KG_VIRTUAL_CONDITIONS_H */
