/*
 * search_run.h
 *	  A search by name in progress: what its parts share.
 */
#ifndef KG_SEARCH_RUN_H
#define KG_SEARCH_RUN_H

#include "base/edits.h"
#include "query/search/search.h"
#include "query/sql.h"
#include "utils/hsearch.h"

#define KG_MAX_QUERY_TOKENS 8
/* Rows of one word looked at. */
#define KG_TOKEN_ROWS 2000

/* An entity that was found. */
typedef struct KgFound
{
	int64 node; /* hash key */
	KgMatch match;
	double words[KG_MAX_QUERY_TOKENS]; /* how alike it has each of them */
	const char *near;				   /* a word of it that is alike */
	double said; /* part of what the words say; 0: too few */
} KgFound;

typedef struct KgSearch
{
	const KgCatalog *catalog;
	const int32 *type_nos;
	int ntypes; /* 0: all */
	const char *folded;
	KgChars chars; /* of it */
	int ntokens;
	char **tokens;
	int64 counts[KG_MAX_QUERY_TOKENS]; /* entities with each, up to a bound */
	HTAB *found;					   /* KgFound by node */
	double best;					   /* score of a whole name or id */
	bool truncated;
} KgSearch;

extern KgFound *kg_search_found(KgSearch *search, int64 node, int32 type_no);

/* The rank of a name or id that begins with what is asked for. */
extern double kg_search_rank_prefix(const KgSearch *search, const char *term);

/* Keep a match of a whole name or id, or of a word's beginning, if it is the
 * entity's best so far. */
extern void kg_search_keep(KgSearch *search, int64 node, int32 type_no,
						   KgMatchHow how, char kind, const char *term,
						   double score);

/* " AND the type is one of those searched". */
extern void kg_search_append_types(KgSqlBuilder *b, const KgSearch *search,
								   const char *alias);
extern bool kg_search_has_type(const KgSearch *search, const KgType *type);

/*
 * Names that are like the query as a whole (token < 0), or words that are like
 * one of its words, with typing errors or because they contain it.
 */
extern void kg_search_near(KgSearch *search, int token);
/* The latter alone, of a word that some have as it is. */
extern void kg_search_parts(KgSearch *search, int token);

/* Ids that begin with the query, or are it. */
extern void kg_search_ids(KgSearch *search);
/* Ids that are like the query, from the primary key of kg_entity. */
extern void kg_search_near_ids(KgSearch *search);

#endif /* KG_SEARCH_RUN_H */
