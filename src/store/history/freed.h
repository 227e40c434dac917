/*
 * freed.h
 *	  Versions never start again: an entity that gets an id which another one
 *	  gave up goes on above the version that this one ended with.
 *
 * What a statement frees and takes is gathered, one tenant at a time, and
 * settled at its end, when who had the id before has ended too: of two sessions
 * the second has waited in the index of kg_entity by then.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_FREED_H
#define KG_FREED_H

#include "model/catalog.h"

/*
 * The version that the last entity of the id ended with, 0 if it has had none,
 * as far as committed or written here by now, also by statements that still run;
 * for a row before it is stored.  What others free between this and the row's
 * turn is met when the statement is settled.  The relations are read without a
 * plan, whoever the caller is.
 */
extern int64 kg_freed_version(const char *tenant, const KgType *type,
							  const char *entity_id);

/*
 * A row's version so much higher; raises an error where none is left for that
 * and for its deletion.
 */
extern int64 kg_version_plus(int64 version, int64 by);
/* A deletion is a version of its own. */
extern int64 kg_version_ended(int64 version);

typedef struct KgFreed KgFreed;

/*
 * A statement that only gives ids up, or whose rows are known to begin where they
 * have to (takes: false), need not look for who has one of its ids.
 */
extern KgFreed *kg_freed_begin(const char *tenant, bool takes);

/* An entity that had this version gave up the id. */
extern void kg_freed_id(KgFreed *freed, const KgType *type,
						const char *entity_id, int64 version);
/* An entity has the id now. */
extern void kg_freed_taken(KgFreed *freed, const KgType *type,
						   const char *entity_id);

/* Write what was freed, and raise versions. */
extern void kg_freed_end(KgFreed *freed);

#endif /* KG_FREED_H */
