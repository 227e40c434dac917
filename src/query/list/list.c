/*
 * list.c
 *	  A page of the entities of one type: the choice of statements and their
 *	  order.
 *
 * There are two ways to find a page. A walk reads entities in the requested
 * order, tests the other conditions of each entity by look-ups (probes), and
 * stops when the page is full. A drive reads all rows of the most selective
 * condition, and then tests and sorts them. The cheaper way depends on the
 * number of matches, so both are tried in turn, with growing bounds (a race). A
 * condition is counted up to a bound. If it has fewer rows, a drive reads them.
 * Otherwise a walk may examine as many rows as the bound. If the page is not
 * full then, the bound is raised. So the work is within a constant factor of
 * the cheaper way, without statistics.
 */
#include "postgres.h"

#include "auth/visibility.h"
#include "base/settings.h"
#include "base/spi.h"
#include "model/id.h"
#include "model/key.h"
#include "model/writing.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/derived.h"
#include "query/list/list.h"
#include "query/list/list_decided.h"
#include "query/time/past.h"
#include "query/filter/scan.h"
#include "query/time/validity.h"
#include "utils/builtins.h"

/*
 * Settings of the race of a walk with a drive: the growth factor of the bound,
 * the number of rows that a walk may examine for each unit of the bound, and
 * the first bound.
 */
#define RACE_GROWTH 4
#define RACE_WALK 1
#define RACE_START 256

/*
 * Maximum number of rows of an index that a walk reads to find the listed nodes
 * among them.
 */
#define KG_WALKED_AMONG 100000

/*
 * If kg_graph.max_total is at least this number, a total is counted by sets of
 * nodes, not by probes (look-ups for each row).
 */
#define KG_COUNTED_BY_SETS 10000

typedef struct Walker
{
	const KgListQuery *query;
	const KgSource *source;
	const KgNodeSet *among; /* only these nodes; NULL: any */
	KgRows *rows;
	int wanted;	  /* number of rows that fill the page */
	int accepted; /* number of rows after the cursor */
	bool descending;
	/*
	 * the order of the walk is exactly the order of the page, also among rows
	 * with equal keys
	 */
	bool exact;
	/*
	 * rows with equal keys come in another order, so the last group is read
	 * again
	 */
	bool refetch;
	int phase;
	/* position of the walk: the last row examined, or the start */
	KgWalkStart at;
	int64 examined;
	bytea *group;	  /* key of the current group */
	int before_group; /* rows accepted before the group */
	bool full;
	/*
	 * Keys of an "in" on the sort field. Each key is a group; the groups are
	 * walked in this order.
	 */
	int nkeys;
	int next_key;
	bytea **keys;
} Walker;

/*
 * Returns a copy of a value as stored: it may be compressed or a TOAST pointer.
 */
static struct varlena *
copy_stored(Datum value)
{
	const struct varlena *stored = (struct varlena *) DatumGetPointer(value);
	Size size = VARSIZE_ANY(stored);

	return memcpy(palloc(size), stored, size);
}

/*
 * Makes a row with nkeys keys of the statement, from index first on. The caller
 * sets the keys before index first.
 */
static KgRow *
make_row(TupleTableSlot *slot, const KgSource *source, int nkeys, int first)
{
	KgRow *row = palloc(offsetof(KgRow, keys) +
						(first + nkeys) * sizeof(bytea *));
	bool isnull;

	row->entity_id = text_to_cstring(
		DatumGetTextPP(slot_getattr(slot, 1, &isnull)));
	row->node = DatumGetInt64(slot_getattr(slot, 2, &isnull));
	row->stored = source->with_data
					  ? copy_stored(kg_slot_datum(slot, 4 + nkeys))
					  : NULL;
	row->data = NULL;
	row->match = NULL;
	for (int i = 0; i < nkeys; i++)
	{
		Datum key = slot_getattr(slot, 4 + i, &isnull);

		row->keys[first + i] = isnull ? kg_key_missing()
									  : DatumGetByteaPCopy(key);
	}
	return row;
}

static bool
same_key(const bytea *a, Datum b)
{
	bytea *bkey = DatumGetByteaPP(b);

	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(bkey) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(bkey), VARSIZE_ANY_EXHDR(a)) == 0;
}

/*
 * Examines a row of a walk. Stores the row if its probes (the tests of the
 * other conditions) are true and walker->among has its node. Returns false if
 * the page is full, which ends the walk.
 */
static bool
walk_row(TupleTableSlot *slot, void *arg)
{
	Walker *walker = arg;
	bool by_key = walker->source->kind == KG_SOURCE_KEY;

	/* A walk by key has the first sort key in this column. */
	if (by_key && walker->query->nsort > 0)
	{
		Datum key = kg_slot_datum(slot, 4);

		if (walker->group == NULL || !same_key(walker->group, key))
		{
			if (!walker->exact && !walker->refetch &&
				walker->accepted >= walker->wanted)
			{
				walker->full = true;
				return false;
			}
			walker->group = DatumGetByteaPCopy(key);
			walker->before_group = walker->accepted;
		}
	}
	walker->examined++;
	walker->at.entity_id = NULL;
	if ((walker->among == NULL ||
		 kg_nodeset_has(walker->among,
						DatumGetInt64(kg_slot_datum(slot, 2)))) &&
		DatumGetBool(kg_slot_datum(slot, 3)))
	{
		KgRow *row = make_row(slot, walker->source, walker->query->nsort, 0);

		walker->at.entity_id = pstrdup(row->entity_id);
		if (kg_rows_add(walker->rows, row))
			walker->accepted++;
	}
	else
		walker->at.entity_id = text_to_cstring(
			DatumGetTextPP(kg_slot_datum(slot, 1)));
	walker->at.set = true;
	walker->at.key = walker->group;
	if ((walker->exact || walker->refetch) &&
		walker->accepted >= walker->wanted)
	{
		walker->full = true;
		return false;
	}
	return true;
}

