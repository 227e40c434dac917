/*
 * compat_explain.h
 *	  EXPLAIN of a plan, as the PostgreSQL majors have it.  Apart from compat.h,
 *	  which nearly every file includes.
 */
#ifndef KG_COMPAT_EXPLAIN_H
#define KG_COMPAT_EXPLAIN_H

#include "commands/explain.h"

/* PostgreSQL 18 has its declarations in three headers. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* PostgreSQL 17 can tell of the memory that planning took. */
#if PG_VERSION_NUM >= 170000
#define kg_explain_plan(planned, es, sql) \
	ExplainOnePlan(planned, NULL, es, sql, NULL, NULL, NULL, NULL, NULL)
#else
#define kg_explain_plan(planned, es, sql) \
	ExplainOnePlan(planned, NULL, es, sql, NULL, NULL, NULL, NULL)
#endif

#endif /* KG_COMPAT_EXPLAIN_H */
