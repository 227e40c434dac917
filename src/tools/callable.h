/*
 * callable.h
 *	  A tool that is not a registered tool: a generated tool or a fixed tool.
 */
#ifndef KG_CALLABLE_H
#define KG_CALLABLE_H

#include "model/catalog.h"
#include "tools/fixed_tools.h"
#include "utils/jsonb.h"

/*
 * A tool that is not a registered tool. Exactly one of the members is not NULL.
 */
typedef struct KgCallable
{
	const KgTool *tool;
	const KgFixedTool *fixed;
} KgCallable;

/*
 * Finds a tool by name. If no generated or fixed tool has the name, returns
 * false and sets both members to NULL.
 */
extern bool kg_callable_find(const KgCatalog *catalog, const char *name,
							 KgCallable *callable);
extern bool kg_callable_writes(const KgCallable *callable);

/*
 * Returns the schema of the tool's arguments. A part that the published schema
 * repeats only in words is written out at each use.
 */
extern Jsonb *kg_callable_input(const KgCatalog *catalog,
								const KgCallable *callable);

/*
 * Calls the tool, even if the agent of the caller does not have the tool, and
 * returns the reply. Raises the errors of the tool.
 */
extern Jsonb *kg_callable_call(const KgCatalog *catalog,
							   const KgCallable *callable,
							   const Jsonb *arguments);

/*
 * If the tool has the argument idempotency_key and the arguments lack it,
 * returns the arguments with the key. Otherwise returns them unchanged.
 */
extern const Jsonb *kg_callable_with_key(const KgCallable *callable,
										 const Jsonb *arguments,
										 const char *key);

#endif /* KG_CALLABLE_H */
