/*
 * view.c
 *	  The analysed view of a type or relation, cached across queries.
 *
 * A cached view belongs to one catalog, and so to one tenant and role. The
 * rewriter adds the policies for each query. With valid_at, the view has
 * further conditions. So kg_validity_hides() is a part of the key.
 */
#include "postgres.h"

#include "ask/allowed.h"
#include "ask/view.h"
#include "base/cache.h"
#include "catalog/pg_type.h"
#include "model/binding.h"
#include "model/bound_table.h"
#include "parser/analyze.h"
#include "parser/parse_node.h"
#include "parser/parser.h"
#include "query/sql.h"
#include "query/time/validity.h"
#include "rewrite/rewriteHandler.h"
#include "store/view/view_sql.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "virtual/conditions.h"
#include "virtual/virtual.h"

typedef struct Key
{
	uint64 catalog; /* its id */
	const void *of; /* the type or relation, a pointer into the catalog */
	/* The text of the view also depends on "hides" and "whole". */
	int hides; /* value of kg_validity_hides() */
	bool whole;
} Key;

typedef struct Entry
{
	KgCacheEntry entry;
	Key key;
	Query *query;
} Entry;

static const int most = 256;
/* The cached views, which a change of the catalog invalidates. */
static KgCache views = {"analysed views", &most, KG_STALE_BY_CATALOG};

static bool
is_key(const void *entry, const void *key)
{
	const Key *a = &((const Entry *) entry)->key;
	const Key *b = key;

	return a->catalog == b->catalog && a->of == b->of && a->hides == b->hides &&
		   a->whole == b->whole;
}

/* ---- views of types that read a table of the user ---- */

/*
 * Returns SQL that casts a column, given as SQL, to its own data type if
 * queries may use this data type, and to text otherwise.
 */
static char *
typed(const char *sql, Oid type)
{
	return psprintf("(%s)::%s",
					sql,
					kg_ask_type(type) ? format_type_be_qualified(type)
									  : "pg_catalog.text");
}

static char *
bound_type_sql(const KgCatalog *catalog, const KgType *type)
{
	const KgVSource *source = kg_vsource(catalog, type);
	const char *id = kg_view_id_column(type);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT %s AS %s",
					 source->nkeys == 1
						 ? typed(source->keys[0].sql, source->keys[0].type)
						 : source->id,
					 quote_identifier(id));
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgVColumn *column = &source->columns[i];
		char *name = pnstrdup(field->steps[0].key, field->steps[0].keylen);

		if (column->sql != NULL && strcmp(name, id) != 0)
			appendStringInfo(&sql,
							 ", %s AS %s",
							 typed(kg_vvalue_by_set(column), column->type),
							 quote_identifier(kg_view_identifier(name)));
	}
	appendStringInfo(&sql,
					 " FROM %s WHERE %s",
					 source->from,
					 source->where ? source->where : "true");
	return sql.data;
}

/* The edges of a variant of a relation that come from a table of the user. */
typedef struct BoundEdges
{
	const KgVSource *source;
	const KgType *types[2];
	/*
	 * Expressions of the ids of both ends, with their types. The id is a text
	 * if it has several columns.
	 */
	const char *ids[2];
	Oid id_types[2];
	const char *where;
} BoundEdges;

static void
set_end(BoundEdges *edges, int end, const KgVColumn *column)
{
	edges->ids[end] = kg_vvalue_by_set(column);
	edges->id_types[end] = column->type;
	edges->where = psprintf(
		"%s AND (%s) IS NOT NULL", edges->where, edges->ids[end]);
}

/*
 * Reads the edges of a variant. Returns false if they do not come from a table,
 * or if the caller cannot read the columns of the ends.
 */
