/*
 * views.c
 *	  Creates and changes the views of a tenant.
 *
 * The caller owns the views. Each statement runs as the caller, so the caller
 * needs only the rights of an owner of views. Calls for one tenant run one
 * after the other (kg_lock_views()), and use the catalog as it is after that
 * lock. A view keeps its name. If an object in the schema already has the name
 * of a new view, the name of the bundle is put before it.
 *
 * CREATE OR REPLACE VIEW preserves the objects that depend on a view, but it
 * can only append columns. For any other change, the view is dropped and
 * created again, with the privileges and options of the old view. If other
 * objects depend on the old view, it is not changed.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/catalog.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/view/view_sql.h"
#include "store/view/views.h"
#include "utils/builtins.h"
#include "utils/guc.h"

/* A stored view. */
typedef struct Found
{
	Oid relid;
	const char *name;
	const char *kind;
	const char *bundle;
	const char *of;
	const char *made;
	/* options other than kg_graph's, each preceded by a comma */
	const char *options;
	const char *owner; /* owner as an SQL identifier; NULL: the caller */
	/* the owner is the caller, or a role that has the caller as a member */
	bool owned;
	bool wanted;
} Found;

typedef struct Kept
{
	const char *view;
	const char *reason;
	List *dependents; /* objects that depend on the view: List of char * */
} Kept;

typedef struct Making
{
	const KgCatalog *catalog;
	const char *schema;
	bool dry_run;
	List *found;   /* stored views: List of Found * */
	List *taken;   /* names of all objects in the schema: List of char * */
	List *created; /* names of views that were created: List of char * */
	List *changed;
	List *dropped;
	List *kept; /* views that could not be changed: List of Kept * */
	int unchanged;
} Making;

static void
run(const Making *making, const char *sql)
{
	MemoryContext caller = CurrentMemoryContext;
	int rc;

	if (making->dry_run)
		return;
	rc = SPI_execute(sql, false, 0);
	MemoryContextSwitchTo(caller);
	if (rc < 0)
		elog(ERROR, "\"%s\" failed: %s", sql, SPI_result_code_string(rc));
}

static char *
qualified(const Making *making, const char *name)
{
	return quote_qualified_identifier(making->schema, name);
}

static const char *
comment_literal(const char *comment)
{
	return comment ? quote_literal_cstr(comment) : "NULL";
}

/* ---- stored views ---- */

/*
 * Finds views of kg_graph by their dependency on kg_view_row(). Their type or
 * relation is taken from the query text that PostgreSQL prints.
 */
static const char find_views[] =
	"SELECT c.oid::bigint, c.relname::text, m[1], m[2], m[3], m[4], "
	"(SELECT coalesce(string_agg(format(', %I = %L', option_name, "
	"option_value), ''), '') FROM pg_options_to_table(c.reloptions) "
	"WHERE option_name <> 'security_invoker'), "
	"CASE WHEN pg_get_userbyid(c.relowner) <> current_user "
	"THEN quote_ident(pg_get_userbyid(c.relowner)) END, "
	"pg_has_role(c.relowner, 'USAGE')::int::bigint "
	"FROM pg_class c CROSS JOIN LATERAL regexp_match("
	"pg_get_viewdef(c.oid), "
	"E'kg_view_row[(](?:\\\\w+[.])?node, ''(type|relation)''::text, "
	"''([^'']+)''::text, "
	"''([^'']+)''::text, ''([0-9a-f]+-[0-9a-f]+)''::text[)]') m "
	"WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) "
	"AND c.relkind = 'v' AND EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d "
	"ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid "
	"AND d.refclassid = 'pg_proc'::regclass JOIN pg_proc p "
	"ON p.oid = d.refobjid AND p.proname = 'kg_view_row' "
	"AND p.pronamespace = $2 WHERE r.ev_class = c.oid) "
	"AND m[4] LIKE $3 || '-%' ORDER BY c.relname";

static void
find(Making *making)
{
	KG_SPI_EXEC(find_views,
				kg_arg_text(making->schema),
				kg_arg(OIDOID, ObjectIdGetDatum(kg_extension_schema())),
				kg_arg_text(kg_view_tenant(making->catalog->tenant)));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Found *found = palloc0(sizeof(*found));

		found->relid = (Oid) kg_spi_int64(i, 1);
		found->name = kg_spi_cstring(i, 2);
		found->kind = kg_spi_cstring(i, 3);
		found->bundle = kg_spi_cstring(i, 4);
		found->of = kg_spi_cstring(i, 5);
		found->made = kg_spi_cstring(i, 6);
		found->options = kg_spi_cstring(i, 7);
		found->owner = kg_spi_cstring(i, 8);
		found->owned = kg_spi_int64(i, 9) != 0;
		making->found = lappend(making->found, found);
	}
}

