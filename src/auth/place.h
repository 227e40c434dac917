/*
 * place.h
 *	  Slots that limit the number of concurrent calls.
 */
#ifndef KG_PLACE_H
#define KG_PLACE_H

#include "storage/lock.h"

typedef struct KgPlace
{
	bool taken;
	LOCKTAG tag;
} KgPlace;

/*
 * Takes one of the slots of a tenant and subject.  Returns false if all are
 * taken.  Writes nothing and works on a standby.
 */
extern bool kg_place_take(KgPlace *place, const char *tenant,
						  const char *counted, int64 places);

/*
 * Releases the slot, also after an error.  Does nothing if no slot was taken.
 */
extern void kg_place_leave(KgPlace *place);

#endif /* KG_PLACE_H */
