/*
 * verify_trigrams.c
 *	  Verifies that kg_trigram has each trigram of each term of a tenant.
 *
 * There are ten times as many trigrams as entities, so they are not looked up
 * one by one. A range of rows is read in the order of their index, and stored
 * as 64-bit hashes. Then all terms are read. Each trigram that belongs to the
 * range is looked up among the hashes. Then the next range follows. The
 * probability that a missing trigram has the hash of a stored trigram is 1 in
 * 10^12.
 */
#include "postgres.h"

#include "base/spi.h"
#include "model/term.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/check/verify_trigrams.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * Maximum number of rows in a range. They fill two thirds of the slots of 8
 * bytes each, at most 64 MB.
 */
#define KG_PART_ROWS ((uint64) 5500000)
#define KG_FETCH 10000

/* A row of kg_trigram. Rows are ordered as in the index. */
typedef struct Row
{
	/* NULL: the position before the first or after the last row */
	char *trigram;
	char *term;
} Row;

typedef struct Part
{
	Row from; /* the range begins after this row */
	Row to;	  /* the range ends with this row */
	uint64 *slots;
	uint64 mask;
	uint64 n;
} Part;

static int
compare_rows(const Row *row, const char *trigram, const char *term)
{
	int order = strcmp(row->trigram, trigram);

	return order != 0 ? order : strcmp(row->term, term);
}

static uint64
hash_row(const char *trigram, const char *term)
{
	uint64 hash = hash_bytes_extended(
		(const unsigned char *) trigram, strlen(trigram), 0);

	hash = hash_bytes_extended(
		(const unsigned char *) term, strlen(term), hash);
	return Max(hash, 1); /* a slot with 0 is free, so no hash is 0 */
}

static uint64 *
slot_of(const Part *part, uint64 hash)
{
	uint64 i = hash & part->mask;

	while (part->slots[i] != 0 && part->slots[i] != hash)
		i = (i + 1) & part->mask;
	return &part->slots[i];
}

static void
make_slots(Part *part, uint64 slots)
{
	part->slots = MemoryContextAllocExtended(CurrentMemoryContext,
											 slots * sizeof(uint64),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	part->mask = slots - 1;
}

static void
add_row(Part *part, uint64 hash)
{
	uint64 *old = part->slots;
	uint64 nold = part->mask + 1;

	if (part->n >= nold / 3 * 2)
	{
		make_slots(part, nold * 2);
		for (uint64 i = 0; i < nold; i++)
			if (old[i] != 0)
				*slot_of(part, old[i]) = old[i];
		pfree(old);
	}
	*slot_of(part, hash) = hash;
	part->n++;
}

static void
free_row(Row *row)
{
	if (row->trigram == NULL)
		return;
	pfree(row->trigram);
	pfree(row->term);
	row->trigram = row->term = NULL;
}

/* Reads the next range. Returns false if it is the last range. */
static bool
read_part(Part *part, Portal rows, MemoryContext scratch)
{
	MemoryContext caller = CurrentMemoryContext;

	free_row(&part->from);
	part->from = part->to;
	memset(part->slots, 0, (part->mask + 1) * sizeof(uint64));
	part->n = 0;
	for (;;)
	{
		SPITupleTable *fetched;
		Row last = {NULL};

		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(rows, true, KG_FETCH);
		fetched = SPI_tuptable;
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			MemoryContextSwitchTo(scratch);
			last.trigram = kg_spi_cstring(i, 1);
			last.term = kg_spi_cstring(i, 2);
			MemoryContextSwitchTo(caller);
			add_row(part, hash_row(last.trigram, last.term));
		}
		if (SPI_processed == 0)
			part->to.trigram = NULL;
		else if (part->n >= KG_PART_ROWS)
		{
			part->to.trigram = pstrdup(last.trigram);
			part->to.term = pstrdup(last.term);
		}
		SPI_freetuptable(fetched);
		MemoryContextReset(scratch);
		if (last.trigram == NULL || part->n >= KG_PART_ROWS)
			return last.trigram != NULL;
	}
}

static bool
is_in_part(const Part *part, const char *trigram, const char *term)
{
	return (part->from.trigram == NULL ||
			compare_rows(&part->from, trigram, term) < 0) &&
		   (part->to.trigram == NULL ||
			compare_rows(&part->to, trigram, term) >= 0);
}

static void
check_term(const Part *part, const char *term, KgMissingTrigram missing,
		   void *arg)
{
	char **pieces;
	int n = kg_term_rows(term, &pieces);

	for (int i = 0; i < n; i++)
		if (is_in_part(part, pieces[i], term) &&
			*slot_of(part, hash_row(pieces[i], term)) == 0)
			missing(pieces[i], term, arg);
}

/*
 * Looks up the trigrams of all terms. Equal terms are adjacent, so each term
 * is checked once.
 */
static void
check_terms(const Part *part, const char *tenant, MemoryContext scratch,
			KgMissingTrigram missing, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	char before[KG_MAX_TERM_BYTES + 1] = "";
	Portal terms = kg_spi_cursor_of(
		"SELECT term FROM @kg_term WHERE tenant = $1 ORDER BY term", tenant);

	for (;;)
	{
		SPITupleTable *fetched;
		uint64 n;

		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(terms, true, KG_FETCH);
		fetched = SPI_tuptable;
		n = SPI_processed;
		MemoryContextSwitchTo(scratch);
		for (uint64 i = 0; i < n; i++)
		{
			bool isnull;
			char *term = TextDatumGetCString(
				SPI_getbinval(fetched->vals[i], fetched->tupdesc, 1, &isnull));

			if (strcmp(term, before) == 0)
				continue;
			strlcpy(before, term, sizeof(before));
			check_term(part, term, missing, arg);
		}
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
		SPI_freetuptable(fetched);
		if (n == 0)
			break;
	}
	SPI_cursor_close(terms);
}

void
kg_verify_trigrams(const char *tenant, MemoryContext scratch,
				   KgMissingTrigram missing, void *arg)
{
	Part part = {{NULL}};
	Portal rows = kg_spi_cursor_of("SELECT trigram, term FROM @kg_trigram "
								   "WHERE tenant = $1 ORDER BY trigram, term",
								   tenant);
	bool more;

	make_slots(&part, 1024);
	do
	{
		more = read_part(&part, rows, scratch);
		check_terms(&part, tenant, scratch, missing, arg);
	} while (more);
	SPI_cursor_close(rows);
	free_row(&part.from);
	pfree(part.slots);
}
