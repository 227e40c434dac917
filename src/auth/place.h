/*
 * place.h
 *	  A place among as many calls as may run at once.
 */
#ifndef KG_PLACE_H
#define KG_PLACE_H

#include "storage/lock.h"

typedef struct KgPlace
{
	bool taken;
	LOCKTAG tag;
} KgPlace;

/* False where all are taken.  Writes nothing and works on a standby. */
extern bool kg_place_take(KgPlace *place, const char *tenant,
						  const char *counted, int64 places);

/* Also after an error; harmless where none was taken. */
extern void kg_place_leave(KgPlace *place);

#endif /* KG_PLACE_H */
