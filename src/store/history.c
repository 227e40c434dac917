/*
 * history.c
 *	  Writing kg_history.
 *
 * A row has both images whole: what it says needs no other row, whatever was
 * pruned, and the state of an entity at some time is what the first change
 * after it found, or what is stored.  Changes of an entity are ordered by its
 * version, because a statement within another one is told of before it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "auth/token_identity.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "catalog/writer.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "store/columns.h"
#include "store/history.h"
#include "store/image.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* A batch is written when it has so many changes, or so many bytes. */
#define KG_HISTORY_BATCH 4096
#define KG_HISTORY_BYTES (16 * 1024 * 1024)

/* Columns of the rows gathered. */
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
	COL_SCOPE_BEFORE,
	COL_SCOPE_AFTER,
	NCOLS
};

struct KgHistory
{
	const char *tenant;
	KgUserContext caller;
	MemoryContext batch;
	Size bytes;
	KgColumns rows;
};

static void
init_batch(KgHistory *history)
{
	static const Oid types[NCOLS] = {TEXTOID,
									 TEXTOID,
									 INT4OID,
									 TEXTOID,
									 INT8OID,
									 INT8OID,
									 JSONBOID,
									 JSONBOID,
									 TEXTOID,
									 TEXTOID};

	MemoryContextReset(history->batch);
	kg_columns_init(&history->rows, history->batch, NCOLS, types);
	history->bytes = 0;
}

KgHistory *
kg_history_begin(const char *tenant, const KgUserContext *caller)
{
	KgHistory *history = palloc0(sizeof(KgHistory));

	history->tenant = pstrdup(tenant);
	history->caller = *caller;
	history->batch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph history", ALLOCSET_DEFAULT_SIZES);
	init_batch(history);
	return history;
}

/* The number of the first change that the transaction wrote, or may have. */
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

/* Who writes, and why: parameters from index on. */
static void
put_writer(const KgHistory *history, Datum *values, char *nulls, int index)
{
	const KgWriter *writer = kg_writer();

	kg_spi_put_text(
		values, nulls, index, GetUserNameFromId(history->caller.userid, false));
	kg_spi_put_text(values, nulls, index + 1, kg_token_subject());
	kg_spi_put_text(values, nulls, index + 2, kg_identity_agent());
	kg_spi_put_text(values, nulls, index + 3, writer->tool);
	kg_spi_put_text(values, nulls, index + 4, writer->reason);
}

static void
write_batch(KgHistory *history)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID,
								   REGCLASSOID,
								   INT8OID,
								   TIMESTAMPTZOID,
								   TEXTOID,
								   TEXTOID,
								   TEXTOID,
								   TEXTOID,
								   TEXTOID,
								   TEXTARRAYOID,
								   TEXTARRAYOID,
								   INT4ARRAYOID,
								   TEXTARRAYOID,
								   INT8ARRAYOID,
								   INT8ARRAYOID,
								   JSONBARRAYOID,
								   JSONBARRAYOID,
								   TEXTARRAYOID,
								   TEXTARRAYOID};
	Datum values[lengthof(argtypes)];
	char nulls[lengthof(argtypes)];
	MemoryContext old;

	if (history->rows.nrows == 0)
		return;
	old = MemoryContextSwitchTo(history->batch);
	memset(nulls, ' ', sizeof(nulls));
	kg_spi_put_text(values, nulls, 0, history->tenant);
	values[1] = ObjectIdGetDatum(kg_relation_oid("kg_change_seq"));
	values[2] = Int64GetDatum(transaction_number());
	values[3] = TimestampTzGetDatum(GetCurrentTimestamp());
	put_writer(history, values, nulls, 4);
	kg_columns_arrays(&history->rows, &values[9]);
	kg_spi_run(&saved,
			   "INSERT INTO @kg_history(tenant, change, transaction, at, role, "
			   "subject, agent, tool, reason, verdict, bundle, type_no, "
			   "entity_id, node, version, before, after, scope_before, "
			   "scope_after) SELECT $1, nextval($2), $3, "
			   /* The clock may have been set back. */
			   "CASE WHEN u.before IS NULL THEN $4 ELSE greatest($4, "
			   "(SELECT h.at FROM @kg_history h WHERE h.tenant = $1 "
			   "AND h.type_no = u.type_no AND h.entity_id = u.entity_id "
			   "ORDER BY h.version DESC LIMIT 1)) END, "
			   "$5, $6, $7, $8, $9, u.* "
			   "FROM unnest($10, $11, $12, $13, $14, $15, $16, $17, $18, $19) "
			   "u(verdict, bundle, type_no, entity_id, node, version, before, "
			   "after, scope_before, scope_after)",
			   lengthof(argtypes),
			   argtypes,
			   values,
			   nulls,
			   false,
			   SPI_OK_INSERT);
	MemoryContextSwitchTo(old);
	init_batch(history);
}

