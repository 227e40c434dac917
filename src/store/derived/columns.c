/*
 * columns.c
 *	  Rows that are stored as one array per column.
 */
#include "postgres.h"

#include "store/derived/columns.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

void
kg_columns_init(KgColumns *columns, MemoryContext context, int ncolumns,
				const Oid *types)
{
	memset(columns, 0, sizeof(*columns));
	columns->context = context;
	columns->ncolumns = ncolumns;
	memcpy(columns->types, types, ncolumns * sizeof(Oid));
}

int
kg_columns_add_row(KgColumns *columns)
{
	if (columns->nrows == columns->capacity)
	{
		int capacity = Max(8, columns->capacity * 2);
		MemoryContext context = columns->context;

		for (int i = 0; i < columns->ncolumns; i++)
		{
			Datum *values = MemoryContextAlloc(context,
											   capacity * sizeof(Datum));
			bool *nulls = MemoryContextAlloc(context, capacity * sizeof(bool));

			if (columns->nrows > 0)
			{
				memcpy(
					values, columns->values[i], columns->nrows * sizeof(Datum));
				memcpy(nulls, columns->nulls[i], columns->nrows * sizeof(bool));
				pfree(columns->values[i]);
				pfree(columns->nulls[i]);
			}
			columns->values[i] = values;
			columns->nulls[i] = nulls;
		}
		columns->capacity = capacity;
	}
	for (int i = 0; i < columns->ncolumns; i++)
		columns->nulls[i][columns->nrows] = true;
	return columns->nrows++;
}

void
kg_columns_datum(KgColumns *columns, int column, Datum value)
{
	columns->values[column][columns->nrows - 1] = value;
	columns->nulls[column][columns->nrows - 1] = false;
}

void
kg_columns_int32(KgColumns *columns, int column, int32 value)
{
	kg_columns_datum(columns, column, Int32GetDatum(value));
}

void
kg_columns_int64(KgColumns *columns, int column, int64 value)
{
	kg_columns_datum(columns, column, Int64GetDatum(value));
}

void
kg_columns_char(KgColumns *columns, int column, char value)
{
	kg_columns_datum(columns, column, CharGetDatum(value));
}

void
kg_columns_text(KgColumns *columns, int column, const char *value)
{
	int len;
	text *copy;

	if (value == NULL)
		return;
	len = strlen(value);
	copy = MemoryContextAlloc(columns->context, len + VARHDRSZ);
	SET_VARSIZE(copy, len + VARHDRSZ);
	memcpy(VARDATA(copy), value, len);
	kg_columns_datum(columns, column, PointerGetDatum(copy));
}

void
kg_columns_reorder(KgColumns *columns, const int *order)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		Datum *values = MemoryContextAlloc(columns->context,
										   columns->capacity * sizeof(Datum));
		bool *nulls = MemoryContextAlloc(columns->context,
										 columns->capacity * sizeof(bool));

		for (int j = 0; j < columns->nrows; j++)
		{
			values[j] = columns->values[i][order[j]];
			nulls[j] = columns->nulls[i][order[j]];
		}
		pfree(columns->values[i]);
		pfree(columns->nulls[i]);
		columns->values[i] = values;
		columns->nulls[i] = nulls;
	}
}

void
kg_columns_args(const KgColumns *columns, KgArg *args)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		int16 len;
		bool byval;
		char align;
		int dims = columns->nrows;
		int lower = 1;

		get_typlenbyvalalign(columns->types[i], &len, &byval, &align);
		args[i] = kg_arg(get_array_type(columns->types[i]),
						 PointerGetDatum(construct_md_array(columns->values[i],
															columns->nulls[i],
															1,
															&dims,
															&lower,
															columns->types[i],
															len,
															byval,
															align)));
	}
}

void
kg_columns_exec(KgSaved *saved, const char *sql, const char *tenant,
				const KgColumns *columns)
{
	KgArg args[KG_MAX_COLUMNS + 1] = {kg_arg_text(tenant)};

	kg_columns_args(columns, &args[1]);
	kg_spi_exec_args(saved, sql, columns->ncolumns + 1, args);
}

bool
kg_columns_insert(KgSaved *saved, const char *constraint, const char *sql,
				  const char *tenant, const KgColumns *columns)
{
	KgArg args[KG_MAX_COLUMNS + 1] = {kg_arg_text(tenant)};

	kg_columns_args(columns, &args[1]);
	return kg_spi_insert_args(
		saved, constraint, sql, columns->ncolumns + 1, args);
}

void
kg_columns_run(KgForms *forms, const char *tenant, const KgColumns *columns)
{
	KgArg args[KG_MAX_COLUMNS + 1] = {kg_arg_text(tenant)};

	if (columns->nrows != 1)
	{
		kg_columns_exec(&forms->saved_many, forms->many, tenant, columns);
		return;
	}
	for (int i = 0; i < columns->ncolumns; i++)
		args[i + 1] = (KgArg){
			columns->types[i], columns->nulls[i][0], columns->values[i][0]};
	kg_spi_exec_args(
		&forms->saved_one, forms->one, columns->ncolumns + 1, args);
}
