/*
 * source.c
 *	  Typed sub-selects: the rows of a type, with an id and columns.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "auth/identity.h"
#include "base/cache.h"
#include "base/extension.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "model/column.h"
#include "query/sql.h"
#include "storage/lmgr.h"
#include "store/view/view_sql.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "virtual/operators.h"
#include "virtual/source.h"

/*
 * Names of columns of a stored type's sub-select that its view does not have:
 * the id as text, and the document.
 */
#define KG_ID_TEXT "kg id"
#define KG_DOCUMENT "kg document"

static const KgViewColumn *
view_column(const KgView *view, const char *property)
{
	ListCell *lc;

	foreach(lc, view->columns)
	{
		const KgViewColumn *column = lfirst(lc);

		if (column->property != NULL && strcmp(column->property, property) == 0)
			return column;
	}
	return NULL;
}

static void
stored_columns(KgVSource *source, const KgView *view)
{
	const KgType *type = source->type;

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgViewColumn *column;
		char *property;

		if (field->derived || field->steps[0].key == NULL)
			continue;
		property = pnstrdup(field->steps[0].key, field->steps[0].keylen);
		column = kg_column_field(type, property) == field
					 ? view_column(view, property)
					 : NULL;
		if (column == NULL)
			continue;
		source->columns[i].sql = psprintf("t.%s",
										  quote_identifier(column->name));
		source->columns[i].type = kg_column_type(type, field);
		source->columns[i].is_text = field->kind == KG_KIND_STRING &&
									 !field->is_array;
	}
}

static KgVSource *
stored_source(KgVSource *source)
{
	KgView *view = kg_view_of_type(source->type);
	KgViewTables tables = {kg_sql_table("kg_entity"), kg_sql_table("kg_edge")};
	KgViewColumn *id = linitial(view->columns);
	KgViewColumn text = {KG_ID_TEXT, "text", "e.entity_id", NULL, NULL};
	KgViewColumn document = {KG_DOCUMENT, "jsonb", "e.data", NULL, NULL};

	stored_columns(source, view);
	source->from = psprintf(
		"(%s) t",
		kg_view_query(
			source->catalog,
			view,
			lappend(lappend(list_copy(view->columns), &text), &document),
			&tables));
	source->document = psprintf("t.%s", quote_identifier(KG_DOCUMENT));
	source->id = psprintf("t.%s", quote_identifier(id->name));
	source->nkeys = 1;
	source->keys = palloc0(sizeof(KgVColumn));
	source->keys[0] = (KgVColumn){source->id, TEXTOID, true, true, NULL};
	if (source->type->number_ids)
	{
		source->keys[0].type = INT8OID;
		source->keys[0].is_text = false;
		source->id = psprintf("t.%s", quote_identifier(KG_ID_TEXT));
	}
	return source;
}

/* ---- bound types ---- */

static void
add_table(KgVSource *source, const KgBoundTable *table)
{
	source->tables = list_append_unique_oid(source->tables, table->relid);
	source->reads_view |= table->kind == RELKIND_VIEW;
}

static KgVColumn
column_of(const KgBoundColumn *bound)
{
	KgVColumn column = {
		psprintf("t.%s", bound->name), bound->type, bound->not_null};

	return column;
}

/*
 * Returns whether every caller that may read the table sees all its rows. This
 * is so for a table, not a view, without row-level security and without a
 * column of the tenant.
 */
static bool
is_whole(const KgBoundTable *table)
{
	Relation relation;
	bool whole;

	if (table->kind != RELKIND_RELATION || table->tenant.name != NULL)
		return false;
	relation = try_table_open(table->relid, AccessShareLock);
	if (relation == NULL)
		return false;
	whole = !relation->rd_rel->relrowsecurity;
	table_close(relation, AccessShareLock);
	return whole;
}

int64
kg_vestimate(const KgType *type)
{
	KgErrorList none = {.limit = 1};
	const KgBoundTable *table = kg_bound_resolve(type, GetUserId(), "", &none);
	Relation relation;
	double rows;

	if (table == NULL || !is_whole(table) || !kg_identity_sees_scope(NULL, 0))
		return -1;
	relation = try_table_open(table->relid, AccessShareLock);
	if (relation == NULL)
		return -1;
	rows = relation->rd_rel->reltuples;
	table_close(relation, AccessShareLock);
	return (int64) rows;
}

static const char *
tenant_condition(const char *alias, const KgBoundColumn *tenant)
{
	if (tenant->name == NULL)
		return NULL;
	return psprintf("%s.%s%s%s OPERATOR(pg_catalog.=) %s()",
					alias,
					tenant->name,
					tenant->type == TEXTOID ? "" : "::pg_catalog.text",
					tenant->folds ? " COLLATE pg_catalog.\"C\"" : "",
					kg_qualified("kg_tenant"));
}

