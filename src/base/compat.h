/*
 * compat.h
 *	  What differs between the PostgreSQL majors that CI runs (15, 17, 18, 19).
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

#if PG_VERSION_NUM >= 180000
#define kg_executor_run(desc) ExecutorRun(desc, ForwardScanDirection, 0)
#else
#define kg_executor_run(desc) ExecutorRun(desc, ForwardScanDirection, 0, true)
#endif

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
#define kg_json_lexer(text, len, encoding) \
	makeJsonLexContextCstringLen(NULL, text, len, encoding, true)
#else
#define kg_json_lexer(text, len, encoding) \
	makeJsonLexContextCstringLen((char *) (text), len, encoding, true)
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

/* PostgreSQL 19 has a macro for it, and its compiler takes no comment. */
#if PG_VERSION_NUM < 190000
#define pg_fallthrough __attribute__((fallthrough))
#endif

/*
 * Headers of PostgreSQL 19 (copyObject()) use C23's typeof_unqual where the
 * compiler that it was built with knows it, which knows it by this name in our
 * -std=gnu99, too.
 */
#if PG_VERSION_NUM >= 190000 && !defined(typeof_unqual) && \
	__STDC_VERSION__ < 202311L
#define typeof_unqual __typeof_unqual__
#endif

/*
 * PostgreSQL 19 has what is built in the state of the builder, as
 * KgJsonbState has it of the others.  The user includes utils/jsonb.h.
 */
#if PG_VERSION_NUM >= 190000
#define KgJsonbState struct JsonbInState
#define kg_jsonb_push(state, token, value) pushJsonbValue(state, token, value)
#else
typedef struct KgJsonbState
{
	struct JsonbParseState *parseState;
	struct JsonbValue *result;
} KgJsonbState;
#define kg_jsonb_push(state, token, value) \
	((state)->result = pushJsonbValue(&(state)->parseState, token, value))
#endif

/*
 * PostgreSQL 19 has one hook for all kinds of relations in place of that for
 * tables.  A hook is declared with the parameters, goes on
 * to the next one with the arguments, and asks for the OID of the table, or
 * InvalidOid.  The user includes optimizer/pathnode.h and optimizer/plancat.h.
 */
#if PG_VERSION_NUM >= 190000
#define KG_RELATION_HOOK_TYPE build_simple_rel_hook_type
#define KG_RELATION_HOOK build_simple_rel_hook
#define KG_RELATION_HOOK_PARAMS \
	PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte
#define KG_RELATION_HOOK_ARGS root, rel, rte
#define KG_RELATION_HOOK_TABLE \
	(rte->rtekind == RTE_RELATION ? rte->relid : InvalidOid)
#else
#define KG_RELATION_HOOK_TYPE get_relation_info_hook_type
#define KG_RELATION_HOOK get_relation_info_hook
#define KG_RELATION_HOOK_PARAMS \
	PlannerInfo *root, Oid relation, bool inhparent, RelOptInfo *rel
#define KG_RELATION_HOOK_ARGS root, relation, inhparent, rel
#define KG_RELATION_HOOK_TABLE relation
#endif

/*
 * PostgreSQL 19 has the relations that a plan writes as a set.  Range table
 * indexes, one after the other, at being -1 before the first; then none above
 * 0.  The user includes nodes/plannodes.h.
 */
#if PG_VERSION_NUM >= 190000
#define kg_next_written(stmt, at) \
	((at) = bms_next_member((stmt)->resultRelationRelids, at))
#else
#define kg_next_written(stmt, at)                      \
	(++(at) < list_length((stmt)->resultRelations)     \
		 ? list_nth_int((stmt)->resultRelations, (at)) \
		 : -1)
#endif

/*
 * PostgreSQL 19 hands what EXPLAIN asks for to the planner (commit c83ac02ec73).
 * The user includes tcop/tcopprot.h.
 */
#if PG_VERSION_NUM >= 190000
#define kg_plan_query(query, sql, options, params) \
	pg_plan_query(query, sql, options, params, NULL)
#else
#define kg_plan_query(query, sql, options, params) \
	pg_plan_query(query, sql, options, params)
#endif

/*
 * PostgreSQL 18 has the expressions of GROUP BY as an entry of the range table
 * (commit 247dea89f76).  The user includes nodes/parsenodes.h.
 */
#if PG_VERSION_NUM >= 180000
#define kg_rte_is_group(kind) ((kind) == RTE_GROUP)
#else
#define kg_rte_is_group(kind) false
#endif

#endif /* KG_COMPAT_H */
