/*
 * graph/table.h
 *	  A table of values by text.
 */
#ifndef KG_KGCTL_TABLE_H
#define KG_KGCTL_TABLE_H

#include <stddef.h>

typedef struct KgTable KgTable;

extern KgTable *kg_table_new(void);
extern void kg_table_free(KgTable *table);

/* Returns the value of a key, or NULL. */
extern void *kg_table_get(const KgTable *table, const char *key);

/* Sets the value, not NULL, of a key. The key is not copied. */
extern void kg_table_put(KgTable *table, const char *key, void *value);

#endif /* KG_KGCTL_TABLE_H */
