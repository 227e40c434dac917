/*
 * aggregate.c
 *	  Groups and their aggregates.
 *
 * An open hash table finds groups by the bytes of their keys. One set for all
 * groups has the distinct values, by group, aggregation and key. Sums are
 * exact: integers are added as int64, and as numeric when they overflow.
 */
#include "postgres.h"

#include "model/key.h"
#include "common/hashfn.h"
#include "common/int.h"
#include "lib/stringinfo.h"
#include "query/graph/aggregate.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/memutils.h"

struct KgGroups
{
	MemoryContext context;
	int nkeys;
	const KgAggregateSpec *specs;
	int nspecs;
	KgGroup **slots;
	uint32 nslots;
	KgGroup **list; /* groups, in the order of their first rows */
	uint32 n;
	uint32 room;
	/* The set of distinct values: an open hash table. */
	bytea **values;
	uint32 nvalues;
	uint32 nvalue_slots;
};

/* ---- values ---- */

bool
kg_group_missing(const KgGroupValue *value)
{
	return value->value.type == jbvNull;
}

static KgGroupValue
missing_value(void)
{
	KgGroupValue result;

	memset(&result, 0, sizeof(result));
	result.key = kg_key_missing();
	result.value.type = jbvNull;
	return result;
}

KgGroupValue
kg_group_string(const char *order, int order_len, const char *text, int len)
{
	KgGroupValue result;
	/*
	 * The first byte is less than the first byte of the key of a missing value,
	 * so missing values are last.
	 */
	bytea *key = palloc(VARHDRSZ + 1 + order_len);

	SET_VARSIZE(key, VARHDRSZ + 1 + order_len);
	VARDATA(key)[0] = 1;
	memcpy(VARDATA(key) + 1, order, order_len);
	result.key = key;
	result.value.type = jbvString;
	result.value.val.string.val = (char *) text;
	result.value.val.string.len = len;
	return result;
}

/*
 * Returns the first day of the period (such as a week or month) that has the
 * day.
 */
static int
truncate_day(int julian, KgTruncate truncate)
{
	int year, month, day;

	/* j2day() is 0 on Sunday; a week begins on Monday. */
	if (truncate == KG_TRUNCATE_WEEK)
		return julian - (j2day(julian) + 6) % 7;
	j2date(julian, &year, &month, &day);
	switch (truncate)
	{
		case KG_TRUNCATE_YEAR:
			return date2j(year, 1, 1);
		case KG_TRUNCATE_QUARTER:
			return date2j(year, (month - 1) / 3 * 3 + 1, 1);
		case KG_TRUNCATE_MONTH:
			return date2j(year, month, 1);
		case KG_TRUNCATE_WEEK:
		case KG_TRUNCATE_DAY:
		case KG_TRUNCATE_HOUR:
		case KG_TRUNCATE_MINUTE:
		case KG_TRUNCATE_WEEKDAY:
		case KG_TRUNCATE_HOUR_OF_DAY:
		case KG_TRUNCATE_MONTH_OF_YEAR:
		case KG_TRUNCATE_NONE:
			break;
	}
	return julian;
}

static int
truncate_second(int second, KgTruncate truncate)
{
	if (truncate == KG_TRUNCATE_MINUTE)
		return second - second % SECS_PER_MINUTE;
	if (truncate == KG_TRUNCATE_HOUR)
		return second - second % SECS_PER_HOUR;
	return 0;
}

/* Only the kind of the field matters for the key of a number. */
static const KgField number_field = {.name = "number", .kind = KG_KIND_NUMBER};

static KgGroupValue
number_value(Numeric number)
{
	KgGroupValue result;

	memset(&result, 0, sizeof(result));
	result.value.type = jbvNumeric;
	result.value.val.numeric = number;
	result.key = kg_key_encode(&number_field, &result.value);
	return result;
}

/* Returns the numeric of a number, decoded from its key if necessary. */
static Numeric
numeric_of(const KgGroupValue *number)
{
	JsonbValue value = number->value;

	if (value.val.numeric == NULL)
		kg_key_decode(&number_field, number->key, &value);
	return value.val.numeric;
}

/*
 * Returns a part of a date: the name of the weekday, ordered as in the week, or
 * the number of the hour or of the month.
 */
