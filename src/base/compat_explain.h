/*
 * compat_explain.h
 *	  EXPLAIN of a plan, for all supported PostgreSQL versions.
 *
 * This header is separate from compat.h because nearly every file includes
 * compat.h.
 */
#ifndef KG_COMPAT_EXPLAIN_H
#define KG_COMPAT_EXPLAIN_H

#include "commands/explain.h"

/* PostgreSQL 18 split these declarations into three headers. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* PostgreSQL 17 can report the memory that planning used. */
#if PG_VERSION_NUM >= 170000
#define kg_explain_plan(planned, es, sql) \
	ExplainOnePlan(planned, NULL, es, sql, NULL, NULL, NULL, NULL, NULL)
#else
#define kg_explain_plan(planned, es, sql) \
	ExplainOnePlan(planned, NULL, es, sql, NULL, NULL, NULL, NULL)
#endif

#endif /* KG_COMPAT_EXPLAIN_H */
