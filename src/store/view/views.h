/*
 * views.h
 *	  Views of a tenant's types and relations, for who reads with SQL.
 *
 *	  They are the caller's, in a schema of its own, and show what whoever reads
 *	  them may see.  What each is of is said by the call of kg_view_row() in it,
 *	  with a hash of what it was made of, so nothing else has to be kept, or could
 *	  be at odds with the views that there are: they may be renamed, and dumped.
 */
#ifndef KG_VIEWS_H
#define KG_VIEWS_H

#include "utils/jsonb.h"

/*
 * Make the views of all types and relations, in a schema that is made where there
 * is none; NULL: one that has the tenant's name.  And bring those of a schema up
 * to date; NULL: of each of the caller's that has some of the tenant.  A view
 * that something depends on is changed where it goes on to have the columns that
 * it has, and otherwise kept and told.  Inside SPI_connect().
 */
extern Jsonb *kg_views_create(const char *schema, const Jsonb *options);
extern Jsonb *kg_views_refresh(const char *schema, const Jsonb *options);

#endif /* KG_VIEWS_H */
