/*
 * bundle/bind.h
 *	  Entity types made from tables of the user.
 */
#ifndef KG_BIND_H
#define KG_BIND_H

#include "utils/jsonb.h"

/*
 * Creates an entity type that reads a table, and merges the type into the
 * bundle. The mapping needs a member only if the default from the table's
 * names, keys and comments is not suitable. Returns the result of
 * kg_bundle_apply().
 */
extern Jsonb *kg_bind_table(const char *bundle, const char *table,
							const Jsonb *mapping);

/*
 * Returns a bundle with a type for each table of the schema that has a primary
 * key and that the caller may read. Foreign keys among these tables become
 * references. A table whose rows only join two of these tables becomes a
 * relation instead. Raises an error if there is no such table.
 */
extern Jsonb *kg_suggest_bindings(const char *schema, const Jsonb *options);

#endif /* KG_BIND_H */
