/*
 * login.h
 *	  Logging in with a token.
 */
#ifndef KG_AUTH_H
#define KG_AUTH_H

#include "base/compat.h"

/*
 * Verify a token and bind its identity to the transaction.  Where the same
 * token is bound already and again is true, nothing happens.  Raises
 * KG_NO_TENANT for a token that is not accepted, KG_FORBIDDEN for one that is
 * and does not allow what is asked; no error, nor what the server logs of it,
 * has the token in it.
 */
extern void kg_auth_login(const text *token, bool session, bool again);

/*
 * Raise an error that was caught while a token was among the arguments of the
 * statement: without the statement and the context, which would show it.
 * context is the memory context to copy it into.
 */
extern KG_NORETURN void kg_auth_rethrow(MemoryContext context) KG_NORETURN_TAIL;

#endif /* KG_AUTH_H */
