/*
 * words.c
 *	  Maintenance of kg_word and kg_word_count from the texts of entities.
 *
 * One statement writes both, so the counts agree with the rows. Each backend
 * counts in its own rows of kg_word_count, so sessions that write the same
 * words do not wait for each other. The newest version of the row is written,
 * whatever the transaction's snapshot shows: the row may have been left by a
 * previous backend with the same number.
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

/* Counts the rows that a statement has changed. */
#define KG_COUNT(changed, sign)                                       \
	"WITH changed AS (" changed " RETURNING word, node, frequency) "  \
	"INSERT INTO @kg_word_count AS c(tenant, word, slot, documents, " \
	"length) SELECT $1, word, $2, " sign "count(*), 0 FROM changed "  \
	"GROUP BY word UNION ALL SELECT $1, '', $2, " sign                \
	"count(DISTINCT node), " sign "sum(frequency) FROM changed "      \
	"HAVING count(*) > 0 ON CONFLICT (tenant, word, slot) DO UPDATE " \
	"SET documents = c.documents + excluded.documents, "              \
	"length = c.length + excluded.length"

static void
delete_rows(const char *tenant, const KgNodeList *stale)
{
	KG_BATCH_NEWEST(KG_COUNT("DELETE FROM @kg_word WHERE tenant = $1 "
							 "AND node = ANY($3)",
							 "-"),
					kg_arg_text(tenant),
					kg_arg_int4(kg_backend_number()),
					kg_arg_int8s(stale->nodes, stale->n));
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
	if (words->stale.n > 0)
		delete_rows(tenant, &words->stale);
	if (words->rows.nrows > 0)
		insert_rows(tenant, &words->rows);
}
