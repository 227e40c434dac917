/*
 * metrics.c
 *	  The metrics of kgctl serve, in the text format 0.0.4 of Prometheus.
 *
 * docs/monitoring.md lists their names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kgctl/metrics.h"

/*
 * Maximal number of tools with their own time series. All other tools share one
 * time series.
 */
#define MAX_TOOLS 100
#define MAX_ERRORS 64
#define MAX_CODE 32
#define OTHER "other"
#define AUTHORIZER_REQUESTS "kgctl_authorizer_requests_total"
#define RATE_LIMITED "kgctl_rate_limited_total"
#define READER_CALLS "kgctl_reader_calls_total"
#define AUTHORIZER_DECISIONS "kgctl_authorizer_decisions_total"

typedef struct Times
{
	/* number of durations for each upper bound; the last bucket has no bound */
	uint64_t buckets[12];
	uint64_t sum_us;
	uint64_t count;
} Times;

typedef struct Tool
{
	char *name;
	Times times;
} Tool;

typedef struct ErrorCount
{
	KgErrorKind kind;
	char code[MAX_CODE];
	uint64_t count;
} ErrorCount;

static const double bounds[] = {
	0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10};

#define NBOUNDS (sizeof(bounds) / sizeof(bounds[0]))

static const struct
{
	const char *name;
	const char *labels; /* labels of the series, or NULL */
	const char *help;
} counter_names[KG_COUNTERS] = {
	{"kgctl_calls_cancelled_total",
	 NULL,
	 "Messages that were cancelled by their client."},
	{"kgctl_pool_connects_total", NULL, "Connections made to the database."},
	{"kgctl_pool_connect_failures_total",
	 NULL,
	 "Attempts to connect to the database that failed."},
	{"kgctl_pool_lost_total",
	 NULL,
	 "Connections to the database that were lost."},
	{"kgctl_queue_refused_total",
	 NULL,
	 "Messages refused because the queue was full."},
	{"kgctl_queue_expired_total",
	 NULL,
	 "Messages that waited for a connection and did not get one."},
	{AUTHORIZER_REQUESTS, "outcome=\"ok\"", "Requests to the authorizer."},
	{AUTHORIZER_REQUESTS, "outcome=\"timeout\"", NULL},
	{AUTHORIZER_REQUESTS, "outcome=\"status\"", NULL},
	{AUTHORIZER_REQUESTS, "outcome=\"malformed\"", NULL},
	{AUTHORIZER_REQUESTS, "outcome=\"unreachable\"", NULL},
	{AUTHORIZER_REQUESTS, "outcome=\"busy\"", NULL},
	{AUTHORIZER_DECISIONS,
	 "decision=\"allow\"",
	 "Decisions of the authorizer."},
	{AUTHORIZER_DECISIONS, "decision=\"deny\"", NULL},
	{"kgctl_authorizer_cache_hits_total",
	 NULL,
	 "Decisions that needed no request."},
	{RATE_LIMITED,
	 "limit=\"calls_per_minute\"",
	 "Messages refused because their caller's rate is exceeded."},
	{RATE_LIMITED, "limit=\"edges_per_minute\"", NULL},
	{READER_CALLS,
	 "outcome=\"answered\"",
	 "Calls sent to a standby. Unless outcome is answered, the primary was "
	 "called as well."},
	{READER_CALLS, "outcome=\"refused\"", NULL},
	{READER_CALLS, "outcome=\"behind\"", NULL},
	{READER_CALLS, "outcome=\"failed\"", NULL},
};

static const char *const methods[] = {"initialize",
									  "ping",
									  "tools/call",
									  "tools/list",
									  "prompts/list",
									  "prompts/get",
									  "resources/list",
									  "resources/templates/list",
									  "resources/read",
									  "resources/subscribe",
									  "resources/unsubscribe",
									  "completion/complete",
									  "logging/setLevel",
									  "server/discover",
									  "subscriptions/listen",
									  "notifications/initialized",
									  "notifications/cancelled",
									  "notifications/progress",
									  "batch",
									  OTHER};

#define NMETHODS (sizeof(methods) / sizeof(methods[0]))

static const char *const error_kinds[] = {"tool", "protocol", "sql", "gateway"};