static KgGroupValue
part_of(int julian, int second, KgTruncate part)
{
	static const char *const weekdays[] = {"Monday",
										   "Tuesday",
										   "Wednesday",
										   "Thursday",
										   "Friday",
										   "Saturday",
										   "Sunday"};
	int year, month, day;
	int weekday = (j2day(julian) + 6) % 7;
	char order = (char) ('1' + weekday);

	if (part == KG_TRUNCATE_WEEKDAY)
		return kg_group_string(
			&order, 1, weekdays[weekday], strlen(weekdays[weekday]));
	j2date(julian, &year, &month, &day);
	return number_value(int64_to_numeric(
		part == KG_TRUNCATE_HOUR_OF_DAY ? second / SECS_PER_HOUR : month));
}

/*
 * Returns the value reduced to the beginning of its period, as a value that a
 * filter accepts, or to a part of the date. No date is before year 0.
 */
static KgGroupValue
truncated(KgTruncate truncate, const JsonbValue *value)
{
	const char *text = value->val.string.val;
	bool is_date = value->val.string.len == KG_DATE_LENGTH;
	const bytea *key = kg_key_instant(text, value->val.string.len);
	int julian;
	int second;

	if (key == NULL || !kg_key_day(key, &julian, &second))
		elog(ERROR, "\"%s\" is not a date-time", text);
	if (truncate >= KG_TRUNCATE_WEEKDAY)
		return part_of(julian, second, truncate);
	julian = truncate_day(julian, truncate);
	if (is_date)
		julian = Max(julian, date2j(0, 1, 1));
	text = kg_key_day_text(julian, truncate_second(second, truncate));
	key = kg_key_instant(text, strlen(text));
	return kg_group_string(VARDATA_ANY(key),
						   VARSIZE_ANY_EXHDR(key),
						   text,
						   is_date ? KG_DATE_LENGTH : strlen(text));
}

/*
 * Inverts the position in the key of an enum's value. The value declared first
 * has the lowest key, but counts as the greatest value.
 */
static void
reverse_enum(bytea *key)
{
	uint8 *position = (uint8 *) VARDATA(key) + 1;

	position[0] = ~position[0];
	position[1] = ~position[1];
}

KgGroupValue
kg_group_value(const KgField *field, KgTruncate truncate,
			   const JsonbValue *value)
{
	bytea *key;

	if (value == NULL || value->type == jbvNull)
		return missing_value();
	if (field == NULL || (field->kind == KG_KIND_STRING && !field->by_version))
	{
		/*
		 * Strings are compared in full. A key may have only the beginning of a
		 * string.
		 */
		if (value->type != jbvString)
			return missing_value();
		return kg_group_string(
			value->val.string.val,
			value->val.string.len,
			pnstrdup(value->val.string.val, value->val.string.len),
			value->val.string.len);
	}
	key = kg_key_encode(field, value);
	return key == NULL ? missing_value()
					   : kg_group_of_key(field, truncate, key);
}

KgGroupValue
kg_group_of_key(const KgField *field, KgTruncate truncate, bytea *key)
{
	KgGroupValue result;

	if (!kg_key_is_value(key))
		return missing_value();
	memset(&result, 0, sizeof(result));
	result.key = key;
	if ((field->kind == KG_KIND_INTEGER || field->kind == KG_KIND_NUMBER) &&
		kg_key_is_number(key))
		result.value.type = jbvNumeric;
	else
		kg_key_decode(field, key, &result.value);
	if (field->kind == KG_KIND_STRING && !field->by_version)
		return kg_group_string(result.value.val.string.val,
							   result.value.val.string.len,
							   result.value.val.string.val,
							   result.value.val.string.len);
	if (field->kind == KG_KIND_ENUM)
		reverse_enum(key);
	if (truncate != KG_TRUNCATE_NONE && result.value.type == jbvString)
		return truncated(truncate, &result.value);
	return result;
}

static KgGroupValue
copy_value(const KgGroupValue *value, MemoryContext context)
{
	KgGroupValue copy = *value;
	bytea *key = MemoryContextAlloc(context, VARSIZE_ANY(value->key));

	memcpy(key, value->key, VARSIZE_ANY(value->key));
	copy.key = key;
	if (value->value.type == jbvString)
	{
		copy.value.val.string.val = MemoryContextAlloc(
			context, value->value.val.string.len + 1);
		memcpy(copy.value.val.string.val,
			   value->value.val.string.val,
			   value->value.val.string.len);
	}
	else if (value->value.type == jbvNumeric)
	{
		Numeric number = numeric_of(value);
		Size size = VARSIZE_ANY(number);

		copy.value.val.numeric = MemoryContextAlloc(context, size);
		memcpy(copy.value.val.numeric, number, size);
	}
	return copy;
}

