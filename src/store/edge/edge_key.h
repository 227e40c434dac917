/*
 * edge_key.h
 *	  What tells parallel edges apart: where a relation has a key property, its
 *	  value is a part of an edge's identity, in the column kg_edge.key.
 */
#ifndef KG_EDGE_KEY_H
#define KG_EDGE_KEY_H

#include "base/error.h"
#include "model/catalog.h"

/* Bytes of a key: it is in the primary key. */
#define KG_MAX_EDGE_KEY 512

/*
 * The key of an edge with these properties (or NULL); "" where the relation has
 * none.  NULL where it is at fault: err says so, with path the member of the
 * properties ("/lang").
 */
extern const char *kg_edge_key_of(const KgRelation *relation,
								  const Jsonb *properties, KgError **err);

/* What a value is as a key, a string or an integer; NULL for any other. */
extern const char *kg_edge_key_text(const JsonbValue *value);

/* Can the property be the key of a relation with these fields? */
extern KgError *kg_edge_key_fault(const char *property, const KgField *fields,
								  int nfields);

#endif /* KG_EDGE_KEY_H */
