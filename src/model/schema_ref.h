/*
 * schema_ref.h
 *	  Resolution of a $ref to its subschema, for reading annotations.
 */
#ifndef KG_SCHEMA_REF_H
#define KG_SCHEMA_REF_H

#include "utils/jsonb.h"

/*
 * Resolves "#", "#/pointer", "#anchor", or "uri[#...]" if uri is the $id of
 * one of definitions ({uri: schema}).  Returns false if there is no target,
 * which the schema compiler reports.
 */
extern bool kg_schema_ref_find(const Jsonb *schema, const Jsonb *definitions,
							   const char *ref, JsonbValue *target);

#endif /* KG_SCHEMA_REF_H */
