/*
 * history.c
 *	  SQL functions of the history of entities and edges: kg_history,
 *	  kg_changes, kg_revert, kg_prune_history.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "entry.h"
#include "fmgr.h"
#include "store/history/history.h"
#include "store/history/revert.h"
#include "tools/catalog/history_tool.h"
#include "utils/builtins.h"

static void
require_object(const Jsonb *options, const char *what)
{
	JsonbValue value;

	kg_json_root(options, &value);
	if (!kg_json_is_object(&value))
		kg_error_throw(
			kg_error_new(KG_INVALID_INPUT, "%s must be an object", what));
}

/*
 * Returns the arguments of the tool: the options, to which the member "id" is
 * added.
 */
static Jsonb *
with_id(const Jsonb *options, const char *id)
{
	JsonbValue value;

	require_object(options, "options");
	value = kg_json_string_value(id);
	return kg_json_with(options, "id", &value);
}

/*
 * Returns the history of an edge, as kg_edge_history() does. edge is {from, to,
 * key}. Its members are added to the options, which are then the arguments of
 * that tool.
 */
static Jsonb *
edge_history(const KgCatalog *catalog, const char *relation, const Jsonb *edge,
			 Jsonb *options)
{
	require_object(edge, "edge");
	require_object(options, "options");
	kg_json_each(it, &edge->root)
		options = kg_json_with(options, kg_json_cstring(&it.key), &it.value);
	return kg_edge_history(catalog, relation, options);
}

KG_ENTRY(kg_sql_history, KG_AUDIT_READS)
{
	const KgCatalog *catalog = kg_running_catalog();
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const char *id = text_to_cstring(PG_GETARG_TEXT_PP(1));

	/*
	 * An SQL literal without a type is passed as a text, even if it describes
	 * an edge. So a text that is an object is read as an edge.
	 */
	if (*id == '{' && kg_catalog_type(catalog, name) == NULL)
		return edge_history(
			catalog, name, kg_json_parse(id), PG_GETARG_JSONB_P(2));
	return kg_tool_history(
		catalog,
		kg_catalog_require_type(catalog, name, "/entity_type"),
		with_id(PG_GETARG_JSONB_P(2), id));
}

KG_ENTRY(kg_sql_edge_history, KG_AUDIT_READS)
{
	return edge_history(kg_running_catalog(),
						text_to_cstring(PG_GETARG_TEXT_PP(0)),
						PG_GETARG_JSONB_P(1),
						PG_GETARG_JSONB_P(2));
}

KG_ENTRY(kg_sql_changes, KG_AUDIT_READS)
{
	return kg_changes(kg_running_catalog(),
					  text_to_cstring(PG_GETARG_TEXT_PP(0)),
					  PG_GETARG_ARRAYTYPE_P(1),
					  PG_GETARG_JSONB_P(2));
}

KG_ENTRY_WRITE(kg_sql_revert, KG_AUDIT_WRITES, -1)
{
	return kg_revert(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1), NULL);
}

KG_AUDITED(kg_sql_prune_history, KG_AUDIT_WRITES)
{
	int64 pruned;

	if (!kg_history_prune(PG_GETARG_TIMESTAMPTZ(0), &pruned))
		PG_RETURN_NULL();
	PG_RETURN_INT64(pruned);
}
