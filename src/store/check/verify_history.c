/*
 * verify_history.c
 *	  Verifies that the recorded changes of a tenant end in its stored rows.
 *
 * Documents are compared byte for byte: 1.0 differs from 1.00.
 */
#include "postgres.h"

#include "base/spi.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "store/check/verify_history.h"

/*
 * A check of the history. Its statement has the parameter $1, the tenant. It
 * returns rows with the type, the id or the edge, and a change.
 */
typedef struct KgHistoryCheck
{
	const char *table;
	const char *expected;
	const char *sql;
} KgHistoryCheck;

#define ENTITY_CHANGES                                       \
	"@kg_history h JOIN @kg_entity_type t ON t.tenant = $1 " \
	"AND t.type_no = h.type_no AND t.history_since <= h.at " \
	"WHERE h.tenant = $1 AND h.type_no IS NOT NULL"
#define EDGE_CHANGES                                                      \
	"@kg_history h JOIN (SELECT r.relation_no, max(r.relation) AS name, " \
	"max(r.history_since) AS since FROM @kg_relation r "                  \
	"WHERE r.tenant = $1 GROUP BY r.relation_no) t "                      \
	"ON t.relation_no = h.relation_no AND t.since <= h.at "               \
	"WHERE h.tenant = $1 AND h.relation_no IS NOT NULL"
#define EDGE "concat_ws(' ', x.source, x.target, nullif(x.key, ''))"
#define BEFORE(window)                                                 \
	"lag(h.after) OVER " window " AS was, lag(h.verdict) OVER " window \
	" AS last, lag(h.version) OVER " window " AS last_version"
/*
 * A condition for changes that contradict the previous change. Pruning deletes
 * old changes, so the first stored change may have any verdict.
 */
#define BROKEN                                                        \
	"x.last IS NOT NULL AND (x.before::text IS DISTINCT FROM "        \
	"x.was::text OR (x.verdict = 'created') <> (x.last = 'deleted') " \
	"OR x.version <= x.last_version) "                                \
	"OR (x.before IS NULL) <> (x.verdict = 'created') "               \
	"OR (x.after IS NULL) <> (x.verdict = 'deleted')"

static const KgHistoryCheck checks[] = {
	{"kg_history",
	 "what the change before it left",
	 "SELECT x.entity_type, x.entity_id, x.change FROM (SELECT h.*, "
	 "t.entity_type, " BEFORE(
		 "w") " FROM " ENTITY_CHANGES
			  " WINDOW w AS (PARTITION BY h.type_no, h.entity_id "
			  "ORDER BY h.at, h.version)) x WHERE " BROKEN},
	{"kg_history",
	 "what is stored, with its version and node",
	 "SELECT x.entity_type, x.entity_id, x.change FROM (SELECT DISTINCT ON "
	 "(h.type_no, h.entity_id) h.*, t.entity_type, t.bundle AS of "
	 "FROM " ENTITY_CHANGES " ORDER BY h.type_no, h.entity_id, h.at DESC, "
	 "h.version DESC) x LEFT JOIN @kg_entity e ON e.tenant = $1 "
	 "AND e.bundle = x.of AND e.entity_type = x.entity_type "
	 "AND e.entity_id = x.entity_id "
	 "WHERE x.after::text IS DISTINCT FROM e.data::text OR e.version <> "
	 "x.version OR e.node <> x.node"},
	{"kg_history",
	 "what the change before it left",
	 "SELECT x.name, " EDGE ", x.change FROM (SELECT h.*, t.name, " BEFORE(
		 "w") " FROM " EDGE_CHANGES " WINDOW w AS (PARTITION BY h.relation_no, "
			  "h.source, h.target, h.key ORDER BY h.change)) x WHERE " BROKEN},
	{"kg_history",
	 "the edge that is stored",
	 "SELECT x.name, " EDGE ", x.change FROM (SELECT DISTINCT ON "
	 "(h.relation_no, h.source, h.target, h.key) h.*, t.name FROM " EDGE_CHANGES
	 " ORDER BY h.relation_no, h.source, h.target, h.key, h.change DESC) x "
	 "LEFT JOIN @kg_edge e ON e.tenant = $1 AND e.source = x.source "
	 "AND e.relation_no = x.relation_no AND e.key = x.key "
	 "AND e.target = x.target WHERE x.after::text IS DISTINCT FROM "
	 "CASE WHEN e.source IS NOT NULL THEN coalesce(e.properties, "
	 "'null')::text END"},
	{"kg_freed",
	 "a version below that of the entity which has the id",
	 "SELECT t.entity_type, f.entity_id, f.version FROM @kg_freed f "
	 "JOIN @kg_entity_type t ON t.tenant = $1 AND t.type_no = f.type_no "
	 "JOIN @kg_entity e ON e.tenant = $1 AND e.bundle = t.bundle "
	 "AND e.entity_type = t.entity_type AND e.entity_id = f.entity_id "
	 "AND e.version <= f.version WHERE f.tenant = $1"}};

void
kg_verify_history(const char *tenant, KgDifferences *differences)
{
	static KgSaved saved[lengthof(checks)];

	for (int i = 0; i < lengthof(checks); i++)
	{
		bool freed = strcmp(checks[i].table, "kg_freed") == 0;

		CHECK_FOR_INTERRUPTS();
		kg_spi_select_of(&saved[i], checks[i].sql, tenant);
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			KgDifference difference = {
				.kind = "history_wrong",
				.table = checks[i].table,
				.tenant = tenant,
				.type = kg_spi_cstring(row, 1),
				.id = kg_spi_cstring(row, 2),
				.expected = checks[i].expected,
				.got = psprintf("%s %s",
								freed ? "version" : "change",
								kg_spi_cstring(row, 3)),
			};

			kg_differences_add(differences, &difference);
		}
		SPI_freetuptable(SPI_tuptable);
	}
}
