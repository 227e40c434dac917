/*
 * history.c
 *	  Writes kg_history.
 *
 * A row contains the complete documents before and after the change (images),
 * so it can be interpreted without other rows, even after pruning. The state
 * of an entity at a time is the image before the first later change. If there
 * is no later change, it is the stored document.
 *
 * Changes of an entity are ordered by its version, because a nested statement
 * is recorded before the outer statement. An edge has no version; its changes
 * are ordered by their numbers (order_edges()).
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "auth/identity.h"
#include "auth/listen.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "auth/token_identity.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "model/writer.h"
#include "model/writing.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "store/derived/columns.h"
#include "store/history/freed.h"
#include "store/history/history.h"
#include "store/history/image.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* When a batch has this number of changes or bytes, it is written. */
#define KG_HISTORY_BATCH 4096
#define KG_HISTORY_BYTES (16 * 1024 * 1024)

/* Columns of the collected rows of entities. */
enum
{
	COL_VERDICT,
	COL_BUNDLE,
	COL_TYPE,
	COL_ID,
	COL_NODE,
	COL_VERSION,
	COL_BEFORE,
	COL_AFTER,
	NCOLS
};

/* Columns of the collected rows of edges. */
enum
{
	EDGE_VERDICT,
	EDGE_BUNDLE,
	EDGE_RELATION,
	EDGE_SOURCE,
	EDGE_TARGET,
	EDGE_KEY,
	EDGE_BEFORE,
	EDGE_AFTER,
	NEDGECOLS
};

struct KgHistory
{
	const char *tenant;
	Oid role;
	/* the owner writes the rows as an effect of another write */
	bool follows;
	MemoryContext batch;
	Size bytes;
	KgColumns rows;
	KgColumns edges;
};

static void
init_batch(KgHistory *history)
{
	static const Oid edge_types[NEDGECOLS] = {TEXTOID,
											  TEXTOID,
											  INT4OID,
											  INT8OID,
											  INT8OID,
											  TEXTOID,
											  JSONBOID,
											  JSONBOID};
	static const Oid types[NCOLS] = {TEXTOID,
									 TEXTOID,
									 INT4OID,
									 TEXTOID,
									 INT8OID,
									 INT8OID,
									 JSONBOID,
									 JSONBOID};

	MemoryContextReset(history->batch);
	kg_columns_init(&history->rows, history->batch, NCOLS, types);
	kg_columns_init(&history->edges, history->batch, NEDGECOLS, edge_types);
	history->bytes = 0;
}

KgHistory *
kg_history_begin(const char *tenant, const KgUserContext *caller)
{
	KgHistory *history = palloc0(sizeof(KgHistory));

	history->tenant = pstrdup(tenant);
	history->role = kg_writing_role(caller->userid);
	history->follows = caller->userid == kg_extension_owner();
	history->batch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph history", ALLOCSET_DEFAULT_SIZES);
	init_batch(history);
	return history;
}

/*
 * Returns the number of the transaction in the history. It is lower than the
 * numbers of the transaction's changes.
 */
static int64
transaction_number(void)
{
	static uint64 transaction = 0;
	static int64 number;
	uint64 current = U64FromFullTransactionId(GetTopFullTransactionId());

	if (transaction != current)
	{
		number = nextval_internal(kg_relation_oid("kg_change_seq"), false);
		transaction = current;
	}
	return number;
}

/*
 * Columns that are equal in all changes of a transaction: time, role, reason
 * and so on.
 */
#define KG_COMMON_COLUMNS                                           \
	"tenant, change, transaction, at, role, subject, agent, tool, " \
	"reason, "
#define KG_NCOMMON 9

static void
put_common(const KgHistory *history, KgArg *args)
{
	const KgWriter *writer = kg_writer();

	args[0] = kg_arg_text(history->tenant);
	args[1] = kg_arg(REGCLASSOID,
					 ObjectIdGetDatum(kg_relation_oid("kg_change_seq")));
	args[2] = kg_arg_int8(transaction_number());
	args[3] = kg_arg(TIMESTAMPTZOID,
					 TimestampTzGetDatum(kg_writing_time(history->follows)));
	args[4] = kg_arg_text(GetUserNameFromId(history->role, false));
	args[5] = kg_arg_text(kg_token_subject());
	args[6] = kg_arg_text(kg_identity_agent());
	args[7] = kg_arg_text(writer->tool);
	args[8] = kg_arg_text(writer->reason);
}

