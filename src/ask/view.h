/*
 * view.h
 *	  The analysed view of a type or relation, which replaces a table in a query;
 *	  cached from query to query.
 */
#ifndef KG_ASK_VIEW_H
#define KG_ASK_VIEW_H

#include "model/catalog.h"
#include "nodes/parsenodes.h"

/*
 * Returns a copy of the analysed view of a type or a relation (the other is
 * NULL), and locks its tables. "whole" means that the caller sees all
 * entities, so edges need no test of their ends.
 */
extern Query *kg_ask_view(const KgCatalog *catalog, const KgType *type,
						  const KgRelation *relation, bool whole);

/*
 * Returns whether the view of a type or relation hides rows of other tenants by
 * a condition on a column.  No condition of the query may be checked before it.
 */
extern bool kg_ask_view_hides(const KgCatalog *catalog, const KgType *type,
							  const KgRelation *relation);

#endif /* KG_ASK_VIEW_H */
