/*
 * big_numbers.h
 *	  Numbers so large that a double does not represent every integer, as text.
 */
#ifndef KG_BIG_NUMBERS_H
#define KG_BIG_NUMBERS_H

#include "utils/jsonb.h"

/*
 * If kg_graph.big_numbers requires text, returns the JSON with text instead of
 * each number whose absolute value is above 2^53 - 1. Otherwise returns the
 * JSON itself.
 */
extern const JsonbContainer *kg_big_numbers_in(const JsonbContainer *json);
extern Jsonb *kg_big_numbers(Jsonb *reply);

#endif /* KG_BIG_NUMBERS_H */
