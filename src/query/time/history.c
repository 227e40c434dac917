/*
 * history.c
 *	  Reads kg_history as the caller.
 *
 * The policy of kg_history checks each image of a change as if it were the
 * entity at that time. kg_entity decides whether the caller sees the entity
 * now.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/token_identity.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/text.h"
#include "miscadmin.h"
#include "model/handle.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "query/derived.h"
#include "query/get.h"
#include "query/time/history.h"
#include "query/argument/names.h"
#include "query/time/past_time.h"
#include "query/run/plan.h"
#include "query/sql.h"
#include "schema/format.h"
#include "store/reference/references.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

typedef struct Reading
{
	KgChange *changes;
	int n;
	/* size in bytes of the documents, in kg_changes_read() */
	Size bytes;
	Size max_bytes;
} Reading;

static char *
slot_text(TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum value = slot_getattr(slot, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* Returns the value of a column; 0 if it is null. */
static int64
slot_int64(TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum value = slot_getattr(slot, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

static Jsonb *
slot_jsonb(TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum value = slot_getattr(slot, column, &isnull);

	return isnull ? NULL : DatumGetJsonbPCopy(value);
}

/*
 * Returns the properties of an edge; an empty object if the edge has no
 * properties.
 */
static Jsonb *
properties_of(Jsonb *image)
{
	return image && JB_ROOT_IS_SCALAR(image) ? kg_json_parse("{}") : image;
}

static bool
take_change(TupleTableSlot *slot, void *arg)
{
	Reading *reading = arg;
	KgChange *change = &reading->changes[reading->n++];

	change->change = slot_int64(slot, 1);
	change->transaction = slot_int64(slot, 2);
	change->at = slot_text(slot, 3);
	change->by = slot_text(slot, 4);
	change->subject = slot_text(slot, 5);
	change->agent = slot_text(slot, 6);
	change->tool = slot_text(slot, 7);
	change->reason = slot_text(slot, 8);
	change->verdict = slot_text(slot, 9);
	change->version = slot_int64(slot, 10);
	change->before = slot_jsonb(slot, 11);
	change->after = slot_jsonb(slot, 12);
	change->time = slot_int64(slot, 13);
	change->key = slot_text(slot, 14);
	change->nodes[0] = slot_int64(slot, 15);
	change->nodes[1] = slot_int64(slot, 16);
	change->type_no = slot_int64(slot, 17);
	change->id = slot_text(slot, 18);
	change->relation_no = slot_int64(slot, 19);
	change->ends[0] = change->ends[1] = NULL;
	if (change->key)
	{
		change->before = properties_of(change->before);
		change->after = properties_of(change->after);
	}
	return true;
}

static bool
take_jsonb(TupleTableSlot *slot, void *arg)
{
	*(Jsonb **) arg = slot_jsonb(slot, 1);
	return false;
}

/*
 * Returns the stored data of an entity, or NULL if the caller may not see it.
 */
static Jsonb *
read_entity(const KgCatalog *catalog, const KgType *type, const char *id)
{
	Jsonb *data = NULL;
	KgSqlBuilder b;

	if (!kg_derived_any(type))
		return kg_get_data(catalog, type, cstring_to_text(id));
	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT e.data FROM %s e WHERE e.tenant = $1",
				  kg_sql_table("kg_entity"));
	kg_sql_append(
		&b, " AND e.bundle = $%d", kg_sql_param_text(&b, type->bundle));
	kg_sql_append(
		&b, " AND e.entity_type = $%d", kg_sql_param_text(&b, type->name));
	kg_sql_append(&b, " AND e.entity_id = $%d", kg_sql_param_text(&b, id));
	(void) kg_sql_run(&b, take_jsonb, &data);
	return data;
}

/*
 * Returns the number of the change that deleted an entity, whether or not the
 * caller may see it; 0 if the entity exists or has no history.
 */
static int64
last_change(const KgCatalog *catalog, const KgType *type, const char *id)
{
	KgUserContext user;
	int64 change = 0;

	kg_spi_begin_as_owner(&user);
	KG_SPI_READ("SELECT h.change FROM @kg_history h WHERE h.tenant = $1 "
				"AND h.type_no = $2 AND h.entity_id = $3 "
				"AND NOT EXISTS (SELECT FROM @kg_entity e WHERE e.tenant = $1 "
				"AND e.bundle = $4 AND e.entity_type = $5 "
				"AND e.entity_id = $3) ORDER BY h.at DESC, h.version DESC "
				"LIMIT 1",
				kg_arg_text(catalog->tenant),
				kg_arg_int4(type->type_no),
				kg_arg_text(id),
				kg_arg_text(type->bundle),
				kg_arg_text(type->name));
	if (SPI_processed > 0)
		change = kg_spi_int64(0, 1);
	kg_spi_end_as_owner(&user);
	return change;
}

/* The columns of kg_history that take_change() reads. */
#define KG_CHANGE_COLUMNS(before)                                          \
	"h.change, h.transaction, "                                            \
	"pg_catalog.to_char(pg_catalog.timezone('UTC', h.at), "                \
	"'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), h.role, h.subject, h.agent, "   \
	"h.tool, h.reason, h.verdict, h.version, " before ", h.after, h.at, "  \
	"h.key, h.source, h.target, h.type_no::pg_catalog.int8, h.entity_id, " \
	"h.relation_no::pg_catalog.int8"
#define KG_WHOLE_COLUMNS KG_CHANGE_COLUMNS("h.before")
#define KG_FOLLOWED_COLUMNS \
	KG_CHANGE_COLUMNS("NULL::pg_catalog.jsonb") ", x.xid"

void
kg_history_select(KgSqlBuilder *b, const KgCatalog *catalog)
{
	kg_sql_start(b, catalog);
	kg_sql_append(b,
				  "SELECT " KG_WHOLE_COLUMNS " FROM %s h WHERE h.tenant = $1",
				  kg_sql_table("kg_history"));
}

int
kg_history_run(const KgSqlBuilder *b, KgChange *changes)
{
	Reading reading = {changes, 0};
	KgStatement statement = kg_sql_statement(b);

	(void) kg_plan_run(&statement, take_change, &reading);
	return reading.n;
}

static int
read_changes(const KgCatalog *catalog, const KgType *type, const char *id,
			 const KgHistoryPlace *below, int n, KgChange *changes)
{
	KgSqlBuilder b;

	kg_history_select(&b, catalog);
	kg_sql_append(&b,
				  " AND h.type_no = $%d",
				  kg_sql_param(&b, INT4OID, Int32GetDatum(type->type_no)));
	kg_sql_append(&b, " AND h.entity_id = $%d", kg_sql_param_text(&b, id));
	if (below->time != 0)
	{
		kg_sql_append(
			&b,
			" AND h.at <= $%d",
			kg_sql_param(&b, TIMESTAMPTZOID, TimestampTzGetDatum(below->time)));
		kg_sql_append(
			&b, " AND h.version < $%d", kg_sql_param_int64(&b, below->number));
	}
	kg_sql_append(&b,
				  " ORDER BY h.at DESC, h.version DESC LIMIT $%d",
				  kg_sql_param_int64(&b, n));
	return kg_history_run(&b, changes);
}

/*
 * Returns whether the caller may see the last state of an entity that no
 * longer exists.
 */
static bool
sees_gone(const KgCatalog *catalog, const KgType *type, const char *id)
{
	static const KgHistoryPlace newest = {0};
	int64 last = last_change(catalog, type, id);
	KgChange change;

	return last != 0 &&
		   read_changes(catalog, type, id, &newest, 1, &change) == 1 &&
		   change.change == last;
}

bool
kg_history_sees(const KgCatalog *catalog, const KgType *type, const char *id)
{
	return read_entity(catalog, type, id) != NULL ||
		   sees_gone(catalog, type, id);
}

int
kg_history_read(const KgCatalog *catalog, const KgType *type, const char *id,
				const KgHistoryPlace *below, int n, KgChange *changes)
{
	kg_writing_require_derived(type);
	if (!kg_history_sees(catalog, type, id))
		return 0;
	return read_changes(catalog, type, id, below, n, changes);
}

/* ---- changes of all types ---- */

/*
 * Adds a condition that a column of kg_history equals a text, or is null if the
 * text is NULL.
 */
static void
append_is(KgSqlBuilder *b, const char *column, const char *text)
{
	if (text == NULL)
		kg_sql_append(b, " AND h.%s IS NULL", column);
	else
		kg_sql_append(b, " AND h.%s = $%d", column, kg_sql_param_text(b, text));
}

/*
 * Appends " OR the change is of an edge". Edges of reference properties are
 * left out, because they are part of the changes of their entities.
 */
static void
append_of_edges(KgSqlBuilder *b, const KgCatalog *catalog)
{
	Datum *relations = palloc((catalog->nrelations + 1) * sizeof(Datum));
	int n = 0;

	for (int i = 0; i < catalog->nrelations; i++)
		if (!catalog->relations[i].derived)
			relations[n++] = Int32GetDatum(catalog->relations[i].relation_no);
	kg_sql_append(b,
				  " OR h.relation_no = ANY ($%d)",
				  kg_sql_param_array(b, INT4OID, relations, n));
}

static int
read_recent(const KgCatalog *catalog, const KgRecent *recent, bool edges,
			int64 below, int n, KgChange *changes)
{
	Datum *types = palloc((recent->ntypes + 1) * sizeof(Datum));
	KgSqlBuilder b;

	kg_history_select(&b, catalog);
	for (int i = 0; i < recent->ntypes; i++)
		types[i] = Int32GetDatum(recent->types[i]->type_no);
	kg_sql_append(&b,
				  " AND (h.type_no = ANY ($%d)",
				  kg_sql_param_array(&b, INT4OID, types, recent->ntypes));
	if (edges)
		append_of_edges(&b, catalog);
	kg_sql_append(&b, ")");
	if (recent->since != 0)
		kg_sql_append(&b,
					  " AND h.at >= $%d",
					  kg_sql_param(&b,
								   TIMESTAMPTZOID,
								   TimestampTzGetDatum(recent->since)));
	if (recent->mine)
	{
		append_is(&b, "role", GetUserNameFromId(GetUserId(), false));
		append_is(&b, "subject", kg_token_subject());
		append_is(&b, "agent", kg_identity_agent());
	}
	if (below > 0)
		kg_sql_append(&b, " AND h.change < $%d", kg_sql_param_int64(&b, below));
	kg_sql_append(
		&b, " ORDER BY h.change DESC LIMIT $%d", kg_sql_param_int64(&b, n));
	return kg_history_run(&b, changes);
}

/* Returns whether the caller sees the changed entity. */
static bool
sees_changed(const KgCatalog *catalog, const KgChange *change, bool whole)
{
	const KgType *type;

	/* Edges are read only for callers that see the whole tenant. */
	if (change->relation_no != 0)
		return true;
	type = kg_catalog_type_no(catalog, change->type_no);
	return type != NULL &&
		   (whole || kg_history_sees(catalog, type, change->id));
}

typedef struct Ends
{
	const KgCatalog *catalog;
	KgChange *changes;
	int n;
} Ends;

static bool
take_end(TupleTableSlot *slot, void *arg)
{
	const Ends *ends = arg;
	const KgType *type = kg_catalog_type_in(
		ends->catalog, slot_text(slot, 2), slot_text(slot, 3));
	int64 node = slot_int64(slot, 1);
	char *handle = type ? kg_handle_make(type, slot_text(slot, 4)) : NULL;

	for (int i = 0; i < ends->n; i++)
		for (int end = 0; end < 2; end++)
			if (ends->changes[i].relation_no != 0 &&
				ends->changes[i].nodes[end] == node)
				ends->changes[i].ends[end] = handle;
	return true;
}

/* Sets the handles of the ends of edges. */
static void
name_ends(const KgCatalog *catalog, KgChange *changes, int n)
{
	Ends ends = {catalog, changes, n};
	Datum *nodes = palloc((2 * n + 1) * sizeof(Datum));
	int nnodes = 0;
	KgSqlBuilder b;

	for (int i = 0; i < n; i++)
		for (int end = 0; end < 2 && changes[i].relation_no != 0; end++)
			nodes[nnodes++] = Int64GetDatum(changes[i].nodes[end]);
	if (nnodes == 0)
		return;
	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT e.node, e.bundle, e.entity_type, e.entity_id FROM %s "
				  "e WHERE e.tenant = $1 AND e.node = ANY ($%d)",
				  kg_sql_table("kg_entity"),
				  kg_sql_param_array(&b, INT8OID, nodes, nnodes));
	(void) kg_sql_run(&b, take_end, &ends);
}

int
kg_history_recent(const KgCatalog *catalog, const KgRecent *recent, int n,
				  KgChange *changes)
{
	bool whole = catalog->plain_visibility && kg_visibility_history_is_whole();
	bool edges = whole && recent->edges;
	int64 below = recent->below;
	int found = 0;

	while (found < n)
	{
		int wanted = n - found;
		int read = read_recent(
			catalog, recent, edges, below, wanted, changes + found);
		int kept = found;

		CHECK_FOR_INTERRUPTS();
		for (int i = found; i < found + read; i++)
		{
			below = changes[i].change;
			if (sees_changed(catalog, &changes[i], whole))
				changes[kept++] = changes[i];
		}
		found = kept;
		if (read < wanted)
			break;
	}
	name_ends(catalog, changes, found);
	return found;
}

/* ---- following ---- */

/* Maximum number of transactions whose changes are read by one statement. */
#define KG_TRANSACTIONS 1000

/* Transactions with changes: their xid8, and their numbers in kg_history. */
typedef struct Transactions
{
	Datum xids[KG_TRANSACTIONS];
	Datum numbers[KG_TRANSACTIONS];
	int n;
} Transactions;

void
kg_changes_state(const KgCatalog *catalog, KgFollowed *followed)
{
	KgUserContext user;
	bool none;

	kg_spi_begin_as_owner(&user);
	KG_SPI_READ("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8, "
				"coalesce((SELECT transaction FROM @kg_change_transaction "
				"WHERE tenant = $1 AND xid = '0'), 0), "
				"coalesce((SELECT transaction FROM @kg_change_transaction "
				"WHERE tenant = $1 AND xid = '1'), 0), "
				"(SELECT created_at FROM @kg_tenant WHERE tenant = $1)",
				kg_arg_text(catalog->tenant));
	followed->end = (uint64) kg_spi_int64(0, 1);
	followed->pruned = (uint64) kg_spi_int64(0, 2);
	followed->mark = kg_spi_int64(0, 3);
	followed->created = DatumGetTimestampTz(kg_spi_value(0, 4, &none));
	kg_spi_end_as_owner(&user);
}

/*
 * Reads the first transactions from a position on, up to the end of the changes
 * that can be followed.
 */
static void
read_transactions(const KgCatalog *catalog, const KgFollowed *followed,
				  uint64 from, Transactions *transactions)
{
	KgUserContext user;

	kg_spi_begin_as_owner(&user);
	KG_SPI_READ("SELECT xid::text::int8, transaction FROM "
				"@kg_change_transaction WHERE tenant = $1 "
				"AND xid >= $2::text::xid8 AND xid < $3::text::xid8 "
				"AND xid > '1' ORDER BY xid LIMIT $4",
				kg_arg_text(catalog->tenant),
				kg_arg_int8((int64) from),
				kg_arg_int8((int64) followed->end),
				kg_arg_int8(KG_TRANSACTIONS));
	transactions->n = (int) SPI_processed;
	for (int i = 0; i < transactions->n; i++)
	{
		transactions->xids[i] = Int64GetDatum(kg_spi_int64(i, 1));
		transactions->numbers[i] = Int64GetDatum(kg_spi_int64(i, 2));
	}
	kg_spi_end_as_owner(&user);
}

static Size
document_size(const KgChange *change)
{
	return change->after ? VARSIZE(change->after) : 0;
}

static bool
take_followed(TupleTableSlot *slot, void *arg)
{
	Reading *reading = arg;
	KgChange *change = &reading->changes[reading->n];

	(void) take_change(slot, reading);
	change->xid = (uint64) slot_int64(slot, 20);
	reading->bytes += document_size(change);
	return reading->bytes <= reading->max_bytes;
}

static Datum *
number_datums(const int32 *numbers, int n)
{
	Datum *datums = palloc((n + 1) * sizeof(Datum));

	for (int i = 0; i < n; i++)
		datums[i] = Int32GetDatum(numbers[i]);
	return datums;
}

/*
 * Reads at most n changes that these transactions made after the position,
 * until the documents exceed max_bytes. Reads changes of the followed types,
 * and of the followed relations if "edges" is true.
 */
static void
read_followed(const KgCatalog *catalog, const KgFollowed *followed, bool edges,
			  const Transactions *transactions,
			  const KgChangePosition *position, int n, Reading *reading)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, catalog);
	kg_sql_append(
		&b,
		"SELECT " KG_FOLLOWED_COLUMNS
		" FROM ROWS FROM (pg_catalog.unnest($%d), ",
		kg_sql_param_array(&b, INT8OID, transactions->xids, transactions->n));
	kg_sql_append(&b,
				  "pg_catalog.unnest($%d)) x(xid, number) ",
				  kg_sql_param_array(
					  &b, INT8OID, transactions->numbers, transactions->n));
	kg_sql_append(&b,
				  "JOIN %s h ON h.tenant = $1 AND h.transaction = x.number",
				  kg_sql_table("kg_history"));
	kg_sql_append(&b,
				  " WHERE (x.xid > $%d",
				  kg_sql_param_int64(&b, (int64) position->xid));
	kg_sql_append(
		&b, " OR h.change > $%d)", kg_sql_param_int64(&b, position->change));
	kg_sql_append(
		&b,
		" AND (h.type_no = ANY ($%d)",
		kg_sql_param_array(&b,
						   INT4OID,
						   number_datums(followed->types, followed->ntypes),
						   followed->ntypes));
	if (edges)
		kg_sql_append(&b,
					  " OR h.relation_no = ANY ($%d)",
					  kg_sql_param_array(&b,
										 INT4OID,
										 number_datums(followed->relations,
													   followed->nrelations),
										 followed->nrelations));
	kg_sql_append(
		&b, ") ORDER BY x.xid, h.change LIMIT $%d", kg_sql_param_int64(&b, n));
	statement = kg_sql_statement(&b);
	(void) kg_plan_run(&statement, take_followed, reading);
}

