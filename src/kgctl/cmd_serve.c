/*
 * cmd_serve.c
 *	  kgctl serve: options, the listening socket, start and stop.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "kgctl/commands.h"
#include "kgctl/http/http.h"
#include "kgctl/log.h"
#include "kgctl/metrics.h"

#define DEFAULT_LISTEN "127.0.0.1:8765"

static const char serve_options[] =
	"-l, --listen ADDRESS\thost:port or unix:/path (default " DEFAULT_LISTEN
	")\n"
	"--path PATH\tpath of the endpoint (default /mcp)\n"
	"--allow-host NAME...\taccept this Host beside the local ones; * accepts "
	"all\n"
	"--allow-origin ORIGIN...\taccept this Origin beside the local ones; * "
	"accepts all\n"
	"--require-token\trefuse requests without a token\n"
	"--resource URL\tthis server's public address\n"
	"--auth-server URL...\tOAuth authorization server to name in the metadata\n"
	"--scope SCOPE...\tOAuth scope to name in the metadata\n"
	"--idle-timeout SECONDS\tmaximum time of a connection without a request "
	"(default 75)\n"
	"--body-timeout SECONDS\tmaximum time until a whole request has arrived "
	"(default 30)\n"
	"--stream-timeout SECONDS\tmaximum duration of a subscription (default "
	"3600)\n"
	"--grace SECONDS\ttime for running calls after SIGTERM (default 10)\n"
	"--max-connections N\tmaximum number of connections (default 15000)\n"
	"--max-streams N\tmaximum number of subscriptions (default 1000)\n"
	"--max-bearer-streams N\tmaximum number of subscriptions of one bearer "
	"(default 100)\n"
	"--keep-alive N\tnumber of open connections up to which a connection stays "
	"open after a request (default 512)\n"
	"--access-log\ta line for each request\n"
	"--explorer\tserve a page to look at the graph, at /explore\n"
	"--explorer-client ID\tOAuth client of this page, which then signs in at "
	"--auth-server\n"
	"--authorizer URL\tAuthZEN service that decides about entities of types "
	"with x-authorize\n"
	"--authorizer-timeout SECONDS\tmaximum duration of a request to it "
	"(default 2)\n"
	"--authorizer-cache SECONDS\ttime for which a decision is cached (default "
	"0: not cached)\n"
	"--embeddings URL\tOpenAI-compatible service that makes vectors for "
	"searches "
	"by meaning; its key is in KGCTL_EMBEDDINGS_KEY\n"
	"--embeddings-model NAME\tthe model that was passed to "
	"kg_enable_vectors()\n"
	"--embeddings-timeout SECONDS\tmaximum duration of a request to it "
	"(default 5)\n"
	"--read-dsn DSN...\ta standby that answers calls that only read\n"
	"--read-wait MS\ttime for a standby to replay its caller's writes; then "
	"the "
	"primary answers (default 1000)\n"
	"--read-lag SECONDS\ta standby further behind gets no reads (default 10)\n"
	"--metrics ADDRESS\tfor /metrics, /healthz and /readyz; host:port or "
	"unix:/path\n";

static void
on_signal(void *arg)
{
	kg_http_drain(arg);
}

static int
listen_unix(const char *path, const char *what)
{
	struct sockaddr_un address;
	struct stat st;
	int fd;

	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(address.sun_path))
	{
		kg_error("%s: the path is too long for a socket", path);
		return -1;
	}
	strcpy(address.sun_path, path);
	/* Remove the file only if it is a socket on which no server listens. */
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
	{
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 &&
			connect(fd, (struct sockaddr *) &address, sizeof(address)) == 0)
		{
			kg_error("%s: another server listens there", path);
			close(fd);
			return -1;
		}
		if (fd >= 0)
			close(fd);
		(void) unlink(path);
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
		bind(fd, (struct sockaddr *) &address, sizeof(address)) != 0 ||
		listen(fd, 1024) != 0)
	{
		kg_error("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	kg_log(KG_LOG_INFO, "%s on unix:%s", what, path);
	return fd;
}

static int
try_address(const struct addrinfo *ai)
{
	int on = 1;
	int fd = socket(
		ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	(void) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) != 0 || listen(fd, 1024) != 0)
	{
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static void
log_address(int fd, const char *what)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	char host[128];
	char port[16];

	if (getsockname(fd, (struct sockaddr *) &address, &len) == 0 &&
		getnameinfo((struct sockaddr *) &address,
					len,
					host,
					sizeof(host),
					port,
					sizeof(port),
					NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		kg_log(KG_LOG_INFO, "%s on %s:%s", what, host, port);
}

/*
 * Returns a socket that listens at an address "host:port", "[v6]:port" or
 * ":port". On failure, prints an error and returns -1.
 */
static int
listen_tcp(const char *address, const char *option, const char *what)
{
	const char *colon = strrchr(address, ':');
	struct addrinfo hints;
	struct addrinfo *list;
	struct addrinfo *ai;
	char *host;
	int fd = -1;
	int error;

	/*
	 * Check the port here, because getaddrinfo() would reduce a greater number
	 * modulo 65536.
	 */
	if (colon == NULL || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
		colon[1] == '\0' || strtol(colon + 1, NULL, 10) > 65535)
	{
		kg_error("--%s must be host:port or unix:/path, not \"%s\"",
				 option,
				 address);
		return -1;
	}
	if (address[0] == '[' && colon > address + 1 && colon[-1] == ']')
		host = kg_strndup(address + 1, (size_t) (colon - address) - 2);
	else
		host = kg_strndup(address, (size_t) (colon - address));
	memset(&hints, 0, sizeof(hints));
	hints.ai_socktype = SOCK_STREAM;
	hints.ai_flags = AI_PASSIVE;
	error = getaddrinfo(*host ? host : NULL, colon + 1, &hints, &list);
	free(host);
	if (error != 0)
	{
		kg_error("%s: %s", address, gai_strerror(error));
		return -1;
	}
	for (ai = list; ai != NULL && fd < 0; ai = ai->ai_next)
		fd = try_address(ai);
	freeaddrinfo(list);
	if (fd < 0)
		kg_error("%s: %s", address, strerror(errno));
	else
		log_address(fd, what);
	return fd;
}

static int
listen_on(const char *address, const char *option, const char *what)
{
	if (strncmp(address, "unix:", 5) == 0)
		return listen_unix(address + 5, what);
	return listen_tcp(address, option, what);
}

/* Returns the socket that systemd has passed, or a new socket. */
static int
open_listener(const KgArgs *args)
{
	const char *address = kg_args_get(args, "listen");
	const char *pid = getenv("LISTEN_PID");
	const char *fds = getenv("LISTEN_FDS");

	if (pid != NULL && fds != NULL && atol(pid) == (long) getpid() &&
		strcmp(fds, "1") == 0)
	{
		kg_log(KG_LOG_INFO, "listening on the socket of the service manager");
		return 3;
	}
	return listen_on(address ? address : DEFAULT_LISTEN, "listen", "listening");
}

static bool
read_options(KgHttpOptions *o, const KgArgs *args)
{
	memset(o, 0, sizeof(*o));
	o->args = args;
	o->path = kg_args_has(args, "path") ? kg_args_get(args, "path") : "/mcp";
	o->resource = kg_args_get(args, "resource");
	o->require_token = kg_args_has(args, "require-token") ||
					   kg_args_has(args, "auth-server");
	o->access_log = kg_args_has(args, "access-log");
	o->idle_timeout = 75;
	o->body_timeout = 30;
	o->stream_timeout = 3600;
	o->grace = 10;
	o->max_connections = 15000;
	o->max_streams = 1000;
	o->max_bearer_streams = 100;
	o->keep_alive = 512;
	if (!kgctl_args_number(args, "idle-timeout", 1, 86400, &o->idle_timeout) ||
		!kgctl_args_number(args, "body-timeout", 1, 3600, &o->body_timeout) ||
		!kgctl_args_number(
			args, "stream-timeout", 1, 86400, &o->stream_timeout) ||
		!kgctl_args_number(args, "grace", 0, 3600, &o->grace) ||
		!kgctl_args_number(
			args, "max-connections", 1, 60000, &o->max_connections) ||
		!kgctl_args_number(args, "max-streams", 0, 60000, &o->max_streams) ||
		!kgctl_args_number(
			args, "max-bearer-streams", 0, 60000, &o->max_bearer_streams) ||
		!kgctl_args_number(args, "keep-alive", 0, 60000, &o->keep_alive))
		return false;
	if (o->path[0] != '/')
	{
		kg_error("--path must start with /");
		return false;
	}
	if (kg_args_has(args, "auth-server") &&
		(o->resource == NULL || strstr(o->resource, "://") == NULL))
	{
		kg_error("--auth-server needs --resource URL");
		return false;
	}
	if (kg_args_has(args, "explorer-client") &&
		!(kg_args_has(args, "explorer") && kg_args_has(args, "auth-server")))
	{
		kg_error("--explorer-client needs --explorer and --auth-server");
		return false;
	}
	return true;
}

static void
raise_file_limit(long max_connections)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void) setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur != RLIM_INFINITY &&
		limit.rlim_cur < (rlim_t) max_connections + 1100)
		kg_log(KG_LOG_WARNING,
			   "the limit of open files (%lu) is too low for --max-connections",
			   (unsigned long) limit.rlim_cur);
}

