/*
 * access.h
 *	  What a caller may do with its tenant: read, write, admin.
 */
#ifndef KG_ACCESS_H
#define KG_ACCESS_H

/* In order: each allows what those before it do. */
typedef enum KgAccess
{
	KG_ACCESS_NONE,
	KG_ACCESS_READ,
	KG_ACCESS_WRITE,
	KG_ACCESS_ADMIN
} KgAccess;

extern const char *kg_access_name(KgAccess access);

/* KG_ACCESS_NONE where it is no name of one. */
extern KgAccess kg_access_of_name(const char *name);

/* The same, raising KG_INVALID_INPUT. */
extern KgAccess kg_access_require(const char *name);

#endif /* KG_ACCESS_H */