static void
run_rows(const KgListQuery *query, const KgSource *source, KgWalk walk,
		 const KgWalkStart *start, int64 max_rows, KgRowFunction row, void *arg)
{
	KgSqlBuilder b;

	kg_list_sql_rows(&b, query, source, walk, start, max_rows);
	(void) kg_sql_run(&b, row, arg);
}

/* Returns the bound with which a race for a page begins. */
static int64
first_bound(const KgRows *rows)
{
	return RACE_START + (int64) rows->max * 4;
}

/*
 * Returns the number of rows that the first statement of a walk without a bound
 * may read. If the page is not full then, the next statement reads more.
 */
static int64
unbounded_stretch(const KgListQuery *query, const KgRows *rows)
{
	if (kg_past_asked())
		return first_bound(rows);
	return (query->catalog->authorizes && !kg_decisions_ask_all()) ||
				   query->type->number_ids
			   ? rows->max
			   : PG_INT64_MAX;
}

/* Walks the rows of one key in the order of ids. */
static void
walk_group_by(Walker *walker, KgWalk walk, bytea *key, const char *entity_id,
			  int64 max_rows)
{
	KgWalkStart start;
	int64 stretch = max_rows;
	int64 before;

	start.set = true;
	start.key = key;
	start.entity_id = entity_id;
	if (max_rows == PG_INT64_MAX)
		stretch = unbounded_stretch(walker->query, walker->rows);
	do
	{
		before = walker->examined;
		run_rows(walker->query,
				 walker->source,
				 walk,
				 &start,
				 stretch,
				 walk_row,
				 walker);
		start.entity_id = walker->at.entity_id;
		if (stretch == max_rows || walker->full ||
			walker->examined - before < stretch)
			break;
		stretch *= RACE_GROWTH;
	} while (true);
}

static void
walk_group(Walker *walker, bytea *key, const char *entity_id)
{
	const KgListQuery *query = walker->query;

	walk_group_by(walker,
				  walker->refetch && query->id_descending ? KG_WALK_GROUP_DOWN
														  : KG_WALK_GROUP_UP,
				  key,
				  entity_id,
				  PG_INT64_MAX);
}

/* Returns the least key above a key. */
static bytea *
key_after(const bytea *key)
{
	int len = VARSIZE_ANY_EXHDR(key);
	bytea *result = palloc(VARHDRSZ + len + 1);

	SET_VARSIZE(result, VARHDRSZ + len + 1);
	memcpy(VARDATA(result), VARDATA_ANY(key), len);
	VARDATA(result)[len] = '\0';
	return result;
}

static bool
is_missing_key(const bytea *key)
{
	bytea *missing = kg_key_missing();

	return same_key(missing, PointerGetDatum(key));
}

/*
 * Walks on over a number of rows that is limited by the budget. Returns false
 * if the source has no more rows and the page is not full.
 */
static bool
walk_stretch(Walker *walker, KgWalk direction, int64 budget)
{
	int64 before = walker->examined;

	run_rows(walker->query,
			 walker->source,
			 direction,
			 &walker->at,
			 budget,
			 walk_row,
			 walker);
	return walker->full || walker->examined - before >= budget;
}

/*
 * Reads the last group of a full page (the rows with the last key) again, from
 * its beginning.
 */
static void
refetch_group(Walker *walker)
{
	bytea *group = walker->group;

	kg_rows_drop_group(walker->rows, group);
	walker->accepted = walker->before_group;
	walker->full = false;
	walk_group(walker, group, "");
	walker->full = true;
}

/*
 * Walks ascending keys for at most budget rows. Returns whether the page is
 * full or no rows are left. Missing values have the greatest key, so they come
 * last.
 */
static bool
walk_up(Walker *walker, int64 budget)
{
	const KgRow *after = walker->query->after;

	if (walker->phase == 0)
	{
		walker->phase = 1;
		if (after)
		{
			if (walker->refetch)
				walk_group(walker, after->keys[0], after->entity_id);
			walker->at.set = true;
			walker->at.key = walker->refetch ? key_after(after->keys[0])
											 : after->keys[0];
			walker->at.entity_id = walker->exact ? after->entity_id : "";
			walker->group = NULL;
			if (walker->full)
				return true;
		}
	}
	if (!walk_stretch(walker, KG_WALK_UP, budget))
		return true;
	if (walker->full && walker->refetch)
		refetch_group(walker);
	return walker->full;
}

/*
 * Walks descending keys for at most budget rows, then the missing values.
 * Returns whether the page is full or no rows are left.
 *
 * Ties are ordered by ascending id, but the index has descending ids in this
 * direction. So when the page is full, the last group is read again from its
 * beginning.
 */
