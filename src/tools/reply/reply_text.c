/*
 * reply_text.c
 *	  Writes a reply as text, either unchanged or with rows in place of arrays
 *	  of objects.
 *
 *	  docs/mcp.md describes how to read rows. Only the text is changed, not
 *	  the structured content of an MCP result.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "base/json.h"
#include "base/toolset.h"
#include "model/handle.h"
#include "tools/reply/joined_rows.h"
#include "tools/reply/reply_text.h"

/*
 * Order of the members in the text. Members that are not named here come
 * before the last nlast names.
 */
static const KgMemberName names[] = {
	KG_MEMBER_NAME("total"),	  KG_MEMBER_NAME("total_at_least"),
	KG_MEMBER_NAME("returned"),	  KG_MEMBER_NAME("truncated"),
	KG_MEMBER_NAME("reason"),	  KG_MEMBER_NAME("highest_limit"),
	KG_MEMBER_NAME("withheld"),	  KG_MEMBER_NAME("hints"),
	KG_MEMBER_NAME("repaired"),	  KG_MEMBER_NAME("node_count"),
	KG_MEMBER_NAME("edge_count"), KG_MEMBER_NAME("counts"),
	KG_MEMBER_NAME("sampled"),	  KG_MEMBER_NAME("modularity"),
	KG_MEMBER_NAME("similarity"), KG_MEMBER_NAME("columns"),
	KG_MEMBER_NAME("types"),	  KG_MEMBER_NAME("rows"),
	KG_MEMBER_NAME("nodes"),	  KG_MEMBER_NAME("edges"),
	KG_MEMBER_NAME("untrusted"),  KG_MEMBER_NAME("content_types"),
	KG_MEMBER_NAME("next")};
static const int nlast = 5;

/*
 * Maximum number of columns. An array whose objects have more distinct members
 * is not written as rows.
 */
#define KG_MAX_COLUMNS 64

/*
 * A column of rows. If holder is a string ("data", "properties" or "metadata"),
 * the cells are members of the object in this member of each item. If holder is
 * jbvNull, the cells are members of the items themselves.
 */
typedef struct Column
{
	JsonbValue holder;
	JsonbValue name;
	JsonbValue first; /* cell of the column in the first row */
	bool same;		  /* true: the cells of all rows are equal to "first" */
	bool is_id;		  /* true: each cell is equal to the id in its row */
} Column;

typedef struct Rows
{
	/* true: the rows are edges or paths, whose ends are written as handles */
	bool edges;
	int nrows;
	int n; /* number of columns */
	/* true: the object read last has a holder (data, properties or metadata) */
	bool held;
	/*
	 * true: some object lacks its holder because its properties were withheld
	 */
	bool cut;
	Column columns[KG_MAX_COLUMNS];
	/* cells of the object that was read last */
	JsonbValue cells[KG_MAX_COLUMNS];
} Rows;

static const JsonbValue null_value = {jbvNull};

/*
 * Returns whether a member is a holder: it contains the properties or metadata
 * of an entity or edge.
 */
static bool
is_holder(const KgJsonIter *member)
{
	return kg_json_is_object(&member->value) &&
		   (kg_json_string_is(&member->key, "data") ||
			kg_json_string_is(&member->key, "properties") ||
			kg_json_string_is(&member->key, "metadata"));
}

static int
find_column(const Rows *rows, const JsonbValue *holder, const JsonbValue *name)
{
	int i = 0;

	while (i < rows->n &&
		   (rows->columns[i].holder.type != holder->type ||
			(holder->type == jbvString &&
			 !kg_json_same_value(&rows->columns[i].holder, holder)) ||
			!kg_json_same_value(&rows->columns[i].name, name)))
		i++;
	return i;
}

/*
 * Sets the cell for a member of an object, and adds its column if it is new.
 * Returns false if there are too many columns.
 */
static bool
put_cell(Rows *rows, const JsonbValue *holder, const KgJsonIter *member)
{
	int i = find_column(rows, holder, &member->key);

	if (i == KG_MAX_COLUMNS)
		return false;
	if (i == rows->n)
	{
		rows->columns[i].holder = *holder;
		rows->columns[i].name = member->key;
		rows->n++;
	}
	rows->cells[i] = member->value;
	return true;
}

/*
 * Returns whether rows omit a member of an object. They omit the kind of match
 * of a label or id, which the score and the name itself show. They do not omit
 * matches of an alias or of a passage of text.
 */
