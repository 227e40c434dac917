/*
 * auth_key.h
 *	  The keys that tokens are verified with (table kg_auth_key).
 */
#ifndef KG_AUTH_KEY_H
#define KG_AUTH_KEY_H

#include "auth/identity.h"
#include "auth/jwt.h"
#include "utils/timestamp.h"

typedef struct KgAuthKey
{
	const char *issuer;
	const char *kid;
	KgJwtKey key;
	const char *audience;
	const char *tenant; /* the only tenant of this key, or NULL */
	const char *tenant_claim;
	const char *agent_claim;
	const char *role_claim;
	const Jsonb *roles; /* {claim value: access}, or NULL */
	KgAccess access;	/* the most that a token can have */
	const char *scope_claim;
	bool scope_required;
	int leeway; /* seconds */
	TimestampTz not_after;
} KgAuthKey;

/*
 * The enabled key of an issuer with this id and algorithm; without an id, the
 * only one of the issuer and algorithm.  NULL where there is none.  Good until
 * the next call of this module.
 */
extern const KgAuthKey *kg_auth_key_find(const char *issuer, const char *kid,
										 KgJwtAlg alg);

/* The key that kg_issue_token signs with, as above; issuer may be NULL. */
extern const KgAuthKey *kg_auth_key_signer(const char *issuer, const char *kid);

#endif /* KG_AUTH_KEY_H */
