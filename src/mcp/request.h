/*
 * request.h
 *	  Processing of a message of the Model Context Protocol.
 */
#ifndef KG_MCP_REQUEST_H
#define KG_MCP_REQUEST_H

#include "mcp/protocol.h"

/*
 * Returns the response to a message of the tenant, or NULL if the message
 * needs no response. If the gateway supplies access decisions (brought is not
 * NULL), the response to a tool call may have the member kg_authorize, the
 * decisions to request, in place of a result (batch.c).
 */
extern Jsonb *kg_mcp_answer(const Jsonb *message, const char *tenant,
							const KgBrought *brought);

/*
 * Returns the response to a message that is an object. untold is the revision
 * to use if neither the message nor the session names one. member is the index
 * of the message in a batch, or -1.
 */
extern Jsonb *kg_mcp_answer_object(const JsonbContainer *message,
								   const char *tenant, KgMcpRevision untold,
								   const KgBrought *brought, int member);

/*
 * Returns a JSON-RPC error response: {"jsonrpc": "2.0", "id": ..., "error":
 * {...}}.
 */
extern Jsonb *kg_mcp_error_response(const KgMcpRequest *req, bool has_id);
/*
 * Returns the error for a message that is not a request. Its id is null,
 * because an id in such a message cannot be trusted.
 */
extern Jsonb *kg_mcp_invalid_request(const char *message);
extern bool kg_mcp_id_is_valid(const JsonbValue *id);

/*
 * Returns params._meta, or NULL. Sets *claims to true if params._meta has a
 * member that only revisions since 2026-07-28 define.
 */
extern const JsonbContainer *kg_mcp_find_meta(const KgMcpRequest *req,
											  JsonbValue *meta, bool *claims);

#endif /* KG_MCP_REQUEST_H */
