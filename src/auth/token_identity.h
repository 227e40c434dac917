/*
 * token_identity.h
 *	  Identity from a verified token, bound to this transaction or, if an
 *	  administrator allows it, to this session.
 *
 * src/auth/login.c verifies tokens; this module trusts its arguments.
 */
#ifndef KG_TOKEN_H
#define KG_TOKEN_H

#include "auth/identity.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#define KG_TOKEN_DIGEST_BYTES 32

typedef struct KgTokenIdentity
{
	const char *tenant;
	const char *agent; /* or NULL: the whole tenant */
	KgAccess access;
	bool scoped; /* the identity sees only entities below one of its scopes */
	int nscopes;
	const char **scopes; /* each ends with "/" */
	const Jsonb *claims;
	TimestampTz expires;
	unsigned char digest[KG_TOKEN_DIGEST_BYTES]; /* digest of the token */
} KgTokenIdentity;

/*
 * Binds a copy of the identity to the transaction and, if session is true, to
 * the session.  Raises KG_FORBIDDEN if the transaction has or had an identity.
 */
extern void kg_token_bind(const KgTokenIdentity *identity, bool session);

/*
 * Raises the error of kg_token_bind() if the transaction has or had an
 * identity.
 */
extern void kg_token_check_free(void);

/* Removes the session's identity.  This transaction cannot get another. */
extern void kg_token_logout(void);

/* An identity is bound to the transaction or to the session. */
extern bool kg_token_bound;

extern const KgTokenIdentity *kg_token_in_force(void);

/*
 * Returns the identity in force, or NULL.  Its strings are valid until control
 * returns to the client.
 */
static inline const KgTokenIdentity *
kg_token_identity(void)
{
	return unlikely(kg_token_bound) ? kg_token_in_force() : NULL;
}

/*
 * Returns the string in the token's claim "sub", or NULL if there is no token
 * or no such claim.
 */
extern char *kg_token_subject(void);

/*
 * Returns true if a token was bound to the session, but it has expired or this
 * transaction has removed it. There is then no caller.
 */
extern bool kg_token_lapsed(void);

#endif /* KG_TOKEN_H */
