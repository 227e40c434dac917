/*
 * freed.c
 *	  Keeps the versions of an id from repeating.
 *
 * The guarantee: any two states of entities that have the same tenant, type
 * name and id have different versions. So an expected version never matches a
 * state that the client has not read.
 *
 * A sequence would give this guarantee without a table, but would break other
 * promises about versions:
 * - A row takes its number before it waits for another session in the index of
 *   kg_entity. So the end of the statement would have to correct the number,
 *   as it does now.
 * - The numbers of a common sequence would show a tenant how much other
 *   tenants write.
 * - Versions would not begin at 1.
 * - A tenant that is restored or moves would have versions above the sequence
 *   of its new database.
 *
 * kg_freed has a row with the last version of each id that was given up. The
 * row stays when another entity takes the id. If no entity of a type was ever
 * deleted, the type has no rows, and a statement needs one look-up for it.
 *
 * kg_freed_type has a row with the highest version of the entities of each
 * deleted type. The versions of a new type of this name begin above it
 * (version_above).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "base/compat.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/has_column.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "store/derived/columns.h"
#include "store/history/freed.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"

#define KG_FREED_BATCH 4096
#define KG_MAX_KEYS 4

/* Columns of the collected rows. */
#define COL_ID 0
#define COL_VERSION 1 /* version; NULL: an entity took the id */

struct KgFreed
{
	const char *tenant;
	const KgType *type; /* type of the collected rows */
	/* the member "any" is known: whether kg_freed has rows of the type */
	bool known;
	bool any;
	MemoryContext batch;
	KgColumns ids;
	bool frees; /* some collected rows give up an id */
	bool takes; /* the statement may take ids */
	KgColumns raised;
};

static void
init_batch(KgFreed *freed)
{
	static const Oid types[] = {TEXTOID, INT8OID};

	MemoryContextReset(freed->batch);
	kg_columns_init(&freed->ids, freed->batch, 2, types);
	freed->frees = false;
}

KgFreed *
kg_freed_begin(const char *tenant, bool takes)
{
	static const Oid types[] = {INT8OID, INT8OID};
	KgFreed *freed = palloc0(sizeof(KgFreed));

	freed->takes = takes;
	freed->tenant = pstrdup(tenant);
	freed->batch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph freed ids", ALLOCSET_SMALL_SIZES);
	kg_columns_init(&freed->raised, CurrentMemoryContext, 2, types);
	init_batch(freed);
	return freed;
}

/*
 * A table from which rows with a key are read. The columns are the columns of
 * the key, followed by the version.
 */
typedef struct Lookup
{
	const char *table;
	const char *const *columns;
	int nkeys;
	const RegProcedure *equal;
	/* tests whether a row counts; NULL: all visible rows count */
	bool (*counts)(HeapTuple row);
	bool any; /* return any row instead of the highest version */
} Lookup;

/*
 * Returns the highest version in the rows with the key, or 0 if there are no
 * such rows.
 */
static int64
highest_version(const Lookup *lookup, const Datum *key, Snapshot snapshot)
{
	Relation rel = table_open(kg_relation_oid(lookup->table), AccessShareLock);
	TupleDesc desc = RelationGetDescr(rel);
	int64 version = 0;
	int places[KG_MAX_KEYS + 1];
	ScanKeyData keys[KG_MAX_KEYS];
	SysScanDesc scan;
	HeapTuple row;
	Oid index;

	kg_find_columns(desc, lookup->columns, lookup->nkeys + 1, places);
	if (!rel->rd_indexvalid)
		list_free(RelationGetIndexList(rel));
	index = rel->rd_pkindex;
	for (int i = 0; i < lookup->nkeys; i++)
		ScanKeyInit(&keys[i],
					places[i] + 1,
					BTEqualStrategyNumber,
					lookup->equal[i],
					key[i]);
	scan = systable_beginscan(
		rel, index, OidIsValid(index), snapshot, lookup->nkeys, keys);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool isnull;

		CHECK_FOR_INTERRUPTS();
		if (lookup->counts == NULL || lookup->counts(row))
			version = Max(version,
						  DatumGetInt64(heap_getattr(
							  row, places[lookup->nkeys] + 1, desc, &isnull)));
		if (lookup->any && version > 0)
			break;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return version;
}

