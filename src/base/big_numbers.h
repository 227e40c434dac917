/*
 * big_numbers.h
 *	  Numbers that a double does not represent exactly, as text.
 */
#ifndef KG_BIG_NUMBERS_H
#define KG_BIG_NUMBERS_H

#include "utils/jsonb.h"

/*
 * If kg_graph.big_numbers requires text, returns the JSON with numbers above
 * 2^53 as text. Otherwise returns the JSON itself.
 */
extern const JsonbContainer *kg_big_numbers_in(const JsonbContainer *json);
extern Jsonb *kg_big_numbers(Jsonb *reply);

#endif /* KG_BIG_NUMBERS_H */
