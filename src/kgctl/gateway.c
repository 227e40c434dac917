/*
 * gateway.c
 *	  The common part of both servers, kgctl serve and kgctl mcp.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/db.h"
#include "kgctl/gateway.h"
#include "kgctl/log.h"

const char kg_gateway_options[] =
	"-d, --dsn DSN\tconnection string or URI (else KGCTL_DSN, PGHOST ...)\n"
	"-t, --tenant NAME\ttenant to act for, among those granted to the role\n"
	"--toolsets NAMES\tthe tools to offer, such as compact or graph,catalog "
	"(default all)\n"
	"--schema-profile NAME\tkind of client for which schemas of tools are "
	"written: default, gemini, openai-strict or anthropic\n"
	"--schema-lax WHEN\ton, off or auto: schemas of arguments refuse "
	"nothing\n"
	"--listen-dsn DSN...\ta database that sends notifications of changes: one "
	"for each shard behind a front (default: --dsn)\n"
	"--pool N\tmaximum number of connections to the database\n"
	"--queue N\tmaximum number of calls that wait for one (default 1024)\n"
	"--timeout SECONDS\tmaximum duration of a call (default 30)\n"
	"--max-message BYTES\tmaximum length of a message (default 1048576)\n"
	"--no-prepare\tuse no prepared statements, for poolers without them\n"
	"--function NAME\ta function to call instead of kg_mcp, of the same "
	"signature\n"
	"--log-level LEVEL\terror, warning, info (default) or debug\n";

/*
 * Returns whether a name has only letters, digits, underscores and dots, at
 * most 127 bytes, and no dot at its start. The name becomes part of SQL text.
 */
static bool
plain_name(const char *name)
{
	return strlen(name) < 128 && name[0] != '.' &&
		   strspn(name,
				  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.") == strlen(name);
}

static bool
toolset_names(const char *names)
{
	return strspn(names, "abcdefghijklmnopqrstuvwxyz0123456789_-,") ==
			   strlen(names) &&
		   names[0] != ',' && names[0] != '\0' &&
		   names[strlen(names) - 1] != ',' && strstr(names, ",,") == NULL;
}

/*
 * Reads an option whose value is one of some words. On failure, prints an error
 * and returns false.
 */
static bool
read_word(const KgArgs *args, const char *option, const char *const *words,
		  const char **word)
{
	KgBuf all;

	*word = kg_args_get(args, option);
	if (*word == NULL)
		return true;
	for (size_t i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], *word) == 0)
			return true;
	kg_buf_init(&all);
	for (size_t i = 0; words[i] != NULL; i++)
		kg_buf_printf(&all,
					  "%s%s",
					  i == 0				 ? ""
					  : words[i + 1] == NULL ? " or "
											 : ", ",
					  words[i]);
	kg_error("--%s must be %s, not \"%s\"", option, all.data, *word);
	kg_buf_free(&all);
	return false;
}

#define MAX_LISTEN 256

static KgListener *
open_listener(KgLoop *loop, const KgArgs *args, const char *dsn)
{
	const char *dsns[MAX_LISTEN] = {dsn};
	const char *given;
	size_t n = 0;

	while (n < MAX_LISTEN &&
		   (given = kg_args_nth(args, "listen-dsn", n)) != NULL)
		dsns[n++] = given;
	return kg_listener_new(loop, dsns, n > 0 ? n : 1);
}

/*
 * Reads the options of standby databases. On failure, prints an error and
 * returns false.
 */
static bool
read_readers(const KgArgs *args, KgReadersOptions *options)
{
	const char *dsn;
	long wait = 1000;
	long lag = 10;

	memset(options, 0, sizeof(*options));
	while ((dsn = kg_args_nth(args, "read-dsn", options->n)) != NULL)
	{
		if (options->n == KG_MAX_READERS)
		{
			kg_error("there are more than %d --read-dsn", KG_MAX_READERS);
			return false;
		}
		options->dsns[options->n++] = dsn;
	}
	if (!kgctl_args_number(args, "read-wait", 0, 10000, &wait) ||
		!kgctl_args_number(args, "read-lag", 1, 3600, &lag))
		return false;
	options->wait_ms = wait;
	options->lag_ms = lag * 1000;
	return true;
}

