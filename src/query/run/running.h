/*
 * running.h
 *	  The running call: its clock, its limits, and the data that
 *	  kg_explain reports about it.
 */
#ifndef KG_RUNNING_H
#define KG_RUNNING_H

#include "auth/place.h"
#include "model/catalog.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

/* The data that kg_explain reports about a call. */
typedef struct KgExplained
{
	MemoryContext context;
	List *statements; /* list of KgStatement *, each SQL text once */
	/* sum of the estimates (query/graph/cost.h); < 0: no estimate */
	double cost;
} KgExplained;

/*
 * A deadline of a call, and the name of the setting or argument that set the
 * deadline, for messages.
 */
typedef struct KgClock
{
	TimestampTz end; /* 0: never */
	const char *name;
	int ms;
} KgClock;

/*
 * Whether a registered tool runs its function, and whether the function
 * writes.
 */
typedef enum KgFunctionRuns
{
	KG_NO_FUNCTION,
	KG_FUNCTION_READS,
	KG_FUNCTION_WRITES,
	/* writes, and the user has confirmed the whole function */
	KG_FUNCTION_CONFIRMED
} KgFunctionRuns;

/* A call. It lives on the stack of its entry (src/entry.h), which ends it. */
typedef struct KgCall
{
	/* kg_contained() has made the transaction read-only */
	bool contained;
	/* if contained: the transaction was read-only before */
	bool read_only;
	KgClock clock;
	/*
	 * the deadline that the caller requested by an argument; ends writes, too
	 */
	KgClock asked;
	KgExplained *explained; /* NULL: not requested */
	MemoryContext context;	/* kg_running_memory(); NULL: not used yet */
	/* created when needed (query/run/decisions.h) */
	struct KgDecisions *decisions;
	/* the call writes: it runs no statements of tools and has no clock */
	bool writes;
	bool registered;		 /* a registered tool runs */
	KgFunctionRuns function; /* function of the registered tool */
	/* the call has lowered settings until it ends */
	bool lowered;
	const struct KgLimits *limits; /* limits of the caller; NULL: no limits */
	KgPlace place;
	/* number of edges that graph searches have read */
	int64 edges;
	struct KgValidity *validity; /* query/time/validity.h; NULL: no valid_at */
	/* the running tool, for query/argument/repair.h */
	const char *tool;
	const Jsonb *arguments;
	/* the reply that was measured last, and the length of its text in bytes */
	const Jsonb *measured;
	Size measured_size;
	/* current time of the call, "now"; 0: not read yet */
	TimestampTz now;
	struct KgPast *past;	  /* query/time/past.h; NULL: no as_of */
	const KgCatalog *catalog; /* kg_running_catalog(); NULL: not read yet */
	/* kg_own_changes() when the catalog was read (base/invalidate.h) */
	uint64 catalog_changes;
	struct KgCall *outer;
} KgCall;

/*
 * Begin and end a call. They enclose everything that runs a tool's statements,
 * from its entry on; kg_running_leave() must be called after an error, too. A
 * nested call uses the outer call's clock.
 */
extern void kg_running_enter(KgCall *call, bool writes);
extern void kg_running_leave(KgCall *call);

/*
 * Applies the caller's limits (auth/limits.h) until the call ends. Called as
 * soon as the caller is known. A nested call has the limits of the outer call.
 */
extern void kg_running_limit(void);

/*
 * Raises KG_LIMIT_EXCEEDED if the caller's limits allow no call, or no further
 * call.
 */
extern void kg_running_admit(void);

/* Returns the running tool call, or NULL. */
extern KgCall *kg_running_call(void);
/* Returns whether a write runs, in a call of a tool or outside. */
extern bool kg_running_writes(void);

/*
 * Returns the caller's catalog. It does not change until the call ends, even if
 * other sessions commit changes; only a change by this session replaces it. So
 * types and fields of one call can be compared by their addresses.
 */
extern const KgCatalog *kg_running_catalog(void);

/*
 * Returns the call's catalog if it has been read and was read for the present
 * caller; otherwise NULL.
 */
extern const KgCatalog *kg_running_catalog_read(void);

/*
 * Raise an error if the caller has lost its rights since the call began: its
 * grant, its agent or a bundle of the agent was removed, or its tenant was
 * renamed. Without this check the policies would hide the rows and the call
 * would find nothing, without a reason. tenant may be NULL.
 */
extern void kg_running_require_tenant(const char *tenant);
extern void kg_running_require_bundle(const char *bundle, int len);

/*
 * Begins a tool, within the call or after another tool. Resets the times
 * (as_of, valid_at) of the tool before.
 */
extern void kg_running_begin_tool(void);

/* Stores the reply of a tool that runs in a call, and its length as text. */
extern void kg_running_measured(const Jsonb *reply, Size size);
/*
 * Returns the length of the reply if it is the reply that was measured last;
 * otherwise 0.
 */
extern Size kg_running_size(const Jsonb *reply);

/*
 * Sets a deadline of the running call, "ms" milliseconds from now, unless the
 * call has an earlier deadline. name is the setting or argument that error
 * messages name.
 */
extern void kg_running_limit_time(const char *name, int ms);
/*
 * Sets the time limit that the caller requested. It also applies to calls that
 * write.
 */
extern void kg_running_limit_asked(const char *name, int ms);

/* Returns whether the call is past its deadline. */
extern bool kg_running_late(void);

/*
 * Runs the work of the call, which must be a call that reads. When the time of
 * the call's clock is over, the work ends at the first point at which it can
 * be cancelled. KG_TIMEOUT is then raised, or the error of another cancel. If
 * timed work of this call runs within this work, only the inner work is ended.
 */
extern void kg_running_timed(void (*work)(void *arg), void *arg);

/*
 * Runs the work as a call that reads, within the running call or without one,
 * so that the limits of a reading call apply.
 */
extern void kg_running_read(void (*work)(void *arg), void *arg);

/*
 * Runs work that writes within the call. The clock of the call stops during
 * the work. Only the time limit that the caller requested
 * (kg_running_limit_asked()) can end the work.
 */
extern void kg_running_writing(void (*work)(void *arg), void *arg);

/*
 * Enclose a registered tool, whose operations may call any tool except a
 * registered one. After an error, the next call of
 * kg_running_begin_registered() ends the failed tool.
 */
extern void kg_running_begin_registered(void);
extern void kg_running_end_registered(void);

/* Notes that the call begins or ends the function of a registered tool. */
extern void kg_running_set_function(KgFunctionRuns function);
/*
 * Returns the state of the function of the innermost registered tool that runs.
 */
extern KgFunctionRuns kg_running_function(void);

/* Returns a memory context that is deleted when the call ends. */
extern MemoryContext kg_running_memory(KgCall *call);

#endif /* KG_RUNNING_H */
