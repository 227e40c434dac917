/*
 * numbers.h
 *	  Numbers of types and relations.
 */
#ifndef KG_NUMBERS_H
#define KG_NUMBERS_H

#include "store/bundle.h"

typedef enum KgNumbered
{
	KG_NUMBERED_TYPE,
	KG_NUMBERED_RELATION
} KgNumbered;

/*
 * Return a number that no type, or no relation, of the tenant has.  What a dry
 * run makes is never stored and takes none of those that can run out.  Raises
 * KG_LIMIT_EXCEEDED where there are no more.  As the owner, inside SPI.
 */
extern int32 kg_number_new(KgApply *apply, KgNumbered what);

#endif /* KG_NUMBERS_H */
