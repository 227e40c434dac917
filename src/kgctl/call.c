/*
 * call.c
 *	  A call: a query, notifications and the answer. A tool may need input of
 *	  the client; the database then answers "input_required". A legacy client
 *	  does not know this answer. It expects requests of the server on the
 *	  stream of its own request. So the gateway sends these requests, with
 *	  unpredictable ids, and repeats the call with the client's responses.
 *	  This is the gateway's only state about a client, and it ends with the
 *	  client's stream.
 */
#define _GNU_SOURCE /* memmem() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "kgctl/call.h"
#include "kgctl/exchange.h"
#include "kgctl/log.h"
#include "kgctl/metrics.h"
#include "kgctl/observe.h"
#include "kgctl/result.h"

#define MAX_QUESTIONS 16
#define MAX_ROUNDS 8
#define QUESTION_TIMEOUT_MS 300000
/*
 * Maximal memory for all running and waiting messages, in bytes. A message with
 * many small values takes thirty times the size of its text.
 */
#define MAX_HELD_BYTES ((size_t) 256 * 1024 * 1024)

typedef struct Question
{
	char *id;  /* id of the request to the client, JSON text */
	char *key; /* name of the request in inputRequests */
	KgJson *result;
} Question;

struct KgctlCall
{
	LIST_ENTRY(KgctlCall)
	link; /* entry in the list of calls that wait for a client's responses */
	KgCallContext context;
	char *token;
	char *revision;
	KgMessage msg;
	KgCallOwner owner;
	KgQuery *query;
	KgRead *read; /* query at a standby, used instead of the member query; or
				   * NULL */
	/* dialogue with the external authorizer, or NULL */
	KgctlExchange *exchange;
	KgEmbedding *embedding; /* the embedding being requested, or NULL */
	KgBuf unsent;	  /* the message, while the caller's limits are queried */
	bool limits_read; /* the limits are queried at a standby */
	size_t calls;	  /* number of tool calls in the message */
	KgBuf refusal;	  /* the answer, if the call is refused instead of sent */
	LIST_ENTRY(KgctlCall) refused; /* entry in the list of refused calls */
	Question questions[MAX_QUESTIONS];
	int nquestions;
	int nmissing;
	int rounds;
	char *request_state; /* JSON text */
	json_t *listen;		 /* member kg_listen of the answer */
	int64_t deadline;
	size_t held; /* bytes that this call counts in held_bytes, the memory of all
				  * messages */
	int64_t started_us;
};

/*
 * Milliseconds after which the client may retry if the embedding service has
 * failed.
 */
#define EMBEDDING_RETRY_MS 1000

static const char too_busy[] = "the gateway is too busy; try again";

static LIST_HEAD(, KgctlCall) asking = LIST_HEAD_INITIALIZER(asking);
static LIST_HEAD(, KgctlCall) refusals = LIST_HEAD_INITIALIZER(refusals);
static size_t held_bytes;

static void query_done(void *arg, KgctlOutcome outcome, PGresult *res);
static void query_notice(void *arg, const char *text);

static void
stop_asking(KgctlCall *call)
{
	int i;

	if (call->link.le_prev != NULL)
		LIST_REMOVE(call, link);
	call->link.le_prev = NULL;
	for (i = 0; i < call->nquestions; i++)
	{
		free(call->questions[i].id);
		free(call->questions[i].key);
	}
	call->nquestions = call->nmissing = 0;
}

static void
free_call(KgctlCall *call)
{
	stop_asking(call);
	if (call->refused.le_prev != NULL)
		LIST_REMOVE(call, refused);
	kg_exchange_free(call->exchange);
	if (call->embedding != NULL)
		kg_embedding_cancel(call->embedding);
	kg_buf_free(&call->unsent);
	kg_buf_free(&call->refusal);
	held_bytes -= call->held;
	kg_message_free(&call->msg);
	if (call->token != NULL)
		memset(call->token, 0, strlen(call->token));
	free(call->token);
	free(call->revision);
	free(call->request_state);
	json_decref(call->listen);
	free(call);
}