int
kg_changes_read(const KgCatalog *catalog, const KgFollowed *followed,
				KgChangePosition *position, int n, Size max_bytes,
				KgChange *changes)
{
	bool whole = catalog->plain_visibility && kg_visibility_history_is_whole();
	Transactions *transactions = palloc(sizeof(Transactions));
	Size bytes = 0;
	int found = 0;

	while (found < n && bytes <= max_bytes && position->xid < followed->end)
	{
		Reading reading = {changes + found, 0, bytes, max_bytes};
		int wanted = n - found;
		int read;
		int kept = found;

		CHECK_FOR_INTERRUPTS();
		read_transactions(catalog, followed, position->xid, transactions);
		read_followed(
			catalog, followed, whole, transactions, position, wanted, &reading);
		read = reading.n;
		for (int i = found; i < found + read; i++)
		{
			position->xid = changes[i].xid;
			position->change = changes[i].change;
			if (sees_changed(catalog, &changes[i], whole))
			{
				bytes += document_size(&changes[i]);
				changes[kept++] = changes[i];
			}
			else if (changes[i].after)
				pfree(changes[i].after);
		}
		found = kept;
		if (read == wanted || reading.bytes > max_bytes)
			continue;
		/*
		 * All changes of these transactions were read, so the position moves to
		 * the next transaction.
		 */
		position->change = 0;
		position->xid = transactions->n < KG_TRANSACTIONS
							? followed->end
							: (uint64) DatumGetInt64(
								  transactions->xids[KG_TRANSACTIONS - 1]) +
								  1;
	}
	name_ends(catalog, changes, found);
	return found;
}

