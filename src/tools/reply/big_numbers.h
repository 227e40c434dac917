/*
 * big_numbers.h
 *	  Numbers of a reply that a double does not represent exactly, as text.
 */
#ifndef KG_BIG_NUMBERS_H
#define KG_BIG_NUMBERS_H

#include "utils/jsonb.h"

/*
 * Returns the reply with numbers above 2^53 as text if kg_graph.big_numbers
 * says so; otherwise the reply itself.
 */
extern Jsonb *kg_big_numbers(Jsonb *reply);

#endif /* KG_BIG_NUMBERS_H */
