/*
 * named_tool.h
 *	  Finds the tool that a caller means by a name that no tool has.
 */
#ifndef KG_NAMED_TOOL_H
#define KG_NAMED_TOOL_H

#include "model/catalog.h"

/*
 * Is a name a verb as "list", "get", "search", "query"?  Then tool is the one, of
 * some, that it asks for with such arguments, and instead what that is to be called
 * with, which is NULL where the arguments (NULL: unknown) say nothing.  NULL: none
 * of them takes such arguments.
 */
extern bool kg_tool_of_verb(const KgCatalog *catalog, const char *name,
							const char *const *names, int n,
							const Jsonb *arguments, const char **tool,
							Jsonb **instead);

/*
 * Returns which of some tools another name means, or NULL.  One that reads may be
 * the nearest.  One that writes is returned only if the name is another spelling
 * of its own (base/meaning.h), because a guess would change data.
 */
extern const char *kg_tool_meant(const char *name, const char *const *names,
								 const bool *writes, int n);

#endif /* KG_NAMED_TOOL_H */