static bool
read_edges(const KgCatalog *catalog, const KgVariant *variant,
		   BoundEdges *edges)
{
	const KgType *from = kg_catalog_type_no(catalog, variant->from_type_no);
	const KgType *to = kg_catalog_type_no(catalog, variant->to_type_no);
	const KgVSource *source;
	const KgVColumn *ends[2] = {NULL, NULL};

	if (from == NULL || to == NULL || from->binding == NULL ||
		(variant->property == NULL && variant->edges == NULL))
		return false;
	source = kg_vsource(catalog, variant->edges ? variant->edges : from);
	if (variant->edges != NULL)
		for (int i = 0; i < 2; i++)
			ends[i] = kg_vsource_column(source,
										kg_binding_end(variant->edges, i));
	else
		ends[1] = kg_vsource_column(source,
									kg_type_field(from, variant->property));
	edges->source = source;
	edges->types[0] = from;
	edges->types[1] = to;
	edges->where = source->where ? source->where : "true";
	for (int i = 0; i < 2; i++)
		if (ends[i] == NULL)
		{
			bool single = source->nkeys == 1;

			edges->ids[i] = single ? source->keys[0].sql : source->id;
			edges->id_types[i] = single ? source->keys[0].type : TEXTOID;
		}
		else if (ends[i]->sql == NULL)
			return false;
		else
			set_end(edges, i, ends[i]);
	return true;
}

/*
 * Returns the type of the ids at one end of all edges. Returns TEXTOID if the
 * edges differ in this type, or if a query cannot have values of this type.
 */
static Oid
end_type(const List *all, int end)
{
	Oid type = ((const BoundEdges *) linitial(all))->id_types[end];
	ListCell *lc;

	foreach(lc, all)
		if (((const BoundEdges *) lfirst(lc))->id_types[end] != type)
			return TEXTOID;
	return kg_ask_type(type) ? type : TEXTOID;
}

static const char *
end_sql(const BoundEdges *edges, int end, Oid type)
{
	if (type != TEXTOID)
		return typed(edges->ids[end], type);
	return psprintf("%s COLLATE pg_catalog.\"C\"",
					kg_bound_text(edges->ids[end], edges->id_types[end]));
}

/*
 * Returns the columns by which a table that joins two tables refers to them.
 * Leaves out columns whose names are names of columns of the view.
 */
static List *
key_columns(const BoundEdges *edges, const KgView *view)
{
	const KgVSource *source = edges->source;
	List *columns = NIL;
	List *names = NIL;
	ListCell *lc;

	foreach(lc, view->columns)
		names = lappend(names,
						makeString((char *) quote_identifier(
							((KgViewColumn *) lfirst(lc))->name)));
	for (int i = 0; i < 2; i++)
	{
		const KgField *end = kg_binding_end(source->type, i);
		const KgBoundProperty *keys =
			&source->table->properties[end - source->type->fields];

		for (int j = 0; j < keys->ncolumns; j++)
		{
			String *name = makeString((char *) keys->columns[j].name);

			if (list_member(names, name))
				continue;
			names = lappend(names, name);
			columns = lappend(columns, &keys->columns[j]);
		}
	}
	return columns;
}

/*
 * Appends SQL for the edges, with the columns that the view of every relation
 * has, and key columns. types has the types of the ids of both ends.
 */
static void
append_edges(StringInfo sql, const BoundEdges *edges, const Oid *types,
			 const List *keys)
{
	const KgVSource *source = edges->source;
	ListCell *lc;

	appendStringInfo(
		sql,
		"%sSELECT %s AS \"from\", %s AS \"to\", %s AS properties, "
		"%s::pg_catalog.text COLLATE pg_catalog.\"C\" AS from_type, "
		"%s::pg_catalog.text COLLATE pg_catalog.\"C\" AS to_type",
		sql->len > 0 ? " UNION ALL " : "",
		end_sql(edges, 0, types[0]),
		end_sql(edges, 1, types[1]),
		source->type->binding->nto > 0 ? kg_vproperties(source)
									   : "NULL::pg_catalog.jsonb",
		quote_literal_cstr(edges->types[0]->name),
		quote_literal_cstr(edges->types[1]->name));
	foreach(lc, keys)
	{
		const KgBoundColumn *key = lfirst(lc);

		appendStringInfo(sql,
						 ", %s AS %s",
						 typed(psprintf("t.%s", key->name), key->type),
						 key->name);
	}
	appendStringInfo(sql, " FROM %s WHERE %s", source->from, edges->where);
}

