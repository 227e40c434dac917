/*
 * annotations.h
 *	  Parser of a type's JSON Schema with its x-* annotations (tools.md,
 *	  "Annotations"; docs/schema-annotations.md).
 */
#ifndef KG_ANNOTATIONS_H
#define KG_ANNOTATIONS_H

#include "base/error.h"
#include "model/catalog.h"

/*
 * Returns the type that a schema describes, in the current memory context.
 *
 * Strings and fields of the result may point into schema and definitions, which
 * must live as long as the result. The caller sets type_no, the relation
 * numbers and "ambiguous".
 *
 * Faults are added to errors, or raised if errors is NULL, with a JSON Pointer
 * that starts with path. After a fault the result must not be used for writing.
 */
extern KgType *kg_type_parse(const char *bundle, const char *name,
							 const Jsonb *schema, const Jsonb *definitions,
							 const char *path, KgErrorList *errors);

/*
 * Parses the schema of a relation's edge properties. Reads only fields and the
 * period of validity. Sets *fields and *period, and returns the number of
 * fields.
 */
extern int kg_properties_parse(const Jsonb *schema, const Jsonb *definitions,
							   const char *path, KgErrorList *errors,
							   KgField **fields, KgPeriod *period);

/*
 * Functions for the annotation that lists generated tools. kg_expose_read()
 * reads an array of names of a relation's or a type's tools as KG_EXPOSE_*
 * bits. It returns false if the value is not such an array. kg_expose_allow()
 * adds the valid names to an error.
 */
extern bool kg_expose_read(const JsonbValue *value, bool of_relation,
						   int *expose);
extern void kg_expose_allow(KgError *err, bool of_relation);

#endif /* KG_ANNOTATIONS_H */
