/*
 * readers.h
 *	  Standbys that answer calls which only read (--read-dsn).
 *
 * This layer does not know which tools only read, so each tool call is first
 * sent to a standby. If the standby's answer has no member "kg_primary"
 * (docs/gateway.md), it is sent to the client. The standby returns "kg_primary"
 * for errors, writes, and rows that it has not replayed yet. The call is then
 * sent to the primary. A standby cannot write, so sending the call again is
 * always correct.
 */
#ifndef KG_READERS_H
#define KG_READERS_H

#include "kgctl/pool.h"

/* Maximal number of standbys. */
#define KG_MAX_READERS 8

/*
 * The member of _meta with the WAL position of the last write that the caller
 * must see.
 */
#define KG_META_WROTE "kg_graph/wrote"

typedef struct KgReaders KgReaders;
typedef struct KgRead KgRead;

typedef struct KgReadersOptions
{
	const char *dsns[KG_MAX_READERS];
	size_t n;
	/*
	 * Maximal milliseconds to wait until a standby has replayed the caller's
	 * last write.
	 */
	long wait_ms;
	long lag_ms; /* maximal lag of a standby in milliseconds */
} KgReadersOptions;

/*
 * Creates a pool for each standby. The other options of the pool are those of
 * the primary's pool. Returns the standbys.
 */
extern KgReaders *kg_readers_new(KgLoop *loop, KgPool *primary,
								 const KgPoolOptions *pool,
								 const KgReadersOptions *options);
extern void kg_readers_free(KgReaders *readers);

/* Returns the pool of a standby that can be queried, or NULL. */
extern KgPool *kg_readers_choose(KgReaders *readers);

/*
 * Queues a query like kg_pool_query(), but queries a standby first. The message
 * must be one that changes nothing or that a standby refuses. If no standby is
 * available, returns NULL and does not call done.
 */
extern KgRead *kg_readers_query(KgReaders *readers,
								const KgPoolMessage *message, KgQueryDone done,
								KgQueryNotice notice, void *arg);

/* Cancels a read. Its done function is not called. */
extern void kg_read_cancel(KgRead *read);

/* Returns the maximal lag of a standby, in milliseconds. */
extern long kg_readers_lag(const KgReaders *readers);

/*
 * kg_readers_write() writes the metrics of the standbys.
 * kg_readers_write_ready() writes the standbys' member of the object that
 * /readyz returns.
 */
extern void kg_readers_write(const KgReaders *readers, KgBuf *out);
extern void kg_readers_write_ready(const KgReaders *readers, KgBuf *out);

#endif /* KG_READERS_H */
