/*
 * memory.c
 *	  Bounds the memory that a query takes.
 *
 * RLIMIT_AS makes the kernel refuse address space above the bound, and
 * palloc() then raises an ordinary error. But if the kernel refused to extend
 * the stack, a signal would kill the process. So the stack is extended
 * beforehand to the size that the server permits.
 */
#include "postgres.h"

#include <alloca.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ask/memory.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "tcop/tcopprot.h"

/*
 * Bytes of stack that the server reserves beyond max_stack_depth
 * (STACK_DEPTH_SLOP).
 */
#define KG_STACK_SLOP (512 * 1024)
#define KG_PAGE 4096

/* Returns the bytes of address space that the process uses, or 0 if unknown. */
static rlim_t
address_space(void)
{
	FILE *file = AllocateFile("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	FreeFile(file);
	return (rlim_t) pages * sysconf(_SC_PAGESIZE);
}

/*
 * Extends the stack to its maximum depth by writing to its pages. Does so once
 * in a process.
 */
static void
reserve_stack(void)
{
	static int reserved = 0; /* kB */
	size_t size = max_stack_depth * (size_t) 1024 + KG_STACK_SLOP / 2;
	volatile char *stack;

	if (reserved >= max_stack_depth)
		return;
	stack = alloca(size);
	for (size_t at = size; at >= KG_PAGE; at -= KG_PAGE)
		stack[at - KG_PAGE] = 0;
	reserved = max_stack_depth;
}

void
kg_ask_within_memory(void (*work)(void *arg), void *arg)
{
	rlim_t present = address_space();
	rlim_t most = present + kg_setting_max_query_memory * (rlim_t) 1024;
	struct rlimit before;
	struct rlimit bound;

	if (kg_setting_max_query_memory == 0 || present == 0 ||
		getrlimit(RLIMIT_AS, &before) != 0 ||
		(before.rlim_cur != RLIM_INFINITY && before.rlim_cur <= most))
	{
		work(arg);
		return;
	}
	reserve_stack();
	bound = before;
	bound.rlim_cur = most;
	if (setrlimit(RLIMIT_AS, &bound) != 0)
		elog(ERROR, "could not bound the memory of a query: %m");
	PG_TRY();
	{
		work(arg);
	}
	PG_FINALLY();
	{
		(void) setrlimit(RLIMIT_AS, &before);
	}
	PG_END_TRY();
}
