/*
 * jwt.c
 *	  JSON Web Tokens: base64url, JSON, signatures.
 *
 * libcrypto computes signatures. No code between the creation of a libcrypto
 * object and its release can raise an error, so no object leaks. Signatures
 * are compared in constant time. The key determines the algorithm, never the
 * token: kg_jwt_verify() refuses a token with a different algorithm.
 */
#include "postgres.h"

#include "auth/jwt.h"
#include "base/json.h"
#include "base/json_untrusted.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#define KG_MIN_SECRET_BYTES 32
#define KG_MIN_RSA_BITS 2048
#define KG_MAX_RSA_BITS 8192
#define KG_ES256_BYTES 64
#define KG_ED25519_BYTES 32

static const struct
{
	const char *name;
	KgJwtAlg alg;
} algorithms[] = {
	{"HS256", KG_JWT_HS256},
	{"RS256", KG_JWT_RS256},
	{"PS256", KG_JWT_PS256},
	{"ES256", KG_JWT_ES256},
	{"EdDSA", KG_JWT_EDDSA},
};

KgJwtAlg
kg_jwt_alg(const char *name)
{
	for (int i = 0; i < lengthof(algorithms); i++)
		if (strcmp(algorithms[i].name, name) == 0)
			return algorithms[i].alg;
	return KG_JWT_NONE;
}

static int
base64url_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '-' ? 62 : c == '_' ? 63 : -1;
}

/*
 * Decodes base64url strictly: accepts no padding, white space or spare bits.
 * So each text has exactly one encoding. Returns the length, or -1.
 */
static int
base64url_decode(const char *in, int len, unsigned char *out)
{
	uint32 bits = 0;
	int nbits = 0;
	int n = 0;

	if (len % 4 == 1)
		return -1;
	for (int i = 0; i < len; i++)
	{
		int digit = base64url_digit(in[i]);

		if (digit < 0)
			return -1;
		bits = (bits << 6) | digit;
		nbits += 6;
		if (nbits >= 8)
		{
			nbits -= 8;
			out[n++] = (bits >> nbits) & 0xff;
		}
	}
	if (bits & ((1 << nbits) - 1))
		return -1;
	return n;
}

static void
base64url_append(StringInfo out, const unsigned char *in, int len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
								 "abcdefghijklmnopqrstuvwxyz0123456789-_";
	uint32 bits = 0;
	int nbits = 0;

	for (int i = 0; i < len; i++)
	{
		bits = (bits << 8) | in[i];
		nbits += 8;
		while (nbits >= 6)
		{
			nbits -= 6;
			appendStringInfoChar(out, digits[(bits >> nbits) & 63]);
		}
	}
	if (nbits > 0)
		appendStringInfoChar(out, digits[(bits << (6 - nbits)) & 63]);
}

/*
 * Returns a part of the token as bytes and sets *n, or returns NULL if it is
 * invalid.
 */
static char *
decode_part(const char *part, int len, int *n)
{
	unsigned char *buf = palloc(len + 1);

	*n = base64url_decode(part, len, buf);
	return *n > 0 ? (char *) buf : NULL;
}

static Jsonb *
parse_object(const char *text, int len)
{
	Jsonb *jsonb = kg_json_parse_untrusted(text, len);

	return jsonb != NULL && JB_ROOT_IS_OBJECT(jsonb) ? jsonb : NULL;
}

/*
 * Reads the header of a token. Returns false and sets *why if the header is not
 * acceptable. It must name a supported algorithm and have no critical
 * extension. It may have a key id.
 */
static bool
read_header(const Jsonb *header, KgJwt *jwt, const char **why)
{
	JsonbValue value;

	if (kg_json_get(&header->root, "alg", &value) == NULL ||
		value.type != jbvString)
	{
		*why = "its header names no algorithm";
		return false;
	}
	jwt->alg = kg_jwt_alg(kg_json_cstring(&value));
	if (jwt->alg == KG_JWT_NONE)
	{
		*why = "its algorithm is not accepted";
		return false;
	}
	if (kg_json_get(&header->root, "crit", &value) != NULL ||
		kg_json_get(&header->root, "b64", &value) != NULL)
	{
		*why = "its header has an extension that is not understood";
		return false;
	}
	if (kg_json_get(&header->root, "kid", &value) != NULL)
	{
		if (value.type != jbvString)
		{
			*why = "its key id is not a string";
			return false;
		}
		jwt->kid = kg_json_cstring(&value);
	}
	return true;
}