/*
 * Selects late changes of edges: changes that must precede a change with a
 * lower number. mine is the number of the late change, and first is the number
 * of the change that it must precede. The last change of an edge is not late if
 * two conditions are met: it started from the state to which the previous
 * change led, and it led to the stored state.
 */
#define KG_LATE                                                               \
	"SELECT u.*, n.change AS mine, f.change AS first, f.at "                  \
	"FROM (SELECT DISTINCT * FROM unnest($4, $5, $6, $7) "                    \
	"u(relation_no, source, target, key)) u "                                 \
	"CROSS JOIN LATERAL (SELECT h.change, h.before::text, h.after::text "     \
	"FROM @kg_history h WHERE h.tenant = $1 "                                 \
	"AND h.relation_no = u.relation_no AND h.source = u.source "              \
	"AND h.target = u.target AND h.key = u.key "                              \
	"ORDER BY h.change DESC LIMIT 1) n "                                      \
	"CROSS JOIN LATERAL (SELECT h.transaction, h.after::text "                \
	"FROM @kg_history h WHERE h.tenant = $1 "                                 \
	"AND h.relation_no = u.relation_no AND h.source = u.source "              \
	"AND h.target = u.target AND h.key = u.key AND h.change < n.change "      \
	"ORDER BY h.change DESC LIMIT 1) l "                                      \
	"LEFT JOIN @kg_edge e ON e.tenant = $1 "                                  \
	"AND e.relation_no = u.relation_no AND e.source = u.source "              \
	"AND e.target = u.target AND e.key = u.key "                              \
	"CROSS JOIN LATERAL (SELECT c.change, c.at FROM (SELECT h.change, h.at, " \
	"h.transaction, h.before::text, lag(h.change) OVER w AS last, "           \
	"lag(h.after::text) OVER w AS was FROM @kg_history h "                    \
	"WHERE h.tenant = $1 AND h.relation_no = u.relation_no "                  \
	"AND h.source = u.source AND h.target = u.target AND h.key = u.key "      \
	"AND h.change < n.change WINDOW w AS (ORDER BY h.change)) c "             \
	"WHERE c.transaction = $3 AND c.before IS NOT DISTINCT FROM n.after "     \
	"AND (c.last IS NULL OR c.was IS DISTINCT FROM c.before) "                \
	"ORDER BY c.change LIMIT 1) f "                                           \
	"WHERE l.transaction = $3 AND (l.after IS DISTINCT FROM n.before "        \
	"OR n.after IS DISTINCT FROM CASE WHEN e.source IS NOT NULL "             \
	"THEN coalesce(e.properties, 'null')::text END)"

/*
 * Renumbers changes of edges in the order in which the edge had its states. A
 * statement is recorded when it ends. So a nested statement, such as a
 * statement in a row trigger, is recorded before the outer statement. A
 * deletion in a WITH clause may be recorded after an insertion.
 *
 * A change is late if it was recorded after a change that begins with the late
 * change's result. The late change must be moved before that change. If several
 * changes begin with this state, it is the first whose previous change does not
 * lead to the state. This change and all later changes get new numbers.
 */
static void
order_edges(const KgHistory *history)
{
	KgArg columns[NEDGECOLS];

	kg_columns_args(&history->edges, columns);
	KG_BATCH_EXEC(
		"WITH late AS MATERIALIZED (" KG_LATE "), "
		"moved AS MATERIALIZED (SELECT o.change, nextval($2) AS number "
		"FROM (SELECT h.change FROM late JOIN @kg_history h "
		"ON h.tenant = $1 AND h.relation_no = late.relation_no "
		"AND h.source = late.source AND h.target = late.target "
		"AND h.key = late.key AND h.change >= late.first "
		"AND h.change < late.mine ORDER BY h.change) o) "
		"UPDATE @kg_history h SET change = m.number, "
		"at = coalesce(m.at, h.at) FROM (SELECT change, number, "
		"NULL::timestamptz AS at FROM moved "
		"UNION ALL SELECT mine, mine, at FROM late) m "
		"WHERE h.tenant = $1 AND h.change = m.change",
		kg_arg_text(history->tenant),
		kg_arg(REGCLASSOID, ObjectIdGetDatum(kg_relation_oid("kg_change_seq"))),
		kg_arg_int8(transaction_number()),
		columns[EDGE_RELATION],
		columns[EDGE_SOURCE],
		columns[EDGE_TARGET],
		columns[EDGE_KEY]);
}

