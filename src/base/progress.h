/*
 * progress.h
 *	  What the client is told while a statement runs: a NOTICE of an SQLSTATE of
 *	  ours, whose text is JSON.
 */
#ifndef KG_PROGRESS_H
#define KG_PROGRESS_H

#include "portability/instr_time.h"

#define KG_TELL_MCP MAKE_SQLSTATE('K', 'G', 'M', 'C', 'P')
#define KG_TELL_PROGRESS MAKE_SQLSTATE('K', 'G', 'P', 'R', 'O')

extern void kg_tell(int sqlstate, const char *json);

/*
 * Work that may take long, of rows; it is on the stack of who does it.  Every
 * kg_graph.progress milliseconds it is told how far it is, the first time when
 * it has taken so long; not at all where that is -1.
 */
typedef struct KgWork
{
	const char *what; /* a constant, in words; NULL: it is not told */
	int64 done;
	int64 total; /* -1: not known */
	instr_time begun;
	double next; /* milliseconds from there when it is told again */
} KgWork;

/* No number may tell of what is hidden from the caller. */
extern void kg_work_begin(KgWork *work, const char *what, int64 total);

/* So many more; for each batch. */
extern void kg_work_done(KgWork *work, int64 n);

#endif /* KG_PROGRESS_H */
