/*
 * published.h
 *	  Arguments against the input schema that the tool publishes.
 */
#ifndef KG_PUBLISHED_H
#define KG_PUBLISHED_H

#include "catalog/catalog.h"
#include "query/arguments.h"
#include "tools/dispatch.h"

/* Does the schema published for an operation of the type accept these? */
extern bool kg_published_accepts(const KgCatalog *catalog, const KgType *type,
								 int operation, const Jsonb *arguments);

/*
 * Raise KG_INVALID_INPUT with what the schema says against the arguments.
 * Called for arguments that were parsed without an error or a repair although
 * the schema refuses them, so that what is published binds.
 */
extern void kg_published_refuse(const KgType *type, int operation,
								const Jsonb *arguments);

/* The same for a tool that is not made from a type. */
extern bool kg_published_accepts_fixed(const KgCatalog *catalog,
									   const KgFixedTool *tool,
									   const Jsonb *arguments);
extern void kg_published_refuse_fixed(const KgFixedTool *tool,
									  const Jsonb *arguments);

#endif /* KG_PUBLISHED_H */