#define NKINDS (sizeof(error_kinds) / sizeof(error_kinds[0]))

bool kg_metrics_wanted;

static uint64_t counters[KG_COUNTERS];
static uint64_t messages[NMETHODS];
static uint64_t statuses[600];
static Tool tools[MAX_TOOLS + 1] = {{OTHER, {{0}, 0, 0}}};
static size_t ntools = 1;
static Times authorizer_times;
static ErrorCount errors[MAX_ERRORS];
static size_t nerrors;

int64_t
kg_clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void
kg_count(KgCounter what)
{
	counters[what]++;
}

void
kg_count_message(const char *method)
{
	size_t i = 0;

	while (i < NMETHODS - 1 &&
		   (method == NULL || strcmp(methods[i], method) != 0))
		i++;
	messages[i]++;
}

void
kg_count_http(unsigned status)
{
	if (status < sizeof(statuses) / sizeof(statuses[0]))
		statuses[status]++;
}

static bool
plain_code(const char *code, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (code[i] <= ' ' || code[i] > '~' || code[i] == '"' ||
			code[i] == '\\')
			return false;
	return len > 0 && len < MAX_CODE;
}

static ErrorCount *
find_error(KgErrorKind kind, const char *code, size_t len)
{
	size_t i;

	for (i = 0; i < nerrors; i++)
		if (errors[i].kind == kind && strlen(errors[i].code) == len &&
			memcmp(errors[i].code, code, len) == 0)
			return &errors[i];
	/*
	 * The last slots are reserved for the series "other", one for each kind of
	 * error.
	 */
	if (i >= MAX_ERRORS - NKINDS && strncmp(code, OTHER, len) != 0)
		return NULL;
	nerrors++;
	errors[i].kind = kind;
	memcpy(errors[i].code, code, len);
	return &errors[i];
}

void
kg_count_error(KgErrorKind kind, const char *code, size_t len)
{
	ErrorCount *error = plain_code(code, len) ? find_error(kind, code, len)
											  : NULL;

	if (error == NULL)
		error = find_error(kind, OTHER, strlen(OTHER));
	error->count++;
}

