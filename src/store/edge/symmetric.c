/*
 * symmetric.c
 *	  Symmetric relations: an edge has no direction and is stored once.
 */
#include "postgres.h"

#include "access/xact.h"
#include "model/lock.h"
#include "common/hashfn.h"
#include "store/edge/symmetric.h"
#include "utils/builtins.h"

/* Adds a row of the batch with its ends swapped. */
static void
add_turned(KgColumns *turned, const KgColumns *edges, int row)
{
	kg_columns_add_row(turned);
	kg_columns_datum(
		turned, KG_EDGE_SOURCE, edges->values[KG_EDGE_TARGET][row]);
	kg_columns_datum(
		turned, KG_EDGE_RELATION, edges->values[KG_EDGE_RELATION][row]);
	kg_columns_datum(
		turned, KG_EDGE_TARGET, edges->values[KG_EDGE_SOURCE][row]);
	kg_columns_datum(turned, KG_EDGE_KEY, edges->values[KG_EDGE_KEY][row]);
}

static bool
is_loop(const KgColumns *edges, int row)
{
	return DatumGetInt64(edges->values[KG_EDGE_SOURCE][row]) ==
		   DatumGetInt64(edges->values[KG_EDGE_TARGET][row]);
}

/*
 * Returns a KG_EDGE_* value for each edge. If "making" is true, raises
 * KG_CONFLICT for an edge that another session has written and that the
 * snapshot does not show.
 */
static const int *
find(const char *tenant, const KgColumns *edges, bool making)
{
	int *found = palloc0(Max(1, edges->nrows) * sizeof(int));
	int *latest;

	if (edges->nrows == 0)
		return found;
	kg_edges_compare(tenant, edges, found);
	if (!making || !IsolationUsesXactSnapshot())
		return found;
	latest = palloc0(edges->nrows * sizeof(int));
	kg_edges_compare_latest(tenant, edges, latest);
	for (int i = 0; i < edges->nrows; i++)
		if (latest[i] != KG_EDGE_NONE && found[i] == KG_EDGE_NONE)
			kg_edge_throw_lost_race();
	pfree(latest);
	return found;
}

/* Returns a hash of an edge. Both directions of an edge have the same hash. */
static uint32
hash_pair(const KgColumns *edges, int row)
{
	int64 source = DatumGetInt64(edges->values[KG_EDGE_SOURCE][row]);
	int64 target = DatumGetInt64(edges->values[KG_EDGE_TARGET][row]);
	int64 ends[2] = {Min(source, target), Max(source, target)};
	text *key = DatumGetTextPP(edges->values[KG_EDGE_KEY][row]);

	return hash_combine(
		hash_bytes((unsigned char *) ends, sizeof(ends)),
		hash_bytes((unsigned char *) VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key)));
}

/*
 * Locks the pairs of ends of edges. Relations are processed in the order of
 * their numbers, so that sessions do not deadlock.
 */
static void
lock_pairs(const KgColumns *edges)
{
	uint32 *hashes = palloc(Max(1, edges->nrows) * sizeof(uint32));
	int32 last = 0;

	for (;;)
	{
		int32 next = PG_INT32_MAX;
		int n = 0;

		for (int i = 0; i < edges->nrows; i++)
		{
			int32 number = DatumGetInt32(edges->values[KG_EDGE_RELATION][i]);

			if (number <= last || number > next)
				continue;
			if (number < next)
				n = 0;
			next = number;
			hashes[n++] = hash_pair(edges, i);
		}
		if (n == 0)
			break;
		kg_lock_pairs(next, hashes, n);
		last = next;
	}
	pfree(hashes);
}

/*
 * Returns the index of the first row, beginning at row, that has a symmetric
 * relation and two different ends. Returns nrows if there is no such row.
 */
static int
next_symmetric(const KgCatalog *catalog, const KgColumns *edges, int row)
{
	for (; row < edges->nrows; row++)
	{
		const KgRelation *relation = kg_catalog_relation_no(
			catalog, DatumGetInt32(edges->values[KG_EDGE_RELATION][row]));

		if (relation != NULL && relation->symmetric && !is_loop(edges, row))
			break;
	}
	return row;
}

