/*
 * result.h
 *	  The texts of an error, from a database or from a shard behind a front.
 */
#ifndef KG_RESULT_H
#define KG_RESULT_H

#include <libpq-fe.h>

/*
 * Returns PQresultErrorField() for PG_DIAG_MESSAGE_PRIMARY,
 * PG_DIAG_MESSAGE_DETAIL or PG_DIAG_MESSAGE_HINT, without the prefix that
 * PL/Proxy adds to texts of a shard.
 */
extern const char *kg_result_words(const PGresult *res, int field);

#endif /* KG_RESULT_H */
