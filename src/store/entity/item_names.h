/*
 * item_names.h
 *	  Tables of names by which references can find items of the same call or
 *	  bundle. Names are ids and values of properties.
 */
#ifndef KG_ITEM_NAMES_H
#define KG_ITEM_NAMES_H

#include "model/catalog.h"

typedef struct KgItemNames KgItemNames;

/*
 * Returns an empty table for n items, in the current memory context. Strings
 * are not copied.
 */
extern KgItemNames *kg_item_names_make(int n);
extern void kg_item_names_free(KgItemNames *names);

/*
 * Adds a name of an item: the value of a property, or an id if field is NULL.
 * Returns the item. If another item already has the name, returns that other
 * item.
 */
extern const void *kg_item_name_enter(KgItemNames *names, const KgField *field,
									  const char *value, const void *item);
/* Returns the item that has the value or id, or NULL. */
extern const void *kg_item_name_find(const KgItemNames *names,
									 const KgField *field, const char *value);

#endif /* KG_ITEM_NAMES_H */
