/*
 * access.h
 *	  Levels of a caller's access to its tenant: read, write, admin.
 */
#ifndef KG_ACCESS_H
#define KG_ACCESS_H

/* Levels in ascending order. Each level includes the lower levels. */
typedef enum KgAccess
{
	KG_ACCESS_NONE,
	KG_ACCESS_READ,
	KG_ACCESS_WRITE,
	KG_ACCESS_ADMIN
} KgAccess;

extern const char *kg_access_name(KgAccess access);

/* Returns the level of a name, or KG_ACCESS_NONE for an unknown name. */
extern KgAccess kg_access_of_name(const char *name);

/* Returns the level of a name.  Raises KG_INVALID_INPUT for an unknown name. */
extern KgAccess kg_access_require(const char *name);

#endif /* KG_ACCESS_H */
