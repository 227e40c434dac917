/*
 * wrote.h
 *	  Reading from a standby after writing to the primary: kg_graph/wrote in
 *	  _meta (docs/gateway.md).
 */
#ifndef KG_MCP_WROTE_H
#define KG_MCP_WROTE_H

#include "mcp/protocol.h"

#define KG_META_WROTE "kg_graph/wrote"

/* Returns the value for the writes up to now, or NULL. */
extern char *kg_mcp_wrote(const KgMcpRequest *req);

/*
 * Returns false if the message's value is refused. Sets req->elsewhere if this
 * server has not replayed these writes yet.
 */
extern bool kg_mcp_sees_writes(KgMcpRequest *req);

#endif /* KG_MCP_WROTE_H */
