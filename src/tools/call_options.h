/*
 * call_options.h
 *	  The options of kg_call_tool().
 */
#ifndef KG_CALL_OPTIONS_H
#define KG_CALL_OPTIONS_H

#include "utils/jsonb.h"

typedef struct KgCallOptions
{
	int timeout_ms; /* 0: none */
	/* idempotency key of a tool that writes, or NULL */
	const char *idempotency_key;
	const char *version; /* version of a registered tool, or NULL */
} KgCallOptions;

/* Reads the options from JSON. Raises KG_INVALID_INPUT. */
extern void kg_call_options_read(const Jsonb *jsonb, KgCallOptions *options);

#endif /* KG_CALL_OPTIONS_H */
