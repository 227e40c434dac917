/*
 * sql_filter.h
 *	  Corrects filters that are written as SQL: "price > 5 AND name LIKE 'A%'".
 */
#ifndef KG_SQL_FILTER_H
#define KG_SQL_FILTER_H

#include "base/json.h"

/*
 * Returns the filters that a text, or an array of texts, means as conditions of
 * SQL, joined by AND or by OR. Returns NULL unless each character of the text
 * has a meaning.
 */
extern Jsonb *kg_sql_filters(const JsonbValue *value);

/*
 * Returns the condition that a text means after the name of a property, such as
 * "IN ('a', 'b')" or "IS NULL"; otherwise NULL.
 */
extern Jsonb *kg_sql_condition(const JsonbValue *value);

#endif /* KG_SQL_FILTER_H */
