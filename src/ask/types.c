/*
 * types.c
 *	  The types of the values of a query.
 */
#include "postgres.h"

#include "ask/allowed.h"
#include "catalog/pg_type.h"

/*
 * The allowed types. name is the name in pg_type, or NULL if a query may not
 * write the type in a cast.
 */
static const struct
{
	Oid oid;
	Oid array;
	const char *name;
} types[] = {
	{BOOLOID, BOOLARRAYOID, "bool"},
	{INT2OID, INT2ARRAYOID, "int2"},
	{INT4OID, INT4ARRAYOID, "int4"},
	{INT8OID, INT8ARRAYOID, "int8"},
	{FLOAT4OID, FLOAT4ARRAYOID, "float4"},
	{FLOAT8OID, FLOAT8ARRAYOID, "float8"},
	{NUMERICOID, NUMERICARRAYOID, "numeric"},
	{TEXTOID, TEXTARRAYOID, "text"},
	{VARCHAROID, VARCHARARRAYOID, "varchar"},
	{BPCHAROID, BPCHARARRAYOID, "bpchar"},
	{DATEOID, DATEARRAYOID, "date"},
	{TIMEOID, TIMEARRAYOID, "time"},
	{TIMETZOID, TIMETZARRAYOID, "timetz"},
	{TIMESTAMPOID, TIMESTAMPARRAYOID, "timestamp"},
	{TIMESTAMPTZOID, TIMESTAMPTZARRAYOID, "timestamptz"},
	{INTERVALOID, INTERVALARRAYOID, "interval"},
	{UUIDOID, UUIDARRAYOID, "uuid"},
	{JSONOID, JSONARRAYOID, "json"},
	{JSONBOID, JSONBARRAYOID, "jsonb"},
	{JSONPATHOID, JSONPATHARRAYOID, "jsonpath"},
	{INT4RANGEOID, INT4RANGEARRAYOID, "int4range"},
	{INT8RANGEOID, INT8RANGEARRAYOID, "int8range"},
	{NUMRANGEOID, NUMRANGEARRAYOID, "numrange"},
	{DATERANGEOID, DATERANGEARRAYOID, "daterange"},
	{TSRANGEOID, TSRANGEARRAYOID, "tsrange"},
	{TSTZRANGEOID, TSTZRANGEARRAYOID, "tstzrange"},
	{RECORDOID, RECORDARRAYOID, NULL},
	{UNKNOWNOID, UNKNOWNOID, NULL},
};

bool
kg_ask_type(Oid oid)
{
	for (int i = 0; i < lengthof(types); i++)
		if (types[i].oid == oid || types[i].array == oid)
			return true;
	return false;
}

bool
kg_ask_type_is_named(const char *name)
{
	for (int i = 0; i < lengthof(types); i++)
		if (types[i].name != NULL && strcmp(types[i].name, name) == 0)
			return true;
	return false;
}

/* Names of types in other dialects, each followed by PostgreSQL's name. */
static const char *const others[][2] = {
	{"datetime", "timestamp"},
	{"string", "text"},
	{"double", "double precision"},
	{"number", "numeric"},
	{"int64", "bigint"},
	{"float64", "double precision"},
	{"tinyint", "smallint"},
	{"unsigned", "bigint"},
	{"signed", "bigint"},
};

const char *
kg_ask_type_nearest(const char *name)
{
	const char *names[lengthof(types)];
	int n = 0;

	for (int i = 0; i < lengthof(others); i++)
		if (strcmp(others[i][0], name) == 0)
			return others[i][1];
	for (int i = 0; i < lengthof(types); i++)
		if (types[i].name != NULL)
			names[n++] = types[i].name;
	return kg_nearest(name, names, n);
}
