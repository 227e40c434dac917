/*
 * stored.h
 *	  A bundle as the database has it, in rows of kg_export_bundle_parts().
 */
#ifndef KG_KGCTL_STORED_H
#define KG_KGCTL_STORED_H

#include "kgctl/db.h"
#include "kgctl/json.h"

/*
 * The bundle of that name as the text of kg_export_bundle(), with edges left out
 * where each is given: they come to it one by one, in an arena that is
 * forgotten after it.  text stays empty where there is no such bundle; false
 * after a message.
 */
typedef void (*KgEdgeFn)(void *arg, const KgJson *edge);

extern bool kg_stored_read(KgDb *db, const char *name, KgBuf *text,
						   KgEdgeFn each, void *arg);

/*
 * What is loaded: an entity type, or a relation, whose name may have its
 * bundle's before it.
 */
typedef struct KgTarget
{
	KgArena *arena;
	const KgJson *schema; /* NULL: none, of edges without properties */
	const char *id_field; /* of entities */
	const char *key;	  /* of parallel edges, or NULL */
} KgTarget;

/* False after a message. */
extern bool kg_stored_target(KgDb *db, const char *name, bool edges,
							 KgTarget *target);

#endif /* KG_KGCTL_STORED_H */
