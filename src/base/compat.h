/*
 * compat.h
 *	  Differences between the PostgreSQL major versions that CI runs (15, 17,
 *	  18, 19).
 */
#ifndef KG_COMPAT_H
#define KG_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "kg_graph needs PostgreSQL 15 or later"
#endif

/*
 * PostgreSQL 16 moved VARSIZE_ANY() etc. out of postgres.h (commit
 * d952373a987).
 */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * PostgreSQL 18 spells the noreturn attribute as in C23 (commit 86749ea3b76).
 */
#if PG_VERSION_NUM >= 180000
#define KG_NORETURN pg_noreturn
#else
#define KG_NORETURN pg_attribute_noreturn()
#endif

/*
 * PostgreSQL 16 has one object_aclcheck() for all kinds of objects (commit
 * c727f511bd7).  The including file includes utils/acl.h.
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
 * PostgreSQL 17 renamed the functions that compare a plan's search path with
 * the current one (commit d3a38318ac6).  The including file includes
 * catalog/namespace.h.
 */
#if PG_VERSION_NUM >= 170000
#define kg_search_path_is(path) SearchPathMatchesCurrentEnvironment(path)
#define kg_present_search_path(context) GetSearchPathMatcher(context)
#else
#define kg_search_path_is(path) OverrideSearchPathMatchesCurrent(path)
#define kg_present_search_path(context) GetOverrideSearchPath(context)
#endif

/*
 * PostgreSQL 16 frees the "extra" data of a setting with pfree() (commit
 * 9c911ec065f).
 */
#if PG_VERSION_NUM >= 160000
#define kg_guc_malloc(size) guc_malloc(LOG, size)
#else
#define kg_guc_malloc(size) malloc(size)
#endif

/*
 * PostgreSQL 18 removed the parameter execute_once (commit 3eea7a0c97e).  An
 * ExecutorRun hook is declared with the parameters, and calls the next hook or
 * standard_ExecutorRun() with the arguments.  The including file includes
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
 * Since PostgreSQL 16, callbacks of the JSON parser return an error type.
 * Since 17, the caller may supply the memory of its lexer.  The including file
 * includes common/jsonapi.h and mb/pg_wchar.h.
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
 * PostgreSQL 16 added a parameter for the relations that are written.  The
 * including file includes executor/executor.h.
 */
#if PG_VERSION_NUM >= 160000
#define kg_recheck_nothing(epq, estate) \
	EvalPlanQualInit(epq, estate, NULL, NIL, -1, NIL)
#else
#define kg_recheck_nothing(epq, estate) \
	EvalPlanQualInit(epq, estate, NULL, NIL, -1)
#endif

/*
 * The number of this backend. No two backends have the same number at the same
 * time (commit 024c52111757). The including file includes storage/proc.h.
 */
#if PG_VERSION_NUM >= 170000
#define kg_backend_number() ((int32) MyProcNumber)
#else
#define kg_backend_number() ((int32) MyProc->pgprocno)
#endif

/*
 * PostgreSQL 19 has a macro for a switch case that falls through; a comment
 * does not silence its compiler warning.
 */
#if PG_VERSION_NUM < 190000
#define pg_fallthrough __attribute__((fallthrough))
#endif

/*
 * PostgreSQL 19 headers (copyObject()) use C23's typeof_unqual if the compiler
 * that built the server supports it.  With -std=gnu99 that compiler accepts it
 * under this name.
 */
#if PG_VERSION_NUM >= 190000 && !defined(typeof_unqual) && \
	__STDC_VERSION__ < 202311L
#define typeof_unqual __typeof_unqual__
#endif

/*
 * PostgreSQL 19 stores the result of pushJsonbValue() in the builder's state.
 * KgJsonbState does this for earlier versions.  The including file includes
 * utils/jsonb.h.
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
 * PostgreSQL 19 replaced the hook for tables by a hook for all kinds of
 * relations. A hook is declared with the parameters, and calls the next hook
 * with the arguments. KG_RELATION_HOOK_TABLE is the OID of the table, or
 * InvalidOid for other relations. The including file includes
 * optimizer/pathnode.h and optimizer/plancat.h.
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
 * PostgreSQL 19 represents the relations that a plan writes as a Bitmapset.
 *
 * kg_next_written() returns their range table indexes one after the other, and
 * then a number below 1.  The variable "at" must be -1 before the first call.
 * The including file includes nodes/plannodes.h.
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
 * PostgreSQL 19 passes flags to a scan: SO_NONE, or the flags of the executor.
 * The including file includes access/tableam.h.
 */
#if PG_VERSION_NUM >= 190000
#define kg_table_scan(table, snapshot) \
	table_beginscan(table, snapshot, 0, NULL, SO_NONE)
#else
#define kg_table_scan(table, snapshot) table_beginscan(table, snapshot, 0, NULL)
#endif

/*
 * PostgreSQL 18 counts the searches of an index scan, and 19 has flags of a
 * scan. The including file includes access/genam.h and access/tableam.h.
 */
#if PG_VERSION_NUM >= 190000
#define kg_index_scan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, NULL, nkeys, 0, SO_NONE)
#elif PG_VERSION_NUM >= 180000
#define kg_index_scan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, NULL, nkeys, 0)
#else
#define kg_index_scan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, nkeys, 0)
#endif

/*
 * PostgreSQL 19 passes the options of EXPLAIN to the planner (commit
 * c83ac02ec73).  The including file includes tcop/tcopprot.h.
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
 * (commit 247dea89f76).  The including file includes nodes/parsenodes.h.
 */
#if PG_VERSION_NUM >= 180000
#define kg_rte_is_group(kind) ((kind) == RTE_GROUP)
#else
#define kg_rte_is_group(kind) false
#endif

/*
 * PostgreSQL 19 added the flags of the slot to ExecInitScanTupleSlot().  The
 * including file includes executor/executor.h.
 */
#if PG_VERSION_NUM >= 190000
#define kg_init_scan_slot(estate, state, desc, callbacks) \
	ExecInitScanTupleSlot(estate, state, desc, callbacks, 0)
#else
#define kg_init_scan_slot(estate, state, desc, callbacks) \
	ExecInitScanTupleSlot(estate, state, desc, callbacks)
#endif

#endif /* KG_COMPAT_H */