static void
put_image(KgHistory *history, const KgImage *image, int data, int scope)
{
	Size size = VARSIZE(image->data);
	void *copy = palloc(size);

	memcpy(copy, image->data, size);
	kg_columns_datum(&history->rows, data, PointerGetDatum(copy));
	history->bytes += size;
	if (image->scope)
		kg_columns_datum(
			&history->rows,
			scope,
			PointerGetDatum(cstring_to_text_with_len(
				VARDATA_ANY(image->scope), VARSIZE_ANY_EXHDR(image->scope))));
}

static void
add(KgHistory *history, const KgType *type, int64 node, const KgImage *before,
	const KgImage *after)
{
	KgColumns *rows = &history->rows;
	MemoryContext old = MemoryContextSwitchTo(history->batch);

	kg_columns_add_row(rows);
	kg_columns_text(rows,
					COL_VERDICT,
					before == NULL	? "created"
					: after == NULL ? "deleted"
									: "updated");
	kg_columns_text(rows, COL_BUNDLE, type->bundle);
	kg_columns_int32(rows, COL_TYPE, type->type_no);
	kg_columns_text(rows, COL_ID, (after ? after : before)->entity_id);
	kg_columns_int64(rows, COL_NODE, node);
	kg_columns_int64(
		rows, COL_VERSION, after ? after->version : before->version + 1);
	if (before)
		put_image(history, before, COL_BEFORE, COL_SCOPE_BEFORE);
	if (after)
		put_image(history, after, COL_AFTER, COL_SCOPE_AFTER);
	MemoryContextSwitchTo(old);
	if (rows->nrows >= KG_HISTORY_BATCH || history->bytes >= KG_HISTORY_BYTES)
		write_batch(history);
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

void
kg_history_end(KgHistory *history)
{
	write_batch(history);
	MemoryContextDelete(history->batch);
}

/*
 * What is left of a type's history begins there: the state at a time is found
 * by what came after it.
 */
static void
move_horizon(const char *tenant, TimestampTz before)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TIMESTAMPTZOID};
	Datum values[] = {CStringGetTextDatum(tenant), TimestampTzGetDatum(before)};

	kg_spi_run_newest(&saved,
					  "UPDATE @kg_entity_type SET history_since = $2 "
					  "WHERE tenant = $1 AND history_since < $2",
					  2,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_UPDATE);
}

int64
kg_history_prune(TimestampTz before)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TIMESTAMPTZOID};
	const char *tenant = kg_identity_require(KG_ACCESS_ADMIN);
	Datum values[] = {CStringGetTextDatum(tenant), TimestampTzGetDatum(before)};
	KgUserContext user;
	KgError *err;
	int64 n;

	kg_visibility_require_tenant("prune its history");
	if (before > GetCurrentTimestamp())
	{
		err = kg_error_new(KG_INVALID_INPUT, "time is in the future");
		kg_error_path(err, "/before");
		kg_error_got_string(err, timestamptz_to_str(before));
		kg_error_expected(err, "a time that has passed");
		kg_error_throw(err);
	}
	kg_become_owner(&user);
	SPI_connect();
	move_horizon(tenant, before);
	kg_spi_run_newest(&saved,
					  "DELETE FROM @kg_history WHERE tenant = $1 AND at < $2",
					  2,
					  argtypes,
					  values,
					  NULL,
					  SPI_OK_DELETE);
	n = SPI_processed;
	SPI_finish();
	kg_restore_user(&user);
	return n;
}
