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
/*
 * The protocol revision of a legacy HTTP client that sends no version header.
 */
#define KG_LEGACY_DEFAULT "2025-03-26"

#define KG_LISTEN_METHOD "subscriptions/listen"
/* A legacy client's method to subscribe to one resource. */
#define KG_SUBSCRIBE_METHOD "resources/subscribe"
#define KG_UNSUBSCRIBE_METHOD "resources/unsubscribe"

/* JSON-RPC error codes that the gateway uses. */
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
	KG_MSG_INVALID, /* valid JSON, but not a JSON-RPC message */
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
	const KgJson *meta; /* params._meta */
	char *id;			/* JSON text of a valid id, or NULL */
	bool modern; /* _meta has a member that only the modern protocol defines */
	const char *revision; /* the protocol revision in _meta, or NULL */
} KgMessage;

/*
 * Return whether a revision belongs to the modern, or to the legacy protocol.
 */
extern bool kg_revision_is_modern(const char *revision);
extern bool kg_revision_is_legacy(const char *revision);
/* Returns whether the revision has batches. Only one revision has batches. */
extern bool kg_revision_has_batches(const char *revision);

/*
 * Parses a message. If text is not JSON, returns false and sets *error
 * (malloc'd).
 */
extern bool kg_message_parse(KgMessage *msg, const char *text, size_t len,
							 char **error);
extern void kg_message_free(KgMessage *msg);

/*
 * Returns params.name or params.uri, which the header Mcp-Name must repeat.
 * Returns NULL if the method has no such parameter.
 */
extern const char *kg_message_name(const KgMessage *msg);

/* Returns the number of tool calls in the message that have an id. */
extern size_t kg_message_tool_calls(const KgMessage *msg);

/*
 * A search for the id of a request in a text that is refused, because it is too
 * large or invalid. The text arrives in parts and is not stored.
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
	bool is_request; /* the object has the member "method" */
	unsigned ids;
	KgBuf token;
	char *id;
} KgIdScan;

extern void kg_id_scan_start(KgIdScan *scan);
extern void kg_id_scan(KgIdScan *scan, const char *text, size_t len);
/*
 * Ends the search. Returns the id as JSON text (malloc'd), or NULL if it is
 * unknown.
 */
extern char *kg_id_scan_end(KgIdScan *scan);
/*
 * Searches for the id in a complete text. Returns the id as JSON text
 * (malloc'd), or NULL if it is unknown.
 */
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
 * Writes the result of a failed tool in the format of a legacy revision.
 * revision NULL selects the modern format. A negative retry_after_ms is
 * omitted.
 */
extern void kg_message_tool_error(KgBuf *out, const char *id,
								  const char *revision, KgRefusal refusal,
								  const char *text, long retry_after_ms);

/* The capabilities that initialize has agreed on with a legacy client. */
typedef struct KgAgreed
{
	bool app; /* the client supports MCP Apps */
	/* the client checks arguments itself, so it gets less strict schemas */
	bool lax;
} KgAgreed;

/*
 * Writes a message with the added member "kg_revision" and members for the
 * capabilities. text must be a valid JSON object.
 */
extern void kg_message_with_revision(KgBuf *out, const char *text, size_t len,
									 const char *revision,
									 const KgAgreed *agreed);

/*
 * Returns the capabilities that the database's answer to initialize agrees on.
 */
extern KgAgreed kg_answer_agrees(const char *text, size_t len);

#endif /* KG_MESSAGE_H */
