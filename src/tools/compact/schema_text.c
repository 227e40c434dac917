/*
 * schema_text.c
 *	  All types and relations that a caller sees, as a text for a model.
 *
 * A model reads this text once, before its first call, so the text is as short
 * as DDL:
 *
 *	  order 3000: id!, customer* -PLACED_BY-> customer, placed_at* date-time,
 *	  status* open|shipped package -DEPENDS-> package, virtual {op <<|<=|=,
 *	  version} "needs it to run"
 *
 * A reference is written only at its property, not as a relation as well.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "base/toolset.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "query/filter/filter.h"
#include "query/type_counts.h"
#include "store/entity/new_ids.h"
#include "tools/compact/schema_text.h"
#include "utils/json.h"
#include "virtual/source.h"

#define KG_SCHEMA_LEGEND                                                    \
	"-- name*: indexed (filter, sort, group); name!: required; text if no " \
	"type is named; -RELATION->: a reference or an edge"

/*
 * Text about forms that tools other than SQL accept in place of the name of a
 * property.
 */
#define KG_SCHEMA_PATHS \
	"; customer.country.name: through references; edge.since: of the edge"

/* The amount of detail in a line, from most to least. */
typedef enum Detail
{
	DETAIL_ALL,
	/* property descriptions are cut to KG_SHORT_DESCRIPTION bytes */
	DETAIL_SHORT,
	DETAIL_NONE,
	DETAIL_STUB, /* only the number of properties */
	NDETAILS
} Detail;

#define KG_SHORT_DESCRIPTION 60

/* A line of the text: a type or a relation. */
typedef struct Line
{
	const KgType *type;			/* or NULL */
	const KgRelation *relation; /* or NULL */
	/*
	 * number of entities of the type, or an estimate if the type reads a table;
	 * -1: not known
	 */
	int64 count;
	Detail detail;
	char *texts[NDETAILS];
	/* an earlier relation that has equal properties, or NULL */
	const KgRelation *as;
} Line;

typedef struct Writer
{
	const KgCatalog *catalog;
	Line *lines;
	int nlines;
	/* number of lines of types, which precede the lines of relations */
	int ntypes;
	bool sql; /* true: the caller has only the tools for SQL */
	KgSchemaText *result;
} Writer;

/* ---- properties ---- */

static void
append_description(StringInfo text, const char *description, Detail detail)
{
	int len;

	if (description == NULL || detail >= DETAIL_NONE)
		return;
	len = strlen(description);
	if (detail == DETAIL_SHORT && len > KG_SHORT_DESCRIPTION)
	{
		len = pg_mbcliplen(description, len, KG_SHORT_DESCRIPTION);
		appendStringInfo(text, " \"%.*s...\"", len, description);
	}
	else
		appendStringInfo(text, " \"%s\"", description);
}

static const char *
kind_name(const KgField *field)
{
	switch (field->kind)
	{
		case KG_KIND_STRING:
		case KG_KIND_ENUM:
			return NULL;
		case KG_KIND_INTEGER:
			return "integer";
		case KG_KIND_NUMBER:
			return "number";
		case KG_KIND_BOOLEAN:
			return "boolean";
		case KG_KIND_DATE:
			return "date";
		case KG_KIND_DATETIME:
			return "date-time";
		case KG_KIND_OBJECT:
			return "object";
		case KG_KIND_ANY:
			return "any";
	}
	return NULL;
}

/* Appends the values of an enum. Values that contain separators are quoted. */
static void
append_enum(StringInfo text, const KgField *field)
{
	for (int i = 0; i < field->nenum; i++)
	{
		const char *value = field->enum_values[i];

		appendStringInfoChar(text, i > 0 ? '|' : ' ');
		if (value[0] == '\0' || strpbrk(value, " ,;|\"{}") != NULL)
			escape_json(text, value);
		else
			appendStringInfoString(text, value);
	}
}

/*
 * Appends the relation and the target type of a reference: " -PLACED_BY->
 * customer".
 */
static void
append_reference(StringInfo text, const KgCatalog *catalog,
				 const KgField *field)
{
	const KgType *to = kg_catalog_type_in(
		catalog, field->ref_bundle, field->ref_type);

	appendStringInfo(text,
					 " -%s-> %s",
					 field->relation,
					 to ? kg_type_handle(to) : field->ref_type);
	if (field->ref_field != NULL)
		appendStringInfo(text, ".%s", field->ref_field);
}

