/*
 * jwt.h
 *	  JSON Web Tokens (RFC 7515, 7519): parsing, verification and signature.
 *
 * This file has no knowledge of claims, key tables or identities.  No error
 * contains a part of a token.
 */
#ifndef KG_JWT_H
#define KG_JWT_H

#include "utils/jsonb.h"

typedef enum KgJwtAlg
{
	KG_JWT_NONE, /* unsupported algorithm; never accepted */
	KG_JWT_HS256,
	KG_JWT_RS256,
	KG_JWT_PS256,
	KG_JWT_ES256,
	KG_JWT_EDDSA
} KgJwtAlg;

/*
 * A parsed token. signed_part points into the token; the other members are
 * palloc'd. Before the token is verified, only the claim "iss" is read.
 */
typedef struct KgJwt
{
	KgJwtAlg alg;
	char *kid;	  /* or NULL if the header has no kid */
	char *issuer; /* or NULL if the claims have no issuer */
	char *payload;
	int payload_len;
	const char *signed_part;
	int signed_len;
	unsigned char *signature;
	int signature_len;
} KgJwt;

/*
 * A key ready for use. The struct owns memory of libcrypto until
 * kg_jwt_key_free() is called.
 */
typedef struct KgJwtKey
{
	KgJwtAlg alg;
	unsigned char *secret; /* HS256; malloc'd */
	int secret_len;
	void *pkey; /* other algorithms; EVP_PKEY * */
} KgJwtKey;

extern KgJwtAlg kg_jwt_alg(const char *name);

/*
 * Parses a token.  Returns false if it is not a signed compact token, and sets
 * *why to a reason that its bearer may see.
 */
extern bool kg_jwt_parse(const char *token, int len, KgJwt *jwt,
						 const char **why);

/*
 * Initializes a key from a secret (HS256) or a public key: PEM, base64url of
 * the 32 raw bytes (EdDSA), or a JWK. Returns false and sets *why if the text
 * is not a key of that algorithm, or the key is too weak.
 */
extern bool kg_jwt_key_init(KgJwtKey *key, KgJwtAlg alg, const char *material,
							int len, const char **why);
extern void kg_jwt_key_free(KgJwtKey *key);

/*
 * Returns true if the signature was made with this key, and the algorithms of
 * token and key are equal.
 */
extern bool kg_jwt_verify(const KgJwt *jwt, const KgJwtKey *key);

/*
 * Returns the claims of a verified token, or NULL if jsonb cannot represent
 * them.
 */
extern Jsonb *kg_jwt_claims(const KgJwt *jwt);

/* Returns a compact token signed with HS256, palloc'd. */
extern char *kg_jwt_sign(const Jsonb *claims, const char *kid,
						 const KgJwtKey *key);

#endif /* KG_JWT_H */
