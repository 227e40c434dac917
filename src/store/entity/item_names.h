/*
 * item_names.h
 *	  What references can name among the items of one call or bundle: ids and
 *	  values of properties, and which item has each.
 */
#ifndef KG_ITEM_NAMES_H
#define KG_ITEM_NAMES_H

#include "model/catalog.h"

typedef struct KgItemNames KgItemNames;

/* In the current memory context, and texts live as long. */
extern KgItemNames *kg_item_names_make(int n);
extern void kg_item_names_free(KgItemNames *names);

/*
 * Enter a value of a property, or an id (field NULL); the item that has it, which
 * may be another.
 */
extern const void *kg_item_name_enter(KgItemNames *names, const KgField *field,
									  const char *value, const void *item);
/* The item that has it, or NULL. */
extern const void *kg_item_name_find(const KgItemNames *names,
									 const KgField *field, const char *value);

#endif /* KG_ITEM_NAMES_H */
