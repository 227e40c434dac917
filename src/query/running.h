/*
 * running.h
 *	  The call that is running: its clock, and where its executors are held.
 */
#ifndef KG_RUNNING_H
#define KG_RUNNING_H

#include "utils/timestamp.h"

typedef struct KgRunning
{
	bool timed;			  /* there is a call */
	TimestampTz deadline; /* 0: none */
	MemoryContext host;	  /* of held executors; NULL: they are not held */
	bool own_host;		  /* the host goes before the call ends */
	int nest_level;		  /* of the transaction in which it was made */
} KgRunning;

/*
 * Around whatever runs a tool's statements, from its entry on and also after an
 * error (src/entry.h).  A call within a call runs on the outer one's clock.
 * The host is the context of the calling expression (FmgrInfo's fn_mcxt).
 */
extern void kg_running_enter(KgRunning *outer, MemoryContext host);
extern void kg_running_leave(const KgRunning *outer);

/* Is it past kg_graph.max_call_time? */
extern bool kg_running_late(void);
/* Raises KG_TIMEOUT where it is. */
extern void kg_running_check(void);

extern MemoryContext kg_running_host(void);

/*
 * Where the calling expression has no host, a search is one for its own
 * statements.  Every search that began ends, or an error ends the call.
 */
extern void kg_running_begin_search(MemoryContext search);
extern void kg_running_end_search(MemoryContext search);

/* Sets the executor's hook; when the module is loaded. */
extern void kg_running_init(void);

#endif /* KG_RUNNING_H */
