/*
 * authorized.h
 *	  Calls a tool with access decisions that a gateway makes.
 */
#ifndef KG_AUTHORIZED_H
#define KG_AUTHORIZED_H

#include "base/json.h"

/* The access decisions that a gateway sends with a call. */
typedef struct KgBrought
{
	const Jsonb *decisions; /* or NULL */
	/*
	 * state that the previous call returned when it requested the decisions;
	 * NULL: this is the first call
	 */
	const char *exchange;
} KgBrought;

/*
 * Calls a tool and returns an MCP tool result. If access decisions are missing,
 * returns NULL and writes the members of the request for decisions into the
 * open object of the writer.
 */
extern Jsonb *kg_tools_call_authorized(const char *name, const Jsonb *arguments,
									   const Jsonb *options,
									   const KgBrought *brought,
									   KgJsonWriter *asked);

/*
 * Returns the subject for which access decisions are made: the subject of the
 * token, or NULL.
 */
extern const char *kg_authorized_subject(void);

#endif /* KG_AUTHORIZED_H */
