/*
 * http.h
 *	  The internal types of the HTTP server; used only by the files of http/
 *	  and cmd_serve.c. All code runs in the thread of the event loop.
 *	  libmicrohttpd's epoll descriptor is one watch of the loop. A connection
 *	  with a running call is suspended: libmicrohttpd does not read it, and
 *	  the gateway watches its socket itself to detect that the client
 *	  disconnects.
 */
#ifndef KG_HTTP_H
#define KG_HTTP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <microhttpd.h>

#include "kgctl/call.h"
#include "kgctl/gateway.h"

#define KG_OAUTH_PATH "/.well-known/oauth-protected-resource"
#define KG_EXPLORER_PATH "/explore"

typedef struct KgHttp KgHttp;
typedef struct KgHttpConn KgHttpConn;
typedef struct KgctlRequest KgctlRequest;

typedef struct KgHttpOptions
{
	const KgArgs *args; /* options of the command: --allow-host, --allow-origin
						 * and others */
	const char *path;	/* path of the endpoint */
	const char *resource;
	bool require_token;
	bool access_log;
	long idle_timeout;
	long body_timeout;
	long stream_timeout;
	long grace;
	long max_connections;
	long max_streams;
	long max_bearer_streams;
	long keep_alive; /* maximal number of idle connections */
} KgHttpOptions;

struct KgHttp
{
	KgGateway gateway;
	KgHttpOptions options;
	KgBuf explorer; /* the HTML page of --explorer, or empty */
	struct MHD_Daemon *daemon;
	KgWatch *watch;
	bool wake; /* libmicrohttpd has work to do without a new event */
	int listen_fd;
	struct MHD_Daemon *probe; /* daemon for the address of --metrics, or NULL */
	KgWatch *probe_watch;
	int probe_fd;
	LIST_HEAD(, KgHttpConn) conns;
	long nconns;
	/* number of body bytes of all requests that are being read */
	size_t body_bytes;
	long nrequests; /* number of requests that are not answered yet */
	long nstreams;	/* number of subscriptions */
	bool draining;
	int64_t drain_until;
	int64_t next_sweep;
	int64_t next_beat;
};

/* A connection of a client. */
struct KgHttpConn
{
	KgHttp *http;
	LIST_ENTRY(KgHttpConn) link;
	struct MHD_Connection *mhd;
	int fd;
	KgWatch *watch; /* detects that the client disconnects */
	bool probes;	/* the connection uses the address of --metrics */
	bool ended;		/* the client sends nothing more */
	bool leaving;	/* libmicrohttpd was notified of the end */
	int64_t idle_since;
	KgctlRequest *request;
};

struct KgctlRequest
{
	KgHttp *http;
	KgHttpConn *conn;
	struct MHD_Connection *mhd;
	KgBuf body;
	int64_t started;	  /* time at which the request line was received */
	uintptr_t target_end; /* address after the undecoded request target */
	bool has_nul;		  /* the decoded target contains a NUL */
	bool begun;			  /* the headers were received */
	bool refused;		  /* a refusal was sent, or is prepared in response */
	bool too_large;		  /* the rest of the body is discarded */
	bool complete;		  /* the body was received */
	bool probes;		  /* the request uses the address of --metrics */
	bool suspended;
	bool gone; /* the client has disconnected */
	bool modern;
	bool accepts_stream;
	struct MHD_Response *response; /* response to be queued, or NULL */
	unsigned status;
	KgctlCall *call;
	KgReadyWaiter *waiter; /* entry of a request that waits for the result of
						    * /readyz, or NULL */
	/* Members of a stream of server-sent events. */
	bool streaming;
	bool ended;
	KgBuf out;
	size_t sent;
	/* subscriber, created before the database checks the right to subscribe */
	KgSubscriber *subscriber;
	/* the subscription was acknowledged and is counted in nstreams */
	bool subscribed;
	char *bearer;	 /* bearer of the subscription's token, or NULL */
	char *id;		 /* id of the message, JSON text, or NULL */
	char method[40]; /* method of the message, for the log */
};

/*
 * kg_http_start() starts the server, and returns false on failure.
 * kg_http_drain() begins the shutdown, and kg_http_stop() frees the server.
 * kg_http_suspend() makes libmicrohttpd stop reading a connection while its
 * call runs, and kg_http_resume() ends this. (In http/server.c.)
 */
extern bool kg_http_start(KgHttp *http);
extern void kg_http_stop(KgHttp *http);
extern void kg_http_drain(KgHttp *http);
extern void kg_http_resume(KgctlRequest *req);
extern void kg_http_suspend(KgctlRequest *req);

/* Functions of http/request.c */
/*
 * kg_http_begin() is called after the request line was received, and returns a
 * new request. kg_http_completed() frees it.
 */
extern void *kg_http_begin(void *cls, const char *target,
						   struct MHD_Connection *mhd);
