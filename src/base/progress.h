/*
 * progress.h
 *	  Progress reports to the client while a statement runs: NOTICEs with an
 *	  SQLSTATE of kg_graph and JSON text.
 */
#ifndef KG_PROGRESS_H
#define KG_PROGRESS_H

#include "portability/instr_time.h"

#define KG_TELL_MCP MAKE_SQLSTATE('K', 'G', 'M', 'C', 'P')
#define KG_TELL_PROGRESS MAKE_SQLSTATE('K', 'G', 'P', 'R', 'O')

extern void kg_tell(int sqlstate, const char *json);

/*
 * The progress of a long operation, counted in rows.
 *
 * It is on the stack of the function that works. A report is sent every
 * kg_graph.progress milliseconds; the first report comes after this time. If
 * the setting is -1, no report is sent.
 */
typedef struct KgWork
{
	/* the operation in words, a string constant; NULL: no reports */
	const char *what;
	int64 done;
	int64 total; /* rows; -1: unknown */
	instr_time begun;
	/* time of the next report; milliseconds since the start */
	double next;
} KgWork;

/*
 * Begins reporting.  The total must not reveal rows that are hidden from the
 * caller.
 */
extern void kg_work_begin(KgWork *work, const char *what, int64 total);

/*
 * Adds n rows to the rows done, and reports the progress to the client if it is
 * due. Called for each batch.
 */
extern void kg_work_done(KgWork *work, int64 n);

#endif /* KG_PROGRESS_H */
