/*
 * client_schema.h
 *	  Converts JSON Schemas of authors to the form that MCP clients and model
 *	  vendors accept.
 *
 *	  A client that refuses a schema refuses the whole list of tools. Clients
 *	  refuse an array without "items", a name in "required" that "properties"
 *	  lacks, certain characters in names of arguments, and, at the root, a
 *	  combinator or a type other than object.
 *
 *	  Missing members are added when a schema is published. Other faults are
 *	  refused when the tool is registered. The converted schema accepts all
 *	  values that the author's schema accepts.
 */
#ifndef KG_CLIENT_SCHEMA_H
#define KG_CLIENT_SCHEMA_H

#include "base/error.h"
#include "schema/keyword.h"
#include "tools/registered/definition.h"

/* Returns how the value of a schema's member contains subschemas. */
extern KgJsShape kg_key_shape(const JsonbValue *key);
/* Returns whether "name" is the schema's "type", or one of the types in it. */
extern bool kg_schema_has_type(const JsonbContainer *schema, const char *name);
/*
 * Returns whether a key is equal to one of the names. The array of names ends
 * with NULL.
 */
extern bool kg_key_is(const JsonbValue *key, const char *const *names);

/*
 * Returns the schema with missing members added: "items" of arrays, and the
 * properties that "required" names but "properties" lacks.
 */
extern Jsonb *kg_client_schema(const Jsonb *schema);

/*
 * Returns the schema of a registered tool's arguments (arguments is true) or
 * reply, in the form that clients accept.
 */
extern Jsonb *kg_client_root(const Jsonb *schema, bool arguments);

/*
 * Reports the faults for which clients would refuse a new definition, and a
 * missing description.
 */
extern void kg_client_check(const KgDefinition *definition,
							KgErrorList *errors);

/*
 * Reports those members at the root of an arguments schema that clients refuse
 * at the root.
 */
extern void kg_client_check_root(const JsonbContainer *schema,
								 KgErrorList *errors);

/* Returns the first name of an argument that clients refuse, or NULL. */
extern const char *kg_client_bad_name(const KgDefinition *definition);

#endif /* KG_CLIENT_SCHEMA_H */
