/*
 * pieces.c
 *	  Maintenance of kg_trigram from the terms of entities.
 *
 * The pieces of a term are stored once in a tenant. They are written with the
 * first row of kg_term that has the term, and deleted with the last one.
 *
 * The first piece is the head of its term. A transaction that writes a term
 * holds a share lock on the head. A transaction that has deleted a term locks
 * the head exclusively before it deletes the pieces, then looks for rows of
 * kg_term again if another transaction has ended since. If another transaction
 * holds the head, it does not wait and leaves the pieces. So every stored term
 * has its pieces, and writers that have a term in common do not wait for each
 * other.
 *
 * Pieces stay without a term if several transactions delete its rows at once.
 * The quota of bytes counts them until kg_rebuild() deletes them.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/text.h"
#include "model/term.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/derived/pieces.h"
#include "store/tenant/quota.h"
#include "storage/itemptr.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* Number of terms whose pieces, up to 260 each, are changed at once. */
#define KG_PIECED_TERMS 1024

/* Distinct terms, sorted by bytes. */
typedef struct Terms
{
	int n;
	const char **terms;
} Terms;

/* Columns of heads and pieces; rows to be inserted have the first two. */
enum
{
	KG_PIECE,
	KG_PIECE_TERM,
	KG_PIECE_TID, /* of a head; of a piece, its likely position */
	KG_PIECE_NUMBER,
	KG_PIECE_COLUMNS
};
#define KG_NEW_COLUMNS KG_PIECE_TID
#define KG_HEAD_COLUMNS KG_PIECE_NUMBER

static const Oid piece_types[] = {TEXTOID, TEXTOID, TIDOID, INT4OID};

void
kg_pieces_of_term(KgColumns *rows, const char *term)
{
	char **pieces;
	int n = kg_term_rows(term, &pieces);

	for (int i = 0; i < n; i++)
	{
		kg_columns_add_row(rows);
		kg_columns_text(rows, 0, pieces[i]);
		kg_columns_text(rows, 1, term);
	}
}

/*
 * Sorts terms. All sessions write terms in this order, so that they do not
 * deadlock.
 */
static Terms
sort_terms(const Datum *values, int n)
{
	Terms terms = {0, palloc(Max(n, 1) * sizeof(char *))};

	for (int i = 0; i < n; i++)
		terms.terms[i] = TextDatumGetCString(values[i]);
	terms.n = kg_distinct_texts(terms.terms, n);
	return terms;
}

/* Returns the heads of the terms that have pieces. */
static KgColumns
heads_of(const char *const *terms, int n)
{
	KgColumns heads;

	kg_columns_init(&heads, CurrentMemoryContext, KG_NEW_COLUMNS, piece_types);
	for (int i = 0; i < n; i++)
	{
		char **pieces;

		if (kg_term_rows(terms[i], &pieces) == 0)
			continue;
		kg_columns_add_row(&heads);
		kg_columns_text(&heads, 0, pieces[0]);
		kg_columns_text(&heads, 1, terms[i]);
	}
	return heads;
}

/* Returns the pieces of the terms that have these heads. */
static KgColumns
pieces_of(const KgColumns *heads)
{
	KgColumns pieces;

	kg_columns_init(&pieces, CurrentMemoryContext, KG_NEW_COLUMNS, piece_types);
	for (int i = 0; i < heads->nrows; i++)
		kg_pieces_of_term(&pieces,
						  TextDatumGetCString(heads->values[KG_PIECE_TERM][i]));
	return pieces;
}

/*
 * Returns the heads whose terms are in the result of the last statement; if
 * among is false, the others. Heads and result are sorted by term. The second
 * column of the result, if any, has the positions of the heads.
 */
static KgColumns
select_heads(const KgColumns *heads, bool among)
{
	SPITupleTable *result = SPI_tuptable;
	bool located = result->tupdesc->natts > 1;
	uint64 next = 0;
	KgColumns selected;

	kg_columns_init(&selected,
					CurrentMemoryContext,
					located ? KG_HEAD_COLUMNS : heads->ncolumns,
					piece_types);
	for (int i = 0; i < heads->nrows; i++)
	{
		bool found = next < result->numvals &&
					 strcmp(
						 TextDatumGetCString(heads->values[KG_PIECE_TERM][i]),
						 kg_spi_cstring(next, 1)) == 0;

		if (found == among)
		{
			kg_columns_add_row(&selected);
			for (int column = 0; column < heads->ncolumns; column++)
				kg_columns_datum(&selected, column, heads->values[column][i]);
			if (located)
				kg_columns_datum(&selected,
								 KG_PIECE_TID,
								 datumCopy(kg_spi_datum(next, 2),
										   false,
										   sizeof(ItemPointerData)));
		}
		next += found;
	}
	Assert(next == result->numvals);
	SPI_freetuptable(result);
	return selected;
}

