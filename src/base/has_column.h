/*
 * has_column.h
 *	  Columns that the installed SQL may be too old for.
 */
#ifndef KG_HAS_COLUMN_H
#define KG_HAS_COLUMN_H

/* Returns whether a table of the extension has the column. */
extern bool kg_has_column(const char *table, const char *column);

#endif /* KG_HAS_COLUMN_H */
