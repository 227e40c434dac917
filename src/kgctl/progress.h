/*
 * progress.h
 *	  Progress on standard error during long operations: on a terminal a line
 *	  that is updated, otherwise a new line each minute.
 */
#ifndef KG_KGCTL_PROGRESS_H
#define KG_KGCTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct KgProgress
{
	char label[256];
	char phase[64]; /* name of the phase, as reported by the server, or empty */
	const char *unit; /* unit of the count; NULL: only time is shown */
	char total[32];	  /* total of the phase, with its unit */
	uint64_t count;	  /* the count so far */
	uint64_t skipped; /* the part of count that an earlier run has done */
	double done;	  /* completed fraction of the whole; 0: unknown */
	double begun; /* the value of the member done at the start of this run */
	struct timespec start;
	struct timespec phase_start; /* time of the first count of the phase */
	double phase_elapsed; /* seconds from phase_start to the newest count */
	double shown; /* seconds from start to the last output; 0: no output yet */
	bool terminal;
} KgProgress;

extern double kg_seconds_since(const struct timespec *start);

extern void kg_progress_start(KgProgress *progress, const char *label);

/*
 * Sets the progress of a phase that the server has reported. It is shown
 * instead of the command's label. total 0 means unknown.
 */
extern void kg_progress_told(KgProgress *progress, const char *phase,
							 uint64_t done, uint64_t total);

/*
 * Shows the progress if it is due. sending means that the command waits until
 * data are sent.
 */
extern void kg_progress_show(KgProgress *progress, bool sending);

/* Ends the line of progress on a terminal. */
extern void kg_progress_end(KgProgress *progress);

/* Clears the line of progress on a terminal, before a message is printed. */
extern void kg_progress_clear(KgProgress *progress);

#endif /* KG_KGCTL_PROGRESS_H */
