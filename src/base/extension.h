/*
 * extension.h
 *	  The extension itself: its schema, its owner, its tables by name, and
 *	  acting as its owner.
 */
#ifndef KG_EXTENSION_H
#define KG_EXTENSION_H

#include "access/tupdesc.h"

typedef struct KgExtension
{
	Oid schema;
	Oid owner;
	char *version;
} KgExtension;

/* Any extension, of which pg_extension has no syscache; false: there is none. */
extern bool kg_find_extension(const char *name, KgExtension *extension);

/* Schema and owner of the extension; cached, fixed for its lifetime. */
extern Oid kg_extension_schema(void);
/*
 * Differs from any earlier value where the schema has another name since: what
 * is kept that names the schema is good as long as this is the same.
 */
extern uint64 kg_extension_schema_version(void);
extern Oid kg_extension_owner(void);
/* "schema"."name", quoted; allocated in the current context. */
extern char *kg_qualified(const char *name);
/* A table or sequence of ours; an error where it was renamed or moved. */
extern Oid kg_relation_oid(const char *name);
/* The same of one that the extension's SQL may be too old for: InvalidOid. */
extern Oid kg_find_relation(const char *name);
/* False also where the extension does not exist. */
extern bool kg_is_relation(Oid relid, const char *name);

/*
 * Where in a row, from 0, the columns of a table of ours are: after an update
 * of the extension not always where sql/30_tables.sql has them.
 */
extern void kg_find_columns(TupleDesc desc, const char *const *names, int n,
							int *places);

/*
 * Act as the extension's owner with row security that lets it through, as
 * referential-integrity triggers do.  Restored by the caller, and by the
 * server on error.
 */
typedef struct KgUserContext
{
	Oid userid;
	int sec_context;
} KgUserContext;

extern void kg_become_owner(KgUserContext *saved);
extern void kg_restore_user(const KgUserContext *saved);

#endif /* KG_EXTENSION_H */
