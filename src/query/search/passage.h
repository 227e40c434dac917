/*
 * passage.h
 *	  The passage of an entity's text that has the words of a query.
 */
#ifndef KG_PASSAGE_H
#define KG_PASSAGE_H

#include "query/search/search.h"

/*
 * Sets the passage of a match by words of texts, and its property: the part of
 * about KG_PASSAGE_BYTES that has the most different words of the query, the
 * first of several.  Does nothing for other matches.
 */
#define KG_PASSAGE_BYTES 200
extern void kg_match_find_passage(KgMatch *match, const KgType *type,
								  const Jsonb *data, const char *query);

#endif /* KG_PASSAGE_H */