static bool
is_omitted(const KgJsonIter *member)
{
	JsonbValue value;

	return kg_json_string_is(&member->key, "matched_on") &&
		   kg_json_is_object(&member->value) &&
		   kg_json_get(kg_json_container(&member->value), "kind", &value) !=
			   NULL &&
		   !kg_json_string_is(&value, "alias") &&
		   kg_json_get(kg_json_container(&member->value), "term", &value) !=
			   NULL;
}

/*
 * Returns whether a member describes a match in a passage of text. Rows then
 * have only the property and the passage of the match: the passage shows the
 * words that matched, and the score how well they match.
 */
static bool
is_passage(const KgJsonIter *member)
{
	JsonbValue value;

	return kg_json_string_is(&member->key, "matched_on") &&
		   kg_json_is_object(&member->value) &&
		   kg_json_get(kg_json_container(&member->value), "passage", &value) !=
			   NULL;
}

static bool
read_row(Rows *rows, const JsonbContainer *object)
{
	for (int i = 0; i < KG_MAX_COLUMNS; i++)
		rows->cells[i] = null_value;
	rows->held = false;
	kg_json_each(it, object)
	{
		if (is_omitted(&it))
			continue;
		if (is_passage(&it))
		{
			kg_json_each(inner, kg_json_container(&it.value))
				if ((kg_json_string_is(&inner.key, "passage") ||
					 kg_json_string_is(&inner.key, "property")) &&
					!put_cell(rows, &null_value, &inner))
					return false;
			continue;
		}
		if (!is_holder(&it))
		{
			if (!put_cell(rows, &null_value, &it))
				return false;
			continue;
		}
		rows->held = true;
		kg_json_each(inner, kg_json_container(&it.value))
			if (!put_cell(rows, &it.key, &inner))
				return false;
	}
	return true;
}

/* Appends a comma, unless the item is the first in its array or object. */
static void
begin_item(StringInfo text)
{
	char last = text->data[text->len - 1];

	if (last != '[' && last != '{')
		appendStringInfoChar(text, ',');
}

/* Returns the handle if the member is an end of an edge, or NULL. */
static char *
end_handle(const JsonbValue *name, const JsonbValue *value)
{
	if ((!kg_json_string_is(name, "from") && !kg_json_string_is(name, "to")) ||
		!kg_json_is_object(value) ||
		kg_json_length(kg_json_container(value)) != 2)
		return NULL;
	return kg_handle_read(kg_json_container(value));
}

static bool
write_end(StringInfo text, const JsonbValue *name, const JsonbValue *value)
{
	char *handle = end_handle(name, value);

	if (handle != NULL)
		kg_json_append_string(text, handle, strlen(handle));
	return handle != NULL;
}

/*
 * Writes an edge of a path as an arrow between the handles before and after it.
 * Returns false if the edge cannot be an arrow, because it has members other
 * than its type and its ends.
 */
static bool
write_arrow(StringInfo text, const JsonbValue *before, const JsonbValue *edge)
{
	JsonbValue from_name = kg_json_string_value("from");
	JsonbValue from;
	JsonbValue type;
	const JsonbContainer *object = kg_json_container(edge);
	char *handle;
	char *arrow;

	if (before->type != jbvString || !kg_json_is_object(edge) ||
		kg_json_length(object) != 3 ||
		kg_json_get(object, "type", &type) == NULL || type.type != jbvString ||
		kg_json_get(object, "from", &from) == NULL)
		return false;
	handle = end_handle(&from_name, &from);
	if (handle == NULL)
		return false;
	arrow = psprintf(kg_json_string_is(before, handle) ? "-%s->" : "<-%s-",
					 kg_json_cstring(&type));
	kg_json_append_string(text, arrow, strlen(arrow));
	return true;
}

static void write_told(StringInfo text, const JsonbValue *value, bool edges);

static void
write_member(StringInfo text, const KgJsonIter *member, bool edges)
{
	kg_json_append(text, &member->key);
	appendStringInfoChar(text, ':');
	if (is_holder(member))
		kg_json_append(text, &member->value);
	else if (!edges || !write_end(text, &member->key, &member->value))
		write_told(text, &member->value, edges);
}

/*
 * Writes a value that belongs to the reply itself, not to the properties of an
 * entity or edge. If "edges" is true, writes an end {"type", "id"} as a handle.
 * If it is false, such an object may have another meaning and is not changed.
 */
