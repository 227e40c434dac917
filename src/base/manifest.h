/*
 * manifest.h
 *	  kg_manifest: what CREATE EXTENSION made, and is to be there.
 */
#ifndef KG_MANIFEST_H
#define KG_MANIFEST_H

/*
 * Rows of columns of our tables that are there no more: object, what is wrong,
 * what mends it.  As the owner; for kg_spi_select_of(), of no tenant.  Nothing
 * else is sure to be readable where there is one.
 */
extern const char kg_manifest_columns_missing[];

#endif /* KG_MANIFEST_H */