static void
find_taken(Making *making)
{
	KG_SPI_EXEC("SELECT typname::text FROM pg_type t JOIN pg_namespace n "
				"ON n.oid = t.typnamespace WHERE n.nspname = $1 UNION "
				"SELECT relname::text FROM pg_class c JOIN pg_namespace n "
				"ON n.oid = c.relnamespace WHERE n.nspname = $1",
				kg_arg_text(making->schema));
	for (uint64 i = 0; i < SPI_processed; i++)
		making->taken = lappend(making->taken, kg_spi_cstring(i, 1));
}

/*
 * Returns the objects that a DROP of the view would drop, or that would make
 * the DROP fail.
 */
static List *
dependents_of(const Found *found)
{
	List *result = NIL;

	KG_SPI_EXEC(
		"SELECT DISTINCT CASE WHEN r.rulename = '_RETURN' THEN "
		"pg_describe_object('pg_class'::regclass, r.ev_class, 0) ELSE "
		"pg_describe_object(d.classid, d.objid, d.objsubid) END "
		"FROM pg_depend d LEFT JOIN pg_rewrite r "
		"ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid "
		"WHERE ((d.refclassid = 'pg_class'::regclass AND d.refobjid = $1) "
		"OR (d.refclassid = 'pg_type'::regclass AND d.refobjid IN "
		"(SELECT t.oid FROM pg_type t JOIN pg_class c "
		"ON t.oid = c.reltype OR t.typelem = c.reltype WHERE c.oid = $1))) "
		"AND NOT (r.rulename IS NOT NULL AND r.rulename = '_RETURN' "
		"AND r.ev_class = $1) AND d.deptype <> 'i' ORDER BY 1",
		kg_arg(OIDOID, ObjectIdGetDatum(found->relid)));
	for (uint64 i = 0; i < SPI_processed; i++)
		result = lappend(result, kg_spi_cstring(i, 1));
	return result;
}

/*
 * Returns the view's security labels. Only the label's provider can set them
 * on another view.
 */
static List *
labels_of(const Found *found)
{
	List *result = NIL;

	KG_SPI_EXEC("SELECT DISTINCT 'security label of ' || provider "
				"FROM pg_seclabel WHERE classoid = 'pg_class'::regclass "
				"AND objoid = $1 ORDER BY 1",
				kg_arg(OIDOID, ObjectIdGetDatum(found->relid)));
	for (uint64 i = 0; i < SPI_processed; i++)
		result = lappend(result, kg_spi_cstring(i, 1));
	return result;
}

/* A privilege on a view or on one of its columns. */
typedef struct Grant
{
	/* name of the column; NULL: the privilege is on the view */
	const char *column;
	const char *grantee;
	const char *sql; /* GRANT statement for the privilege */
} Grant;

/* Returns the privileges that were granted on the view of this name. */
static List *
grants_on(const Making *making, const char *name)
{
	List *result = NIL;

	KG_SPI_EXEC(
		"SELECT p.attname, g.role, format('GRANT %s%s ON %s TO %s%s', "
		"a.privilege_type, ' (' || quote_ident(p.attname) || ')', "
		"$3, g.role, "
		"CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END) "
		"FROM pg_class c CROSS JOIN LATERAL (SELECT NULL, c.relacl "
		"UNION ALL SELECT attname::text, attacl FROM pg_attribute "
		"WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) "
		"p(attname, acl) CROSS JOIN LATERAL aclexplode(p.acl) a "
		"CROSS JOIN LATERAL (SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' "
		"ELSE a.grantee::regrole::text END) g(role) "
		"WHERE c.relnamespace = (SELECT oid FROM pg_namespace "
		"WHERE nspname = $1) AND c.relname = $2 "
		"AND a.grantee <> c.relowner",
		kg_arg_text(making->schema),
		kg_arg_text(name),
		kg_arg_text(qualified(making, name)));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Grant *grant = palloc(sizeof(*grant));

		grant->column = kg_spi_cstring(i, 1);
		grant->grantee = kg_spi_cstring(i, 2);
		grant->sql = kg_spi_cstring(i, 3);
		result = lappend(result, grant);
	}
	return result;
}

/*
 * Returns the columns of a view: first the columns of the stored view in their
 * order, then new columns. Returns NIL if a stored column is no longer there
 * or has another type.
 */