static void
finish(KgctlCall *call, KgAnswer *answer)
{
	if (kg_metrics_wanted)
		kg_observe(&call->msg, answer, kg_clock_us() - call->started_us);
	call->owner.done(call->owner.arg, answer);
	PQclear(answer->res);
	free_call(call);
}

/* Ends the call with an error of the gateway and its HTTP status. */
static void
fail(KgctlCall *call, int status, const char *sqlstate, const char *message)
{
	KgAnswer answer = {.status = status,
					   .sqlstate = sqlstate,
					   .listen_seconds = -1,
					   .failed = true};
	int code = status == 400					? KG_RPC_PARSE
			   : status == 401 || status == 403 ? status
												: KG_RPC_INTERNAL;
	KgBuf text;

	kg_buf_init(&text);
	kg_message_error(&text, call->msg.id, code, message);
	answer.text = text.data;
	answer.len = text.len;
	finish(call, &answer);
	kg_buf_free(&text);
}

/* Returns the HTTP status of an error that the database returned. */
static int
status_of(const KgctlCall *call, const char *error, size_t len)
{
	const char *value;
	size_t n;
	const char *data;
	size_t ndata;
	long code;

	if (!kg_json_scan(error, len, "code", &value, &n))
		return 200;
	code = strtol(value, NULL, 10);
	if (code == KG_RPC_PARSE || code == KG_RPC_REQUEST)
		return 400;
	if (!call->context.modern)
		return 200;
	switch (code)
	{
		case KG_RPC_HEADER:
		case KG_RPC_CAPABILITY:
		case KG_RPC_VERSION:
			return 400;
		case KG_RPC_METHOD:
			return 404;
		case KG_RPC_PARAMS:
			if (kg_json_scan(error, len, "data", &data, &ndata) &&
				kg_json_scan(data, ndata, "path", &value, &n) && n >= 14 &&
				strncmp(value, "\"/params/_meta", 14) == 0)
				return 400;
			return 200;
		default:
			return 200;
	}
}

static void
sql_error(KgctlCall *call, PGresult *res)
{
	static const char busy[] = "the database is too busy; try again";
	static const char not_json[] = "not JSON that the database can store";
	/*
	 * The HTTP status and the message for errors whose SQLSTATE begins with
	 * state.
	 */
	static const struct
	{
		const char *state;
		int status;
		const char *message;
	} known[] = {
		/*
		 * NULL: the error's own message, which describes the fault of the token
		 */
		{"28", 401, NULL},
		{"42501", 403, "not permitted"},
		{"22023", 500, NULL}, /* a setting, such as --toolsets */
		{"22P02", 400, not_json},
		{"22003", 400, not_json}, /* a number outside the range of jsonb */
		{"22P05", 400, not_json},
		{"54001", 400, not_json}, /* nested too deeply for the stack */
		{"57014", 504, "the call took too long and was cancelled"},
		{"53", 503, busy},
		{"40001", 503, busy},
		{"40P01", 503, busy},
		{"", 500, "internal error"},
	};
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *text = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);
	size_t i = 0;

	state = state ? state : "";
	text = text ? text : "";
	while (strncmp(state, known[i].state, strlen(known[i].state)) != 0)
		i++;
	/* Error details are only logged, because clients must not see them. */
	kg_log(known[i].status == 500 ? KG_LOG_ERROR : KG_LOG_DEBUG,
		   "kg_mcp failed with SQLSTATE %s: %s",
		   state,
		   text);
	fail(call,
		 known[i].status,
		 state,
		 known[i].message ? known[i].message : text);
	PQclear(res);
}