static bool
walk_down(Walker *walker, int64 budget)
{
	const KgRow *after = walker->query->after;
	bool after_missing = after && is_missing_key(after->keys[0]);

	if (walker->phase == 0)
	{
		walker->at.set = true;
		if (after == NULL)
		{
			walker->at.key = kg_key_missing();
			walker->at.entity_id = "";
		}
		else if (walker->exact)
		{
			walker->at.key = after->keys[0];
			walker->at.entity_id = after->entity_id;
		}
		else
		{
			if (walker->refetch && !after_missing)
				walk_group(walker, after->keys[0], after->entity_id);
			walker->at.key = walker->refetch ? after->keys[0]
											 : key_after(after->keys[0]);
			walker->at.entity_id = "";
			walker->group = NULL;
		}
		walker->phase = after_missing ? 2 : 1;
		if (walker->full)
			return true;
	}
	if (walker->phase == 1)
	{
		if (walk_stretch(walker, KG_WALK_DOWN, budget))
		{
			if (walker->full && walker->refetch)
				refetch_group(walker);
			return walker->full;
		}
		walker->phase = 2;
	}
	walker->group = NULL;
	walker->full = walker->accepted >= walker->wanted;
	if (walker->full)
		return true;
	if (walker->exact)
		walk_group_by(walker,
					  KG_WALK_GROUP_DOWN,
					  kg_key_missing(),
					  after_missing ? after->entity_id : NULL,
					  PG_INT64_MAX);
	else
		walk_group(walker,
				   kg_key_missing(),
				   after_missing && walker->refetch ? after->entity_id : "");
	return true;
}

/*
 * Returns whether a walk goes by ids: through kg_entity, or through the keys of
 * ids that are numbers.
 */
static bool
is_by_id(const Walker *walker)
{
	return walker->source->kind == KG_SOURCE_ENTITY ||
		   kg_source_is_of_ids(walker->query->type, walker->source);
}

/*
 * Walks the entities by id, for at most budget rows. Returns whether the page
 * is full or no rows are left.
 */
static bool
walk_ids(Walker *walker, int64 budget)
{
	const KgRow *after = walker->query->after;

	if (walker->phase == 0)
	{
		walker->phase = 1;
		if (after)
		{
			walker->at.set = true;
			walker->at.entity_id = after->entity_id;
		}
	}
	/* If ids are numbers, their index has keys in place of the text of ids. */
	if (walker->at.set && walker->source->kind == KG_SOURCE_KEY)
		walker->at.key = kg_id_key(walker->query->type, walker->at.entity_id);
	if (!walk_stretch(
			walker, walker->descending ? KG_WALK_DOWN : KG_WALK_UP, budget))
		return true;
	return walker->full;
}

/*
 * Walks the values of an "in" one after another, for at most budget rows.
 * Returns whether the page is full or no rows are left. An index has the rows
 * of each single value in order, but not the rows of all values together.
 */
static bool
walk_keys(Walker *walker, int64 budget)
{
	const KgRow *after = walker->query->after;
	KgWalk walk = walker->exact && walker->query->id_descending
					  ? KG_WALK_GROUP_DOWN
					  : KG_WALK_GROUP_UP;
	int64 before = walker->examined;

	while (walker->next_key < walker->nkeys)
	{
		bytea *key = walker->keys[walker->next_key];
		const char *from = walker->at.entity_id;
		int64 left = budget - (walker->examined - before);

		if (from == NULL && walker->query->nsort == 0)
			from = after ? after->entity_id : "";
		else if (from == NULL && after && walker->exact &&
				 same_key(key, PointerGetDatum(after->keys[0])))
			from = after->entity_id;
		walk_group_by(walker, walk, key, from, left);
		if (walker->full)
			return true;
		if (walker->examined - before >= budget)
			return false;
		walker->next_key++;
		walker->at.entity_id = NULL;
		if (walker->accepted >= walker->wanted)
		{
			walker->full = true;
			return true;
		}
	}
	return true;
}

static int
compare_keys_down(const void *a, const void *b)
{
	return kg_key_sort(b, a);
}

/*
 * Makes each key of an "in" on the sort field a group to walk, and removes the
 * "in" from the source.
 */
static void
take_keys(Walker *walker, KgSource *source)
{
	const KgRow *after = walker->query->after;
	int (*compare)(const void *, const void *) = walker->descending
													 ? compare_keys_down
													 : kg_key_sort;
	KgFilter *own = source->own;
	KgCondition in;
	int i;

	for (i = 0; i < own->nconditions; i++)
		if (kg_operator(own->conditions[i].op)->bound == KG_BOUND_LIST)
			break;
	if (i == own->nconditions)
		return;
	in = own->conditions[i];
	own->conditions[i] = own->conditions[--own->nconditions];
	walker->keys = palloc(Max(1, in.nvalues) * sizeof(bytea *));
	memcpy(walker->keys, in.keys, in.nvalues * sizeof(bytea *));
	qsort(walker->keys, in.nvalues, sizeof(bytea *), compare);
	for (int k = 0; k < in.nvalues; k++)
	{
		bytea *key = walker->keys[k];

		if (walker->nkeys > 0 &&
			kg_key_compare(walker->keys[walker->nkeys - 1], key) == 0)
			continue;
		if (after && compare(&key, &after->keys[0]) < 0)
			continue;
		walker->keys[walker->nkeys++] = key;
	}
	walker->exact = walker->query->nsort == 1 &&
					(!walker->query->type->number_ids ||
					 kg_list_orders_numbers(walker->query));
	walker->refetch = false;
}

