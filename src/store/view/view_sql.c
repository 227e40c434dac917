/*
 * view_sql.c
 *	  The definition of a view of a type or a relation.
 *
 * Values from the catalog are quoted as literals. Names are quoted, and names
 * of kg_graph are also qualified. The query is created and run with a pinned
 * search_path.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#include "postgres.h"

#include "base/extension.h"
#include "model/bound_table.h"
#include "model/column.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "store/view/view_sql.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#define KG_HASH_SHOWN 8

static char *
hash_of(const char *what)
{
	return TextDatumGetCString(
		DirectFunctionCall1(md5_text, CStringGetTextDatum(what)));
}

char *
kg_view_tenant(const char *tenant)
{
	return pnstrdup(hash_of(tenant), KG_HASH_SHOWN);
}

char *
kg_view_identifier(const char *name)
{
	int len = strlen(name);

	if (len == 0)
		return pstrdup("_");
	return pnstrdup(name, pg_mbcliplen(name, len, NAMEDATALEN - 1));
}

char *
kg_view_identifier_of(const char *name, const char *what)
{
	int len = pg_mbcliplen(
		name, strlen(name), NAMEDATALEN - 1 - 1 - KG_HASH_SHOWN);

	return psprintf("%.*s_%.*s", len, name, KG_HASH_SHOWN, hash_of(what));
}

static bool
has_column(List *columns, const char *name)
{
	ListCell *lc;

	foreach(lc, columns)
		if (strcmp(((KgViewColumn *) lfirst(lc))->name, name) == 0)
			return true;
	return false;
}

static List *
add_column(List *columns, const char *name, const char *type, const char *value,
		   const char *comment)
{
	KgViewColumn *column = palloc0(sizeof(*column));

	column->name = kg_view_identifier(name);
	if (has_column(columns, column->name))
		column->name = kg_view_identifier_of(name, name);
	column->type = type;
	column->value = value;
	column->comment = comment;
	return lappend(columns, column);
}

/*
 * Returns the function that reads a column of this type, such as
 * kg_column_text or kg_column_date_array.
 */
static const char *
column_function(Oid type)
{
	static const struct
	{
		Oid type;
		const char *name;
	} functions[] = {
		{TEXTOID, "text"},
		{INT8OID, "bigint"},
		{NUMERICOID, "numeric"},
		{BOOLOID, "boolean"},
		{DATEOID, "date"},
		{TIMESTAMPTZOID, "timestamptz"},
		{JSONBOID, "jsonb"},
		{TEXTARRAYOID, "text_array"},
		{INT8ARRAYOID, "bigint_array"},
		{NUMERICARRAYOID, "numeric_array"},
		{BOOLARRAYOID, "boolean_array"},
		{DATEARRAYOID, "date_array"},
		{TIMESTAMPTZARRAYOID, "timestamptz_array"},
	};

	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].type == type)
			return kg_qualified(
				psprintf(KG_COLUMN_PREFIX "%s", functions[i].name));
	elog(ERROR, "no property is a column of type %u", type);
	return NULL;
}

static const char *
describe(const char *title, const char *description)
{
	if (title && description && strcmp(title, description) != 0)
		return psprintf("%s: %s", title, description);
	return title ? title : description;
}

/*
 * Adds a column for a property to the list, and returns the list. document is
 * an SQL expression for the document that contains the property: the data of an
 * entity, or the properties of an edge.
 */
static List *
add_property(List *columns, const KgType *type, const KgField *field,
			 const char *property, const char *document)
{
	Oid oid = field ? kg_column_type(type, field) : JSONBOID;
	char *value = psprintf("%s(%s, %s)",
						   column_function(oid),
						   document,
						   quote_literal_cstr(property));

	if (oid == TEXTOID || oid == TEXTARRAYOID)
		value = psprintf("(%s) COLLATE pg_catalog.\"C\"", value);
	columns = add_column(columns,
						 property,
						 format_type_be(oid),
						 value,
						 field ? describe(field->title, field->description)
							   : NULL);
	((KgViewColumn *) llast(columns))->property = property;
	return columns;
}

