/*
 * audit.h
 *	  Recording of calls and their outcome: kg_graph.audit.
 *
 * A record is made when a call leaves its SQL function (KG_AUDITED,
 * src/entry.c), errors included. Code inside the call adds details through the
 * functions of this file. If the call is not recorded, each of these functions
 * only tests a pointer.
 */
#ifndef KG_AUDIT_H
#define KG_AUDIT_H

#include "base/nulls.h"
#include "base/settings.h"
#include "fmgr.h"
#include "nodes/pg_list.h"
#include "portability/instr_time.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

/* A call to record, on the stack of the recording function. */
typedef struct KgAudited
{
	bool writes;
	const char *tool;
	const char *tool_version; /* version of a registered tool, or NULL */
	const char *operation;	  /* operation of the registered tool, or NULL */
	/* member "arguments" or "arguments_hash" as JSON text, or NULL */
	const char *arguments;
	TimestampTz at;
	instr_time start;
	const char *role;
	const char *tenant; /* or NULL */
	const char *agent;
	bool replied; /* a reply was recorded: rows and bytes are set */
	int64 rows;
	int64 bytes;
	int64 edges;
	int64 decisions;
	const char *code;	/* code of an error that the reply contains, or NULL */
	const Jsonb *query; /* parsed query, or NULL */
	List *statements;	/* texts of the SQL statements */
	MemoryContext context;
	/* complete records (a batch has one for each message) */
	List *records;
	bool is_batch;
	/* the batch that contains this message, or NULL */
	struct KgAudited *outer;
} KgAudited;

/* The innermost recorded call, or NULL. */
extern KgAudited *kg_audited;

/*
 * Kinds of functions, for the setting kg_graph.audit and for the record of a
 * call.
 */
#define KG_AUDIT_READS 0
#define KG_AUDIT_WRITES 1
#define KG_AUDIT_SECRET 2 /* arguments are not recorded */

typedef Datum (*KgAuditBody)(FunctionCallInfo fcinfo, void *arg);

extern Datum kg_audit_run(FunctionCallInfo fcinfo, int kind, KgAuditBody body,
						  void *arg);

/*
 * Defines a function for SQL and begins its body, which never gets a NULL:
 *
 *	  KG_AUDITED(kg_sql_pack, KG_AUDIT_WRITES)
 *	  {
 *		  ...
 *	  }
 */
#define KG_AUDITED(name, kind)                          \
	static Datum name##_given(FunctionCallInfo fcinfo); \
	KG_AUDITED_NULLS(name, kind)                        \
	{                                                   \
		kg_refuse_nulls(fcinfo);                        \
		return name##_given(fcinfo);                    \
	}                                                   \
	static Datum name##_given(FunctionCallInfo fcinfo)

/* Defines a function for SQL whose body may get NULL arguments. */
#define KG_AUDITED_NULLS(name, kind)                                 \
	PG_FUNCTION_INFO_V1(name);                                       \
	static Datum name##_audited(FunctionCallInfo fcinfo, void *arg); \
	Datum name(PG_FUNCTION_ARGS)                                     \
	{                                                                \
		if (likely(kg_setting_audit == KG_AUDIT_OFF))                \
			return name##_audited(fcinfo, NULL);                     \
		return kg_audit_run(fcinfo, kind, name##_audited, NULL);     \
	}                                                                \
	static Datum name##_audited(FunctionCallInfo fcinfo, void *unused_arg)

/*
 * Begins the record of a message in a batch. Each message is recorded as a
 * separate call.
 */
extern void kg_audit_message_begin(KgAudited *message);
extern void kg_audit_message_end(KgAudited *message);

extern void kg_audit_name_call(const char *tool, const Jsonb *arguments);
extern void kg_audit_reply_call(KgAudited *call, const Jsonb *reply);
extern void kg_audit_entity_call(const Jsonb *data);
extern void kg_audit_version_call(const char *version, const char *operation);
extern void kg_audit_query_call(const Jsonb *query);
extern void kg_audit_statement_call(const char *sql);
extern const char *kg_audit_code(const ErrorData *edata);

/* Records the call under the name of a tool, with its arguments. */
static inline void
kg_audit_name(const char *tool, const Jsonb *arguments)
{
	if (unlikely(kg_audited != NULL))
		kg_audit_name_call(tool, arguments);
}

/*
 * Sets the reply that is recorded, if it differs from the result of the SQL
 * function.
 */
static inline void
kg_audit_reply(const Jsonb *reply)
{
	if (unlikely(kg_audited != NULL))
		kg_audit_reply_call(kg_audited, reply);
}

/*
 * Sets the recorded reply to the data of one entity, or to NULL. Objects within
 * the data do not count as further entities.
 */
static inline void
kg_audit_entity(const Jsonb *data)
{
	if (unlikely(kg_audited != NULL) && data != NULL)
		kg_audit_entity_call(data);
}

/*
 * Records the version of the registered tool, and the name of the operation
 * that the tool runs.
 */
static inline void
kg_audit_version(const char *version, const char *operation)
{
	if (unlikely(kg_audited != NULL))
		kg_audit_version_call(version, operation);
}

/* Records an error that is returned as the reply instead of being raised. */
static inline void
kg_audit_error(const ErrorData *edata)
{
	if (unlikely(kg_audited != NULL))
		kg_audited->code = kg_audit_code(edata);
}

/* Records an error by its number, for a protocol with numeric error codes. */
static inline void
kg_audit_error_number(int number)
{
	if (unlikely(kg_audited != NULL))
		kg_audited->code = psprintf("%d", number);
}

static inline void
kg_audit_edges(int64 n)
{
	if (unlikely(kg_audited != NULL))
		kg_audited->edges += n;
}

static inline void
kg_audit_decisions(int64 n)
{
	if (unlikely(kg_audited != NULL))
		kg_audited->decisions += n;
}

/*
 * Returns true if the record of the running call also contains the analysed
 * query of a list tool and the SQL statements that it runs
 * (kg_graph.audit_arguments = full).
 */
static inline bool
kg_audit_is_full(void)
{
	return unlikely(kg_audited != NULL) &&
		   kg_setting_audit_arguments == KG_AUDIT_FULL;
}

static inline void
kg_audit_statement(const char *sql)
{
	if (kg_audit_is_full())
		kg_audit_statement_call(sql);
}

#endif /* KG_AUDIT_H */