/* ---- groups ---- */

KgGroups *
kg_groups_new(MemoryContext context, int nkeys, const KgAggregateSpec *specs,
			  int nspecs)
{
	KgGroups *groups = MemoryContextAllocZero(context, sizeof(KgGroups));

	groups->context = AllocSetContextCreate(
		context, "kg_graph groups", ALLOCSET_DEFAULT_SIZES);
	groups->nkeys = nkeys;
	groups->specs = specs;
	groups->nspecs = nspecs;
	groups->nslots = 64;
	groups->slots = MemoryContextAllocZero(groups->context,
										   groups->nslots * sizeof(KgGroup *));
	groups->room = 32;
	groups->list = MemoryContextAlloc(groups->context,
									  groups->room * sizeof(KgGroup *));
	groups->nvalue_slots = 64;
	groups->values = MemoryContextAllocZero(
		groups->context, groups->nvalue_slots * sizeof(bytea *));
	return groups;
}

static void
grow_slots(KgGroups *groups)
{
	pfree(groups->slots);
	groups->nslots *= 2;
	groups->slots = MemoryContextAllocExtended(
		groups->context,
		(Size) groups->nslots * sizeof(KgGroup *),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < groups->n; i++)
	{
		uint32 slot = groups->list[i]->hash & (groups->nslots - 1);

		while (groups->slots[slot] != NULL)
			slot = (slot + 1) & (groups->nslots - 1);
		groups->slots[slot] = groups->list[i];
	}
}

static bool
same_keys(const KgGroups *groups, const KgGroup *group,
		  const KgGroupValue *keys)
{
	for (int i = 0; i < groups->nkeys; i++)
		if (kg_key_compare(group->keys[i].key, keys[i].key) != 0)
			return false;
	return true;
}

static KgGroup *
find_group(KgGroups *groups, const KgGroupValue *keys)
{
	uint32 hash = 0;
	uint32 slot;
	KgGroup *group;

	for (int i = 0; i < groups->nkeys; i++)
		hash = hash_combine(
			hash,
			hash_bytes((const unsigned char *) VARDATA_ANY(keys[i].key),
					   VARSIZE_ANY_EXHDR(keys[i].key)));
	slot = hash & (groups->nslots - 1);
	for (; (group = groups->slots[slot]) != NULL;
		 slot = (slot + 1) & (groups->nslots - 1))
		if (group->hash == hash && same_keys(groups, group, keys))
			return group;
	group = MemoryContextAllocZero(groups->context,
								   offsetof(KgGroup, accumulators) +
									   groups->nspecs * sizeof(KgAccumulator));
	group->hash = hash;
	group->number = groups->n;
	for (int i = 0; i < groups->nkeys; i++)
		group->keys[i] = copy_value(&keys[i], groups->context);
	if (groups->n == groups->room)
	{
		groups->room *= 2;
		groups->list = repalloc_huge(groups->list,
									 (Size) groups->room * sizeof(KgGroup *));
	}
	groups->list[groups->n++] = group;
	groups->slots[slot] = group;
	if (groups->n * 2 > groups->nslots)
		grow_slots(groups);
	return group;
}

static uint32
value_hash(const bytea *value)
{
	return hash_bytes((const unsigned char *) VARDATA_ANY(value),
					  VARSIZE_ANY_EXHDR(value));
}

static void
grow_values(KgGroups *groups)
{
	bytea **old = groups->values;
	uint32 n = groups->nvalue_slots;

	groups->nvalue_slots *= 2;
	groups->values = MemoryContextAllocExtended(
		groups->context,
		(Size) groups->nvalue_slots * sizeof(bytea *),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < n; i++)
		if (old[i] != NULL)
		{
			uint32 slot = value_hash(old[i]) & (groups->nvalue_slots - 1);

			while (groups->values[slot] != NULL)
				slot = (slot + 1) & (groups->nvalue_slots - 1);
			groups->values[slot] = old[i];
		}
	pfree(old);
}

