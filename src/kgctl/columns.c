/*
 * columns.c
 *	  Columns of CSV and TSV as properties of a schema.
 *
 * The schema of a property determines the JSON type of its cells; for example,
 * a cell is a number only if the schema permits numbers. If a cell's text has
 * no permitted type, the error names the column. The database checks everything
 * else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/columns.h"
#include "kgctl/log.h"
#include "kgctl/schema_types.h"

typedef enum Place
{
	OF_ENTITY, /* a property of the entity, or of the edge */
	/* the column "from" or "to", or another member of the edge itself */
	OF_EDGE,
	IGNORED
} Place;

typedef struct Column
{
	char *name;
	char *property;
	Place place;
	unsigned types;
} Column;

struct KgctlColumns
{
	Column *columns;
	size_t n;
	bool edges;
	bool empty_null; /* an empty cell is null if the schema permits it */
};

/* ---- the header ---- */

/*
 * Returns the property if map is COLUMN=PROPERTY for this column. Otherwise
 * returns NULL.
 */
static const char *
property_of(const char *map, const char *name)
{
	const char *equals = strrchr(map, '=');

	return equals != NULL && (size_t) (equals - map) == strlen(name) &&
				   strncmp(map, name, strlen(name)) == 0
			   ? equals + 1
			   : NULL;
}

/* Returns the property that an option --map gives to the column, or NULL. */
static const char *
mapped(const KgArgs *args, const char *name)
{
	const char *property = NULL;
	const char *map;

	for (size_t i = 0;
		 property == NULL && (map = kg_args_nth(args, "map", i)) != NULL;
		 i++)
		property = property_of(map, name);
	return property;
}

static bool
is_end(const char *name)
{
	return strcmp(name, "from") == 0 || strcmp(name, "to") == 0;
}

static bool
place_column(const KgctlRows *header, const KgArgs *args, const KgJson *schema,
			 KgctlColumns *columns, Column *column)
{
	const char *other = mapped(args, column->name);
	const char *name = other ? other : column->name;
	const KgJson *property = kgctl_json_get(
		kgctl_json_get(schema, "properties"), name);

	column->property = kg_strdup(name);
	column->types = KG_MAY_TEXT;
	if (*name == '\0' && other != NULL)
		column->place = IGNORED;
	else if (columns->edges && is_end(name))
		column->place = OF_EDGE;
	else if (property != NULL || other != NULL)
	{
		column->place = OF_ENTITY;
		column->types = kg_schema_types(schema, property);
		if (column->types == 0)
			column->types = KG_MAY_TEXT;
	}
	else
	{
		kg_error("%s:%lu: column \"%s\" is not a property; --map '%s=PROPERTY' "
				 "names its property, --map '%s=' leaves it out",
				 header->in->path,
				 header->line,
				 column->name,
				 column->name,
				 column->name);
		return false;
	}
	return true;
}

static bool
check_twice(const KgctlRows *header, const KgctlColumns *columns)
{
	bool ok = true;

	for (size_t i = 0; i < columns->n; i++)
		for (size_t k = 0; k < i; k++)
			if (columns->columns[i].place != IGNORED &&
				columns->columns[k].place != IGNORED &&
				strcmp(columns->columns[i].property,
					   columns->columns[k].property) == 0)
			{
				kg_error("%s:%lu: columns %zu and %zu are both \"%s\"; name "
						 "their properties with --map",
						 header->in->path,
						 header->line,
						 k + 1,
						 i + 1,
						 columns->columns[i].property);
				ok = false;
			}
	return ok;
}

/*
 * If an option --map names a column which is not in the header, prints an error
 * and returns false.
 */
static bool
check_maps(const KgctlRows *header, const KgArgs *args,
		   const KgctlColumns *columns)
{
	const char *map;
	bool ok = true;

	for (size_t i = 0; (map = kg_args_nth(args, "map", i)) != NULL; i++)
	{
		size_t k = 0;

		while (k < columns->n &&
			   property_of(map, columns->columns[k].name) == NULL)
			k++;
		if (k < columns->n)
			continue;
		kg_error(strchr(map, '=') == NULL
					 ? "%s:%lu: --map %s: expected COLUMN=PROPERTY"
					 : "%s:%lu: --map %s: the header has no such column",
				 header->in->path,
				 header->line,
				 map);
		ok = false;
	}
	return ok;
}

/*
 * If the header lacks the column of an end of edges, prints an error and
 * returns false. So a missing column is reported once, not for each row.
 */
static bool
check_ends(const KgctlRows *header, const KgctlColumns *columns)
{
	static const char *const ends[] = {"from", "to"};
	bool ok = true;

	for (size_t e = 0; columns->edges && e < 2; e++)
	{
		size_t i = 0;

		while (i < columns->n &&
			   (columns->columns[i].place != OF_EDGE ||
				strcmp(columns->columns[i].property, ends[e]) != 0))
			i++;
		if (i < columns->n)
			continue;
		kg_error("%s:%lu: no column is \"%s\"; name it with --map 'COLUMN=%s'",
				 header->in->path,
				 header->line,
				 ends[e],
				 ends[e]);
		ok = false;
	}
	return ok;
}

