/*
 * past_time.h
 *	  The time that an argument "as_of" names.
 */
#ifndef KG_PAST_TIME_H
#define KG_PAST_TIME_H

#include "model/catalog.h"
#include "datatype/timestamp.h"

/*
 * The time that an argument "as_of" names, for a type; raises KG_INVALID_INPUT
 * where the type keeps no history, or not of that time.  Without a type: where it
 * is none, or has not passed.
 */
extern TimestampTz kg_history_time(const KgType *type, const char *as_of);

#endif /* KG_PAST_TIME_H */
