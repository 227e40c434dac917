/*
 * wrote.h
 *	  Reads from a standby that must include earlier writes to the primary:
 *	  kg_graph/wrote in _meta (docs/gateway.md).
 */
#ifndef KG_MCP_WROTE_H
#define KG_MCP_WROTE_H

#include "mcp/protocol.h"

#define KG_META_WROTE "kg_graph/wrote"

/*
 * Returns a value that identifies the writes of this transaction. Returns NULL
 * if it has written nothing, or if this server has no standbys that answer
 * (kg_graph.mcp_server is not "primary").
 */
extern char *kg_mcp_wrote(const KgMcpRequest *req);

/*
 * Checks kg_graph/wrote in the message, which identifies earlier writes.
 * Returns false if the value is invalid. If this standby has not replayed these
 * writes yet, or was promoted, sets req->elsewhere.
 */
extern bool kg_mcp_sees_writes(KgMcpRequest *req);

#endif /* KG_MCP_WROTE_H */
