/*
 * result.h
 *	  The texts of an SQL error, from a database or from a shard behind a
 *	  front.
 */
#ifndef KG_RESULT_H
#define KG_RESULT_H

#include <libpq-fe.h>

/*
 * Returns a text of an SQL error like PQresultErrorField(). field is
 * PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_MESSAGE_DETAIL or PG_DIAG_MESSAGE_HINT.
 * Removes the prefix that PL/Proxy adds to the texts of a shard.
 */
extern const char *kg_result_words(const PGresult *res, int field);

#endif /* KG_RESULT_H */