/*
 * Returns whether the value is new to the group and the aggregation, and adds
 * it.
 */
static bool
is_distinct(KgGroups *groups, uint32 group, int spec, const bytea *key)
{
	int len = VARSIZE_ANY_EXHDR(key);
	Size size = VARHDRSZ + sizeof(uint32) + 1 + len;
	bytea *value = palloc(size);
	bytea *kept;
	uint32 slot;

	SET_VARSIZE(value, size);
	memcpy(VARDATA(value), &group, sizeof(uint32));
	VARDATA(value)[sizeof(uint32)] = (char) spec;
	memcpy(VARDATA(value) + sizeof(uint32) + 1, VARDATA_ANY(key), len);
	slot = value_hash(value) & (groups->nvalue_slots - 1);
	for (; groups->values[slot] != NULL;
		 slot = (slot + 1) & (groups->nvalue_slots - 1))
		if (kg_key_compare(groups->values[slot], value) == 0)
		{
			pfree(value);
			return false;
		}
	kept = MemoryContextAlloc(groups->context, size);
	memcpy(kept, value, size);
	pfree(value);
	groups->values[slot] = kept;
	if (++groups->nvalues * 2 > groups->nvalue_slots)
		grow_values(groups);
	return true;
}

static void
add_sum(KgGroups *groups, KgAccumulator *a, const KgGroupValue *operand,
		int64 times)
{
	MemoryContext old;
	Numeric value;
	Numeric sum;
	int64 integer;

	if (kg_key_integer(operand->key, &integer) &&
		!pg_mul_s64_overflow(integer, times, &integer) &&
		!pg_add_s64_overflow(a->integers, integer, &integer))
	{
		a->integers = integer;
		return;
	}
	value = numeric_of(operand);
	if (times != 1)
		value = DatumGetNumeric(
			DirectFunctionCall2(numeric_mul,
								NumericGetDatum(value),
								NumericGetDatum(int64_to_numeric(times))));
	old = MemoryContextSwitchTo(groups->context);
	if (a->sum == NULL)
		sum = DatumGetNumericCopy(NumericGetDatum(value));
	else
	{
		sum = DatumGetNumeric(DirectFunctionCall2(
			numeric_add, NumericGetDatum(a->sum), NumericGetDatum(value)));
		pfree(a->sum);
	}
	a->sum = sum;
	MemoryContextSwitchTo(old);
}

static Numeric
whole_sum(const KgAccumulator *a)
{
	Numeric integers = int64_to_numeric(a->integers);

	return a->sum == NULL ? integers
						  : DatumGetNumeric(
								DirectFunctionCall2(numeric_add,
													NumericGetDatum(a->sum),
													NumericGetDatum(integers)));
}

/* ---- medians ---- */

typedef struct Number
{
	Numeric value;
	int64 times;
} Number;

struct KgNumbers
{
	Number *numbers;
	uint32 n;
	uint32 room;
};

static void
add_number(KgGroups *groups, KgAccumulator *a, Numeric value, int64 times)
{
	struct KgNumbers *numbers = a->numbers;
	MemoryContext old = MemoryContextSwitchTo(groups->context);

	if (numbers == NULL)
	{
		numbers = a->numbers = palloc(sizeof(struct KgNumbers));
		numbers->n = 0;
		numbers->room = 8;
		numbers->numbers = palloc(numbers->room * sizeof(Number));
	}
	if (numbers->n == numbers->room)
	{
		numbers->room *= 2;
		numbers->numbers = repalloc_huge(numbers->numbers,
										 (Size) numbers->room * sizeof(Number));
	}
	numbers->numbers[numbers->n].value = DatumGetNumericCopy(
		NumericGetDatum(value));
	numbers->numbers[numbers->n++].times = times;
	MemoryContextSwitchTo(old);
}

static int
compare_numbers(const void *x, const void *y, void *arg)
{
	return DatumGetInt32(
		DirectFunctionCall2(numeric_cmp,
							NumericGetDatum(((const Number *) x)->value),
							NumericGetDatum(((const Number *) y)->value)));
}

/* Returns the number at a position of the sorted numbers, from 0. */
static Numeric
number_at(const struct KgNumbers *numbers, int64 position)
{
	uint32 i = 0;

	while (position >= numbers->numbers[i].times)
		position -= numbers->numbers[i++].times;
	return numbers->numbers[i].value;
}

