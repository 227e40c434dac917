/*
 * rows.c
 *	  Reading rows of a typed sub-select: a page of a list, or entities by id.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "base/catch.h"
#include "base/json.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/errcodes.h"
#include "utils/lsyscache.h"
#include "virtual/conditions.h"
#include "virtual/virtual.h"

/* ---- statements ---- */

typedef struct Run
{
	const KgVSource *source;
	const KgSqlBuilder *b;
	bool by_ids;
	KgRowFunction row;
	void *arg;
} Run;

static void
run(void *arg)
{
	Run *r = arg;
	KgStatement statement = kg_sql_statement(r->b);

	statement.foreign = r->source->foreign;
	statement.by_ids = r->by_ids;
	if (statement.foreign)
		statement.tenant = r->source->catalog->tenant;
	(void) kg_plan_run(&statement, r->row, r->arg);
}

/*
 * Returns whether an error is about the session or the server, not about the
 * user's table.
 */
static bool
is_of_server(const ErrorData *edata)
{
	switch (ERRCODE_TO_CATEGORY(edata->sqlerrcode))
	{
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
			return true;
		default:
			return edata->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
	}
}

static void
amend(ErrorData *edata, void *arg)
{
	const KgType *type = ((const Run *) arg)->source->type;
	bool forbidden = edata->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE;
	KgError *err;

	if (kg_error_is_builtin(edata) &&
		(kg_error_is_ours(edata) || is_of_server(edata)))
		return;
	err = kg_error_new(
		forbidden ? KG_FORBIDDEN : KG_FAILED_BINDING,
		forbidden ? "%s \"%s\" reads a table that the caller may not read"
				  : "the table that %s \"%s\" reads cannot be read",
		kg_binding_subject(type),
		kg_type_handle(type));
	kg_error_entity(err, type->name, NULL);
	kg_error_throw_expected(
		err,
		forbidden ? "a role to which the table's owner has granted SELECT"
				  : "a table that has the columns of the binding, and whose "
					"policies raise no errors");
}

void
kg_virtual_run(const KgVSource *source, const KgSqlBuilder *b, bool by_ids,
			   KgRowFunction row, void *arg)
{
	Run r = {source, b, by_ids, row, arg};

	if (source->foreign)
		kg_catch_amend(run, amend, &r);
	else
		run(&r);
}

void
kg_vfrom(KgSqlBuilder *b, const KgVSource *source, char *const *ids, int n,
		 const KgFilter *filter)
{
	kg_sql_append(b,
				  " FROM %s WHERE %s",
				  source->from,
				  source->where ? source->where : "true");
	if (ids != NULL)
	{
		kg_sql_append(b, " AND ");
		kg_vids(b, source->keys, source->nkeys, (const char *const *) ids, n);
	}
	kg_vfilter(b, source, filter);
}

/* ---- documents ---- */

int
kg_vdocument(KgSqlBuilder *b, const KgVSource *source)
{
	const KgType *type = source->type;
	int n = 0;

	if (source->document != NULL)
	{
		kg_sql_append(b, ", %s", source->document);
		return 1;
	}
	for (int i = 0; i < type->nfields; i++)
	{
		const KgVColumn *column = &source->columns[i];

		if (column->sql == NULL || &type->fields[i] == type->id_field)
			continue;
		kg_sql_append(b, ", %s", kg_vjson(column));
		n++;
	}
	return n;
}

static char *
json_of(const KgVColumn *column, const char *value)
{
	/*
	 * Append Z only after a digit. Infinity and years BC are not instants in
	 * JSON Schema, so they get no Z.
	 */
	if (column->type == TIMESTAMPTZOID)
		return psprintf("pg_catalog.to_jsonb(pg_catalog.regexp_replace("
						"pg_catalog.to_jsonb(pg_catalog.timezone('UTC', (%s))) "
						"OPERATOR(pg_catalog.#>>) '{}'::pg_catalog.text[], "
						"'(?<=[0-9])$', 'Z'))",
						value);
	return psprintf("pg_catalog.to_jsonb(%s)",
					column->is_text ? kg_bound_text(value, column->type)
									: value);
}

