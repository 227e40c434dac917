/*
 * view.h
 *	  What stands for a table in a query: the analysed view of a type or of a
 *	  relation, kept from query to query.
 */
#ifndef KG_ASK_VIEW_H
#define KG_ASK_VIEW_H

#include "model/catalog.h"
#include "nodes/parsenodes.h"

/*
 * Returns a copy, whose tables are locked; either type or relation is not NULL.
 * whole: the caller sees all entities, so edges need no test of their ends.
 */
extern Query *kg_ask_view(const KgCatalog *catalog, const KgType *type,
						  const KgRelation *relation, bool whole);

#endif /* KG_ASK_VIEW_H */