/*
 * Appends SQL for the edges of a reference from a stored type to a type that
 * reads a table of the user. Appends nothing for other variants.
 */
static void
append_mixed_variant(StringInfo sql, const KgCatalog *catalog,
					 const KgVariant *variant)
{
	const KgType *from = kg_catalog_type_no(catalog, variant->from_type_no);
	const KgType *to = kg_catalog_type_no(catalog, variant->to_type_no);
	const KgVSource *source;
	const KgVSource *target;
	const KgVColumn *column;
	const KgField *field;

	if (from == NULL || to == NULL || from->binding != NULL ||
		to->binding == NULL || variant->property == NULL)
		return;
	field = kg_type_field(from, variant->property);
	source = kg_vsource(catalog, from);
	column = kg_vsource_column(source, field);
	if (column->sql == NULL)
		return;
	target = kg_vsource(catalog, to);
	appendStringInfo(
		sql,
		"%sSELECT %s AS \"from\", x.id AS \"to\", "
		"NULL::pg_catalog.jsonb AS properties, "
		"%s::pg_catalog.text COLLATE pg_catalog.\"C\" AS from_type, "
		"%s::pg_catalog.text COLLATE pg_catalog.\"C\" AS to_type "
		"FROM %s%s JOIN (SELECT (%s) COLLATE pg_catalog.\"C\" AS id FROM %s "
		"WHERE %s) x ON x.id OPERATOR(pg_catalog.=) %s",
		sql->len > 0 ? " UNION ALL " : "",
		source->id,
		quote_literal_cstr(from->name),
		quote_literal_cstr(to->name),
		source->from,
		field->is_array ? psprintf(" CROSS JOIN LATERAL (SELECT DISTINCT item "
								   "FROM pg_catalog.unnest(%s) item) u",
								   column->sql)
						: "",
		target->id,
		target->from,
		target->where ? target->where : "true",
		field->is_array ? "u.item" : column->sql);
}

/*
 * Returns SQL for the edges of a relation that come from tables of the user,
 * with the columns of the relation's view. Returns an empty text if there are
 * no such edges.
 *
 * If all edges come from tables, sets *all, and the ids have the types of their
 * columns. If all edges come from one table that joins two tables, the view
 * also has the columns of this table that refer to them.
 */
static char *
bound_relation_sql(const KgCatalog *catalog, const KgRelation *relation,
				   const KgView *view, bool *all)
{
	Oid types[2] = {TEXTOID, TEXTOID};
	List *tables = NIL;
	List *keys = NIL;
	StringInfoData edges;
	StringInfoData sql;
	ListCell *lc;

	initStringInfo(&edges);
	*all = true;
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		const KgType *from = kg_catalog_type_no(catalog, variant->from_type_no);
		BoundEdges *table = palloc0(sizeof(BoundEdges));

		if (read_edges(catalog, variant, table))
			tables = lappend(tables, table);
		append_mixed_variant(&edges, catalog, variant);
		*all &= from == NULL || from->binding != NULL;
	}
	*all &= tables != NIL;
	for (int i = 0; i < 2 && *all; i++)
		types[i] = end_type(tables, i);
	if (*all && relation->nvariants == 1 && relation->variants[0].edges != NULL)
		keys = key_columns(linitial(tables), view);
	foreach(lc, tables)
		append_edges(&edges, lfirst(lc), types, keys);
	if (edges.len == 0)
		return edges.data;
	initStringInfo(&sql);
	foreach(lc, view->columns)
	{
		const KgViewColumn *column = lfirst(lc);

		appendStringInfo(&sql,
						 "%s%s AS %s",
						 sql.len > 0 ? ", " : "SELECT ",
						 column->property != NULL
							 ? column->value
							 : psprintf("x.%s", quote_identifier(column->name)),
						 quote_identifier(column->name));
	}
	foreach(lc, keys)
		appendStringInfo(
			&sql, ", x.%s", ((const KgBoundColumn *) lfirst(lc))->name);
	appendStringInfo(&sql, " FROM (%s) x", edges.data);
	return sql.data;
}

