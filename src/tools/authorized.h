/*
 * authorized.h
 *	  A tool called with decisions that come from outside.
 */
#ifndef KG_AUTHORIZED_H
#define KG_AUTHORIZED_H

#include "base/json.h"

/* What a gateway brings with a call. */
typedef struct KgBrought
{
	const Jsonb *decisions; /* NULL: none */
	const char *exchange;	/* NULL: it is the first call */
} KgBrought;

/*
 * As kg_tools_call_result(); or NULL, and the members of what is to be decided
 * are written into the object that is open in asked.
 */
extern Jsonb *kg_tools_call_authorized(const char *name, const Jsonb *arguments,
									   const Jsonb *options,
									   const KgBrought *brought,
									   KgJsonWriter *asked);

/* Whom decisions are about: the token's subject, or NULL. */
extern const char *kg_authorized_subject(void);

#endif /* KG_AUTHORIZED_H */