/*
 * Records the transaction for kg_changes(), once, and notifies the listeners if
 * kg_graph.notify_changes is on. The backend remembers this only if the row was
 * written outside of a subtransaction, because a subtransaction could be rolled
 * back. The next transaction has another number, so the remembered number does
 * not apply to it.
 */
static void
note_transaction(const KgHistory *history)
{
	static KgSaved saved;
	static uint64 noted = 0;
	static char tenant[NAMEDATALEN];
	uint64 current = U64FromFullTransactionId(GetTopFullTransactionId());

	/* The table is missing in a database that has not been updated yet. */
	if ((noted == current && strcmp(tenant, history->tenant) == 0) ||
		!OidIsValid(kg_find_relation("kg_change_transaction")))
		return;
	kg_spi_exec(&saved,
				"INSERT INTO @kg_change_transaction(tenant, xid, transaction) "
				"VALUES ($1, pg_current_xact_id(), $2) ON CONFLICT DO NOTHING",
				kg_arg_text(history->tenant),
				kg_arg_int8(transaction_number()));
	if (kg_setting_notify_changes)
	{
		kg_listen_tell(history->tenant, KG_LISTEN_CHANGES);
		kg_listen_tell(history->tenant, KG_LISTEN_RESOURCE);
	}
	if (GetCurrentSubTransactionId() != TopSubTransactionId)
		return;
	noted = current;
	strlcpy(tenant, history->tenant, sizeof(tenant));
}

/*
 * Returns whether this function was already called in this transaction, which
 * means that the transaction has recorded changes of edges.
 */
static bool
told_before(void)
{
	static uint64 last = 0;
	uint64 current = U64FromFullTransactionId(GetTopFullTransactionId());
	bool before = last == current;

	last = current;
	return before;
}

static void
write_edges(KgHistory *history)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_NCOMMON + NEDGECOLS];

	if (history->edges.nrows == 0)
		return;
	put_common(history, args);
	kg_columns_args(&history->edges, &args[KG_NCOMMON]);
	kg_spi_exec_args(
		&saved,
		"INSERT INTO @kg_history(" KG_COMMON_COLUMNS
		"verdict, bundle, relation_no, source, target, key, before, "
		"after) SELECT $1, nextval($2), $3, "
		/*
		 * The time must not be before the time of the edge's previous change,
		 * even if the clock was set back. The edge may have been deleted and
		 * created again.
		 */
		"greatest($4, "
		"(SELECT h.at FROM @kg_history h WHERE h.tenant = $1 "
		"AND h.relation_no = u.relation_no AND h.source = u.source "
		"AND h.target = u.target AND h.key = u.key "
		"ORDER BY h.change DESC LIMIT 1)), "
		"$5, $6, $7, $8, $9, u.* "
		"FROM unnest($10, $11, $12, $13, $14, $15, $16, $17) "
		"u(verdict, bundle, relation_no, source, target, key, before, "
		"after)",
		lengthof(args),
		args);
	if (told_before())
		order_edges(history);
}

static void
write_entities(KgHistory *history)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_NCOMMON + NCOLS];

	if (history->rows.nrows == 0)
		return;
	put_common(history, args);
	kg_columns_args(&history->rows, &args[KG_NCOMMON]);
	kg_spi_exec_args(
		&saved,
		"INSERT INTO @kg_history(" KG_COMMON_COLUMNS
		"verdict, bundle, type_no, entity_id, node, version, before, "
		"after) SELECT $1, nextval($2), $3, "
		/*
		 * The time must not be before the time of the entity's previous
		 * change, even if the clock was set back. At version 1 there is no
		 * earlier change, because no entity had the id before. (If the id was
		 * given up while this session waited, the clock is read after the
		 * wait.)
		 */
		"CASE WHEN u.version = 1 THEN $4 ELSE greatest($4, "
		"(SELECT h.at FROM @kg_history h WHERE h.tenant = $1 "
		"AND h.type_no = u.type_no AND h.entity_id = u.entity_id "
		"ORDER BY h.at DESC LIMIT 1)) END, "
		"$5, $6, $7, $8, $9, u.* "
		"FROM unnest($10, $11, $12, $13, $14, $15, $16, $17) "
		"u(verdict, bundle, type_no, entity_id, node, version, before, "
		"after)",
		lengthof(args),
		args);
}

static void
write_batch(KgHistory *history)
{
	MemoryContext old = MemoryContextSwitchTo(history->batch);

	if (history->rows.nrows > 0 || history->edges.nrows > 0)
		note_transaction(history);
	write_entities(history);
	write_edges(history);
	MemoryContextSwitchTo(old);
	init_batch(history);
}