char *
kg_vjson(const KgVColumn *column)
{
	return json_of(column, kg_vvalue(column));
}

char *
kg_vjson_by_set(const KgVColumn *column)
{
	return json_of(column, kg_vvalue_by_set(column));
}

Jsonb *
kg_vdocument_of(const KgVSource *source, TupleTableSlot *slot, int first,
				const char *id)
{
	const KgType *type = source->type;
	const KgStep *step = &type->id_field->steps[0];
	JsonbValue value;
	KgJsonWriter w;

	if (source->document != NULL)
		return DatumGetJsonbPCopy(kg_slot_datum(slot, first));
	kg_jw_init_object(&w);
	kg_jw_keyn(&w, step->key, step->keylen);
	kg_jw_string(&w, id);
	for (int i = 0; i < type->nfields; i++)
	{
		const KgVColumn *column = &source->columns[i];
		bool isnull;
		Datum datum;

		if (column->sql == NULL || &type->fields[i] == type->id_field)
			continue;
		datum = slot_getattr(slot, first++, &isnull);
		if (isnull)
			continue;
		step = &type->fields[i].steps[0];
		kg_jw_keyn(&w, step->key, step->keylen);
		kg_json_root(DatumGetJsonbPCopy(datum), &value);
		kg_jw_value(&w, &value);
	}
	return kg_jw_finish(&w);
}

/* ---- a page ---- */

/* A sort key: a sort field, or a column of the id. */
typedef struct Key
{
	const char *sql;
	Oid type;
	bool not_null;
	bool descending;
	/* value of the key in the last row of the previous page */
	const char *after;
	bool after_missing;
} Key;

typedef struct RowPage
{
	const KgListQuery *query;
	const KgVSource *source;
	int nkeys;
	Key *keys;
	int ndocument;
	int n;
	int room;
	KgRow **rows;
} RowPage;

/*
 * Returns an expression for the rank of a text in the declared order of an
 * enum.
 */
static const char *
enum_order(KgSqlBuilder *b, const KgField *field, const char *value)
{
	return psprintf(
		"pg_catalog.array_position($%d, (%s)::pg_catalog.text)",
		kg_sql_param_texts(b, (char *const *) field->enum_values, field->nenum),
		value);
}

static bool
is_enum_type(Oid type)
{
	return get_typtype(type) == TYPTYPE_ENUM;
}

/*
 * A row's key in a cursor is KEY_VALUE followed by the text of the value, or
 * KEY_NULL alone.
 */
#define KEY_VALUE 'v'
#define KEY_NULL 'n'

static bytea *
make_key(Datum text, bool isnull)
{
	int len = isnull ? 0 : VARSIZE_ANY_EXHDR(DatumGetPointer(text));
	bytea *key = palloc(VARHDRSZ + len + 1);

	SET_VARSIZE(key, VARHDRSZ + len + 1);
	*VARDATA(key) = isnull ? KEY_NULL : KEY_VALUE;
	if (!isnull)
		memcpy(VARDATA(key) + 1, VARDATA_ANY(DatumGetPointer(text)), len);
	return key;
}

static void
read_after(Key *key, const bytea *after)
{
	key->after_missing = *VARDATA_ANY(after) == KEY_NULL;
	key->after = pnstrdup(VARDATA_ANY(after) + 1, VARSIZE_ANY_EXHDR(after) - 1);
}

