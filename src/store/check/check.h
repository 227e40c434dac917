/*
 * check.h
 *	  Is a JSON object an entity of a type?  What every way of writing asks.
 */
#ifndef KG_CHECK_H
#define KG_CHECK_H

#include "base/error.h"
#include "model/catalog.h"

#define KG_MAX_ID_BYTES 128

/*
 * The id of an entity, in the current context; NULL where it has none or one
 * that is not allowed, which is reported at path.
 */
extern char *kg_entity_id(const KgType *type, const Jsonb *data,
						  const char *path, KgErrorList *errors);

/*
 * Check size, depth and schema.  Violations are reported with the type, the id
 * and a JSON Pointer that starts with path.  False if there were any.
 */
extern bool kg_entity_check(const KgType *type, const char *id,
							const Jsonb *data, const char *path,
							KgErrorList *errors);

/*
 * Report an entity that would lie where the caller does not see it, which its
 * policy refuses.
 */
extern void kg_entity_check_scope(const KgType *type, const char *id,
								  const Jsonb *data, const char *path,
								  KgErrorList *errors);

/*
 * A reference names what is not there: an "entity", or an "existing entity"
 * where none can come.
 */
extern KgError *kg_no_target_error(const KgField *field, const char *value,
								   const char *what);

/* One error for a list of violations, raised where there are any. */
extern void kg_throw_violations(const KgErrorList *errors, const char *what);
/* The same, made and not raised; there are some. */
extern KgError *kg_violations_error(const KgErrorList *errors,
									const char *what);

#endif /* KG_CHECK_H */