static List *
columns_for(const Found *found, const KgView *view)
{
	List *result = NIL;
	ListCell *lc;

	KG_SPI_EXEC("SELECT attname::text, format_type(atttypid, atttypmod) "
				"FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 "
				"AND NOT attisdropped ORDER BY attnum",
				kg_arg(OIDOID, ObjectIdGetDatum(found->relid)));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		const char *name = kg_spi_cstring(i, 1);
		KgViewColumn *same = NULL;

		foreach(lc, view->columns)
		{
			KgViewColumn *column = lfirst(lc);

			if (strcmp(column->name, name) == 0 &&
				strcmp(column->type, kg_spi_cstring(i, 2)) == 0)
				same = column;
		}
		if (same == NULL)
			return NIL;
		result = lappend(result, same);
	}
	foreach(lc, view->columns)
		result = list_append_unique_ptr(result, lfirst(lc));
	return result;
}

/* ---- names ---- */

static bool
is_listed(List *names, const char *name)
{
	ListCell *lc;

	foreach(lc, names)
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	return false;
}

static int
views_named(List *views, const char *name)
{
	int n = 0;
	ListCell *lc;

	foreach(lc, views)
		n += strcmp(kg_view_identifier(((KgView *) lfirst(lc))->of), name) == 0;
	return n;
}

static void
choose_name(Making *making, List *new_views, KgView *view)
{
	char *name = kg_view_identifier(view->of);

	if (views_named(new_views, name) > 1 || is_listed(making->taken, name))
	{
		const char *full = psprintf("%s_%s", view->bundle, view->of);

		name = kg_view_identifier(full);
		if (strcmp(name, full) != 0 || is_listed(making->taken, name))
			name = kg_view_identifier_of(
				full, psprintf("%s %s/%s", view->kind, view->bundle, view->of));
	}
	view->name = name;
	making->taken = lappend(making->taken, name);
}

/* ---- changes ---- */

static void
put_comments(const Making *making, const KgView *view)
{
	const char *name = qualified(making, view->name);
	ListCell *lc;

	run(making,
		psprintf(
			"COMMENT ON VIEW %s IS %s", name, comment_literal(view->comment)));
	foreach(lc, view->columns)
	{
		const KgViewColumn *column = lfirst(lc);

		run(making,
			psprintf("COMMENT ON COLUMN %s.%s IS %s",
					 name,
					 quote_identifier(column->name),
					 comment_literal(column->comment)));
	}
}

/*
 * Creates or replaces a view with these columns. The text "how" is CREATE or
 * CREATE OR REPLACE. If found is not NULL, the view gets the options of that
 * stored view.
 */
static void
create(const Making *making, const KgView *view, List *columns, const char *how,
	   const Found *found)
{
	run(making,
		psprintf("%s VIEW %s WITH (security_invoker = true%s) AS %s",
				 how,
				 qualified(making, view->name),
				 found ? found->options : "",
				 kg_view_query(making->catalog, view, columns, NULL)));
	put_comments(making, view);
}

static void
drop(const Making *making, const char *name)
{
	run(making, psprintf("DROP VIEW %s", qualified(making, name)));
}

static void
keep(Making *making, const Found *found, const char *reason, List *dependents)
{
	Kept *kept = palloc(sizeof(*kept));

	kept->view = found->name;
	kept->reason = reason;
	kept->dependents = dependents;
	making->kept = lappend(making->kept, kept);
}

static bool
has_column(const KgView *view, const char *name)
{
	ListCell *lc;

	foreach(lc, view->columns)
		if (strcmp(((KgViewColumn *) lfirst(lc))->name, name) == 0)
			return true;
	return false;
}

/*
 * Revokes the default privileges on a new view, and grants the privileges that
 * the old view had. Omits privileges on columns that the new view lacks.
 */
static void
restore_grants(const Making *making, const KgView *view, List *grants)
{
	ListCell *lc;

	foreach(lc, grants_on(making, view->name))
		run(making,
			psprintf("REVOKE ALL ON %s FROM %s",
					 qualified(making, view->name),
					 ((Grant *) lfirst(lc))->grantee));
	foreach(lc, grants)
	{
		const Grant *grant = lfirst(lc);

		if (grant->column == NULL || has_column(view, grant->column))
			run(making, grant->sql);
	}
}

/*
 * Drops a view and creates it again. Returns false if it must not be dropped:
 * it is owned by another role, has security labels, or other objects depend on
 * it. The view is then left unchanged and reported.
 */
