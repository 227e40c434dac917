/*
 * audit.h
 *	  Who called what, and what became of it: kg_graph.audit.
 *
 * A record is made where a call leaves its SQL function (KG_AUDITED,
 * src/entry.c), errors included.  What happens within tells it what it knows;
 * where nothing is recorded, each of these is a test of one pointer.
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

/* A call that will be recorded: on the stack of who records it. */
typedef struct KgAudited
{
	bool writes;
	const char *tool;
	const char *tool_version; /* of a registered tool, or NULL */
	const char *operation;	  /* that it ran, or NULL */
	const char *arguments;	  /* a member of the record, or NULL */
	TimestampTz at;
	instr_time start;
	const char *role;
	const char *tenant; /* NULL: none */
	const char *agent;
	bool replied; /* rows and bytes are known */
	int64 rows;
	int64 bytes;
	int64 edges;
	int64 decisions;
	const char *code;	/* of an error that is the reply, or NULL */
	const Jsonb *query; /* as it was understood, or NULL */
	List *statements;	/* their text */
	MemoryContext context;
	List *records; /* finished; of a batch, those of its messages */
	bool is_batch;
	struct KgAudited *outer; /* the batch */
} KgAudited;

/* The innermost, or NULL. */
extern KgAudited *kg_audited;

/* What a function is, to the setting and to the record. */
#define KG_AUDIT_READS 0
#define KG_AUDIT_WRITES 1
#define KG_AUDIT_SECRET 2 /* its own arguments are not recorded */

typedef Datum (*KgAuditBody)(FunctionCallInfo fcinfo, void *arg);

extern Datum kg_audit_run(FunctionCallInfo fcinfo, int kind, KgAuditBody body,
						  void *arg);

/*
 * The function that SQL calls, and the begin of its body, which gets no NULL:
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

/* The same of one to whose body a NULL says something. */
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

/* A message of a batch is a call of its own. */
extern void kg_audit_message_begin(KgAudited *message);
extern void kg_audit_message_end(KgAudited *message);

extern void kg_audit_name_call(const char *tool, const Jsonb *arguments);
extern void kg_audit_reply_call(KgAudited *call, const Jsonb *reply);
extern void kg_audit_entity_call(const Jsonb *data);
extern void kg_audit_version_call(const char *version, const char *operation);
extern void kg_audit_query_call(const Jsonb *query);
extern void kg_audit_statement_call(const char *sql);
extern const char *kg_audit_code(const ErrorData *edata);

/* A call by name: it is recorded by that. */
static inline void
kg_audit_name(const char *tool, const Jsonb *arguments)
{
	if (unlikely(kg_audited != NULL))
		kg_audit_name_call(tool, arguments);
}

/* What it answers, where that is not all that its function returns. */
static inline void
kg_audit_reply(const Jsonb *reply)
{
	if (unlikely(kg_audited != NULL))
		kg_audit_reply_call(kg_audited, reply);
}

/* The reply is an entity's data, whose members tell of no others, or NULL. */
static inline void
kg_audit_entity(const Jsonb *data)
{
	if (unlikely(kg_audited != NULL) && data != NULL)
		kg_audit_entity_call(data);
}

/* Which version of a registered tool runs, and which of its operations. */
static inline void
kg_audit_version(const char *version, const char *operation)
{
	if (unlikely(kg_audited != NULL))
		kg_audit_version_call(version, operation);
}

/* An error that is the reply. */
static inline void
kg_audit_error(const ErrorData *edata)
{
	if (unlikely(kg_audited != NULL))
		kg_audited->code = kg_audit_code(edata);
}

/* The same of a protocol, whose numbers are its codes. */
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

/* Is the query wanted, and its SQL? */
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
