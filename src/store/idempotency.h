/*
 * idempotency.h
 *	  Writes that are sent again with their key.
 */
#ifndef KG_IDEMPOTENCY_H
#define KG_IDEMPOTENCY_H

#include "utils/jsonb.h"

/* The option idempotency_key, or NULL.  Raises KG_INVALID_INPUT. */
extern const char *kg_idempotency_key(const Jsonb *options);

#endif /* KG_IDEMPOTENCY_H */
