/*
 * annotations.h
 *	  A type's JSON Schema read for its x-* annotations (tools.md,
 *	  "Annotations"; docs/schema-annotations.md).
 */
#ifndef KG_ANNOTATIONS_H
#define KG_ANNOTATIONS_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * Read the schema of a type into a KgType whose strings and fields are in the
 * current memory context and may point into schema and definitions, which must
 * live as long.  type_no, relation numbers and ambiguous are the caller's to
 * fill.
 *
 * Faults are reported to errors (raised where it is NULL) with a JSON Pointer
 * that starts with path; the result is then not to be used for writing.
 */
extern KgType *kg_type_parse(const char *bundle, const char *name,
							 const Jsonb *schema, const Jsonb *definitions,
							 const char *path, KgErrorList *errors);

/*
 * The same for the schema of a relation's edge properties: fields and period
 * only.
 */
extern int kg_properties_parse(const Jsonb *schema, const Jsonb *definitions,
							   const char *path, KgErrorList *errors,
							   KgField **fields, KgPeriod *period);

/*
 * The tools that an array names, of a relation or of a type, as KG_EXPOSE_*;
 * false where it is none of those.  And those that there are, for the error.
 */
extern bool kg_expose_read(const JsonbValue *value, bool of_relation,
						   int *expose);
extern void kg_expose_allow(KgError *err, bool of_relation);

#endif /* KG_ANNOTATIONS_H */