static void
write_told(StringInfo text, const JsonbValue *value, bool edges)
{
	const JsonbContainer *container = kg_json_container(value);
	JsonbValue before = null_value;
	KgJsonIter it;

	check_stack_depth();
	if (container == NULL)
	{
		kg_json_append(text, value);
		return;
	}
	kg_json_iter_init(&it, container);
	appendStringInfoChar(text, it.is_object ? '{' : '[');
	while (kg_json_iter_next(&it))
	{
		begin_item(text);
		if (it.is_object)
			write_member(text, &it, edges);
		else if (!edges || !write_arrow(text, &before, &it.value))
			write_told(text, &it.value, edges);
		before = it.value;
	}
	appendStringInfoChar(text, it.is_object ? '}' : ']');
}

static void
write_cell(StringInfo text, const Rows *rows, const Column *column,
		   const JsonbValue *value)
{
	if (column->holder.type == jbvString)
		kg_json_append(text, value);
	else if (!rows->edges || !write_end(text, &column->name, value))
		write_told(text, value, rows->edges);
}

/*
 * Writes the name of a column, with the name of its holder only if the name
 * would be ambiguous. If all cells are equal, writes {name:value}.
 */
static void
write_column(StringInfo text, const Rows *rows, const Column *column)
{
	bool alone = true;
	char *name = kg_json_cstring(&column->name);

	for (int i = 0; i < rows->n; i++)
		alone &= &rows->columns[i] == column || rows->columns[i].is_id ||
				 !kg_json_same_value(&rows->columns[i].name, &column->name);
	if (column->holder.type == jbvString && !alone)
		name = psprintf("%s.%s", kg_json_cstring(&column->holder), name);
	if (column->same)
		appendStringInfoChar(text, '{');
	kg_json_append_string(text, name, strlen(name));
	if (column->same)
	{
		appendStringInfoChar(text, ':');
		write_cell(text, rows, column, &column->first);
		appendStringInfoChar(text, '}');
	}
}

/*
 * Writes a row. The columns of the object itself precede the columns of its
 * holder, so that a row without a holder simply ends earlier. If "names" is
 * true, writes the names of the columns instead of the cells.
 */
static void
write_row(StringInfo text, const Rows *rows, bool names)
{
	for (int held = 0; held <= (names || rows->held || !rows->cut); held++)
		for (int i = 0; i < rows->n; i++)
		{
			const Column *column = &rows->columns[i];

			if (column->is_id || (column->same && !names) ||
				(rows->cut && (column->holder.type == jbvString) != held) ||
				(!rows->cut && held))
				continue;
			begin_item(text);
			if (names)
				write_column(text, rows, column);
			else
				write_cell(text, rows, column, &rows->cells[i]);
		}
}

static void
write_rows(StringInfo text, Rows *rows, const JsonbContainer *array)
{
	appendStringInfoString(text, "[[");
	write_row(text, rows, true);
	appendStringInfoChar(text, ']');
	kg_json_each(it, array)
	{
		CHECK_FOR_INTERRUPTS();
		(void) read_row(rows, kg_json_container(&it.value));
		appendStringInfoString(text, ",[");
		write_row(text, rows, false);
		appendStringInfoChar(text, ']');
	}
	appendStringInfoChar(text, ']');
}

/*
 * Reads the columns of an array. Columns named in "first" come first. Returns
 * whether the array can be written as rows.
 */
static bool
read_columns(Rows *rows, const JsonbContainer *array, const List *first)
{
	ListCell *lc;

	rows->nrows = kg_json_length(array);
	rows->n = 0;
	foreach(lc, first)
	{
		if (rows->n == KG_MAX_COLUMNS)
			return false;
		rows->columns[rows->n].holder = null_value;
		rows->columns[rows->n++].name = kg_json_string_value(lfirst(lc));
	}
	kg_json_each(it, array)
		if (!kg_json_is_object(&it.value) ||
			!read_row(rows, kg_json_container(&it.value)))
			return false;
	return rows->n > 0;
}

/*
 * Finds the columns whose cells rows can omit, because they are equal in all
 * rows or repeat the id of the row.
 */