/*
 * Walks on for at most budget rows. Returns whether the page is full or no rows
 * are left.
 */
static bool
walk_on(Walker *walker, int64 budget)
{
	CHECK_FOR_INTERRUPTS();
	if (is_by_id(walker))
		return walk_ids(walker, budget);
	if (walker->keys)
		return walk_keys(walker, budget);
	return walker->descending ? walk_down(walker, budget)
							  : walk_up(walker, budget);
}

static void
init_walker(Walker *walker, const KgListQuery *query, KgSource *source,
			KgRows *rows)
{
	memset(walker, 0, sizeof(*walker));
	walker->query = query;
	walker->source = source;
	walker->rows = rows;
	walker->wanted = rows->max;
	if (is_by_id(walker))
	{
		walker->descending = query->id_descending;
		walker->exact = true;
		return;
	}
	if (query->nsort == 0)
	{
		/*
		 * A condition "eq" on the sort field has one key, which is the only
		 * group.
		 */
		walker->exact = true;
		walker->nkeys = 1;
		walker->keys = source->own->conditions[0].keys;
		return;
	}
	walker->descending = query->sort[0].descending;
	/*
	 * In the index, entities with equal keys are in the order of their ids as
	 * texts. If ids are numbers, the last group must be read again.
	 */
	if (query->nsort == 1 && query->type->number_ids)
		walker->refetch = kg_list_orders_numbers(query);
	else if (query->nsort == 1)
	{
		walker->exact = walker->descending == query->id_descending;
		walker->refetch = walker->descending && !query->id_descending;
	}
	take_keys(walker, source);
}

/* ---- sources ---- */

/*
 * Counts matches up to max. Sets *all to false if the count is incomplete,
 * because no more decisions of the authorizer may be requested.
 */
static int64
count_total_of(const KgListQuery *query, const KgSource *source, int64 max,
			   bool *all)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_list_sql_count(&b, query, source, max);
	statement = kg_sql_statement(&b);
	statement.lower_bound = true;
	return kg_plan_count_rows(&statement, all);
}

/*
 * State of a drive, which reads all rows of a source. All these rows match the
 * filter.
 */
typedef struct Drive
{
	const KgListQuery *query;
	const KgSource *source;
	/* counts of edges that the rows are sorted by, or NULL */
	const KgCounts *counts;
	KgRows *rows;
	/* matches of the search by name or text, sorted by node */
	const KgMatch **matches;
	int64 delivered;
} Drive;

/*
 * Returns the key of a match. A better match has a lower key. Scores by words
 * of texts have no bound; scores above this maximum count as equal.
 */
#define KG_MAX_WORDS_SCORE 4000.0

static bytea *
rank_key(const KgMatch *match)
{
	bytea *key = palloc(VARHDRSZ + 4);
	double most = match != NULL && match->how == KG_MATCH_WORDS
					  ? KG_MAX_WORDS_SCORE
					  : 1.0;
	double score = match != NULL ? Min(match->score, most) : 0;
	uint32 n = (uint32) ((most - score) * 1000000.0 + 0.5);

	SET_VARSIZE(key, VARHDRSZ + 4);
	for (int i = 0; i < 4; i++)
		VARDATA(key)[i] = (char) ((n >> (24 - 8 * i)) & 0xff);
	return key;
}

static int
compare_match_nodes(const void *a, const void *b)
{
	int64 x = (*(const KgMatch *const *) a)->node;
	int64 y = (*(const KgMatch *const *) b)->node;

	return x < y ? -1 : x > y;
}

static const KgMatch **
matches_by_node(const KgMatches *matches)
{
	const KgMatch **result = palloc(Max(1, matches->n) * sizeof(KgMatch *));

	for (int i = 0; i < matches->n; i++)
		result[i] = &matches->matches[i];
	if (matches->n > 1)
		qsort(result, matches->n, sizeof(KgMatch *), compare_match_nodes);
	return result;
}

static const KgMatch *
find_match(const Drive *drive, int64 node)
{
	KgMatch probe;
	const KgMatch *key = &probe;
	const KgMatch **found;

	probe.node = node;
	found = bsearch(&key,
					drive->matches,
					drive->query->matches->n,
					sizeof(KgMatch *),
					compare_match_nodes);
	return found ? *found : NULL;
}

static bytea *
sort_key(const KgSortKeys *keys, int64 node)
{
	uint32 i = kg_nodeset_find(&keys->set, node);

	return i != KG_NO_NODE ? keys->keys[i] : kg_key_missing();
}

static bool
drive_row(TupleTableSlot *slot, void *arg)
{
	Drive *drive = arg;
	const KgListQuery *query = drive->query;
	int first = query->by_rank ? 1 : 0;
	KgRow *row = make_row(slot, drive->source, query->nsort, first);

	for (int i = 0; i < query->nsort; i++)
		if (query->sort[i].counts)
			row->keys[first + i] = kg_counts_key(
				drive->counts, query->sort[i].field, row->node);
		else if (query->sort[i].through != NULL)
			row->keys[first + i] = sort_key(query->sort[i].keys, row->node);
	if (query->matches)
		row->match = find_match(drive, row->node);
	if (query->by_rank)
		row->keys[0] = rank_key(row->match);
	drive->delivered++;
	(void) kg_rows_add(drive->rows, row);
	return true;
}

