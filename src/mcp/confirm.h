/*
 * confirm.h
 *	  Confirmation of a write by the client's user, through elicitation.
 */
#ifndef KG_MCP_CONFIRM_H
#define KG_MCP_CONFIRM_H

#include "mcp/protocol.h"

typedef enum KgMcpAnswer
{
	KG_MCP_NO_ANSWER, /* the call contains no answer of the user */
	KG_MCP_AGREED,
	KG_MCP_REFUSED
} KgMcpAnswer;

/*
 * Returns whether the call contains an answer of the client's user, and whether
 * the user has agreed. If the user has agreed, sets *arguments to the call's
 * arguments with the confirmation.
 */
extern KgMcpAnswer kg_mcp_read_answer(const KgMcpRequest *req,
									  const Jsonb **arguments);

/* Returns the result of a call whose write the user refused to confirm. */
extern Jsonb *kg_mcp_declined(KgMcpRequest *req);

/*
 * If a result needs confirmation, returns a question to the client's user.
 * Returns NULL if no confirmation is needed, or if the client does not support
 * questions.
 */
extern Jsonb *kg_mcp_question(KgMcpRequest *req, const char *tool,
							  const Jsonb *result);

#endif /* KG_MCP_CONFIRM_H */