static int
run(const KgArgs *args)
{
	const char *metrics = kg_args_get(args, "metrics");
	KgHttp http;
	int code = KG_EXIT_USAGE;

	memset(&http, 0, sizeof(http));
	http.listen_fd = http.probe_fd = -1;
	if (!read_options(&http.options, args) ||
		!kg_gateway_open(&http.gateway, args, 8, on_signal, &http))
	{
		kg_gateway_close(&http.gateway);
		return KG_EXIT_USAGE;
	}
	if (kg_args_has(args, "explorer") && !kg_explorer_load(&http))
	{
		kg_gateway_close(&http.gateway);
		return KG_EXIT_INPUT;
	}
	raise_file_limit(http.options.max_connections);
	http.gateway.rates = kg_rates_new();
	kg_metrics_wanted = metrics != NULL;
	if (metrics != NULL)
		http.probe_fd = listen_on(metrics, "metrics", "metrics");
	if (metrics == NULL || http.probe_fd >= 0)
		http.listen_fd = open_listener(args);
	if (http.listen_fd >= 0 && kg_http_start(&http))
	{
		kg_loop_run(http.gateway.loop);
		kg_http_stop(&http);
		kg_log(KG_LOG_INFO, "stopped");
		code = KG_EXIT_OK;
	}
	if (http.listen_fd >= 0)
		close(http.listen_fd);
	if (http.probe_fd >= 0)
		close(http.probe_fd);
	kg_gateway_close(&http.gateway);
	kg_buf_free(&http.explorer);
	return code;
}

const KgCommand kg_command_serve = {"serve",
									"",
									"MCP server over HTTP",
									serve_options,
									kg_gateway_options,
									0,
									0,
									run};
