/*
 * bundle/suggest.c
 *	  Suggests a bundle for the tables of a schema: kg_suggest_bindings().
 *
 * A table with a primary key becomes a type. It becomes a relation instead if
 * its primary key consists of two foreign keys, the table has no other foreign
 * key, and no table refers to it.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/spi.h"
#include "miscadmin.h"
#include "model/bound_table.h"
#include "store/bundle/bind.h"
#include "store/bundle/binding_draft.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* SQLSTATE of notices that kgctl shows. */
#define KG_NOTE_STATE MAKE_SQLSTATE('K', 'G', 'N', 'O', 'T')

typedef struct Suggestion
{
	KgBindingDraft draft;
	bool is_relation;
} Suggestion;

/*
 * Returns whether the text of the id's columns does not depend on settings of
 * the session. If it does, sends a notice that the table is left out.
 */
static bool
has_id(const KgBindingDraft *draft)
{
	for (int i = 0; i < draft->nid; i++)
		for (int j = 0; j < draft->ncolumns; j++)
			if (strcmp(draft->columns[j].name, draft->id[i]) == 0 &&
				!kg_bound_is_key(draft->columns[j].type))
			{
				ereport(NOTICE,
						errcode(KG_NOTE_STATE),
						errmsg("table %s is left out: type %s of column \"%s\" "
							   "cannot be the type of an id",
							   draft->table,
							   format_type_be(draft->columns[j].type),
							   draft->id[i]));
				return false;
			}
	return true;
}

/* Returns the mapping for the table in a row of read_tables(). */
static Jsonb *
mapping_of(const JsonbContainer *options, uint64 row)
{
	static const char *const names[] = {"shared", "tenant_column"};
	bool no_label;
	bool no_tenant;
	Datum label = kg_spi_value(row, 2, &no_label);
	JsonbValue value;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	if (!no_label)
		kg_jw_kstring(&w, "label", TextDatumGetCString(label));
	(void) kg_spi_value(row, 3, &no_tenant);
	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_get(options, names[i], &value) && (i == 0 || !no_tenant))
		{
			kg_jw_key(&w, names[i]);
			kg_jw_value(&w, &value);
		}
	return kg_jw_finish(&w);
}

/*
 * Reads the tables whose primary key the caller may read. Each row also has a
 * column that may serve as label, and the tenant's column if the table has it.
 */
static void
read_tables(const char *schema, const char *tenant_column)
{
	KG_SPI_EXEC(
		"SELECT format('%I.%I', n.nspname, c.relname), "
		"(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid "
		"AND a.atttypid IN ('text'::regtype, 'varchar'::regtype) "
		"AND (a.attname IN ('name', 'title', 'label', 'full_name') "
		"OR a.attname = c.relname OR (a.attnum <= 4 AND a.attname ~* "
		"'_(name|title|label)$')) "
		"AND has_column_privilege(c.oid, a.attnum, 'SELECT') "
		"ORDER BY a.attname NOT IN ('name', 'title', 'label', 'full_name'), "
		"a.attname <> c.relname, "
		"a.attname ~* '^(first|middle|given|user|login)_', a.attnum LIMIT 1), "
		"(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid "
		"AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = $2 "
		"AND has_column_privilege(c.oid, a.attnum, 'SELECT')) "
		"FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
		"WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') "
		"AND NOT c.relispartition "
		"AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid "
		"AND i.indisprimary AND NOT EXISTS "
		"(SELECT FROM unnest(i.indkey::int2[]) k "
		"WHERE NOT has_column_privilege(c.oid, k, 'SELECT'))) "
		"AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = "
		"'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') "
		"AND has_schema_privilege(n.oid, 'USAGE') ORDER BY c.relname",
		kg_arg_text(schema),
		kg_arg_text(tenant_column));
}

/* ---- relations ---- */

static bool
is_in(const KgDraftKey *key, const char *column)
{
	for (int i = 0; i < key->ncolumns; i++)
		if (strcmp(key->columns[i], column) == 0)
			return true;
	return false;
}

static bool
is_referred(Oid relid)
{
	KG_SPI_EXEC("SELECT FROM pg_constraint WHERE confrelid = $1 "
				"AND contype = 'f' LIMIT 1",
				kg_arg(OIDOID, ObjectIdGetDatum(relid)));
	return SPI_processed > 0;
}

/* Returns whether the rows of the table are edges between two tables. */
static bool
joins_two(const KgBindingDraft *draft)
{
	const KgDraftKey *keys[2];

	if (list_length(draft->foreign_keys) != 2)
		return false;
	for (int i = 0; i < 2; i++)
	{
		keys[i] = list_nth(draft->foreign_keys, i);
		if (kg_draft_target(draft, keys[i]) == NULL)
			return false;
	}
	if (keys[0]->ncolumns + keys[1]->ncolumns != draft->nid)
		return false;
	for (int i = 0; i < draft->nid; i++)
		if (is_in(keys[0], draft->id[i]) == is_in(keys[1], draft->id[i]))
			return false;
	return !is_referred(draft->relid);
}

