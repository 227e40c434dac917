/*
 * other_tool.h
 *	  The tool that arguments are of, where another one was called.
 */
#ifndef KG_OTHER_TOOL_H
#define KG_OTHER_TOOL_H

#include "base/json.h"
#include "catalog/catalog.h"

/* A tool of a type begins: errors name it. */
extern void kg_begin_tool_of_type(const KgCatalog *catalog, const KgType *type,
								  int operation, const Jsonb *arguments);

/*
 * Raise KG_INVALID_INPUT for an argument that the tool that runs does not have,
 * where all arguments are those of one other tool.
 */
extern void kg_refuse_other_tool(const JsonbContainer *arguments,
								 const JsonbValue *key);

/* Could arguments be those of a tool? */
extern bool kg_tool_fits(const KgCatalog *catalog, const char *name,
						 const Jsonb *arguments);

#endif /* KG_OTHER_TOOL_H */
