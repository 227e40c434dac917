/*
 * wrote.c
 *	  Reads from a standby that must include earlier writes to the primary.
 *
 * After a write, the client gets a value that identifies the writing
 * transaction, and sends it with later reads. A standby makes transactions
 * visible in the order of their commits. So if this transaction is visible on
 * a standby, all earlier writes are, too. The call's own snapshot is checked.
 * A WAL position would be equivalent, but the position of the commit is known
 * only after kg_mcp() has returned.
 *
 * A caller cannot construct a value that makes a call wait: like a cursor, the
 * value is signed and bound to the caller. It is encrypted, because
 * transaction ids reveal how much other callers write.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "base/settings.h"
#include "mcp/wrote.h"
#include "query/argument/cursor.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* A limit above the length of any valid value. */
#define KG_MAX_WROTE_CHARS 128
/*
 * Seconds after which a value expires. After a failover, the new primary may
 * lack the transaction, so that a standby would never show it.
 */
#define KG_WROTE_SECONDS 60

/* The signed and encrypted data of the value. */
typedef struct Wrote
{
	uint64 transaction; /* 64-bit transaction id, with epoch */
	TimestampTz at;
} Wrote;

static StringInfo
purpose(void)
{
	StringInfo about = makeStringInfo();

	kg_cursor_part(about, KG_META_WROTE, strlen(KG_META_WROTE));
	return about;
}

char *
kg_mcp_wrote(const KgMcpRequest *req)
{
	FullTransactionId transaction;
	Wrote wrote;

	if (kg_setting_mcp_server != KG_SERVER_PRIMARY)
		return NULL;
	transaction = GetTopFullTransactionIdIfAny();
	if (!FullTransactionIdIsValid(transaction))
		return NULL;
	wrote.transaction = U64FromFullTransactionId(transaction);
	wrote.at = GetCurrentTimestamp();
	return kg_cursor_seal_hidden(
		req->tenant, purpose(), (const char *) &wrote, sizeof(wrote));
}

/*
 * Returns whether the transaction is visible in the snapshot that the call
 * reads with.
 */
static bool
is_seen(uint64 transaction)
{
	uint64 next = U64FromFullTransactionId(ReadNextFullTransactionId());

	if (transaction >= next)
		return false;
	/*
	 * If more than 2^31 transactions have begun since this transaction, its
	 * 32-bit XID may belong to another transaction. This transaction is then
	 * older than every running transaction, so it is visible.
	 */
	return next - transaction > PG_INT32_MAX ||
		   !XidInMVCCSnapshot((TransactionId) transaction, GetActiveSnapshot());
}

static bool
refuse(KgMcpRequest *req)
{
	return kg_mcp_refuse(
		req,
		KG_MCP_INVALID_PARAMS,
		kg_mcp_error_data("path", "/params/_meta/kg_graph~1wrote"),
		"\"%s\" in params._meta is not a value from a reply to this caller; "
		"send the value of the last reply, or no value",
		KG_META_WROTE);
}

bool
kg_mcp_sees_writes(KgMcpRequest *req)
{
	bool standby = kg_setting_mcp_server == KG_SERVER_STANDBY;
	StringInfo told = NULL;
	JsonbValue meta;
	JsonbValue value;
	Wrote wrote;

	if (kg_setting_mcp_server == KG_SERVER_ALONE)
		return true;
	/* This standby was promoted and may differ from the primary. */
	if (standby && !RecoveryInProgress())
		req->elsewhere = "promoted";
	if (kg_json_get(req->params, "_meta", &meta) == NULL ||
		!kg_json_is_object(&meta) ||
		kg_json_get(kg_json_container(&meta), KG_META_WROTE, &value) == NULL)
		return true;
	if (value.type == jbvString)
		told = kg_cursor_unseal_hidden(req->tenant,
									   purpose(),
									   kg_json_cstring(&value),
									   KG_MAX_WROTE_CHARS);
	if (told == NULL || told->len != sizeof(wrote))
		return refuse(req);
	memcpy(&wrote, told->data, sizeof(wrote));
	if (standby && req->elsewhere == NULL && !is_seen(wrote.transaction))
		req->elsewhere = TimestampDifferenceExceeds(wrote.at,
													GetCurrentTimestamp(),
													KG_WROTE_SECONDS * 1000)
							 ? "lost"
							 : "behind";
	return true;
}
