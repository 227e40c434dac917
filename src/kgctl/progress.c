/*
 * progress.c
 *	  Progress on standard error during long operations.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/log.h"
#include "kgctl/progress.h"
#include "kgctl/show.h"

/*
 * Seconds before the first output on a terminal, between outputs on a terminal,
 * and between lines in a log.
 */
#define TERMINAL_FIRST 0.3
#define TERMINAL_EACH 0.2
#define LOG_EACH 60

/*
 * Width of a line of progress, so that it overwrites the previous line
 * completely.
 */
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

void
kg_progress_told(KgProgress *progress, const char *phase, uint64_t done,
				 uint64_t total)
{
	char shown[sizeof(progress->phase)];

	kg_show(shown, sizeof(shown), phase, false);
	/*
	 * The phase has changed, or was repeated for the next type or in another
	 * attempt.
	 */
	if (strcmp(shown, progress->phase) != 0 || done < progress->count)
	{
		memcpy(progress->phase, shown, sizeof(shown));
		clock_gettime(CLOCK_MONOTONIC, &progress->phase_start);
		progress->skipped = done;
		progress->begun = total > 0 ? (double) done / (double) total : 0;
	}
	progress->phase_elapsed = kg_seconds_since(&progress->phase_start);
	progress->count = done;
	progress->done = total > 0 ? (double) done / (double) total : 0;
	if (total > 0)
		snprintf(progress->total,
				 sizeof(progress->total),
				 "of %llu",
				 (unsigned long long) total);
	progress->unit = total > 0 ? progress->total : "so far";
}

/* Writes a text such as "1250000 rows, 21300/s, 3 min left". */
static void
say_count(const KgProgress *progress, double elapsed, char *out, size_t size)
{
	double part = progress->done - progress->begun;
	size_t at;

	at = (size_t) snprintf(out,
						   size,
						   "%llu %s",
						   (unsigned long long) progress->count,
						   progress->unit);
	if (elapsed > 0.1)
		at += (size_t) snprintf(out + at,
								size - at,
								", %.0f/s",
								(double) (progress->count - progress->skipped) /
									elapsed);
	if (part > 0.001 && elapsed > 1 && progress->done < 1)
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
	const char *label = progress->phase[0] ? progress->phase : progress->label;
	char text[128];

	if (progress->terminal ? elapsed < TERMINAL_FIRST ||
								 elapsed - progress->shown < TERMINAL_EACH
						   : elapsed - progress->shown < LOG_EACH)
		return;
	if (progress->phase[0] != '\0')
	{
		size_t len;

		/* The elapsed time is shown even if the count has not changed. */
		say_count(progress, progress->phase_elapsed, text, sizeof(text));
		len = strlen(text);
		snprintf(text + len, sizeof(text) - len, " (%.1f s)", elapsed);
	}
	else if (progress->unit != NULL)
		say_count(progress, elapsed, text, sizeof(text));
	else
		snprintf(text,
				 sizeof(text),
				 "%.1f s%s",
				 elapsed,
				 sending ? " (sending)" : "");
	progress->shown = elapsed;
	if (!progress->terminal)
		kg_error("%s ... %s", label, text);
	else
	{
		int width = fprintf(stderr, "\r%s ... %s", label, text) - 1;

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
	if (progress->unit == NULL || progress->phase[0] != '\0')
		fprintf(stderr, "%s: %.1f s\n", progress->label, elapsed);
}

void
kg_progress_clear(KgProgress *progress)
{
	if (progress->terminal && progress->shown > 0)
		fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
}
