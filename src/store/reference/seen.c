/*
 * seen.c
 *	  Visibility for the caller of a write.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "model/catalog.h"
#include "store/entity/node_list.h"
#include "store/reference/seen.h"
#include "utils/builtins.h"

bool
kg_sees_all(const char *tenant, const KgUserContext *caller)
{
	KgUserContext owner;
	bool all;

	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	kg_restore_user(caller);
	all = kg_catalog_newest(tenant)->plain_visibility;
	kg_restore_user(&owner);
	return all;
}

void
kg_nodes_read(KgSaved *saved, const char *tenant, const int64 *nodes, int n,
			  KgNodeList *seen)
{

	memset(seen, 0, sizeof(*seen));
	seen->context = CurrentMemoryContext;
	kg_spi_exec(saved,
				"SELECT node FROM @kg_entity WHERE tenant = $1 "
				"AND node = ANY($2)",
				kg_arg_text(tenant),
				kg_arg_int8s(nodes, n));
	for (uint64 i = 0; i < SPI_processed; i++)
		kg_node_add(seen, kg_spi_int64(i, 1));
	SPI_freetuptable(SPI_tuptable);
	kg_nodes_sort(seen);
}

static void
read_seen_by(const char *tenant, const KgUserContext *caller,
			 const int64 *nodes, int n, KgNodeList *seen)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgUserContext owner;

	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	kg_restore_user(caller);
	kg_nodes_read(&saved, tenant, nodes, n, seen);
	kg_restore_user(&owner);
}

void
kg_blank_hidden(const char *tenant, const KgUserContext *caller, int64 *nodes,
				int n)
{
	KgNodeList seen;

	if (n == 0 || kg_sees_all(tenant, caller))
		return;
	read_seen_by(tenant, caller, nodes, n, &seen);
	for (int i = 0; i < n; i++)
		if (!kg_nodes_have(&seen, nodes[i]))
			nodes[i] = 0;
}

void
kg_refuse_hidden(const char *what)
{
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf(
				 "entities that the caller does not see would be %s", what),
			 .expected = "a caller that sees every entity concerned");
}

void
kg_refuse_newer(void)
{
	KG_THROW(
		KG_CONFLICT,
		.message = "another session wrote entities after the transaction began",
		.expected = "the same transaction, run again");
}

void
kg_require_none_newer(const char *tenant, const int64 *nodes, int n)
{
	static KgSaved shown_saved = KG_SAVED_BATCH;
	KgNodeList shown;
	uint64 stored;

	if (n == 0 || !IsolationUsesXactSnapshot())
		return;
	KG_BATCH_LATEST("SELECT FROM @kg_entity WHERE tenant = $1 "
					"AND node = ANY($2)",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes, n));
	stored = SPI_processed;
	SPI_freetuptable(SPI_tuptable);
	kg_nodes_read(&shown_saved, tenant, nodes, n, &shown);
	if (shown.n < stored)
		kg_refuse_newer();
}

void
kg_require_shown(const char *tenant, const int64 *nodes,
				 const ItemPointerData *tids, int n)
{
	Datum *elements;

	if (n == 0 || !IsolationUsesXactSnapshot())
		return;
	elements = palloc(n * sizeof(Datum));
	for (int i = 0; i < n; i++)
		elements[i] = PointerGetDatum(&tids[i]);
	KG_BATCH_EXEC(
		"SELECT FROM (SELECT unnest($2), unnest($3)) u(node, tid), "
		"LATERAL (SELECT FROM @kg_entity WHERE tenant = $1 "
		"AND node = u.node AND ctid = u.tid OFFSET 0) e",
		kg_arg_text(tenant),
		kg_arg_int8s(nodes, n),
		kg_arg(TIDARRAYOID,
			   PointerGetDatum(construct_array(
				   elements, n, TIDOID, sizeof(ItemPointerData), false, 's'))));
	SPI_freetuptable(SPI_tuptable);
	if (SPI_processed < n)
		kg_refuse_newer();
}

void
kg_require_seen(const char *tenant, const KgUserContext *caller,
				const int64 *nodes, int n, const char *what)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgNodeList seen;
	KgNodeList stored;

	if (n == 0 || kg_sees_all(tenant, caller))
		return;
	kg_nodes_read(&saved, tenant, nodes, n, &stored);
	read_seen_by(tenant, caller, nodes, n, &seen);
	if (seen.n != stored.n)
		kg_refuse_hidden(what);
}

void
kg_require_all_seen(const char *tenant, const KgUserContext *caller,
					const int64 *nodes, int n, const char *what)
{
	KgNodeList seen;

	if (n == 0 || kg_sees_all(tenant, caller))
		return;
	read_seen_by(tenant, caller, nodes, n, &seen);
	for (int i = 0; i < n; i++)
		if (!kg_nodes_have(&seen, nodes[i]))
			kg_refuse_hidden(what);
}

/*
 * The number of explicit edges of some nodes that are visible to the current
 * user.
 */
typedef struct EdgeCount
{
	const char *tenant;
	KgArg nodes;
	uint64 n;
} EdgeCount;

/*
 * Counts the explicit edges of count->nodes that the current role sees. Uses
 * the snapshot of the statement that deletes the nodes, because a policy may
 * read rows that this statement has deleted.
 */
static void
count_edges(void *arg)
{
	EdgeCount *count = arg;

	KG_BATCH_READ("SELECT FROM @kg_edge WHERE tenant = $1 "
				  "AND source = ANY($2) AND property IS NULL UNION ALL "
				  "SELECT FROM @kg_edge WHERE tenant = $1 "
				  "AND target = ANY($2) AND property IS NULL",
				  kg_arg_text(count->tenant),
				  count->nodes);
	count->n = SPI_processed;
	SPI_freetuptable(SPI_tuptable);
}

void
kg_require_edges_seen(const char *tenant, const KgUserContext *caller,
					  const int64 *nodes, int n)
{
	EdgeCount stored = {tenant, kg_arg_int8s(nodes, n)};
	EdgeCount seen = stored;
	KgUserContext owner;
	bool plain;

	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	kg_restore_user(caller);
	plain = kg_visibility_edges_are_plain();
	if (!plain)
		kg_identity_as_tool(count_edges, &seen);
	kg_restore_user(&owner);
	if (plain)
		return;
	count_edges(&stored);
	if (seen.n == stored.n)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = "edges that the caller does not see would be deleted",
			 .expected = "a caller that sees every edge concerned");
}
