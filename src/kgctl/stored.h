/*
 * stored.h
 *	  A stored bundle, read from the rows of kg_export_bundle_parts().
 */
#ifndef KG_KGCTL_STORED_H
#define KG_KGCTL_STORED_H

#include "kgctl/db.h"
#include "kgctl/json.h"

/*
 * Reads the bundle as the text of kg_export_bundle() without its edges. Calls
 * each for each edge; its arena is reset afterwards. text stays empty if the
 * bundle does not exist. Returns false after a message.
 */
typedef void (*KgEdgeFn)(void *arg, const KgJson *edge);

extern bool kg_stored_read(KgDb *db, const char *name, KgBuf *text,
						   KgEdgeFn each, void *arg);

/*
 * The target of a load: an entity type or a relation. The name may have its
 * bundle's name before it.
 */
typedef struct KgTarget
{
	KgArena *arena;
	const KgJson *schema; /* NULL: edges without properties */
	const char *id_field; /* id property of entities */
	const char *key;	  /* key of parallel edges, or NULL */
} KgTarget;

/*
 * Reads the bundle's name, version, schemas and relations. Returns NULL after a
 * message.
 */
extern const KgJson *kg_stored_declared(KgDb *db, KgArena *arena,
										const char *name);

/* Reads the target. Returns false after a message. */
extern bool kg_stored_target(KgDb *db, const char *name, bool edges,
							 KgTarget *target);

#endif /* KG_KGCTL_STORED_H */