static Tool *
find_tool(const char *name, bool known)
{
	size_t i;

	for (i = 1; name != NULL && i < ntools; i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	if (name == NULL || !known || ntools > MAX_TOOLS || strlen(name) > 128)
		return &tools[0];
	tools[ntools].name = kg_strdup(name);
	return &tools[ntools++];
}

static void
add_time(Times *times, int64_t us)
{
	size_t i = 0;

	while (i < NBOUNDS && (double) us > bounds[i] * 1000000)
		i++;
	times->buckets[i]++;
	times->sum_us += (uint64_t) us;
	times->count++;
}

void
kg_count_call(const char *tool, bool known, int64_t us)
{
	add_time(&find_tool(tool, known)->times, us);
}

void
kg_count_authorizer_time(int64_t us)
{
	add_time(&authorizer_times, us);
}

void
kg_metric_head(KgBuf *out, const char *name, const char *type, const char *help)
{
	kg_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
kg_metric_gauge(KgBuf *out, const char *name, const char *help, double value)
{
	kg_metric_head(out, name, "gauge", help);
	kg_buf_printf(out, "%s %.15g\n", name, value);
}

/* Writes the value of a label, escaped, without quotes. */
static void
write_label(KgBuf *out, const char *value)
{
	for (; *value != '\0'; value++)
	{
		if (*value == '\n')
			kg_buf_puts(out, "\\n");
		else
		{
			if (*value == '\\' || *value == '"')
				kg_buf_putc(out, '\\');
			kg_buf_putc(out, *value);
		}
	}
}

/*
 * Writes the labels of a series: label="value" and le. A label that is NULL is
 * omitted.
 */
static void
write_labels(KgBuf *out, const char *label, const char *value, const char *le)
{
	if (label == NULL && le == NULL)
		return;
	kg_buf_putc(out, '{');
	if (label != NULL)
	{
		kg_buf_printf(out, "%s=\"", label);
		write_label(out, value);
		kg_buf_puts(out, le != NULL ? "\"," : "\"");
	}
	if (le != NULL)
		kg_buf_printf(out, "le=\"%s\"", le);
	kg_buf_putc(out, '}');
}

static void
write_times(KgBuf *out, const char *name, const char *label, const char *value,
			const Times *times)
{
	uint64_t below = 0;
	char le[32];
	size_t i;

	for (i = 0; i <= NBOUNDS; i++)
	{
		if (i < NBOUNDS)
			snprintf(le, sizeof(le), "%g", bounds[i]);
		below += times->buckets[i];
		kg_buf_printf(out, "%s_bucket", name);
		write_labels(out, label, value, i < NBOUNDS ? le : "+Inf");
		kg_buf_printf(out, " %llu\n", (unsigned long long) below);
	}
	kg_buf_printf(out, "%s_sum", name);
	write_labels(out, label, value, NULL);
	kg_buf_printf(out, " %.6f\n", (double) times->sum_us / 1000000);
	kg_buf_printf(out, "%s_count", name);
	write_labels(out, label, value, NULL);
	kg_buf_printf(out, " %llu\n", (unsigned long long) times->count);
}

static void
write_tools(KgBuf *out)
{
	static const char name[] = "kgctl_call_duration_seconds";
	size_t i;

	kg_metric_head(out,
				   name,
				   "histogram",
				   "Time of calls of tools, from the message to its answer.");
	for (i = 0; i < ntools; i++)
		write_times(out, name, "tool", tools[i].name, &tools[i].times);
}

static void
write_errors(KgBuf *out)
{
	size_t i;

	kg_metric_head(out,
				   "kgctl_errors_total",
				   "counter",
				   "Answers that are errors, by the part that reports the "
				   "error, and code.");
	for (i = 0; i < nerrors; i++)
		kg_buf_printf(out,
					  "kgctl_errors_total{kind=\"%s\",code=\"%s\"} %llu\n",
					  error_kinds[errors[i].kind],
					  errors[i].code,
					  (unsigned long long) errors[i].count);
}

/*
 * Writes metrics of the process, with the names that Prometheus client
 * libraries use.
 */
static void
write_process(KgBuf *out)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL)
		return;
	if (fscanf(file, "%*s %lu", &pages) == 1)
		kg_metric_gauge(out,
						"process_resident_memory_bytes",
						"Resident memory size in bytes.",
						(double) pages * (double) sysconf(_SC_PAGESIZE));
	fclose(file);
}

static void
write_counter(KgBuf *out, size_t i)
{
	/*
	 * Prometheus requires all series of one name to be adjacent, so write the
	 * lines HELP and TYPE of a name only once.
	 */
	if (counter_names[i].help != NULL)
		kg_metric_head(
			out, counter_names[i].name, "counter", counter_names[i].help);
	kg_buf_puts(out, counter_names[i].name);
	if (counter_names[i].labels != NULL)
		kg_buf_printf(out, "{%s}", counter_names[i].labels);
	kg_buf_printf(out, " %llu\n", (unsigned long long) counters[i]);
}

void
kg_metrics_write(KgBuf *out)
{
	size_t i;

	kg_metric_head(out, "kgctl_build_info", "gauge", "The version of kgctl.");
	kg_buf_puts(out, "kgctl_build_info{version=\"" KG_VERSION "\"} 1\n");
	write_process(out);
	kg_metric_head(out,
				   "kgctl_messages_total",
				   "counter",
				   "Messages of clients that were answered, by method.");
	for (i = 0; i < NMETHODS; i++)
		kg_buf_printf(out,
					  "kgctl_messages_total{method=\"%s\"} %llu\n",
					  methods[i],
					  (unsigned long long) messages[i]);
	write_tools(out);
	write_errors(out);
	kg_metric_head(out,
				   "kgctl_http_responses_total",
				   "counter",
				   "Answers to requests of clients, by status.");
	for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i] > 0)
			kg_buf_printf(out,
						  "kgctl_http_responses_total{status=\"%zu\"} %llu\n",
						  i,
						  (unsigned long long) statuses[i]);
	for (i = 0; i < KG_COUNTERS; i++)
		write_counter(out, i);
	kg_metric_head(out,
				   "kgctl_authorizer_duration_seconds",
				   "histogram",
				   "Time of requests to the authorizer.");
	write_times(
		out, "kgctl_authorizer_duration_seconds", NULL, "", &authorizer_times);
}