/*
 * Returns whether this transaction has deleted the row, or updated it to a new
 * row.
 */
static bool
is_taken_away(HeapTuple row)
{
	HeapTupleHeader header = row->t_data;

	return !(header->t_infomask & HEAP_XMAX_INVALID) &&
		   !HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
		   TransactionIdIsCurrentTransactionId(
			   HeapTupleHeaderGetUpdateXid(header));
}

/*
 * Returns the last version of an id that a statement of this transaction took
 * away and that is not in kg_freed yet, because the statement is still
 * running. The version is read from the old row, which is stored until the
 * transaction ends.
 */
static int64
unsettled_version(const char *tenant, const KgType *type, const char *entity_id)
{
	static const char *const columns[] = {
		"tenant", "bundle", "entity_type", "entity_id", "version"};
	static const RegProcedure equal[] = {
		F_TEXTEQ, F_TEXTEQ, F_TEXTEQ, F_TEXTEQ};
	static const Lookup lookup = {
		"kg_entity", columns, lengthof(equal), equal, is_taken_away};
	Datum key[] = {CStringGetTextDatum(tenant),
				   CStringGetTextDatum(type->bundle),
				   CStringGetTextDatum(type->name),
				   CStringGetTextDatum(entity_id)};
	int64 version = highest_version(&lookup, key, SnapshotAny);

	return version > 0 ? kg_version_ended(version) : 0;
}

/*
 * Returns whether no id of the type has been given up so far. It is called for
 * each written row, but searches only once per statement: for the same
 * command, a new snapshot shows the same rows until another transaction ends.
 */
static bool
none_freed(Datum tenant, int32 type_no)
{
	static const char *const columns[] = {"tenant", "type_no", "version"};
	static const RegProcedure equal[] = {F_TEXTEQ, F_INT4EQ};
	static const Lookup lookup = {
		"kg_freed", columns, lengthof(equal), equal, NULL, true};
	static struct
	{
		Oid table;
		int32 type_no;
		/* number of completed transactions at the search; 0: unknown */
		uint64 completed;
		CommandId command;
	} none;
	const Datum key[] = {tenant, Int32GetDatum(type_no)};
	Oid table = kg_relation_oid(lookup.table);
	/*
	 * Only a snapshot that was just taken has the count of completed
	 * transactions. A copy, such as a registered snapshot, does not have it.
	 */
	Snapshot snapshot = GetLatestSnapshot();
	uint64 completed = snapshot->snapXactCompletionCount;
	CommandId command = snapshot->curcid;
	bool any;

	if (none.completed != 0 && none.completed == completed &&
		none.command == command && none.type_no == type_no &&
		none.table == table)
		return true;
	none.completed = 0;
	snapshot = RegisterSnapshot(snapshot);
	any = highest_version(&lookup, key, snapshot) > 0;
	UnregisterSnapshot(snapshot);
	if (any)
		return false;
	none.table = table;
	none.type_no = type_no;
	none.completed = completed;
	none.command = command;
	return true;
}

/*
 * Returns the version in kg_freed, or 0 if kg_freed does not have the id. The
 * statement that gives up an id writes the version there when it ends.
 */
static int64
noted_version(const char *tenant, const KgType *type, const char *entity_id)
{
	static const char *const columns[] = {
		"tenant", "type_no", "entity_id", "version"};
	static const RegProcedure equal[] = {F_TEXTEQ, F_INT4EQ, F_TEXTEQ};
	static const Lookup lookup = {
		"kg_freed", columns, lengthof(equal), equal, NULL, false};
	Datum key[] = {CStringGetTextDatum(tenant),
				   Int32GetDatum(type->type_no),
				   CStringGetTextDatum(entity_id)};
	Snapshot snapshot;
	int64 version;

	if (none_freed(key[0], type->type_no))
		return 0;
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	version = highest_version(&lookup, key, snapshot);
	UnregisterSnapshot(snapshot);
	return version;
}