static void
run(KgSaved *saved, const char *sql, const char *tenant,
	const KgColumns *columns)
{
	KgArg args[KG_PIECE_COLUMNS + 1] = {kg_arg_text(tenant)};

	kg_columns_args(columns, &args[1]);
	/*
	 * The newest rows, because other transactions delete rows that the snapshot
	 * may show.
	 */
	kg_spi_exec_newest_args(saved, sql, columns->ncolumns + 1, args);
}

#define KG_INSERTION                                       \
	"INSERT INTO @kg_trigram AS g(tenant, trigram, term) " \
	"SELECT $1, unnest($2), unnest($3) ON CONFLICT DO NOTHING"

/* Inserts the pieces of some heads. Returns whether none was stored. */
static bool
insert_pieces(const char *tenant, const KgColumns *heads, bool counted)
{
	static KgSaved plain = KG_SAVED_BATCH;
	static KgSaved counting = KG_SAVED_BATCH;
	KgColumns pieces = pieces_of(heads);
	int64 bytes;
	int64 n;

	if (!counted)
	{
		run(&plain, KG_INSERTION, tenant, &pieces);
		return SPI_processed == pieces.nrows;
	}
	run(&counting,
		"WITH g AS (" KG_INSERTION " RETURNING g.trigram, g.term) "
		"SELECT int8(coalesce(sum(" KG_PIECE_BYTES "), 0)), count(*) FROM g",
		tenant,
		&pieces);
	bytes = kg_spi_int64(0, 1);
	n = kg_spi_int64(0, 2);
	SPI_freetuptable(SPI_tuptable);
	kg_quota_add_bytes(tenant, bytes);
	return n == pieces.nrows;
}

/*
 * Returns the pieces of the terms of these heads, numbered. The pieces of a
 * term are inserted together, so most of them follow their head on its page.
 */
static KgColumns
stored_pieces(const KgColumns *heads)
{
	KgColumns pieces;

	kg_columns_init(
		&pieces, CurrentMemoryContext, KG_PIECE_COLUMNS, piece_types);
	for (int i = 0; i < heads->nrows; i++)
	{
		ItemPointer head = (ItemPointer) DatumGetPointer(
			heads->values[KG_PIECE_TID][i]);
		int first = pieces.nrows;

		kg_pieces_of_term(&pieces,
						  TextDatumGetCString(heads->values[KG_PIECE_TERM][i]));
		for (int row = first; row < pieces.nrows; row++)
		{
			ItemPointer tid = palloc(sizeof(ItemPointerData));

			ItemPointerSet(tid,
						   ItemPointerGetBlockNumber(head),
						   ItemPointerGetOffsetNumber(head) + row - first);
			pieces.values[KG_PIECE_TID][row] = PointerGetDatum(tid);
			pieces.nulls[KG_PIECE_TID][row] = false;
			pieces.values[KG_PIECE_NUMBER][row] = Int32GetDatum(row);
			pieces.nulls[KG_PIECE_NUMBER][row] = false;
		}
	}
	return pieces;
}

/*
 * Runs a deletion that returns numbers of pieces, and removes these from
 * pieces. Returns their bytes as the quota counts them (KG_PIECE_BYTES).
 */
static int64
delete_some(KgSaved *saved, const char *sql, const char *tenant,
			KgColumns *pieces)
{
	bool *deleted = palloc0(pieces->nrows * sizeof(bool));
	int64 bytes = 0;
	int kept = 0;

	run(saved, sql, tenant, pieces);
	for (uint64 i = 0; i < SPI_processed; i++)
		deleted[DatumGetInt32(kg_spi_datum(i, 1))] = true;
	SPI_freetuptable(SPI_tuptable);
	for (int i = 0; i < pieces->nrows; i++)
	{
		Datum piece = pieces->values[KG_PIECE][i];
		Datum term = pieces->values[KG_PIECE_TERM][i];

		if (deleted[i])
		{
			bytes += VARSIZE_ANY_EXHDR(DatumGetPointer(piece)) +
					 VARSIZE_ANY_EXHDR(DatumGetPointer(term));
			continue;
		}
		pieces->values[KG_PIECE][kept] = piece;
		pieces->values[KG_PIECE_TERM][kept++] = term;
	}
	pieces->nrows = kept;
	return bytes;
}

/*
 * Deletes the pieces of these heads. First it deletes the pieces at their
 * likely positions, without searches in the index, which would be most of the
 * work. Then it searches for the others.
 */
