/*
 * token_identity.h
 *	  The identity that a verified token gave to this transaction (or, where an
 *	  administrator allows it, to this session).  Verification is elsewhere
 *	  (src/auth/login.c): what arrives here is believed.
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
	bool scoped; /* only entities below one of these paths */
	int nscopes;
	const char **scopes; /* each ends with "/" */
	const Jsonb *claims;
	TimestampTz expires;
	unsigned char digest[KG_TOKEN_DIGEST_BYTES]; /* of the token */
} KgTokenIdentity;

/*
 * Bind an identity, of which a copy is kept, to the transaction; with session,
 * to what follows its commit too.  Raises KG_FORBIDDEN where this transaction
 * has one already.
 */
extern void kg_token_bind(const KgTokenIdentity *identity, bool session);

/* Raises what kg_token_bind() would. */
extern void kg_token_check_free(void);

/* Give up the session's identity; this transaction gets no other one. */
extern void kg_token_logout(void);

/*
 * The identity in force, or NULL.  Its strings are good until control goes
 * back to the client.
 */
extern const KgTokenIdentity *kg_token_identity(void);

/* Its claim "sub", where that is a string; NULL: nobody, or no such claim. */
extern char *kg_token_subject(void);

/* A token was bound once and holds no longer: nobody is calling. */
extern bool kg_token_lapsed(void);

#endif /* KG_TOKEN_H */