static void
make_keys(RowPage *page, KgSqlBuilder *b)
{
	const KgListQuery *query = page->query;
	const KgVSource *source = page->source;
	const KgRow *after = query->after;
	char **parts = after ? kg_bound_id_parts(after->entity_id, source->nkeys)
						 : NULL;

	page->keys = palloc0((query->nsort + source->nkeys) * sizeof(Key));
	for (int i = 0; i < query->nsort; i++)
	{
		const KgSort *sort = &query->sort[i];
		const KgVColumn *column = kg_vsource_column(source, sort->field);
		Key *key = &page->keys[page->nkeys++];

		key->sql = kg_vvalue(column);
		key->type = column->type;
		key->not_null = column->not_null && column->seen == NULL;
		key->descending = sort->descending;
		if (sort->field->kind == KG_KIND_ENUM && !is_enum_type(column->type))
		{
			key->sql = enum_order(b, sort->field, key->sql);
			key->type = INT4OID;
			key->not_null = false;
		}
		if (after != NULL)
			read_after(key, after->keys[i]);
	}
	for (int i = 0; i < source->nkeys; i++)
	{
		Key *key = &page->keys[page->nkeys++];

		key->sql = source->keys[i].sql;
		key->type = source->keys[i].type;
		key->not_null = true;
		key->descending = query->id_descending;
		if (parts != NULL)
			key->after = parts[i];
	}
}

static Oid
param_type(Oid type)
{
	return type == FLOAT4OID ? FLOAT8OID : type == VARCHAROID ? TEXTOID : type;
}

/*
 * Appends a comparison of a key with its value in the last row of the previous
 * page.
 */
static void
append_compare(KgSqlBuilder *b, const Key *key, int strategy)
{
	int n = kg_vparam(b, param_type(key->type), key->after);

	if (n == 0)
		elog(ERROR, "value of a cursor is not valid");
	kg_sql_append(
		b, "%s %s $%d", key->sql, kg_voperator(key->type, strategy), n);
}

/*
 * Appends the condition that a row is after the last row of the previous page.
 * Compares the keys from index i on.
 */
static void
append_after(KgSqlBuilder *b, const RowPage *page, int i)
{
	const Key *key = &page->keys[i];

	kg_sql_append(b, "(");
	if (key->after_missing)
		kg_sql_append(b, "false");
	else
	{
		append_compare(b,
					   key,
					   key->descending ? BTLessStrategyNumber
									   : BTGreaterStrategyNumber);
		if (!key->not_null)
			kg_sql_append(b, " OR %s IS NULL", key->sql);
	}
	if (i + 1 < page->nkeys)
	{
		kg_sql_append(b, " OR (");
		if (key->after_missing)
			kg_sql_append(b, "%s IS NULL", key->sql);
		else
			append_compare(b, key, BTEqualStrategyNumber);
		kg_sql_append(b, " AND ");
		append_after(b, page, i + 1);
		kg_sql_append(b, ")");
	}
	kg_sql_append(b, ")");
}

static void
append_cursor(KgSqlBuilder *b, const RowPage *page)
{
	const Key *first = &page->keys[0];

	if (page->query->after == NULL)
		return;
	/*
	 * Add a bound on the first key alone, because an index can serve this
	 * bound.
	 */
	if (first->not_null && page->nkeys > 1)
	{
		kg_sql_append(b, " AND ");
		append_compare(b,
					   first,
					   first->descending ? BTLessEqualStrategyNumber
										 : BTGreaterEqualStrategyNumber);
	}
	kg_sql_append(b, " AND ");
	append_after(b, page, 0);
}

static void
append_order(KgSqlBuilder *b, const RowPage *page)
{
	for (int i = 0; i < page->nkeys; i++)
	{
		const Key *key = &page->keys[i];

		kg_sql_append(b,
					  "%s%s%s%s",
					  i > 0 ? ", " : " ORDER BY ",
					  key->sql,
					  key->descending ? " DESC" : "",
					  key->not_null		? ""
					  : key->descending ? " NULLS LAST"
										: "");
	}
}

static bool
take_row(TupleTableSlot *slot, void *arg)
{
	RowPage *page = arg;
	int nsort = page->query->nsort;
	KgRow *row = palloc0(offsetof(KgRow, keys) + nsort * sizeof(bytea *));

	row->entity_id = TextDatumGetCString(kg_slot_datum(slot, 1));
	row->data = kg_vdocument_of(page->source, slot, 2, row->entity_id);
	for (int i = 0; i < nsort; i++)
	{
		bool isnull;
		Datum text = slot_getattr(slot, 2 + page->ndocument + i, &isnull);

		row->keys[i] = make_key(
			isnull ? text : PointerGetDatum(PG_DETOAST_DATUM_PACKED(text)),
			isnull);
	}
	if (page->n == page->room)
	{
		page->room *= 2;
		page->rows = repalloc(page->rows, page->room * sizeof(KgRow *));
	}
	page->rows[page->n++] = row;
	return true;
}

