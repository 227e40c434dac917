/*
 * progress.h
 *	  Progress on standard error during long operations: on a terminal one
 *	  line that is overwritten, otherwise a line per minute.
 */
#ifndef KG_KGCTL_PROGRESS_H
#define KG_KGCTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct KgProgress
{
	char label[256];
	char phase[64];	  /* as reported by the server, or empty */
	const char *unit; /* unit of the count; NULL: only time is shown */
	char total[32];	  /* of a phase, with its unit */
	uint64_t count;	  /* the count so far */
	uint64_t skipped; /* the part of count before this run */
	double done;	  /* fraction of the whole; 0: unknown */
	double begun;	  /* the part of done before this run */
	struct timespec start;
	struct timespec phase_start; /* when the first count of the phase came */
	double phase_elapsed;		 /* from then to the newest count, in seconds */
	double shown;				 /* when last shown, in seconds; 0: not yet */
	bool terminal;
} KgProgress;

extern double kg_seconds_since(const struct timespec *start);

extern void kg_progress_start(KgProgress *progress, const char *label);

/*
 * Sets the progress of a phase that the server has reported. It is shown
 * instead of the label. total 0 means unknown.
 */
extern void kg_progress_told(KgProgress *progress, const char *phase,
							 uint64_t done, uint64_t total);

/*
 * Shows the progress if it is due. sending means that the command waits for the
 * network.
 */
extern void kg_progress_show(KgProgress *progress, bool sending);

/* Ends the line on a terminal. */
extern void kg_progress_end(KgProgress *progress);

/* Clears the line on a terminal before a message. */
extern void kg_progress_clear(KgProgress *progress);

#endif /* KG_KGCTL_PROGRESS_H */