static bool
make_anew(Making *making, const Found *found, const KgView *view)
{
	const char *reason = "its columns change";
	List *dependents = list_concat(dependents_of(found), labels_of(found));
	List *grants;

	if (found->owner != NULL)
		reason = psprintf("%s, and it is owned by %s", reason, found->owner);
	if (dependents != NIL || found->owner != NULL)
	{
		keep(making, found, reason, dependents);
		return false;
	}
	grants = grants_on(making, found->name);
	drop(making, found->name);
	create(making, view, view->columns, "CREATE", found);
	restore_grants(making, view, grants);
	return true;
}

static void
change(Making *making, const Found *found, KgView *view)
{
	List *columns = columns_for(found, view);

	view->name = found->name;
	if (columns == NIL)
	{
		if (!make_anew(making, found, view))
			return;
	}
	else if (found->owned)
		create(making, view, columns, "CREATE OR REPLACE", found);
	else
	{
		keep(making, found, psprintf("it is owned by %s", found->owner), NIL);
		return;
	}
	making->changed = lappend(making->changed, (char *) found->name);
}

static Found *
found_of(const Making *making, const KgView *view)
{
	ListCell *lc;

	foreach(lc, making->found)
	{
		Found *found = lfirst(lc);

		if (!found->wanted && strcmp(found->kind, view->kind) == 0 &&
			strcmp(found->bundle, view->bundle) == 0 &&
			strcmp(found->of, view->of) == 0)
			return found;
	}
	return NULL;
}

static void
drop_gone(Making *making)
{
	ListCell *lc;

	foreach(lc, making->found)
	{
		const Found *found = lfirst(lc);
		List *dependents;

		if (found->wanted)
			continue;
		dependents = dependents_of(found);
		if (dependents != NIL)
		{
			keep(making,
				 found,
				 psprintf("there is no %s %s/%s",
						  found->kind,
						  found->bundle,
						  found->of),
				 dependents);
			continue;
		}
		drop(making, found->name);
		making->dropped = lappend(making->dropped, (char *) found->name);
	}
}

static void
make(Making *making)
{
	List *views = kg_view_list(making->catalog);
	List *new_views = NIL;
	ListCell *lc;

	find(making);
	foreach(lc, views)
	{
		KgView *view = lfirst(lc);
		Found *found = found_of(making, view);

		if (found == NULL)
		{
			new_views = lappend(new_views, view);
			continue;
		}
		found->wanted = true;
		if (strcmp(found->made, view->made) == 0)
			making->unchanged++;
		else
			change(making, found, view);
	}
	drop_gone(making);
	find_taken(making);
	foreach(lc, new_views)
		choose_name(making, new_views, lfirst(lc));
	foreach(lc, new_views)
	{
		const KgView *view = lfirst(lc);

		create(making, view, view->columns, "CREATE", NULL);
		making->created = lappend(making->created, (char *) view->name);
	}
}

/* ---- the schema, and the reply ---- */

static char *
schema_of_tenant(const char *tenant)
{
	StringInfoData name;

	initStringInfo(&name);
	/* Names that begin with pg_ are reserved. */
	if (pg_strncasecmp(tenant, "pg_", 3) == 0 ||
		!((tenant[0] >= 'a' && tenant[0] <= 'z') ||
		  (tenant[0] >= 'A' && tenant[0] <= 'Z')))
		appendStringInfoString(&name, "t_");
	for (const char *p = tenant; *p; p++)
	{
		unsigned char c = pg_tolower((unsigned char) *p);

		appendStringInfoChar(
			&name,
			(c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? (char) c : '_');
	}
	return name.len < NAMEDATALEN ? name.data : kg_view_identifier(name.data);
}

/*
 * Raises an error for a name that PostgreSQL would truncate, because the reply
 * would then contain a wrong name of the schema.
 */
static void
require_name(const char *schema)
{
	if (schema[0] != '\0' && strlen(schema) < NAMEDATALEN)
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf(
				 "the name of a schema has %d bytes; 1 to %d are allowed",
				 (int) strlen(schema),
				 NAMEDATALEN - 1),
			 .path = "/schema",
			 .got_string = schema,
			 .expected = "a shorter name, or NULL for the tenant's name");
}

/*
 * Returns whether the schema exists. Raises an error if it exists and the
 * caller does not own it.
 */
