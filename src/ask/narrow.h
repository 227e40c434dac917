/*
 * narrow.h
 *	  Makes hash joins store values of properties instead of whole documents.
 */
#ifndef KG_NARROW_H
#define KG_NARROW_H

#include "nodes/plannodes.h"

/*
 * Changes each hash join whose inner side is a sequential scan. The scan then
 * returns the values of the properties that the join reads, instead of the
 * whole document. Other plans stay as they are.
 */
extern void kg_ask_narrow(Plan *plan);

#endif /* KG_NARROW_H */
