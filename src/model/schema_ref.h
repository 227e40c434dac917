/*
 * schema_ref.h
 *	  Finding the subschema to which a $ref refers, for reading annotations.
 */
#ifndef KG_SCHEMA_REF_H
#define KG_SCHEMA_REF_H

#include "utils/jsonb.h"

/*
 * Finds the target of a $ref: "#", "#/pointer", "#anchor", or "uri[#...]" if
 * uri is the $id of one of definitions ({uri: schema}). Returns false if there
 * is no target. The schema compiler reports this error.
 */
extern bool kg_schema_ref_find(const Jsonb *schema, const Jsonb *definitions,
							   const char *ref, JsonbValue *target);

#endif /* KG_SCHEMA_REF_H */