static bool
has_schema(const char *schema)
{
	require_name(schema);
	KG_SPI_EXEC("SELECT pg_get_userbyid(nspowner) = current_user "
				"FROM pg_namespace WHERE nspname = $1",
				kg_arg_text(schema));
	if (SPI_processed == 0)
		return false;
	if (DatumGetBool(kg_spi_datum(0, 1)))
		return true;
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf(
			"schema \"%s\" does not belong to the role that makes the views",
			schema),
		.path = "/schema",
		.got_string = schema,
		.expected = psprintf("a schema that %s owns, or a new one",
							 GetUserNameFromId(GetUserId(), false)));
}

/*
 * Pins the settings that affect the query of a view, or its text as PostgreSQL
 * prints it. Returns the nesting level of the settings, which AtEOXact_GUC()
 * needs to end the pinning.
 */
static int
pin_settings(void)
{
	int nest = NewGUCNestLevel();

	(void) kg_spi_pin_quotes();
	(void) kg_spi_pin_path();
	return nest;
}

static void
begin(Making *making, const Jsonb *options)
{
	static const char *const known[] = {"dry_run", NULL};
	const char *tenant = kg_identity_require(KG_ACCESS_READ);

	memset(making, 0, sizeof(*making));
	kg_check_options(options, known);
	making->dry_run = kg_option_is_on(options, "dry_run");
	kg_visibility_require_tenant("make views of it");
	kg_lock_views(tenant);
	making->catalog = kg_catalog_newest(tenant);
}

static void
put_reply(KgJsonWriter *w, const Making *making)
{
	ListCell *lc;

	kg_jw_begin_object(w);
	kg_jw_kstring(w, "schema", making->schema);
	kg_jw_klist(w, "created", making->created);
	kg_jw_klist(w, "changed", making->changed);
	kg_jw_klist(w, "dropped", making->dropped);
	kg_jw_kbegin_array(w, "kept");
	foreach(lc, making->kept)
	{
		const Kept *kept = lfirst(lc);

		kg_jw_begin_object(w);
		kg_jw_kstring(w, "view", kept->view);
		kg_jw_kstring(w, "reason", kept->reason);
		kg_jw_klist(w, "dependents", kept->dependents);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
	kg_jw_kint(w, "unchanged", making->unchanged);
	if (making->dry_run)
		kg_jw_kbool(w, "dry_run", true);
	kg_jw_end_object(w);
}

Jsonb *
kg_views_create(const char *schema, const Jsonb *options)
{
	Making making;
	KgJsonWriter w;
	int nest = pin_settings();

	begin(&making, options);
	making.schema = schema ? schema : schema_of_tenant(making.catalog->tenant);
	if (!has_schema(making.schema))
		run(&making,
			psprintf("CREATE SCHEMA %s", quote_identifier(making.schema)));
	make(&making);
	AtEOXact_GUC(true, nest);
	kg_jw_init(&w);
	put_reply(&w, &making);
	return kg_jw_finish(&w);
}

/* Returns the schemas of the caller that contain views of the tenant. */
static List *
schemas_of(const Making *making)
{
	static KgSaved saved;
	List *schemas = NIL;
	List *result = NIL;
	ListCell *lc;

	kg_spi_exec_args(&saved,
					 "SELECT nspname::text FROM pg_namespace "
					 "WHERE pg_get_userbyid(nspowner) = current_user "
					 "AND EXISTS (SELECT FROM pg_class WHERE relkind = 'v' "
					 "AND relnamespace = pg_namespace.oid) ORDER BY 1",
					 0,
					 NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
		schemas = lappend(schemas, kg_spi_cstring(i, 1));
	foreach(lc, schemas)
	{
		Making one = *making;

		one.schema = lfirst(lc);
		find(&one);
		if (one.found != NIL)
			result = lappend(result, lfirst(lc));
	}
	return result;
}

Jsonb *
kg_views_refresh(const char *schema, const Jsonb *options)
{
	Making making;
	KgJsonWriter w;
	List *schemas;
	ListCell *lc;
	int nest = pin_settings();

	begin(&making, options);
	if (schema == NULL)
		schemas = schemas_of(&making);
	else if (has_schema(schema))
		schemas = list_make1((char *) schema);
	else
		KG_THROW(KG_NOT_FOUND,
				 .message = psprintf("schema \"%s\" does not exist", schema),
				 .path = "/schema",
				 .got_string = schema,
				 .expected = "a schema that kg_create_views() made");
	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, "schemas");
	foreach(lc, schemas)
	{
		Making one = making;

		one.schema = lfirst(lc);
		make(&one);
		put_reply(&w, &one);
	}
	kg_jw_end_array(&w);
	kg_jw_end_object(&w);
	AtEOXact_GUC(true, nest);
	return kg_jw_finish(&w);
}
