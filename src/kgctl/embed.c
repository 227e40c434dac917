/*
 * embed.c
 *	  A client of a service that computes the embedding of a query.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/embed.h"
#include "kgctl/fetch.h"
#include "kgctl/log.h"

/*
 * Maximal size of an answer: 16,000 numbers of 20 digits, and the text around
 * them.
 */
#define MAX_ANSWER_BYTES ((size_t) 1024 * 1024)
#define MAX_CONNECTIONS 8
#define LOG_AGAIN_MS 1000

struct KgEmbedder
{
	KgFetcher *fetcher;
	char *model;
	int64_t logged;
};

struct KgEmbedding
{
	KgEmbedder *embedder;
	KgFetch *fetch;
	KgArena *arena;
	KgJson *arguments;
	KgEmbedDone done;
	void *arg;
};

/*
 * Returns the complete URL of the service. The given URL may lack the version
 * or the path.
 */
static char *
whole_url(const char *url)
{
	size_t n = strlen(url);
	char *base;
	char *whole;

	while (n > 0 && url[n - 1] == '/')
		n--;
	base = kg_strndup(url, n);
	whole = kg_format("%s%s",
					  base,
					  kg_ends_with(base, "/embeddings") ? ""
					  : kg_ends_with(base, "/v1")		? "/embeddings"
														: "/v1/embeddings");
	free(base);
	return whole;
}

KgEmbedder *
kg_embedder_new(KgLoop *loop, const KgEmbedderOptions *options)
{
	KgFetcherOptions fetcher = {NULL,
								options->key,
								options->timeout_ms,
								MAX_ANSWER_BYTES,
								MAX_CONNECTIONS};
	KgEmbedder *embedder;
	char *url;

	if (!kg_fetch_check_url(options->url))
	{
		kg_error("--embeddings must be an http or https URL, not \"%s\"",
				 options->url);
		return NULL;
	}
	if (options->model == NULL || options->model[0] == '\0')
	{
		kg_error("--embeddings needs --embeddings-model, the model that was "
				 "passed to kg_enable_vectors()");
		return NULL;
	}
	embedder = kg_calloc(1, sizeof(KgEmbedder));
	embedder->model = kg_strdup(options->model);
	url = whole_url(options->url);
	fetcher.url = url;
	embedder->fetcher = kg_fetcher_new(loop, &fetcher);
	free(url);
	if (embedder->fetcher != NULL)
		return embedder;
	kg_error("the HTTP client for --embeddings cannot be started");
	kg_embedder_free(embedder);
	return NULL;
}

void
kg_embedder_free(KgEmbedder *embedder)
{
	if (embedder == NULL)
		return;
	kg_fetcher_free(embedder->fetcher);
	free(embedder->model);
	free(embedder);
}

KgJson *
kg_embed_wanted(const KgMessage *msg)
{
	const char *name;
	const char *mode;
	KgJson *arguments;

	if (msg->kind != KG_MSG_REQUEST || msg->method == NULL ||
		strcmp(msg->method, "tools/call") != 0)
		return NULL;
	name = kg_json_text_or(msg->params, "name", "");
	if (strcmp(name, "search_entities") != 0 && strcmp(name, "find") != 0)
		return NULL;
	arguments = kgctl_json_get(msg->params, "arguments");
	mode = kg_json_text_or(arguments, "mode", "");
	if ((strcmp(mode, "meaning") != 0 && strcmp(mode, "hybrid") != 0) ||
		kg_json_text_or(arguments, "query", "")[0] == '\0' ||
		kgctl_json_get(arguments, "vector") != NULL)
		return NULL;
	return arguments;
}

static void
complain(KgEmbedder *embedder, const KgFetchResult *result)
{
	int64_t now = kg_now();

	if (embedder->logged != 0 && now - embedder->logged < LOG_AGAIN_MS)
		return;
	embedder->logged = now;
	switch (result->outcome)
	{
		case KG_FETCHED_STATUS:
			kg_log(KG_LOG_WARNING,
				   "the service of embeddings answers HTTP %ld",
				   result->status);
			break;
		case KG_FETCHED:
		case KG_FETCHED_MALFORMED:
			kg_log(KG_LOG_WARNING,
				   "the answer of the service of embeddings has no embedding");
			break;
		case KG_FETCH_TIMEOUT:
		case KG_FETCH_UNREACHABLE:
			kg_log(KG_LOG_WARNING,
				   "the service of embeddings cannot be reached: %s",
				   result->why);
			break;
	}
}

/*
 * Returns the vector in {"data": [{"embedding": [...]}]}, or NULL if the answer
 * has another form. Numbers retain their text.
 */
static KgJson *
read_vector(KgArena *arena, const KgFetchResult *result)
{
	char *error = NULL;
	KgJson *root = kgctl_json_parse(
		arena, result->text, result->len, NULL, &error);
	const KgJson *data = kgctl_json_get(root, "data");
	KgJson *vector;

	free(error);
	if (kgctl_json_length(data) != 1)
		return NULL;
	vector = kgctl_json_get(data->u.items[0], "embedding");
	return kgctl_json_length(vector) > 0 ? vector : NULL;
}

static void
fetched(void *arg, const KgFetchResult *result)
{
	KgEmbedding *e = arg;
	KgJson *vector = NULL;

	if (result->outcome == KG_FETCHED)
		vector = read_vector(e->arena, result);
	if (vector != NULL)
		kg_json_put(e->arena, e->arguments, "vector", vector);
	else
		complain(e->embedder, result);
	e->done(e->arg, vector != NULL);
	free(e);
}

KgEmbedding *
kg_embed(KgEmbedder *embedder, KgArena *arena, KgJson *arguments,
		 KgEmbedDone done, void *arg)
{
	KgEmbedding *e = kg_calloc(1, sizeof(KgEmbedding));
	KgBuf body;

	e->embedder = embedder;
	e->arena = arena;
	e->arguments = arguments;
	e->done = done;
	e->arg = arg;
	kg_buf_init(&body);
	kg_json_write_made(&body,
					   json_pack("{s:s, s:s, s:s}",
								 "model",
								 embedder->model,
								 "input",
								 kg_json_get_text(arguments, "query"),
								 "encoding_format",
								 "float"));
	e->fetch = kg_fetch_post(embedder->fetcher, &body, fetched, e);
	if (e->fetch != NULL)
		return e;
	free(e);
	return NULL;
}

void
kg_embedding_cancel(KgEmbedding *embedding)
{
	kg_fetch_cancel(embedding->fetch);
	free(embedding);
}
