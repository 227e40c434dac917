/*
 * narrow.h
 *	  Hash tables that have values of properties instead of documents.
 */
#ifndef KG_NARROW_H
#define KG_NARROW_H

#include "nodes/plannodes.h"

/*
 * Changes each hash join whose inner side is a sequential scan. The scan then
 * returns the properties that the join reads, instead of the whole document.
 * Leaves other plans as they are.
 */
extern void kg_ask_narrow(Plan *plan);

#endif /* KG_NARROW_H */
