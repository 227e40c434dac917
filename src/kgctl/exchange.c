/*
 * exchange.c
 *	  The exchange of a call: a dialogue with the database and the external
 *	  authorizer, until all decisions are known.
 */
#define _GNU_SOURCE /* memmem() */
#include <stdlib.h>
#include <string.h>

#include "kgctl/exchange.h"
#include "kgctl/log.h"

#define MEMBER "kg_authorize"
/*
 * Maximal number of rounds of an exchange (the dialogue about a call's
 * decisions). It is greater than the number of steps of a search.
 */
#define MAX_ROUNDS 64
/*
 * Limits of a batch: the total size of its responses, which is the database's
 * limit of a batch, and its duration.
 */
#define MAX_BATCH_BYTES ((size_t) 16 * 1024 * 1024)
#define MAX_BATCH_MS 60000

static const char unavailable[] = "authorization is unavailable";

struct KgctlExchange
{
	KgAuthorizer *authorizer;
	const KgMessage *msg;
	const char *revision;
	KgExchangeOwner owner;
	KgBuf message; /* the message as it is sent to the database again in each
				    * round of the dialogue */
	KgBuf decisions;
	int rounds;
	json_t *wanted; /* member kg_authorize of the database's last response */
	KgAsking *asking;
	KgEvaluation *evaluations;
	size_t n;
	/* The following members are used for a batch. */
	/* responses of the first round; NULL before the first round has ended */
	KgJson *responses;
	size_t at;	  /* index of the current response in responses */
	size_t bytes; /* size in bytes of the completed responses */
	int64_t deadline;
};

static void next_response(KgctlExchange *x);

KgctlExchange *
kg_exchange_new(KgAuthorizer *authorizer, const KgMessage *msg,
				const char *revision, const KgExchangeOwner *owner)
{
	KgctlExchange *x = kg_calloc(1, sizeof(KgctlExchange));

	x->authorizer = authorizer;
	x->msg = msg;
	x->revision = revision;
	x->owner = *owner;
	x->deadline = kg_now() + MAX_BATCH_MS;
	return x;
}

static void
forget_round(KgctlExchange *x)
{
	if (x->asking != NULL)
		kg_asking_cancel(x->asking);
	x->asking = NULL;
	free(x->evaluations);
	x->evaluations = NULL;
	json_decref(x->wanted);
	x->wanted = NULL;
}

void
kg_exchange_free(KgctlExchange *x)
{
	if (x == NULL)
		return;
	forget_round(x);
	kg_buf_free(&x->message);
	kg_buf_free(&x->decisions);
	free(x);
}

static void
begin(KgctlExchange *x, const char *message, size_t len)
{
	x->message.len = x->decisions.len = 0;
	x->rounds = 0;
	kg_buf_add(&x->message, message, len);
	kg_buf_puts(&x->decisions, "[]");
}

bool
kg_exchange_start(KgctlExchange *x, const char *message, size_t len)
{
	x->responses = NULL;
	begin(x, message, len);
	return x->owner.send(
		x->owner.arg, x->message.data, x->message.len, x->decisions.data, NULL);
}

/*
 * Replaces the current response, which has requested decisions, by its final
 * text. text is JSON of the database or of the gateway.
 */
static void
put_response(KgctlExchange *x, const char *text, size_t len)
{
	char *error = NULL;
	KgJson *response = kgctl_json_parse(x->msg->arena, text, len, NULL, &error);

	free(error);
	if (response == NULL)
		response = kg_json_new(x->msg->arena, KG_JSON_NULL);
	x->bytes += len;
	x->responses->u.items[x->at++] = response;
}

/*
 * Takes a final response. The response to a single message is the answer to the
 * client. In a batch, the response is stored, and the next message is sent.
 */
static void
respond(KgctlExchange *x, const char *text, size_t len)
{
	if (x->responses == NULL)
		x->owner.answer(x->owner.arg, text, len);
	else
	{
		put_response(x, text, len);
		next_response(x);
	}
}

