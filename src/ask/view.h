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
 * Returns a copy of the analysed view of a type or a relation (the other is NULL),
 * and locks its tables.
 */
extern Query *kg_ask_view(const KgCatalog *catalog, const KgType *type,
						  const KgRelation *relation);

#endif /* KG_ASK_VIEW_H */
