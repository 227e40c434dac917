/*
 * confirm.h
 *	  A write that is to be confirmed, as the protocol's question to the user.
 */
#ifndef KG_MCP_CONFIRM_H
#define KG_MCP_CONFIRM_H

#include "mcp/protocol.h"

typedef enum KgMcpAnswer
{
	KG_MCP_NO_ANSWER, /* the call as it is */
	KG_MCP_AGREED,
	KG_MCP_REFUSED
} KgMcpAnswer;

/* What the client's user said, and with yes the arguments that say so, too. */
extern KgMcpAnswer kg_mcp_read_answer(const KgMcpRequest *req,
									  const Jsonb **arguments);

/* The result for a no. */
extern Jsonb *kg_mcp_declined(KgMcpRequest *req);

/*
 * A question in place of a reply that is to be confirmed, where the client said
 * that its user can be asked; else NULL.
 */
extern Jsonb *kg_mcp_question(KgMcpRequest *req, const char *tool,
							  const Jsonb *result);

#endif /* KG_MCP_CONFIRM_H */