/* ---- the state at a time ---- */

static bool
take_number(TupleTableSlot *slot, void *arg)
{
	*(int64 *) arg = slot_int64(slot, 1);
	return true;
}

/* Identifies a change of an entity by its position in time. */
typedef struct Beside
{
	const KgType *type;
	const char *id;
	int64 node; /* 0: any node that has had the id */
	TimestampTz time;
	/*
	 * true: the first change after the time; false: the last change up to the
	 * time
	 */
	bool after;
} Beside;

/*
 * Passes a column of the change at this position in time to the function,
 * whether or not the caller may see the change. Returns false if there is no
 * such change. The order by time and the order by version are equal.
 */
static bool
find_beside(const KgCatalog *catalog, const Beside *beside, const char *column,
			KgRowFunction take, void *arg)
{
	KgUserContext user;
	KgSqlBuilder b;
	KgStatement statement;
	uint64 n;

	kg_become_owner(&user);
	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT h.%s FROM %s h WHERE h.tenant = $1",
				  column,
				  kg_sql_table("kg_history"));
	kg_sql_append(
		&b,
		" AND h.type_no = $%d",
		kg_sql_param(&b, INT4OID, Int32GetDatum(beside->type->type_no)));
	kg_sql_append(
		&b, " AND h.entity_id = $%d", kg_sql_param_text(&b, beside->id));
	if (beside->node != 0)
		kg_sql_append(
			&b, " AND h.node = $%d", kg_sql_param_int64(&b, beside->node));
	kg_sql_append(
		&b,
		beside->after
			? " AND h.at > $%d ORDER BY h.at, h.version LIMIT 1"
			: " AND h.at <= $%d ORDER BY h.at DESC, h.version DESC LIMIT 1",
		kg_sql_param(&b, TIMESTAMPTZOID, TimestampTzGetDatum(beside->time)));
	statement = kg_sql_statement(&b);
	statement.hold = true;
	n = kg_plan_run(&statement, take, arg);
	kg_restore_user(&user);
	return n > 0;
}

