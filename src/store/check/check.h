/*
 * check.h
 *	  The checks of an entity that every function that writes entities
 *	  performs: id, size, depth, schema and scope.
 */
#ifndef KG_CHECK_H
#define KG_CHECK_H

#include "base/error.h"
#include "model/catalog.h"

#define KG_MAX_ID_BYTES 128

/*
 * Returns the id of an entity, in the current memory context. Returns NULL if
 * it has no id or an id that is not allowed, and reports that at path.
 */
extern char *kg_entity_id(const KgType *type, const Jsonb *data,
						  const char *path, KgErrorList *errors);

/*
 * Checks size, depth and schema. Each violation is reported with the type, the
 * id and a JSON Pointer that starts with path. Returns false if there were
 * violations.
 */
extern bool kg_entity_check(const KgType *type, const char *id,
							const Jsonb *data, const char *path,
							KgErrorList *errors);

/*
 * Reports an entity whose scope the caller does not see. Otherwise, the policy
 * of kg_entity would refuse the row.
 */
extern void kg_entity_check_scope(const KgType *type, const char *id,
								  const Jsonb *data, const char *path,
								  KgErrorList *errors);

/*
 * Returns the error for a reference without a target. The parameter "what" is
 * "entity", or "existing entity" if this call cannot create the target.
 */
extern KgError *kg_no_target_error(const KgField *field, const char *value,
								   const char *what);

/* Raises one error that lists the violations; returns if the list is empty. */
extern void kg_throw_violations(const KgErrorList *errors, const char *what);
/*
 * Returns one error that lists the violations, without raising it. The list
 * must not be empty.
 */
extern KgError *kg_violations_error(const KgErrorList *errors,
									const char *what);

#endif /* KG_CHECK_H */