const KgSort *
kg_list_counts(const KgListQuery *query)
{
	for (int i = 0; i < query->nsort; i++)
		if (query->sort[i].counts)
			return &query->sort[i];
	return NULL;
}

const KgSort *
kg_list_computes(const KgListQuery *query)
{
	for (int i = 0; i < query->nsort; i++)
		if (query->sort[i].counts || query->sort[i].through != NULL)
			return &query->sort[i];
	return NULL;
}

static KgCounts *
count_nodes(const KgListQuery *query, const KgSource *source)
{
	Assert(source->kind == KG_SOURCE_NODES);
	return kg_counts_of(
		query->catalog, query->type, source->nodes, source->nnodes);
}

/*
 * Reads and stores all rows of a source. Returns the number of matching rows,
 * or -1 if rows may repeat. Reads at most "most" rows (0: no limit).
 */
static int64
drive(const KgListQuery *query, const KgSource *source, KgRows *rows,
	  int64 most)
{
	Drive state;
	KgSqlBuilder b;
	KgStatement statement;

	memset(&state, 0, sizeof(state));
	state.query = query;
	state.source = source;
	state.rows = rows;
	if (query->matches)
		state.matches = matches_by_node(query->matches);
	if (kg_list_counts(query) != NULL)
		state.counts = count_nodes(query, source);
	kg_list_sql_rows(&b, query, source, KG_WALK_NONE, NULL, most);
	statement = kg_sql_statement(&b);
	statement.hold = source->kind == KG_SOURCE_NODES;
	(void) kg_plan_run(&statement, drive_row, &state);
	return source->may_repeat ? -1 : state.delivered;
}

/*
 * Looks up nodes in kg_entity. If there are only a few nodes, their data is
 * read at the same time. This costs less than a second look-up of the nodes on
 * the page. Returns the number of matches, like drive().
 */
static int64
drive_nodes(const KgListQuery *query, KgSource *source, KgRows *rows)
{
	source->with_data = query->offset == 0 &&
						source->nnodes < first_bound(rows);
	return drive(query, source, rows, 0);
}

/*
 * Finds the rows by the nodes of a driver that was counted. If the driver's own
 * rows have all that the query needs, reads these rows instead. Returns the
 * number of matches, like drive().
 */
static int64
drive_by(const KgListQuery *query, const KgDrivers *drivers,
		 const KgDriver *driver, KgRows *rows)
{
	if (driver->nodes == NULL || (driver->each == NULL && query->nsort == 0 &&
								  kg_filter_is_empty(driver->source->rest)))
		return drive(query, driver->source, rows, 0);
	return drive_nodes(query, kg_drivers_meet(drivers, driver), rows);
}

/*
 * Returns the driver with the fewest rows among the drivers with a single "eq"
 * condition: the index returns the entities of one key in the order of ids.
 * Returns NULL if there is no such driver, or another order is requested.
 */
static KgDriver *
best_equality(const KgListQuery *query, KgDrivers *drivers)
{
	KgDriver *best = NULL;
	int64 bound = 1000;

	if (query->nsort > 0 || query->id_descending || query->type->number_ids)
		return NULL;
	for (int i = 0; i < drivers->n; i++)
	{
		KgDriver *driver = &drivers->drivers[i];
		const KgFilter *own = driver->source->own;

		if (driver->source->kind != KG_SOURCE_KEY || own->nconditions != 1 ||
			kg_operator(own->conditions[0].op)->bound != KG_BOUND_ONE)
			continue;
		if (best && best->bound == 0)
			kg_driver_count(drivers, best, bound);
		if (best)
			kg_driver_count(drivers, driver, bound);
		if (best == NULL || driver->count < best->count)
			best = driver;
	}
	return best;
}

/*
 * Returns whether a drive of this number of rows is allowed. A drive needs a
 * decision of the authorizer about every row. A walk needs decisions only until
 * the page is full.
 */
static bool
may_drive(const KgListQuery *query, int64 rows)
{
	return !query->catalog->authorizes || rows <= kg_setting_max_authorizations;
}

/*
 * Finds the rows and the total of a list in the past (as_of) by one drive. A
 * walk would sort all entities that have changed since that time, and the total
 * would read them again. If many entities have changed and few have not, a
 * single drive is cheaper. Otherwise, or if a drive is not possible, returns
 * false.
 */
static bool
drive_past(const KgListQuery *query, const KgSource *source, KgRows *rows,
		   int64 *matching)
{
	int64 changed = kg_past_changed();
	/* A total above max_total is not reported. */
	int64 most = Min(changed * RACE_GROWTH, (int64) kg_setting_max_total);

	if (!kg_filter_is_empty(source->rest) || query->catalog->authorizes ||
		changed < unbounded_stretch(query, rows) || changed > most)
		return false;
	*matching = drive(query, source, rows, most);
	if (*matching < most)
		return true;
	rows->n = 0;
	rows->pruned = false;
	return false;
}