static void
append_from(KgSqlBuilder *b, const KgListQuery *query, const KgVSource *source)
{
	kg_vfrom(b, source, query->among_ids, (int) query->namong, query->filter);
}

static List *
add_column(List *columns, const KgVColumn *column)
{
	ListCell *lc;

	if (column->sql == NULL)
		return columns;
	for (int i = 0; i < column->nkeys; i++)
		columns = add_column(columns, &column->keys[i]);
	if (column->nkeys > 0)
		return columns;
	foreach(lc, columns)
		if (strcmp(lfirst(lc), column->sql) == 0)
			return columns;
	return lappend(columns, (void *) column->sql);
}

/* Appends the columns that expressions of the source refer to. */
static void
append_columns(KgSqlBuilder *b, const KgVSource *source)
{
	List *columns = NIL;
	ListCell *lc;

	if (source->table == NULL)
	{
		kg_sql_append(b, "t.*");
		return;
	}
	for (int i = 0; i < source->nkeys; i++)
		columns = add_column(columns, &source->keys[i]);
	for (int i = 0; i < source->type->nfields; i++)
		columns = add_column(columns, &source->columns[i]);
	foreach(lc, columns)
		kg_sql_append(b,
					  "%s%s",
					  foreach_current_index(lc) > 0 ? ", " : "",
					  (char *) lfirst(lc));
}

/*
 * Reads a page. All rows are sorted first; then documents are made only of the
 * rows of the page.
 */
static void
read_page(RowPage *page)
{
	const KgListQuery *query = page->query;
	KgSqlBuilder b;

	kg_sql_start(&b, query->catalog);
	make_keys(page, &b);
	kg_sql_append(&b, "SELECT %s", page->source->id);
	page->ndocument = kg_vdocument(&b, page->source);
	for (int i = 0; i < query->nsort; i++)
		kg_sql_append(&b,
					  ", pg_catalog.to_jsonb(%s) OPERATOR(pg_catalog.#>>) "
					  "'{}'::pg_catalog.text[]",
					  page->keys[i].sql);
	kg_sql_append(&b, " FROM (SELECT ");
	append_columns(&b, page->source);
	append_from(&b, query, page->source);
	append_cursor(&b, page);
	append_order(&b, page);
	kg_sql_append(&b,
				  " LIMIT $%d OFFSET $%d) t",
				  kg_sql_param_int64(&b, query->limit + 1),
				  kg_sql_param_int64(&b, query->offset));
	kg_virtual_run(page->source, &b, false, take_row, page);
}

static bool
take_count(TupleTableSlot *slot, void *arg)
{
	*(int64 *) arg = DatumGetInt64(kg_slot_datum(slot, 1));
	return false;
}

static int64
count_rows(const KgListQuery *query, const KgVSource *source, int64 max)
{
	int64 count = 0;
	KgSqlBuilder b;

	kg_sql_start(&b, query->catalog);
	kg_sql_append(&b, "SELECT pg_catalog.count(*) FROM (SELECT");
	append_from(&b, query, source);
	kg_sql_append(&b, " LIMIT $%d) c", kg_sql_param_int64(&b, max));
	kg_virtual_run(source, &b, false, take_count, &count);
	return count;
}

/*
 * Sets the total number of rows in the same way as the native engine
 * (query/list/list.c).
 */
