/*
 * result.h
 *	  What a result says in words, whether the database itself or one behind a
 *	  front has said it.
 */
#ifndef KG_RESULT_H
#define KG_RESULT_H

#include <libpq-fe.h>

/*
 * PQresultErrorField() for PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_MESSAGE_DETAIL and
 * PG_DIAG_MESSAGE_HINT, without what PL/Proxy puts before what a shard said.
 */
extern const char *kg_result_words(const PGresult *res, int field);

#endif /* KG_RESULT_H */
