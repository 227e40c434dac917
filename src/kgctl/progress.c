/*
 * progress.c
 *	  What is said on standard error while something takes long.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/log.h"
#include "kgctl/progress.h"
#include "kgctl/show.h"

/* Seconds before the first word, and from one to the next. */
#define TERMINAL_FIRST 0.3
#define TERMINAL_EACH 0.2
#define LOG_EACH 60

/* A line is written over by one that is at least as long. */
#define LINE_WIDTH 78

double
kg_seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) (now.tv_sec - start->tv_sec) +
		   (double) (now.tv_nsec - start->tv_nsec) / 1e9;
}

void
kg_progress_start(KgProgress *progress, const char *label)
{
	memset(progress, 0, sizeof(*progress));
	kg_show(progress->label, sizeof(progress->label), label, false);
	progress->terminal = isatty(STDERR_FILENO) != 0;
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
}

static void
add_time(char *out, size_t size, double seconds)
{
	if (seconds < 90)
		snprintf(out, size, "%.0f s", seconds);
	else if (seconds < 90 * 60)
		snprintf(out, size, "%.0f min", seconds / 60);
	else
		snprintf(out, size, "%.1f h", seconds / 3600);
}

/* "1250000 rows, 21300/s, 3 min left" */
static void
say_count(const KgProgress *progress, double elapsed, char *out, size_t size)
{
	double part = progress->done - progress->begun;
	size_t at;

	at = (size_t) snprintf(out,
						   size,
						   "%llu %s, %.0f/s",
						   (unsigned long long) progress->count,
						   progress->unit,
						   (double) (progress->count - progress->skipped) /
							   elapsed);
	if (part > 0.001 && elapsed > 1)
	{
		char left[32];

		add_time(
			left, sizeof(left), elapsed * (1 - progress->done) / part + 0.5);
		snprintf(out + at, size - at, ", %s left", left);
	}
}

void
kg_progress_show(KgProgress *progress, bool sending)
{
	double elapsed = kg_seconds_since(&progress->start);
	char text[128];

	if (progress->terminal ? elapsed < TERMINAL_FIRST ||
								 elapsed - progress->shown < TERMINAL_EACH
						   : elapsed - progress->shown < LOG_EACH)
		return;
	if (progress->unit != NULL)
		say_count(progress, elapsed, text, sizeof(text));
	else
		snprintf(text,
				 sizeof(text),
				 "%.1f s%s",
				 elapsed,
				 sending ? " (sending)" : "");
	progress->shown = elapsed;
	if (!progress->terminal)
		kg_error("%s ... %s", progress->label, text);
	else
	{
		int width = fprintf(stderr, "\r%s ... %s", progress->label, text) - 1;

		fprintf(stderr, "%*s", width < LINE_WIDTH ? LINE_WIDTH - width : 0, "");
		fflush(stderr);
	}
}

void
kg_progress_end(KgProgress *progress)
{
	double elapsed = kg_seconds_since(&progress->start);

	if (!progress->terminal || progress->shown <= 0)
		return;
	kg_progress_clear(progress);
	if (progress->unit == NULL)
		fprintf(stderr, "%s: %.1f s\n", progress->label, elapsed);
}

void
kg_progress_clear(KgProgress *progress)
{
	if (progress->terminal && progress->shown > 0)
		fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
}
