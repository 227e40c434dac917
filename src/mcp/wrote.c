/*
 * wrote.c
 *	  Reading at a standby what was written at the primary.
 *
 * The value names the transaction that wrote.  A standby shows transactions in
 * the order in which they committed, so whoever sees this one sees all that was
 * written before; and whether it does its snapshot says, the very one that it
 * reads by.  A position in the WAL would say the same, but where a commit is
 * there is known only when kg_mcp() has answered.
 *
 * Nobody can make a value that lets a call wait: it is signed, and bound to who
 * calls, as cursors are.  And it is hidden, because numbers of transactions tell
 * how much others write.
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

/* Longer than any value of ours. */
#define KG_MAX_WROTE_CHARS 128
/*
 * What a standby has not after so long it may never get: after a failover, what
 * the new primary had not received.
 */
#define KG_WROTE_SECONDS 60

/* What is signed. */
typedef struct Wrote
{
	uint64 transaction; /* with its epoch */
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

/* By the snapshot that the call reads by. */
static bool
is_seen(uint64 transaction)
{
	uint64 next = U64FromFullTransactionId(ReadNextFullTransactionId());

	if (transaction >= next)
		return false;
	/* Older than any that can still run, it has a number that is given again. */
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
		"params._meta has a \"%s\" that is not of a reply to "
		"this caller; send that of the last one, or none",
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
	/* It goes its own way, and the primary perhaps another. */
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