static void
append_property(StringInfo text, const KgCatalog *catalog, const KgField *field,
				Detail detail)
{
	const char *kind = kind_name(field);
	bool made = field->type != NULL && field == field->type->id_field &&
				kg_makes_ids(field->type);

	appendStringInfo(text,
					 "%s%s%s%s",
					 field->name,
					 field->is_array ? "[]" : "",
					 field->indexed ? "*" : "",
					 made			   ? " generated"
					 : field->required ? "!"
									   : "");
	if (field->derived)
		appendStringInfo(text,
						 " integer = count of %s edges %s",
						 field->derived_incoming ? "incoming" : "outgoing",
						 field->derived_relation);
	else if (field->ref_type != NULL)
		append_reference(text, catalog, field);
	else if (field->nenum > 0)
		append_enum(text, field);
	else if (kind != NULL)
		appendStringInfo(text, " %s", kind);
	append_description(
		text, field->description ? field->description : field->title, detail);
}

/*
 * Returns whether a field is an object whose members are listed as properties
 * themselves. The object itself is then not listed.
 */
static bool
is_parent(const KgField *fields, int n, int i)
{
	size_t len = strlen(fields[i].name);

	return fields[i].kind == KG_KIND_OBJECT && i + 1 < n &&
		   strncmp(fields[i + 1].name, fields[i].name, len) == 0 &&
		   fields[i + 1].name[len] == '.';
}

static void
append_properties(StringInfo text, const Writer *w, const KgField *fields,
				  int n, const KgField *first, Detail detail)
{
	const char *separator = "";

	if (first != NULL)
	{
		append_property(text, w->catalog, first, detail);
		separator = ", ";
	}
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (&fields[i] == first || is_parent(fields, n, i))
			continue;
		/*
		 * Computed counts are no columns of the tables that SQL queries read.
		 */
		if (fields[i].derived && w->sql)
			continue;
		appendStringInfoString(text, separator);
		append_property(text, w->catalog, &fields[i], detail);
		separator = ", ";
	}
}

/* ---- lines ---- */

static void
append_period(StringInfo text, const KgPeriod *period)
{
	if (period->from != NULL || period->to != NULL)
		appendStringInfo(text,
						 " (valid from %s until %s)",
						 period->from ? period->from->name : "ever",
						 period->to ? period->to->name : "ever");
}

static void
append_type(StringInfo text, const Writer *w, const Line *line, Detail detail)
{
	const KgType *type = line->type;

	appendStringInfoString(text, kg_type_handle(type));
	if (line->count >= 0 && type->binding != NULL)
		appendStringInfo(text, " ~" INT64_FORMAT, line->count);
	else if (line->count > KG_MAX_TYPE_COUNT)
		appendStringInfo(text, " %d+", KG_MAX_TYPE_COUNT);
	else if (line->count >= 0)
		appendStringInfo(text, " " INT64_FORMAT, line->count);
	append_period(text, &type->period);
	if (detail == DETAIL_STUB)
	{
		appendStringInfo(text, ": %d properties", type->nfields);
		return;
	}
	/*
	 * A type's description is more useful than the descriptions of its
	 * properties. So it may be shortened, but is never omitted.
	 */
	append_description(text,
					   type->description ? type->description : type->title,
					   Min(detail, DETAIL_SHORT));
	appendStringInfoString(text, ": ");
	append_properties(
		text, w, type->fields, type->nfields, type->id_field, detail);
	if (type->label_field != NULL && type->label_field != type->id_field &&
		strcmp(type->label_field->name, "name") != 0)
		appendStringInfo(text, "; named by %s", type->label_field->name);
}

/*
 * Appends the distinct types at one end ("to": the target) of a relation. If
 * from_no is the number of a type, uses only the variants whose source is this
 * type.
 */
static void
append_ends(StringInfo text, const KgCatalog *catalog,
			const KgRelation *relation, bool to, int32 from_no)
{
	const char *separator = "";

	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *v = &relation->variants[i];
		int32 no = to ? v->to_type_no : v->from_type_no;
		const KgType *type = kg_catalog_type_no(catalog, no);
		bool before = from_no != 0 && v->from_type_no != from_no;

		for (int j = 0; j < i && !before; j++)
			before = (to ? relation->variants[j].to_type_no
						 : relation->variants[j].from_type_no) == no &&
					 (from_no == 0 ||
					  relation->variants[j].from_type_no == from_no);
		if (before || type == NULL)
			continue;
		appendStringInfo(text, "%s%s", separator, kg_type_handle(type));
		separator = ", ";
	}
}

/*
 * Returns whether the relation connects every source type with every target
 * type.
 */