/*
 * Returns the number of the change at this position in time; 0 if there is no
 * such change.
 */
static int64
change_beside(const KgCatalog *catalog, const Beside *beside)
{
	int64 change = 0;

	(void) find_beside(catalog, beside, "change", take_number, &change);
	return change;
}

/*
 * Reads the image before a change, if the caller may see it. Returns the
 * number of rows.
 */
static uint64
find_before(const KgCatalog *catalog, int64 change, Jsonb **data)
{
	KgSqlBuilder b;

	*data = NULL;
	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT h.before FROM %s h WHERE h.tenant = $1",
				  kg_sql_table("kg_history"));
	kg_sql_append(&b, " AND h.change = $%d", kg_sql_param_int64(&b, change));
	return kg_sql_run(&b, take_jsonb, data);
}

static Jsonb *
read_before(const KgCatalog *catalog, int64 change)
{
	Jsonb *data;

	(void) find_before(catalog, change, &data);
	return data;
}

static bool
is_seen(const KgCatalog *catalog, int64 change)
{
	Jsonb *data;

	return find_before(catalog, change, &data) > 0;
}

/*
 * Returns the node that now has an id, whether or not the caller may see it; 0
 * if there is no such node.
 */
static int64
node_of(const KgCatalog *catalog, const KgType *type, const char *id)
{
	KgUserContext user;
	int64 node;

	kg_spi_begin_as_owner(&user);
	KG_SPI_READ("SELECT node FROM @kg_entity WHERE tenant = $1 "
				"AND bundle = $2 AND entity_type = $3 AND entity_id = $4",
				kg_arg_text(catalog->tenant),
				kg_arg_text(type->bundle),
				kg_arg_text(type->name),
				kg_arg_text(id));
	node = SPI_processed > 0 ? kg_spi_int64(0, 1) : 0;
	kg_spi_end_as_owner(&user);
	return node;
}

