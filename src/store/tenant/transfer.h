/*
 * tenant/transfer.h
 *	  Converts a tenant to lines of JSON, and creates a tenant from such lines:
 *	  kg_export_tenant() and kg_import_tenant(). All functions run as the
 *	  extension's owner, inside SPI.
 *
 * The first line is the head: {"kg_graph": {"format", "version", "tenant"},
 * "policies"}. The last line has the number of lines before it and their
 * digest: {"end": {"lines", "sha256"}}. Each line between is a row of a table:
 * ["kg_bundle", {...}]. It does not contain the tenant, derived columns, or
 * columns that are NULL.
 */
#ifndef KG_TENANT_TRANSFER_H
#define KG_TENANT_TRANSFER_H

#include "fmgr.h"
#include "utils/jsonb.h"

#define KG_TRANSFER_FORMAT 1

/*
 * The chained digest of lines. kg_chain_begin() initializes the digest;
 * kg_chain_add() adds one line to it.
 */
#define KG_CHAIN_BYTES 32

extern void kg_chain_begin(uint8 *digest);
extern void kg_chain_add(uint8 *digest, const char *line, int len);
extern char *kg_chain_text(const uint8 *digest);

/*
 * Returns the lines as the rows of a set-returning function
 * (InitMaterializedSRF). If "secrets" is true, keys of kg_auth_key that are
 * secret are included.
 */
extern void kg_tenant_export(const char *tenant, bool secrets,
							 FunctionCallInfo fcinfo);

/*
 * Imports one part of the lines. lines is an array of text. The number of the
 * first part is 1. The last part creates the tenant. Returns the reply of
 * kg_import_tenant(): the numbers of the part and of its lines and, after the
 * last part, the numbers of imported rows.
 */
extern Jsonb *kg_tenant_import(Datum lines, const Jsonb *options, int32 part);

#endif /* KG_TENANT_TRANSFER_H */
