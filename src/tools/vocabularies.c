/*
 * vocabularies.c
 *	  Registers the tables of fixed tools.
 *
 *	  tools/fixed_tools.c finds tools by name, in any tables. Only this file
 *	  names the tables.
 */
#include "postgres.h"

#include "tools/compact/compact.h"
#include "tools/graph/graph.h"
#include "tools/memory/memory.h"
#include "tools/sql/query.h"
#include "tools/vocabularies.h"
#include "tools/write/write_tools.h"

void
kg_vocabularies_init(void)
{
	kg_fixed_tools_add(kg_graph_tools);
	kg_fixed_tools_add(kg_bfs_tools);
	kg_fixed_tools_add(kg_memory_tools);
	kg_fixed_tools_add(kg_compact_tools);
	kg_fixed_tools_add(kg_sql_tools);
	kg_fixed_tools_add(kg_write_tools);
}