/* Returns a copy of a document in the current memory context. */
static Datum
copy_image(KgHistory *history, const Jsonb *data)
{
	Size size = VARSIZE(data);
	void *copy = palloc(size);

	memcpy(copy, data, size);
	history->bytes += size;
	return PointerGetDatum(copy);
}

static void
flush_full(KgHistory *history)
{
	if (history->rows.nrows + history->edges.nrows >= KG_HISTORY_BATCH ||
		history->bytes >= KG_HISTORY_BYTES)
		write_batch(history);
}

static const char *
verdict_of(const void *before, const void *after)
{
	return before == NULL ? "created" : after == NULL ? "deleted" : "updated";
}

static void
add(KgHistory *history, const KgType *type, int64 node, const KgImage *before,
	const KgImage *after)
{
	KgColumns *rows = &history->rows;
	MemoryContext old = MemoryContextSwitchTo(history->batch);

	kg_columns_add_row(rows);
	kg_columns_text(rows, COL_VERDICT, verdict_of(before, after));
	kg_columns_text(rows, COL_BUNDLE, type->bundle);
	kg_columns_int32(rows, COL_TYPE, type->type_no);
	kg_columns_text(rows, COL_ID, (after ? after : before)->entity_id);
	kg_columns_int64(rows, COL_NODE, node);
	kg_columns_int64(rows,
					 COL_VERSION,
					 after ? after->version
						   : kg_version_ended(before->version));
	if (before)
		kg_columns_datum(rows, COL_BEFORE, copy_image(history, before->data));
	if (after)
		kg_columns_datum(rows, COL_AFTER, copy_image(history, after->data));
	MemoryContextSwitchTo(old);
	flush_full(history);
}

void
kg_history_entity(KgHistory *history, const KgType *type, int64 node,
				  const KgImage *before, const KgImage *after)
{
	if (before && after && strcmp(before->entity_id, after->entity_id) != 0)
	{
		add(history, type, node, before, NULL);
		add(history, type, node, NULL, after);
	}
	else if (before == NULL || after == NULL ||
			 !kg_image_same(before->data, after->data))
		add(history, type, node, before, after);
}

/*
 * Returns the image (document) of an edge. If the edge has no properties, it
 * is the JSON value null.
 */
static Datum
edge_image(KgHistory *history, const KgEdgeImage *image)
{
	const Jsonb *properties = image->properties;

	return copy_image(history, properties ? properties : kg_json_parse("null"));
}

static void
add_edge(KgHistory *history, const KgRelation *relation,
		 const KgEdgeImage *before, const KgEdgeImage *after)
{
	const KgEdgeImage *edge = after ? after : before;
	KgColumns *rows = &history->edges;
	MemoryContext old = MemoryContextSwitchTo(history->batch);

	kg_columns_add_row(rows);
	kg_columns_text(rows, EDGE_VERDICT, verdict_of(before, after));
	kg_columns_text(rows, EDGE_BUNDLE, relation->bundle);
	kg_columns_int32(rows, EDGE_RELATION, relation->relation_no);
	kg_columns_int64(rows, EDGE_SOURCE, edge->source);
	kg_columns_int64(rows, EDGE_TARGET, edge->target);
	kg_columns_datum(
		rows,
		EDGE_KEY,
		PointerGetDatum(cstring_to_text_with_len(
			VARDATA_ANY(edge->key), VARSIZE_ANY_EXHDR(edge->key))));
	if (before)
		kg_columns_datum(rows, EDGE_BEFORE, edge_image(history, before));
	if (after)
		kg_columns_datum(rows, EDGE_AFTER, edge_image(history, after));
	MemoryContextSwitchTo(old);
	flush_full(history);
}

static bool
same_edge(const KgEdgeImage *a, const KgEdgeImage *b)
{
	int len = VARSIZE_ANY_EXHDR(a->key);

	return a->source == b->source && a->target == b->target &&
		   len == VARSIZE_ANY_EXHDR(b->key) &&
		   memcmp(VARDATA_ANY(a->key), VARDATA_ANY(b->key), len) == 0;
}

void
kg_history_edge(KgHistory *history, const KgRelation *relation,
				const KgEdgeImage *before, const KgEdgeImage *after)
{
	if (before && after && !same_edge(before, after))
	{
		add_edge(history, relation, before, NULL);
		add_edge(history, relation, NULL, after);
	}
	else if (before == NULL || after == NULL ||
			 (before->properties == NULL) != (after->properties == NULL) ||
			 (before->properties &&
			  !kg_image_same(before->properties, after->properties)))
		add_edge(history, relation, before, after);
}