int64
kg_freed_version(const char *tenant, const KgType *type, const char *entity_id)
{
	int64 version = Max(noted_version(tenant, type, entity_id),
						type->version_above);

	return kg_writing_frees()
			   ? Max(version, unsettled_version(tenant, type, entity_id))
			   : version;
}

int64
kg_version_plus(int64 version, int64 by)
{
	/* The last version is reserved for the deletion. */
	const int64 last = PG_INT64_MAX - 1;

	if (version <= last - by)
		return version + by;
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = "the id has used all versions that an entity can have",
			 .expected = "another id");
}

int64
kg_version_ended(int64 version)
{
	return version < PG_INT64_MAX ? version + 1 : version;
}

/*
 * Returns whether any id of the type was given up, also by entities that the
 * caller does not see.
 */
static bool
has_freed(const KgFreed *freed)
{
	KG_BATCH_LATEST("SELECT FROM @kg_freed WHERE tenant = $1 "
					"AND type_no = $2 LIMIT 1",
					kg_arg_text(freed->tenant),
					kg_arg_int4(freed->type->type_no));
	SPI_freetuptable(SPI_tuptable);
	return SPI_processed > 0;
}

typedef struct Freed
{
	const char *id;
	int row;
} Freed;

static int
compare_freed(const void *pa, const void *pb)
{
	const Freed *a = pa;
	const Freed *b = pb;
	int by_id = strcmp(a->id, b->id);

	return by_id != 0 ? by_id : a->row < b->row ? -1 : a->row > b->row;
}

/*
 * Adds the freed ids to "once", sorted and without duplicates, each with its
 * last version.
 */
static void
freed_once(const KgFreed *freed, KgColumns *once)
{
	static const Oid types[] = {TEXTOID, INT8OID};
	int n = 0;
	Freed *rows = palloc(freed->ids.nrows * sizeof(Freed));

	for (int i = 0; i < freed->ids.nrows; i++)
		if (!freed->ids.nulls[COL_VERSION][i])
		{
			rows[n].id = TextDatumGetCString(freed->ids.values[COL_ID][i]);
			rows[n++].row = i;
		}
	qsort(rows, n, sizeof(Freed), compare_freed);
	kg_columns_init(once, freed->batch, 2, types);
	for (int i = 0; i < n; i++)
	{
		int64 version;

		version = DatumGetInt64(freed->ids.values[COL_VERSION][rows[i].row]);
		for (; i + 1 < n && strcmp(rows[i].id, rows[i + 1].id) == 0; i++)
			version = Max(
				version,
				DatumGetInt64(freed->ids.values[COL_VERSION][rows[i + 1].row]));
		kg_columns_add_row(once);
		kg_columns_datum(once, COL_ID, freed->ids.values[COL_ID][rows[i].row]);
		kg_columns_int64(once, COL_VERSION, version);
	}
}

/*
 * Deletes the records of merges of earlier entities with these ids. If other
 * entities were merged into these earlier entities, their records now lead to
 * the final entities.
 */
static void
leave_merged(int nargs, const KgArg *args)
{
	static KgSaved led = KG_SAVED_BATCH;
	static KgSaved ended = KG_SAVED_BATCH;

	kg_spi_exec_newest_args(
		&led,
		"UPDATE @kg_freed g SET target = f.target "
		"FROM (SELECT unnest($3), unnest($4)) u(id, version), @kg_freed f "
		"WHERE f.tenant = $1 AND f.type_no = $2 AND f.entity_id = u.id "
		"AND f.node IS NOT NULL AND g.tenant = $1 AND g.target = f.node "
		"AND g.target IS NOT NULL",
		nargs,
		args);
	kg_spi_exec_newest_args(
		&ended,
		"UPDATE @kg_freed f SET node = NULL, target = NULL, "
		"not_recorded = NULL FROM (SELECT unnest($3), unnest($4)) u(id, "
		"version) "
		"WHERE f.tenant = $1 AND f.type_no = $2 AND f.entity_id = u.id "
		"AND f.node IS NOT NULL",
		nargs,
		args);
}

