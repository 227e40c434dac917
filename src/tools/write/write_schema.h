/*
 * write_schema.h
 *	  What the generated tools that write publish of themselves.
 */
#ifndef KG_WRITE_SCHEMA_H
#define KG_WRITE_SCHEMA_H

#include "model/catalog.h"

/* Items of one call. */
#define KG_WRITE_ITEMS 100

extern const char *kg_write_input_template(const KgTool *tool);
extern Jsonb *kg_write_input_schema(const KgTool *tool);
extern Jsonb *kg_write_output_schema(void);
extern char *kg_write_title(const KgTool *tool);
extern char *kg_write_description(const KgTool *tool);

/*
 * What the templates have of a type and of a relation: the schema of its
 * documents, without what only we read of it and with what a $ref names in its
 * place; that of some of their properties; that of edges' properties.
 */
extern Jsonb *kg_type_document_schema(const KgType *type);
extern Jsonb *kg_type_changes_schema(const KgType *type);
extern Jsonb *kg_relation_properties_schema(const KgRelation *relation);

#endif /* KG_WRITE_SCHEMA_H */
