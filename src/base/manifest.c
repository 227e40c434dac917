/*
 * manifest.c
 *	  Queries on kg_manifest, the list of objects that CREATE EXTENSION made.
 */
#include "postgres.h"

#include "base/manifest.h"
#include "base/spi.h"

/*
 * kg_manifest, with its columns named by position, because its own columns may
 * have been renamed or dropped.
 */
#define KG_MANIFEST "@kg_manifest m(on_table, kind, name, major, definition) "
/* The extension's schema, whatever its name. */
#define KG_MANIFEST_SCHEMA \
	"(SELECT relnamespace FROM pg_class WHERE oid = m.tableoid)"

/*
 * If a column is missing, the repair names the columns of its table that
 * kg_manifest does not list: the column may have been renamed to one of them.
 */
const char kg_manifest_columns_missing[] =
	"SELECT CASE WHEN t.oid IS NULL THEN format('table %s', m.on_table) "
	"ELSE format('column %s of %s', c.name, m.on_table) END, "
	"'it was renamed or dropped; what reads the table fails', "
	"CASE WHEN t.oid IS NULL THEN 'ALTER TABLE ... RENAME TO or SET SCHEMA, "
	"if it is elsewhere, or restore the database from before: what it held is "
	"lost' ELSE "
	"coalesce((SELECT format('ALTER TABLE %s RENAME COLUMN %s TO %I, if it is "
	"that', t.oid::regclass, string_agg(quote_ident(a.attname), ' or ' "
	"ORDER BY a.attnum), c.name) FROM pg_attribute a "
	"WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped "
	"AND a.attname <> ALL (m.columns) HAVING count(*) > 0), "
	"'restore the database from before: what it held is lost') END "
	"FROM (SELECT on_table, string_to_array(definition, ',') AS columns, "
	"tableoid FROM " KG_MANIFEST "WHERE kind = 'columns') m "
	"LEFT JOIN pg_class t ON t.relname = m.on_table "
	"AND t.relnamespace = " KG_MANIFEST_SCHEMA
	" CROSS JOIN LATERAL unnest(CASE WHEN t.oid IS NULL "
	"THEN m.columns[:1] ELSE m.columns END) c(name) "
	"WHERE $1 IS NULL AND NOT EXISTS (SELECT FROM pg_attribute a "
	"WHERE a.attrelid = t.oid AND a.attname = c.name AND a.attnum > 0) "
	"ORDER BY 1";

const char kg_manifest_parts_missing[] =
	"SELECT format('%s %s', m.kind, m.name), "
	"'it was dropped, renamed or moved; what asks it fails', "
	"CASE m.kind WHEN 'sequence' THEN 'CREATE' || substr(d.text, 6) "
	"ELSE d.text END || format(' ALTER EXTENSION kg_graph ADD %s %s.%s;', "
	"m.kind, quote_ident(n.nspname), m.name) FROM " KG_MANIFEST
	"JOIN pg_namespace n ON n.oid = " KG_MANIFEST_SCHEMA
	" CROSS JOIN LATERAL (SELECT replace(m.definition, '@.', "
	"quote_ident(n.nspname) || '.')) d(text) WHERE $1 IS NULL "
	"AND (m.kind = 'sequence' OR (m.kind = 'function' AND m.name ~ "
	"'^kg_(our_tables|our_functions|definitions|more_definitions|"
	"definitions_wrong|table_settings|manifest_text|dump_customizations|"
	"policy_text)[(]')) AND NOT EXISTS (SELECT FROM pg_proc p "
	"WHERE p.proname = split_part(m.name, '(', 1) "
	"AND p.pronamespace = n.oid AND m.kind = 'function') "
	"AND NOT EXISTS (SELECT FROM pg_class c WHERE c.relname = m.name "
	"AND c.relnamespace = n.oid AND m.kind = 'sequence') "
	/* Objects that others depend on come first. */
	"ORDER BY m.name ~ '^kg_(definitions_wrong|dump)', "
	"m.name ~ '^kg_(definitions|more)', m.name DESC";

