/*
 * named_tool.h
 *	  Finds the tool that a caller means by a name that no tool has.
 */
#ifndef KG_NAMED_TOOL_H
#define KG_NAMED_TOOL_H

#include "model/catalog.h"

/*
 * Returns whether a name is a generic verb, for example "list", "get",
 * "search" or "query". If it is, sets *tool to the tool, among n tools, that
 * such a call with these arguments means, or to NULL if no tool accepts the
 * arguments. Sets *instead to the arguments for that tool, or to NULL if the
 * arguments do not determine the tool. arguments is NULL if they are unknown.
 */
extern bool kg_tool_of_verb(const KgCatalog *catalog, const char *name,
							const char *const *names, int n,
							const Jsonb *arguments, const char **tool,
							Jsonb **instead);

/*
 * Returns the tool, among n tools, that an unknown name means, or NULL. For a
 * tool that reads, the nearest name may be returned. A tool that writes is
 * returned only if the name is another spelling of its own (base/meaning.h),
 * because a wrong guess would change data.
 */
extern const char *kg_tool_meant(const char *name, const char *const *names,
								 const bool *writes, int n);

#endif /* KG_NAMED_TOOL_H */
