/*
 * cursor.h
 *	  Cursors: opaque, signed, and bound to one caller and one query.
 *
 * A cursor is the base64url of a payload and a MAC. The MAC covers the caller
 * (tenant, role, agent, scope) and the query. So the cursor of another caller
 * or query is refused like a forged cursor, with an equal error. The key is
 * derived from a row of kg_secret, which CREATE EXTENSION makes and pg_dump
 * leaves out.
 */
#ifndef KG_CURSOR_H
#define KG_CURSOR_H

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/*
 * Returns the query that a cursor is bound to: the tool, its subject (a type
 * and the hash of its schema, or ""), and all arguments except those that only
 * determine the page (limit, offset, cursor, max_bytes, max_tokens).
 */
extern StringInfo kg_cursor_query(const char *tool, const char *about,
								  const JsonbContainer *arguments);

/*
 * Appends a part with its length to a query, so that different parts never have
 * equal bytes.
 */
extern void kg_cursor_part(StringInfo query, const void *part, int len);

extern char *kg_cursor_seal(const char *tenant, const StringInfoData *query,
							const char *payload, int len);

/*
 * Returns the payload of a cursor of this caller and query. Raises
 * KG_INVALID_INPUT at path for any other string.
 */
extern StringInfo kg_cursor_open(const char *tenant,
								 const StringInfoData *query,
								 const char *cursor, const char *path);

/*
 * Returns the payload of a text that was made by kg_cursor_seal() and has at
 * most "longest" characters. Returns NULL for any other text.
 */
extern StringInfo kg_cursor_unseal(const char *tenant,
								   const StringInfoData *query,
								   const char *cursor, int longest);

/*
 * Seal and open a payload of at most KG_MOST_HIDDEN bytes, which is signed and
 * encrypted. Equal payloads of a query have equal texts.
 */
#define KG_MOST_HIDDEN 32
extern char *kg_cursor_seal_hidden(const char *tenant,
								   const StringInfoData *query,
								   const char *payload, int len);
extern StringInfo kg_cursor_unseal_hidden(const char *tenant,
										  const StringInfoData *query,
										  const char *cursor, int longest);

/*
 * Returns a keyed digest of the bytes. The digest does not reveal them, so
 * callers may see it.
 */
extern uint64 kg_cursor_digest(const char *bytes, int len);

#endif /* KG_CURSOR_H */
