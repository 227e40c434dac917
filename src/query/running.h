/*
 * running.h
 *	  The call that is running: its clock, and the statements around it.
 */
#ifndef KG_RUNNING_H
#define KG_RUNNING_H

#include "utils/timestamp.h"

typedef struct KgRunning
{
	bool timed;			  /* there is a call */
	TimestampTz deadline; /* 0: none */
} KgRunning;

/*
 * Around whatever runs a tool's statements, from its entry on and also after an
 * error (src/entry.h).  A call within a call runs on the outer one's clock.
 */
extern void kg_running_enter(KgRunning *outer);
extern void kg_running_leave(const KgRunning *outer);

/* Is it past kg_graph.max_call_time? */
extern bool kg_running_late(void);
/* Raises KG_TIMEOUT where it is. */
extern void kg_running_check(void);

/*
 * Is there a statement whose end is known to us?  Not in a function that a
 * client calls by the fast path.
 */
extern bool kg_running_within_statement(void);

/* Sets the hooks of statements; when the module is loaded. */
extern void kg_running_init(void);

#endif /* KG_RUNNING_H */