static int64
race(const KgListQuery *query, KgDrivers *drivers, KgRows *rows)
{
	const KgDriver *equal = best_equality(query, drivers);
	KgSource *source;
	Walker walker;
	bool ask_all = kg_decisions_ask_all();
	int64 bound = first_bound(rows);
	int64 matching;

	/*
	 * If a gateway decides (query/run/exchange.h), all matches are decided in
	 * one round.
	 */
	if (ask_all)
		bound = (int64) kg_setting_max_authorizations + 1;
	if (equal != NULL)
		source = equal->source;
	else if (query->nsort > 0)
		source = kg_source_make(
			KG_SOURCE_KEY, query->filter, query->sort[0].field, -1);
	else
		source = kg_source_in_order(query->type, query->filter);
	if (equal == NULL && drive_past(query, source, rows, &matching))
		return matching;
	init_walker(&walker, query, source, rows);
	if (kg_filter_is_empty(source->rest))
	{
		int64 stretch = unbounded_stretch(query, rows);

		for (; !walk_on(&walker, stretch); stretch *= RACE_GROWTH)
			;
		return -1;
	}
	for (;;)
	{
		KgDriver *best = NULL;

		/* A walk by id needs the fewest decisions. */
		if (equal == NULL || !query->catalog->authorizes)
			best = kg_drivers_best(drivers, bound);
		if (best && best->count < bound && may_drive(query, best->count))
		{
			/*
			 * The drive starts again, and also finds the rows that the walk has
			 * found.
			 */
			rows->n = 0;
			rows->pruned = false;
			return drive_by(query, drivers, best, rows);
		}
		if (walk_on(&walker,
					best && !ask_all ? bound * RACE_WALK : PG_INT64_MAX))
			return -1;
		bound *= RACE_GROWTH;
	}
}

/* ---- the total ---- */

/*
 * Returns a source that has every entity of the type once.
 *
 * A property with one value has a key in every entity, and keys can be counted
 * without reading kg_entity. If entities may be hidden, each key would need a
 * lookup in kg_entity, so kg_entity itself is better.
 */
static KgSource *
whole_type(const KgListQuery *query)
{
	const KgType *type = query->type;

	if (kg_filter_is_empty(query->filter) && kg_list_counts_by_decision(query))
		return kg_source_make(
			KG_SOURCE_KEY, query->filter, type->authorize->id_field, -1);
	if (!query->look && kg_validity_rows_suffice(query->catalog) &&
		kg_filter_is_empty(query->filter))
		for (int i = 0; i < type->nfields; i++)
			if (type->fields[i].indexed && !type->fields[i].counted &&
				!type->fields[i].is_array &&
				type->fields[i].kind != KG_KIND_OBJECT &&
				type->fields[i].kind != KG_KIND_ANY)
				return kg_source_make(
					KG_SOURCE_KEY, query->filter, &type->fields[i], -1);
	return kg_source_make(KG_SOURCE_ENTITY, query->filter, NULL, -1);
}

/*
 * Returns whether several conditions are counted as sets. Otherwise each row of
 * a driver is probed until max_total is exceeded, which costs less for a small
 * max_total, and requests fewer decisions.
 */
static bool
counts_by_sets(const KgListQuery *query, KgDrivers *drivers,
			   const KgDriver *best)
{
	return !query->catalog->authorizes &&
		   (best->nodes != NULL ||
			kg_setting_max_total >= KG_COUNTED_BY_SETS) &&
		   kg_drivers_race(drivers, KG_MOST_DRIVEN) != NULL;
}

typedef struct Total
{
	int64 n;
	int64 max;
} Total;

static bool
count_node(int64 node, void *arg)
{
	Total *total = arg;

	return ++total->n < total->max;
}

static int64
count_by_sets(KgDrivers *drivers, int64 max)
{
	Total total = {0, max};

	kg_drivers_select(drivers, count_node, &total);
	return total.n;
}

/*
 * Sets the page's total, total_known and undecided. The total is counted in the
 * rows of the most selective condition. If it exceeds kg_graph.max_total, the
 * total is this setting. If not all rows can be counted, the total is at least
 * "least". If the setting is 0, the total is -1.
 */
static void
count_total(const KgListQuery *query, KgDrivers *drivers, int least,
			KgListPage *page)
{
	int64 max = kg_setting_max_total;
	KgSource *source = NULL;
	KgDriver *best;
	bool all;

	page->total = -1;
	if (max == 0)
		return;
	best = drivers->n > 1 ? kg_drivers_best(drivers, 1024) : NULL;
	if (best != NULL && best->each == NULL)
		source = best->source;
	else
		for (int i = 0; i < drivers->n; i++)
			if (drivers->drivers[i].each == NULL &&
				(source == NULL || drivers->drivers[i].narrow))
				source = drivers->drivers[i].source;
	if (source == NULL)
		source = whole_type(query);
	if (kg_list_is_of_decision(query, source))
		page->total = kg_list_count_by_decision(query, source, &all);
	else if (best != NULL && counts_by_sets(query, drivers, best))
	{
		page->total = count_by_sets(drivers, max + 1);
		all = true;
	}
	else
		page->total = count_total_of(query, source, max + 1, &all);
	page->total_known = all && page->total <= max;
	page->undecided = !all;
	if (!all)
	{
		page->total = Max(page->total, least);
		return;
	}
	if (!page->total_known)
		page->total = max;
}

