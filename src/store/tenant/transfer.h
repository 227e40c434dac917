/*
 * tenant/transfer.h
 *	  A tenant as lines of JSON, and a tenant made of them: kg_export_tenant(),
 *	  kg_import_tenant().  As the extension's owner, inside SPI.
 *
 * The first line says what it is: {"kg_graph": {"format", "version", "tenant"},
 * "policies"}; the last how many there are before it, and their digest: {"end":
 * {"lines", "sha256"}}.  Each line between is a row of a table: ["kg_bundle",
 * {...}], without the tenant, without what is derived, and without members that
 * are NULL.
 */
#ifndef KG_TENANT_TRANSFER_H
#define KG_TENANT_TRANSFER_H

#include "fmgr.h"
#include "utils/jsonb.h"

#define KG_TRANSFER_FORMAT 1

/* The digest of no line, and of those before and one more. */
#define KG_CHAIN_BYTES 32

extern void kg_chain_begin(uint8 *digest);
extern void kg_chain_add(uint8 *digest, const char *line, int len);
extern char *kg_chain_text(const uint8 *digest);

/* Its lines as the rows of a function that returns them (InitMaterializedSRF). */
extern void kg_tenant_export(const char *tenant, bool secrets,
							 FunctionCallInfo fcinfo);

/* One part of the lines, which are an array of text; the first is part 1. */
extern Jsonb *kg_tenant_import(Datum lines, const Jsonb *options, int32 part);

#endif /* KG_TENANT_TRANSFER_H */
