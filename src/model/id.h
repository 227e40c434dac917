/*
 * id.h
 *	  Ids as texts and as values of documents.
 *
 * The id of an entity is a text in every table, handle and reply.  In the
 * documents of a type with number_ids the id is an integer of the range of
 * bigint.  Its text has only digits, after a minus if it is negative.
 */
#ifndef KG_ID_H
#define KG_ID_H

#include "model/catalog.h"

/* The expected value in the error of an id that is not such an integer. */
#define KG_ID_NUMBER "an integer of 64 bits"

/*
 * Returns the id that a string or a number of a document names, or NULL for
 * another value.  No entity has the id of a number that is not a bigint.
 */
extern char *kg_id_of_value(const JsonbValue *value);

/* Returns whether a value of a document names the id. */
extern bool kg_id_is(const JsonbValue *value, const char *id);

/*
 * Sets an id as a value of a document: a number if it is one and "number" is
 * true, otherwise a string.
 */
extern void kg_id_value(const char *id, bool number, JsonbValue *value);

/*
 * Returns the key by which entities of a type with number_ids are ordered.  In
 * the past, when ids of the type were strings, other ids have the key of a
 * missing value.
 */
extern bytea *kg_id_key(const KgType *type, const char *id);

/*
 * Compares by the order of ids in lists of the type: numbers before other ids.
 */
extern int kg_id_compare(const KgType *type, const char *a, const char *b);

#endif /* KG_ID_H */