/* Writes a batch. Each of its messages gets the protocol revision. */
static void
write_batch(KgctlCall *call, KgBuf *out)
{
	KgArena *arena = call->msg.arena;
	KgJson *batch = call->msg.root;
	size_t i;

	for (i = 0; i < batch->len; i++)
		if (batch->u.items[i]->kind == KG_JSON_OBJECT)
			kg_json_put(
				arena,
				batch->u.items[i],
				"kg_revision",
				kg_json_string(arena, call->revision, strlen(call->revision)));
	kg_json_write(out, batch, -1);
}

/*
 * Returns whether a standby may execute the call. Lists are read at the
 * primary, because the primary sends the notifications of changed lists.
 */
static bool
may_read(const KgctlCall *call)
{
	return call->context.readers != NULL && call->context.rates != NULL &&
		   call->msg.kind == KG_MSG_REQUEST &&
		   strcmp(call->msg.method, "tools/call") == 0 &&
		   kg_rates_anywhere(call->context.rates,
							 call->token,
							 kgctl_json_get(call->msg.meta, KG_META_WROTE) !=
								 NULL);
}

/*
 * Records that the caller has written, so that the caller's next reads go to
 * the primary for some time. So a client sees its own write even if its next
 * message lacks the write's WAL position.
 */
static void
note_write(const KgctlCall *call)
{
	if (call->context.readers != NULL && call->context.rates != NULL)
		kg_rates_wrote(call->context.rates,
					   call->token,
					   kg_readers_lag(call->context.readers));
}

/*
 * Returns whether an answer may contain the WAL position of a write. A false
 * positive is harmless.
 */
static bool
says_wrote(const char *text, size_t len)
{
	static const char member[] = "\"" KG_META_WROTE "\"";

	return memmem(text, len, member, strlen(member)) != NULL;
}

static bool
run_query(void *arg, const char *text, size_t len, const char *decisions,
		  const char *exchange)
{
	KgctlCall *call = arg;
	KgPoolMessage message = {text, len, call->token, decisions, exchange};

	if (may_read(call))
		call->read = kg_readers_query(
			call->context.readers, &message, query_done, query_notice, call);
	if (call->read != NULL)
		return true;
	call->query = kg_pool_query(
		call->context.pool, &message, query_done, query_notice, call);
	return call->query != NULL;
}

/* Called when the dialogue with the authorizer has ended: answers the call. */
static void
exchanged(void *arg, const char *text, size_t len)
{
	KgAnswer answer = {
		.status = 200, .text = text, .len = len, .listen_seconds = -1};

	if (text == NULL)
		fail(arg, 503, NULL, too_busy);
	else
		finish(arg, &answer);
}

static bool
send_message(KgctlCall *call, const char *text, size_t len)
{
	KgBuf spliced;
	bool sent;

	kg_buf_init(&spliced);
	if (call->revision != NULL && call->msg.kind == KG_MSG_BATCH)
	{
		write_batch(call, &spliced);
		text = spliced.data;
		len = spliced.len;
	}
	else if (call->revision != NULL)
	{
		kg_message_with_revision(
			&spliced, text, len, call->revision, &call->context.agreed);
		text = spliced.data;
		len = spliced.len;
	}
	sent = call->exchange != NULL ? kg_exchange_start(call->exchange, text, len)
								  : run_query(call, text, len, NULL, NULL);
	kg_buf_free(&spliced);
	return sent;
}

static void
answer_unavailable(KgctlCall *call)
{
	KgAnswer answer = {.status = 200, .listen_seconds = -1};
	KgBuf text;

	kg_buf_init(&text);
	kg_message_tool_error(&text,
						  call->msg.id,
						  call->revision,
						  KG_REFUSED_UNAVAILABLE,
						  "embeddings are unavailable; the modes \"names\" "
						  "and \"text\" need none",
						  EMBEDDING_RETRY_MS);
	answer.text = text.data;
	answer.len = text.len;
	finish(call, &answer);
	kg_buf_free(&text);
}

