/*
 * id.h
 *	  Conversion of ids between texts and values of documents.
 *
 * The id of an entity is a text in every table, handle and reply. In documents
 * of a type with number_ids, the id is an integer in the range of bigint. The
 * text of such an id has only digits, and a leading minus if it is negative.
 */
#ifndef KG_ID_H
#define KG_ID_H

#include "model/catalog.h"

/* The expected value in errors about an id that is not such an integer. */
#define KG_ID_NUMBER "an integer of 64 bits"

/*
 * Returns the id that a value of a document represents, or NULL if the value is
 * neither a string nor a number. For a number outside the range of bigint, the
 * returned id belongs to no entity.
 */
extern char *kg_id_of_value(const JsonbValue *value);

/* Returns whether a value of a document represents the given id. */
extern bool kg_id_is(const JsonbValue *value, const char *id);

/*
 * Sets *value to an id as a value of a document. If "number" is set and the id
 * is an integer, the value is a number. Otherwise it is a string.
 */
extern void kg_id_value(const char *id, bool number, JsonbValue *value);

/*
 * Returns the key by which entities of a type with number_ids are ordered. If
 * ids of the type were strings in the past, such an id may not be an integer.
 * It then has the key of a missing value.
 */
extern bytea *kg_id_key(const KgType *type, const char *id);

/* Compares two ids of a type with number_ids: numbers before other ids. */
extern int kg_id_compare_numbers(const char *a, const char *b);

/* Compares two ids in the order in which lists of the type return them. */
static inline int
kg_id_compare(const KgType *type, const char *a, const char *b)
{
	return type->number_ids ? kg_id_compare_numbers(a, b) : strcmp(a, b);
}

#endif /* KG_ID_H */