/*
 * Finds the page of listed nodes by a walk in the requested order. The walk
 * ends without a page when a look-up of all these nodes would cost less.
 * Returns whether it has found the page.
 */
static bool
walk_among(const KgListQuery *query, KgRows *rows)
{
	KgNodeSet among;
	KgSource *source;
	Walker walker;

	if (query->matches != NULL || query->namong <= RACE_START ||
		query->nsort == 0 || kg_list_computes(query) != NULL || query->look ||
		query->sort[0].field->counted || kg_past_asked() ||
		!kg_validity_rows_suffice(query->catalog))
		return false;
	kg_nodeset_init(&among, CurrentMemoryContext);
	for (uint32 i = 0; i < query->namong; i++)
		(void) kg_nodeset_add(&among, query->among[i]);
	source = kg_source_make(KG_SOURCE_KEY,
							kg_filter_without_scan(query->filter),
							query->sort[0].field,
							-1);
	/* The listed nodes satisfy the other conditions already. */
	source->rest->nconditions = source->rest->nany = 0;
	init_walker(&walker, query, source, rows);
	walker.among = &among;
	if (walk_on(&walker, Min(query->namong, KG_WALKED_AMONG)))
		return true;
	rows->n = 0;
	rows->pruned = false;
	return false;
}

/*
 * Returns the source of the nodes that the search found or the query lists.
 * Listed nodes satisfy the filter. For nodes that the search found, the
 * conditions without an index were already tested.
 */
static KgSource *
listed_source(const KgListQuery *query)
{
	static const KgFilter none = {0};
	const KgMatches *matches = query->matches;
	int64 *nodes;

	if (matches == NULL)
		return kg_source_of_nodes(&none, query->among, query->namong);
	nodes = palloc(Max(1, matches->n) * sizeof(int64));
	for (int i = 0; i < matches->n; i++)
		nodes[i] = matches->matches[i].node;
	return kg_source_of_nodes(
		kg_filter_without_scan(query->filter), nodes, matches->n);
}

/* State of a statement that reads the data of rows by their nodes. */
typedef struct Fetch
{
	KgRow **rows; /* sorted by node */
	int nrows;
} Fetch;

static int
compare_nodes(const void *a, const void *b)
{
	int64 x = (*(KgRow *const *) a)->node;
	int64 y = (*(KgRow *const *) b)->node;

	return x < y ? -1 : x > y;
}

static bool
fetch_row(TupleTableSlot *slot, void *arg)
{
	Fetch *fetch = arg;
	KgRow probe;
	KgRow *key = &probe;
	KgRow **found;

	probe.node = DatumGetInt64(kg_slot_datum(slot, 1));
	found = bsearch(
		&key, fetch->rows, fetch->nrows, sizeof(KgRow *), compare_nodes);
	if (found)
		(*found)->data = DatumGetJsonbPCopy(kg_slot_datum(slot, 2));
	return true;
}

static void
fetch_data(const KgListQuery *query, KgRow **rows, int nrows)
{
	Fetch fetch;
	int64 *nodes;
	KgSqlBuilder b;
	KgStatement statement;

	if (nrows == 0)
		return;
	fetch.nrows = nrows;
	fetch.rows = palloc(nrows * sizeof(KgRow *));
	memcpy(fetch.rows, rows, nrows * sizeof(KgRow *));
	qsort(fetch.rows, nrows, sizeof(KgRow *), compare_nodes);
	nodes = palloc(nrows * sizeof(int64));
	for (int i = 0; i < nrows; i++)
		nodes[i] = fetch.rows[i]->node;
	kg_list_sql_data(&b, query->catalog, nodes, nrows);
	statement = kg_sql_statement(&b);
	statement.node_column = 1;
	statement.hold = true;
	(void) kg_plan_run(&statement, fetch_row, &fetch);
}

/* Sets the data of rows. Either all rows or no row has stored data. */
static void
read_data(const KgListQuery *query, KgRow **rows, int nrows)
{
	if (nrows > 0 && rows[0]->stored == NULL)
	{
		fetch_data(query, rows, nrows);
		return;
	}
	for (int i = 0; i < nrows; i++)
		rows[i]->data = DatumGetJsonbP(PointerGetDatum(rows[i]->stored));
}

/*
 * Finds the rows up to the end of the page. Returns the number of matches, or
 * -1 if the number is not known.
 */
static int64
find_rows(const KgListQuery *query, KgDrivers *drivers, KgRows *rows)
{
	int64 matching;

	kg_rows_init(rows, query, query->offset + query->limit + 1);
	matching = race(query, drivers, rows);
	kg_rows_finish(rows);
	return matching;
}

/*
 * Finds the rows up to the end of the page, for a caller from which only an
 * authorizer hides entities. The walk requests no decisions; the entities of
 * the page, whose data is read anyway, are decided together. Returns false if
 * this is not possible, or if an entity of the page is hidden.
 */
