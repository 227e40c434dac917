/*
 * readers.h
 *	  Standbys that answer calls which only read (--read-dsn).
 *
 * This layer does not know which tools read. A call of a tool is sent to a
 * standby. If the answer is not an error, it is the answer to the client. For
 * errors, writes, and rows that the standby has not replayed yet, the database
 * returns "kg_primary" (docs/gateway.md), and the call is sent to the primary.
 * A standby cannot write, so sending the call again is always correct.
 */
#ifndef KG_READERS_H
#define KG_READERS_H

#include "kgctl/pool.h"

/* Maximal number of standbys. */
#define KG_MAX_READERS 8

/*
 * The member of _meta with the position of the last write that the caller must
 * see.
 */
#define KG_META_WROTE "kg_graph/wrote"

typedef struct KgReaders KgReaders;
typedef struct KgRead KgRead;

typedef struct KgReadersOptions
{
	const char *dsns[KG_MAX_READERS];
	size_t n;
	/*
	 * maximum time to wait until a standby has replayed the caller's last
	 * write
	 */
	long wait_ms;
	long lag_ms; /* maximal lag of a standby */
} KgReadersOptions;

/* Creates a pool for each standby, with the options of the primary's pool. */
extern KgReaders *kg_readers_new(KgLoop *loop, KgPool *primary,
								 const KgPoolOptions *pool,
								 const KgReadersOptions *options);
extern void kg_readers_free(KgReaders *readers);

/* Returns a standby that can be queried, or NULL. */
extern KgPool *kg_readers_choose(KgReaders *readers);

/*
 * Like kg_pool_query(), for a message that changes nothing or that a standby
 * refuses. Returns NULL if no standby is available; then done is not called.
 */
extern KgRead *kg_readers_query(KgReaders *readers,
								const KgPoolMessage *message, KgQueryDone done,
								KgQueryNotice notice, void *arg);

/* Cancels a query. done is not called. */
extern void kg_read_cancel(KgRead *read);

/* Returns the maximal lag of a standby, in milliseconds. */
extern long kg_readers_lag(const KgReaders *readers);

/* Write the metrics, or a member of the object of /readyz. */
extern void kg_readers_write(const KgReaders *readers, KgBuf *out);
extern void kg_readers_write_ready(const KgReaders *readers, KgBuf *out);

#endif /* KG_READERS_H */
