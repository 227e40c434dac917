/*
 * cursor.h
 *	  Cursors: opaque, signed, bound to one caller and to one query.
 *
 * A cursor is base64url of payload and a MAC.  The MAC covers the caller
 * (tenant, role, agent, scope) and the query, so another caller's or another
 * query's cursor is as wrong as a forged one, and says no more.  The key is a
 * row of kg_secret, made at CREATE EXTENSION and not dumped.
 */
#ifndef KG_CURSOR_H
#define KG_CURSOR_H

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/*
 * What a cursor is bound to: the tool, what it is about (a type and the hash
 * of its schema, or ""), and every argument but those that only size a page
 * (limit, offset, cursor, max_bytes, max_tokens).
 */
extern StringInfo kg_cursor_query(const char *tool, const char *about,
								  const JsonbContainer *arguments);

/* A part of it, with its length, so that none runs into the next. */
extern void kg_cursor_part(StringInfo query, const void *part, int len);

extern char *kg_cursor_seal(const char *tenant, const StringInfoData *query,
							const char *payload, int len);

/* The payload; raises KG_INVALID_INPUT at path for any other string. */
extern StringInfo kg_cursor_open(const char *tenant,
								 const StringInfoData *query,
								 const char *cursor, const char *path);

/* The same of a text of at most so many characters; NULL for any other. */
extern StringInfo kg_cursor_unseal(const char *tenant,
								   const StringInfoData *query,
								   const char *cursor, int longest);

/*
 * The same of a payload of at most KG_MOST_HIDDEN bytes that its bearer cannot
 * read.  Equal ones look equal.
 */
#define KG_MOST_HIDDEN 32
extern char *kg_cursor_seal_hidden(const char *tenant,
								   const StringInfoData *query,
								   const char *payload, int len);
extern StringInfo kg_cursor_unseal_hidden(const char *tenant,
										  const StringInfoData *query,
										  const char *cursor, int longest);

/* A keyed digest: equal for equal bytes, and told to callers. */
extern uint64 kg_cursor_digest(const char *bytes, int len);

#endif /* KG_CURSOR_H */
