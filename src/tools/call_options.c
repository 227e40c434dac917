/*
 * call_options.c
 *	  The options of kg_call_tool().
 */
#include "postgres.h"

#include <limits.h>

#include "base/error.h"
#include "base/json.h"
#include "store/idempotency.h"
#include "tools/call_options.h"

void
kg_call_options_read(const Jsonb *jsonb, KgCallOptions *options)
{
	static const char *const known[] = {
		"timeout_ms", "idempotency_key", "version", NULL};
	JsonbValue value;
	int64 n;

	memset(options, 0, sizeof(*options));
	/* Returns early, because most calls have no options. */
	if (JB_ROOT_IS_OBJECT(jsonb) && JB_ROOT_COUNT(jsonb) == 0)
		return;
	kg_check_options(jsonb, known);
	if (kg_json_get(&jsonb->root, "timeout_ms", &value))
	{
		if (!kg_json_int64(&value, &n) || n < 1 || n > INT_MAX)
			kg_error_throw_option(
				"timeout_ms",
				&value,
				"milliseconds, an integer from 1 to 2147483647");
		options->timeout_ms = n;
	}
	if (kg_json_get(&jsonb->root, "version", &value))
	{
		if (value.type != jbvString)
			kg_error_throw_option("version", &value, "a version as a string");
		options->version = kg_json_cstring(&value);
	}
	options->idempotency_key = kg_idempotency_key(jsonb);
}