static void
embedded(void *arg, bool ok)
{
	KgctlCall *call = arg;
	KgBuf text;
	bool sent;

	call->embedding = NULL;
	if (!ok)
	{
		answer_unavailable(call);
		return;
	}
	kg_buf_init(&text);
	kg_json_write(&text, call->msg.root, -1);
	sent = send_message(call, text.data, text.len);
	kg_buf_free(&text);
	if (!sent)
		fail(call, 503, NULL, too_busy);
}

/*
 * Sends the query to the database. For a search by meaning, requests the
 * embedding of the text first. Returns false if the query or the request cannot
 * be sent.
 */
static bool
send_query(KgctlCall *call, const char *text, size_t len)
{
	KgJson *arguments = call->context.embedder != NULL
							? kg_embed_wanted(&call->msg)
							: NULL;

	if (arguments == NULL)
		return send_message(call, text, len);
	call->embedding = kg_embed(
		call->context.embedder, call->msg.arena, arguments, embedded, call);
	return call->embedding != NULL;
}

/*
 * Writes the error for one message of a call that exceeds the caller's rate
 * limit.
 */
static void
write_excess(const KgctlCall *call, const KgJson *message, const char *text,
			 long retry_after_ms, KgBuf *out)
{
	const char *method = kg_json_get_text(message, "method");
	const KgJson *id = kgctl_json_get(message, "id");
	KgBuf id_text;

	kg_buf_init(&id_text);
	kg_json_write(&id_text, id, -1);
	if (method != NULL && strcmp(method, "tools/call") == 0)
		kg_message_tool_error(out,
							  id_text.data,
							  call->revision,
							  KG_REFUSED_LIMIT,
							  text,
							  retry_after_ms);
	else
		kg_message_error(out,
						 id_text.data,
						 KG_RPC_BATCH_LIMIT,
						 "the batch exceeds the rate limit of its caller, so "
						 "this message was not executed; send it by itself");
	kg_buf_free(&id_text);
}

/*
 * Refuses a call that exceeds a rate limit; kg_call_flush() sends the answer. A
 * batch is accepted or refused as a whole.
 */
static void
refuse(KgctlCall *call, const KgRateExcess *excess)
{
	const KgJson *root = call->msg.root;
	char *text = kg_format(
		"the limit %s (%ld) is exceeded", excess->limit, excess->per_minute);
	KgBuf *out = &call->refusal;
	size_t i;

	if (call->msg.kind != KG_MSG_BATCH)
		write_excess(call, root, text, excess->retry_after_ms, out);
	for (i = 0; call->msg.kind == KG_MSG_BATCH && i < root->len; i++)
	{
		if (kgctl_json_get(root->u.items[i], "id") == NULL)
			continue;
		kg_buf_putc(out, out->len == 0 ? '[' : ',');
		write_excess(call, root->u.items[i], text, excess->retry_after_ms, out);
	}
	if (call->msg.kind == KG_MSG_BATCH)
		kg_buf_putc(out, ']');
	free(text);
	LIST_INSERT_HEAD(&refusals, call, refused);
}

void
kg_call_flush(void)
{
	KgctlCall *call;

	while ((call = LIST_FIRST(&refusals)) != NULL)
	{
		KgAnswer answer = {.status = 200,
						   .text = call->refusal.data,
						   .len = call->refusal.len,
						   .listen_seconds = -1};

		finish(call, &answer);
	}
}

/*
 * Continues the call when the query of the caller's limits has ended. While the
 * primary is unavailable, the limits are queried once at a standby. A call
 * beyond the caller's rate is refused. If the limits could not be read, the
 * call is sent nevertheless, and fails for the same reason.
 */
