/*
 * sql_graph.c
 *	  The fixed statements of the graph engine.
 *
 * Each statement is served by one index under row-level security. The tenant
 * and the node numbers (or ids) are compared with parameters by leakproof
 * operators, and the selected columns are in the index if possible. One
 * statement serves a whole frontier.
 *
 * The texts contain the name of the extension's schema. So they are made once
 * for each backend, and again after the schema has changed.
 */
#include "postgres.h"

#include "base/extension.h"
#include "lib/stringinfo.h"
#include "query/time/past.h"
#include "query/sql.h"
#include "query/graph/sql_graph.h"
#include "query/time/validity.h"
#include "utils/memutils.h"

/*
 * In the texts, "@name" stands for the qualified table, and "@entities" for
 * kg_entity restricted to the nodes in $2.
 */
#define OF_RANGE " WHERE tenant = $1 AND node >= $2 AND node <= $3"
#define OF_NODES " FROM @entities WHERE tenant = $1 AND node = ANY ($2)"
#define FROM_EDGES " FROM @kg_edge WHERE tenant = $1"
#define OUT_COLUMNS "SELECT source, relation_no, target"
#define IN_COLUMNS "SELECT target, relation_no, source"
#define OF_SOURCES " AND source = ANY ($2)"
#define OF_TARGETS " AND target = ANY ($2)"
#define OF_RELATIONS " AND relation_no = ANY ($3)"

/*
 * All columns of the table in their order, so the executor needs no
 * projection.
 */
#define PACKED                                               \
	"SELECT tenant, block, nodes, alone, outgoing, incoming" \
	" FROM @kg_adjacency WHERE tenant = $1"

#define EDGE "e.source, e.relation_no, e.target, e.properties"
#define OF_TRIPLES                                                           \
	" FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3),"         \
	" pg_catalog.unnest($4)) AS k (source, relation_no, target), @kg_edge e" \
	" WHERE e.tenant = $1 AND e.source = k.source"                           \
	" AND e.relation_no = k.relation_no AND e.target = k.target"

static const char *const templates[KG_SQL_GRAPH_COUNT] = {
	[KG_SQL_PACKED] = PACKED " AND block = ANY ($2)",
	[KG_SQL_PACKED_RANGE] = PACKED " AND block >= $2 AND block <= $3",
	[KG_SQL_OUT] = OUT_COLUMNS FROM_EDGES OF_SOURCES,
	[KG_SQL_IN] = IN_COLUMNS FROM_EDGES OF_TARGETS,
	[KG_SQL_OUT_OF] = OUT_COLUMNS FROM_EDGES OF_SOURCES OF_RELATIONS,
	[KG_SQL_IN_OF] = IN_COLUMNS FROM_EDGES OF_TARGETS OF_RELATIONS,
	[KG_SQL_OUT_PROPERTIES] = OUT_COLUMNS ", properties" FROM_EDGES OF_SOURCES,
	[KG_SQL_IN_PROPERTIES] = IN_COLUMNS ", properties" FROM_EDGES OF_TARGETS,
	[KG_SQL_OUT_OF_PROPERTIES] = OUT_COLUMNS
	", properties" FROM_EDGES OF_SOURCES OF_RELATIONS,
	[KG_SQL_IN_OF_PROPERTIES] = IN_COLUMNS
	", properties" FROM_EDGES OF_TARGETS OF_RELATIONS,
	[KG_SQL_NODE_TYPES] = "SELECT node, type_no" OF_NODES,
	[KG_SQL_NODE_IDS] = "SELECT node, type_no, entity_id" OF_NODES,
	[KG_SQL_NODE_IDS_RANGE] =
		"SELECT node, type_no, entity_id FROM @kg_entity" OF_RANGE,
	[KG_SQL_NODE_ROWS] = "SELECT node, type_no, entity_id, data" OF_NODES,
	[KG_SQL_NODE_KEYS] = "SELECT node, index_keys" OF_NODES,
	[KG_SQL_NODE_KEYS_RANGE] =
		"SELECT node, index_keys FROM @kg_entity" OF_RANGE,
	[KG_SQL_TYPE_KEYS] =
		"SELECT node, index_keys FROM @kg_entity"
		" WHERE tenant = $1 AND bundle = $2 AND entity_type = $3",
	[KG_SQL_NODES_OF_TYPES] = "SELECT node FROM @kg_entity"
							  " WHERE tenant = $1 AND type_no = ANY ($2)",
	[KG_SQL_COUNTS] = "SELECT node, key FROM @kg_index_key"
					  " WHERE type_no = $2 AND field_no = $3 AND tenant = $1",
	[KG_SQL_NODE_COUNTS] = "SELECT node, key FROM @kg_index_key"
						   " WHERE tenant = $1 AND node = ANY ($2)"
						   " AND field_no = $3 AND field_no >= 32768",
	[KG_SQL_KEYS] = "SELECT key FROM @kg_index_key"
					" WHERE type_no = $2 AND field_no = $3 AND tenant = $1",
	[KG_SQL_NODE_OF_TYPE] =
		"SELECT node, type_no, entity_id, data FROM @kg_entity"
		" WHERE tenant = $1 AND bundle = $2 AND entity_type = $3"
		" AND entity_id = $4",
	[KG_SQL_NODES_OF_TYPE] =
		"SELECT node, type_no, entity_id FROM @kg_entity"
		" WHERE tenant = $1 AND bundle = $2 AND entity_type = $3"
		" AND entity_id = ANY ($4)",
	[KG_SQL_NODES_OF_HANDLES] =
		"SELECT e.node, e.type_no, e.entity_id, e.version"
		" FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3),"
		" pg_catalog.unnest($4)) AS h (bundle, entity_type, entity_id),"
		" @kg_entity e WHERE e.tenant = $1 AND e.bundle = h.bundle"
		" AND e.entity_type = h.entity_type AND e.entity_id = h.entity_id",
	[KG_SQL_NODES_BY_ID] =
		"SELECT e.node, e.type_no, e.entity_id, e.version"
		" FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3))"
		" AS t (bundle, entity_type), @kg_entity e WHERE e.tenant = $1"
		" AND e.bundle = t.bundle AND e.entity_type = t.entity_type"
		" AND e.entity_id = ANY ($4)",
	/*
	 * The rows may include hidden nodes. kg_graph_resolve() later finds the
	 * nodes that the caller sees.
	 */
	[KG_SQL_NODES_NAMED] =
		"SELECT t.node, n.name FROM pg_catalog.unnest($2) AS n (name)"
		" CROSS JOIN LATERAL (SELECT x.node FROM @kg_term x"
		" WHERE x.tenant = $1 AND x.term = n.name"
		" AND x.kind = ANY ('{l,a,i}'::pg_catalog.\"char\"[]) LIMIT $3) t",
	[KG_SQL_NODES] = "SELECT node FROM @kg_entity WHERE tenant = $1",
	[KG_SQL_EDGE_PROPERTIES] = "SELECT " EDGE OF_TRIPLES " AND e.key = ''",
	[KG_SQL_PARALLEL_EDGES] = "SELECT " EDGE ", e.key" OF_TRIPLES,
};

