/*
 * auth_key.h
 *	  Keys that verify tokens (table kg_auth_key).
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
	/* the only tenant that tokens of this key may name, or NULL */
	const char *tenant;
	const char *tenant_claim;
	const char *agent_claim;
	const char *role_claim;
	const Jsonb *roles; /* {claim value: access}, or NULL */
	KgAccess access;	/* maximum access of a token */
	const char *scope_claim;
	bool scope_required;
	int leeway; /* seconds; tolerated clock difference */
	TimestampTz not_after;
} KgAuthKey;

/*
 * Returns the enabled key of an issuer with this id and algorithm; without an
 * id, the only key of issuer and algorithm.  Returns NULL if there is no such
 * key.  The result is valid until the next call of this module.
 */
extern const KgAuthKey *kg_auth_key_find(const char *issuer, const char *kid,
										 KgJwtAlg alg);

/*
 * Returns the key with which kg_issue_token() signs, or NULL.  issuer may be
 * NULL.
 */
extern const KgAuthKey *kg_auth_key_signer(const char *issuer, const char *kid);

#endif /* KG_AUTH_KEY_H */