static bool
is_product(const KgRelation *relation)
{
	for (int i = 0; i < relation->nvariants; i++)
		for (int j = 0; j < relation->nvariants; j++)
		{
			bool found = false;

			for (int k = 0; k < relation->nvariants && !found; k++)
				found = relation->variants[k].from_type_no ==
							relation->variants[i].from_type_no &&
						relation->variants[k].to_type_no ==
							relation->variants[j].to_type_no;
			if (!found)
				return false;
		}
	return true;
}

static void
append_arrow(StringInfo text, const KgRelation *relation)
{
	appendStringInfo(
		text, relation->symmetric ? " -%s- " : " -%s-> ", relation->name);
}

/*
 * Appends the types that a relation connects: "a, b -R-> c". If the relation
 * does not connect every source type with every target type, appends "a -R-> b;
 * c -R-> d".
 */
static void
append_joined(StringInfo text, const KgCatalog *catalog,
			  const KgRelation *relation)
{
	const char *separator = "";

	if (is_product(relation))
	{
		append_ends(text, catalog, relation, false, 0);
		append_arrow(text, relation);
		append_ends(text, catalog, relation, true, 0);
		return;
	}
	for (int i = 0; i < relation->nvariants; i++)
	{
		int32 from_no = relation->variants[i].from_type_no;
		const KgType *from = kg_catalog_type_no(catalog, from_no);
		bool before = false;

		for (int j = 0; j < i && !before; j++)
			before = relation->variants[j].from_type_no == from_no;
		if (before || from == NULL)
			continue;
		appendStringInfo(text, "%s%s", separator, kg_type_handle(from));
		append_arrow(text, relation);
		append_ends(text, catalog, relation, true, from_no);
		separator = "; ";
	}
}

static const char *
description_of(const KgRelation *relation)
{
	for (int i = 0; i < relation->nvariants; i++)
		if (relation->variants[i].description != NULL)
			return relation->variants[i].description;
	return NULL;
}

static void
append_relation(StringInfo text, const Writer *w, const Line *line,
				Detail detail)
{
	const KgRelation *relation = line->relation;

	append_joined(text, w->catalog, relation);
	append_period(text, &relation->period);
	if (relation->inverse != NULL)
		appendStringInfo(text, ", backwards %s", relation->inverse);
	if (relation->nfields > 0 && detail == DETAIL_STUB)
		appendStringInfo(text, " {%d properties}", relation->nfields);
	else if (line->as != NULL)
		appendStringInfo(text, " {as %s}", line->as->name);
	else if (relation->nfields > 0)
	{
		appendStringInfoString(text, " {");
		append_properties(
			text, w, relation->fields, relation->nfields, NULL, detail);
		appendStringInfoChar(text, '}');
	}
	append_description(
		text, description_of(relation), Min(detail, DETAIL_SHORT));
}

/* Returns the text of a line in the given detail. The line caches the text. */
static const char *
line_text(const Writer *w, Line *line, Detail detail)
{
	if (line->texts[detail] == NULL)
	{
		StringInfoData text;

		initStringInfo(&text);
		if (line->type != NULL)
			append_type(&text, w, line, detail);
		else
			append_relation(&text, w, line, detail);
		line->texts[detail] = text.data;
	}
	return line->texts[detail];
}

static int
compare_lines(const void *a, const void *b)
{
	const Line *x = a;
	const Line *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(kg_type_handle(x->type), kg_type_handle(y->type));
}

static bool
is_joined(const KgRelation *relation, const KgType *only)
{
	if (only == NULL)
		return true;
	for (int i = 0; i < relation->nvariants; i++)
		if (relation->variants[i].from_type_no == only->type_no ||
			relation->variants[i].to_type_no == only->type_no)
			return true;
	return false;
}

/* Returns whether the type has a reference to the type "only". */
static bool
is_referred_to(const KgType *type, const KgType *only)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].ref_type != NULL &&
			strcmp(type->fields[i].ref_type, only->name) == 0 &&
			strcmp(type->fields[i].ref_bundle, only->bundle) == 0)
			return true;
	return false;
}

/* Returns the properties of a relation as text. */
static char *
properties_text(const Writer *w, const KgRelation *relation)
{
	StringInfoData text;

	initStringInfo(&text);
	append_properties(
		&text, w, relation->fields, relation->nfields, NULL, DETAIL_ALL);
	return text.data;
}

/*
 * If the properties of a relation are equal to those of the previous relation
 * that has properties, sets "as" to the first of the successive relations with
 * these properties. Skips relations without properties.
 */
static void
find_repeated(Writer *w)
{
	const Line *before = NULL;
	char *properties = NULL;

	for (int i = w->ntypes; i < w->nlines; i++)
	{
		Line *line = &w->lines[i];
		char *own;

		if (line->relation->nfields == 0)
			continue;
		own = properties_text(w, line->relation);
		if (before != NULL && strcmp(own, properties) == 0)
			line->as = before->as ? before->as : before->relation;
		before = line;
		properties = own;
	}
}