static void
compare_rows(Rows *rows, const JsonbContainer *array)
{
	JsonbValue name = kg_json_string_value("id");
	int id = find_column(rows, &null_value, &name);

	rows->cut = false;
	for (int i = 0; i < rows->n; i++)
	{
		rows->columns[i].same = rows->nrows > 1;
		rows->columns[i].is_id = id < rows->n &&
								 rows->columns[i].holder.type == jbvString;
	}
	kg_json_each(it, array)
	{
		CHECK_FOR_INTERRUPTS();
		(void) read_row(rows, kg_json_container(&it.value));
		/* An edge may lack a holder because it has no properties. */
		rows->cut |= !rows->held && !rows->edges;
		for (int i = 0; i < rows->n; i++)
		{
			Column *column = &rows->columns[i];

			if (it.index == 0)
				column->first = rows->cells[i];
			column->same = column->same &&
						   kg_json_same_value(&column->first, &rows->cells[i]);
			column->is_id = column->is_id &&
							kg_json_same_value(&rows->cells[id],
											   &rows->cells[i]);
		}
	}
	/*
	 * Properties that were withheld from some rows may differ from those of
	 * the other rows.
	 */
	for (int i = 0; i < rows->n && rows->cut; i++)
		if (rows->columns[i].holder.type == jbvString)
			rows->columns[i].same = rows->columns[i].is_id = false;
}

/*
 * Appends an array as rows. If that is impossible, returns false and appends
 * nothing.
 */
static bool
append_rows(StringInfo text, const JsonbContainer *array, bool edges,
			const List *first)
{
	Rows *rows = palloc(sizeof(Rows));
	bool possible;

	rows->edges = edges;
	possible = read_columns(rows, array, first);
	if (possible)
	{
		compare_rows(rows, array);
		write_rows(text, rows, array);
	}
	pfree(rows);
	return possible;
}

/*
 * Writes a member of the reply: as rows if that is shorter, otherwise
 * unchanged.
 */
static void
write_shorter(StringInfo text, const JsonbValue *value, bool edges)
{
	const JsonbContainer *array = kg_json_container(value);
	StringInfoData as_rows;
	int begin = text->len;

	write_told(text, value, edges);
	if (!kg_json_is_array(value))
		return;
	initStringInfo(&as_rows);
	if (append_rows(&as_rows, array, edges, NIL) &&
		as_rows.len < text->len - begin)
	{
		text->len = begin;
		appendBinaryStringInfo(text, as_rows.data, as_rows.len);
	}
	pfree(as_rows.data);
}

/* A reply, and the facts that decide which of its members the text omits. */
typedef struct Told
{
	const JsonbContainer *reply;
	const JsonbContainer *sent; /* arguments of the call */
	bool whole;					/* true: the reply omits nothing */
	/* number of results if the reply has all of them, otherwise 0 */
	int64 all;
	bool limited; /* true: the reply has as many results as the call allowed */
	bool named;	  /* true: the nodes also occur in rows or paths */
	bool
		/*
		 * Whether the reply is a table of the tool query: the names of columns
		 * are then written as the first row.
		 */
		table;
	/* joined rows as text: rows merged with their nodes and edges; or NULL */
	const char *joined;
} Told;

static int64
number_of(const JsonbContainer *reply, const char *name)
{
	JsonbValue value;
	int64 n;

	return kg_json_get(reply, name, &value) != NULL && kg_json_int64(&value, &n)
			   ? n
			   : -1;
}

static void
read_told(Told *told, const JsonbContainer *reply, const JsonbContainer *sent)
{
	int64 total = number_of(reply, "total");
	JsonbValue value;

	told->reply = reply;
	told->sent = sent;
	told->joined = NULL;
	told->whole = !kg_json_is_true(reply, "truncated");
	told->all = told->whole && total > 0 &&
						total == number_of(reply, "returned")
					? total
					: 0;
	told->limited = kg_json_get(reply, "reason", &value) != NULL &&
					kg_json_string_is(&value, "limit") &&
					JsonContainerIsObject(sent) &&
					kg_json_get(sent, "limit", &value) != NULL;
	told->named = kg_json_get(reply, "rows", &value) != NULL ||
				  kg_json_get(reply, "paths", &value) != NULL;
	told->table = kg_json_get(reply, "types", &value) != NULL &&
				  kg_json_is_array(&value) &&
				  kg_json_get(reply, "columns", &value) != NULL;
}

/*
 * Returns whether nodes have no members except id and type, and properties
 * that repeat the id.
 */
