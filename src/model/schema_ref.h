/*
 * schema_ref.h
 *	  Finding the subschema that a $ref names, for reading annotations.
 */
#ifndef KG_SCHEMA_REF_H
#define KG_SCHEMA_REF_H

#include "utils/jsonb.h"

/*
 * "#", "#/pointer", "#anchor", or "uri[#...]" where uri is the $id of one of
 * definitions ({uri: schema}).  False where nothing is found, which compiling
 * the schema reports.
 */
extern bool kg_schema_ref_find(const Jsonb *schema, const Jsonb *definitions,
							   const char *ref, JsonbValue *target);

#endif /* KG_SCHEMA_REF_H */