/* Returns the median; for an even count the mean of the two middle numbers. */
static Numeric
median(const KgAccumulator *a)
{
	Numeric low;
	Numeric high;
	Datum sum;

	qsort_interruptible(a->numbers->numbers,
						a->numbers->n,
						sizeof(Number),
						compare_numbers,
						NULL);
	low = number_at(a->numbers, (a->count - 1) / 2);
	high = number_at(a->numbers, a->count / 2);
	sum = DirectFunctionCall2(
		numeric_add, NumericGetDatum(low), NumericGetDatum(high));
	return DatumGetNumeric(DirectFunctionCall1(
		numeric_trim_scale,
		DirectFunctionCall2(
			numeric_div, sum, NumericGetDatum(int64_to_numeric(2)))));
}

static void
accumulate(KgGroups *groups, KgGroup *group, int i, const KgGroupValue *value,
		   int64 times)
{
	const KgAggregateSpec *spec = &groups->specs[i];
	KgAccumulator *a = &group->accumulators[i];
	int order;

	if (!spec->has_property)
	{
		a->count += times;
		return;
	}
	if (kg_group_missing(value))
		return;
	switch (spec->fn)
	{
		case KG_FN_COUNT:
			a->count += times;
			break;
		case KG_FN_COUNT_DISTINCT:
			a->count += is_distinct(groups, group->number, i, value->key);
			break;
		case KG_FN_SUM:
		case KG_FN_AVG:
			a->count += times;
			add_sum(groups, a, value, times);
			break;
		case KG_FN_MEDIAN:
			a->count += times;
			add_number(groups, a, numeric_of(value), times);
			break;
		case KG_FN_MIN:
		case KG_FN_MAX:
			order = a->count > 0 ? kg_key_compare(value->key, a->extreme.key)
								 : 0;
			if (a->count == 0 ||
				(spec->fn == KG_FN_MIN ? order < 0 : order > 0))
				a->extreme = copy_value(value, groups->context);
			a->count = 1;
			break;
	}
}

void
kg_groups_add(KgGroups *groups, const KgGroupValue *keys,
			  const KgGroupValue *values, int64 times)
{
	KgGroup *group = find_group(groups, keys);

	for (int i = 0; i < groups->nspecs; i++)
		if (!groups->specs[i].of_edge)
			accumulate(groups, group, i, &values[i], times);
}

void
kg_groups_add_edge(KgGroups *groups, const KgGroupValue *keys,
				   const KgGroupValue *values)
{
	KgGroup *group = find_group(groups, keys);

	for (int i = 0; i < groups->nspecs; i++)
		if (groups->specs[i].of_edge)
			accumulate(groups, group, i, &values[i], 1);
}

void
kg_groups_ensure_one(KgGroups *groups)
{
	if (groups->n == 0)
		(void) find_group(groups, NULL);
}

KgGroup **
kg_groups_list(KgGroups *groups, uint32 *n)
{
	*n = groups->n;
	return groups->list;
}

KgGroupValue
kg_group_result(const KgAggregateSpec *spec, const KgAccumulator *a)
{
	switch (spec->fn)
	{
		case KG_FN_COUNT:
		case KG_FN_COUNT_DISTINCT:
			return number_value(DatumGetNumeric(
				DirectFunctionCall1(int8_numeric, Int64GetDatum(a->count))));
		case KG_FN_SUM:
			return a->count == 0 ? missing_value() : number_value(whole_sum(a));
		case KG_FN_AVG:
			if (a->count == 0)
				return missing_value();
			/*
			 * Trailing zeros of the quotient carry no information, so replies
			 * do not contain them.
			 */
			return number_value(DatumGetNumeric(DirectFunctionCall1(
				numeric_trim_scale,
				DirectFunctionCall2(
					numeric_div,
					NumericGetDatum(whole_sum(a)),
					DirectFunctionCall1(int8_numeric,
										Int64GetDatum(a->count))))));
		case KG_FN_MEDIAN:
			return a->count == 0 ? missing_value() : number_value(median(a));
		case KG_FN_MIN:
		case KG_FN_MAX:
			break;
	}
	return a->count == 0 ? missing_value() : a->extreme;
}
