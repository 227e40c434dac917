/*
 * has_column.c
 *	  Columns that the installed SQL may be too old for.
 */
#include "postgres.h"

#include "access/attnum.h"
#include "base/extension.h"
#include "base/has_column.h"
#include "utils/lsyscache.h"

bool
kg_has_column(const char *table, const char *column)
{
	Oid relation = kg_find_relation(table);

	return OidIsValid(relation) &&
		   get_attnum(relation, column) != InvalidAttrNumber;
}