/* Returns the id of the current message as JSON text. */
static char *
id_of(const KgctlExchange *x)
{
	const KgJson *id = kgctl_json_get(
		x->responses ? x->responses->u.items[x->at] : x->msg->root, "id");
	KgBuf text;

	kg_buf_init(&text);
	kg_json_write(&text, id, -1);
	return kg_buf_detach(&text);
}

static void
write_refusal(const KgctlExchange *x, KgBuf *out)
{
	char *id = id_of(x);

	kg_message_tool_error(
		out, id, x->revision, KG_REFUSED_FORBIDDEN, unavailable, -1);
	free(id);
}

/*
 * Writes the error for a message that was not answered, because its batch has
 * exceeded its size or time.
 */
static void
write_left_out(const KgctlExchange *x, KgBuf *out)
{
	char *id = id_of(x);

	kg_message_error(out,
					 id,
					 KG_RPC_BATCH_LIMIT,
					 "the batch exceeds a limit, so this message was not "
					 "executed; send it by itself");
	free(id);
}

static void
refuse(KgctlExchange *x)
{
	KgBuf out;

	forget_round(x);
	kg_buf_init(&out);
	write_refusal(x, &out);
	respond(x, out.data, out.len);
	kg_buf_free(&out);
}

/*
 * Adds the decisions of the last round to x->decisions, grouped by resource and
 * kind.
 */
static void
add_decisions(KgctlExchange *x)
{
	json_t *resources = json_object_get(x->wanted, "resources");
	const KgEvaluation *e = x->evaluations;

	/* Remove the closing bracket, so that decisions can be appended. */
	x->decisions.len--;
	for (size_t i = 0; i < json_array_size(resources); i++)
	{
		json_t *resource = json_array_get(resources, i);
		json_t *ids = json_object_get(resource, "ids");
		json_t *by[2] = {json_array(), json_array()};

		for (size_t k = 0; k < json_array_size(ids); k++, e++)
			json_array_append(by[e->allowed], json_array_get(ids, k));
		for (size_t k = 0; k < 2; k++)
		{
			if (json_array_size(by[k]) > 0)
			{
				if (x->decisions.len > 1)
					kg_buf_putc(&x->decisions, ',');
				kg_json_write_made(
					&x->decisions,
					json_pack("{s:O, s:O, s:O, s:b}",
							  "resource_type",
							  json_object_get(resource, "resource_type"),
							  "ability",
							  json_object_get(resource, "ability"),
							  "ids",
							  by[k],
							  "allowed",
							  (int) k));
			}
			json_decref(by[k]);
		}
	}
	kg_buf_putc(&x->decisions, ']');
}

static void
on_decided(void *arg, bool ok)
{
	KgctlExchange *x = arg;
	const char *exchange = json_string_value(
		json_object_get(x->wanted, "exchange"));

	x->asking = NULL;
	if (!ok)
	{
		refuse(x);
		return;
	}
	add_decisions(x);
	ok = x->owner.send(x->owner.arg,
					   x->message.data,
					   x->message.len,
					   x->decisions.data,
					   exchange);
	forget_round(x);
	if (!ok)
		x->owner.answer(x->owner.arg, NULL, 0);
}

/*
 * Reads the evaluations that the database requests. Returns false if the
 * request is malformed.
 */
static bool
read_wanted(KgctlExchange *x)
{
	json_t *resources = json_object_get(x->wanted, "resources");
	size_t size = 0;

	for (size_t i = 0; i < json_array_size(resources); i++)
		size += json_array_size(
			json_object_get(json_array_get(resources, i), "ids"));
	x->evaluations = kg_calloc(size + 1, sizeof(KgEvaluation));
	x->n = 0;
	for (size_t i = 0; i < json_array_size(resources); i++)
	{
		json_t *resource = json_array_get(resources, i);
		json_t *ids = json_object_get(resource, "ids");

		for (size_t k = 0; k < json_array_size(ids); k++, x->n++)
		{
			KgEvaluation *e = &x->evaluations[x->n];

			e->type = json_string_value(
				json_object_get(resource, "resource_type"));
			e->ability = json_string_value(
				json_object_get(resource, "ability"));
			e->id = json_string_value(json_array_get(ids, k));
			if (e->type == NULL || e->ability == NULL || e->id == NULL)
				return false;
		}
	}
	return x->n > 0 && json_is_string(json_object_get(x->wanted, "exchange")) &&
		   json_is_string(json_object_get(x->wanted, "subject"));
}

