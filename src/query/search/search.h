/*
 * search.h
 *	  Search by name: labels, aliases and ids of entities, ranked and explained.
 *
 * Exact before prefix before token before trigram (typo, substring).  Only
 * entities that the caller may see are found.  Everything is allocated in the
 * current memory context.
 */
#ifndef KG_SEARCH_H
#define KG_SEARCH_H

#include "base/json.h"
#include "model/catalog.h"
#include "nodes/pg_list.h"

typedef enum KgMatchHow
{
	KG_MATCH_EXACT,
	KG_MATCH_PREFIX,
	KG_MATCH_TOKEN,
	KG_MATCH_TRIGRAM,
	KG_MATCH_WORDS,	 /* of a text, see query/search/search_text.h */
	KG_MATCH_MEANING /* near a vector, see query/search/search_meaning.h */
} KgMatchHow;

typedef struct KgMatch
{
	int64 node;
	int32 type_no;
	KgMatchHow how;
	char kind;			   /* KG_TERM_LABEL, _ALIAS, _ID ... */
	const char *term;	   /* what matched, folded */
	double score;		   /* 0..1; of words any, of a vector the cosine */
	List *words;		   /* of a text: those asked for, char * */
	const bytea *embedded; /* of an embedding: the hash of its text */
	bool stale;			   /* the entity has another text by now */
} KgMatch;

typedef struct KgMatches
{
	int n;
	KgMatch *matches; /* by score, best first, then type, node */
	bool truncated;	  /* more than kg_graph.max_search_matches */
} KgMatches;

/*
 * Search in some types (ntypes 0: all).  Raises KG_INVALID_INPUT at path for a
 * query without a letter or digit.
 */
extern KgMatches *kg_search_run(const KgCatalog *catalog, const char *query,
								const int32 *type_nos, int ntypes,
								const char *path);

/* The first max matches in a type (0: any) of a query that may be anything. */
extern KgMatches *kg_search_nearest(const KgCatalog *catalog, const char *query,
									int32 type_no, int max);

/* The best first; of the same score by type and node. */
extern void kg_matches_sort(KgMatches *matches);

/*
 * Writes {"kind", "how", "term"}, of words of a text "terms", of an embedding
 * maybe "stale", as the member matched_on; or the members alone.
 */
extern void kg_match_write(const KgMatch *match, const KgType *type,
						   KgJsonWriter *w);
extern void kg_match_write_members(const KgMatch *match, const KgType *type,
								   KgJsonWriter *w);

#endif /* KG_SEARCH_H */
