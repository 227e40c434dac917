/*
 * idempotency.h
 *	  Writes that are sent again with their key.
 */
#ifndef KG_IDEMPOTENCY_H
#define KG_IDEMPOTENCY_H

#include "fmgr.h"
#include "utils/jsonb.h"

/* The option idempotency_key, or NULL.  Raises KG_INVALID_INPUT. */
extern const char *kg_idempotency_key(const Jsonb *options);

/* A write with a key: who sent it, and the digest of what. */
typedef struct KgRequest
{
	const char *tenant;
	const char *caller;
	const char *key;
	bytea *digest;
} KgRequest;

/*
 * The reply to the same write, where it was done before; NULL: it is to be done,
 * and kept.  Whoever sends the same key meanwhile waits until this transaction
 * ends.  Raises KG_CONFLICT where the key is of another write.  Inside SPI.
 */
extern Jsonb *kg_idempotency_begin(KgRequest *request, const char *key,
								   FunctionCallInfo fcinfo);
extern void kg_idempotency_keep(const KgRequest *request, const Jsonb *reply);

#endif /* KG_IDEMPOTENCY_H */
