/*
 * extension.h
 *	  The extension's schema, owner and tables, and acting as its owner.
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

/*
 * Looks up an extension in pg_extension, which has no syscache.  Returns false
 * if it does not exist.
 */
extern bool kg_find_extension(const char *name, KgExtension *extension);

/*
 * Returns the schema and the owner of the extension.  Both are cached and
 * fixed for its lifetime.
 */
extern Oid kg_extension_schema(void);
/*
 * Returns a number that changes when the schema is renamed.  Cached data that
 * contains the schema's name is valid while the number is unchanged.
 */
extern uint64 kg_extension_schema_version(void);
extern Oid kg_extension_owner(void);
/* Returns "schema"."name", quoted, allocated in the current context. */
extern char *kg_qualified(const char *name);
/*
 * Returns the OID of a table or sequence of the extension.  Raises an error if
 * it was renamed or moved.
 */
extern Oid kg_relation_oid(const char *name);
/*
 * Returns the OID of a table or sequence of the extension, or InvalidOid if
 * the installed SQL is too old for it.
 */
extern Oid kg_find_relation(const char *name);
/*
 * Returns whether relid is the extension's relation of this name. Returns false
 * if the extension does not exist.
 */
extern bool kg_is_relation(Oid relid, const char *name);

/*
 * Finds columns of a table of the extension by name, and sets their positions,
 * from 0. Raises an error if a column is missing. After an update of the
 * extension, the positions may differ from sql/30_tables.sql.
 */
extern void kg_find_columns(TupleDesc desc, const char *const *names, int n,
							int *places);

/*
 * Saved user and security context while the backend acts as the extension's
 * owner.
 *
 * Row-level security then does not restrict the backend, as for
 * referential-integrity triggers. The caller restores the saved context; on
 * error the server restores it.
 */
typedef struct KgUserContext
{
	Oid userid;
	int sec_context;
} KgUserContext;

extern void kg_become_owner(KgUserContext *saved);
extern void kg_restore_user(const KgUserContext *saved);

#endif /* KG_EXTENSION_H */