static bool
are_names(const JsonbContainer *nodes)
{
	JsonbValue id;

	kg_json_each(node, nodes)
	{
		if (!kg_json_is_object(&node.value) ||
			kg_json_get(kg_json_container(&node.value), "id", &id) == NULL)
			return false;
		kg_json_each(member, kg_json_container(&node.value))
		{
			if (kg_json_string_is(&member.key, "id") ||
				kg_json_string_is(&member.key, "type"))
				continue;
			if (!is_holder(&member))
				return false;
			kg_json_each(property, kg_json_container(&member.value))
				if (!kg_json_same_value(&property.value, &id))
					return false;
		}
	}
	return true;
}

/*
 * Returns whether the text omits a member, because a reader can infer its
 * value. Omitted are: empty arrays; limit and offset; the number of results in
 * the reply; the statement that nothing is omitted; the reason and the highest
 * limit, if the call has a limit; a total of 1; counts, if the nodes have
 * their depths; nodes that rows or paths already name; names and types of a
 * table's columns.
 */
static bool
is_implied(const Told *told, const KgJsonIter *member)
{
	const JsonbValue *key = &member->key;
	const JsonbContainer *inner = kg_json_container(&member->value);
	JsonbValue value;

	if (kg_json_is_array(&member->value))
		return kg_json_length(inner) == 0 ||
			   (told->table && (kg_json_string_is(key, "columns") ||
								kg_json_string_is(key, "types"))) ||
			   (told->named && kg_json_string_is(key, "nodes") &&
				are_names(inner));
	if (kg_json_is_object(&member->value))
		return told->all > 0 && kg_json_string_is(key, "counts") &&
			   kg_json_get(inner, "by_depth", &value) != NULL;
	return kg_json_string_is(key, "limit") ||
		   kg_json_string_is(key, "offset") ||
		   kg_json_string_is(key, "returned") ||
		   (told->whole && kg_json_string_is(key, "truncated")) ||
		   (told->limited && (kg_json_string_is(key, "reason") ||
							  kg_json_string_is(key, "highest_limit"))) ||
		   (told->all == 1 && kg_json_string_is(key, "total"));
}

/*
 * Writes the counts of a walk. If all nodes have one type, omits
 * by_depth_and_type, which is then equal to by_depth.
 */
static void
write_counts(StringInfo text, const JsonbValue *counts)
{
	const JsonbContainer *object = kg_json_container(counts);
	JsonbValue types;
	bool one_type = kg_json_get(object, "by_type", &types) != NULL &&
					kg_json_is_object(&types) &&
					kg_json_length(kg_json_container(&types)) <= 1;

	appendStringInfoChar(text, '{');
	kg_json_each(it, object)
	{
		if (one_type && kg_json_string_is(&it.key, "by_depth_and_type"))
			continue;
		begin_item(text);
		kg_json_append(text, &it.key);
		appendStringInfoChar(text, ':');
		write_shorter(text, &it.value, false);
	}
	appendStringInfoChar(text, '}');
}

static bool
has_same(const JsonbContainer *object, const KgJsonIter *member)
{
	JsonbValue value;

	return kg_json_get(object, kg_json_cstring(&member->key), &value) != NULL &&
		   kg_json_same_value(&value, &member->value);
}

/*
 * Returns whether "next" has all arguments that were sent, although their
 * values may differ.
 */
static bool
keeps_all(const JsonbContainer *next, const JsonbContainer *sent)
{
	JsonbValue value;

	if (!JsonContainerIsObject(sent))
		return false;
	kg_json_each(it, sent)
		if (kg_json_get(next, kg_json_cstring(&it.key), &value) == NULL)
			return false;
	return true;
}

/*
 * Writes the arguments of the next call. If they include all arguments that
 * were sent, writes only those that differ.
 */
static void
write_next(StringInfo text, const JsonbValue *next, const JsonbContainer *sent)
{
	const JsonbContainer *object = kg_json_container(next);
	bool some = keeps_all(object, sent);

	appendStringInfoChar(text, '{');
	kg_json_each(it, object)
	{
		if (some && has_same(sent, &it))
			continue;
		begin_item(text);
		kg_json_append(text, &it.key);
		appendStringInfoChar(text, ':');
		kg_json_append(text, &it.value);
	}
	appendStringInfoChar(text, '}');
}

/*
 * Writes the rows of a table, with the names of the columns as the first row.
 */
