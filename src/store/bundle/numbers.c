/*
 * numbers.c
 *	  Numbers of types and relations.
 *
 * Numbers are integers. A database with a shard number (kg_set_shard()) has
 * 2^20 of them. A dry run is rolled back. It uses negative numbers, which no
 * stored row has. Each backend has its own negative numbers, so dry runs do
 * not wait for each other.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/spi.h"
#include "miscadmin.h"
#include "store/bundle/numbers.h"

/* Number of negative numbers per backend, which are used in turn. */
#define KG_UNSTORED 8192

static const struct
{
	const char *plural;
	/* a query of the sequence's next value and of its last value */
	const char *next;
} numbered[] = {
	[KG_NUMBERED_TYPE] = {"types",
						  "SELECT nextval('@kg_type_seq'), coalesce((SELECT "
						  "((shard + 1)::bigint << 20) - 1 "
						  "FROM @kg_number_range), 2147483647)"},
	[KG_NUMBERED_RELATION] = {"relations",
							  "SELECT nextval('@kg_relation_seq'), "
							  "coalesce((SELECT "
							  "((shard + 1)::bigint << 20) - 1 "
							  "FROM @kg_number_range), 2147483647)"}};

int32
kg_number_new(KgApply *apply, KgNumbered what)
{
	static KgSaved saved[lengthof(numbered)];
	int64 number;
	int64 last;

	if (apply->options.dry_run)
		return -1 - (MyProcPid % (PG_INT32_MAX / KG_UNSTORED)) * KG_UNSTORED -
			   apply->unstored++ % KG_UNSTORED;
	kg_spi_exec_args(&saved[what], numbered[what].next, 0, NULL);
	number = kg_spi_int64(0, 1);
	last = kg_spi_int64(0, 2);
	SPI_freetuptable(SPI_tuptable);
	if (number <= last)
		return number;
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf("the database has assigned all numbers that "
								 "%s can have, up to " INT64_FORMAT,
								 numbered[what].plural,
								 last),
			 .expected = "another database, to which the tenant is moved");
}