bool
kg_jwt_parse(const char *token, int len, KgJwt *jwt, const char **why)
{
	const char *end = token + len;
	const char *dot1 = memchr(token, '.', len);
	const char *dot2 = dot1 ? memchr(dot1 + 1, '.', end - dot1 - 1) : NULL;
	Jsonb *header = NULL;
	char *text;
	int n;

	memset(jwt, 0, sizeof(*jwt));
	*why = "it is not a signed JSON Web Token";
	if (dot2 == NULL || memchr(dot2 + 1, '.', end - dot2 - 1) != NULL)
		return false;
	text = decode_part(token, dot1 - token, &n);
	if (text != NULL)
		header = parse_object(text, n);
	if (header == NULL)
		return false;
	if (!read_header(header, jwt, why))
		return false;
	*why = "it is not a signed JSON Web Token";
	jwt->payload = decode_part(dot1 + 1, dot2 - dot1 - 1, &jwt->payload_len);
	if (jwt->payload == NULL ||
		!kg_json_scan_untrusted(
			jwt->payload, jwt->payload_len, "iss", &jwt->issuer))
		return false;
	jwt->signature = palloc(end - dot2);
	jwt->signature_len = base64url_decode(
		dot2 + 1, end - dot2 - 1, jwt->signature);
	if (jwt->signature_len <= 0)
		return false;
	jwt->signed_part = token;
	jwt->signed_len = dot2 - token;
	return true;
}

Jsonb *
kg_jwt_claims(const KgJwt *jwt)
{
	return parse_object(jwt->payload, jwt->payload_len);
}

/*
 * Returns no password, so that a PEM with a password does not cause a prompt
 * on the terminal.
 */
static int
no_password(char *buf, int size, int rwflag, void *arg)
{
	return 0;
}

static EVP_PKEY *
key_of_pem(const char *pem, int len)
{
	BIO *bio = BIO_new_mem_buf(pem, len);
	EVP_PKEY *pkey;

	if (bio == NULL)
		return NULL;
	pkey = PEM_read_bio_PUBKEY(bio, NULL, no_password, NULL);
	BIO_free(bio);
	return pkey;
}

/*
 * Returns a decoded base64url member of a JWK and sets *len. Returns NULL if
 * the member is missing or invalid.
 */
static unsigned char *
jwk_bytes(const Jsonb *jwk, const char *name, int *len)
{
	JsonbValue value;
	unsigned char *buf;

	if (kg_json_get(&jwk->root, name, &value) == NULL ||
		value.type != jbvString)
		return NULL;
	buf = palloc(value.val.string.len + 1);
	*len = base64url_decode(value.val.string.val, value.val.string.len, buf);
	return *len > 0 ? buf : NULL;
}

static EVP_PKEY *
key_of_params(const char *type, OSSL_PARAM_BLD *build)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
	OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
	EVP_PKEY *pkey = NULL;

	if (ctx == NULL || params == NULL || EVP_PKEY_fromdata_init(ctx) <= 0 ||
		EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_PUBLIC_KEY, params) <= 0)
		pkey = NULL;
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(ctx);
	return pkey;
}

static EVP_PKEY *
key_of_rsa_jwk(const Jsonb *jwk)
{
	int n_len;
	int e_len;
	unsigned char *n_bytes = jwk_bytes(jwk, "n", &n_len);
	unsigned char *e_bytes = jwk_bytes(jwk, "e", &e_len);
	OSSL_PARAM_BLD *build;
	BIGNUM *n;
	BIGNUM *e;
	EVP_PKEY *pkey = NULL;

	if (n_bytes == NULL || e_bytes == NULL)
		return NULL;
	build = OSSL_PARAM_BLD_new();
	n = BN_bin2bn(n_bytes, n_len, NULL);
	e = BN_bin2bn(e_bytes, e_len, NULL);
	if (build && n && e &&
		OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n) &&
		OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e))
		pkey = key_of_params("RSA", build);
	OSSL_PARAM_BLD_free(build);
	BN_free(n);
	BN_free(e);
	return pkey;
}

static EVP_PKEY *
key_of_ec_jwk(const Jsonb *jwk)
{
	int x_len;
	int y_len;
	unsigned char *x = jwk_bytes(jwk, "x", &x_len);
	unsigned char *y = jwk_bytes(jwk, "y", &y_len);
	unsigned char point[KG_ES256_BYTES + 1];
	OSSL_PARAM_BLD *build;
	EVP_PKEY *pkey = NULL;

	if (x == NULL || y == NULL || x_len != KG_ES256_BYTES / 2 ||
		y_len != KG_ES256_BYTES / 2)
		return NULL;
	point[0] = POINT_CONVERSION_UNCOMPRESSED;
	memcpy(point + 1, x, x_len);
	memcpy(point + 1 + x_len, y, y_len);
	build = OSSL_PARAM_BLD_new();
	if (build &&
		OSSL_PARAM_BLD_push_utf8_string(
			build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) &&
		OSSL_PARAM_BLD_push_octet_string(
			build, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof(point)))
		pkey = key_of_params("EC", build);
	OSSL_PARAM_BLD_free(build);
	return pkey;
}

