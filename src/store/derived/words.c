/*
 * words.c
 *	  Maintenance of kg_word and kg_word_count from the texts of entities.
 *
 * One statement writes both tables, so the counts agree with the rows. Each
 * backend has its own rows (slot) of kg_word_count, so sessions that write the
 * same words do not wait for each other. A row may have been written by a
 * previous backend with the same number. So the newest version of the row is
 * updated, even if the transaction's snapshot does not show it.
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "storage/proc.h"
#include "store/derived/words.h"
#include "utils/builtins.h"

void
kg_word_rows_init(KgWordRows *words, MemoryContext context)
{
	static const Oid types[] = {TEXTOID, INT4OID, INT8OID, INT4OID, INT4OID};

	kg_columns_init(&words->rows, context, lengthof(types), types);
	memset(&words->stale, 0, sizeof(words->stale));
	words->stale.context = context;
}

void
kg_word_rows_add(KgWordRows *words, int32 type_no, int64 node,
				 const KgWords *of)
{
	for (int i = 0; i < of->n; i++)
	{
		kg_columns_add_row(&words->rows);
		kg_columns_text(&words->rows, 0, of->words[i].word);
		kg_columns_int32(&words->rows, 1, type_no);
		kg_columns_int64(&words->rows, 2, node);
		kg_columns_int32(&words->rows, 3, of->words[i].frequency);
		kg_columns_int32(&words->rows, 4, of->length);
	}
}

/*
 * Runs a statement that changes rows of kg_word, and adds its changes to the
 * counts. sign is the sign of the change.
 */
#define KG_COUNT(changed, sign)                                       \
	"WITH changed AS (" changed " RETURNING word, node, frequency) "  \
	"INSERT INTO @kg_word_count AS c(tenant, word, slot, documents, " \
	"length) SELECT $1, word, $2, " sign "count(*), 0 FROM changed "  \
	"GROUP BY word UNION ALL SELECT $1, '', $2, " sign                \
	"count(DISTINCT node), " sign "sum(frequency) FROM changed "      \
	"HAVING count(*) > 0 ON CONFLICT (tenant, word, slot) DO UPDATE " \
	"SET documents = c.documents + excluded.documents, "              \
	"length = c.length + excluded.length"

/*
 * Deletes the rows of nodes, and subtracts them from the counts of their words.
 * Returns the words of the deleted rows.
 */
static SPITupleTable *
delete_rows(const char *tenant, const KgNodeList *stale)
{
	KG_BATCH_NEWEST(KG_COUNT("DELETE FROM @kg_word WHERE tenant = $1 "
							 "AND node = ANY($3)",
							 "-") " RETURNING word",
					kg_arg_text(tenant),
					kg_arg_int4(kg_backend_number()),
					kg_arg_int8s(stale->nodes, stale->n));
	return SPI_tuptable;
}

/*
 * Deletes the counts of words that no entity has any more. Skips counts that
 * other transactions are writing. The deleted counts of a word add up to zero,
 * so the remaining counts stay correct.
 */
static void
forget_counts(const char *tenant, SPITupleTable *words)
{
	int n = words->numvals;
	const char **texts = palloc(Max(n, 1) * sizeof(char *));

	for (int i = 0; i < n; i++)
		texts[i] = SPI_getvalue(words->vals[i], words->tupdesc, 1);
	SPI_freetuptable(words);
	if (n == 0)
		return;
	KG_BATCH_NEWEST(
		"WITH unused AS (SELECT u.word COLLATE \"C\" AS word "
		"FROM unnest($2) u(word) WHERE u.word <> '' AND NOT EXISTS "
		"(SELECT FROM @kg_word w WHERE w.tenant = $1 AND w.word = u.word)), "
		"held AS (SELECT c.word, c.slot, c.documents, c.length "
		"FROM unused, @kg_word_count c WHERE c.tenant = $1 "
		"AND c.word = unused.word FOR UPDATE OF c SKIP LOCKED), "
		"zero AS (SELECT word, slot, sum(documents) OVER w AS documents, "
		"sum(length) OVER w AS length FROM held "
		"WINDOW w AS (PARTITION BY word)) "
		"DELETE FROM @kg_word_count c USING zero z WHERE c.tenant = $1 "
		"AND c.word = z.word AND c.slot = z.slot "
		"AND z.documents = 0 AND z.length = 0",
		kg_arg_text(tenant),
		kg_arg_texts(texts, n));
	pfree(texts);
}

static void
insert_rows(const char *tenant, const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[7] = {kg_arg_text(tenant), kg_arg_int4(kg_backend_number())};

	kg_columns_args(rows, &args[2]);
	kg_spi_exec_newest_args(
		&saved,
		KG_COUNT("INSERT INTO @kg_word(tenant, word, type_no, "
				 "node, frequency, length) SELECT $1, "
				 "u.* FROM unnest($3, $4, $5, $6, $7) "
				 "AS u(word, type_no, node, frequency, length) "
				 "ORDER BY u.word COLLATE \"C\", u.type_no, "
				 "u.node",
				 "+"),
		lengthof(args),
		args);
}

void
kg_word_rows_write(const char *tenant, const KgWordRows *words)
{
	SPITupleTable *gone = NULL;

	if (words->stale.n > 0)
		gone = delete_rows(tenant, &words->stale);
	if (words->rows.nrows > 0)
		insert_rows(tenant, &words->rows);
	if (gone)
		forget_counts(tenant, gone);
}