bool
kg_history_saw(const KgCatalog *catalog, const KgType *type, const char *id,
			   int64 node, TimestampTz time)
{
	Beside beside = {type, id, node, time, true};
	int64 change;

	if ((type->scope_field != NULL || type->authorize != NULL) &&
		(type->history_since == 0 || time < type->history_since))
		return false;
	change = change_beside(catalog, &beside);
	if (change != 0 && !is_seen(catalog, change))
		return false;
	if (change != 0 && read_before(catalog, change) != NULL)
		return true;
	if (change == 0 && node_of(catalog, type, id) == node)
		return read_entity(catalog, type, id) != NULL;
	/*
	 * The entity did not exist at that time, so its last state before that time
	 * counts.
	 */
	beside.after = false;
	change = change_beside(catalog, &beside);
	return change != 0 && is_seen(catalog, change);
}

static int64
count_changes(const KgCatalog *catalog, const KgType *type, int64 node,
			  int64 transaction)
{
	int64 n = 0;
	KgSqlBuilder b;

	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT count(*) FROM %s h WHERE h.tenant = $1",
				  kg_sql_table("kg_history"));
	kg_sql_append(
		&b, " AND h.transaction = $%d", kg_sql_param_int64(&b, transaction));
	kg_sql_append(&b,
				  " AND h.type_no = $%d",
				  kg_sql_param(&b, INT4OID, Int32GetDatum(type->type_no)));
	kg_sql_append(&b, " AND h.node = $%d", kg_sql_param_int64(&b, node));
	(void) kg_sql_run(&b, take_number, &n);
	return n;
}

