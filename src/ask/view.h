/*
 * view.h
 *	  The analysed view of a type or relation, which replaces a table in a
 *	  query. Views are cached across queries.
 */
#ifndef KG_ASK_VIEW_H
#define KG_ASK_VIEW_H

#include "model/catalog.h"
#include "nodes/parsenodes.h"

/*
 * Returns a copy of the analysed view of a type or a relation, and locks its
 * tables. Exactly one of type and relation is not NULL. "whole" means that the
 * caller sees all entities, so edges are not tested for ends that the caller
 * cannot see.
 */
extern Query *kg_ask_view(const KgCatalog *catalog, const KgType *type,
						  const KgRelation *relation, bool whole);

/*
 * Returns whether the view of a type or relation hides rows of other tenants
 * by a condition on a column. No condition of the caller's query may be
 * evaluated before this condition.
 */
extern bool kg_ask_view_hides(const KgCatalog *catalog, const KgType *type,
							  const KgRelation *relation);

#endif /* KG_ASK_VIEW_H */
