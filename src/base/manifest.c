/*
 * manifest.c
 *	  kg_manifest: what CREATE EXTENSION made, and is to be there.
 */
#include "postgres.h"

#include "base/manifest.h"

/*
 * The columns of kg_manifest are taken by their places: it may be a name of its
 * own that is gone.  What else the table has now is what the column may be
 * called.
 */
const char kg_manifest_columns_missing[] =
	"SELECT format('column %s of %s', c.name, m.on_table), "
	"'it was renamed or dropped; what reads the table fails', "
	"coalesce((SELECT format('ALTER TABLE %s RENAME COLUMN %s TO %I, if it is "
	"that', t.oid::regclass, string_agg(quote_ident(a.attname), ' or ' "
	"ORDER BY a.attnum), c.name) FROM pg_attribute a "
	"WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped "
	"AND a.attname <> ALL (m.columns) HAVING count(*) > 0), "
	"'restore the database from before: what it held is lost') "
	"FROM (SELECT on_table, string_to_array(definition, ',') AS columns, "
	"tableoid FROM @kg_manifest m(on_table, kind, name, major, definition) "
	"WHERE kind = 'columns') m "
	"JOIN pg_class t ON t.relname = m.on_table AND t.relnamespace = "
	"(SELECT relnamespace FROM pg_class WHERE oid = m.tableoid) "
	"CROSS JOIN LATERAL unnest(m.columns) c(name) "
	"WHERE $1 IS NULL AND NOT EXISTS (SELECT FROM pg_attribute a "
	"WHERE a.attrelid = t.oid AND a.attname = c.name AND a.attnum > 0) "
	"ORDER BY 1";
