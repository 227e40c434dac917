/*
 * schema_ref.h
 *	  Finding the subschema to which a $ref refers, for readers of schemas that
 *	  do not compile them.
 */
#ifndef KG_SCHEMA_REF_H
#define KG_SCHEMA_REF_H

#include "schema/keyword.h"
#include "utils/jsonb.h"

/*
 * A schema document. A reference without a URI, such as "#/$defs/x", leads to
 * the document that contains the reference.
 */
typedef struct KgSchemaDocument
{
	JsonbValue root;
	KgDialect dialect;
} KgSchemaDocument;

/*
 * Returns a KgSchemaDocument for a schema. root is the schema's value. The
 * result points into it.
 */
extern const KgSchemaDocument *kg_schema_document(const JsonbValue *root);

/*
 * Finds the target of a $ref in a document: "#", "#/pointer", "#anchor", or
 * "uri[#...]" if uri is the $id of one of definitions ({uri: schema}; or NULL).
 * Returns the document of the target, against which references in the target
 * are resolved. Returns NULL if there is no target; the schema compiler reports
 * this error.
 */
extern const KgSchemaDocument *
kg_schema_ref_find(const KgSchemaDocument *document, const Jsonb *definitions,
				   const char *ref, JsonbValue *target);

#endif /* KG_SCHEMA_REF_H */
