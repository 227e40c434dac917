/*
 * idempotency.h
 *	  Idempotency keys. A write that a caller repeats with the same key is not
 *	  executed again, but returns the first reply.
 */
#ifndef KG_IDEMPOTENCY_H
#define KG_IDEMPOTENCY_H

#include "base/spi.h"
#include "fmgr.h"
#include "utils/jsonb.h"

/*
 * Returns the option idempotency_key, or NULL if the options do not have it.
 * Raises KG_INVALID_INPUT if it is not a valid key.
 */
extern const char *kg_idempotency_key(const Jsonb *options);

/*
 * Returns the caller as JSON text: role, subject, agent and the name of the
 * called function: ["app", "ada", null, "f"].
 */
extern char *kg_caller_of(const char *called);

/*
 * The statement for kg_delete_old(). "table" has rows for each caller and
 * name; "name" and "at" are its columns for the name and the time. The
 * statement deletes at most 100 rows of tenant $1 that are older than $2
 * seconds. It skips rows that another session has locked. It runs as the
 * extension's owner.
 */
#define KG_DELETE_OLD(table, name, at)                               \
	"WITH old AS MATERIALIZED (SELECT caller, " name " FROM @" table \
	" WHERE tenant = $1 AND " at " <= clock_timestamp() "            \
	"- $2 * '1 s'::interval ORDER BY " at " LIMIT 100 "              \
	"FOR UPDATE SKIP LOCKED) DELETE FROM @" table " k USING old o "  \
	"WHERE k.tenant = $1 AND k.caller = o.caller AND k." name " = o." name

extern void kg_delete_old(KgSaved *saved, const char *sql, const char *tenant,
						  int seconds);

/*
 * A write with an idempotency key: the caller, and the digest of the
 * arguments.
 */
typedef struct KgRequest
{
	const char *tenant;
	const char *caller;
	const char *key;
	bytea *digest;
} KgRequest;

/*
 * Returns the stored reply if the caller has already executed this write.
 * Otherwise returns NULL and fills in *request. The caller of this function
 * then executes the write and stores its reply with kg_idempotency_keep().
 * Another session that sends the same key waits until this transaction ends. A
 * key belongs to the caller, its agent, and the function or tool. Raises
 * KG_CONFLICT if the key was used for a different write. Call inside SPI.
 */
extern Jsonb *kg_idempotency_begin(KgRequest *request, const char *key,
								   FunctionCallInfo fcinfo);
/*
 * Returns the stored reply of a tool's call, or NULL, as kg_idempotency_begin()
 * does for a function. Two calls are the same write if they have equal
 * arguments.
 */
extern Jsonb *kg_idempotency_begin_tool(KgRequest *request, const char *key,
										const char *tool,
										const Jsonb *arguments);
/*
 * Returns whether any caller has already used this text, which permits a
 * single write. If not, fills in *request. The caller of this function passes
 * it to kg_idempotency_keep() in the transaction of the write. Another session
 * that uses the text waits until this transaction ends.
 */
extern bool kg_idempotency_used(KgRequest *request, const char *text);
/*
 * Returns a stored reply about entities of a type. The items of entities that
 * the caller does not see now have only id and verdict, and the member
 * "withheld" has the number of these items.
 */
extern Jsonb *kg_idempotency_seen(const char *type, const Jsonb *reply);
/*
 * A function that returns for each id whether the caller sees the entity now.
 * An id may be NULL.
 */
typedef bool *(*KgSeen)(const char *const *ids, int n, void *arg);
/*
 * Returns a stored reply without the data of entities that find() does not
 * report as visible (see kg_idempotency_seen()).
 */
extern Jsonb *kg_idempotency_withhold(const Jsonb *reply, KgSeen find,
									  void *arg);
extern void kg_idempotency_keep(const KgRequest *request, const Jsonb *reply);

#endif /* KG_IDEMPOTENCY_H */
