/*
 * names.h
 *	  Search by name in the table of a bound type.
 */
#ifndef KG_VIRTUAL_NAMES_H
#define KG_VIRTUAL_NAMES_H

#include "query/search/search.h"
#include "virtual/source.h"

/* Receives the id of a row, and its match without a node. */
typedef void (*KgVNameFunction)(const char *id, const KgMatch *match,
								void *arg);

/*
 * Passes the rows whose label, alias or id matches the query to found(). A row
 * may be passed twice. Of a large table, a statement reads at most
 * kg_graph.max_search_matches + 1 rows.
 *
 * If similar names are not searched because no trigram index serves the search,
 * adds a text to *missing: the CREATE INDEX command, or the reason why no index
 * helps.
 */
extern void kg_vnames(const KgVSource *source, const char *query,
					  KgVNameFunction found, void *arg, List **missing);

#endif /* KG_VIRTUAL_NAMES_H */
