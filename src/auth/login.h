/*
 * login.h
 *	  Logging in with a token.
 */
#ifndef KG_AUTH_H
#define KG_AUTH_H

/*
 * Verify a token and bind its identity to the transaction.  Where the same
 * token is bound already and again is true, nothing happens.  Raises
 * KG_NO_TENANT for a token that is not accepted, KG_FORBIDDEN for one that is
 * and does not allow what is asked.  For kg_auth_hidden().
 */
extern void kg_auth_login(const text *token, bool session, bool again);

/*
 * Do what has a token among its arguments: an error is raised without the
 * statement and the context, which would show it.
 */
extern void kg_auth_hidden(void (*work)(void *arg), void *arg);

#endif /* KG_AUTH_H */