static bool
ask(KgctlExchange *x, const char *wanted, size_t len)
{
	forget_round(x);
	x->wanted = json_loadb(wanted, len, JSON_REJECT_DUPLICATES, NULL);
	if (++x->rounds > MAX_ROUNDS || !read_wanted(x))
	{
		kg_log(KG_LOG_ERROR,
			   "the database requests decisions in an unknown form, or again "
			   "and again");
		return false;
	}
	x->asking = kgctl_authorizer_ask(
		x->authorizer,
		json_string_value(json_object_get(x->wanted, "subject")),
		x->evaluations,
		x->n,
		on_decided,
		x);
	return true;
}

/*
 * Returns the message in the batch to which a response belongs, or NULL if
 * there is no such message.
 */
static KgJson *
message_of(const KgctlExchange *x, const KgJson *wanted)
{
	const KgJson *member = kgctl_json_get(wanted, "member");
	size_t i = kg_json_is_integer(member) ? strtoul(member->u.text, NULL, 10)
										  : x->msg->root->len;

	return i < x->msg->root->len ? x->msg->root->u.items[i] : NULL;
}

/*
 * Requests the decisions that a response of the batch needs. Returns false if
 * that is impossible.
 */
static bool
ask_for(KgctlExchange *x, const KgJson *wanted)
{
	const KgJson *message = message_of(x, wanted);
	KgBuf text;
	bool asks = false;

	kg_buf_init(&text);
	if (message != NULL)
	{
		kg_json_write(&text, message, -1);
		begin(x, text.data, text.len);
		text.len = 0;
		kg_json_write(&text, wanted, -1);
		asks = ask(x, text.data, text.len);
	}
	kg_buf_free(&text);
	return asks;
}

/*
 * Continues with the next response of the batch that needs decisions. If there
 * is no such response, sends the answer to the whole batch, which ends the
 * exchange.
 */
static void
next_response(KgctlExchange *x)
{
	KgBuf out;

	kg_buf_init(&out);
	while (x->at < x->responses->len)
	{
		const KgJson *wanted = kgctl_json_get(x->responses->u.items[x->at],
											  MEMBER);

		out.len = 0;
		if (wanted == NULL)
		{
			x->at++;
			continue;
		}
		if (x->bytes > MAX_BATCH_BYTES || kg_now() > x->deadline)
			write_left_out(x, &out);
		else if (ask_for(x, wanted))
			break;
		else
			write_refusal(x, &out);
		put_response(x, out.data, out.len);
	}
	if (x->at == x->responses->len)
	{
		out.len = 0;
		kg_json_write(&out, x->responses, -1);
		x->owner.answer(x->owner.arg, out.data, out.len);
	}
	kg_buf_free(&out);
}

static bool
takes_batch(KgctlExchange *x, const char *text, size_t len)
{
	char *error = NULL;

	if (memmem(text, len, "\"" MEMBER "\"", strlen(MEMBER) + 2) == NULL)
		return false;
	x->responses = kgctl_json_parse(x->msg->arena, text, len, NULL, &error);
	free(error);
	if (kgctl_json_length(x->responses) == 0)
		return false;
	x->at = 0;
	next_response(x);
	return true;
}

bool
kg_exchange_takes(KgctlExchange *x, const char *text, size_t len)
{
	const char *wanted;
	size_t n;

	if (x->msg->kind == KG_MSG_BATCH && x->responses == NULL)
		return takes_batch(x, text, len);
	if (kg_json_scan(text, len, MEMBER, &wanted, &n))
	{
		if (!ask(x, wanted, n))
			refuse(x);
	}
	else if (x->responses == NULL)
		return false;
	else
		respond(x, text, len);
	return true;
}