const char kg_manifest_more[] =
	"WITH ours AS (SELECT m.on_table, c.oid, e.oid AS extension, "
	"n.nspname FROM pg_extension e JOIN " KG_MANIFEST
	"ON m.kind = 'row security' JOIN pg_class c ON c.relname = m.on_table "
	"AND c.relnamespace = e.extnamespace "
	"JOIN pg_namespace n ON n.oid = e.extnamespace "
	"WHERE e.extname = 'kg_graph' AND $1 IS NULL) "
	"SELECT format('policy %s of %s', p.polname, o.on_table), "
	"'it is permissive: rows are shown that the policies of CREATE EXTENSION "
	"hide, those of other tenants among them', "
	"format('DROP POLICY %I ON %s', p.polname, o.oid::regclass) "
	"FROM ours o JOIN pg_policy p ON p.polrelid = o.oid AND p.polpermissive "
	"WHERE NOT EXISTS (SELECT FROM " KG_MANIFEST "WHERE m.kind = 'policy' "
	"AND m.on_table = o.on_table AND m.name = p.polname) "
	"UNION ALL SELECT format('table %s', i.inhrelid::regclass), "
	"format('it inherits from %s: its rows are read as ours, and no trigger "
	"and no key of ours is on them', o.on_table), "
	"format('ALTER TABLE %s NO INHERIT %s', i.inhrelid::regclass, "
	"o.oid::regclass) FROM ours o JOIN pg_inherits i ON i.inhparent = o.oid "
	"JOIN pg_class c ON c.oid = i.inhrelid AND NOT c.relispartition "
	"UNION ALL SELECT format('table %s', o.on_table), "
	"format('it inherits from %s: who may read that reads all tenants'' rows "
	"of ours', i.inhparent::regclass), "
	"format('ALTER TABLE %s NO INHERIT %s', o.oid::regclass, "
	"i.inhparent::regclass) FROM ours o JOIN pg_inherits i "
	"ON i.inhrelid = o.oid JOIN pg_class c ON c.oid = o.oid "
	"AND NOT c.relispartition "
	/*
	 * GRANT ALL includes these privileges, which row-level security does not
	 * restrict.
	 */
	"UNION ALL SELECT format('privileges of %s', g.name), "
	"format('%s on %s %ss: ', string_agg(DISTINCT g.privilege, ', '), "
	"count(DISTINCT g.oid), g.kind) || CASE g.kind WHEN 'sequence' "
	"THEN 'numbers that are in use can be given again' "
	"ELSE 'no policy binds them; a trigger is given all tenants'' rows' END, "
	"format('REVOKE %s ON %s %s FROM %s', "
	"string_agg(DISTINCT g.privilege, ', '), upper(g.kind), "
	"string_agg(DISTINCT g.oid::regclass::text, ', '), g.name) "
	"FROM (SELECT c.oid, a.privilege_type AS privilege, CASE c.relkind "
	"WHEN 'S' THEN 'sequence' ELSE 'table' END AS kind, CASE a.grantee "
	"WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS name "
	"FROM pg_extension e JOIN " KG_MANIFEST
	"ON m.kind IN ('row security', 'sequence') JOIN pg_class c "
	"ON c.relname = m.name AND c.relnamespace = e.extnamespace "
	"CROSS JOIN LATERAL aclexplode(c.relacl) a "
	"WHERE e.extname = 'kg_graph' AND $1 IS NULL AND a.grantee <> c.relowner "
	"AND a.privilege_type = ANY (CASE c.relkind WHEN 'S' THEN '{UPDATE}' "
	"ELSE '{TRIGGER,REFERENCES,TRUNCATE}' END::text[]) AND (a.grantee = 0 "
	"OR NOT pg_has_role(a.grantee, e.extowner, 'USAGE')) OFFSET 0) g "
	"GROUP BY g.name, g.kind "
	/* A trigger remains after the TRIGGER privilege was revoked. */
	"UNION ALL SELECT format('trigger %s of %s', t.tgname, o.on_table), "
	"format('its function is of role %s, who is given all tenants'' "
	"rows', p.proowner::regrole), format('DROP TRIGGER %I ON %s, or ALTER "
	"FUNCTION %s OWNER TO %s', t.tgname, o.oid::regclass, "
	"p.oid::regprocedure, x.extowner::regrole) FROM ours o "
	"JOIN pg_extension x ON x.oid = o.extension JOIN pg_trigger t "
	"ON t.tgrelid = o.oid AND NOT t.tgisinternal JOIN pg_proc p "
	"ON p.oid = t.tgfoid WHERE p.proowner <> x.extowner "
	"AND NOT pg_has_role(p.proowner, x.extowner, 'USAGE') "
	"AND NOT EXISTS (SELECT FROM " KG_MANIFEST "WHERE m.kind = 'trigger' "
	"AND m.on_table = o.on_table AND m.name = t.tgname) "
	/*
	 * Views that read the tables as a role that no policy restricts, unless the
	 * view itself compares the tenant.
	 */
	"UNION ALL SELECT format('%s %s', v.kind, v.oid::regclass), "
	"format('it reads %s as role %s, whom no policy binds: other roles read "
	"all tenants'' rows of it', string_agg(v.on_table, ', ' "
	"ORDER BY v.on_table), v.relowner::regrole), CASE v.kind WHEN 'view' "
	"THEN format('ALTER VIEW %s SET (security_invoker = true)', "
	"v.oid::regclass) ELSE format('REVOKE SELECT ON %s FROM %s', "
	"v.oid::regclass, (SELECT string_agg(DISTINCT CASE a.grantee WHEN 0 "
	"THEN 'PUBLIC' ELSE a.grantee::regrole::text END, ', ') "
	"FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = v.oid "
	"AND a.grantee <> c.relowner AND a.privilege_type = 'SELECT')) END "
	"FROM (SELECT DISTINCT o.on_table, c.oid, c.relowner, CASE c.relkind "
	"WHEN 'v' THEN 'view' ELSE 'materialized view' END AS kind "
	"FROM ours o JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass "
	"AND d.refobjid = o.oid AND d.classid = 'pg_rewrite'::regclass "
	"JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c "
	"ON c.oid = r.ev_class AND c.relkind IN ('v', 'm') "
	"JOIN pg_roles w ON w.oid = c.relowner "
	"AND (w.rolsuper OR w.rolbypassrls) "
	"WHERE NOT EXISTS (SELECT FROM pg_options_to_table(c.reloptions) p "
	"WHERE p.option_name = 'security_invoker' "
	"AND p.option_value IN ('true', 'on', 'yes', '1', '')) "
	"AND EXISTS (SELECT FROM aclexplode(c.relacl) a "
	"WHERE a.grantee <> c.relowner AND a.privilege_type = 'SELECT') "
	"AND NOT EXISTS (SELECT FROM pg_depend f JOIN pg_proc p "
	"ON p.oid = f.refobjid WHERE f.classid = d.classid "
	"AND f.objid = d.objid AND f.refclassid = 'pg_proc'::regclass "
	"AND p.proname ~ '^kg_(own_)?tenant$') OFFSET 0) v "
	"GROUP BY v.kind, v.oid, v.relowner "
	"UNION ALL SELECT pg_describe_object(d.classid, d.objid, 0), "
	"'it is a member of the extension that CREATE EXTENSION did not make: "
	"dumps leave it out', (SELECT format('ALTER EXTENSION kg_graph DROP %s "
	"%s', "
	"upper(i.type), i.identity) "
	"FROM pg_identify_object(d.classid, d.objid, 0) i) "
	"FROM (SELECT d.classid, d.objid FROM pg_extension e JOIN pg_depend d "
	"ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid "
	"AND d.deptype = 'e' LEFT JOIN pg_class c ON d.classid = "
	"'pg_class'::regclass AND c.oid = d.objid LEFT JOIN pg_proc p "
	"ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid "
	"WHERE e.extname = 'kg_graph' AND $1 IS NULL "
	/*
	 * Since PostgreSQL 18, types of rows and of arrays are members of an
	 * extension, too.
	 */
	"AND NOT EXISTS (SELECT FROM pg_type t WHERE d.classid = "
	"'pg_type'::regclass AND t.oid = d.objid "
	"AND (t.typrelid <> 0 OR t.typcategory = 'A')) "
	/*
	 * Until ALTER EXTENSION ... UPDATE is run, kg_manifest has no rows of
	 * members.
	 */
	"AND EXISTS (SELECT FROM " KG_MANIFEST "WHERE m.kind = 'member') "
	"AND coalesce(CASE c.relkind WHEN 'S' THEN 'sequence ' WHEN 'r' "
	"THEN 'table ' WHEN 'p' THEN 'table ' END || c.relname, "
	"'function ' || quote_ident(p.proname) || '(' || "
	"pg_get_function_identity_arguments(p.oid) || ')', '') NOT IN "
	"(SELECT m.name FROM " KG_MANIFEST "WHERE m.kind = 'member') OFFSET 0) d "
	"ORDER BY 1";

#define KG_WRONG(arguments)                                   \
	"SELECT d.kind, d.on_table, d.name, d.problem, d.repair " \
	"FROM @kg_definitions_wrong(" arguments ") d WHERE $1 IS NULL"

void
kg_manifest_wrong(bool thorough, const char *tenant)
{
	static KgSaved saved[3];

	/*
	 * Until ALTER EXTENSION ... UPDATE is run, fewer objects can be compared.
	 */
	KG_SPI_SELECT_OF("SELECT to_regprocedure('@kg_definitions_wrong(boolean)') "
					 "IS NULL WHERE $1 IS NULL OR true",
					 tenant);
	if (DatumGetBool(kg_spi_datum(0, 1)))
		kg_spi_select_of(&saved[0], KG_WRONG(""), tenant);
	else if (thorough)
		kg_spi_select_of(&saved[1], KG_WRONG("true"), tenant);
	else
		kg_spi_select_of(&saved[2], KG_WRONG("false"), tenant);
}
