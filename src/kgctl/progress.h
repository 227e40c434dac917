/*
 * progress.h
 *	  What is said on standard error while something takes long: on a terminal a
 *	  line that is written over, otherwise a line a minute.
 */
#ifndef KG_KGCTL_PROGRESS_H
#define KG_KGCTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct KgProgress
{
	char label[256];
	char phase[64];	  /* of which the server tells, or empty */
	const char *unit; /* of what is counted, or NULL: only time is shown */
	char total[32];	  /* of a phase, as its unit */
	uint64_t count;	  /* so far; */
	uint64_t skipped; /* of these not in this run, so not of its rate */
	double done;	  /* part of the whole, or 0 where that is not known; */
	double begun;	  /* of it before this run */
	struct timespec start;
	struct timespec phase_start; /* when its first count came, */
	double phase_elapsed;		 /* and how much later the newest */
	double shown; /* when it was last said, in seconds; 0: not yet */
	bool terminal;
} KgProgress;

extern double kg_seconds_since(const struct timespec *start);

extern void kg_progress_start(KgProgress *progress, const char *label);

/*
 * A part of it is so far, as the server tells: shown from now on instead of the
 * label.  A total of 0 is not known.
 */
extern void kg_progress_told(KgProgress *progress, const char *phase,
							 uint64_t done, uint64_t total);

/* Say it if it is time to; sending: what is waited for is the network. */
extern void kg_progress_show(KgProgress *progress, bool sending);

/* The last line, where one was shown on a terminal. */
extern void kg_progress_end(KgProgress *progress);

/* Make room for a message on a terminal. */
extern void kg_progress_clear(KgProgress *progress);

#endif /* KG_KGCTL_PROGRESS_H */