static void
limits_done(void *arg, KgctlOutcome outcome, PGresult *res)
{
	KgctlCall *call = arg;
	KgRateExcess excess;
	bool known = outcome == KG_OUTCOME_RESULT && !PQgetisnull(res, 0, 0);

	call->query = NULL;
	/* While the primary is unavailable, query the limits at a standby. */
	if ((outcome == KG_OUTCOME_UNAVAILABLE || outcome == KG_OUTCOME_LOST) &&
		!call->limits_read && call->context.readers != NULL)
	{
		KgPool *standby = kg_readers_choose(call->context.readers);

		call->limits_read = true;
		if (standby != NULL)
			call->query = kg_pool_limits(
				standby, call->token, limits_done, call);
		if (call->query != NULL)
			return;
	}
	if (known)
		kg_rates_learn(call->context.rates, call->token, PQgetvalue(res, 0, 0));
	PQclear(res);
	if (known &&
		kg_rates_take(call->context.rates, call->token, call->calls, &excess) ==
			KG_RATE_EXCEEDED)
		refuse(call, &excess);
	else if (!send_query(call, call->unsent.data, call->unsent.len))
		fail(call, 503, NULL, too_busy);
}

/*
 * Sends the message if the caller's rate permits it. Returns false if the
 * message cannot be sent.
 */
static bool
take_rate(KgctlCall *call, size_t calls, const char *text, size_t len)
{
	KgRateExcess excess;

	switch (kg_rates_take(call->context.rates, call->token, calls, &excess))
	{
		case KG_RATE_OK:
			return send_query(call, text, len);
		case KG_RATE_EXCEEDED:
			refuse(call, &excess);
			return true;
		case KG_RATE_UNKNOWN:
			break;
	}
	call->calls = calls;
	kg_buf_add(&call->unsent, text, len);
	call->query = kg_pool_limits(
		call->context.pool, call->token, limits_done, call);
	return call->query != NULL;
}

KgctlCall *
kg_call_start(const KgCallContext *context, KgMessage *msg, const char *text,
			  size_t len, const KgCallOwner *owner)
{
	KgctlCall *call;
	size_t held = kg_arena_size(msg->arena) + len;
	size_t calls;

	/* If no other message is in memory, a message may exceed the limit. */
	if (held_bytes > 0 && held_bytes + held > MAX_HELD_BYTES)
		return NULL;
	call = kg_calloc(1, sizeof(KgctlCall));
	call->context = *context;
	call->token = context->token ? kg_strdup(context->token) : NULL;
	call->revision = context->revision ? kg_strdup(context->revision) : NULL;
	call->owner = *owner;
	call->msg = *msg;
	call->started_us = kg_clock_us();
	calls = kg_message_tool_calls(&call->msg);
	if (context->authorizer != NULL && calls > 0)
	{
		KgExchangeOwner exchange = {call, run_query, exchanged};

		call->exchange = kg_exchange_new(
			context->authorizer, &call->msg, call->revision, &exchange);
	}
	if (context->rates != NULL && calls > 0 ? take_rate(call, calls, text, len)
											: send_query(call, text, len))
	{
		memset(msg, 0, sizeof(*msg));
		call->held = held;
		held_bytes += held;
		return call;
	}
	/* If starting the call fails, the caller still owns the message. */
	kg_exchange_free(call->exchange);
	call->exchange = NULL;
	memset(&call->msg, 0, sizeof(call->msg));
	free_call(call);
	return NULL;
}

void
kg_call_cancel(KgctlCall *call)
{
	kg_count(KG_COUNT_CANCELLED);
	/* The call may have written, even if its answer is lost. */
	note_write(call);
	if (call->query != NULL)
		kg_query_cancel(call->query);
	if (call->read != NULL)
		kg_read_cancel(call->read);
	free_call(call);
}

static bool
same_token(const KgctlCall *call, const KgJson *params)
{
	const KgJson *token = kgctl_json_get(call->msg.meta, "progressToken");

	return token != NULL &&
		   kg_json_equal(token, kgctl_json_get(params, "progressToken"));
}

/*
 * If the notification has the number of edges that a call has read, counts them
 * towards the caller's rate. Returns false for other notifications.
 */
static bool
spend(const KgctlCall *call, const char *text)
{
	static const char start[] = "{\"kg_edges\": ";
	size_t n = strlen(start);

	if (strncmp(text, start, n) != 0)
		return false;
	if (call->context.rates != NULL)
		kg_rates_spend(
			call->context.rates, call->token, strtoul(text + n, NULL, 10));
	return true;
}