void
kg_history_end(KgHistory *history)
{
	write_batch(history);
	MemoryContextDelete(history->batch);
}

/*
 * For each type and relation, sets the beginning of the history to the given
 * time. Without the deleted changes, an earlier state cannot be computed.
 */
static void
move_horizon(const char *tenant, TimestampTz before)
{
	static KgSaved saved[2];
	static const char *const statements[] = {
		"UPDATE @kg_entity_type SET history_since = $2 "
		"WHERE tenant = $1 AND history_since < $2",
		"UPDATE @kg_relation SET history_since = $2 "
		"WHERE tenant = $1 AND history_since < $2"};

	for (int i = 0; i < lengthof(statements); i++)
		kg_spi_exec_newest(&saved[i],
						   statements[i],
						   kg_arg_text(tenant),
						   kg_arg(TIMESTAMPTZOID, TimestampTzGetDatum(before)));
}

/*
 * Writes a mark for kg_changes(): two rows with xid 0 and 1, which no
 * transaction has. They contain the last transaction whose changes may be
 * missing, and a number that identifies the mark. A position returned after
 * this call contains that number. Such a position is valid even if it is
 * before that transaction, because its receiver reads the data afterwards, and
 * the data include the missing changes.
 */
void
kg_history_end_positions(const char *tenant, int64 last_xid)
{
	KG_SPI_NEWEST("INSERT INTO @kg_change_transaction AS t "
				  "(tenant, xid, transaction) VALUES ($1, '0', $2), "
				  "($1, '1', pg_current_xact_id()::text::int8) "
				  "ON CONFLICT (tenant, xid) DO UPDATE SET transaction = "
				  "greatest(EXCLUDED.transaction, t.transaction + "
				  "CASE WHEN t.xid = '1' THEN 1 ELSE 0 END)",
				  kg_arg_text(tenant),
				  kg_arg_int8(last_xid));
}

/*
 * Removes records of transactions whose changes are no longer complete, and of
 * all earlier transactions.
 */
static void
move_position(const char *tenant, TimestampTz before)
{
	int64 last_xid;
	bool none;

	if (!OidIsValid(kg_find_relation("kg_change_transaction")))
		return;
	KG_SPI_NEWEST("SELECT max(x.xid::text::int8) FROM "
				  "@kg_change_transaction x WHERE x.tenant = $1 "
				  "AND x.xid > '1' AND EXISTS "
				  "(SELECT FROM @kg_history h WHERE h.tenant = $1 "
				  "AND h.transaction = x.transaction AND h.at < $2)",
				  kg_arg_text(tenant),
				  kg_arg(TIMESTAMPTZOID, TimestampTzGetDatum(before)));
	(void) kg_spi_value(0, 1, &none);
	if (none)
		return;
	last_xid = kg_spi_int64(0, 1);
	KG_SPI_NEWEST("DELETE FROM @kg_change_transaction WHERE tenant = $1 "
				  "AND xid > '1' AND xid <= $2::text::xid8",
				  kg_arg_text(tenant),
				  kg_arg_int8(last_xid));
	kg_history_end_positions(tenant, last_xid);
}

bool
kg_history_prune(TimestampTz before, int64 *pruned)
{
	const char *tenant = kg_identity_require(KG_ACCESS_ADMIN);
	bool whole = kg_catalog_newest(tenant)->plain_visibility &&
				 kg_visibility_history_is_whole();
	KgUserContext user;

	kg_visibility_require_tenant("prune its history");
	if (before > GetCurrentTimestamp())
		KG_THROW(KG_INVALID_INPUT,
				 .message = "the time is in the future",
				 .path = "/before",
				 .got_string = kg_time_text(before),
				 .expected = "a time that has passed");
	kg_spi_begin_as_owner(&user);
	move_horizon(tenant, before);
	move_position(tenant, before);
	KG_SPI_NEWEST("DELETE FROM @kg_history WHERE tenant = $1 AND at < $2",
				  kg_arg_text(tenant),
				  kg_arg(TIMESTAMPTZOID, TimestampTzGetDatum(before)));
	*pruned = SPI_processed;
	kg_spi_end_as_owner(&user);
	/* The number must not reveal changes of hidden entities. */
	return whole;
}