/*
 * Writes kg_freed. Updates the newest rows, because previous holders of an id
 * may have written them after the snapshot. No other session writes the row of
 * an id at the same time, because only one entity has the id. UPDATE and
 * INSERT take half the time of INSERT ... ON CONFLICT.
 */
static void
write_freed(KgFreed *freed)
{
	static KgSaved insertion = KG_SAVED_BATCH;
	static KgSaved update = KG_SAVED_BATCH;
	KgArg args[4] = {kg_arg_text(freed->tenant),
					 kg_arg_int4(freed->type->type_no)};
	KgColumns once;

	freed_once(freed, &once);
	kg_columns_args(&once, &args[2]);
	kg_spi_exec_newest_args(
		&insertion,
		"INSERT INTO @kg_freed(tenant, type_no, entity_id, "
		"version) SELECT $1, $2, u.id, u.version "
		"FROM (SELECT unnest($3), unnest($4)) u(id, version) "
		"WHERE NOT EXISTS (SELECT FROM @kg_freed "
		"WHERE tenant = $1 AND type_no = $2 "
		"AND entity_id = u.id OFFSET 0)",
		lengthof(args),
		args);
	if (SPI_processed == once.nrows)
		return;
	if (kg_has_column("kg_freed", "target"))
		leave_merged(lengthof(args), args);
	kg_spi_exec_newest_args(
		&update,
		"UPDATE @kg_freed f SET version = u.version "
		"FROM (SELECT unnest($3), unnest($4)) u(id, version) "
		"WHERE f.tenant = $1 AND f.type_no = $2 "
		"AND f.entity_id = u.id AND f.version < u.version",
		lengthof(args),
		args);
}

/*
 * Adds to freed->raised the entities that have an id of the batch and a version
 * that the id already had before.
 */
static void
find_raised(KgFreed *freed)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[7] = {kg_arg_text(freed->tenant),
					 kg_arg_int4(freed->type->type_no),
					 kg_arg_text(freed->type->bundle),
					 kg_arg_text(freed->type->name),
					 kg_arg_int8(freed->type->version_above)};

	kg_columns_args(&freed->ids, &args[5]);
	kg_spi_exec_latest_args(
		&saved,
		"SELECT e.node, f.version FROM unnest($6, $7) u(id, v), "
		"LATERAL (SELECT greatest(max(version), $5) AS version "
		"FROM @kg_freed WHERE tenant = $1 AND type_no = $2 "
		"AND entity_id = u.id "
		"HAVING greatest(max(version), $5) > 0) f, "
		"LATERAL (SELECT node FROM @kg_entity "
		"WHERE tenant = $1 AND bundle = $3 AND entity_type = $4 "
		"AND entity_id = u.id AND version <= f.version "
		"OFFSET 0) e",
		lengthof(args),
		args);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		kg_columns_add_row(&freed->raised);
		kg_columns_int64(&freed->raised, 0, kg_spi_int64(i, 1));
		kg_columns_int64(&freed->raised, 1, kg_spi_int64(i, 2));
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
flush(KgFreed *freed)
{
	MemoryContext old = CurrentMemoryContext;

	if (freed->ids.nrows == 0)
		return;
	if (freed->frees)
	{
		MemoryContextSwitchTo(freed->batch);
		write_freed(freed);
		MemoryContextSwitchTo(old);
	}
	if (freed->takes)
		find_raised(freed);
	init_batch(freed);
}