static bool
is_validated(Oid constraint)
{
	HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint));
	bool validated;

	if (!HeapTupleIsValid(tuple))
		return false;
	validated = ((Form_pg_constraint) GETSTRUCT(tuple))->convalidated;
	ReleaseSysCache(tuple);
	return validated;
}

/* Returns whether a foreign key guarantees that each reference has a target. */
static bool
has_key(Oid relid, const KgBoundProperty *from, const KgBoundTable *target)
{
	Relation relation = try_table_open(relid, AccessShareLock);
	bool found = false;
	ListCell *lc;

	if (relation == NULL)
		return false;
	foreach(lc, RelationGetFKeyList(relation))
	{
		const ForeignKeyCacheInfo *key = lfirst(lc);
		int same = 0;

		if (key->confrelid != target->relid || key->nkeys != from->ncolumns)
			continue;
		for (int i = 0; i < key->nkeys; i++)
			for (int j = 0; j < from->ncolumns; j++)
				same += key->conkey[i] == from->columns[j].number &&
						key->confkey[i] == target->id.columns[j].number;
		found |= same == key->nkeys && is_validated(key->conoid);
	}
	table_close(relation, AccessShareLock);
	return found;
}

/*
 * Sets the expressions for a reference, which depend on the visibility of its
 * target. If the caller cannot see the target row, the reference appears to be
 * missing, and so does its key.
 */
static void
require_target(KgVSource *source, Oid relid, const KgField *field,
			   const KgBoundProperty *from, KgVColumn *column)
{
	const KgType *target = kg_catalog_type_in(
		source->catalog, field->ref_bundle, field->ref_type);
	const KgBoundTable *table = NULL;
	const char *tenant;
	StringInfoData sql;
	KgErrorList none = {.limit = 1};
	bool exact = true;

	column->nkeys = from->ncolumns;
	column->keys = palloc0(from->ncolumns * sizeof(KgVColumn));
	for (int i = 0; i < from->ncolumns; i++)
	{
		column->keys[i] = column_of(&from->columns[i]);
		exact &= kg_vequals_as_text(from->columns[i].type) &&
				 !from->columns[i].folds;
	}
	column->exact = exact;
	if (target != NULL && target->binding != NULL)
		table = kg_bound_resolve(target, GetUserId(), "", &none);
	if (table != NULL)
		add_table(source, table);
	if (table == NULL || table->id.ncolumns != from->ncolumns ||
		!kg_bound_is_readable(&table->id))
	{
		column->seen = column->seen_by_set = psprintf(
			"CASE WHEN false THEN %s END", column->sql);
		return;
	}
	if (exact && is_whole(table) && has_key(relid, from, table))
		return;
	initStringInfo(&sql);
	appendStringInfo(&sql, "FROM %s r WHERE ", table->name);
	for (int i = 0; i < from->ncolumns; i++)
		appendStringInfo(
			&sql,
			"%sr.%s %s t.%s",
			i > 0 ? " AND " : "",
			table->id.columns[i].name,
			kg_voperator(table->id.columns[i].type, BTEqualStrategyNumber),
			from->columns[i].name);
	tenant = tenant_condition("r", &table->tenant);
	if (tenant != NULL)
		appendStringInfo(&sql, " AND %s", tenant);
	if (!exact)
	{
		column->seen = column->seen_by_set = psprintf(
			"(SELECT %s %s)",
			from->ncolumns == 1 ? psprintf("r.%s", table->id.columns[0].name)
								: kg_bound_id_text("r", &table->id),
			sql.data);
		return;
	}
	column->seen = psprintf("CASE WHEN (SELECT true %s LIMIT 1) THEN %s END",
							sql.data,
							column->sql);
	column->seen_by_set = psprintf(
		"CASE WHEN EXISTS (SELECT %s) THEN %s END", sql.data, column->sql);
}

static void
bound_columns(KgVSource *source, const KgBoundTable *table)
{
	const KgType *type = source->type;

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgBoundProperty *property = &table->properties[i];
		KgVColumn *column = &source->columns[i];

		if (property->ncolumns == 0 || !kg_bound_is_readable(property))
			continue;
		if (property->ncolumns == 1)
			*column = column_of(&property->columns[0]);
		else
			*column = (KgVColumn){
				kg_bound_id_text("t", property), TEXTOID, false, true, NULL};
		column->is_text = field->kind == KG_KIND_STRING && !field->is_array;
		if (field->ref_type != NULL)
			require_target(source, table->relid, field, property, column);
	}
}