/* ---- names ---- */

static bool
is_type_name(const List *drafts, const KgBindingDraft *until, const char *name)
{
	ListCell *lc;

	foreach(lc, drafts)
	{
		const KgBindingDraft *draft = lfirst(lc);

		if (draft == until)
			return false;
		if (strcmp(draft->type, name) == 0)
			return true;
	}
	return false;
}

/* Adds a number to a type's name if an earlier draft's type has the name. */
static void
name_types(const List *drafts)
{
	ListCell *lc;

	foreach(lc, drafts)
	{
		KgBindingDraft *draft = lfirst(lc);
		const char *name = draft->type;

		for (int n = 2; is_type_name(drafts, draft, draft->type); n++)
			draft->type = psprintf("%s_%d", name, n);
	}
}

/* Returns whether a property of a suggested type has the relation "name". */
static bool
is_relation_name(const Suggestion *all, int n, const char *name)
{
	for (int i = 0; i < n; i++)
	{
		ListCell *lc;

		foreach(lc, all[i].draft.references)
			if (strcmp(((KgDraftReference *) lfirst(lc))->relation, name) == 0)
				return true;
	}
	return false;
}

static const char *
relation_name(const Suggestion *all, int n, const KgBindingDraft *draft)
{
	char *name = pstrdup(draft->type);

	for (char *p = name; *p; p++)
		*p = pg_ascii_toupper((unsigned char) *p);
	return is_relation_name(all, n, name) ? psprintf("%s_ROW", name) : name;
}

/* ---- the bundle ---- */

static void
write_all(KgJsonWriter *w, const Suggestion *all, int n)
{
	kg_draft_write_bundle(w, &all[0].draft);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!all[i].is_relation)
			kg_draft_write_type(w, &all[i].draft);
	}
	kg_jw_end_array(w);
	kg_jw_kbegin_array(w, "relations");
	for (int i = 0; i < n; i++)
	{
		const KgBindingDraft *draft = &all[i].draft;
		const KgDraftKey *first;
		const KgDraftKey *second;

		if (!all[i].is_relation)
			continue;
		CHECK_FOR_INTERRUPTS();
		first = linitial(draft->foreign_keys);
		second = lsecond(draft->foreign_keys);
		/*
		 * The foreign key that contains the id's first column is the source.
		 */
		if (!is_in(first, draft->id[0]))
		{
			second = first;
			first = lsecond(draft->foreign_keys);
		}
		kg_draft_write_relation(
			w, draft, relation_name(all, n, draft), first, second);
	}
	kg_jw_end_array(w);
	kg_jw_kbegin_array(w, "entities");
	kg_jw_end_array(w);
}

/*
 * Returns the drafts of those tables that were read and have an id. Sets *n to
 * their number.
 */
static Suggestion *
make_drafts(const KgCatalog *catalog, const char *bundle,
			const JsonbContainer *options, int *n)
{
	Suggestion *all;
	char **tables;
	Jsonb **mappings;

	int ntables = SPI_processed;

	*n = 0;
	all = palloc0((ntables + 1) * sizeof(Suggestion));
	tables = palloc((ntables + 1) * sizeof(char *));
	mappings = palloc((ntables + 1) * sizeof(Jsonb *));
	for (int i = 0; i < ntables; i++)
	{
		tables[i] = kg_spi_cstring(i, 1);
		mappings[i] = mapping_of(options, i);
	}
	for (int i = 0; i < ntables; i++)
	{
		CHECK_FOR_INTERRUPTS();
		kg_draft_begin(&all[*n].draft, catalog, bundle, tables[i], mappings[i]);
		*n += has_id(&all[*n].draft);
	}
	return all;
}

Jsonb *
kg_suggest_bindings(const char *schema, const Jsonb *options)
{
	static const char *const known[] = {
		"bundle", "shared", "tenant_column", NULL};
	const JsonbContainer *root = &options->root;
	const KgCatalog *catalog = kg_catalog_newest(
		kg_identity_require(KG_ACCESS_READ));
	const char *bundle;
	List *drafts = NIL;
	Suggestion *all;
	int n;
	KgJsonWriter w;

	kg_check_options(options, known);
	bundle = kg_draft_string(root, "bundle", "");
	read_tables(schema, kg_draft_string(root, "tenant_column", ""));
	all = make_drafts(catalog, bundle ? bundle : schema, root, &n);
	if (n == 0)
		kg_draft_throw("/schema",
					   "a schema with tables that the caller may read");
	for (int i = 0; i < n; i++)
		drafts = lappend(drafts, &all[i].draft);
	name_types(drafts);
	for (int i = 0; i < n; i++)
		all[i].draft.others = drafts;
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		all[i].is_relation = joins_two(&all[i].draft);
		if (!all[i].is_relation)
			kg_draft_refer(&all[i].draft);
	}
	write_all(&w, all, n);
	return kg_jw_finish(&w);
}
