/*
 * secret.h
 *	  The extension's own secrets, a row each of kg_secret.
 */
#ifndef KG_SECRET_H
#define KG_SECRET_H

/*
 * The secret of that name, in the current memory context.  Whoever keeps it
 * does so until kg_generation() changes: a new extension has new ones.
 */
extern bytea *kg_secret_read(const char *name);

/* The same; NULL where there is none. */
extern bytea *kg_secret_find(const char *name);

#endif /* KG_SECRET_H */
