/*
 * numbers.h
 *	  Numbers of types and relations.
 */
#ifndef KG_NUMBERS_H
#define KG_NUMBERS_H

#include "store/bundle/bundle.h"

typedef enum KgNumbered
{
	KG_NUMBERED_TYPE,
	KG_NUMBERED_RELATION
} KgNumbered;

/*
 * Returns a number that no type (or no relation) of the tenant has. A dry run
 * stores nothing and uses numbers that cannot run out. Raises KG_LIMIT_EXCEEDED
 * if no number is left. Runs as the extension's owner, inside SPI.
 */
extern int32 kg_number_new(KgApply *apply, KgNumbered what);

#endif /* KG_NUMBERS_H */
