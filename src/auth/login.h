/*
 * login.h
 *	  Login with a token.
 */
#ifndef KG_AUTH_H
#define KG_AUTH_H

/*
 * Verifies a token and binds its identity to the transaction (or session).
 * Does nothing if the same token is already bound and "again" is true.
 *
 * Raises KG_NO_TENANT if the token is not accepted, and KG_FORBIDDEN if it
 * does not allow the request.  Call it through kg_auth_hidden().
 */
extern void kg_auth_login(const text *token, bool session, bool again);

/*
 * Calls work, which has a token among its arguments.  Errors are raised
 * without statement and context, which would show the token.
 */
extern void kg_auth_hidden(void (*work)(void *arg), void *arg);

#endif /* KG_AUTH_H */
