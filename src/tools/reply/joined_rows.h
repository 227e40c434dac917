/*
 * joined_rows.h
 *	  The rows of a traversal joined with their nodes and edges.
 */
#ifndef KG_JOINED_ROWS_H
#define KG_JOINED_ROWS_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/*
 * Returns the rows of a reply as an array of flat objects, and sets *names to
 * the names of the members that every object has, in reading order. Returns
 * NULL if the reply has no rows of handles, if it omits properties, or if some
 * step of a row has several edges or none.
 */
extern Jsonb *kg_joined_rows(const JsonbContainer *reply, List **names);

#endif /* KG_JOINED_ROWS_H */
