/*
 * writer.c
 *	  The description of a writing call.
 *
 * A static variable holds it, because no arguments can be passed to triggers.
 */
#include "postgres.h"

#include "model/writer.h"

static const KgWriter nobody;
static const KgWriter *current = &nobody;

static void
run(const KgWriter *writer, void (*work)(void *arg), void *arg)
{
	const KgWriter *outer = current;

	PG_TRY();
	{
		current = writer;
		work(arg);
	}
	PG_FINALLY();
	{
		current = outer;
	}
	PG_END_TRY();
}

void
kg_writer_run(const KgWriter *writer, void (*work)(void *arg), void *arg)
{
	KgWriter both = *current;

	if (both.tool == NULL)
		both.tool = writer->tool;
	if (both.reason == NULL)
		both.reason = writer->reason;
	run(&both, work, arg);
}

void
kg_writer_part(bool again, void (*work)(void *arg), void *arg)
{
	KgWriter part = *current;

	part.again = again;
	run(&part, work, arg);
}

const KgWriter *
kg_writer(void)
{
	return current;
}