static EVP_PKEY *
key_of_jwk(const Jsonb *jwk)
{
	JsonbValue kty;
	unsigned char *x;
	int len;

	if (kg_json_get(&jwk->root, "kty", &kty) == NULL)
		return NULL;
	if (kg_json_string_is(&kty, "RSA"))
		return key_of_rsa_jwk(jwk);
	if (kg_json_string_is(&kty, "EC"))
		return key_of_ec_jwk(jwk);
	if (!kg_json_string_is(&kty, "OKP"))
		return NULL;
	x = jwk_bytes(jwk, "x", &len);
	if (x == NULL || len != KG_ED25519_BYTES)
		return NULL;
	return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x, len);
}

/*
 * Returns true if the key is of the algorithm's kind and strong enough.
 * Otherwise, *why describes the required key.
 */
static bool
key_suits(EVP_PKEY *pkey, KgJwtAlg alg, const char **why)
{
	char group[80];

	switch (alg)
	{
		case KG_JWT_RS256:
		case KG_JWT_PS256:
			*why = "an RSA key of 2048 to 8192 bits is needed";
			return EVP_PKEY_get_base_id(pkey) == EVP_PKEY_RSA &&
				   EVP_PKEY_get_bits(pkey) >= KG_MIN_RSA_BITS &&
				   EVP_PKEY_get_bits(pkey) <= KG_MAX_RSA_BITS;
		case KG_JWT_ES256:
			*why = "a key on the curve P-256 is needed";
			return EVP_PKEY_get_base_id(pkey) == EVP_PKEY_EC &&
				   EVP_PKEY_get_group_name(pkey, group, sizeof(group), NULL) &&
				   strcmp(group, "prime256v1") == 0;
		case KG_JWT_EDDSA:
			*why = "an Ed25519 key is needed";
			return EVP_PKEY_get_base_id(pkey) == EVP_PKEY_ED25519;
		case KG_JWT_NONE:
		case KG_JWT_HS256:
			break;
	}
	*why = "the algorithm has no public key";
	return false;
}

static bool
secret_init(KgJwtKey *key, const char *material, int len, const char **why)
{
	if (len < KG_MIN_SECRET_BYTES)
	{
		*why = "a secret of at least 32 bytes is needed";
		return false;
	}
	/*
	 * malloc() is used because a key outlives all memory contexts of its
	 * caller.
	 */
	key->secret = malloc(len);
	if (key->secret == NULL)
	{
		*why = "out of memory";
		return false;
	}
	memcpy(key->secret, material, len);
	key->secret_len = len;
	return true;
}

bool
kg_jwt_key_init(KgJwtKey *key, KgJwtAlg alg, const char *material, int len,
				const char **why)
{
	EVP_PKEY *pkey = NULL;
	unsigned char raw[KG_ED25519_BYTES + 3];

	memset(key, 0, sizeof(*key));
	key->alg = alg;
	if (alg == KG_JWT_HS256)
		return secret_init(key, material, len, why);
	if (alg == KG_JWT_EDDSA && len == 43 &&
		base64url_decode(material, len, raw) == KG_ED25519_BYTES)
		pkey = EVP_PKEY_new_raw_public_key(
			EVP_PKEY_ED25519, NULL, raw, KG_ED25519_BYTES);
	else if (len > 0 && material[0] == '{')
	{
		Jsonb *jwk = kg_json_parse_untrusted(material, len);

		if (jwk != NULL)
			pkey = key_of_jwk(jwk);
	}
	else
		pkey = key_of_pem(material, len);
	ERR_clear_error();
	if (pkey == NULL)
	{
		*why = "it is neither a public key in PEM nor a JWK";
		return false;
	}
	if (!key_suits(pkey, alg, why))
	{
		EVP_PKEY_free(pkey);
		ERR_clear_error();
		return false;
	}
	key->pkey = pkey;
	return true;
}

void
kg_jwt_key_free(KgJwtKey *key)
{
	if (key->secret)
	{
		OPENSSL_cleanse(key->secret, key->secret_len);
		free(key->secret);
	}
	EVP_PKEY_free(key->pkey);
	memset(key, 0, sizeof(*key));
}

