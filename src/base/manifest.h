/*
 * manifest.h
 *	  Queries on kg_manifest, the list of objects that CREATE EXTENSION made.
 */
#ifndef KG_MANIFEST_H
#define KG_MANIFEST_H

/*
 * The text of a SELECT that returns the extension's missing tables and
 * columns: object, problem, repair. Runs as the owner through
 * kg_spi_select_of(), without a tenant. If it returns a row, other tables may
 * not be readable.
 */
extern const char kg_manifest_columns_missing[];

/*
 * The text of a SELECT of missing sequences and comparison functions. Its
 * column "repair" has the SQL statement that makes the missing object.
 */
extern const char kg_manifest_parts_missing[];

/*
 * The text of a SELECT of objects that CREATE EXTENSION did not make, and that
 * expose rows or are missing in dumps: permissive policies, inheritance,
 * extension members.
 */
extern const char kg_manifest_more[];

/*
 * Selects into SPI_tuptable the objects that differ from those that CREATE
 * EXTENSION made: kind, table, name, problem, repair.  Runs as the owner.  If
 * thorough, also compares columns and SQL functions, which doubles the time.
 */
extern void kg_manifest_wrong(bool thorough, const char *tenant);

#endif /* KG_MANIFEST_H */
