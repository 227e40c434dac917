/*
 * aggregate.h
 *	  Groups and their aggregates (aggregate_nodes).
 *
 *	  A row is a distinct (node, group values); each is given once.  Values are
 *	  compared by their keys (model/key.h), so that instants, numbers and
 *	  enums group and order as what they mean.
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
	KG_FN_MAX
} KgAggregateFn;

typedef enum KgTruncate
{
	KG_TRUNCATE_NONE,
	KG_TRUNCATE_MINUTE,
	KG_TRUNCATE_HOUR,
	KG_TRUNCATE_DAY,
	KG_TRUNCATE_WEEK,
	KG_TRUNCATE_MONTH,
	KG_TRUNCATE_QUARTER,
	KG_TRUNCATE_YEAR
} KgTruncate;

/* A value as it is grouped by: its key orders it, missing last. */
typedef struct KgGroupValue
{
	const bytea *key;
	JsonbValue value;
} KgGroupValue;

/*
 * The value of a field (NULL: an id, which is a string), truncated; allocated
 * in the current context.  NULL or JSON null is the missing value.
 */
extern KgGroupValue kg_group_value(const KgField *field, KgTruncate truncate,
								   const JsonbValue *value);
/* The same of a value's key; missing where it is of none. */
extern KgGroupValue kg_group_of_key(const KgField *field, KgTruncate truncate,
									const bytea *key);
/* A string that is ordered by something else than itself. */
extern KgGroupValue kg_group_string(const char *order, int order_len,
									const char *text, int len);

typedef struct KgAggregateSpec
{
	KgAggregateFn fn;
	bool has_property;	  /* count of nodes otherwise */
	const KgField *field; /* NULL: the id */
} KgAggregateSpec;

typedef struct KgAccumulator
{
	int64 count;
	int64 integers; /* the sum of those that are, as far as it fits */
	Numeric sum;	/* of all others; NULL: there are none */
	KgGroupValue extreme;
} KgAccumulator;

typedef struct KgGroup
{
	uint32 hash;
	uint32 number;
	KgGroupValue keys[KG_MAX_GROUPS];
	KgAccumulator accumulators[KG_MAX_AGGREGATIONS];
} KgGroup;

typedef struct KgGroups KgGroups;

extern KgGroups *kg_groups_new(MemoryContext context, int nkeys,
							   const KgAggregateSpec *specs, int nspecs);
/*
 * Count a row so many times.  values: the node's value of each aggregation's
 * property, or missing.
 */
extern void kg_groups_add(KgGroups *groups, const KgGroupValue *keys,
						  const KgGroupValue *values, int64 times);
/* The group without keys, made where there is no row at all. */
extern void kg_groups_ensure_one(KgGroups *groups);
extern KgGroup **kg_groups_list(KgGroups *groups, uint32 *n);

/* An aggregate's value; missing (null) where there was nothing. */
extern KgGroupValue kg_group_result(const KgAggregateSpec *spec,
									const KgAccumulator *accumulator);
extern bool kg_group_missing(const KgGroupValue *value);

#endif /* KG_AGGREGATE_H */
