/*
 * writer.c
 *	  What a call that writes says of itself.
 *
 * Triggers are given no state: it is found here, as long as the call runs.
 */
#include "postgres.h"

#include "catalog/writer.h"

static const KgWriter nobody = {NULL, NULL};
static const KgWriter *current = &nobody;

void
kg_writer_run(const KgWriter *writer, void (*work)(void *arg), void *arg)
{
	const KgWriter *outer = current;
	KgWriter both = {outer->tool ? outer->tool : writer->tool,
					 outer->reason ? outer->reason : writer->reason};

	PG_TRY();
	{
		current = &both;
		work(arg);
	}
	PG_FINALLY();
	{
		current = outer;
	}
	PG_END_TRY();
}

const KgWriter *
kg_writer(void)
{
	return current;
}