static bool
hmac_sha256(const KgJwtKey *key, const char *data, int len,
			unsigned char *digest)
{
	return HMAC(EVP_sha256(),
				key->secret,
				(int) key->secret_len,
				(const unsigned char *) data,
				len,
				digest,
				NULL) != NULL;
}

static bool
verify_hs256(const KgJwt *jwt, const KgJwtKey *key)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	return hmac_sha256(key, jwt->signed_part, jwt->signed_len, digest) &&
		   jwt->signature_len == sizeof(digest) &&
		   CRYPTO_memcmp(digest, jwt->signature, sizeof(digest)) == 0;
}

/*
 * Converts a signature from JWS's form, r and s concatenated, to libcrypto's
 * DER. Returns the length of *der, or a negative number on failure. The caller
 * frees *der with OPENSSL_free().
 */
static int
es256_der(const unsigned char *raw, unsigned char **der)
{
	ECDSA_SIG *sig = ECDSA_SIG_new();
	BIGNUM *r = BN_bin2bn(raw, KG_ES256_BYTES / 2, NULL);
	BIGNUM *s = BN_bin2bn(raw + KG_ES256_BYTES / 2, KG_ES256_BYTES / 2, NULL);
	int len = -1;

	*der = NULL;
	if (sig && r && s && ECDSA_SIG_set0(sig, r, s))
	{
		len = i2d_ECDSA_SIG(sig, der);
		r = s = NULL; /* sig owns r and s now */
	}
	BN_free(r);
	BN_free(s);
	ECDSA_SIG_free(sig);
	return len;
}

static bool
verify_public(const KgJwt *jwt, const KgJwtKey *key)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	EVP_PKEY_CTX *pctx;
	const unsigned char *sig = jwt->signature;
	unsigned char *der = NULL;
	int siglen = jwt->signature_len;
	bool ok = ctx != NULL;

	if (ok && jwt->alg == KG_JWT_ES256)
	{
		ok = siglen == KG_ES256_BYTES;
		if (ok)
		{
			siglen = es256_der(jwt->signature, &der);
			sig = der;
			ok = siglen > 0;
		}
	}
	/* Ed25519 includes the hashing, so there is no digest. */
	ok = ok &&
		 EVP_DigestVerifyInit(ctx,
							  &pctx,
							  jwt->alg == KG_JWT_EDDSA ? NULL : EVP_sha256(),
							  NULL,
							  key->pkey) == 1;
	if (ok && jwt->alg == KG_JWT_PS256)
		ok = EVP_PKEY_CTX_set_rsa_padding(pctx, RSA_PKCS1_PSS_PADDING) > 0 &&
			 EVP_PKEY_CTX_set_rsa_pss_saltlen(pctx, RSA_PSS_SALTLEN_DIGEST) > 0;
	ok = ok && EVP_DigestVerify(ctx,
								sig,
								siglen,
								(const unsigned char *) jwt->signed_part,
								jwt->signed_len) == 1;
	OPENSSL_free(der);
	EVP_MD_CTX_free(ctx);
	/*
	 * OpenSSL's error queue is shared with the server's TLS code, so it must
	 * be empty.
	 */
	ERR_clear_error();
	return ok;
}

bool
kg_jwt_verify(const KgJwt *jwt, const KgJwtKey *key)
{
	if (jwt->alg != key->alg)
		return false;
	if (key->alg == KG_JWT_HS256)
		return verify_hs256(jwt, key);
	return key->pkey != NULL && verify_public(jwt, key);
}

char *
kg_jwt_sign(const Jsonb *claims, const char *kid, const KgJwtKey *key)
{
	KgJsonWriter w;
	Jsonb *header;
	StringInfoData token;
	char *text;
	unsigned char digest[SHA256_DIGEST_LENGTH];

	if (key->alg != KG_JWT_HS256)
		elog(ERROR, "only HS256 keys can sign");
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "alg", "HS256");
	kg_jw_kstring(&w, "kid", kid);
	kg_jw_kstring(&w, "typ", "JWT");
	header = kg_jw_finish(&w);
	initStringInfo(&token);
	text = JsonbToCString(NULL, &header->root, VARSIZE(header));
	base64url_append(&token, (unsigned char *) text, strlen(text));
	appendStringInfoChar(&token, '.');
	text = JsonbToCString(
		NULL, unconstify(JsonbContainer *, &claims->root), VARSIZE(claims));
	base64url_append(&token, (unsigned char *) text, strlen(text));
	if (!hmac_sha256(key, token.data, token.len, digest))
		elog(ERROR, "could not sign a token");
	appendStringInfoChar(&token, '.');
	base64url_append(&token, digest, sizeof(digest));
	return token.data;
}