static void
make_lines(Writer *w, const KgType *only)
{
	const KgCatalog *catalog = w->catalog;
	int64 *counts = kg_type_counts(catalog);

	w->lines = palloc0((catalog->ntypes + catalog->nrelations + 1) *
					   sizeof(Line));
	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type = kg_type_of(&catalog->types[i]);

		if (only == NULL || type == only || is_referred_to(type, only))
			w->lines[w->nlines++] = (Line){
				.type = type,
				.count = type->binding ? kg_vestimate(type) : counts[i]};
	}
	w->ntypes = w->nlines;
	qsort(w->lines, w->ntypes, sizeof(Line), compare_lines);
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!relation->derived && kg_catalog_joins(catalog, relation) &&
			is_joined(relation, only))
			w->lines[w->nlines++] = (Line){.relation = relation, .count = -1};
	}
	find_repeated(w);
	/*
	 * Other types are listed only because they refer to this type, so their
	 * properties are omitted.
	 */
	for (int i = 0; i < w->ntypes && only != NULL; i++)
		if (w->lines[i].type != only)
			w->lines[i].detail = DETAIL_NONE;
}

/* ---- fitting the text into max_bytes ---- */

static void
append_head(StringInfo text, const KgCatalog *catalog, bool sql)
{
	for (int i = 0; i < catalog->nbundles; i++)
		if (catalog->bundles[i].description != NULL)
			appendStringInfo(text,
							 "-- %s: %s\n",
							 catalog->bundles[i].name,
							 catalog->bundles[i].description);
	appendStringInfoString(text, KG_SCHEMA_LEGEND);
	if (!sql)
		appendStringInfoString(text, KG_SCHEMA_PATHS);
	appendStringInfoChar(text, '\n');
}

static Size
size_of_lines(const Writer *w)
{
	Size size = 0;

	for (int i = 0; i < w->nlines; i++)
		size += strlen(line_text(w, &w->lines[i], w->lines[i].detail)) + 1;
	return size;
}

static int
described(const Writer *w)
{
	int n = 0;

	for (int i = 0; i < w->nlines; i++)
	{
		const KgType *type = w->lines[i].type;
		const KgRelation *relation = w->lines[i].relation;
		const KgField *fields = type ? type->fields : relation->fields;
		int nfields = type ? type->nfields : relation->nfields;

		for (int j = 0; j < nfields; j++)
			n += fields[j].description != NULL;
	}
	return n;
}

/*
 * Reduces lines to stubs, beginning with the last line, until the text fits.
 * Returns the number of stubs. A stub has no properties.
 */
static int
stub_lines(Writer *w, int from, int to, Size *size, Size room)
{
	int n = 0;

	for (int i = to - 1; i >= from && *size > room; i--)
	{
		Line *line = &w->lines[i];

		*size -= strlen(line_text(w, line, line->detail));
		line->detail = DETAIL_STUB;
		*size += strlen(line_text(w, line, DETAIL_STUB));
		n++;
	}
	return n;
}

static void
fit_lines(Writer *w, Size room)
{
	KgSchemaText *result = w->result;
	Size size = size_of_lines(w);

	for (Detail detail = DETAIL_SHORT; detail <= DETAIL_NONE && size > room;
		 detail++)
	{
		for (int i = 0; i < w->nlines; i++)
			w->lines[i].detail = Max(w->lines[i].detail, detail);
		size = size_of_lines(w);
		result->descriptions = described(w);
	}
	result->types = stub_lines(w, 0, w->ntypes, &size, room);
	result->relations = stub_lines(w, w->ntypes, w->nlines, &size, room);
	while (w->nlines > 0 && size > room)
	{
		Line *line = &w->lines[--w->nlines];

		size -= strlen(line_text(w, line, line->detail)) + 1;
		result->unnamed++;
	}
}

void
kg_schema_text(KgSchemaText *schema, const KgCatalog *catalog,
			   const KgType *only, Size max_bytes)
{
	Writer w = {catalog,
				.sql = kg_agent_only_queries(kg_agent_current()),
				.result = schema};
	StringInfoData text;

	memset(schema, 0, sizeof(*schema));
	initStringInfo(&text);
	append_head(&text, catalog, w.sql);
	make_lines(&w, only);
	fit_lines(&w, max_bytes > text.len ? max_bytes - text.len : 0);
	for (int i = 0; i < w.nlines; i++)
		appendStringInfo(
			&text, "%s\n", line_text(&w, &w.lines[i], w.lines[i].detail));
	schema->text = text.data;
}