extern enum MHD_Result kg_http_access(void *cls, struct MHD_Connection *mhd,
									  const char *url, const char *method,
									  const char *version,
									  const char *upload_data,
									  size_t *upload_data_size, void **req_cls);
extern void kg_http_completed(void *cls, struct MHD_Connection *mhd,
							  void **req_cls,
							  enum MHD_RequestTerminationCode why);
extern void kg_http_unsubscribe(KgctlRequest *req);
/* Ends a subscription by sending its result. */
extern void kg_http_end_subscription(KgctlRequest *req);

/*
 * Answers a request for monitoring (in http/probe.c). Returns false if the path
 * is not one for monitoring.
 */
extern bool kg_probe_route(KgctlRequest *req, const char *url,
						   const char *method);
/*
 * Removes a request that waits for readiness, because its client does not wait
 * any more.
 */
extern void kg_probe_forget(KgctlRequest *req);

/*
 * These functions answer a request (in http/reply.c). kg_http_reply() answers
 * with a text of the media type "type". kg_http_reply_result() answers with a
 * text inside a result of libpq, which it takes over. kg_http_reply_text()
 * answers with plain text, and kg_http_reply_error() with a JSON-RPC error.
 */
extern void kg_http_reply(KgctlRequest *req, unsigned status, const char *type,
						  const char *text, size_t len);
extern void kg_http_reply_result(KgctlRequest *req, unsigned status,
								 const char *text, size_t len, PGresult *res);
extern void kg_http_reply_text(KgctlRequest *req, unsigned status,
							   const char *text);
extern void kg_http_reply_error(KgctlRequest *req, unsigned status, int code,
								const char *text);
/*
 * Answers with an error like kg_http_reply_error(), with the JSON-RPC error
 * code for refusals by the gateway. Returns false.
 */
extern bool kg_http_refuse(KgctlRequest *req, unsigned status,
						   const char *text);
/* Answers with a response of libmicrohttpd, which the request takes over. */
extern void kg_http_respond(KgctlRequest *req, unsigned status,
							const char *type, struct MHD_Response *response);
/* Returns the value of a header of the request, or NULL. */
extern const char *kg_header(KgctlRequest *req, const char *name);
/* Sets a header of the answer. */
extern void kg_http_header(KgctlRequest *req, const char *name,
						   const char *value);
extern enum MHD_Result kg_http_send(KgctlRequest *req);

/*
 * kg_stream_start() answers a request by a stream of events. kg_stream_event()
 * sends a message as an event, and kg_stream_comment() a comment.
 * kg_stream_end() ends the stream. (In http/stream.c.)
 */
extern void kg_stream_start(KgctlRequest *req);
extern void kg_stream_event(KgctlRequest *req, const char *json, size_t len);
extern void kg_stream_comment(KgctlRequest *req);
extern void kg_stream_end(KgctlRequest *req);

/*
 * Checks of the headers (in http/headers.c). If a check fails, it prepares the
 * refusal and returns false.
 */
extern bool kg_headers_wellformed(KgctlRequest *req, const char *method,
								  const char *version);
extern bool kg_headers_single(KgctlRequest *req);
extern bool kg_headers_origin(KgctlRequest *req, bool is_probe);
extern bool kg_headers_content(KgctlRequest *req);
extern bool kg_headers_token(KgctlRequest *req, const char **token);
extern bool kg_headers_protocol(KgctlRequest *req, KgMessage *msg,
								const char **legacy_revision);
/*
 * kg_headers_agree() sends an id to a legacy client, which repeats it in each
 * request. kg_headers_agreed() reads the id. The gateway has no sessions; the
 * id only encodes the capabilities on which initialize has agreed. Other
 * clients get no id.
 */
extern void kg_headers_agree(KgctlRequest *req, const KgAgreed *agreed);
extern KgAgreed kg_headers_agreed(KgctlRequest *req);
extern bool kg_headers_accept(KgctlRequest *req, const char *type);

/*
 * Functions of explorer.c. kg_explorer_load() prints an error and returns false
 * on failure. kg_explorer_route() returns false if the path is not the path of
 * the page.
 */
extern bool kg_explorer_load(KgHttp *http);
extern bool kg_explorer_route(KgctlRequest *req, const char *url,
							  const char *method);

/*
 * kg_oauth_metadata() answers the request of the gateway's OAuth metadata.
 * kg_oauth_challenge() adds the header WWW-Authenticate to a refusal; error is
 * its OAuth error code, or NULL. (In oauth.c.)
 */
extern void kg_oauth_metadata(KgctlRequest *req);
extern void kg_oauth_challenge(KgctlRequest *req, const char *error);
/* Returns the length of the origin (scheme, host and port) of a URL. */
extern size_t kg_oauth_origin(const char *url);

#endif /* KG_HTTP_H */
