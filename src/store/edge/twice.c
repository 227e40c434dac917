/*
 * twice.c
 *	  Checks that no transaction sees two rows with the same key.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/spi.h"
#include "store/edge/twice.h"

/*
 * Raises KG_CONFLICT if the last statement found a key with two rows. what
 * completes the message "another session ...". The statement counts rows
 * instead of joining the table with itself: from PostgreSQL 18 on, the planner
 * removes a self-join by a unique key.
 */
static void
refuse(const char *what)
{
	if (SPI_processed == 0)
	{
		SPI_freetuptable(SPI_tuptable);
		return;
	}
	KG_THROW(KG_CONFLICT,
			 .message = psprintf("could not serialize access: another session "
								 "%s after the transaction began",
								 what),
			 .expected = "the same transaction, run again");
}

void
kg_refuse_entities_twice(const char *tenant, const KgNodeList *nodes)
{
	if (!IsolationUsesXactSnapshot() || nodes->n == 0)
		return;
	KG_BATCH_EXEC(
		"SELECT FROM @kg_entity e WHERE e.tenant = $1 AND e.node = ANY($2) "
		"AND (SELECT count(*) FROM @kg_entity o WHERE o.tenant = $1 "
		"AND o.bundle = e.bundle AND o.entity_type = e.entity_type "
		"AND o.entity_id = e.entity_id) > 1 LIMIT 1",
		kg_arg_text(tenant),
		kg_arg_int8s(nodes->nodes, nodes->n));
	refuse("freed an entity's id");
}

void
kg_refuse_values_twice(const char *tenant, const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;

	if (!IsolationUsesXactSnapshot())
		return;
	kg_columns_exec(
		&saved,
		"SELECT FROM unnest($2, $3, $4, $5) u(type_no, field, key, node) "
		"JOIN @kg_unique_key k ON k.tenant = $1 AND k.type_no = u.type_no "
		"AND k.field = u.field AND k.key = u.key AND k.node <> u.node "
		"LIMIT 1",
		tenant,
		rows);
	refuse("freed a value that an \"x-ref-field\" names");
}

void
kg_refuse_edges_twice(const char *tenant, const KgColumns *edges)
{
	static KgSaved saved = KG_SAVED_BATCH;

	if (!IsolationUsesXactSnapshot())
		return;
	kg_columns_exec(
		&saved,
		"SELECT FROM unnest($2, $3, $4, $5, $6) "
		"u(source, relation_no, target, key, properties) "
		"WHERE (SELECT count(*) FROM @kg_edge e WHERE e.tenant = $1 "
		"AND e.source = u.source AND e.relation_no = u.relation_no "
		"AND e.key = u.key AND e.target = u.target) > 1 LIMIT 1",
		tenant,
		edges);
	refuse("deleted the same edge");
}