static KgVSource *
bound_source(KgVSource *source)
{
	const KgBoundTable *table = kg_bound_table(source->type);

	source->foreign = true;
	source->table = table;
	add_table(source, table);
	source->from = psprintf("%s t", table->name);
	/*
	 * A token that limits the caller to an empty set of scope paths permits no
	 * entity of any type.
	 */
	source->where = kg_identity_sees_scope(NULL, 0)
						? tenant_condition("t", &table->tenant)
						: "false";
	source->id = kg_bound_id_text("t", &table->id);
	source->nkeys = table->id.ncolumns;
	source->keys = palloc0(source->nkeys * sizeof(KgVColumn));
	for (int i = 0; i < source->nkeys; i++)
	{
		source->keys[i] = column_of(&table->id.columns[i]);
		/*
		 * Require the key columns to be not NULL. A column of a view has no
		 * such constraint, and the table may have changed.
		 */
		if (!source->keys[i].not_null)
			source->where = psprintf("%s AND %s IS NOT NULL",
									 source->where ? source->where : "true",
									 source->keys[i].sql);
		source->keys[i].not_null = true;
	}
	bound_columns(source, table);
	return source;
}

static KgVSource *
make_source(KgVSource *source, const KgCatalog *catalog, const KgType *type)
{
	source->catalog = catalog;
	source->type = type;
	source->columns = palloc0((type->nfields + 1) * sizeof(KgVColumn));
	return type->binding != NULL ? bound_source(source) : stored_source(source);
}

/* ---- sub-selects of bound types that are used again ---- */

typedef struct SourceKey
{
	uint64 catalog; /* id of the catalog */
	const KgType *type;
	Oid role;
	bool row_security;
	bool sees_scope;
} SourceKey;

typedef struct SourceEntry
{
	KgCacheEntry entry;
	SourceKey key;
	KgVSource source;
} SourceEntry;

static const int most = 256;
static const int most_kb = 16 * 1024;
static KgCache sources = {
	"sub-select", &most, KG_STALE_BY_TABLES, .most_kb = &most_kb};

static bool
is_key(const void *entry, const void *key)
{
	const SourceKey *a = &((const SourceEntry *) entry)->key;
	const SourceKey *b = key;

	return a->catalog == b->catalog && a->type == b->type &&
		   a->role == b->role && a->row_security == b->row_security &&
		   a->sees_scope == b->sees_scope;
}

static uint64
hash_key(const SourceKey *key)
{
	return hash_combine64(key->catalog, (uint64) (uintptr_t) key->type);
}

/*
 * Returns the cached sub-select, or NULL. A concurrent change of a table must
 * not be missed, because the table's policies may no longer limit the rows. So
 * the tables are locked in AccessShareLock mode, and the entry is looked up
 * again.
 */
static SourceEntry *
find_entry(uint64 hash, const SourceKey *key)
{
	SourceEntry *entry = kg_cache_find(&sources, hash, is_key, key);
	ListCell *lc;

	if (entry == NULL)
		return NULL;
	kg_cache_pin(entry, CurrentMemoryContext);
	foreach(lc, entry->source.tables)
		LockRelationOid(lfirst_oid(lc), AccessShareLock);
	AcceptInvalidationMessages();
	return kg_cache_find(&sources, hash, is_key, key);
}

static SourceEntry *
make_entry(uint64 hash, const SourceKey *key, const KgCatalog *catalog)
{
	SourceEntry *entry = kg_cache_make(&sources, sizeof(*entry));
	MemoryContext old = MemoryContextSwitchTo(entry->entry.context);

	entry->key = *key;
	(void) make_source(&entry->source, catalog, key->type);
	MemoryContextSwitchTo(old);
	/*
	 * Do not cache a sub-select that reads a view, because the tables below the
	 * view would have to be locked, too.
	 */
	if (!entry->source.reads_view)
	{
		kg_cache_keep(&sources, entry, hash);
		kg_cache_pin(entry, CurrentMemoryContext);
	}
	return entry;
}

const KgVSource *
kg_vsource(const KgCatalog *catalog, const KgType *type)
{
	SourceKey key = {catalog->id,
					 type,
					 GetUserId(),
					 row_security,
					 kg_identity_sees_scope(NULL, 0)};
	uint64 hash = hash_key(&key);
	SourceEntry *entry;

	/*
	 * Do not cache the sub-select of a stored type, because it depends on the
	 * requested time.
	 */
	if (type->binding == NULL)
		return make_source(palloc0(sizeof(KgVSource)), catalog, type);
	entry = find_entry(hash, &key);
	if (entry == NULL)
		entry = make_entry(hash, &key, catalog);
	return &entry->source;
}

const KgVColumn *
kg_vsource_column(const KgVSource *source, const KgField *field)
{
	return &source->columns[field - source->type->fields];
}
