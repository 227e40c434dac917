/*
 * edge_key.h
 *	  The key of parallel edges. If a relation has a key property, the
 *	  property's value is part of an edge's identity, in the column
 *	  kg_edge.key.
 */
#ifndef KG_EDGE_KEY_H
#define KG_EDGE_KEY_H

#include "base/error.h"
#include "model/catalog.h"

/* Maximal length of a key, in bytes. The key is a column of the primary key. */
#define KG_MAX_EDGE_KEY 512

/*
 * Returns the key of an edge with these properties, which may be NULL. Returns
 * "" if the relation has no key. If the properties have no valid key, returns
 * NULL and sets *err. The path of *err is the member of the properties
 * ("/lang").
 */
extern const char *kg_edge_key_of(const KgRelation *relation,
								  const Jsonb *properties, KgError **err);

/*
 * Returns a string or an integer as the text of a key; NULL for other values.
 */
extern const char *kg_edge_key_text(const JsonbValue *value);

/*
 * Returns NULL if the property can be the key of a relation with these fields.
 * Otherwise returns the error.
 */
extern KgError *kg_edge_key_fault(const char *property, const KgField *fields,
								  int nfields);

#endif /* KG_EDGE_KEY_H */
