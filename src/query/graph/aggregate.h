/*
 * aggregate.h
 *	  Groups and their aggregates (aggregate_nodes).
 *
 * A row is a distinct combination of a node and group values; each row is
 * added once. Values are compared by their keys (model/key.h), so instants,
 * numbers and enums are grouped and ordered by their meaning.
 */
#ifndef KG_AGGREGATE_H
#define KG_AGGREGATE_H

#include "model/catalog.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#define KG_MAX_AGGREGATIONS 10
#define KG_MAX_GROUPS 4

typedef enum KgAggregateFn
{
	KG_FN_COUNT,
	KG_FN_COUNT_DISTINCT,
	KG_FN_SUM,
	KG_FN_AVG,
	KG_FN_MIN,
	KG_FN_MAX,
	KG_FN_MEDIAN
} KgAggregateFn;

/*
 * The period or part of a date to which a group value is reduced. A period
 * begins at an instant; a part recurs, as weekdays do.
 */
typedef enum KgTruncate
{
	KG_TRUNCATE_NONE,
	KG_TRUNCATE_MINUTE,
	KG_TRUNCATE_HOUR,
	KG_TRUNCATE_DAY,
	KG_TRUNCATE_WEEK,
	KG_TRUNCATE_MONTH,
	KG_TRUNCATE_QUARTER,
	KG_TRUNCATE_YEAR,
	KG_TRUNCATE_WEEKDAY,
	KG_TRUNCATE_HOUR_OF_DAY,
	KG_TRUNCATE_MONTH_OF_YEAR
} KgTruncate;

/*
 * A group value. Values are ordered by their keys; missing values are last.
 * The numeric of a number is NULL until a group or a result keeps the value,
 * because most sums need only the key.
 */
typedef struct KgGroupValue
{
	const bytea *key;
	JsonbValue value;
} KgGroupValue;

/*
 * Returns a value of a field as a group value: reduced to the period or part
 * "truncate", in the current memory context. field NULL: the value is an id,
 * which is a string. If the value is NULL or JSON null, the result is the
 * missing value.
 */
extern KgGroupValue kg_group_value(const KgField *field, KgTruncate truncate,
								   const JsonbValue *value);
/*
 * Returns the value of a field's key (model/key.h) as a group value, reduced to
 * the period or part "truncate". If the key has no value, the result is the
 * missing value. The result takes over the key.
 */
extern KgGroupValue kg_group_of_key(const KgField *field, KgTruncate truncate,
									bytea *key);
/*
 * Returns a text as a group value. The group is sorted by another text,
 * "order".
 */
extern KgGroupValue kg_group_string(const char *order, int order_len,
									const char *text, int len);

typedef struct KgAggregateSpec
{
	KgAggregateFn fn;
	/* a property is aggregated; false: nodes are counted */
	bool has_property;
	const KgField *field; /* the property; NULL: the id */
	/* the property belongs to edges, not to nodes */
	bool of_edge;
} KgAggregateSpec;

typedef struct KgAccumulator
{
	int64 count;
	/* sum of integers, as long as it does not overflow */
	int64 integers;
	/* sum of other numbers; NULL: no such number */
	Numeric sum;
	KgGroupValue extreme;
	struct KgNumbers *numbers; /* for a median: the added numbers */
} KgAccumulator;

typedef struct KgGroup
{
	uint32 hash;
	uint32 number;
	KgGroupValue keys[KG_MAX_GROUPS];
	KgAccumulator accumulators[FLEXIBLE_ARRAY_MEMBER];
} KgGroup;

typedef struct KgGroups KgGroups;

extern KgGroups *kg_groups_new(MemoryContext context, int nkeys,
							   const KgAggregateSpec *specs, int nspecs);
/*
 * Adds a row "times" times to all aggregations but those of edge properties.
 * values has, for each aggregation, the node's value of its property, or the
 * missing value.
 */
extern void kg_groups_add(KgGroups *groups, const KgGroupValue *keys,
						  const KgGroupValue *values, int64 times);
/* Adds an edge only to the aggregations of edge properties. */
extern void kg_groups_add_edge(KgGroups *groups, const KgGroupValue *keys,
							   const KgGroupValue *values);
/*
 * Creates the only group, which has no keys, if no row was added. To be called
 * only if nkeys is 0.
 */
extern void kg_groups_ensure_one(KgGroups *groups);
extern KgGroup **kg_groups_list(KgGroups *groups, uint32 *n);

/*
 * Returns the value of an aggregate. If no value was added, a count is 0, and
 * any other aggregate is the missing value (null).
 */
extern KgGroupValue kg_group_result(const KgAggregateSpec *spec,
									const KgAccumulator *accumulator);
extern bool kg_group_missing(const KgGroupValue *value);

#endif /* KG_AGGREGATE_H */
