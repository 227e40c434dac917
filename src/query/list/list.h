/*
 * list.h
 *	  A page of the entities of one type: filtered, sorted, counted.
 *
 * list_sql.c writes the statements, list.c chooses and runs them, list_rows.c keeps
 * the best rows.  Everything is allocated in the current memory context.
 */
#ifndef KG_LIST_H
#define KG_LIST_H

#include "model/catalog.h"
#include "query/filter/filter.h"
#include "query/search/search.h"
#include "query/sql.h"

#define KG_MAX_SORT 8

/*
 * A sort field.  descending is the direction of the keys: an enum asked for
 * with "desc" is first declared first, which is ascending keys.
 */
typedef struct KgSort
{
	const KgField *field;
	const char *path; /* JSON Pointer of its name */
	bool descending;
	bool
		counts; /* edges are counted for it: the list has nodes to begin with */
} KgSort;

typedef struct KgRow
{
	char *entity_id;
	int64 node;
	struct varlena *stored; /* its data as it was read with it, or NULL */
	Jsonb *data;			/* once fetched */
	const KgMatch *match;	/* of a search */
	bytea *keys[FLEXIBLE_ARRAY_MEMBER];
} KgRow;

typedef struct KgListQuery
{
	const KgCatalog *catalog;
	const KgType *type;
	const KgFilter *filter;
	const KgMatches *matches; /* of a search, or NULL */
	const int64 *among;		  /* or NULL: these match, namong of them */
	uint32 namong;
	const struct KgRelated *related; /* of among: connected so; or NULL */
	bool by_rank; /* best match first: the first key is the rank */
	int nsort;
	KgSort sort[KG_MAX_SORT];
	bool id_descending; /* of the last tie */
	int64 limit;
	int64 offset;
	const KgRow *after; /* keys and id of the last row of the page before */
	bool counted;		/* with after: the total is known from there */
	bool total_known;	/* as in KgListPage */
	int64 total;
	bool without_derived; /* derived properties are not shown */
	bool look;	/* at each entity, also where derived rows should suffice */
	bool trust; /* a walk's derived rows: what it finds is looked at after it */
} KgListQuery;

typedef struct KgListPage
{
	int nrows;
	KgRow **rows;
	bool more;		   /* rows follow */
	const KgRow *last; /* where they follow; of an empty page NULL */
	int64 total;
	bool total_known; /* false: at least total, or not counted (-1) */
	bool undecided;	  /* of the rest nobody may be asked */
} KgListPage;

/* The number of keys of a row. */
static inline int
kg_list_nkeys(const KgListQuery *query)
{
	return query->nsort + (query->by_rank ? 1 : 0);
}

/* The first key that edges are counted for, or NULL. */
extern const KgSort *kg_list_counts(const KgListQuery *query);

extern KgListPage *kg_list_run(const KgListQuery *query);

/*
 * Read the data of the page's rows, in one statement.  Entities that turn out
 * not to be there leave the page and its total: a derived row may speak of one
 * that is gone (triggers that were off), a policy may change its answer.
 */
extern void kg_list_fetch(KgListQuery *query, KgListPage *page);

/* Does a condition alone match any visible entity of the type? */
extern bool kg_list_condition_matches_any(const KgListQuery *query,
										  const KgCondition *condition);

/*
 * Rows kept in order, the best max of them.
 */
typedef struct KgRows
{
	const KgListQuery *query;
	int max;
	int n;
	int allocated;
	KgRow **rows;
	bool pruned; /* rows[max - 1] is a bound for what is added */
} KgRows;

extern void kg_rows_init(KgRows *rows, const KgListQuery *query, int max);
/* Takes the row; false where it is not after query->after. */
extern bool kg_rows_add(KgRows *rows, KgRow *row);
/* Take back the rows added last whose first key is this. */
extern void kg_rows_drop_group(KgRows *rows, const bytea *key);
/* Sort, drop duplicates, keep max. */
extern void kg_rows_finish(KgRows *rows);

/*
 * What a statement reads from: the rows of one property's keys, of the type's
 * entities by id, or of given nodes.
 */
typedef enum KgSourceKind
{
	KG_SOURCE_KEY,
	KG_SOURCE_ENTITY,
	KG_SOURCE_NODES
} KgSourceKind;

typedef struct KgSource
{
	KgSourceKind kind;
	const KgField *field; /* of KG_SOURCE_KEY */
	KgFilter *own;		  /* conditions that the source itself tests */
	KgFilter *rest;		  /* the others: probes */
	bool may_repeat;	  /* may give a node twice */
	const int64 *nodes;	  /* of KG_SOURCE_NODES */
	int nnodes;
	bool with_data; /* of kg_entity: its rows have the data, too */
} KgSource;

/* Where a walk starts and which way it goes. */
typedef enum KgWalk
{
	KG_WALK_NONE,	  /* any order, all rows, probes filter */
	KG_WALK_UP,		  /* by key or id; probes are reported */
	KG_WALK_DOWN,	  /* the reverse */
	KG_WALK_GROUP_UP, /* one key, by id */
	KG_WALK_GROUP_DOWN
} KgWalk;

typedef struct KgWalkStart
{
	bool set;
	bytea *key;			   /* of KG_SOURCE_KEY */
	const char *entity_id; /* NULL: from the group's end */
} KgWalkStart;

/*
 * Rows of a source: entity_id, node, whether the probes hold, the sort keys, the
 * data where the source is to have it.
 */
extern void kg_list_sql_rows(KgSqlBuilder *b, const KgListQuery *query,
							 const KgSource *source, KgWalk walk,
							 const KgWalkStart *start, int64 max_rows);
/* The nodes of a source, the first max of them; more than once, if it repeats. */
extern void kg_list_sql_nodes(KgSqlBuilder *b, const KgListQuery *query,
							  const KgSource *source, int64 max);
/* How many entities a source has, counted to max. */
extern void kg_list_sql_count(KgSqlBuilder *b, const KgListQuery *query,
							  const KgSource *source, bool with_probes,
							  int64 max);
/* For each key of the source, at most so many: its rows, and a node of one. */
extern void kg_list_sql_groups(KgSqlBuilder *b, const KgListQuery *query,
							   const KgSource *source, int64 max);
/* node, data, entity_id of nodes. */
extern void kg_list_sql_data(KgSqlBuilder *b, const KgCatalog *catalog,
							 const int64 *nodes, int nnodes);

#endif /* KG_LIST_H */