static void
add(KgFreed *freed, const char *entity_id)
{
	MemoryContext old = MemoryContextSwitchTo(freed->batch);

	kg_columns_add_row(&freed->ids);
	kg_columns_text(&freed->ids, COL_ID, entity_id);
	MemoryContextSwitchTo(old);
}

static void
begin_type(KgFreed *freed, const KgType *type)
{
	if (freed->type == type && freed->ids.nrows < KG_FREED_BATCH)
		return;
	flush(freed);
	if (freed->type != type)
		freed->known = freed->any = false;
	freed->type = type;
}

void
kg_freed_id(KgFreed *freed, const KgType *type, const char *entity_id,
			int64 version)
{
	begin_type(freed, type);
	add(freed, entity_id);
	kg_columns_int64(&freed->ids, COL_VERSION, kg_version_ended(version));
	freed->frees = true;
}

void
kg_freed_taken(KgFreed *freed, const KgType *type, const char *entity_id)
{
	if (!freed->takes)
		return;
	begin_type(freed, type);
	if (!freed->known)
	{
		freed->any = type->version_above > 0 || has_freed(freed);
		freed->known = true;
	}
	if (freed->any || freed->frees)
		add(freed, entity_id);
}

/*
 * Raises the versions in the history of entities that took an id, from that
 * time on. Changes made before an earlier entity gave up the id stay.
 */
static void
raise_history(const KgFreed *freed, const KgArg *args)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_spi_exec_args(
		&saved,
		"UPDATE @kg_history h SET version = h.version + u.version "
		"FROM unnest($2, $3) u(node, version), "
		"LATERAL (SELECT type_no, entity_id FROM @kg_entity "
		"WHERE tenant = $1 AND node = u.node OFFSET 0) e, "
		"LATERAL (SELECT coalesce(max(change), 0) AS change "
		"FROM @kg_history WHERE tenant = $1 AND type_no = e.type_no "
		"AND entity_id = e.entity_id AND node = u.node "
		"AND verdict = 'deleted') given_up "
		"WHERE h.tenant = $1 AND h.type_no = e.type_no "
		"AND h.entity_id = e.entity_id AND h.node = u.node "
		"AND h.version <= u.version AND h.change > given_up.change",
		3,
		args);
}

/* A row of kg_entity, and the number to add to its version. */
typedef struct Raised
{
	ItemPointerData tid;
	int64 by;
} Raised;