static void
set_total(const RowPage *rows, KgListPage *page)
{
	const KgListQuery *query = rows->query;
	int64 max = kg_setting_max_total;

	page->total_known = true;
	if (query->after != NULL && query->counted)
	{
		page->total = query->total;
		page->total_known = query->total_known;
	}
	else if (!page->more && query->after == NULL &&
			 (rows->n > 0 || query->offset == 0))
		page->total = query->offset + rows->n;
	else if (max == 0 || query->uncounted)
		page->total = -1;
	else
	{
		page->total = count_rows(query, rows->source, max + 1);
		page->total_known = page->total <= max;
		if (!page->total_known)
			page->total = max;
	}
}

KgListPage *
kg_virtual_list(const KgListQuery *query, const KgVSource *source)
{
	KgListPage *page = palloc0(sizeof(*page));
	RowPage rows = {query, source};

	rows.room = 16;
	rows.rows = palloc(rows.room * sizeof(KgRow *));
	read_page(&rows);
	page->more = rows.n > query->limit;
	page->nrows = Min(rows.n, (int) query->limit);
	page->rows = rows.rows;
	if (page->nrows > 0)
		page->last = page->rows[page->nrows - 1];
	set_total(&rows, page);
	return page;
}

bool
kg_virtual_fits(const KgListQuery *query, const KgVSource *source)
{
	for (int i = 0; i < query->nsort; i++)
	{
		const KgSort *sort = &query->sort[i];
		const KgVColumn *column;

		if (sort->through != NULL || sort->counts || sort->field->by_version)
			return false;
		column = kg_vsource_column(source, sort->field);
		if (column->sql == NULL ||
			kg_voperator(column->type, BTLessStrategyNumber) == NULL)
			return false;
	}
	return kg_vfilter_fits(source, query->filter);
}

/* ---- entities by id ---- */

typedef struct Gets
{
	const KgVSource *source;
	KgGot **sorted; /* sorted by id */
	int n;
} Gets;

static int
compare_got(const void *pa, const void *pb)
{
	return strcmp((*(KgGot *const *) pa)->id, (*(KgGot *const *) pb)->id);
}

static bool
take_entity(TupleTableSlot *slot, void *arg)
{
	Gets *gets = arg;
	const char *id = TextDatumGetCString(kg_slot_datum(slot, 1));

	int low = 0;
	int high = gets->n;

	while (low < high)
	{
		int middle = low + (high - low) / 2;

		if (strcmp(gets->sorted[middle]->id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < gets->n && strcmp(gets->sorted[low]->id, id) == 0; low++)
		gets->sorted[low]->data = kg_vdocument_of(gets->source, slot, 2, id);
	return true;
}

KgGot *
kg_virtual_get(const KgVSource *source, char **ids, int n)
{
	KgGot *got = palloc0(Max(1, n) * sizeof(KgGot));
	Gets gets = {source, palloc(Max(1, n) * sizeof(KgGot *)), n};
	KgSqlBuilder b;

	for (int i = 0; i < n; i++)
	{
		got[i].id = ids[i];
		got[i].index = i;
		gets.sorted[i] = &got[i];
	}
	qsort(gets.sorted, n, sizeof(KgGot *), compare_got);
	kg_sql_start(&b, source->catalog);
	kg_sql_append(&b, "SELECT %s", source->id);
	(void) kg_vdocument(&b, source);
	kg_vfrom(&b, source, ids, n, NULL);
	kg_virtual_run(source, &b, true, take_entity, &gets);
	return got;
}

char *
kg_vproperties(const KgVSource *source)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < source->type->nfields - 2; i++)
	{
		const KgField *field = &source->type->fields[i];

		if (source->columns[i].sql != NULL && field->nsteps == 1)
			appendStringInfo(&sql,
							 "%s(%s, %s)",
							 sql.len > 0 ? ", " : "",
							 quote_literal_cstr(field->name),
							 kg_vjson(&source->columns[i]));
	}
	if (sql.len == 0)
		return "NULL::pg_catalog.jsonb";
	return psprintf("(SELECT pg_catalog.jsonb_object_agg(p.name, p.value) "
					"FROM (VALUES %s) p(name, value) "
					"WHERE p.value IS NOT NULL)",
					sql.data);
}
