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
 * Returns the value that identifies the writes up to now, or NULL if there
 * were none.
 */
extern char *kg_mcp_wrote(const KgMcpRequest *req);

/*
 * Checks the value that the message sends. Returns false if it is invalid. If
 * this server has not replayed the writes yet, sets req->elsewhere.
 */
extern bool kg_mcp_sees_writes(KgMcpRequest *req);

#endif /* KG_MCP_WROTE_H */