/*
 * Returns the names of the top-level properties that are stored in the
 * document, without duplicates.
 */
static List *
properties_of(const KgField *fields, int n)
{
	List *properties = NIL;

	for (int i = 0; i < n; i++)
	{
		const KgStep *step = &fields[i].steps[0];
		char *property;
		ListCell *lc;

		if (fields[i].derived || step->key == NULL)
			continue;
		property = pnstrdup(step->key, step->keylen);
		foreach(lc, properties)
			if (strcmp(lfirst(lc), property) == 0)
				break;
		if (lc == NULL)
			properties = lappend(properties, property);
	}
	return properties;
}

/* Returns whether the property is the id, which has its own column. */
static bool
is_id(const KgType *type, const char *property)
{
	const KgField *field = kg_column_field(type, property);

	return field != NULL && field == type->id_field &&
		   (type->number_ids || kg_column_type(type, field) == TEXTOID);
}

/*
 * Returns whether the name, unquoted in SQL, is the name of a property other
 * than the id.
 */
static bool
is_property_unquoted(const KgType *type, const char *name)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const char *key = field->steps[0].key;

		if (!field->derived && field != type->id_field && key != NULL &&
			pg_strcasecmp(key, name) == 0)
			return true;
	}
	return false;
}

const char *
kg_view_id_column(const KgType *type)
{
	if (!is_property_unquoted(type, "id"))
		return "id";
	if (!is_property_unquoted(type, "entity_id"))
		return "entity_id";
	return kg_view_identifier_of("entity_id", "entity_id");
}

/*
 * Adds a column with the id to the list, and returns the list. The column is
 * the stored column entity_id, which has an index. If the id is a number, it is
 * read from the document instead. Filters on that column can use index keys.
 */
static List *
add_id(List *columns, const KgType *type, const char *name, const char *comment)
{
	if (!type->number_ids)
		return add_column(columns, name, "text", "e.entity_id", comment);
	columns = add_property(
		columns, type, type->id_field, type->id_field->name, "e.data");
	((KgViewColumn *) llast(columns))->name = kg_view_identifier(name);
	((KgViewColumn *) llast(columns))->comment = comment;
	return columns;
}

/*
 * Returns the columns of a type: the entity's id, and each property of the
 * document.
 */
static List *
type_columns(const KgType *type)
{
	List *properties = properties_of(type->fields, type->nfields);
	const char *id = kg_view_id_column(type);
	List *columns = NIL;
	ListCell *lc;

	columns = add_id(columns, type, id, "the entity's id");
	foreach(lc, properties)
	{
		const char *property = lfirst(lc);
		const KgField *field = kg_column_field(type, property);

		if (!is_id(type, property))
			columns = add_property(columns, type, field, property, "e.data");
		else if (strcmp(property, id) != 0)
			columns = add_id(columns,
							 type,
							 property,
							 describe(field->title, field->description));
	}
	return columns;
}

/*
 * Returns the columns that every relation's view has, and a column for each
 * property of the relation's edges.
 */
static List *
relation_columns(const KgRelation *relation)
{
	List *columns = NIL;
	ListCell *lc;

	columns = add_column(
		columns, "from", "text", "s.entity_id", "an entity's id");
	columns = add_column(
		columns, "to", "text", "t.entity_id", "an entity's id");
	columns = add_column(columns,
						 "properties",
						 "jsonb",
						 "x.properties",
						 "the edge's properties, or NULL");
	columns = add_column(columns, "from_type", "text", "s.entity_type", NULL);
	columns = add_column(columns, "to_type", "text", "t.entity_type", NULL);
	foreach(lc, properties_of(relation->fields, relation->nfields))
		columns = add_property(columns,
							   NULL,
							   kg_column_field_among(relation->fields,
													 relation->nfields,
													 lfirst(lc)),
							   lfirst(lc),
							   "x.properties");
	return columns;
}

