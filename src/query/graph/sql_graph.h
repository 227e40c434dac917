/*
 * sql_graph.h
 *	  The fixed statements of the graph engine. Their texts contain no values
 *	  and no names from arguments.
 *
 * The comment before a statement, or before several similar statements, names
 * the parameters ($1 ...) and, after a colon, the columns of the result.
 */
#ifndef KG_SQL_GRAPH_H
#define KG_SQL_GRAPH_H

typedef enum KgGraphSql
{
	/* $1 tenant, $2 keys: tenant, key, nodes, alone, outgoing, incoming */
	KG_SQL_PACKED,
	/* $1 tenant, $2 first key, $3 last key: columns of KG_SQL_PACKED */
	KG_SQL_PACKED_RANGE,
	/* $1 tenant, $2 nodes [, $3 relations]: node, relation, neighbour */
	KG_SQL_OUT,
	KG_SQL_IN,
	KG_SQL_OUT_OF,
	KG_SQL_IN_OF,
	/* columns of KG_SQL_OUT, and properties */
	KG_SQL_OUT_PROPERTIES,
	KG_SQL_IN_PROPERTIES,
	KG_SQL_OUT_OF_PROPERTIES,
	KG_SQL_IN_OF_PROPERTIES,
	/* $1 tenant, $2 nodes: node, type_no */
	KG_SQL_NODE_TYPES,
	/* $1 tenant, $2 nodes: node, type_no, entity_id */
	KG_SQL_NODE_IDS,
	/* $1 tenant, $2 first node, $3 last node: node, type_no, entity_id */
	KG_SQL_NODE_IDS_RANGE,
	/* $1 tenant, $2 nodes: node, type_no, entity_id, data */
	KG_SQL_NODE_ROWS,
	/* $1 tenant, $2 nodes: node, index_keys */
	KG_SQL_NODE_KEYS,
	/* $1 tenant, $2 first node, $3 last node: node, index_keys */
	KG_SQL_NODE_KEYS_RANGE,
	/* $1 tenant, $2 bundle, $3 type: node, index_keys */
	KG_SQL_TYPE_KEYS,
	/* $1 tenant, $2 type_nos: node */
	KG_SQL_NODES_OF_TYPES,
	/* $1 tenant, $2 bundle, $3 type, $4 id: node, type_no, entity_id, data */
	KG_SQL_NODE_OF_TYPE,
	/* $1 tenant, $2 bundle, $3 type, $4 ids: node, type_no, entity_id */
	KG_SQL_NODES_OF_TYPE,
	/*
	 * $1 tenant, $2 bundles, $3 types, $4 ids, one id for each type: node,
	 * type_no, entity_id, version
	 */
	KG_SQL_NODES_OF_HANDLES,
	/*
	 * $1 tenant, $2 bundles, $3 types, $4 ids, each id in each type: node,
	 * type_no, entity_id, version
	 */
	KG_SQL_NODES_BY_ID,
	/* $1 tenant, $2 sources, $3 relations, $4 targets, an item for each edge */
	/* selects the properties of edges without a key */
	KG_SQL_EDGE_PROPERTIES,
	/* selects all edges of given triples, with their keys */
	KG_SQL_PARALLEL_EDGES,
	/* $1 tenant, $2 whole names, folded, $3 maximum for each: node, name */
	KG_SQL_NODES_NAMED,
	/* $1 tenant: node, of all entities that the caller sees */
	KG_SQL_NODES,
	/* $1 tenant, $2 type_no or nodes, $3 field_no of a count: node, key */
	KG_SQL_COUNTS,
	KG_SQL_NODE_COUNTS,
	/* $1 tenant, $2 type_no, $3 field_no: key, a row for each entity */
	KG_SQL_KEYS,
	KG_SQL_GRAPH_COUNT
} KgGraphSql;

/* Returns the text of a statement, which lives as long as the backend. */
extern const char *kg_graph_sql(KgGraphSql which);

/* Returns KgStatement.node_column of a statement (query/run/plan.h). */
static inline int
kg_graph_sql_node_column(KgGraphSql which)
{
	return which >= KG_SQL_NODE_TYPES && which <= KG_SQL_NODES_BY_ID ? 1 : 0;
}

#endif /* KG_SQL_GRAPH_H */
