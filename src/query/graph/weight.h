/*
 * weight.h
 *	  Exact weights of edges.
 */
#ifndef KG_WEIGHT_H
#define KG_WEIGHT_H

#include "utils/numeric.h"

/* The number of digits after the decimal point. */
#define KG_WEIGHT_DIGITS 15

/* An exact weight, in units of 10^-KG_WEIGHT_DIGITS. */
typedef int128 KgWeight;

/*
 * Reads a weight, which may be negative. Sets *usable to false if the number
 * has more digits than a KgWeight or is not finite.
 */
extern KgWeight kg_weight_read(Numeric numeric, bool *usable);

extern Numeric kg_weight_numeric(KgWeight weight);

#endif /* KG_WEIGHT_H */
