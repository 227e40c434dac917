/*
 * message.h
 *	  What a gateway has to know of a JSON-RPC message, and the errors it
 *	  answers itself.  Everything else is the database's business.
 */
#ifndef KG_MESSAGE_H
#define KG_MESSAGE_H

#include "kgctl/json.h"

#define KG_META "io.modelcontextprotocol/"
#define KG_MODERN "2026-07-28"
/* What a legacy HTTP client without a version header speaks. */
#define KG_LEGACY_DEFAULT "2025-03-26"

#define KG_LISTEN_METHOD "subscriptions/listen"
/* The same of one resource, of a legacy client. */
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
	KG_MSG_INVALID, /* JSON, but no JSON-RPC message */
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
	char *id;			  /* JSON text of a usable id, else NULL */
	bool modern;		  /* _meta makes a claim of the modern protocol */
	const char *revision; /* the one _meta names, or NULL */
} KgMessage;

/* Whether a revision is one of the modern protocol; and of the legacy one. */
extern bool kg_revision_is_modern(const char *revision);
extern bool kg_revision_is_legacy(const char *revision);
/* One revision alone has them. */
extern bool kg_revision_has_batches(const char *revision);

/* Parse; false with *error (malloc'd) where it is not JSON. */
extern bool kg_message_parse(KgMessage *msg, const char *text, size_t len,
							 char **error);
extern void kg_message_free(KgMessage *msg);

/* params.name or params.uri: what the header Mcp-Name has to repeat. */
extern const char *kg_message_name(const KgMessage *msg);

/* How many calls of tools are in it: those that want an answer. */
extern size_t kg_message_tool_calls(const KgMessage *msg);

/*
 * A search for the id of a request in text that is refused because it is too
 * large or cannot be parsed.  The text comes in pieces and is not kept.
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
	bool is_id;		 /* the member that is read */
	bool is_request; /* it has a method */
	unsigned ids;
	KgBuf token;
	char *id;
} KgIdScan;

extern void kg_id_scan_start(KgIdScan *scan);
extern void kg_id_scan(KgIdScan *scan, const char *text, size_t len);
/* Returns the id as JSON text, malloc'd, or NULL where it cannot be known. */
extern char *kg_id_scan_end(KgIdScan *scan);
/* Does all of it with one piece. */
extern char *kg_message_find_id(const char *text, size_t len);

/* {"jsonrpc":"2.0","id":...,"error":{...}}; id NULL is written as null. */
extern void kg_message_error(KgBuf *out, const char *id, int code,
							 const char *text);

/* {"jsonrpc":"2.0","id":...,"result":{...}}; lets result go. */
extern void kg_message_result(KgBuf *out, const char *id, json_t *result);

/* Why a call is not passed on. */
typedef enum KgRefusal
{
	KG_REFUSED_FORBIDDEN,
	KG_REFUSED_LIMIT,
	KG_REFUSED_UNAVAILABLE
} KgRefusal;

/*
 * The result of a tool that fails, in the shape of a legacy revision, or (NULL)
 * of the modern one.  retry_after_ms < 0: that is not told.
 */
extern void kg_message_tool_error(KgBuf *out, const char *id,
								  const char *revision, KgRefusal refusal,
								  const char *text, long retry_after_ms);

/* Add "kg_revision", and "kg_app", to a message that is an object, valid JSON. */
extern void kg_message_with_revision(KgBuf *out, const char *text, size_t len,
									 const char *revision, bool app);

/* Does the database's answer to initialize agree on MCP Apps? */
extern bool kg_answer_agrees_app(const char *text, size_t len);

#endif /* KG_MESSAGE_H */
