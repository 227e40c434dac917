/*
 * list.h
 *	  A page of the entities of one type: filtered, sorted, counted.
 *
 * list_sql.c writes the statements, list.c chooses and runs them, list_rows.c
 * stores the best rows. Everything is allocated in the current memory context.
 */
#ifndef KG_LIST_H
#define KG_LIST_H

#include "model/catalog.h"
#include "query/filter/drivers.h"
#include "query/graph/nodeset.h"
#include "query/search/search.h"
#include "query/sql.h"
#include "query/time/past.h"

#define KG_MAX_SORT 8

/*
 * A sort field. descending is the direction of the keys. For an enum, "desc"
 * means that the value declared first comes first, so its keys ascend.
 */
typedef struct KgSort
{
	const KgField *field;
	const char *path; /* JSON Pointer of the field's name */
	bool descending;
	/*
	 * the field's values are counts of edges, so the list finds nodes first
	 * and then sorts them by their counts
	 */
	bool counts;
	/*
	 * for a path through references that ends in field: the path, and the keys
	 * of its values; otherwise NULL
	 */
	const struct KgRefPath *through;
	const struct KgSortKeys *keys;
} KgSort;

/* The keys of nodes for a sort field whose values no SQL statement reads. */
typedef struct KgSortKeys
{
	KgNodeSet set;
	bytea **keys; /* sort keys, by index in the set */
} KgSortKeys;

typedef struct KgRow
{
	char *entity_id;
	int64 node;
	/* stored data of the entity, if it was read with the row; or NULL */
	struct varlena *stored;
	Jsonb *data;		  /* data of the entity, set by kg_list_fetch() */
	const KgMatch *match; /* match of a search that found the entity, or NULL */
	bytea *keys[FLEXIBLE_ARRAY_MEMBER];
} KgRow;

typedef struct KgListQuery
{
	const KgCatalog *catalog;
	const KgType *type;
	const KgFilter *filter;
	const KgMatches *matches; /* matches of a search, or NULL */
	/* the text of the query, if the search is by words of texts */
	const char *text;
	const int64 *among; /* only these namong nodes; NULL: any node */
	uint32 namong;
	char *
		/*
		 * ids of the nodes in among, if these nodes are foreign
		 * (query/graph/foreign.h)
		 */
		*among_ids;
	/* condition that the nodes in among satisfy already, or NULL */
	const struct KgRelated *related;
	/* best match first: the first key is the rank */
	bool by_rank;
	int nsort;
	KgSort sort[KG_MAX_SORT];
	bool id_descending; /* direction of the id, the last sort key */
	int64 limit;
	int64 offset;
	/* keys and id of the last row of the page before */
	const KgRow *after;
	bool counted; /* the total is known from an earlier page */
	/* no total is requested, unless the page ends the list */
	bool uncounted;
	bool total_known; /* if counted: total and total_known as in KgListPage */
	int64 total;
	bool without_derived; /* derived properties are not shown */
	/* read each entity's row even if derived rows suffice */
	bool look;
	/* walks use derived rows; entities are checked afterwards */
	bool trust;
} KgListQuery;

typedef struct KgListPage
{
	int nrows;
	KgRow **rows;
	bool more; /* rows follow */
	/* the last row if rows follow; NULL for an empty page */
	const KgRow *last;
	int64 total;
	/* false: total is a lower bound, or -1: not counted */
	bool total_known;
	/* no further decisions of the authorizer are possible */
	bool undecided;
} KgListPage;

/* Returns the number of keys of a row. */
static inline int
kg_list_nkeys(const KgListQuery *query)
{
	return query->nsort + (query->by_rank ? 1 : 0);
}

/*
 * Returns whether statements order entities with equal keys by the number that
 * is their id. This is not so in a call about the past, in which ids of the
 * type may be strings.
 */
static inline bool
kg_list_orders_numbers(const KgListQuery *query)
{
	return query->type->number_ids && !kg_past_asked();
}

/* Returns the first sort key whose values are counts of edges, or NULL. */
extern const KgSort *kg_list_counts(const KgListQuery *query);
/* Returns the first sort key that no statement reads, or NULL. */
extern const KgSort *kg_list_computes(const KgListQuery *query);

extern KgListPage *kg_list_run(const KgListQuery *query);

/*
 * Reads the data of the page's rows in one statement. Removes entities that
 * are not visible after all from the page and its total: a derived row may be
 * stale (triggers were disabled), or a policy's answer may change.
 */
extern void kg_list_fetch(KgListQuery *query, KgListPage *page);

/* Returns whether the condition alone matches a visible entity. */
extern bool kg_list_condition_matches_any(const KgListQuery *query,
										  const KgCondition *condition);

/* The best rows, at most max after kg_rows_finish(). */
typedef struct KgRows
{
	const KgListQuery *query;
	int max;
	int n;
	int allocated;
	KgRow **rows;
	bool pruned; /* only rows before rows[max - 1] are added */
} KgRows;

extern void kg_rows_init(KgRows *rows, const KgListQuery *query, int max);
/*
 * Adds a row and takes ownership of it. Returns false if the row is not after
 * query->after.
 */
extern bool kg_rows_add(KgRows *rows, KgRow *row);
/* Removes the rows at the end of the array whose first key is this key. */
extern void kg_rows_drop_group(KgRows *rows, const bytea *key);
/* Sorts the rows, removes duplicates, and leaves at most max rows. */
extern void kg_rows_finish(KgRows *rows);

/* The order in which a statement reads its source. */
typedef enum KgWalk
{
	/*
	 * any order, all rows; the tests of the other conditions (probes) are in
	 * WHERE
	 */
	KG_WALK_NONE,
	/*
	 * ascending by key or id; the result of the probes is a column of the row
	 */
	KG_WALK_UP,
	KG_WALK_DOWN,	  /* descending, like KG_WALK_UP */
	KG_WALK_GROUP_UP, /* the entities with one key, by id */
	KG_WALK_GROUP_DOWN
} KgWalk;

typedef struct KgWalkStart
{
	bool set;
	bytea *key;			   /* key of KG_SOURCE_KEY */
	const char *entity_id; /* NULL: from the group's end */
} KgWalkStart;

/*
 * Writes the SELECT of a source's rows: entity_id, node, whether the probes are
 * true, the sort keys, and the data if source->with_data.
 */
extern void kg_list_sql_rows(KgSqlBuilder *b, const KgListQuery *query,
							 const KgSource *source, KgWalk walk,
							 const KgWalkStart *start, int64 max_rows);
/*
 * Writes the SELECT of the number of entities of a source that satisfy the
 * filter, counted up to max.
 */
extern void kg_list_sql_count(KgSqlBuilder *b, const KgListQuery *query,
							  const KgSource *source, int64 max);
/*
 * Writes the SELECT of at most max keys of a source: for each key the number of
 * its rows and the node of one of these rows.
 */
extern void kg_list_sql_groups(KgSqlBuilder *b, const KgListQuery *query,
							   const KgSource *source, int64 max);
/* Writes the SELECT of node, data, entity_id for given nodes. */
extern void kg_list_sql_data(KgSqlBuilder *b, const KgCatalog *catalog,
							 const int64 *nodes, int nnodes);

#endif /* KG_LIST_H */
