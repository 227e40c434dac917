/*
 * client_schema.h
 *	  Converts schemas of authors to the form that MCP clients and model vendors
 *	  accept.
 *
 *	  A schema that a client refuses makes it refuse the whole list of tools.
 *	  Clients refuse an array without "items", a name in "required" that
 *	  "properties" lacks, and, at the root, a combinator or a type other than
 *	  object. They also refuse argument names with certain characters. Missing
 *	  members are added when a schema is published; other faults are refused
 *	  when the tool is registered. The converted schema accepts all values that
 *	  the author's accepts.
 */
#ifndef KG_CLIENT_SCHEMA_H
#define KG_CLIENT_SCHEMA_H

#include "base/error.h"
#include "schema/keyword.h"
#include "tools/registered/definition.h"

/* Returns the position of subschemas in the value of a schema's member. */
extern KgJsShape kg_key_shape(const JsonbValue *key);
/* Returns whether the name is the schema's "type", or one of its types. */
extern bool kg_schema_has_type(const JsonbContainer *schema, const char *name);
/* Returns whether a key is among some names, which end with NULL. */
extern bool kg_key_is(const JsonbValue *key, const char *const *names);

/* Returns the schema with missing items and required properties added. */
extern Jsonb *kg_client_schema(const Jsonb *schema);

/* Returns the schema of a registered tool's arguments or reply. */
extern Jsonb *kg_client_root(const Jsonb *schema, bool arguments);

/*
 * Reports the faults of a new definition that clients would refuse, and a
 * missing description.
 */
extern void kg_client_check(const KgDefinition *definition,
							KgErrorList *errors);

/* Reports members of the arguments' schema that clients refuse at its root. */
extern void kg_client_check_root(const JsonbContainer *schema,
								 KgErrorList *errors);

/* Returns the name of an argument that clients refuse, or NULL. */
extern const char *kg_client_bad_name(const KgDefinition *definition);

#endif /* KG_CLIENT_SCHEMA_H */