bool
kg_history_saw_all(const KgCatalog *catalog, const KgType *type, int64 node,
				   int64 transaction)
{
	int64 seen = count_changes(catalog, type, node, transaction);
	KgUserContext user;
	int64 all;

	kg_become_owner(&user);
	all = count_changes(catalog, type, node, transaction);
	kg_restore_user(&user);
	return seen == all;
}

Datum
kg_history_nodes(const KgCatalog *catalog, const KgType *type, const char *id)
{
	MemoryContext context = CurrentMemoryContext;
	KgNodeList nodes = {context};
	KgUserContext user;

	kg_spi_begin_as_owner(&user);
	KG_SPI_READ("SELECT node FROM @kg_entity WHERE tenant = $1 "
				"AND bundle = $4 AND entity_type = $5 AND entity_id = $3 "
				"UNION SELECT node FROM @kg_history WHERE tenant = $1 "
				"AND type_no = $2 AND entity_id = $3",
				kg_arg_text(catalog->tenant),
				kg_arg_int4(type->type_no),
				kg_arg_text(id),
				kg_arg_text(type->bundle),
				kg_arg_text(type->name));
	for (uint64 i = 0; i < SPI_processed; i++)
		kg_node_add(&nodes, kg_spi_int64(i, 1));
	kg_spi_end_as_owner(&user);
	return kg_int64_array(nodes.nodes, nodes.n);
}

Jsonb *
kg_history_at(const KgCatalog *catalog, const KgType *type, const char *id,
			  TimestampTz time)
{
	Beside beside = {type, id, 0, time, true};
	Jsonb *data = NULL;
	int64 change;

	/*
	 * A caller that sees the whole tenant also sees each present and last
	 * state, so no state needs a check of visibility.
	 */
	if (catalog->plain_visibility && kg_visibility_history_is_whole())
		return find_beside(catalog, &beside, "before", take_jsonb, &data)
				   ? data
				   : read_entity(catalog, type, id);
	change = change_beside(catalog, &beside);
	if (change == 0)
		return read_entity(catalog, type, id);
	if (!catalog->plain_visibility && !kg_history_sees(catalog, type, id))
		return NULL;
	return read_before(catalog, change);
}
