/*
 * idempotency.c
 *	  Writes that are sent again with their key.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "store/idempotency.h"

#define KG_MAX_KEY_BYTES 128

const char *
kg_idempotency_key(const Jsonb *options)
{
	JsonbValue value;

	if (kg_json_get(&options->root, "idempotency_key", &value) == NULL)
		return NULL;
	if (value.type != jbvString || value.val.string.len < 1 ||
		value.val.string.len > KG_MAX_KEY_BYTES)
		kg_error_throw_option(
			"idempotency_key", &value, "a string of 1 to 128 bytes");
	return kg_json_cstring(&value);
}