static void
append_type(StringInfo sql, const char *alias, const KgCatalog *catalog,
			const KgType *type)
{
	appendStringInfo(sql,
					 "%s.tenant = %s AND %s.bundle = %s AND "
					 "%s.entity_type = %s",
					 alias,
					 quote_literal_cstr(catalog->tenant),
					 alias,
					 quote_literal_cstr(type->bundle),
					 alias,
					 quote_literal_cstr(type->name));
}

static void
append_mark(StringInfo sql, const char *alias, const KgView *view)
{
	appendStringInfo(sql,
					 " AND %s(%s.node, %s, %s, %s, %s)",
					 kg_qualified("kg_view_row"),
					 alias,
					 quote_literal_cstr(view->kind),
					 quote_literal_cstr(view->bundle),
					 quote_literal_cstr(view->of),
					 quote_literal_cstr(view->made));
}

static void
append_columns(StringInfo sql, List *columns)
{
	ListCell *lc;

	appendStringInfoString(sql, "SELECT ");
	foreach(lc, columns)
	{
		const KgViewColumn *column = lfirst(lc);

		appendStringInfo(sql,
						 "%s%s AS %s",
						 foreach_current_index(lc) > 0 ? ", " : "",
						 column->value,
						 quote_identifier(column->name));
	}
}

/*
 * Appends a SELECT of the edges of a variant. If "partial" is false, it reads
 * kg_edge, whose policy shows edges only to readers that see all entities. If
 * "partial" is true, it calls a function and returns rows only to the other
 * readers.
 */
static void
append_variant(StringInfo sql, const KgCatalog *catalog, const KgView *view,
			   List *columns, const KgViewTables *tables,
			   const KgVariant *variant, bool partial)
{
	const KgType *from = kg_catalog_type_no(catalog, variant->from_type_no);
	const KgType *to = kg_catalog_type_no(catalog, variant->to_type_no);

	if (from == NULL || to == NULL)
		return;
	if (sql->len > 0)
		appendStringInfoString(sql, " UNION ALL ");
	append_columns(sql, columns);
	appendStringInfo(sql, " FROM %s s ", tables->entity);
	if (partial)
		appendStringInfo(sql,
						 "CROSS JOIN LATERAL %s(s.node, %d) x JOIN %s t "
						 "ON t.tenant = s.tenant AND t.node = x.target "
						 "WHERE %s() IS NULL AND ",
						 kg_qualified("kg_view_edges"),
						 view->relation->relation_no,
						 tables->entity,
						 kg_qualified("kg_derived_tenant"));
	else
		appendStringInfo(sql,
						 "JOIN %s x ON x.tenant = s.tenant AND "
						 "x.source = s.node AND x.relation_no = %d "
						 "JOIN %s t ON t.tenant = x.tenant AND "
						 "t.node = x.target WHERE ",
						 tables->edge,
						 view->relation->relation_no,
						 tables->entity);
	append_type(sql, "s", catalog, from);
	appendStringInfoString(sql, " AND ");
	append_type(sql, "t", catalog, to);
	append_mark(sql, "s", view);
}

/*
 * Appends a SELECT of the edges of a relation that joins only one pair of types
 * (one KgVariant), for a reader that sees all entities. Every edge has both
 * ends, so outer joins give the same rows as inner joins. The planner removes
 * an outer join if a query does not use its columns.
 */
static void
append_whole(StringInfo sql, const KgCatalog *catalog, const KgView *view,
			 List *columns, const KgViewTables *tables)
{
	const KgVariant *variant = &view->relation->variants[0];
	const KgType *from = kg_catalog_type_no(catalog, variant->from_type_no);
	const KgType *to = kg_catalog_type_no(catalog, variant->to_type_no);

	append_columns(sql, columns);
	appendStringInfo(sql,
					 " FROM %s x LEFT JOIN %s s ON s.node = x.source AND ",
					 tables->edge,
					 tables->entity);
	append_type(sql, "s", catalog, from);
	appendStringInfo(
		sql, " LEFT JOIN %s t ON t.node = x.target AND ", tables->entity);
	append_type(sql, "t", catalog, to);
	appendStringInfo(sql,
					 " WHERE x.tenant = %s AND x.relation_no = %d",
					 quote_literal_cstr(catalog->tenant),
					 view->relation->relation_no);
}

