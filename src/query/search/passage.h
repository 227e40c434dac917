/*
 * passage.h
 *	  The passage of an entity's text that has the words of a query.
 */
#ifndef KG_PASSAGE_H
#define KG_PASSAGE_H

#include "query/search/search.h"

/*
 * Sets the passage of a match by words of texts, and its property: the passage
 * of about KG_PASSAGE_BYTES with the most different words of the query. If
 * several passages have the same number of words, the first one is used. Does
 * nothing for matches that are not by words of texts.
 */
#define KG_PASSAGE_BYTES 200
extern void kg_match_find_passage(KgMatch *match, const KgType *type,
								  const Jsonb *data, const char *query);

#endif /* KG_PASSAGE_H */
