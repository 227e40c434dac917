/*
 * nulls.h
 *	  NULL arguments of functions that write or administer.
 *
 * These functions are not STRICT. PostgreSQL would not call a STRICT function
 * with a NULL argument, and the caller would assume that the function
 * succeeded.
 */
#ifndef KG_NULLS_H
#define KG_NULLS_H

#include "fmgr.h"

#include "base/compat.h"

/*
 * Raises KG_INVALID_INPUT for an argument that is NULL. The error names the
 * function and the argument.
 */
extern KG_NORETURN void kg_throw_null(FunctionCallInfo fcinfo, int argument);

static inline void
kg_refuse_null(FunctionCallInfo fcinfo, int argument)
{
	if (unlikely(PG_ARGISNULL(argument)))
		kg_throw_null(fcinfo, argument);
}

/* Raises KG_INVALID_INPUT if any argument of the call is NULL. */
static inline void
kg_refuse_nulls(FunctionCallInfo fcinfo)
{
	for (int i = 0; i < fcinfo->nargs; i++)
		kg_refuse_null(fcinfo, i);
}

#endif /* KG_NULLS_H */
