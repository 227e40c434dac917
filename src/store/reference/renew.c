/*
 * renew.c
 *	  Derives the edges of stored entities anew.
 */
#include "postgres.h"

#include "store/edge/edge_ends.h"
#include "store/reference/renew.h"
#include "store/reference/unready.h"

typedef struct Renewal
{
	const KgCatalog *catalog;
	const KgNodeList *nodes;
	KgReferenceList references;
	KgSight *sight;
	KgReferenceList *missing;
	KgLostEdges *lost;
} Renewal;

static void
exchange_edges(void *arg)
{
	Renewal *r = arg;

	kg_references_forget(r->catalog->tenant, r->nodes, r->sight, r->lost);
	kg_references_resolve(r->catalog, &r->references, r->sight, r->missing);
}

void
kg_references_renew_for(const char *tenant, const KgNodeList *nodes,
						KgSight *sight, KgReferenceList *missing,
						KgLostEdges *lost)
{
	Renewal r = {.nodes = nodes,
				 .references = {CurrentMemoryContext},
				 .sight = sight,
				 .missing = missing,
				 .lost = lost};

	r.catalog = kg_references_reread(tenant, nodes, &r.references);
	/*
	 * Until the edges are derived, a trigger of a DBA on kg_edge must not
	 * query them.
	 */
	kg_edges_unready(1);
	PG_TRY();
	{
		kg_edge_ends_together(tenant, exchange_edges, &r);
	}
	PG_FINALLY();
	{
		kg_edges_unready(-1);
	}
	PG_END_TRY();
}

void
kg_references_renew(const char *tenant, const KgNodeList *nodes,
					const KgUserContext *caller, KgReferenceList *missing)
{
	KgSight sight;

	kg_sight_init(&sight, tenant, caller);
	kg_references_renew_for(tenant, nodes, &sight, missing, NULL);
}
