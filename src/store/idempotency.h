/*
 * idempotency.h
 *	  Writes that are sent again with their key.
 */
#ifndef KG_IDEMPOTENCY_H
#define KG_IDEMPOTENCY_H

#include "base/spi.h"
#include "fmgr.h"
#include "utils/jsonb.h"

/* The option idempotency_key, or NULL.  Raises KG_INVALID_INPUT. */
extern const char *kg_idempotency_key(const Jsonb *options);

/* Role, subject, agent, and what it calls: ["app", "ada", null, "f"] */
extern char *kg_caller_of(const char *called);

/*
 * Of a table that keeps something for callers, under a name of theirs: delete
 * what a tenant has that is older than so many seconds, 100 rows at the most,
 * without waiting for anybody.  As the owner.
 */
#define KG_DELETE_OLD(table, name, at)                               \
	"WITH old AS MATERIALIZED (SELECT caller, " name " FROM @" table \
	" WHERE tenant = $1 AND " at " <= clock_timestamp() "            \
	"- $2 * '1 s'::interval ORDER BY " at " LIMIT 100 "              \
	"FOR UPDATE SKIP LOCKED) DELETE FROM @" table " k USING old o "  \
	"WHERE k.tenant = $1 AND k.caller = o.caller AND k." name " = o." name

extern void kg_delete_old(KgSaved *saved, const char *sql, const char *tenant,
						  int seconds);

/* A write with a key: who sent it, and the digest of what. */
typedef struct KgRequest
{
	const char *tenant;
	const char *caller;
	const char *key;
	bytea *digest;
} KgRequest;

/*
 * The reply to the same write, where it was done before; NULL: it is to be done,
 * and kept.  Whoever sends the same key meanwhile waits until this transaction
 * ends.  A key is the caller's, its agent's and the function's or tool's.
 * Raises KG_CONFLICT where it is of another write.  Inside SPI.
 */
extern Jsonb *kg_idempotency_begin(KgRequest *request, const char *key,
								   FunctionCallInfo fcinfo);
/* The same of a tool; arguments are those that make it the same write. */
extern Jsonb *kg_idempotency_begin_tool(KgRequest *request, const char *key,
										const char *tool,
										const Jsonb *arguments);
/*
 * Of a text that is good for one write: was it used, by anybody?  Else the
 * request is to be kept with the write.  Whoever uses it meanwhile waits.
 */
extern bool kg_idempotency_used(KgRequest *request, const char *text);
/*
 * A kept reply about entities of a type as the caller may see it now: of those
 * that it does not see, id and verdict are left, and "withheld" counts them.
 */
extern Jsonb *kg_idempotency_seen(const char *type, const Jsonb *reply);
extern void kg_idempotency_keep(const KgRequest *request, const Jsonb *reply);

#endif /* KG_IDEMPOTENCY_H */
