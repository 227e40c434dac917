/*
 * verify_schemas.h
 *	  Verification of rows that are derived from a tenant's schemas.
 */
#ifndef KG_VERIFY_SCHEMAS_H
#define KG_VERIFY_SCHEMAS_H

#include "model/catalog.h"
#include "store/check/differences.h"

/* Kinds of differences that kg_repair_schemas() repairs. */
#define KG_TOOL_WRONG "tool_wrong"
#define KG_TYPE_WRONG "type_wrong"

/*
 * Adds a difference for each of these conditions that is not met:
 * - The listed tools are the tools that the types expose, with the right
 *   names.
 * - No generated tool has the name of a tool that every tenant has.
 * - Clients accept the registered tools.
 * - The hash of each type is the hash of its schema.
 * - Each reference has its relation.
 */
extern void kg_verify_schemas(const KgCatalog *catalog,
							  KgDifferences *differences);

/* Writes the tools and the hashes that follow from the schemas. */
extern void kg_repair_schemas(const KgCatalog *catalog);

#endif /* KG_VERIFY_SCHEMAS_H */
