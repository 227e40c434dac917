/*
 * get.h
 *	  Entities of one type by id.
 */
#ifndef KG_GET_H
#define KG_GET_H

#include "model/catalog.h"

typedef struct KgGot
{
	const char *id;
	int index; /* index in the argument "ids" */
	/*
	 * node of the entity; set only if the type has derived properties or n is
	 * not 1
	 */
	int64 node;
	Jsonb *data; /* NULL: the caller sees no such entity */
	/*
	 * if the entity was merged into another entity: the id of the other
	 * entity, which "data" belongs to; otherwise NULL
	 */
	const char *now;
} KgGot;

/*
 * Returns an array of n members, one for each id in the order of ids. The ids
 * must be distinct. If the caller does not see an entity, the data of its
 * member is NULL.
 */
extern KgGot *kg_get_entities(const KgCatalog *catalog, const KgType *type,
							  char **ids, int n);

/* Returns one entity's data, or NULL if the caller sees no such entity. */
extern Jsonb *kg_get_data(const KgCatalog *catalog, const KgType *type,
						  text *id);

#endif /* KG_GET_H */
