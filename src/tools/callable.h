/*
 * callable.h
 *	  A tool that is not a registered tool: a generated tool or a fixed tool.
 */
#ifndef KG_CALLABLE_H
#define KG_CALLABLE_H

#include "model/catalog.h"
#include "tools/fixed_tools.h"
#include "utils/jsonb.h"

/* A tool; exactly one of the members is set. */
typedef struct KgCallable
{
	const KgTool *tool;
	const KgFixedTool *fixed;
} KgCallable;

/*
 * Finds a tool by name. Returns false, with both members NULL, if no
 * generated or fixed tool has the name.
 */
extern bool kg_callable_find(const KgCatalog *catalog, const char *name,
							 KgCallable *callable);
extern bool kg_callable_writes(const KgCallable *callable);

/* Returns the schema of its arguments, with repeated parts written out. */
extern Jsonb *kg_callable_input(const KgCatalog *catalog,
								const KgCallable *callable);

/*
 * Calls the tool, even if the caller's agent does not have it, and returns its
 * reply. Raises the errors of the tool.
 */
extern Jsonb *kg_callable_call(const KgCatalog *catalog,
							   const KgCallable *callable,
							   const Jsonb *arguments);

/*
 * Returns the arguments. Adds the idempotency key if the tool has this
 * argument and the arguments do not contain it.
 */
extern const Jsonb *kg_callable_with_key(const KgCallable *callable,
										 const Jsonb *arguments,
										 const char *key);

#endif /* KG_CALLABLE_H */
