/*
 * edge_history.c
 *	  Reads the changes of edges as the caller.
 *
 * The policy of kg_history checks the images of entities. A change of an edge
 * is visible to a caller that sees both ends, each in its present or last state
 * and in its state at the time of the change.
 */
#include "postgres.h"

#include "auth/visibility.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "query/time/edge_history.h"
#include "query/sql.h"

/*
 * Reads at most n changes numbered below "below" (0: no bound). An id may have
 * belonged to several nodes in turn, so "nodes" has an array of nodes for each
 * end of the edge.
 */
static int
read_changes(const KgCatalog *catalog, const KgEdgeSought *sought,
			 const Datum *nodes, int64 below, int n, KgChange *changes)
{
	KgSqlBuilder b;
	int ends[2];

	kg_history_select(&b, catalog);
	kg_sql_append(&b,
				  " AND h.relation_no = $%d",
				  kg_sql_param(&b,
							   INT4OID,
							   Int32GetDatum(sought->relation->relation_no)));
	for (int i = 0; i < 2; i++)
		ends[i] = kg_sql_param(&b, INT8ARRAYOID, nodes[i]);
	kg_sql_append(&b,
				  " AND (h.source = ANY ($%d) AND h.target = ANY ($%d)",
				  ends[0],
				  ends[1]);
	if (sought->relation->symmetric)
		kg_sql_append(&b,
					  " OR h.source = ANY ($%d) AND h.target = ANY ($%d)",
					  ends[1],
					  ends[0]);
	kg_sql_append(&b, ")");
	if (sought->key)
		kg_sql_append(
			&b, " AND h.key = $%d", kg_sql_param_text(&b, sought->key));
	if (below > 0)
		kg_sql_append(&b, " AND h.change < $%d", kg_sql_param_int64(&b, below));
	kg_sql_append(
		&b, " ORDER BY h.change DESC LIMIT $%d", kg_sql_param_int64(&b, n));
	return kg_history_run(&b, changes);
}

static bool
saw_ends(const KgCatalog *catalog, const KgEdgeSought *sought,
		 const KgChange *change, bool turned)
{
	for (int i = 0; i < 2; i++)
	{
		const KgEdgeEnd *end = &sought->ends[i];
		int64 node = change->nodes[turned ? 1 - i : i];

		if (!kg_history_saw_all(
				catalog, end->type, node, change->transaction) ||
			!kg_history_saw(catalog, end->type, end->id, node, change->time))
			return false;
	}
	return true;
}

static bool
saw_change(const KgCatalog *catalog, const KgEdgeSought *sought,
		   const KgChange *change)
{
	return catalog->plain_visibility ||
		   saw_ends(catalog, sought, change, false) ||
		   (sought->relation->symmetric &&
			saw_ends(catalog, sought, change, true));
}

int
kg_edge_history_read(const KgCatalog *catalog, const KgEdgeSought *sought,
					 int64 below, int n, KgChange *changes)
{
	Datum nodes[2];
	int found = 0;

	if (!kg_visibility_entities_are_plain())
		return 0;
	for (int i = 0; i < 2; i++)
	{
		const KgEdgeEnd *end = &sought->ends[i];

		if (end->type == NULL || !kg_history_sees(catalog, end->type, end->id))
			return 0;
		nodes[i] = kg_history_nodes(catalog, end->type, end->id);
	}
	while (found < n)
	{
		int wanted = n - found;
		int read = read_changes(
			catalog, sought, nodes, below, wanted, changes + found);
		int kept = found;

		CHECK_FOR_INTERRUPTS();
		for (int i = found; i < found + read; i++)
		{
			below = changes[i].change;
			if (saw_change(catalog, sought, &changes[i]))
				changes[kept++] = changes[i];
		}
		found = kept;
		if (read < wanted)
			break;
	}
	return found;
}
