/*
 * write_schema.h
 *	  The published texts and schemas of the generated tools that write.
 */
#ifndef KG_WRITE_SCHEMA_H
#define KG_WRITE_SCHEMA_H

#include "model/catalog.h"
#include "tools/input/schema_template.h"

/* Maximum number of items that one call may write. */
#define KG_WRITE_ITEMS 500
/* Name of the template for the replies of tools that write. */
#define KG_WRITE_TEMPLATE "write"

extern const char *kg_write_input_template(const KgTool *tool);
extern Jsonb *kg_write_input_schema(const KgTool *tool, KgExpandedParts *parts);
extern char *kg_write_title(const KgTool *tool);
extern char *kg_write_description(const KgTool *tool);

#endif /* KG_WRITE_SCHEMA_H */