/*
 * Appends a SELECT of the edges of all variants. If tables->whole is true, the
 * query is only for a reader that sees all entities. Otherwise it is for every
 * reader.
 */
static void
append_relation(StringInfo sql, const KgCatalog *catalog, const KgView *view,
				List *columns, const KgViewTables *tables)
{
	const KgRelation *relation = view->relation;

	if (tables->whole && relation->nvariants == 1)
	{
		append_whole(sql, catalog, view, columns, tables);
		return;
	}
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];

		append_variant(sql, catalog, view, columns, tables, variant, false);
		if (!tables->whole)
			append_variant(sql, catalog, view, columns, tables, variant, true);
	}
}

char *
kg_view_query(const KgCatalog *catalog, const KgView *view, List *columns,
			  const KgViewTables *tables)
{
	KgViewTables own = {
		kg_qualified("kg_entity"), kg_qualified("kg_edge"), false};
	StringInfoData sql;

	if (tables == NULL)
		tables = &own;
	initStringInfo(&sql);
	if (view->relation != NULL)
	{
		append_relation(&sql, catalog, view, columns, tables);
		return sql.data;
	}
	append_columns(&sql, columns);
	appendStringInfo(&sql, " FROM %s e WHERE ", tables->entity);
	append_type(&sql, "e", catalog, view->type);
	append_mark(&sql, "e", view);
	return sql.data;
}

/* Sets the member "made" of the view: a hash of its query and its comments. */
static void
finish(const KgCatalog *catalog, KgView *view)
{
	StringInfoData all;
	ListCell *lc;

	initStringInfo(&all);
	appendStringInfoString(&all,
						   kg_view_query(catalog, view, view->columns, NULL));
	foreach(lc, view->columns)
	{
		const KgViewColumn *column = lfirst(lc);

		appendStringInfo(&all,
						 "\n%s %s",
						 column->type,
						 column->comment ? column->comment : "");
	}
	appendStringInfo(&all, "\n%s", view->comment ? view->comment : "");
	view->made = psprintf(
		"%s-%s", kg_view_tenant(catalog->tenant), hash_of(all.data));
}

static const char *
relation_comment(const KgRelation *relation)
{
	for (int i = 0; i < relation->nvariants; i++)
		if (relation->variants[i].description)
			return relation->variants[i].description;
	return NULL;
}

KgView *
kg_view_of_type(const KgType *type)
{
	KgView *view = palloc0(sizeof(*view));

	view->kind = "type";
	view->type = type;
	view->bundle = type->bundle;
	view->of = type->name;
	view->columns = type_columns(type);
	view->comment = describe(type->title, type->description);
	view->made = "";
	return view;
}

KgView *
kg_view_of_relation(const KgRelation *relation)
{
	KgView *view = palloc0(sizeof(*view));

	view->kind = "relation";
	view->relation = relation;
	view->bundle = relation->bundle;
	view->of = relation->name;
	view->columns = relation_columns(relation);
	view->comment = relation_comment(relation);
	view->made = "";
	return view;
}

List *
kg_view_list(const KgCatalog *catalog)
{
	List *views = NIL;
	ListCell *lc;

	/*
	 * A type that reads a table needs no view, because users can read the
	 * table.
	 */
	for (int i = 0; i < catalog->ntypes; i++)
		if (!kg_row_has(&catalog->types[i], KG_TRAIT_TABLE))
			views = lappend(views,
							kg_view_of_type(kg_type_of(&catalog->types[i])));
	for (int i = 0; i < catalog->nrelations; i++)
		if (kg_catalog_joins(catalog, &catalog->relations[i]) &&
			!kg_relation_binds(catalog, &catalog->relations[i]))
			views = lappend(views, kg_view_of_relation(&catalog->relations[i]));
	foreach(lc, views)
		finish(catalog, lfirst(lc));
	return views;
}
