/*
 * past_table.c
 *	  The tables as of a time in the past, as text of a statement.
 */
#include "postgres.h"

#include "base/extension.h"
#include "lib/stringinfo.h"
#include "query/time/past.h"
#include "query/time/past_state.h"
#include "query/run/running.h"

KgPast *
kg_past_of_call(void)
{
	const KgCall *call = kg_running_call();

	return call ? call->past : NULL;
}

bool
kg_past_asked(void)
{
	return kg_past_of_call() != NULL;
}

int
kg_past_changed(void)
{
	const KgPast *past = kg_past_of_call();

	return past ? past->nall : 0;
}

#define KG_TEXT " text COLLATE \"C\""

/*
 * The columns of a table, and the arguments by which kg_past_keeps() tests that
 * a row has not changed since the time of as_of.
 */
static const struct
{
	const char *name;
	const char *columns;
	const char *types;
	const char *stands; /* NULL: no row is tested */
} tables[] = {
	{"kg_entity",
	 "tenant, bundle, entity_type, entity_id, node, version, type_no, scope, "
	 "data, index_keys",
	 "tenant" KG_TEXT ", bundle" KG_TEXT ", entity_type" KG_TEXT
	 ", entity_id" KG_TEXT ", node bigint, version bigint, type_no integer"
	 ", scope" KG_TEXT ", data jsonb, index_keys bytea",
	 "u.node"},
	{"kg_edge",
	 "tenant, source, relation_no, key, target, property, properties",
	 "tenant" KG_TEXT ", source bigint, relation_no integer, key" KG_TEXT
	 ", target bigint, property" KG_TEXT ", properties jsonb",
	 "u.source, u.relation_no, u.key, u.target"},
	{"kg_index_key",
	 "tenant, type_no, field_no, key, entity_id, node",
	 "tenant" KG_TEXT ", type_no integer, field_no integer, key bytea, "
	 "entity_id" KG_TEXT ", node bigint",
	 "u.node"},
	{"kg_term",
	 "tenant, term, kind, type_no, node",
	 "tenant" KG_TEXT ", term" KG_TEXT
	 ", kind \"char\", type_no integer, node bigint",
	 "u.node"},
	{"kg_trigram",
	 "tenant, trigram, term",
	 "tenant" KG_TEXT ", trigram" KG_TEXT ", term" KG_TEXT,
	 NULL}};

const char *
kg_past_table(const char *name, const char *part)
{
	const KgPast *past = kg_past_of_call();

	if (likely(past == NULL))
		return NULL;
	/* Nothing has changed since the time. */
	if (hash_get_num_entries(
			strcmp(name, "kg_edge") == 0 ? past->edges : past->entities) == 0)
		return NULL;
	for (int i = 0; i < lengthof(tables); i++)
	{
		StringInfoData sql;

		if (strcmp(tables[i].name, name) != 0)
			continue;
		initStringInfo(&sql);
		appendStringInfo(&sql,
						 "(SELECT u.* FROM (SELECT %s, true AS stands FROM %s "
						 "UNION ALL SELECT %s, false FROM %s('%s'%s%s) AS "
						 "p(%s)) u",
						 tables[i].columns,
						 kg_qualified(name),
						 tables[i].columns,
						 kg_qualified("kg_past"),
						 name,
						 part ? ", " : "",
						 part ? part : "",
						 tables[i].types);
		if (tables[i].stands)
			appendStringInfo(&sql,
							 " WHERE %s(u.stands, %s)",
							 kg_qualified("kg_past_keeps"),
							 tables[i].stands);
		appendStringInfoChar(&sql, ')');
		return sql.data;
	}
	return NULL;
}
