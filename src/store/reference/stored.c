/*
 * stored.c
 *	  The stored rows after a call that writes.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_proc.h"
#include "store/edge/edges.h"
#include "store/entity/entity_ids.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* The document of a row, represented by its hash. */
typedef struct Document
{
	bool found;
	int64 hash;
} Document;

Snapshot
kg_stored_begin(void)
{
	Snapshot before;

	CommandCounterIncrement();
	/*
	 * The snapshot is copied, because the transaction's snapshot advances with
	 * its commands.
	 */
	PushCopiedSnapshot(GetTransactionSnapshot());
	before = RegisterSnapshot(GetActiveSnapshot());
	PopActiveSnapshot();
	return before;
}

void
kg_stored_end(Snapshot before)
{
	UnregisterSnapshot(before);
}

/*
 * Runs a statement whose rows are the number of an item, from 1, and the hash
 * of its document. Returns an array of n elements, one for each item. If "then"
 * is true, the statement uses the active snapshot, otherwise a new one.
 */
static Document *
read_documents(KgSaved *saved, const char *sql, int nargs, const KgArg *args,
			   int n, bool then)
{
	Document *documents = palloc0(Max(1, n) * sizeof(Document));

	if (then)
		kg_spi_read_args(saved, sql, nargs, args);
	else
		kg_spi_exec_args(saved, sql, nargs, args);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Document *document = &documents[kg_spi_int64(i, 1) - 1];

		document->found = true;
		document->hash = kg_spi_int64(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	return documents;
}

static KgFate
fate_of(const Document *was, const Document *is)
{
	if (!was->found)
		return is->found ? KG_FATE_MADE : KG_FATE_ABSENT;
	if (!is->found)
		return KG_FATE_GONE;
	return was->hash == is->hash ? KG_FATE_SAME : KG_FATE_CHANGED;
}

/*
 * Sets the fates of n items: runs the statement in the snapshot "before" and
 * again now, and compares the results (read_documents()).
 */
static void
compare(KgSaved *saved, const char *sql, int nargs, const KgArg *args, int n,
		Snapshot before, KgFate *fates)
{
	KgUserContext user;
	Document *was;
	Document *is;

	kg_become_owner(&user);
	PushActiveSnapshot(before);
	was = read_documents(saved, sql, nargs, args, n, true);
	PopActiveSnapshot();
	is = read_documents(saved, sql, nargs, args, n, false);
	kg_restore_user(&user);
	for (int i = 0; i < n; i++)
		fates[i] = fate_of(&was[i], &is[i]);
	pfree(was);
	pfree(is);
}

void
kg_stored_entities(const char *tenant, const KgType *type,
				   const char *const *ids, int n, Snapshot before,
				   KgFate *fates)
{
	static KgSaved saved = KG_SAVED_BATCH;

	if (n == 0)
		return;
	compare(&saved,
			KG_OF_IDS("u.ord, jsonb_hash_extended(e.data, 0)"),
			KG_ARGS(KG_OF_IDS_ARGS(tenant, type, ids, n)),
			n,
			before,
			fates);
}

void
kg_stored_edges(const char *tenant, const KgColumns *edges, Snapshot before,
				KgFate *fates)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_EDGE_COLUMNS + 1] = {kg_arg_text(tenant)};

	if (edges->nrows == 0)
		return;
	kg_columns_args(edges, &args[1]);
	compare(&saved,
			"SELECT u.ord, coalesce(jsonb_hash_extended(e.properties, 0), 0) "
			"FROM unnest($2, $3, $4, $5, $6) WITH ORDINALITY "
			"AS u(source, relation_no, target, key, properties, ord) "
			"JOIN @kg_edge e ON e.tenant = $1 AND e.source = u.source "
			"AND e.relation_no = u.relation_no AND e.key = u.key "
			"AND e.target = u.target AND e.property IS NULL",
			lengthof(args),
			args,
			edges->nrows,
			before,
			fates);
}

static bool
is_ours(const Trigger *trigger)
{
	HeapTuple tuple;
	Form_pg_proc function;
	bool ours;

	if (trigger->tgisinternal)
		return true;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(trigger->tgfoid));
	if (!HeapTupleIsValid(tuple))
		return false;
	function = (Form_pg_proc) GETSTRUCT(tuple);
	ours = function->pronamespace == kg_extension_schema() &&
		   strncmp(NameStr(function->proname), "kg_", 3) == 0;
	ReleaseSysCache(tuple);
	return ours;
}

bool
kg_stored_has_own_triggers(const char *table)
{
	Relation rel = table_open(kg_relation_oid(table), AccessShareLock);
	const TriggerDesc *desc = rel->trigdesc;
	bool found = false;

	for (int i = 0; desc && i < desc->numtriggers && !found; i++)
		found = !is_ours(&desc->triggers[i]);
	table_close(rel, NoLock);
	return found;
}

void
kg_stored_require_edges(const char *tenant, const KgColumns *edges)
{
	static KgSaved saved = KG_SAVED_BATCH;
	bool missing;

	if (!kg_stored_has_own_triggers("kg_edge"))
		return;
	kg_columns_exec(
		&saved,
		"SELECT FROM unnest($2, $3, $4, $5) "
		"AS u(source, relation_no, target, property) "
		"WHERE NOT EXISTS (SELECT FROM @kg_edge e WHERE e.tenant = $1 "
		"AND e.source = u.source AND e.relation_no = u.relation_no "
		"AND e.key = '' AND e.target = u.target "
		"AND e.property IS NOT NULL)",
		tenant,
		edges);
	missing = SPI_processed > 0;
	SPI_freetuptable(SPI_tuptable);
	if (missing)
		kg_error_throw(kg_kept_error("edge", "inserted"));
}

void
kg_stored_require_no_edges(KgSaved *saved, const char *sql, const char *tenant,
						   KgArg nodes)
{
	bool left;

	if (!kg_stored_has_own_triggers("kg_edge"))
		return;
	kg_spi_exec_latest(saved, sql, kg_arg_text(tenant), nodes);
	left = SPI_processed > 0;
	SPI_freetuptable(SPI_tuptable);
	if (left)
		kg_error_throw(kg_kept_error("edge", "deleted"));
}

KgError *
kg_kept_error(const char *row, const char *what)
{
	return KG_ERROR(
		KG_FORBIDDEN,
		.message = psprintf(
			"a trigger or a policy prevented the %s from being %s", row, what),
		.expected = psprintf("a change that your triggers on kg_%s permit",
							 row));
}