/*
 * Returns the SQL text of the view of a type or relation. The variants of a
 * relation may connect stored types and types that read a table of the user.
 */
static char *
view_sql(const KgCatalog *catalog, const KgType *type,
		 const KgRelation *relation, bool whole)
{
	KgViewTables tables = {
		kg_sql_table("kg_entity"), kg_sql_table("kg_edge"), whole};
	char *bound = "";
	bool all = false;
	KgView *view;
	char *sql;

	if (type != NULL && type->binding != NULL)
		return bound_type_sql(catalog, type);
	view = type ? kg_view_of_type(type) : kg_view_of_relation(relation);
	if (relation != NULL && kg_relation_binds(catalog, relation))
		bound = bound_relation_sql(catalog, relation, view, &all);
	if (all)
		return bound;
	sql = kg_view_query(catalog, view, view->columns, &tables);
	return bound[0] == '\0' ? sql : psprintf("%s UNION ALL %s", sql, bound);
}

static bool
has_tenant_column(const KgType *type)
{
	return type != NULL && type->binding != NULL &&
		   type->binding->tenant_column != NULL;
}

bool
kg_ask_view_hides(const KgCatalog *catalog, const KgType *type,
				  const KgRelation *relation)
{
	if (relation == NULL)
		return has_tenant_column(type);
	for (int i = 0; i < relation->nvariants; i++)
		if (has_tenant_column(kg_catalog_type_no(
				catalog, relation->variants[i].from_type_no)) ||
			has_tenant_column(kg_catalog_type_no(
				catalog, relation->variants[i].to_type_no)) ||
			has_tenant_column(relation->variants[i].edges))
			return true;
	return false;
}

/*
 * Analyses the SQL text of a view and returns the query. The text contains no
 * text of the caller.
 */
static Query *
analyse(const KgCatalog *catalog, const KgType *type,
		const KgRelation *relation, bool whole)
{
	char *sql = view_sql(catalog, type, relation, whole);
	ParseState *state = make_parsestate(NULL);
	Query *query;

	state->p_sourcetext = sql;
	query = transformTopLevelStmt(
		state, linitial_node(RawStmt, raw_parser(sql, RAW_PARSE_DEFAULT)));
	free_parsestate(state);
	return query;
}

Query *
kg_ask_view(const KgCatalog *catalog, const KgType *type,
			const KgRelation *relation, bool whole)
{
	Key key = {catalog->id,
			   type ? (const void *) type : relation,
			   kg_validity_hides(),
			   whole};
	uint64 hash = catalog->id ^ (uintptr_t) key.of ^ key.hides;
	Entry *entry;
	Query *query;
	MemoryContext old;

	entry = kg_cache_find(&views, hash, is_key, &key);
	if (entry != NULL)
	{
		query = copyObject(entry->query);
		AcquireRewriteLocks(query, true, false);
		return query;
	}
	query = analyse(catalog, type, relation, whole);
	/*
	 * The definition of a user's table may change without a change of the
	 * catalog, so its view is not cached.
	 */
	if (type ? type->binding != NULL : kg_relation_binds(catalog, relation))
		return query;
	entry = kg_cache_make(&views, sizeof(*entry));
	old = MemoryContextSwitchTo(entry->entry.context);
	entry->key = key;
	entry->query = copyObject(query);
	MemoryContextSwitchTo(old);
	kg_cache_keep(&views, entry, hash);
	return query;
}
