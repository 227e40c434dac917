/*
 * writing.h
 *	  Is a table of ours being written by a statement further up?
 */
#ifndef KG_WRITING_H
#define KG_WRITING_H

#include "catalog/catalog.h"

/*
 * Does some statement of this session that is still running use the table, in a
 * transaction that has written?  What is derived from its rows follows at the
 * statement's end, so that until then it is behind them.
 */
extern bool kg_being_written(const char *table);

/*
 * Is an entity there, and visible, whenever a derived row speaks of it?  Else
 * kg_entity must be asked.
 */
extern bool kg_derived_rows_suffice(const KgCatalog *catalog);

#endif /* KG_WRITING_H */
