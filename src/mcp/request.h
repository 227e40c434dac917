/*
 * request.h
 *	  One message of the Model Context Protocol in, one out.
 */
#ifndef KG_MCP_REQUEST_H
#define KG_MCP_REQUEST_H

#include "mcp/protocol.h"

/*
 * The response to a message of the tenant's; NULL where none is due.  Where the
 * gateway brings decisions (brought is not NULL), a call of a tool may have the
 * member kg_authorize in place of a result.
 */
extern Jsonb *kg_mcp_answer(const Jsonb *message, const char *tenant,
							const KgBrought *brought);

/* An array of messages (batch.c). */
extern Jsonb *kg_mcp_answer_batch(const JsonbContainer *batch,
								  const char *tenant, const KgBrought *brought);

/*
 * One message that is an object, taken for the revision untold where nothing
 * says; member is its place in a batch, or -1.
 */
extern Jsonb *kg_mcp_answer_object(const JsonbContainer *message,
								   const char *tenant, KgMcpRevision untold,
								   const KgBrought *brought, int member);

/* {"jsonrpc": "2.0", "id": ..., "error": {...}} */
extern Jsonb *kg_mcp_error_response(const KgMcpRequest *req, bool has_id);
/* Not a request: there is no id that could be trusted to be one. */
extern Jsonb *kg_mcp_invalid_request(const char *message);
extern bool kg_mcp_id_is_valid(const JsonbValue *id);

/* params._meta; claims: it has a member of the newest era's. */
extern const JsonbContainer *kg_mcp_find_meta(const KgMcpRequest *req,
											  JsonbValue *meta, bool *claims);

#endif /* KG_MCP_REQUEST_H */
