/*
 * kg_graph.c
 *	  Module initialization.
 */
#include "postgres.h"

#include "base/invalidate.h"
#include "base/settings.h"
#include "base/spi.h"
#include "model/writing.h"
#include "fmgr.h"
#include "query/run/held.h"
#include "query/argument/repair.h"
#include "query/view/type_rows.h"
#include "query/merged.h"
#include "store/reference/scope.h"
#include "tools/correct/correct.h"
#include "tools/registered/register.h"
#include "tools/vocabularies.h"
#include "virtual/virtual.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	kg_settings_define();
	kg_invalidate_init();
	kg_spi_init();
	kg_writing_init(kg_held_end);
	kg_repair_init();
	kg_merged_init();
	kg_scope_init();
	kg_type_rows_init();
	kg_vocabularies_init();
	kg_correct_init();
	kg_register_init();
	kg_virtual_init();
}