static void
delete_pieces(const char *tenant, const KgColumns *heads, bool counted)
{
	static KgSaved near = KG_SAVED_BATCH;
	static KgSaved others = KG_SAVED_BATCH;
	KgColumns pieces = stored_pieces(heads);
	int64 bytes;

	bytes = delete_some(
		&near,
		"DELETE FROM @kg_trigram g USING (SELECT unnest($2), unnest($3), "
		"unnest($4), unnest($5)) AS u(trigram, term, tid, i) "
		"WHERE g.ctid = u.tid AND g.tenant = $1 AND g.trigram = u.trigram "
		"AND g.term = u.term RETURNING u.i",
		tenant,
		&pieces);
	if (pieces.nrows > 0)
		bytes += delete_some(
			&others,
			"DELETE FROM @kg_trigram g USING (SELECT unnest($2), unnest($3), "
			"unnest($5)) AS u(trigram, term, i) "
			"WHERE g.tenant = $1 AND g.trigram = u.trigram "
			"AND g.term = u.term RETURNING u.i",
			tenant,
			&pieces);
	if (counted)
		kg_quota_add_bytes(tenant, -bytes);
}

#define KG_STORED_HEADS                                       \
	"FROM unnest($2, $3) WITH ORDINALITY "                    \
	"u(trigram, term, i), @kg_trigram g WHERE g.tenant = $1 " \
	"AND g.trigram = u.trigram AND g.term = u.term "

/*
 * No entity has the term. Looks for the newest entity, because rows that were
 * deleted before are passed one by one, and the oldest entities are usually
 * deleted first.
 */
#define KG_UNUSED                                                             \
	"(SELECT t.node FROM @kg_term t WHERE t.tenant = $1 AND t.term = u.term " \
	"ORDER BY t.kind DESC, t.type_no DESC, t.node DESC LIMIT 1) IS NULL "

/*
 * Locks the heads that are stored and inserts the pieces of the others. Returns
 * false if another session has inserted some of them since they were looked up;
 * the heads of these pieces are not locked.
 */
static bool
write_pieces(const char *tenant, const KgColumns *heads, bool counted)
{
	static KgSaved lock = KG_SAVED_BATCH;
	KgColumns missing;

	run(&lock,
		"SELECT g.term " KG_STORED_HEADS "ORDER BY u.i FOR KEY SHARE OF g",
		tenant,
		heads);
	missing = select_heads(heads, false);
	return missing.nrows == 0 || insert_pieces(tenant, &missing, counted);
}

/*
 * Returns the number of completed transactions that had an XID; it changes
 * with each.
 */
static uint64
completed(void)
{
	return GetLatestSnapshot()->snapXactCompletionCount;
}

static void
forget_pieces(const char *tenant, const KgColumns *heads, bool counted)
{
	static KgSaved lock = KG_SAVED_BATCH;
	static KgSaved check = KG_SAVED_BATCH;
	uint64 before = completed();
	KgColumns unused;

	run(&lock,
		"SELECT g.term, g.ctid " KG_STORED_HEADS "AND " KG_UNUSED
		"ORDER BY u.i FOR UPDATE OF g SKIP LOCKED",
		tenant,
		heads);
	unused = select_heads(heads, true);
	/*
	 * A transaction that ended after the first query may have written a term.
	 */
	if (unused.nrows > 0 && completed() != before)
	{
		run(&check,
			"SELECT u.term FROM unnest($2, $3) WITH ORDINALITY "
			"u(trigram, term, i) WHERE " KG_UNUSED "ORDER BY u.i",
			tenant,
			&unused);
		unused = select_heads(&unused, true);
	}
	if (unused.nrows > 0)
		delete_pieces(tenant, &unused, counted);
}

void
kg_pieces_change(const char *tenant, const Datum *values, int n, bool written,
				 bool counted)
{
	MemoryContext old = CurrentMemoryContext;
	MemoryContext all = AllocSetContextCreate(
		old, "kg_graph terms", ALLOCSET_DEFAULT_SIZES);
	MemoryContext some = AllocSetContextCreate(
		all, "kg_graph pieces", ALLOCSET_DEFAULT_SIZES);
	Terms terms;

	counted = counted && kg_quota_counts_bytes(tenant);
	MemoryContextSwitchTo(all);
	terms = sort_terms(values, n);
	MemoryContextSwitchTo(some);
	for (int i = 0; i < terms.n; i += KG_PIECED_TERMS)
	{
		KgColumns heads = heads_of(terms.terms + i,
								   Min(KG_PIECED_TERMS, terms.n - i));

		CHECK_FOR_INTERRUPTS();
		if (heads.nrows > 0 && !written)
			forget_pieces(tenant, &heads, counted);
		else if (heads.nrows > 0)
			while (!write_pieces(tenant, &heads, counted))
				CHECK_FOR_INTERRUPTS();
		MemoryContextReset(some);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(all);
}
