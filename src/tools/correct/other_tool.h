/*
 * other_tool.h
 *	  The tool that arguments are of, where another one was called.
 */
#ifndef KG_OTHER_TOOL_H
#define KG_OTHER_TOOL_H

#include "base/json.h"

/*
 * Raise KG_INVALID_INPUT for an argument that the tool that runs does not have,
 * where all arguments are those of one other tool.
 */
extern void kg_refuse_other_tool(const JsonbContainer *arguments,
								 const JsonbValue *key);

#endif /* KG_OTHER_TOOL_H */
