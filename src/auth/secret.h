/*
 * secret.h
 *	  The extension's secrets, rows of kg_secret.
 */
#ifndef KG_SECRET_H
#define KG_SECRET_H

/*
 * Returns the secret of that name, in the current memory context. Raises an
 * error if there is no such secret. The caller may cache the secret until
 * kg_generation() changes, because a newly created extension has new secrets.
 */
extern bytea *kg_secret_read(const char *name);

/* Returns the secret of that name, or NULL. */
extern bytea *kg_secret_find(const char *name);

#endif /* KG_SECRET_H */
