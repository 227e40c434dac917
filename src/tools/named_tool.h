/*
 * named_tool.h
 *	  Finds the intended tool for a name that no tool has.
 */
#ifndef KG_NAMED_TOOL_H
#define KG_NAMED_TOOL_H

#include "model/catalog.h"

/*
 * Returns whether a name is a generic verb, for example "list", "get", "search"
 * or "query". If the name is a verb, sets *tool to that one of the n tools for
 * which a call with these arguments is intended, or to NULL if no tool accepts
 * the arguments. Also sets *instead to the arguments for that tool, or to NULL
 * if they cannot be determined. arguments is NULL if the arguments are unknown.
 */
extern bool kg_tool_of_verb(const KgCatalog *catalog, const char *name,
							const char *const *names, int n,
							const Jsonb *arguments, const char **tool,
							Jsonb **instead);

/*
 * Returns that one of the n tools for which an unknown name is intended, or
 * NULL. A tool that reads is returned if its name is the nearest to the unknown
 * name. A tool that writes is returned only if the unknown name is another
 * spelling of its name (base/meaning.h), because a wrong guess would change
 * data.
 */
extern const char *kg_tool_meant(const char *name, const char *const *names,
								 const bool *writes, int n);

#endif /* KG_NAMED_TOOL_H */
