/*
 * graph/csv.c
 *	  The entities of a type, or the edges of a relation, as CSV that kgctl
 *	  load reads. The columns are the properties of the schema, then
 *	  undeclared properties in the order of their appearance.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/graph/graph.h"
#include "kgctl/log.h"

typedef struct Writer
{
	const KgGraph *graph;
	KgBuf *out;
	KgJson *columns; /* an object whose members are the names of the columns */
	char delimiter;
	bool first; /* the next cell is the first cell of its row */
} Writer;

static void
add_columns(Writer *w, const KgJson *properties)
{
	for (size_t i = 0;
		 properties != NULL && properties->kind == KG_JSON_OBJECT &&
		 i < properties->len;
		 i++)
	{
		const KgctlMember *m = &properties->u.members[i];

		if (kgctl_json_get(w->columns, m->key) == NULL)
			kg_json_set(w->graph->arena,
						w->columns,
						m->key,
						m->keylen,
						kg_json_new(w->graph->arena, KG_JSON_NULL));
	}
}

static void
add_cell(Writer *w, const char *text, size_t len, bool is_text)
{
	bool quote = is_text && len == 0;

	if (!w->first)
		kg_buf_putc(w->out, w->delimiter);
	for (size_t i = 0; i < len && !quote; i++)
		quote = strchr("\"\r\n", text[i]) != NULL || text[i] == w->delimiter;
	/*
	 * Quote a text that begins or ends with a blank, because some readers would
	 * strip the blank.
	 */
	quote = quote || (len > 0 && (*text == ' ' || text[len - 1] == ' '));
	w->first = false;
	if (!quote)
	{
		kg_buf_add(w->out, text, len);
		return;
	}
	kg_buf_putc(w->out, '"');
	for (size_t i = 0; i < len; i++)
	{
		if (text[i] == '"')
			kg_buf_putc(w->out, '"');
		kg_buf_putc(w->out, text[i]);
	}
	kg_buf_putc(w->out, '"');
}

/* Appends a cell. A missing value or null becomes an empty cell. */
static void
add_value(Writer *w, const KgJson *value)
{
	KgBuf text;

	if (value == NULL || value->kind == KG_JSON_NULL)
		add_cell(w, "", 0, false);
	else if (value->kind == KG_JSON_STRING)
		add_cell(w, value->u.text, value->len, true);
	else
	{
		kg_buf_init(&text);
		kg_json_write(&text, value, -1);
		add_cell(w, text.data, text.len, false);
		kg_buf_free(&text);
	}
}

static void
add_properties(Writer *w, const KgJson *properties)
{
	for (size_t i = 0; i < w->columns->len; i++)
		add_value(w, kgctl_json_get(properties, w->columns->u.members[i].key));
}

static void
end_row(Writer *w)
{
	kg_buf_puts(w->out, "\r\n");
	w->first = true;
}

static void
see_entity(void *arg, const char *type, const char *id, const KgJson *item)
{
	(void) type;
	(void) id;
	add_columns(arg, item);
}

static void
see_edge(void *arg, const KgJson *edge)
{
	add_columns(arg, kgctl_json_get(edge, "properties"));
}

static void
write_entity(void *arg, const char *type, const char *id, const KgJson *item)
{
	(void) type;
	(void) id;
	add_properties(arg, item);
	end_row(arg);
}

static void
write_edge(void *arg, const KgJson *edge)
{
	Writer *w = arg;

	add_value(w, kgctl_json_get(edge, "from"));
	add_value(w, kgctl_json_get(edge, "to"));
	add_properties(w, kgctl_json_get(edge, "properties"));
	end_row(w);
}

static void
write_header(Writer *w)
{
	if (w->graph->relation != NULL)
	{
		add_cell(w, "from", 4, true);
		add_cell(w, "to", 2, true);
	}
	for (size_t i = 0; i < w->columns->len; i++)
		add_cell(w,
				 w->columns->u.members[i].key,
				 w->columns->u.members[i].keylen,
				 true);
	end_row(w);
}

static bool
write_csv(const KgGraph *graph, KgBuf *out)
{
	const char *delimiter = kg_args_get(graph->args, "delimiter");
	Writer w = {graph, out, kg_json_object(graph->arena), ',', true};
	KgGraphVisitor see = {&w, see_entity, see_edge};
	KgGraphVisitor write = {&w, write_entity, write_edge};
	const KgJson *schema = graph->type != NULL
							   ? kg_graph_schema(graph, graph->type)
							   : kgctl_json_get(
									 kg_graph_relation(graph, graph->relation),
									 "schema");

	if (delimiter != NULL)
		w.delimiter = *delimiter;
	add_columns(&w, kgctl_json_get(schema, "properties"));
	kg_graph_visit(graph, &see);
	if (graph->relation != NULL && (kgctl_json_get(w.columns, "from") != NULL ||
									kgctl_json_get(w.columns, "to") != NULL))
	{
		kg_error("relation \"%s\" has a property \"from\" or \"to\", and CSV "
				 "has these names for the ends; use --format ndjson",
				 graph->relation);
		return false;
	}
	write_header(&w);
	kg_graph_visit(graph, &write);
	return true;
}

bool
kg_format_is_split(const KgGraphFormat *format)
{
	return format == &kg_format_csv;
}

const KgGraphFormat kg_format_csv = {"csv", ".csv", NULL, write_csv};
