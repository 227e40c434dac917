/*
 * verify_schemas.h
 *	  Is what follows from a tenant's schemas what it should be?
 */
#ifndef KG_VERIFY_SCHEMAS_H
#define KG_VERIFY_SCHEMAS_H

#include "model/catalog.h"
#include "store/check/verify.h"

/* How it is told that these are to be mended. */
#define KG_TOOL_WRONG "tool_wrong"
#define KG_TYPE_WRONG "type_wrong"

/*
 * The tools that lists publish are those that types expose, under their names;
 * no name is that of a tool of every tenant; clients take what is registered; a
 * type's hash is that of its schema; each reference has its relation.
 */
extern void kg_verify_schemas(const KgCatalog *catalog,
							  KgDifferences *differences);

/* Write the tools and the hashes as they follow. */
extern void kg_repair_schemas(const KgCatalog *catalog);

#endif /* KG_VERIFY_SCHEMAS_H */
