/*
 * search_run.h
 *	  The state of a search by name, shared by its parts.
 */
#ifndef KG_SEARCH_RUN_H
#define KG_SEARCH_RUN_H

#include "base/edits.h"
#include "query/search/search.h"
#include "query/sql.h"
#include "utils/hsearch.h"

#define KG_MAX_QUERY_TOKENS 8
/* The maximum number of rows read for one word. */
#define KG_TOKEN_ROWS 2000

/* An entity that was found. */
typedef struct KgFound
{
	int64 node; /* hash key */
	KgMatch match;
	/* similarity to each word of the query */
	double words[KG_MAX_QUERY_TOKENS];
	const char *near; /* a similar word of the entity */
	/*
	 * share of the weight of the query's words that the entity has; 0: too few
	 */
	double said;
} KgFound;

typedef struct KgSearch
{
	const KgCatalog *catalog;
	const int32 *type_nos;
	int ntypes; /* 0: all */
	const char *folded;
	KgChars chars; /* characters of the folded query */
	int ntokens;
	char **tokens;
	/* number of entities that have each word of the query, up to a bound */
	int64 counts[KG_MAX_QUERY_TOKENS];
	HTAB *found;		/* KgFound by node */
	double best;		/* best score of a whole name or id so far */
	const char *number; /* the query if it has only digits, without zeros
						   before them; or NULL */
	bool truncated;
} KgSearch;

extern KgFound *kg_search_found(KgSearch *search, int64 node, int32 type_no);

/* Returns the rank of a name or id that begins with the query. */
extern double kg_search_rank_prefix(const KgSearch *search, const char *term);

/*
 * Records a match of a whole name or id, or of a word's beginning, if it is
 * the entity's best so far.
 */
extern void kg_search_keep(KgSearch *search, int64 node, int32 type_no,
						   KgMatchHow how, char kind, const char *term,
						   double score);

/* Appends " AND the type is one of the searched types". */
extern void kg_search_append_types(KgSqlBuilder *b, const KgSearch *search,
								   const char *alias);
extern bool kg_search_has_type(const KgSearch *search, int32 type_no);

/*
 * Finds names that are similar to the whole query (token < 0), or words that
 * are similar to a word of the query. Similar names and words have typing
 * errors or contain the searched text.
 */
extern void kg_search_near(KgSearch *search, int token);
/*
 * Finds only words that contain a query's word, for a word that some entities
 * have exactly.
 */
extern void kg_search_parts(KgSearch *search, int token);

/*
 * If the query is the id of a merged entity, finds the entity into which that
 * entity was merged.
 */
extern void kg_search_merged(KgSearch *search, const char *query);

/* Finds ids that begin with the query or are equal to it. */
extern void kg_search_ids(KgSearch *search);
/* If the query is a number, finds ids that end with this number. */
extern void kg_search_numbered_ids(KgSearch *search);
/*
 * Returns whether a similar term contains the number that is the whole query:
 * another number is not a typing error. Returns true if the query is not a
 * number.
 */
extern bool kg_search_has_number(const KgSearch *search, const char *term);
/* Finds ids that are similar to the query, by the primary key of kg_entity. */
extern void kg_search_near_ids(KgSearch *search);

#endif /* KG_SEARCH_RUN_H */
