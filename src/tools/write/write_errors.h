/*
 * write_errors.h
 *	  Adds hints and the corrected call to the errors of tools that write.
 */
#ifndef KG_WRITE_ERRORS_H
#define KG_WRITE_ERRORS_H

#include "store/entity/put.h"

/* Returns [{id, label}] of visible entities whose ids are similar to an id. */
extern Jsonb *kg_write_nearest(const KgType *type, const char *id);

/*
 * Adds "nearest" to errors about references to missing entities. If each error
 * has exactly one correction, returns the call with all corrections; otherwise
 * returns NULL. For example, a correction replaces the name of an entity by its
 * id if only one entity has the name, or a code by its correct spelling.
 */
extern Jsonb *kg_write_complete(const KgOutcomes *outcomes,
								const KgErrorList *all);

#endif /* KG_WRITE_ERRORS_H */
