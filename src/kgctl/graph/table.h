/*
 * graph/table.h
 *	  A hash table whose keys are texts.
 */
#ifndef KG_KGCTL_TABLE_H
#define KG_KGCTL_TABLE_H

#include <stddef.h>

typedef struct KgTable KgTable;

extern KgTable *kg_table_new(void);
extern void kg_table_free(KgTable *table);

/* Returns the value of a key, or NULL if the table does not have the key. */
extern void *kg_table_get(const KgTable *table, const char *key);

/* Sets the value of a key. value must not be NULL. The key is not copied. */
extern void kg_table_put(KgTable *table, const char *key, void *value);

#endif /* KG_KGCTL_TABLE_H */
