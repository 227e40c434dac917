/*
 * readers.h
 *	  Standbys that answer what only reads (--read-dsn).
 *
 * Nothing here knows which tools read.  A standby is asked any call of a tool,
 * and its answer counts unless it is an error: then, and where the call wrote
 * or wanted to see what the standby has not replayed yet, the database says
 * "kg_primary" (docs/gateway.md), and the primary is asked, which knows all that
 * there is.  Nothing can have been written, so that is always right.
 */
#ifndef KG_READERS_H
#define KG_READERS_H

#include "kgctl/pool.h"

/* As many standbys as there may be. */
#define KG_MAX_READERS 8

/* In _meta: what the caller wrote, and wants to see. */
#define KG_META_WROTE "kg_graph/wrote"

typedef struct KgReaders KgReaders;
typedef struct KgRead KgRead;

typedef struct KgReadersOptions
{
	const char *dsns[KG_MAX_READERS];
	size_t n;
	long wait_ms; /* for one that has not replayed what the caller wrote */
	long lag_ms;  /* how far behind one may be */
} KgReadersOptions;

/* With a pool for each, as the primary's. */
extern KgReaders *kg_readers_new(KgLoop *loop, KgPool *primary,
								 const KgPoolOptions *pool,
								 const KgReadersOptions *options);
extern void kg_readers_free(KgReaders *readers);

/* One that can be asked, or NULL. */
extern KgPool *kg_readers_choose(KgReaders *readers);

/*
 * As kg_pool_query(), of a message that changes nothing or is refused by a
 * standby.  NULL: there is none to be asked; done is not called then.
 */
extern KgRead *kg_readers_query(KgReaders *readers,
								const KgPoolMessage *message, KgQueryDone done,
								KgQueryNotice notice, void *arg);

/* Give it up: done is never called. */
extern void kg_read_cancel(KgRead *read);

/* How long one may be behind, in milliseconds. */
extern long kg_readers_lag(const KgReaders *readers);

/* For /metrics, and a member of an object for /readyz. */
extern void kg_readers_write(const KgReaders *readers, KgBuf *out);
extern void kg_readers_write_ready(const KgReaders *readers, KgBuf *out);

#endif /* KG_READERS_H */