static void
query_notice(void *arg, const char *text)
{
	KgctlCall *call = arg;
	KgArena *arena;
	KgJson *root;
	const char *method;
	char *error;
	KgBuf out;

	if (spend(call, text) || !call->owner.can_notify)
		return;
	arena = kg_arena_new();
	root = kgctl_json_parse(arena, text, strlen(text), NULL, &error);
	method = kg_json_get_text(root, "method");
	/*
	 * Forward a progress notification only if it has the progress token of this
	 * request.
	 */
	if (method != NULL && kgctl_json_get(root, "id") == NULL &&
		(strcmp(method, "notifications/progress") != 0 ||
		 same_token(call, kgctl_json_get(root, "params"))))
	{
		kg_buf_init(&out);
		if (kgctl_json_get(root, "jsonrpc") == NULL)
			kg_json_put(
				arena, root, "jsonrpc", kg_json_string(arena, "2.0", 3));
		kg_json_write(&out, root, -1);
		call->owner.notify(call->owner.arg, out.data, out.len);
		kg_buf_free(&out);
	}
	else if (root == NULL)
		free(error);
	kg_arena_free(arena);
}

static void
ask(KgctlCall *call, const char *key, const KgJson *request)
{
	Question *q = &call->questions[call->nquestions];
	const char *method = kg_json_get_text(request, "method");
	const KgJson *params = kgctl_json_get(request, "params");
	KgBuf out;

	kg_buf_init(&out);
	kg_buf_puts(&out, "\"kg-");
	if (method == NULL || !kg_buf_random(&out))
	{
		kg_buf_free(&out);
		return;
	}
	kg_buf_putc(&out, '"');
	q->id = kg_buf_detach(&out);
	q->key = kg_strdup(key);
	q->result = NULL;
	call->nquestions++;
	call->nmissing++;
	kg_buf_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":", q->id);
	kg_buf_json(&out, method, strlen(method));
	if (params != NULL)
	{
		kg_buf_puts(&out, ",\"params\":");
		kg_json_write(&out, params, -1);
	}
	kg_buf_putc(&out, '}');
	call->owner.notify(call->owner.arg, out.data, out.len);
	kg_buf_free(&out);
}

/*
 * Turns the answer "input_required" into requests to a legacy client. Returns
 * false if the answer must be sent to the client unchanged: it is another
 * answer, or the client is modern or gets no notifications.
 */
static bool
ask_back(KgctlCall *call, const char *text, size_t len)
{
	const char *value;
	size_t n;
	const char *result;
	size_t nresult;
	char *error = NULL;
	const KgJson *root;
	const KgJson *requests;
	const KgJson *state;
	size_t i;

	if (call->context.modern || !call->owner.can_notify ||
		!kg_json_scan(text, len, "result", &result, &nresult) ||
		!kg_json_scan(result, nresult, "resultType", &value, &n) || n != 16 ||
		memcmp(value, "\"input_required\"", 16) != 0)
		return false;
	root = kgctl_json_parse(call->msg.arena, result, nresult, NULL, &error);
	free(error);
	requests = kgctl_json_get(root, "inputRequests");
	state = kgctl_json_get(root, "requestState");
	if (requests == NULL || requests->kind != KG_JSON_OBJECT ||
		requests->len == 0 || requests->len > MAX_QUESTIONS ||
		++call->rounds > MAX_ROUNDS)
	{
		fail(call,
			 200,
			 NULL,
			 requests == NULL || requests->kind != KG_JSON_OBJECT ||
					 requests->len == 0
				 ? "the tool needs input, but does not name it"
			 : requests->len > MAX_QUESTIONS
				 ? "the tool sends too many requests for input at once"
				 : "the tool requests input too many times");
		return true;
	}
	free(call->request_state);
	call->request_state = NULL;
	if (state != NULL)
	{
		KgBuf out;

		kg_buf_init(&out);
		kg_json_write(&out, state, -1);
		call->request_state = kg_buf_detach(&out);
	}
	for (i = 0; i < requests->len; i++)
		ask(call, requests->u.members[i].key, requests->u.members[i].value);
	call->deadline = kg_now() + QUESTION_TIMEOUT_MS;
	LIST_INSERT_HEAD(&asking, call, link);
	return true;
}

