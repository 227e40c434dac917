/*
 * running.h
 *	  The call that is running: its clock, and what kg_explain tells of it.
 */
#ifndef KG_RUNNING_H
#define KG_RUNNING_H

#include "auth/place.h"
#include "model/catalog.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

/* What kg_explain tells of a call. */
typedef struct KgExplained
{
	MemoryContext context;
	List *statements; /* KgStatement *, each text once */
	double cost;	  /* sum of the estimates (query/graph/cost.h); < 0: none */
} KgExplained;

/* When a call ends, and what says so. */
typedef struct KgClock
{
	TimestampTz end; /* 0: never */
	const char *name;
	int ms;
} KgClock;

/* A call: on the stack of its entry (src/entry.h), which ends it. */
typedef struct KgCall
{
	bool contained; /* it may write nothing, */
	bool read_only; /* and might not have, without that */
	KgClock clock;
	KgClock asked; /* by the caller itself: what writes ends then, too */
	KgExplained *explained; /* NULL: nobody asks */
	struct KgDecisions
		*decisions;	 /* made when needed (query/run/decisions.h) */
	bool writes;	 /* no statements of a tool, and no clock */
	bool registered; /* a registered tool runs */
	bool lowered;	 /* settings, until it ends */
	const struct KgLimits *limits; /* of who calls; NULL: none */
	KgPlace place;
	int64 edges;				 /* that graph searches read */
	struct KgValidity *validity; /* query/time/validity.h; NULL: nobody asks */
	const char *tool; /* that runs, and with what: query/argument/repair.h */
	const Jsonb *arguments;
	const Jsonb *measured; /* the last reply, and its length as text */
	Size measured_size;
	TimestampTz now;		  /* what "now" means; 0: not asked */
	struct KgPast *past;	  /* query/time/past.h; NULL: nobody asks */
	const KgCatalog *catalog; /* kg_running_catalog(); NULL: not asked for, */
	uint64 catalog_changes;	  /* this session's own (base/invalidate.h) then */
	struct KgCall *outer;
} KgCall;

/*
 * Around whatever runs a tool's statements, from its entry on and also after an
 * error.  A call within a call runs on the outer one's clock.
 */
extern void kg_running_enter(KgCall *call, bool writes);
extern void kg_running_leave(KgCall *call);

/*
 * As soon as it is known who calls: the limits of the caller hold (auth/limits.h)
 * until the call ends.  A call within a call has those of the outer one.
 */
extern void kg_running_limit(void);

/* Raises KG_LIMIT_EXCEEDED where these allow no call, or not one more. */
extern void kg_running_admit(void);

/* The call of a tool that runs, or NULL. */
extern KgCall *kg_running_call(void);

/*
 * The catalog of whoever calls.  It is the same until the call ends, whatever
 * others commit, unless this session changes what it shows: types and fields of one
 * call are compared by their addresses.
 */
extern const KgCatalog *kg_running_catalog(void);

/*
 * The same where it was asked for, and who calls is whom it was read for; or NULL.
 */
extern const KgCatalog *kg_running_catalog_read(void);

/*
 * The policies hide what the caller may not see now.  Where that is because its
 * grant, its agent or a bundle of that was taken from it since the call began, or
 * because its tenant was renamed, the call is refused: it would find nothing, and not say why.
 */
extern void kg_running_require_tenant(const char *tenant); /* or NULL */
extern void kg_running_require_bundle(const char *bundle, int len);

/*
 * A tool begins, within the call or after another one: it is not asked about
 * the times that the other one was.
 */
extern void kg_running_begin_tool(void);

/* What a tool that runs in a call answers, and how long that is as text. */
extern void kg_running_measured(const Jsonb *reply, Size size);
/* How long it is, where it is the last that was measured; or 0. */
extern Size kg_running_size(const Jsonb *reply);

/* The call that runs ends in so many milliseconds, where it would end later. */
extern void kg_running_limit_time(const char *name, int ms);
/* The same, asked for by who calls, of what writes as well. */
extern void kg_running_limit_asked(const char *name, int ms);

/* Is it past its end? */
extern bool kg_running_late(void);

/*
 * Does the work of the call, which must be one that reads.  Its clock ends the
 * work wherever the work can be cancelled: raises KG_TIMEOUT then, or the error of
 * another cancel.  If timed work of the same call runs within this work, that work
 * ends alone, and the rest of this work goes on.
 */
extern void kg_running_timed(void (*work)(void *arg), void *arg);

/*
 * Does work that writes, within the call: its clock stands still, and only the
 * time that the caller asked for ends it.
 */
extern void kg_running_writing(void (*work)(void *arg), void *arg);

/*
 * Around a registered tool, whose operations may call anything but one; an error
 * ends it by the next beginning.
 */
extern void kg_running_begin_registered(void);
extern void kg_running_end_registered(void);

/* When the module is loaded. */
extern void kg_running_init(void);

#endif /* KG_RUNNING_H */