static bool
find_trusted(const KgListQuery *query, KgDrivers *drivers, KgRows *rows,
			 int64 *matching)
{
	KgListQuery trusting = *query;

	if (query->look || query->offset > 0 || !query->catalog->authorizes ||
		query->catalog->lacks_bundles || !kg_visibility_is_whole() ||
		kg_being_written("kg_entity") || kg_decisions_are_outside())
		return false;
	trusting.trust = true;
	*matching = find_rows(&trusting, drivers, rows);
	read_data(query, rows->rows, rows->n);
	for (int i = 0; i < rows->n; i++)
		if (rows->rows[i]->data == NULL)
			return false;
	return true;
}

/*
 * Returns the drivers of the filter. If an authorizer decides each entity,
 * alternatives get no driver and are tested as probes, because a walk needs
 * fewer decisions.
 */
static KgDrivers
find_drivers(const KgListQuery *query)
{
	KgDrivers drivers = kg_drivers_of(
		query->catalog, query->type, query->filter);

	drivers.look = query->look;
	if (drivers.n > 0 && drivers.drivers[drivers.n - 1].each != NULL &&
		query->catalog->authorizes)
		drivers.n--;
	return drivers;
}

/*
 * Returns whether the query only asks for the total of listed nodes (its limit
 * is 0), so that their number is the reply.
 */
static bool
is_counted_already(const KgListQuery *query)
{
	return query->matches == NULL && query->among != NULL && query->limit == 0;
}

KgListPage *
kg_list_run(const KgListQuery *query)
{
	KgListPage *page = palloc0(sizeof(*page));
	int wanted = query->offset + query->limit + 1;
	KgRows rows;
	KgDrivers drivers;
	int64 matching = -1;

	memset(&drivers, 0, sizeof(drivers));
	page->total_known = true;
	if (is_counted_already(query))
	{
		memset(&rows, 0, sizeof(rows));
		matching = query->namong;
	}
	else if (query->matches || query->among)
	{
		kg_rows_init(&rows, query, wanted);
		matching = walk_among(query, &rows)
					   ? query->namong
					   : drive_nodes(query, listed_source(query), &rows);
		kg_rows_finish(&rows);
		page->total_known = !query->matches || !query->matches->truncated;
	}
	else
	{
		drivers = find_drivers(query);
		if (!find_trusted(query, &drivers, &rows, &matching))
			matching = find_rows(query, &drivers, &rows);
	}
	page->more = rows.n == wanted;
	if (query->after && query->counted)
	{
		page->total = query->total;
		page->total_known = query->total_known;
	}
	else if (rows.n < wanted && query->after == NULL && matching < 0)
		page->total = rows.n;
	else if (query->uncounted && page->more)
		page->total = -1;
	else if (matching >= 0)
		page->total = matching;
	else
		count_total(query, &drivers, rows.n, page);
	page->nrows = Max(0, rows.n - (int) query->offset);
	page->nrows = Min(page->nrows, (int) query->limit);
	page->rows = rows.rows + Min(rows.n, (int) query->offset);
	if (page->nrows > 0)
		page->last = page->rows[page->nrows - 1];
	return page;
}

static void
fill_derived(const KgListQuery *query, KgRow **rows, int nrows)
{
	KgShown *shown = palloc(nrows * sizeof(KgShown));

	for (int i = 0; i < nrows; i++)
		shown[i] = (KgShown){query->type, rows[i]->node, &rows[i]->data};
	kg_derived_fill(query->catalog, shown, nrows);
}

static void
fetch_rows(const KgListQuery *query, KgListPage *page)
{
	if (page->nrows == 0)
		return;
	if (page->rows[0]->data == NULL)
		read_data(query, page->rows, page->nrows);
	if (!query->without_derived && kg_derived_any(query->type))
		fill_derived(query, page->rows, page->nrows);
}

/* Removes the rows without an entity. Returns the number of removed rows. */
static int
drop_missing(KgListPage *page)
{
	int n = 0;
	int dropped;

	for (int i = 0; i < page->nrows; i++)
		if (page->rows[i]->data != NULL)
			page->rows[n++] = page->rows[i];
	dropped = page->nrows - n;
	page->nrows = n;
	return dropped;
}

void
kg_list_fetch(KgListQuery *query, KgListPage *page)
{
	int dropped;

	fetch_rows(query, page);
	dropped = drop_missing(page);
	if (dropped > 0 && !query->look)
	{
		query->look = true;
		*page = *kg_list_run(query);
		fetch_rows(query, page);
		dropped = drop_missing(page);
	}
	if (page->total >= 0)
		page->total = Max(page->total - dropped, page->nrows);
}

static bool
has_any(const KgListQuery *query, const KgSource *source)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_list_sql_count(&b, query, source, 1);
	statement = kg_sql_statement(&b);
	return kg_plan_run_int64(&statement) > 0;
}

bool
kg_list_condition_matches_any(const KgListQuery *query,
							  const KgCondition *condition)
{
	KgFilter filter;
	KgDrivers drivers;
	KgSource *source;

	memset(&filter, 0, sizeof(filter));
	filter.nconditions = 1;
	filter.conditions = (KgCondition *) condition;
	drivers = kg_drivers_of(query->catalog, query->type, &filter);
	/* No index rows can be read for "ne" on an array. */
	source = drivers.n > 0
				 ? drivers.drivers[0].source
				 : kg_source_make(KG_SOURCE_ENTITY, &filter, NULL, -1);
	return has_any(query, source);
}
