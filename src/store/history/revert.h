/*
 * revert.h
 *	  Undoes recorded changes. The undoing is recorded as a new change.
 */
#ifndef KG_REVERT_H
#define KG_REVERT_H

#include "model/catalog.h"
#include "utils/jsonb.h"

/*
 * Raises an error unless the caller may perform the operation (KG_EXPOSE_*) on
 * the type or on the relation. Either type or relation is NULL.
 */
typedef void (*KgRevertCheck)(const KgType *type, const KgRelation *relation,
							  int operation);

/*
 * Undoes changes: the number of one change, an array of numbers, or
 * {"transaction": number}. Returns the reply of kg_revert(). Runs as the
 * current role, which needs write access, inside SPI_connect(). check() is
 * called for each entity and edge before it is written. If check is NULL, all
 * writes are allowed.
 */
extern Jsonb *kg_revert(const Jsonb *changes, const Jsonb *options,
						KgRevertCheck check);

#endif /* KG_REVERT_H */
