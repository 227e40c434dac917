/*
 * jwt.h
 *	  JSON Web Tokens (RFC 7515, 7519): taking one apart, checking and making
 *	  its signature.  Knows nothing of claims, keys tables or identities.
 *
 * Nothing here raises an error with a piece of a token in it.
 */
#ifndef KG_JWT_H
#define KG_JWT_H

#include "utils/jsonb.h"

typedef enum KgJwtAlg
{
	KG_JWT_NONE, /* no algorithm of ours; never accepted */
	KG_JWT_HS256,
	KG_JWT_RS256,
	KG_JWT_PS256,
	KG_JWT_ES256,
	KG_JWT_EDDSA
} KgJwtAlg;

/*
 * A token taken apart; signed_part points into it, the rest is palloc'd.  Of
 * its claims only the issuer is read before somebody has verified it.
 */
typedef struct KgJwt
{
	KgJwtAlg alg;
	char *kid;	  /* NULL where the header has none */
	char *issuer; /* NULL where the claims name none */
	char *payload;
	int payload_len;
	const char *signed_part;
	int signed_len;
	unsigned char *signature;
	int signature_len;
} KgJwt;

/* A key ready for use; owns memory of libcrypto until kg_jwt_key_free(). */
typedef struct KgJwtKey
{
	KgJwtAlg alg;
	unsigned char *secret; /* HS256: malloc'd */
	int secret_len;
	void *pkey; /* the others: EVP_PKEY */
} KgJwtKey;

extern KgJwtAlg kg_jwt_alg(const char *name);

/*
 * Take a token apart.  Returns false, with a reason fit for its bearer in
 * *why, for anything that is not a signed compact token.
 */
extern bool kg_jwt_parse(const char *token, int len, KgJwt *jwt,
						 const char **why);

/*
 * Make a key of a secret (HS256) or a public key as PEM, as base64url of the
 * 32 raw bytes (EdDSA) or as a JWK.  False, with the reason in *why, where it
 * is no key of that algorithm or too weak.
 */
extern bool kg_jwt_key_init(KgJwtKey *key, KgJwtAlg alg, const char *material,
							int len, const char **why);
extern void kg_jwt_key_free(KgJwtKey *key);

/* Whether the signature is this key's; the algorithms must be the same. */
extern bool kg_jwt_verify(const KgJwt *jwt, const KgJwtKey *key);

/* The claims of a verified token; NULL where jsonb cannot hold them. */
extern Jsonb *kg_jwt_claims(const KgJwt *jwt);

/* A compact token signed with HS256; palloc'd. */
extern char *kg_jwt_sign(const Jsonb *claims, const char *kid,
						 const KgJwtKey *key);

#endif /* KG_JWT_H */