bool
kg_gateway_open(KgGateway *gateway, const KgArgs *args, long default_pool,
				KgLoopFn on_signal, void *on_signal_arg)
{
	KgPoolOptions options;
	KgReadersOptions readers;
	KgAuthorizerOptions authorizer = {kg_args_get(args, "authorizer"), 0, 0};
	KgEmbedderOptions embedder = {kg_args_get(args, "embeddings"),
								  kg_args_get(args, "embeddings-model"),
								  getenv("KGCTL_EMBEDDINGS_KEY"),
								  0};
	long authorizer_timeout = 2;
	long embedder_timeout = 5;
	long pool = default_pool;
	long queue = 1024;
	long timeout = 30;
	const char *level = kg_args_get(args, "log-level");
	static const char *const profiles[] = {
		"default", "gemini", "openai-strict", "anthropic", NULL};
	static const char *const laxities[] = {"on", "off", "auto", NULL};

	memset(gateway, 0, sizeof(*gateway));
	gateway->max_message = 1024 * 1024;
	if (!kgctl_args_number(args, "pool", 1, 1000, &pool) ||
		!kgctl_args_number(args, "queue", 1, 100000, &queue) ||
		!kgctl_args_number(args, "timeout", 1, 3600, &timeout) ||
		!kgctl_args_number(args,
						   "max-message",
						   1024,
						   64 * 1024 * 1024,
						   &gateway->max_message) ||
		!kgctl_args_number(
			args, "authorizer-timeout", 1, 30, &authorizer_timeout) ||
		!kgctl_args_number(
			args, "embeddings-timeout", 1, 30, &embedder_timeout) ||
		!kgctl_args_number(
			args, "authorizer-cache", 0, 3600, &authorizer.cache_seconds) ||
		!read_readers(args, &readers))
		return false;
	authorizer.timeout_ms = authorizer_timeout * 1000;
	embedder.timeout_ms = embedder_timeout * 1000;
	if (level != NULL && !kg_log_set_level(level))
	{
		kg_error(
			"--log-level must be error, warning, info or debug, not \"%s\"",
			level);
		return false;
	}
	memset(&options, 0, sizeof(options));
	options.dsn = kg_db_dsn(args);
	options.server = readers.n > 0 ? KG_SERVER_PRIMARY : NULL;
	options.tenant = kg_db_tenant(args);
	options.toolsets = kg_args_get(args, "toolsets");
	if (!read_word(args, "schema-profile", profiles, &options.profile) ||
		!read_word(args, "schema-lax", laxities, &options.lax))
		return false;
	options.function = kg_args_get(args, "function");
	options.size = (int) pool;
	options.queue = (int) queue;
	options.timeout_ms = timeout * 1000;
	options.exchange = authorizer.url != NULL;
	options.prepare = !kg_args_has(args, "no-prepare");
	if (options.function != NULL && !plain_name(options.function))
	{
		kg_error("--function must be schema.function, with only letters, "
				 "digits and underscores in the names");
		return false;
	}
	if (options.toolsets != NULL && !toolset_names(options.toolsets))
	{
		kg_error("--toolsets must be names with commas between them, not "
				 "\"%s\"",
				 options.toolsets);
		return false;
	}
	gateway->loop = kg_loop_new();
	if (gateway->loop == NULL)
		return false;
	kg_log_server();
	/*
	 * Block the signals before the pool starts its thread, which inherits the
	 * signal mask.
	 */
	if (!kg_loop_on_signal(gateway->loop, on_signal, on_signal_arg))
		return false;
	gateway->pool = kg_pool_new(gateway->loop, &options);
	if (readers.n > 0)
		gateway->readers = kg_readers_new(
			gateway->loop, gateway->pool, &options, &readers);
	gateway->ready = kg_ready_new(gateway->pool);
	gateway->listener = open_listener(gateway->loop, args, options.dsn);
	if (options.exchange)
		gateway->authorizer = kg_authorizer_new(gateway->loop, &authorizer);
	if (embedder.url != NULL)
		gateway->embedder = kg_embedder_new(gateway->loop, &embedder);
	return (!options.exchange || gateway->authorizer != NULL) &&
		   (embedder.url == NULL || gateway->embedder != NULL);
}

void
kg_gateway_close(KgGateway *gateway)
{
	if (gateway->listener != NULL)
		kg_listener_free(gateway->listener);
	kg_authorizer_free(gateway->authorizer);
	kg_embedder_free(gateway->embedder);
	kg_ready_free(gateway->ready);
	kg_rates_free(gateway->rates);
	kg_readers_free(gateway->readers);
	if (gateway->pool != NULL)
		kg_pool_free(gateway->pool);
	if (gateway->loop != NULL)
		kg_loop_free(gateway->loop);
	memset(gateway, 0, sizeof(*gateway));
}
