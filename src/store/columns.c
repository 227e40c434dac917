/*
 * columns.c
 *	  Rows gathered column by column.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "store/columns.h"
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
kg_columns_arrays(const KgColumns *columns, Datum *arrays)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		int16 len;
		bool byval;
		char align;
		int dims = columns->nrows;
		int lower = 1;

		get_typlenbyvalalign(columns->types[i], &len, &byval, &align);
		arrays[i] = PointerGetDatum(construct_md_array(columns->values[i],
													   columns->nulls[i],
													   1,
													   &dims,
													   &lower,
													   columns->types[i],
													   len,
													   byval,
													   align));
	}
}

void
kg_columns_run(KgForms *forms, const char *tenant, const KgColumns *columns,
			   int expected)
{
	bool one = columns->nrows == 1;
	Oid argtypes[KG_MAX_COLUMNS + 1] = {TEXTOID};
	Datum values[KG_MAX_COLUMNS + 1] = {CStringGetTextDatum(tenant)};
	char nulls[KG_MAX_COLUMNS + 1] = {' '};

	if (!one)
		kg_columns_arrays(columns, &values[1]);
	for (int i = 0; i < columns->ncolumns; i++)
	{
		argtypes[i + 1] = one ? columns->types[i]
							  : get_array_type(columns->types[i]);
		nulls[i + 1] = one && columns->nulls[i][0] ? 'n' : ' ';
		if (one)
			values[i + 1] = columns->values[i][0];
	}
	kg_spi_run(one ? &forms->saved_one : &forms->saved_many,
			   one ? forms->one : forms->many,
			   columns->ncolumns + 1,
			   argtypes,
			   values,
			   nulls,
			   false,
			   expected);
}