/*
 * In a call with as_of, a table is replaced by a union of two subselects. A
 * join with such a union does not look up rows by an index. So these
 * statements make one lookup for each row.
 */
#define PAST_TRIPLES                                                 \
	" FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3)," \
	" pg_catalog.unnest($4)) AS k (source, relation_no, target)"     \
	" CROSS JOIN LATERAL (SELECT " EDGE ", e.key FROM @kg_edge e"    \
	" WHERE e.tenant = $1 AND e.source = k.source"                   \
	" AND e.relation_no = k.relation_no AND e.target = k.target OFFSET 0) e"
#define PAST_NODE "e.node, e.type_no, e.entity_id, e.version"

static const char *const past_templates[KG_SQL_GRAPH_COUNT] = {
	[KG_SQL_NODES_OF_HANDLES] =
		"SELECT " PAST_NODE
		" FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3),"
		" pg_catalog.unnest($4)) AS h (bundle, entity_type, entity_id)"
		" CROSS JOIN LATERAL (SELECT " PAST_NODE " FROM @kg_entity e"
		" WHERE e.tenant = $1 AND e.bundle = h.bundle"
		" AND e.entity_type = h.entity_type"
		" AND e.entity_id = h.entity_id OFFSET 0) e",
	[KG_SQL_NODES_BY_ID] =
		"SELECT " PAST_NODE
		" FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3))"
		" AS t (bundle, entity_type) CROSS JOIN LATERAL (SELECT " PAST_NODE
		" FROM @kg_entity e WHERE e.tenant = $1"
		" AND e.bundle = t.bundle AND e.entity_type = t.entity_type"
		" AND e.entity_id = ANY ($4) OFFSET 0) e",
	[KG_SQL_EDGE_PROPERTIES] = "SELECT " EDGE PAST_TRIPLES " WHERE e.key = ''",
	[KG_SQL_PARALLEL_EDGES] = "SELECT " EDGE ", e.key" PAST_TRIPLES,
};

/*
 * The texts, indexed by the flags KG_VALID_* of the call
 * (query/time/validity.h).
 */
static char *texts[(KG_VALID_NODES | KG_VALID_EDGES) + 1][KG_SQL_GRAPH_COUNT];
static uint64 texts_schema = 0;

/*
 * Frees the texts after the schema was renamed, or after the extension was
 * created in another schema.
 */
static void
forget_texts(void)
{
	for (int hides = 0; hides < lengthof(texts); hides++)
		for (int i = 0; i < KG_SQL_GRAPH_COUNT; i++)
		{
			if (texts[hides][i] != NULL)
				pfree(texts[hides][i]);
			texts[hides][i] = NULL;
		}
	texts_schema = kg_extension_schema_version();
}

/*
 * Appends a table. If the table is replaced by a subselect, the subselect gets
 * an alias, unless the text has an alias.
 */
static void
append_table(StringInfo buf, const char *name, const char *rest)
{
	const char *table = strcmp(name, "entities") == 0 ? kg_sql_entities_of("$2")
													  : kg_sql_table(name);

	appendStringInfoString(buf, table);
	if (table[0] == '(' && strncmp(rest, " e ", 3) != 0)
		appendStringInfoString(buf, " e");
}

static char *
expand_text(const char *p)
{
	StringInfoData buf;

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
			p += len + 1;
			append_table(&buf, name, p);
		}
		else
			appendStringInfoChar(&buf, *p++);
	}
	return buf.data;
}

const char *
kg_graph_sql(KgGraphSql which)
{
	char **text = &texts[kg_validity_hides()][which];
	char *expanded;

	if (kg_past_asked())
		return expand_text(past_templates[which] ? past_templates[which]
												 : templates[which]);
	if (texts_schema != kg_extension_schema_version())
		forget_texts();
	if (*text != NULL)
		return *text;
	expanded = expand_text(templates[which]);
	*text = MemoryContextStrdup(TopMemoryContext, expanded);
	pfree(expanded);
	return *text;
}
