/*
 * client_schema.h
 *	  Schemas of authors in the form that clients and the vendors of models take.
 *
 *	  One schema that they refuse takes all tools of a list with it: an array
 *	  without "items", a name in "required" that "properties" has not, a
 *	  combinator or another type than object at the root, an argument whose name
 *	  has other characters than theirs.  What can be completed is completed when
 *	  it is published; the rest is refused when it is registered.  The
 *	  completed form takes whatever the author's takes.
 */
#ifndef KG_CLIENT_SCHEMA_H
#define KG_CLIENT_SCHEMA_H

#include "base/error.h"
#include "tools/registered/definition.h"

/* Returns a schema with all its arrays and required names completed. */
extern Jsonb *kg_client_schema(const Jsonb *schema);

/* Returns the schema of the arguments, or of the reply, of a registered tool. */
extern Jsonb *kg_client_root(const Jsonb *schema, bool arguments);

/*
 * Reports what a new definition must not have.  That it says nothing of itself
 * is one of these faults.
 */
extern void kg_client_check(const KgDefinition *definition,
							KgErrorList *errors);

/* Reports members of the arguments' schema that clients refuse at its root. */
extern void kg_client_check_root(const JsonbContainer *schema,
								 KgErrorList *errors);

/* Returns an argument's name that clients refuse, or NULL. */
extern const char *kg_client_bad_name(const KgDefinition *definition);

#endif /* KG_CLIENT_SCHEMA_H */