/* Copies all members except those named a and b. */
static void
copy_members(KgArena *arena, KgJson *to, const KgJson *from, const char *a,
			 const char *b)
{
	size_t i;

	for (i = 0; from != NULL && from->kind == KG_JSON_OBJECT && i < from->len;
		 i++)
		if (strcmp(from->u.members[i].key, a) != 0 &&
			strcmp(from->u.members[i].key, b) != 0)
			kg_json_set(arena,
						to,
						from->u.members[i].key,
						from->u.members[i].keylen,
						from->u.members[i].value);
}

/*
 * Called when all responses have arrived: repeats the call with the responses
 * in its params.
 */
static void
repeat(KgctlCall *call)
{
	KgArena *arena = call->msg.arena;
	KgJson *root = kg_json_object(arena);
	KgJson *params = kg_json_object(arena);
	KgJson *responses = kg_json_object(arena);
	KgBuf out;
	char *error;
	size_t i;

	copy_members(arena, root, call->msg.root, "params", "params");
	copy_members(
		arena, params, call->msg.params, "inputResponses", "requestState");
	for (i = 0; i < (size_t) call->nquestions; i++)
		kg_json_put(arena,
					responses,
					call->questions[i].key,
					call->questions[i].result);
	kg_json_put(arena, params, "inputResponses", responses);
	if (call->request_state != NULL)
		kg_json_put(arena,
					params,
					"requestState",
					kgctl_json_parse(arena,
									 call->request_state,
									 strlen(call->request_state),
									 NULL,
									 &error));
	kg_json_put(arena, root, "params", params);
	stop_asking(call);
	kg_buf_init(&out);
	kg_json_write(&out, root, -1);
	if (!send_query(call, out.data, out.len))
		fail(call, 503, NULL, too_busy);
	kg_buf_free(&out);
}

bool
kg_call_respond(const KgMessage *response, const char *token)
{
	KgctlCall *call;
	const KgJson *result = kgctl_json_get(response->root, "result");
	int i;

	if (response->id == NULL)
		return false;
	LIST_FOREACH(call, &asking, link)
		for (i = 0; i < call->nquestions; i++)
		{
			Question *q = &call->questions[i];
			KgBuf copy;
			char *error;

			if (strcmp(q->id, response->id) != 0 || q->result != NULL ||
				strcmp(call->token ? call->token : "", token ? token : ""))
				continue;
			if (result == NULL)
			{
				fail(
					call,
					200,
					NULL,
					"the client refused to give the input that the tool needs");
				return true;
			}
			/*
			 * Copy the result into the call's own arena, because the response
			 * will be freed.
			 */
			kg_buf_init(&copy);
			kg_json_write(&copy, result, -1);
			q->result = kgctl_json_parse(
				call->msg.arena, copy.data, copy.len, NULL, &error);
			kg_buf_free(&copy);
			if (--call->nmissing == 0)
				repeat(call);
			return true;
		}
	return false;
}

void
kg_call_tick(void)
{
	KgctlCall *call = LIST_FIRST(&asking);

	while (call != NULL)
	{
		KgctlCall *next = LIST_NEXT(call, link);

		if (kg_now() > call->deadline)
			fail(call, 200, NULL, "the client did not answer in time");
		call = next;
	}
}

static bool
may_listen(const KgctlCall *call)
{
	return call->msg.method != NULL &&
		   (strcmp(call->msg.method, "initialize") == 0 ||
			strcmp(call->msg.method, KG_SUBSCRIBE_METHOD) == 0 ||
			strcmp(call->msg.method, KG_LISTEN_METHOD) == 0);
}

