/*
 * log.c
 *	  Messages of kgctl on standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kgctl/log.h"
#include "kgctl/show.h"

static const char *const names[] = {"error", "warning", "info", "debug"};
/* Prefixes of log lines for the systemd journal, see sd-daemon(3). */
static const char *const journal[] = {"<3>", "<4>", "<6>", "<7>"};

static KgLogLevel level_wanted = KG_LOG_INFO;
static bool server;
static bool to_journal;

bool
kg_log_set_level(const char *name)
{
	for (int i = 0; i < 4; i++)
		if (strcmp(name, names[i]) == 0)
		{
			level_wanted = (KgLogLevel) i;
			return true;
		}
	return false;
}

bool
kg_log_wanted(KgLogLevel level)
{
	return level <= level_wanted;
}

void
kg_log_server(void)
{
	server = true;
	to_journal = getenv("JOURNAL_STREAM") != NULL;
}

static void write_line(KgLogLevel level, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

static void
write_line(KgLogLevel level, const char *fmt, va_list args)
{
	char text[2048];
	char line[2 * sizeof(text)];
	size_t at = 0;

	if (to_journal)
		at = (size_t) snprintf(line, sizeof(line), "%s", journal[level]);
	else if (server)
	{
		time_t now = time(NULL);
		struct tm tm;

		gmtime_r(&now, &tm);
		at = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%SZ ", &tm);
		at += (size_t) snprintf(
			line + at, sizeof(line) - at, "%s ", names[level]);
	}
	else
		at = (size_t) snprintf(line, sizeof(line), "kgctl: ");
	if (vsnprintf(text, sizeof(text), fmt, args) < 0)
		return;
	/*
	 * A server writes each message as one line, even if the text contains
	 * newlines.
	 */
	at += kg_show(line + at, sizeof(line) - at - 1, text, !server);
	line[at++] = '\n';
	/* Ignore the failure, because it must not stop the server. */
	if (write(STDERR_FILENO, line, at) < 0)
		return;
}

void
kg_log(KgLogLevel level, const char *fmt, ...)
{
	va_list args;

	if (!kg_log_wanted(level))
		return;
	va_start(args, fmt);
	write_line(level, fmt, args);
	va_end(args);
}

void
kg_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	kg_verror(fmt, args);
	va_end(args);
}

void
kg_verror(const char *fmt, va_list args)
{
	write_line(KG_LOG_ERROR, fmt, args);
}
