/*
 * message.h
 *	  The properties of a JSON-RPC message that a gateway needs, and the
 *	  errors that it sends itself. The database handles everything else.
 */
#ifndef KG_MESSAGE_H
#define KG_MESSAGE_H

#include "kgctl/json.h"

#define KG_META "io.modelcontextprotocol/"
#define KG_MODERN "2026-07-28"
/* The revision of a legacy HTTP client without a version header. */
#define KG_LEGACY_DEFAULT "2025-03-26"

#define KG_LISTEN_METHOD "subscriptions/listen"
/* A legacy client's method to subscribe to one resource. */
#define KG_SUBSCRIBE_METHOD "resources/subscribe"
#define KG_UNSUBSCRIBE_METHOD "resources/unsubscribe"

/* JSON-RPC codes that the gateway uses. */
#define KG_RPC_PARSE (-32700)
#define KG_RPC_REQUEST (-32600)
#define KG_RPC_METHOD (-32601)
#define KG_RPC_PARAMS (-32602)
#define KG_RPC_INTERNAL (-32603)
#define KG_RPC_HEADER (-32020)
#define KG_RPC_CAPABILITY (-32021)
#define KG_RPC_VERSION (-32022)
#define KG_RPC_BATCH_LIMIT (-32000)

typedef enum KgMessageKind
{
	KG_MSG_INVALID, /* JSON, but not a JSON-RPC message */
	KG_MSG_REQUEST,
	KG_MSG_NOTIFICATION,
	KG_MSG_RESPONSE,
	KG_MSG_BATCH
} KgMessageKind;

typedef struct KgMessage
{
	KgArena *arena;
	KgJson *root;
	KgMessageKind kind;
	const char *method;
	const KgJson *params;
	const KgJson *meta;	  /* params._meta */
	char *id;			  /* JSON text of a valid id, or NULL */
	bool modern;		  /* _meta has a member of the modern protocol */
	const char *revision; /* the revision in _meta, or NULL */
} KgMessage;

/* Return whether a revision is one of the modern, or of the legacy protocol. */
extern bool kg_revision_is_modern(const char *revision);
extern bool kg_revision_is_legacy(const char *revision);
/* Returns whether the revision has batches; only one has. */
extern bool kg_revision_has_batches(const char *revision);

/* Parses a message. Returns false with *error (malloc'd) if it is not JSON. */
extern bool kg_message_parse(KgMessage *msg, const char *text, size_t len,
							 char **error);
extern void kg_message_free(KgMessage *msg);

/* Returns params.name or params.uri, which the header Mcp-Name must repeat. */
extern const char *kg_message_name(const KgMessage *msg);

/* Returns the number of tool calls in the message that have an id. */
extern size_t kg_message_tool_calls(const KgMessage *msg);

/*
 * A search for the id of a request in a text that is refused because it is too
 * large or invalid. The text arrives in pieces and is not stored.
 */
typedef struct KgIdScan
{
	enum
	{
		KG_SCAN_START,
		KG_SCAN_NAME,
		KG_SCAN_COLON,
		KG_SCAN_VALUE,
		KG_SCAN_COMMA,
		KG_SCAN_END,
		KG_SCAN_LOST /* the outermost object is not well-formed */
	} place;
	size_t depth;
	bool in_string;
	bool escaped;
	bool is_id;		 /* the current member is the id */
	bool is_request; /* it has a method */
	unsigned ids;
	KgBuf token;
	char *id;
} KgIdScan;

extern void kg_id_scan_start(KgIdScan *scan);
extern void kg_id_scan(KgIdScan *scan, const char *text, size_t len);
/* Returns the id as JSON text (malloc'd), or NULL if it is unknown. */
extern char *kg_id_scan_end(KgIdScan *scan);
/* Searches for the id in a text of one piece. */
extern char *kg_message_find_id(const char *text, size_t len);

/*
 * Writes {"jsonrpc":"2.0","id":...,"error":{...}}. id NULL is written as null.
 */
extern void kg_message_error(KgBuf *out, const char *id, int code,
							 const char *text);

/* Writes {"jsonrpc":"2.0","id":...,"result":{...}} and releases result. */
extern void kg_message_result(KgBuf *out, const char *id, json_t *result);

/* The reason why a call is not passed on. */
typedef enum KgRefusal
{
	KG_REFUSED_FORBIDDEN,
	KG_REFUSED_LIMIT,
	KG_REFUSED_UNAVAILABLE
} KgRefusal;

/*
 * Writes the result of a failed tool, in the format of a legacy revision, or of
 * the modern one if revision is NULL. retry_after_ms < 0 is omitted.
 */
extern void kg_message_tool_error(KgBuf *out, const char *id,
								  const char *revision, KgRefusal refusal,
								  const char *text, long retry_after_ms);

/* The capabilities that initialize has agreed on with a legacy client. */
typedef struct KgAgreed
{
	bool app; /* MCP Apps */
	bool lax; /* schemas for a client that checks arguments itself */
} KgAgreed;

/*
 * Adds "kg_revision", and the members for the capabilities, to a message, a
 * valid JSON object.
 */
extern void kg_message_with_revision(KgBuf *out, const char *text, size_t len,
									 const char *revision,
									 const KgAgreed *agreed);

/* Returns the capabilities in the database's answer to initialize. */
extern KgAgreed kg_answer_agrees(const char *text, size_t len);

#endif /* KG_MESSAGE_H */
