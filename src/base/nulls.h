/*
 * nulls.h
 *	  Arguments that are NULL, of functions that write or administer.
 *
 * These are not STRICT: PostgreSQL would not run them for a NULL, and who sent it
 * would take nothing done for done.
 */
#ifndef KG_NULLS_H
#define KG_NULLS_H

#include "fmgr.h"

#include "base/compat.h"

/* Raises INVALID_INPUT that names the argument. */
extern KG_NORETURN void kg_throw_null(FunctionCallInfo fcinfo,
									  int argument) KG_NORETURN_TAIL;

static inline void
kg_refuse_null(FunctionCallInfo fcinfo, int argument)
{
	if (unlikely(PG_ARGISNULL(argument)))
		kg_throw_null(fcinfo, argument);
}

/* The same of each. */
static inline void
kg_refuse_nulls(FunctionCallInfo fcinfo)
{
	for (int i = 0; i < fcinfo->nargs; i++)
		kg_refuse_null(fcinfo, i);
}

#endif /* KG_NULLS_H */
