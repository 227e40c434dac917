/*
 * wrote.h
 *	  Reading at a standby what was written at the primary: kg_graph/wrote in
 *	  _meta (docs/gateway.md).
 */
#ifndef KG_MCP_WROTE_H
#define KG_MCP_WROTE_H

#include "mcp/protocol.h"

#define KG_META_WROTE "kg_graph/wrote"

/* The value that says what has been written until now; NULL: there is none. */
extern char *kg_mcp_wrote(const KgMcpRequest *req);

/*
 * Does this server show what the value in the message says?  It says so itself
 * in req->elsewhere where it does not; false where the value is refused.
 */
extern bool kg_mcp_sees_writes(KgMcpRequest *req);

#endif /* KG_MCP_WROTE_H */
