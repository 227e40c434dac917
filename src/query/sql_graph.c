/*
 * sql_graph.c
 *	  The fixed statements of the graph engine.
 *
 * Every one of them is served by one index under row-level security: the
 * tenant and the node numbers (or ids) are compared by leakproof operators
 * with parameters, and what is selected is in the index where that is
 * possible.  One statement serves a whole frontier.
 *
 * The texts are put together once per backend, because they name the
 * extension's schema, which cannot change.
 */
#include "postgres.h"

#include "base/identity.h"
#include "lib/stringinfo.h"
#include "query/sql_graph.h"
#include "utils/memutils.h"

/* "@name" stands for the qualified table. */
static const char *const templates[KG_SQL_GRAPH_COUNT] = {
	[KG_SQL_PACKED_OUT] = "SELECT node, outgoing FROM @kg_adjacency"
						  " WHERE tenant = $1 AND node = ANY ($2)",
	[KG_SQL_PACKED_IN] = "SELECT node, incoming FROM @kg_adjacency"
						 " WHERE tenant = $1 AND node = ANY ($2)",
	[KG_SQL_PACKED_BOTH] = "SELECT node, outgoing, incoming FROM @kg_adjacency"
						   " WHERE tenant = $1 AND node = ANY ($2)",
	[KG_SQL_OUT] = "SELECT source, relation_no, target FROM @kg_edge"
				   " WHERE tenant = $1 AND source = ANY ($2)",
	[KG_SQL_IN] = "SELECT target, relation_no, source FROM @kg_edge"
				  " WHERE tenant = $1 AND target = ANY ($2)",
	[KG_SQL_OUT_OF] = "SELECT source, relation_no, target FROM @kg_edge"
					  " WHERE tenant = $1 AND source = ANY ($2)"
					  " AND relation_no = ANY ($3)",
	[KG_SQL_IN_OF] = "SELECT target, relation_no, source FROM @kg_edge"
					 " WHERE tenant = $1 AND target = ANY ($2)"
					 " AND relation_no = ANY ($3)",
	[KG_SQL_OUT_PROPERTIES] =
		"SELECT source, relation_no, target, properties FROM @kg_edge"
		" WHERE tenant = $1 AND source = ANY ($2)",
	[KG_SQL_IN_PROPERTIES] =
		"SELECT target, relation_no, source, properties FROM @kg_edge"
		" WHERE tenant = $1 AND target = ANY ($2)",
	[KG_SQL_OUT_OF_PROPERTIES] =
		"SELECT source, relation_no, target, properties FROM @kg_edge"
		" WHERE tenant = $1 AND source = ANY ($2) AND relation_no = ANY ($3)",
	[KG_SQL_IN_OF_PROPERTIES] =
		"SELECT target, relation_no, source, properties FROM @kg_edge"
		" WHERE tenant = $1 AND target = ANY ($2) AND relation_no = ANY ($3)",
	[KG_SQL_NODE_TYPES] = "SELECT node, type_no FROM @kg_entity"
						  " WHERE tenant = $1 AND node = ANY ($2)",
	[KG_SQL_NODE_IDS] = "SELECT node, type_no, entity_id FROM @kg_entity"
						" WHERE tenant = $1 AND node = ANY ($2)",
	[KG_SQL_NODE_ROWS] = "SELECT node, type_no, entity_id, data"
						 " FROM @kg_entity"
						 " WHERE tenant = $1 AND node = ANY ($2)",
	[KG_SQL_NODES_OF_TYPE] = "SELECT node, type_no, entity_id FROM @kg_entity"
							 " WHERE tenant = $1 AND bundle = $2"
							 " AND entity_type = $3 AND entity_id = ANY ($4)",
	[KG_SQL_NODES_BY_ID] = "SELECT e.node, e.type_no, e.entity_id"
						   " FROM @kg_term t, @kg_entity e"
						   " WHERE t.tenant = $1 AND t.term = ANY ($2)"
						   " AND t.kind = 'i'"
						   " AND e.tenant = $1 AND e.node = t.node",
};

static char *texts[KG_SQL_GRAPH_COUNT];
static Oid texts_schema = InvalidOid;

/* The extension was dropped and made again, perhaps elsewhere. */
static void
forget_texts(void)
{
	for (int i = 0; i < KG_SQL_GRAPH_COUNT; i++)
	{
		if (texts[i] != NULL)
			pfree(texts[i]);
		texts[i] = NULL;
	}
	texts_schema = kg_extension_schema();
}

const char *
kg_graph_sql(KgGraphSql which)
{
	const char *p = templates[which];
	StringInfoData buf;

	if (texts_schema != kg_extension_schema())
		forget_texts();
	if (texts[which] != NULL)
		return texts[which];
	initStringInfo(&buf);
	while (*p != '\0')
	{
		if (*p == '@')
		{
			char name[NAMEDATALEN];
			size_t len = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_");

			Assert(len < NAMEDATALEN);
			memcpy(name, p + 1, len);
			name[len] = '\0';
			appendStringInfoString(&buf, kg_qualified(name));
			p += len + 1;
		}
		else
			appendStringInfoChar(&buf, *p++);
	}
	texts[which] = MemoryContextStrdup(TopMemoryContext, buf.data);
	pfree(buf.data);
	return texts[which];
}
