/*
 * identity.h
 *	  Who is calling: the tenant of the current role, and acting as the owner
 *	  of the extension (design.md section 4).
 */
#ifndef KG_IDENTITY_H
#define KG_IDENTITY_H

typedef enum KgAccess
{
	KG_ACCESS_NONE,
	KG_ACCESS_READ,
	KG_ACCESS_WRITE,
	KG_ACCESS_ADMIN
} KgAccess;

/*
 * The tenant that the current role acts for with at least this access, or
 * NULL.  The string is good until the next call of this module: copy it.
 */
extern const char *kg_identity_tenant(KgAccess access);

/* The same as a copy, raising KG_NO_TENANT or KG_FORBIDDEN. */
extern const char *kg_identity_require(KgAccess access);

/* Schema and owner of the extension; cached, fixed for its lifetime. */
extern Oid kg_extension_schema(void);
extern Oid kg_extension_owner(void);
/* "schema"."name", quoted; allocated in the current context. */
extern char *kg_qualified(const char *name);
extern Oid kg_relation_oid(const char *name);

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

#endif /* KG_IDENTITY_H */
