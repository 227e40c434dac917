/*
 * manifest.h
 *	  kg_manifest: what CREATE EXTENSION made, and is to be there.
 */
#ifndef KG_MANIFEST_H
#define KG_MANIFEST_H

/*
 * Rows of tables of ours, or columns, that are there no more: object, what is
 * wrong, what mends it.  As the owner; for kg_spi_select_of(), of no tenant.
 * Nothing else is sure to be readable where there is one.
 */
extern const char kg_manifest_columns_missing[];

/*
 * The same of sequences and of functions that compare the rest; the last is a
 * statement.
 */
extern const char kg_manifest_parts_missing[];

/*
 * The same of what CREATE EXTENSION did not make and shows rows, or is left out
 * by dumps: permissive policies, inheritance, members.
 */
extern const char kg_manifest_more[];

/*
 * What CREATE EXTENSION made and is not as it was: kind, table, name, what is
 * wrong, what mends it.  Thorough: also columns and functions of SQL, which
 * takes as long again.  As the owner; for SPI_tuptable.
 */
extern void kg_manifest_wrong(bool thorough, const char *tenant);

#endif /* KG_MANIFEST_H */
