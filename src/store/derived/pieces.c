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
 * kg_term again. If another transaction holds the head, it does not wait and
 * leaves the pieces. So every stored term has its pieces, and writers that have
 * a term in common do not wait for each other.
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
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Number of terms whose pieces, up to 260 each, are changed at once. */
#define KG_PIECED_TERMS 1024

/* Distinct terms, sorted by bytes. */
typedef struct Terms
{
	int n;
	const char **terms;
} Terms;

static const Oid piece_types[] = {TEXTOID, TEXTOID};

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

/* All sessions write terms in one order, so that they do not deadlock. */
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

	kg_columns_init(&heads, CurrentMemoryContext, 2, piece_types);
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

/* Returns the pieces of the terms of these heads. */
static KgColumns
pieces_of(const KgColumns *heads)
{
	KgColumns pieces;

	kg_columns_init(&pieces, CurrentMemoryContext, 2, piece_types);
	for (int i = 0; i < heads->nrows; i++)
		kg_pieces_of_term(&pieces, TextDatumGetCString(heads->values[1][i]));
	return pieces;
}

/*
 * Returns the heads whose terms are in the result of the last statement; if
 * among is false, the others. Heads and result are sorted by term.
 */
static KgColumns
select_heads(const KgColumns *heads, bool among)
{
	SPITupleTable *terms = SPI_tuptable;
	uint64 next = 0;
	KgColumns selected;

	kg_columns_init(&selected, CurrentMemoryContext, 2, piece_types);
	for (int i = 0; i < heads->nrows; i++)
	{
		bool found = next < terms->numvals &&
					 strcmp(TextDatumGetCString(heads->values[1][i]),
							kg_spi_cstring(next, 1)) == 0;

		next += found;
		if (found != among)
			continue;
		kg_columns_add_row(&selected);
		kg_columns_datum(&selected, 0, heads->values[0][i]);
		kg_columns_datum(&selected, 1, heads->values[1][i]);
	}
	Assert(next == terms->numvals);
	SPI_freetuptable(terms);
	return selected;
}

static void
run(KgSaved *saved, const char *sql, const char *tenant,
	const KgColumns *columns)
{
	KgArg args[3] = {kg_arg_text(tenant)};

	kg_columns_args(columns, &args[1]);
	/*
	 * The newest rows, because other transactions delete rows that the snapshot
	 * may show.
	 */
	kg_spi_exec_newest_args(saved, sql, lengthof(args), args);
}

/* A statement that changes pieces, and its form that returns their bytes. */
typedef struct Change
{
	const char *plain;
	const char *counting;
	KgSaved saved_plain;
	KgSaved saved_counting;
} Change;

#define KG_CHANGE(sql)                                         \
	{                                                          \
		sql,                                                   \
			"WITH g AS (" sql " RETURNING d.trigram, d.term) " \
			"SELECT int8(coalesce(sum(" KG_PIECE_BYTES         \
			"), 0)), count(*) FROM g",                         \
			KG_SAVED_BATCH, KG_SAVED_BATCH                     \
	}

/* Changes the pieces of some heads. Returns whether all were changed. */
static bool
change_pieces(Change *change, int sign, const char *tenant,
			  const KgColumns *heads, bool counted)
{
	KgColumns pieces = pieces_of(heads);
	int64 bytes;
	int64 n;

	if (!counted)
	{
		run(&change->saved_plain, change->plain, tenant, &pieces);
		return SPI_processed == pieces.nrows;
	}
	run(&change->saved_counting, change->counting, tenant, &pieces);
	bytes = kg_spi_int64(0, 1);
	n = kg_spi_int64(0, 2);
	SPI_freetuptable(SPI_tuptable);
	kg_quota_add_bytes(tenant, sign * bytes);
	return n == pieces.nrows;
}

#define KG_STORED_HEADS                                       \
	"SELECT g.term FROM unnest($2, $3) WITH ORDINALITY "      \
	"u(trigram, term, i), @kg_trigram g WHERE g.tenant = $1 " \
	"AND g.trigram = u.trigram AND g.term = u.term "

/* No entity has the term. */
#define KG_UNUSED                                                 \
	"AND NOT EXISTS (SELECT FROM @kg_term t WHERE t.tenant = $1 " \
	"AND t.term = u.term) "

/*
 * Locks the heads that are stored and inserts the pieces of the others. Returns
 * false if another session has inserted some of them meanwhile, whose heads are
 * not locked.
 */
static bool
write_pieces(const char *tenant, const KgColumns *heads, bool counted)
{
	static KgSaved lock = KG_SAVED_BATCH;
	static Change insertion = KG_CHANGE(
		"INSERT INTO @kg_trigram AS d(tenant, trigram, term) "
		"SELECT $1, unnest($2), unnest($3) ON CONFLICT DO NOTHING");
	KgColumns missing;

	run(&lock,
		KG_STORED_HEADS "ORDER BY u.i FOR KEY SHARE OF g",
		tenant,
		heads);
	missing = select_heads(heads, false);
	return missing.nrows == 0 ||
		   change_pieces(&insertion, 1, tenant, &missing, counted);
}

/* Returns the heads whose terms no entity has. */
static KgColumns
unused_heads(KgSaved *saved, const char *sql, const char *tenant,
			 const KgColumns *heads)
{
	if (heads->nrows == 0)
		return *heads;
	run(saved, sql, tenant, heads);
	return select_heads(heads, true);
}

static void
forget_pieces(const char *tenant, const KgColumns *heads, bool counted)
{
	static KgSaved lock = KG_SAVED_BATCH;
	static KgSaved check = KG_SAVED_BATCH;
	static Change deletion = KG_CHANGE(
		"DELETE FROM @kg_trigram d USING unnest($2, $3) u(trigram, term) "
		"WHERE d.tenant = $1 AND d.trigram = u.trigram AND d.term = u.term");
	KgColumns unused;

	unused = unused_heads(&lock,
						  KG_STORED_HEADS KG_UNUSED
						  "ORDER BY u.i FOR UPDATE OF g SKIP LOCKED",
						  tenant,
						  heads);
	unused = unused_heads(
		&check, KG_STORED_HEADS KG_UNUSED "ORDER BY u.i", tenant, &unused);
	if (unused.nrows > 0)
		(void) change_pieces(&deletion, -1, tenant, &unused, counted);
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