/*
 * If the answer has the member kg_listen, moves its values to *answer and
 * removes the member from the text. out stores the new text.
 */
static void
take_listen_key(KgctlCall *call, KgAnswer *answer, KgBuf *out)
{
	const char *value;
	const char *from;
	const char *to;
	const json_t *seconds;
	size_t n;

	if (!kg_json_scan(answer->text, answer->len, "kg_listen", &value, &n))
		return;
	call->listen = json_loadb(value, n, JSON_REJECT_DUPLICATES, NULL);
	answer->listen_key = json_string_value(
		json_object_get(call->listen, "key"));
	answer->listen_caller = json_string_value(
		json_object_get(call->listen, "caller"));
	seconds = json_object_get(call->listen, "seconds");
	if (json_is_integer(seconds))
		answer->listen_seconds = (long) json_integer_value(seconds);
	/* Remove the member's name and one adjacent comma too. */
	for (from = value; from[-1] != '{' && from[-1] != ','; from--)
		;
	to = value + n;
	if (from[-1] == ',')
		from--;
	else if (to < answer->text + answer->len && *to == ',')
		to++;
	kg_buf_add(out, answer->text, (size_t) (from - answer->text));
	kg_buf_add(out, to, (size_t) (answer->text + answer->len - to));
	answer->text = out->data;
	answer->len = out->len;
}

static void
result_done(KgctlCall *call, PGresult *res)
{
	KgAnswer answer = {.status = 200, .res = res, .listen_seconds = -1};
	const char *error;
	size_t n;
	KgBuf own;

	if (PQgetisnull(res, 0, 0))
	{
		answer.status = 202;
		finish(call, &answer);
		return;
	}
	answer.text = PQgetvalue(res, 0, 0);
	answer.len = (size_t) PQgetlength(res, 0, 0);
	if (call->context.readers != NULL && says_wrote(answer.text, answer.len))
		note_write(call);
	if (ask_back(call, answer.text, answer.len) ||
		(call->exchange != NULL &&
		 kg_exchange_takes(call->exchange, answer.text, answer.len)))
	{
		PQclear(res);
		return;
	}
	kg_buf_init(&own);
	if (answer.text[0] == '{' &&
		kg_json_scan(answer.text, answer.len, "error", &error, &n))
		answer.status = status_of(call, error, n);
	else if (answer.text[0] == '{' && may_listen(call))
		take_listen_key(call, &answer, &own);
	if (own.len > 0)
	{
		PQclear(res);
		answer.res = NULL;
	}
	finish(call, &answer);
	kg_buf_free(&own);
}

char *
kg_call_unavailable(const KgCallContext *context)
{
	const char *reason = context->local ? kg_pool_away(context->pool) : NULL;
	KgBuf text;

	kg_buf_init(&text);
	if (reason != NULL)
		kg_buf_printf(&text, "the database cannot be used: %s", reason);
	else
		kg_buf_puts(&text, "the database is not available; try again");
	return kg_buf_detach(&text);
}

static void
unavailable(KgctlCall *call)
{
	char *text = kg_call_unavailable(&call->context);

	fail(call, 503, NULL, text);
	free(text);
}

static void
query_done(void *arg, KgctlOutcome outcome, PGresult *res)
{
	KgctlCall *call = arg;

	call->query = NULL;
	call->read = NULL;
	switch (outcome)
	{
		case KG_OUTCOME_RESULT:
			result_done(call, res);
			break;
		case KG_OUTCOME_ERROR:
			sql_error(call, res);
			break;
		case KG_OUTCOME_LOST:
			note_write(call);
			fail(call,
				 503,
				 NULL,
				 "the connection to the database was lost during the call; "
				 "try again");
			break;
		case KG_OUTCOME_UNAVAILABLE:
			unavailable(call);
			break;
		case KG_OUTCOME_TIMEOUT:
			fail(call, 504, NULL, "the call took too long and was cancelled");
			break;
	}
}
