/*
 * other_tool.h
 *	  Finds the other tool that the arguments of a call fit.
 */
#ifndef KG_OTHER_TOOL_H
#define KG_OTHER_TOOL_H

#include "base/json.h"

/*
 * Raises KG_INVALID_INPUT for an unknown argument, if all arguments of the
 * call fit exactly one other tool. Otherwise returns.
 */
extern void kg_refuse_other_tool(const JsonbContainer *arguments,
								 const JsonbValue *key);

#endif /* KG_OTHER_TOOL_H */
