/*
 * graph/cypher.c
 *	  Statements of openCypher that create the graph in another database. The
 *	  label of a node is its type, and kg_handle identifies it.
 *
 * Cypher's properties are texts, 64-bit numbers, booleans, and arrays of one of
 * these types. Other values are written as texts that contain their JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/graph/graph.h"
#include "kgctl/schema_types.h"

typedef struct Writer
{
	const KgGraph *graph;
	KgBuf *out;
} Writer;

/* Appends a text between single quotes. */
static void
add_text(KgBuf *out, const char *text, size_t len)
{
	kg_buf_putc(out, '\'');
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\'' || text[i] == '\\')
			kg_buf_printf(out, "\\%c", text[i]);
		else if ((unsigned char) text[i] < ' ')
			kg_buf_printf(out, "\\u%04X", (unsigned char) text[i]);
		else
			kg_buf_putc(out, text[i]);
	kg_buf_putc(out, '\'');
}

/* Appends a name between backquotes. */
static void
add_name(KgBuf *out, const char *name)
{
	kg_buf_putc(out, '`');
	for (; *name != '\0'; name++)
	{
		if (*name == '`')
			kg_buf_putc(out, '`');
		kg_buf_putc(out, *name);
	}
	kg_buf_putc(out, '`');
}

/*
 * Returns whether the number's text has at most 18 characters, so that Cypher's
 * 64-bit numbers can represent it.
 */
static bool
is_short(const KgJson *number)
{
	return number->len <= 18;
}

static bool
is_array(const KgJson *value)
{
	if (value->kind != KG_JSON_ARRAY)
		return false;
	for (size_t i = 0; i < value->len; i++)
		if ((value->u.items[i]->kind != KG_JSON_STRING &&
			 value->u.items[i]->kind != KG_JSON_BOOL &&
			 (value->u.items[i]->kind != KG_JSON_NUMBER ||
			  !is_short(value->u.items[i]))) ||
			value->u.items[i]->kind != value->u.items[0]->kind)
			return false;
	return true;
}

static void
add_value(KgBuf *out, const KgJson *value)
{
	KgBuf text;

	if (value->kind == KG_JSON_STRING)
		add_text(out, value->u.text, value->len);
	else if (value->kind == KG_JSON_BOOL ||
			 (value->kind == KG_JSON_NUMBER && is_short(value)))
		kg_json_write(out, value, -1);
	else if (is_array(value))
	{
		kg_buf_putc(out, '[');
		for (size_t i = 0; i < value->len; i++)
		{
			kg_buf_puts(out, i > 0 ? ", " : "");
			add_value(out, value->u.items[i]);
		}
		kg_buf_putc(out, ']');
	}
	else
	{
		kg_buf_init(&text);
		kg_json_write(&text, value, -1);
		add_text(out, text.data, text.len);
		kg_buf_free(&text);
	}
}

static void
add_properties(Writer *w, const KgJson *schema, const KgJson *properties,
			   const char *comma)
{
	for (size_t i = 0; properties != NULL && i < properties->len; i++)
	{
		const KgctlMember *m = &properties->u.members[i];

		/*
		 * Omit null, which Cypher cannot store, and references, which are
		 * written as relationships.
		 */
		if (m->value->kind == KG_JSON_NULL ||
			(schema != NULL &&
			 kg_graph_links(w->graph, schema, m->key, m->value) != NULL))
			continue;
		kg_buf_puts(w->out, comma);
		add_name(w->out, m->key);
		kg_buf_puts(w->out, ": ");
		add_value(w->out, m->value);
		comma = ", ";
	}
}

static void
write_entity(void *arg, const char *type, const char *id, const KgJson *item)
{
	Writer *w = arg;
	char *handle = kg_format("%s:%s", type, id);

	kg_buf_puts(w->out, "CREATE (:KgEntity:");
	add_name(w->out, type);
	kg_buf_puts(w->out, " {kg_handle: ");
	add_text(w->out, handle, strlen(handle));
	add_properties(w, kg_graph_schema(w->graph, type), item, ", ");
	kg_buf_puts(w->out, "});\n");
	free(handle);
}

static void
add_edge(Writer *w, const char *from, const char *relation, const char *to,
		 const KgJson *properties)
{
	kg_buf_puts(w->out, "MATCH (a:KgEntity {kg_handle: ");
	add_text(w->out, from, strlen(from));
	kg_buf_puts(w->out, "}), (b:KgEntity {kg_handle: ");
	add_text(w->out, to, strlen(to));
	kg_buf_puts(w->out, "}) CREATE (a)-[:");
	add_name(w->out, relation);
	if (properties != NULL && properties->len > 0)
	{
		kg_buf_puts(w->out, " {");
		add_properties(w, NULL, properties, "");
		kg_buf_putc(w->out, '}');
	}
	kg_buf_puts(w->out, "]->(b);\n");
}

static void
write_references(void *arg, const char *type, const char *id,
				 const KgJson *item)
{
	Writer *w = arg;
	const KgJson *schema = kg_graph_schema(w->graph, type);
	char *from = kg_format("%s:%s", type, id);

	for (size_t i = 0; i < item->len; i++)
	{
		const KgctlMember *m = &item->u.members[i];
		const char *target = kg_graph_links(w->graph, schema, m->key, m->value);
		size_t n = m->value->kind == KG_JSON_ARRAY ? m->value->len : 1;

		for (size_t k = 0; target != NULL && k < n; k++)
		{
			const KgJson *value = m->value->kind == KG_JSON_ARRAY
									  ? m->value->u.items[k]
									  : m->value;
			char *to = kg_format("%s:%s", target, value->u.text);

			add_edge(w, from, m->key, to, NULL);
			free(to);
		}
	}
	free(from);
}

static void
write_edge(void *arg, const KgJson *edge)
{
	add_edge(arg,
			 kg_json_text_or(edge, "from", ""),
			 kg_json_text_or(edge, "relation", ""),
			 kg_json_text_or(edge, "to", ""),
			 kgctl_json_get(edge, "properties"));
}

static bool
write_cypher(const KgGraph *graph, KgBuf *out)
{
	Writer w = {graph, out};
	KgGraphVisitor nodes = {&w, write_entity, NULL};
	KgGraphVisitor edges = {&w, write_references, write_edge};

	kg_graph_visit(graph, &nodes);
	kg_graph_visit(graph, &edges);
	return true;
}

const KgGraphFormat kg_format_cypher = {
	"cypher", ".cypher", NULL, write_cypher};