static Raised *
find_rows(const KgArg *args, int *n)
{
	static KgSaved saved = KG_SAVED_BATCH;
	MemoryContext context = CurrentMemoryContext;
	Raised *rows;

	kg_spi_exec_args(&saved,
					 "SELECT e.ctid, max(u.version) "
					 "FROM unnest($2, $3) u(node, version), "
					 "LATERAL (SELECT ctid FROM @kg_entity WHERE tenant = $1 "
					 "AND node = u.node AND version <= u.version OFFSET 0) e "
					 "GROUP BY e.ctid",
					 3,
					 args);
	MemoryContextSwitchTo(context);
	*n = SPI_processed;
	rows = palloc(Max(1, *n) * sizeof(Raised));
	for (int i = 0; i < *n; i++)
	{
		rows[i].tid = *(ItemPointer) DatumGetPointer(kg_spi_datum(i, 1));
		rows[i].by = kg_spi_int64(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	return rows;
}

/*
 * Raises the version of a row above the last version of its id. Triggers are
 * not fired: no other column changes, and triggers of a DBA have already fired
 * for the row.
 */
static void
raise_row(EState *estate, ResultRelInfo *result, TupleTableSlot *old,
		  TupleTableSlot *new, const Raised *raised)
{
	static const char *const columns[] = {"version"};
	EPQState epq;
	int place;

	if (!table_tuple_fetch_row_version(result->ri_RelationDesc,
									   (ItemPointer) &raised->tid,
									   SnapshotSelf,
									   old))
		return;
	kg_find_columns(old->tts_tupleDescriptor, columns, 1, &place);
	ExecCopySlot(new, old);
	slot_getallattrs(new);
	new->tts_values[place] = Int64GetDatum(
		kg_version_plus(DatumGetInt64(new->tts_values[place]), raised->by));
	ExecMaterializeSlot(new);
	kg_recheck_nothing(&epq, estate);
	ExecSimpleRelationUpdate(result, estate, &epq, old, new);
}

static void
raise_entities(const Raised *rows, int n)
{
	Relation rel = table_open(kg_relation_oid("kg_entity"), RowExclusiveLock);
	EState *estate = CreateExecutorState();
	ResultRelInfo *result = makeNode(ResultRelInfo);
	TupleTableSlot *old = table_slot_create(rel, NULL);
	TupleTableSlot *new = MakeSingleTupleTableSlot(RelationGetDescr(rel),
												   &TTSOpsVirtual);

	InitResultRelInfo(result, rel, 0, NULL, 0);
	result->ri_TrigDesc = NULL;
	ExecOpenIndices(result, false);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		raise_row(estate, result, old, new, &rows[i]);
		CommandCounterIncrement();
	}
	ExecCloseIndices(result);
	ExecDropSingleTupleTableSlot(old);
	ExecDropSingleTupleTableSlot(new);
	FreeExecutorState(estate);
	table_close(rel, NoLock);
}

static void
raise_versions(const KgFreed *freed)
{
	KgArg args[3] = {kg_arg_text(freed->tenant)};
	Raised *rows;
	int n;

	kg_columns_args(&freed->raised, &args[1]);
	raise_history(freed, args);
	rows = find_rows(args, &n);
	raise_entities(rows, n);
}

void
kg_freed_merged(const char *tenant, const KgType *type, const char *const *ids,
				const int64 *nodes, int n, int64 target,
				const List *not_recorded)
{
	int nnames = list_length(not_recorded);
	const char **names = palloc(Max(1, nnames) * sizeof(char *));

	for (int i = 0; i < nnames; i++)
		names[i] = list_nth(not_recorded, i);
	KG_BATCH_NEWEST("UPDATE @kg_freed f SET node = u.node, target = $5, "
					"not_recorded = nullif($6, '{}') "
					"FROM unnest($3, $4) u(id, node) WHERE f.tenant = $1 "
					"AND f.type_no = $2 AND f.entity_id = u.id",
					kg_arg_text(tenant),
					kg_arg_int4(type->type_no),
					kg_arg_texts(ids, n),
					kg_arg_int8s(nodes, n),
					kg_arg_int8(target),
					kg_arg_texts(names, nnames));
}

List *
kg_freed_not_recorded(const char *tenant, const int64 *nodes, int n)
{
	List *names = NIL;

	if (n == 0 || !kg_has_column("kg_freed", "not_recorded"))
		return NIL;
	KG_BATCH_NEWEST("SELECT u.name FROM @kg_freed f, "
					"unnest(f.not_recorded) WITH ORDINALITY u(name, i) "
					"WHERE f.tenant = $1 AND f.node = ANY($2) "
					"AND f.node IS NOT NULL "
					"GROUP BY u.name ORDER BY min(u.i), u.name COLLATE \"C\"",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes, n));
	for (uint64 i = 0; i < SPI_processed; i++)
		names = lappend(names, kg_spi_cstring(i, 1));
	SPI_freetuptable(SPI_tuptable);
	return names;
}

void
kg_freed_restored(const char *tenant, const int64 *nodes, int n)
{
	if (!kg_has_column("kg_freed", "target"))
		return;
	KG_BATCH_NEWEST("UPDATE @kg_freed SET node = NULL, target = NULL, "
					"not_recorded = NULL WHERE tenant = $1 AND node = ANY($2) "
					"AND node IS NOT NULL",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes, n));
}

void
kg_freed_end(KgFreed *freed)
{
	flush(freed);
	MemoryContextDelete(freed->batch);
	if (freed->raised.nrows > 0)
		raise_versions(freed);
}
