/*
 * joined_rows.h
 *	  Merges the rows of a traversal with their nodes and edges (joined rows).
 */
#ifndef KG_JOINED_ROWS_H
#define KG_JOINED_ROWS_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/*
 * Returns the joined rows of a reply: an array of flat objects. Sets *names to
 * the names of the members that every object has, in reading order. Returns
 * NULL if the reply has no rows of handles, if it omits properties, or if a
 * step of a row has no edge or several edges.
 */
extern Jsonb *kg_joined_rows(const JsonbContainer *reply, List **names);

#endif /* KG_JOINED_ROWS_H */
