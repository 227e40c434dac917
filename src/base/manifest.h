/*
 * manifest.h
 *	  kg_manifest: what CREATE EXTENSION made, and is to be there.
 */
#ifndef KG_MANIFEST_H
#define KG_MANIFEST_H

/*
 * Rows of the extension's tables and columns that are missing: object, problem,
 * repair.  As the owner; for kg_spi_select_of(), of no tenant.  If there is a
 * row, other tables may not be readable.
 */
extern const char kg_manifest_columns_missing[];

/*
 * Such rows of sequences, and of functions that compare the rest; the repair is
 * a statement.
 */
extern const char kg_manifest_parts_missing[];

/*
 * Such rows of objects that CREATE EXTENSION did not make and that show rows, or
 * that dumps leave out: permissive policies, inheritance, members.
 */
extern const char kg_manifest_more[];

/*
 * Selects the objects that CREATE EXTENSION made and that differ now: kind,
 * table, name, problem, repair.  Thorough: also columns and functions of SQL, which
 * takes as long again.  As the owner; for SPI_tuptable.
 */
extern void kg_manifest_wrong(bool thorough, const char *tenant);

#endif /* KG_MANIFEST_H */