static int
first_symmetric(const KgCatalog *catalog, const KgColumns *edges)
{
	for (int i = 0; i < catalog->nrelations; i++)
		if (catalog->relations[i].symmetric)
			return next_symmetric(catalog, edges, 0);
	return edges->nrows;
}

bool
kg_symmetric_any(const KgCatalog *catalog, const KgColumns *edges)
{
	return first_symmetric(catalog, edges) < edges->nrows;
}

/*
 * Adds the symmetric edges to "chosen", with swapped ends, and their indexes
 * to "rows".
 */
static void
choose(const KgCatalog *catalog, const KgColumns *edges, KgColumns *chosen,
	   int *rows)
{
	kg_edges_init(chosen, CurrentMemoryContext);
	for (int i = first_symmetric(catalog, edges); i < edges->nrows;
		 i = next_symmetric(catalog, edges, i + 1))
	{
		rows[chosen->nrows] = i;
		add_turned(chosen, edges, i);
	}
}

void
kg_symmetric_lock(const KgCatalog *catalog, const KgColumns *edges)
{
	int *rows = palloc(Max(1, edges->nrows) * sizeof(int));
	KgColumns chosen;

	choose(catalog, edges, &chosen, rows);
	lock_pairs(&chosen);
}

const bool *
kg_symmetric_twice(const KgCatalog *catalog, const KgColumns *edges)
{
	int *rows = palloc(Max(1, edges->nrows) * sizeof(int));
	KgColumns turned;
	const int *found;
	bool *twice;

	choose(catalog, edges, &turned, rows);
	if (turned.nrows == 0)
		return NULL;
	/*
	 * A read-only transaction does not write edges, so it needs no test for
	 * conflicts.
	 */
	found = find(catalog->tenant, &turned, !XactReadOnly);
	twice = palloc0(edges->nrows * sizeof(bool));
	for (int i = 0; i < turned.nrows; i++)
		twice[rows[i]] = found[i] != KG_EDGE_NONE;
	return twice;
}

/*
 * Adds the symmetric edges of a call to the batch "edges". Sets "places" to the
 * indexes of these edges in the call.
 */
static void
gather(const KgGivenEdge *given, const KgEdgeEnd *ends, int n, KgColumns *edges,
	   int *places)
{
	kg_edges_init(edges, CurrentMemoryContext);
	for (int i = 0; i < n; i++)
	{
		const KgRelation *relation = given[i].relation;
		int64 source = ends[2 * i].node;
		int64 target = ends[2 * i + 1].node;

		if (relation == NULL || !relation->symmetric || given[i].key == NULL ||
			source == 0 || target == 0 || source == target)
			continue;
		places[edges->nrows] = i;
		kg_edges_add(
			edges, source, relation->relation_no, target, given[i].key, NULL);
	}
}

static void
swap_ends(KgEdgeEnd *pair)
{
	KgEdgeEnd from = pair[0];

	pair[0] = pair[1];
	pair[1] = from;
}

/*
 * Swaps the two members of "ends" of each edge that is stored only in the
 * opposite direction.
 */
static void
turn_stored(const char *tenant, KgEdgeEnd *ends, const KgColumns *edges,
			const int *places, bool making)
{
	KgColumns turned;
	const int *same;
	const int *other;

	kg_edges_init(&turned, CurrentMemoryContext);
	for (int i = 0; i < edges->nrows; i++)
		add_turned(&turned, edges, i);
	same = find(tenant, edges, making);
	other = find(tenant, &turned, making);
	for (int i = 0; i < edges->nrows; i++)
		if (same[i] == KG_EDGE_NONE && other[i] != KG_EDGE_NONE)
			swap_ends(&ends[2 * places[i]]);
}

void
kg_edges_turn(const char *tenant, const KgGivenEdge *given, KgEdgeEnd *ends,
			  int n, bool making)
{
	int *places = palloc(Max(1, n) * sizeof(int));
	KgColumns edges;

	gather(given, ends, n, &edges, places);
	if (edges.nrows > 0)
		turn_stored(tenant, ends, &edges, places, making && !XactReadOnly);
}
