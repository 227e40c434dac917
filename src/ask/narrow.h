/*
 * narrow.h
 *	  Hash tables that have values of properties instead of documents.
 */
#ifndef KG_NARROW_H
#define KG_NARROW_H

#include "nodes/plannodes.h"

/*
 * Changes a hash join whose inner side is a sequential scan, so that the scan
 * returns the properties that the join reads instead of their document.  Leaves
 * other plans as they are.
 */
extern void kg_ask_narrow(Plan *plan);

#endif /* KG_NARROW_H */