KgctlColumns *
kg_columns_new(const KgctlRows *header, const KgArgs *args,
			   const KgJson *schema, bool edges)
{
	KgctlColumns *columns = kg_calloc(1, sizeof(KgctlColumns));
	const char *empty = kg_args_get(args, "empty");
	bool ok = true;

	columns->columns = kg_calloc(header->ncells, sizeof(Column));
	columns->n = header->ncells;
	columns->edges = edges;
	columns->empty_null = empty != NULL && strcmp(empty, "null") == 0;
	for (size_t i = 0; i < columns->n; i++)
	{
		const KgCell *cell = &header->cell[i];

		columns->columns[i].name = kg_strndup(header->cells.data + cell->at,
											  cell->len);
		ok = place_column(
				 header, args, schema, columns, &columns->columns[i]) &&
			 ok;
	}
	ok = ok && check_maps(header, args, columns) &&
		 check_twice(header, columns) && check_ends(header, columns);
	if (ok)
		return columns;
	kg_columns_free(columns);
	return NULL;
}

void
kg_columns_free(KgctlColumns *columns)
{
	if (columns == NULL)
		return;
	for (size_t i = 0; i < columns->n; i++)
	{
		free(columns->columns[i].name);
		free(columns->columns[i].property);
	}
	free(columns->columns);
	free(columns);
}

/* ---- a row ---- */

/*
 * Returns the text of the error for a cell that is not a value of its column.
 */
static char *
refuse(const Column *column, const char *text)
{
	const char *what = column->types & KG_MAY_NUMBER
						   ? "no number; write it like 1234.5, without spaces, "
							 "signs of thousands, currency or leading zeros"
					   : column->types & KG_MAY_BOOL ? "neither true nor false"
					   : column->types & KG_MAY_JSON
						   ? "no array or object; write it as JSON"
						   : "no value that it may have";
	int len = (int) strcspn(text, "\n");

	return kg_format("column \"%s\": \"%.*s\" is %s",
					 column->name,
					 len > 100 ? 100 : len,
					 text,
					 what);
}

static char *
add_cell(const KgctlColumns *columns, const Column *column,
		 const KgctlRows *row, const KgCell *cell, KgBuf *out, bool *any)
{
	const char *text = row->cells.data + cell->at;
	bool empty = cell->len == 0 && !cell->quoted;

	if (empty && column->place == OF_EDGE)
		return kg_format("column \"%s\" is empty, but an edge needs both ends",
						 column->name);
	/*
	 * An empty cell means that the property has no value; a quoted "" is the
	 * empty string.
	 */
	if (empty && !(columns->empty_null && (column->types & KG_MAY_NULL)))
		return NULL;
	if (*any)
		kg_buf_putc(out, ',');
	*any = true;
	kg_buf_json(out, column->property, strlen(column->property));
	kg_buf_putc(out, ':');
	if (empty)
		kg_buf_puts(out, "null");
	else if (!kg_schema_value(column->types, text, cell->len, out))
		return refuse(column, text);
	return NULL;
}

static char *
add_cells(const KgctlColumns *columns, const KgctlRows *row, Place place,
		  KgBuf *out, bool any, const char **property)
{
	for (size_t i = 0; i < columns->n; i++)
		if (columns->columns[i].place == place)
		{
			char *error = add_cell(
				columns, &columns->columns[i], row, &row->cell[i], out, &any);

			*property = columns->columns[i].property;
			if (error != NULL)
				return error;
		}
	*property = NULL;
	return NULL;
}

/*
 * Returns whether the row repeats the header. This occurs if files were
 * concatenated.
 */
static bool
is_header(const KgctlColumns *columns, const KgctlRows *row)
{
	size_t i = 0;

	while (i < columns->n && i < row->ncells &&
		   strcmp(columns->columns[i].name,
				  row->cells.data + row->cell[i].at) == 0)
		i++;
	return i == columns->n;
}

char *
kg_columns_row(const KgctlColumns *columns, const KgctlRows *row, KgBuf *out,
			   const char **property)
{
	char *error;

	*property = NULL;
	if (row->ncells != columns->n)
		return kg_format("the row has %zu cell%s and the header %zu",
						 row->ncells,
						 row->ncells == 1 ? "" : "s",
						 columns->n);
	if (is_header(columns, row))
		return kg_strdup("the row repeats the header");
	kg_buf_putc(out, '{');
	if (!columns->edges)
		error = add_cells(columns, row, OF_ENTITY, out, false, property);
	else
	{
		size_t at;

		error = add_cells(columns, row, OF_EDGE, out, false, property);
		if (error != NULL)
			return error;
		at = out->len;
		kg_buf_puts(out, ",\"properties\":{");
		error = add_cells(columns, row, OF_ENTITY, out, false, property);
		/* If no property has a value, omit "properties". */
		if (out->data[out->len - 1] == '{')
			out->len = at;
		else
			kg_buf_putc(out, '}');
	}
	kg_buf_putc(out, '}');
	return error;
}
