/*
 * compat.h
 *	  What differs between the PostgreSQL majors that CI runs (15, 17, 18).
 */
#ifndef KG_COMPAT_H
#define KG_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "kg_graph needs PostgreSQL 15 or later"
#endif

/* PostgreSQL 16 moved VARSIZE_ANY etc. out of postgres.h (commit d952373a987). */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* PostgreSQL 18 spells the attribute as in C23 (commit 86749ea3b76). */
#if PG_VERSION_NUM >= 180000
#define KG_NORETURN pg_noreturn
#define KG_NORETURN_TAIL
#else
#define KG_NORETURN
#define KG_NORETURN_TAIL pg_attribute_noreturn()
#endif

/*
 * PostgreSQL 16 has one object_aclcheck() for the kinds of objects (commit
 * c727f511bd7).  The user includes utils/acl.h.
 */
#if PG_VERSION_NUM < 160000
#define kg_schema_aclcheck(schema, role, mode) \
	pg_namespace_aclcheck(schema, role, mode)
#define kg_function_aclcheck(function, role, mode) \
	pg_proc_aclcheck(function, role, mode)
#else
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#define kg_schema_aclcheck(schema, role, mode) \
	object_aclcheck(NamespaceRelationId, schema, role, mode)
#define kg_function_aclcheck(function, role, mode) \
	object_aclcheck(ProcedureRelationId, function, role, mode)
#endif

/*
 * PostgreSQL 17 has other names for the search path that a plan was made for
 * (commit d3a38318ac6).  The user includes catalog/namespace.h.
 */
#if PG_VERSION_NUM >= 170000
#define kg_search_path_is(path) SearchPathMatchesCurrentEnvironment(path)
#define kg_present_search_path(context) GetSearchPathMatcher(context)
#else
#define kg_search_path_is(path) OverrideSearchPathMatchesCurrent(path)
#define kg_present_search_path(context) GetOverrideSearchPath(context)
#endif

/* PostgreSQL 16 frees a setting's extra by pfree (commit 9c911ec065f). */
#if PG_VERSION_NUM >= 160000
#define kg_guc_malloc(size) guc_malloc(LOG, size)
#else
#define kg_guc_malloc(size) malloc(size)
#endif

/*
 * PostgreSQL 18 has no execute_once (commit 3eea7a0c97e).  A hook of
 * ExecutorRun is declared with the parameters and goes on to the next one, or
 * to the server's own, with the arguments.  The user includes
 * executor/executor.h.
 */
#if PG_VERSION_NUM >= 180000
#define KG_EXECUTOR_RUN_PARAMS \
	QueryDesc *desc, ScanDirection direction, uint64 count
#define KG_EXECUTOR_RUN_ARGS desc, direction, count
#else
#define KG_EXECUTOR_RUN_PARAMS \
	QueryDesc *desc, ScanDirection direction, uint64 count, bool execute_once
#define KG_EXECUTOR_RUN_ARGS desc, direction, count, execute_once
#endif
#define kg_executor_run_next(next)                      \
	do                                                  \
	{                                                   \
		if (next)                                       \
			(next)(KG_EXECUTOR_RUN_ARGS);               \
		else                                            \
			standard_ExecutorRun(KG_EXECUTOR_RUN_ARGS); \
	} while (0)

/*
 * What the JSON parser calls back answers whether to go on since PostgreSQL 16,
 * and its lexer may be in memory of the caller's since 17.  The user includes
 * common/jsonapi.h and mb/pg_wchar.h.
 */
#if PG_VERSION_NUM >= 160000
#define KG_JSON_ACTION JsonParseErrorType
#define KG_JSON_ACTION_DONE return JSON_SUCCESS
#else
#define KG_JSON_ACTION void
#define KG_JSON_ACTION_DONE return
#endif
#if PG_VERSION_NUM >= 170000
#define kg_json_lexer(text, len) \
	makeJsonLexContextCstringLen(NULL, text, len, GetDatabaseEncoding(), true)
#else
#define kg_json_lexer(text, len)  \
	makeJsonLexContextCstringLen( \
		(char *) (text), len, GetDatabaseEncoding(), true)
#endif

/*
 * PostgreSQL 16 names the relations that are written.  The user includes
 * executor/executor.h.
 */
#if PG_VERSION_NUM >= 160000
#define kg_recheck_nothing(epq, estate) \
	EvalPlanQualInit(epq, estate, NULL, NIL, -1, NIL)
#else
#define kg_recheck_nothing(epq, estate) \
	EvalPlanQualInit(epq, estate, NULL, NIL, -1)
#endif

/*
 * A number that no two backends have at a time (commit 024c52111757).  The user
 * includes storage/proc.h.
 */
#if PG_VERSION_NUM >= 170000
#define kg_backend_number() ((int32) MyProcNumber)
#else
#define kg_backend_number() ((int32) MyProc->pgprocno)
#endif

#endif /* KG_COMPAT_H */
