/*
 * types.h
 *	  Conversion of JSON Schemas to types of other languages.
 */
#ifndef KG_KGCTL_TYPES_H
#define KG_KGCTL_TYPES_H

#include "kgctl/json.h"

/*
 * Append the types of the bundle's entities and edges in TypeScript, or as zod
 * schemas.
 */
extern void kg_types_typescript(KgArena *arena, const KgJson *bundle,
								KgBuf *out);
extern void kg_types_zod(KgArena *arena, const KgJson *bundle, KgBuf *out);

/* Appends an OpenAPI 3.1 description of tool calls to kgctl serve. */
extern void kg_types_openapi(const KgJson *tools, const char *server,
							 KgBuf *out);

#endif /* KG_KGCTL_TYPES_H */
