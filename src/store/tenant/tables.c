/*
 * tenant/tables.c
 *	  The tables that an export of a tenant contains.
 */
#include "postgres.h"

#include "access/table.h"
#include "base/extension.h"
#include "catalog/pg_attribute.h"
#include "store/tenant/tables.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

const KgTenantTable kg_tenant_tables[] = {
	{"kg_tenant", NULL, "tenant", " ", true},
	{"kg_bundle", NULL, "bundle", " "},
	{"kg_relation",
	 NULL,
	 "bundle, relation, from_type, to_bundle, to_type",
	 " "},
	{"kg_entity_type", NULL, "type_no", " dump_order "},
	{"kg_tool", NULL, "tool", " "},
	{"kg_tool_version", NULL, "tool, precedence", " "},
	{"kg_agent", NULL, "agent", " "},
	{"kg_agent_bundle", NULL, "agent, bundle", " "},
	{"kg_freed_type", NULL, "bundle, entity_type", " "},
	{"kg_entity", NULL, "node", " type_no scope index_keys "},
	{"kg_freed", NULL, "type_no, entity_id", " "},
	/* embeddings are imported only if this database has the same dimensions */
	{"kg_embedding", NULL, "node", " ", true},
	/* only explicit edges, because derived edges are derived from entities */
	{"kg_edge",
	 "t.property IS NULL",
	 "source, relation_no, key, target",
	 " property "},
	{"kg_history", NULL, "change", " "},
	{"kg_idempotency", NULL, "caller, key", " "},
	{"kg_load", NULL, "caller, load", " "},
	{"kg_audit", NULL, "at, id", " "},
	/* limits are imported after the rows that they count */
	{"kg_limit", NULL, "subject", " "},
	{"kg_auth_key", "t.secret IS NULL", "issuer, kid", " ", true},
	/* only grants to roles that exist and still have the recorded name */
	{"kg_tenant_role",
	 "EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = t.role "
	 "AND r.rolname = t.role_name)",
	 "role_name",
	 " role ",
	 true},
};

const int kg_n_tenant_tables = lengthof(kg_tenant_tables);

const KgTenantTable *
kg_tenant_table(const char *name, int len)
{
	for (int i = 0; i < kg_n_tenant_tables; i++)
		if (strlen(kg_tenant_tables[i].name) == len &&
			memcmp(kg_tenant_tables[i].name, name, len) == 0)
			return &kg_tenant_tables[i];
	return NULL;
}

static KgNumberKind
number_of(const char *column)
{
	if (strcmp(column, "node") == 0 || strcmp(column, "source") == 0 ||
		strcmp(column, "target") == 0)
		return KG_NODE_NUMBER;
	if (strcmp(column, "type_no") == 0)
		return KG_TYPE_NUMBER;
	if (strcmp(column, "relation_no") == 0)
		return KG_RELATION_NUMBER;
	return KG_NO_NUMBER;
}

static bool
is_omitted(const KgTenantTable *table, const char *column)
{
	return strcmp(column, "tenant") == 0 ||
		   strstr(table->omit, psprintf(" %s ", column)) != NULL;
}

/* Returns the default of a column as an SQL expression, or NULL. */
static char *
default_of(Relation rel, AttrNumber attnum)
{
	TupleConstr *constr = RelationGetDescr(rel)->constr;

	for (int i = 0; constr && i < constr->num_defval; i++)
		if (constr->defval[i].adnum == attnum)
			return TextDatumGetCString(DirectFunctionCall2(
				pg_get_expr,
				CStringGetTextDatum(constr->defval[i].adbin),
				ObjectIdGetDatum(RelationGetRelid(rel))));
	return NULL;
}

List *
kg_tenant_columns(const KgTenantTable *table)
{
	Oid relid = kg_find_relation(table->name);
	Relation rel;
	TupleDesc desc;
	List *columns = NIL;

	if (!OidIsValid(relid))
		return NIL;
	rel = table_open(relid, AccessShareLock);
	desc = RelationGetDescr(rel);
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);
		KgTenantColumn *column;

		if (attribute->attisdropped ||
			is_omitted(table, NameStr(attribute->attname)))
			continue;
		column = palloc0(sizeof(KgTenantColumn));
		column->name = pstrdup(NameStr(attribute->attname));
		column->quoted = (char *) quote_identifier(column->name);
		column->type = attribute->atttypid;
		column->type_name = format_type_be_qualified(attribute->atttypid);
		column->fallback = default_of(rel, attribute->attnum);
		column->required = attribute->attnotnull && column->fallback == NULL;
		column->number = number_of(column->name);
		columns = lappend(columns, column);
	}
	table_close(rel, AccessShareLock);
	return columns;
}
