/*
 * authorized.h
 *	  Calls a tool with decisions that a gateway makes.
 */
#ifndef KG_AUTHORIZED_H
#define KG_AUTHORIZED_H

#include "base/json.h"

/* The decisions that a gateway passes with a call. */
typedef struct KgBrought
{
	const Jsonb *decisions; /* or NULL */
	const char *exchange;	/* NULL: this is the first call */
} KgBrought;

/*
 * Like kg_tools_call_result(), but returns NULL if decisions are missing. The
 * members of the request for them are then written into the open object of the
 * writer.
 */
extern Jsonb *kg_tools_call_authorized(const char *name, const Jsonb *arguments,
									   const Jsonb *options,
									   const KgBrought *brought,
									   KgJsonWriter *asked);

/*
 * Returns the subject that decisions are about: the token's subject, or NULL.
 */
extern const char *kg_authorized_subject(void);

#endif /* KG_AUTHORIZED_H */