static void
write_table(StringInfo text, const Told *told, const JsonbValue *table)
{
	JsonbValue columns;

	appendStringInfoChar(text, '[');
	(void) kg_json_get(told->reply, "columns", &columns);
	kg_json_append(text, &columns);
	kg_json_each(it, kg_json_container(table))
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfoChar(text, ',');
		kg_json_append(text, &it.value);
	}
	appendStringInfoChar(text, ']');
}

static int
place_of(const JsonbValue *key)
{
	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_string_is(key, names[i].text))
			return i;
	return -1;
}

/* Returns whether joined rows replace the member. */
static bool
is_joined(const JsonbValue *key)
{
	return kg_json_string_is(key, "nodes") || kg_json_string_is(key, "edges");
}

/*
 * Writes the members that have a position in the order of the text. For the
 * position -1, writes the members that the order does not name.
 */
static void
write_members(StringInfo text, const Told *told, int place)
{
	kg_json_each(it, told->reply)
	{
		bool object = kg_json_is_object(&it.value);

		if (place_of(&it.key) != place || is_implied(told, &it) ||
			(told->joined != NULL && is_joined(&it.key)))
			continue;
		begin_item(text);
		kg_json_append(text, &it.key);
		appendStringInfoChar(text, ':');
		if (told->joined != NULL && kg_json_string_is(&it.key, "rows"))
			appendStringInfoString(text, told->joined);
		else if (object && kg_json_string_is(&it.key, "next"))
			write_next(text, &it.value, told->sent);
		else if (object && kg_json_string_is(&it.key, "counts"))
			write_counts(text, &it.value);
		else if (object && kg_json_string_is(&it.key, "error"))
			kg_json_append(text, &it.value);
		else if (told->table && kg_json_string_is(&it.key, "rows"))
			write_table(text, told, &it.value);
		else
			write_shorter(text,
						  &it.value,
						  kg_json_string_is(&it.key, "edges") ||
							  kg_json_string_is(&it.key, "paths"));
	}
}

static StringInfoData
members_text(const Told *told)
{
	const int nfirst = lengthof(names) - nlast;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (int i = 0; i < nfirst; i++)
		write_members(&text, told, i);
	write_members(&text, told, -1);
	for (int i = nfirst; i < lengthof(names); i++)
		write_members(&text, told, i);
	appendStringInfoChar(&text, '}');
	return text;
}

/*
 * Returns the shorter text of two: with rows, nodes and edges, or with joined
 * rows in place of these.
 */
static char *
rows_text(const JsonbContainer *reply, const Jsonb *sent)
{
	StringInfoData joined_rows;
	StringInfoData joined;
	StringInfoData text;
	Jsonb *rows;
	List *columns;
	Told told;

	read_told(&told, reply, &sent->root);
	text = members_text(&told);
	rows = kg_joined_rows(reply, &columns);
	initStringInfo(&joined_rows);
	if (rows == NULL || !append_rows(&joined_rows, &rows->root, false, columns))
		return text.data;
	told.joined = joined_rows.data;
	joined = members_text(&told);
	return joined.len < text.len ? joined.data : text.data;
}

static char *
bare_text(const JsonbContainer *reply)
{
	StringInfoData text;
	JsonbValue value;

	value.type = jbvBinary;
	value.val.binary.data = (JsonbContainer *) reply;
	value.val.binary.len = 0;
	initStringInfo(&text);
	kg_json_append(&text, &value);
	return text.data;
}

KgReplyText
kg_reply_text_kind(int toolset)
{
	if (kg_setting_mcp_text != KG_TEXT_AUTO)
		return kg_setting_mcp_text;
	return (toolset &
			(KG_TOOLSET_COMPACT | KG_TOOLSET_SQL | KG_TOOLSET_WRITE)) != 0
			   ? KG_TEXT_ROWS
			   : KG_TEXT_ON;
}

char *
kg_reply_text(const JsonbContainer *reply, const Jsonb *sent, KgReplyText kind,
			  Size size)
{
	if (!JsonContainerIsObject(reply))
		return kg_json_text(reply);
	if (kind != KG_TEXT_ROWS)
		return kg_json_text_in_order(reply,
									 names,
									 lengthof(names) - nlast,
									 nlast,
									 size > 0 ? size
											  : kg_json_text_size(reply));
	return sent != NULL ? rows_text(reply, sent) : bare_text(reply);
}
