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

/*
 * Returns the id that a string or a number of a document names, or NULL for
 * another value.  No entity has the id of a number that is not a bigint.
 */
extern char *kg_id_of_value(const JsonbValue *value);

/* Returns whether a value of a document names the id. */
extern bool kg_id_is(const JsonbValue *value, const char *id);

/* Sets an id as a value of a document: a number, or a string. */
extern void kg_id_value(const char *id, bool number, JsonbValue *value);

/* Returns the key by which entities of a type with number_ids are ordered. */
extern bytea *kg_id_key(const KgType *type, const char *id);

/* Compares by the order of ids in lists of the type. */
extern int kg_id_compare(const KgType *type, const char *a, const char *b);

#endif /* KG_ID_H */
