/*
 * write_errors.h
 *	  Hints and the corrected call in the errors of tools that write.
 */
#ifndef KG_WRITE_ERRORS_H
#define KG_WRITE_ERRORS_H

#include "store/entity/put.h"

/* Returns [{id, label}] of entities with similar ids that the caller sees. */
extern Jsonb *kg_write_nearest(const KgType *type, const char *id);

/*
 * Adds "nearest" to errors of references to missing entities. Returns the call
 * with all corrections if each error has exactly one correction. Examples are
 * an entity's only name in place of its id, and another spelling of a code.
 */
extern Jsonb *kg_write_complete(const KgOutcomes *outcomes,
								const KgErrorList *all);

#endif /* KG_WRITE_ERRORS_H */
