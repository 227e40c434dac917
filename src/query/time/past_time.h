/*
 * past_time.h
 *	  Reads the time in the argument "as_of".
 */
#ifndef KG_PAST_TIME_H
#define KG_PAST_TIME_H

#include "model/catalog.h"
#include "datatype/timestamp.h"

/*
 * Returns the time that an argument "as_of" names. Raises KG_INVALID_INPUT if
 * the argument is not a time, or if the time has not passed. Raises it also if
 * the type stores no history, or had no history at that time. type may be
 * NULL.
 */
extern TimestampTz kg_history_time(const KgType *type, const char *as_of);

/*
 * Returns the time of a date-time. Raises KG_INVALID_INPUT for any other text;
 * path is the path of the argument.
 */
extern TimestampTz kg_time_argument(const char *text, const char *path);

#endif /* KG_PAST_TIME_H */
