/*
 * pieces.c
 *	  Maintenance of kg_trigram from the terms of entities.
 *
 * A piece is a trigram of a term. The pieces of a term are stored once in a
 * tenant. They are written together with the first row of kg_term that has the
 * term, and deleted after the last such row.
 *
 * The first piece of a term is its head. A transaction that writes a term holds
 * a share lock on the head. A transaction that has deleted a term takes an
 * exclusive lock on the head. If another transaction holds a lock on the head,
 * the deleting transaction neither waits nor deletes the pieces. Otherwise it
 * searches kg_term for the term again if another transaction has ended since,
 * and deletes the pieces if no row has the term. So every stored term has its
 * pieces, and writers with a common term do not wait for each other.
 *
 * If several transactions delete the rows of a term at once, its pieces may
 * remain. The quota of bytes counts them until kg_rebuild() deletes them.
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

/* Number of terms whose pieces (up to 260 per term) are changed at once. */
#define KG_PIECED_TERMS 1024

/* Distinct terms, sorted bytewise. */
typedef struct Terms
{
	int n;
	const char **terms;
} Terms;

/*
 * Columns of heads (first trigrams of terms) and of pieces (all trigrams).
 * Rows to insert have only the first two columns.
 */
enum
{
	KG_PIECE,
	KG_PIECE_TERM,
	KG_PIECE_TID, /* TID of a head; for a piece, its probable TID */
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
 * Returns the terms, sorted and without duplicates. All sessions write terms in
 * this order, so that they do not deadlock.
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

/* Returns the heads (first trigrams) of those terms that have trigrams. */
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

/* Returns all pieces (trigrams) of the terms in heads. */
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
 * Selects heads. If "among" is true, returns the heads whose terms are in the
 * result of the last statement; otherwise the other heads. Heads and result
 * must be sorted by term. If the result has a second column, it has the TIDs of
 * the heads.
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
	 * Reads the newest rows, because other transactions may have deleted rows
	 * that the snapshot shows.
	 */
	kg_spi_exec_newest_args(saved, sql, columns->ncolumns + 1, args);
}

#define KG_INSERTION                                       \
	"INSERT INTO @kg_trigram AS g(tenant, trigram, term) " \
	"SELECT $1, unnest($2), unnest($3) ON CONFLICT DO NOTHING"

/*
 * Inserts the pieces (trigrams) of the terms in heads. Returns whether none of
 * these pieces was stored before.
 */
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
 * Returns the pieces (trigrams) of the terms in heads, with numbers and
 * probable TIDs. The pieces of a term are inserted together, so most of them
 * follow the head on its page.
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
 * Runs a deletion that returns the numbers of deleted pieces. Removes these
 * pieces from the list. Returns their bytes, as the quota counts them
 * (KG_PIECE_BYTES).
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
 * Deletes the pieces (trigrams) of the terms in heads. First deletes pieces at
 * their probable TIDs. This avoids searches in the index, which would be most
 * of the work. Then searches for the remaining pieces.
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
 * A condition: no entity has the term u.term. It searches from the newest
 * entity, because an index scan passes deleted rows one by one, and the oldest
 * entities are usually deleted first.
 */
#define KG_UNUSED                                                             \
	"(SELECT t.node FROM @kg_term t WHERE t.tenant = $1 AND t.term = u.term " \
	"ORDER BY t.kind DESC, t.type_no DESC, t.node DESC LIMIT 1) IS NULL "

/*
 * Locks the heads (first trigrams) that are stored, and inserts the pieces of
 * the other terms. Returns false if another session has inserted some of these
 * pieces since they were looked up; their heads are then not locked.
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
 * Returns the number of completed transactions that had an XID. The number
 * changes when such a transaction ends.
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
	 * A transaction that ended after the first query may have written one of
	 * the terms, so the query is repeated.
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
