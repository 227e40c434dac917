/*
 * graph/graphml.c
 *	  GraphML, as networkx, igraph, Gephi, yEd and others read and write it.
 *
 * The types of nodes and the relations of edges are the data of two keys.
 * Another key has the values of one property. If these values have several
 * types, or a type that GraphML lacks, they are written as JSON, and the
 * description of the key is "JSON".
 *
 * libxml2 parses the XML. A document type declaration is refused, so no XML
 * entity is ever expanded or loaded. No parser option opens a file or a
 * connection.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>

#include "kgctl/graph/net.h"
#include "kgctl/schema_types.h"

#define NAMESPACE "http://graphml.graphdrawing.org/xmlns"
#define KEY_TYPE "kg:type"
#define KEY_RELATION "kg:relation"
#define MAX_DEPTH 64

/* ---- writing ---- */

/*
 * A key of GraphML: a property of nodes or edges, and the types of its values.
 */
typedef struct Key
{
	const char *name;
	bool edges;
	unsigned types;
	bool json;	/* values are written as JSON */
	bool large; /* a value is an integer beyond 64 bits */
	bool whole; /* all numbers are integers */
} Key;

typedef struct Writer
{
	const KgGraph *graph;
	KgBuf *out;
	Key *keys;
	size_t nkeys;
	size_t room;
} Writer;

static void
add_xml(KgBuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		switch (text[i])
		{
			case '<':
				kg_buf_puts(out, "&lt;");
				break;
			case '>':
				kg_buf_puts(out, "&gt;");
				break;
			case '&':
				kg_buf_puts(out, "&amp;");
				break;
			case '"':
				kg_buf_puts(out, "&quot;");
				break;
			/*
			 * Write these characters as references, because an XML reader would
			 * normalize them to spaces or line feeds.
			 */
			case '\r':
			case '\n':
			case '\t':
				kg_buf_printf(out, "&#%d;", text[i]);
				break;
			default:
				kg_buf_putc(out, text[i]);
		}
}

/* Returns whether XML can represent the text. */
static bool
is_xml(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char) text[i] < ' ' &&
			 strchr("\t\r\n", text[i]) == NULL) ||
			(len - i >= 3 && (memcmp(text + i, "\xEF\xBF\xBE", 3) == 0 ||
							  memcmp(text + i, "\xEF\xBF\xBF", 3) == 0)))
			return false;
	return true;
}

static Key *
find_key(Writer *w, const char *name, bool edges)
{
	Key *key;

	for (size_t i = 0; i < w->nkeys; i++)
		if (w->keys[i].edges == edges && strcmp(w->keys[i].name, name) == 0)
			return &w->keys[i];
	if (w->nkeys == w->room)
	{
		w->room = w->room ? 2 * w->room : 32;
		w->keys = kg_realloc(w->keys, w->room * sizeof(Key));
	}
	key = &w->keys[w->nkeys++];
	memset(key, 0, sizeof(*key));
	key->name = name;
	key->edges = edges;
	key->whole = true;
	return key;
}

static void
see_value(Key *key, const KgJson *value)
{
	key->types |= kg_schema_type_of(value);
	if (value->kind == KG_JSON_STRING)
		key->json |= !is_xml(value->u.text, value->len);
	if (value->kind == KG_JSON_NUMBER)
	{
		key->whole &= strspn(value->u.text, "-0123456789") == value->len;
		/* A number of at most 18 digits is below 2^63. */
		key->large |= key->whole && value->len > 18;
	}
	/*
	 * Write JSON if the values have several types, or a type other than text,
	 * number and boolean.
	 */
	key->json |= (key->types & (key->types - 1)) != 0 ||
				 (key->types & (KG_MAY_JSON | KG_MAY_NULL)) != 0;
}

/* Returns GraphML's name of the type of a key's values. */
static const char *
type_of(const Key *key)
{
	if (key->json || (key->types & KG_MAY_TEXT))
		return "string";
	if (key->types & KG_MAY_BOOL)
		return "boolean";
	if (!key->whole)
		return "double";
	return key->large ? "string" : "long";
}

static void
see_properties(Writer *w, const KgJson *properties, bool edges,
			   const KgJson *schema)
{
	for (size_t i = 0;
		 properties != NULL && properties->kind == KG_JSON_OBJECT &&
		 i < properties->len;
		 i++)
	{
		const KgctlMember *m = &properties->u.members[i];

		if (schema == NULL ||
			kg_graph_links(w->graph, schema, m->key, m->value) == NULL)
			see_value(find_key(w, m->key, edges), m->value);
	}
}

static void
see_entity(void *arg, const char *type, const char *id, const KgJson *item)
{
	Writer *w = arg;

	(void) id;
	see_properties(w, item, false, kg_graph_schema(w->graph, type));
}

static void
see_edge(void *arg, const KgJson *edge)
{
	see_properties(arg, kgctl_json_get(edge, "properties"), true, NULL);
}

static void
write_value(Writer *w, const char *name, bool edges, const KgJson *value)
{
	Key *key = find_key(w, name, edges);
	KgBuf text;

	kg_buf_init(&text);
	if (key->json || (value->kind != KG_JSON_STRING))
		kg_json_write(&text, value, -1);
	else
		kg_buf_add(&text, value->u.text, value->len);
	kg_buf_printf(w->out,
				  "      <data key=\"%c%zu\">",
				  edges ? 'e' : 'n',
				  (size_t) (key - w->keys));
	add_xml(w->out, text.data ? text.data : "", text.len);
	kg_buf_puts(w->out, "</data>\n");
	kg_buf_free(&text);
}

static void
write_end(KgBuf *out, const char *attribute, const char *type, const char *id)
{
	kg_buf_printf(out, " %s=\"", attribute);
	if (type != NULL)
	{
		add_xml(out, type, strlen(type));
		kg_buf_putc(out, ':');
	}
	add_xml(out, id, strlen(id));
	kg_buf_putc(out, '"');
}

static void
write_entity(void *arg, const char *type, const char *id, const KgJson *item)
{
	Writer *w = arg;
	const KgJson *schema = kg_graph_schema(w->graph, type);

	kg_buf_puts(w->out, "    <node");
	write_end(w->out, "id", type, id);
	kg_buf_printf(w->out, ">\n      <data key=\"type\">%s</data>\n", type);
	for (size_t i = 0; i < item->len; i++)
	{
		const KgctlMember *m = &item->u.members[i];

		if (kg_graph_links(w->graph, schema, m->key, m->value) == NULL)
			write_value(w, m->key, false, m->value);
	}
	kg_buf_puts(w->out, "    </node>\n");
}

static void
write_reference(Writer *w, const char *type, const char *id, const char *name,
				const char *target, const KgJson *value)
{
	if (!kg_json_is_id(value))
		return;
	kg_buf_puts(w->out, "    <edge");
	write_end(w->out, "source", type, id);
	write_end(w->out, "target", target, value->u.text);
	kg_buf_puts(w->out, ">\n      <data key=\"relation\">");
	add_xml(w->out, name, strlen(name));
	kg_buf_puts(w->out, "</data>\n    </edge>\n");
}

/* Writes the references of an entity as edges. */
static void
write_references(void *arg, const char *type, const char *id,
				 const KgJson *item)
{
	Writer *w = arg;
	const KgJson *schema = kg_graph_schema(w->graph, type);

	for (size_t i = 0; i < item->len; i++)
	{
		const KgctlMember *m = &item->u.members[i];
		const char *target = kg_graph_links(w->graph, schema, m->key, m->value);

		if (target == NULL)
			continue;
		if (m->value->kind != KG_JSON_ARRAY)
			write_reference(w, type, id, m->key, target, m->value);
		for (size_t k = 0; k < kgctl_json_length(m->value); k++)
			write_reference(w, type, id, m->key, target, m->value->u.items[k]);
	}
}

static void
write_edge(void *arg, const KgJson *edge)
{
	Writer *w = arg;
	const KgJson *properties = kgctl_json_get(edge, "properties");

	kg_buf_puts(w->out, "    <edge");
	write_end(w->out, "source", NULL, kg_json_text_or(edge, "from", ""));
	write_end(w->out, "target", NULL, kg_json_text_or(edge, "to", ""));
	kg_buf_printf(w->out,
				  ">\n      <data key=\"relation\">%s</data>\n",
				  kg_json_text_or(edge, "relation", ""));
	for (size_t i = 0; properties != NULL && i < properties->len; i++)
		write_value(w,
					properties->u.members[i].key,
					true,
					properties->u.members[i].value);
	kg_buf_puts(w->out, "    </edge>\n");
}

static void
write_keys(Writer *w)
{
	kg_buf_puts(w->out,
				"  <key id=\"type\" for=\"node\" attr.name=\"" KEY_TYPE
				"\" attr.type=\"string\"/>\n"
				"  <key id=\"relation\" for=\"edge\" attr.name=\"" KEY_RELATION
				"\" attr.type=\"string\"/>\n");
	for (size_t i = 0; i < w->nkeys; i++)
	{
		const Key *key = &w->keys[i];

		kg_buf_printf(w->out,
					  "  <key id=\"%c%zu\" for=\"%s\" attr.name=\"",
					  key->edges ? 'e' : 'n',
					  i,
					  key->edges ? "edge" : "node");
		add_xml(w->out, key->name, strlen(key->name));
		kg_buf_printf(w->out,
					  "\" attr.type=\"%s\"%s\n",
					  type_of(key),
					  key->json ? "><desc>JSON</desc></key>" : "/>");
	}
}

static bool
write_graphml(const KgGraph *graph, KgBuf *out)
{
	Writer w = {.graph = graph, .out = out};
	KgGraphVisitor see = {&w, see_entity, see_edge};
	KgGraphVisitor nodes = {&w, write_entity, NULL};
	KgGraphVisitor edges = {&w, write_references, write_edge};

	kg_graph_visit(graph, &see);
	kg_buf_puts(out,
				"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
				"xmlns=\"" NAMESPACE "\">\n");
	write_keys(&w);
	kg_buf_puts(out, "  <graph edgedefault=\"directed\">\n");
	kg_graph_visit(graph, &nodes);
	kg_graph_visit(graph, &edges);
	kg_buf_puts(out, "  </graph>\n</graphml>\n");
	free(w.keys);
	return true;
}

/* ---- reading ---- */

/* A key that the file declares. */
typedef struct Declared
{
	const char *id;
	const char *name;
	const char *type;  /* GraphML's name of the type */
	const char *given; /* the key's default value, or NULL */
	bool json;
	bool nodes;
	bool edges;
	struct Declared *next;
} Declared;

typedef struct Reader
{
	KgGraph *graph;
	KgNet *net;
	xmlParserCtxt *parser;
	Declared *keys;
	Declared *key; /* the key whose element <key> or <data> is open, or NULL */
	bool skipped;  /* the open <data> is neither in a node nor in an edge */
	bool foreign;  /* the open <data> contains elements */
	KgNode *node;  /* the node whose element is open, or NULL */
	KgNetLink *edge; /* the edge whose element is open, or NULL */
	/* nodes that enclose the open node, because graphs can be nested */
	KgNode *outer[MAX_DEPTH];
	KgJson *outer_seen[MAX_DEPTH];
	size_t depth;
	KgJson *seen;	   /* keys that have data in the open node */
	KgJson *edge_seen; /* keys that have data in the open edge */
	KgBuf text;
} Reader;

static unsigned long
line_of(const Reader *r)
{
	int line = xmlSAX2GetLineNumber(r->parser);

	return line > 0 ? (unsigned long) line : 0;
}

static void
refuse(Reader *r, const char *text)
{
	(void) kg_graph_complain(r->graph, line_of(r), "%s", text);
	xmlStopParser(r->parser);
}

/* Returns the value of an attribute of an element, or NULL. */
static const char *
attribute(Reader *r, int n, const xmlChar **attributes, const char *name)
{
	for (int i = 0; i < n; i++, attributes += 5)
		if (strcmp((const char *) attributes[0], name) == 0)
			return kg_arena_strndup(r->graph->arena,
									(const char *) attributes[3],
									(size_t) (attributes[4] - attributes[3]));
	return NULL;
}

static void
declare_key(Reader *r, int n, const xmlChar **attributes)
{
	Declared *key = kg_arena_alloc(r->graph->arena, sizeof(Declared));
	const char *of = attribute(r, n, attributes, "for");
	const char *name = attribute(r, n, attributes, "attr.name");

	memset(key, 0, sizeof(*key));
	key->id = attribute(r, n, attributes, "id");
	key->type = attribute(r, n, attributes, "attr.type");
	key->name = kg_graph_map(r->graph, name ? name : key->id ? key->id : "");
	key->nodes = of == NULL || strcmp(of, "edge") != 0;
	key->edges = of == NULL || strcmp(of, "node") != 0;
	key->next = r->keys;
	r->keys = r->key = key;
	if (key->id == NULL)
		refuse(r, "a <key> without id");
}

static Declared *
find_declared(const Reader *r, const char *id)
{
	for (Declared *key = r->keys; key != NULL; key = key->next)
		if (key->id != NULL && strcmp(key->id, id) == 0)
			return key;
	return NULL;
}

static void
begin_data(Reader *r, int n, const xmlChar **attributes)
{
	const char *id = attribute(r, n, attributes, "key");

	r->key = id ? find_declared(r, id) : NULL;
	r->skipped = r->node == NULL && r->edge == NULL;
	r->foreign = false;
	if (r->key == NULL)
		(void) kg_graph_complain(r->graph,
								 line_of(r),
								 "<data> of key \"%s\", which no <key> "
								 "declares; add <key id=\"%s\" "
								 "attr.name=\"PROPERTY\" "
								 "attr.type=\"string\"/>",
								 id ? id : "",
								 id ? id : "");
}

static void
begin_node(Reader *r, int n, const xmlChar **attributes)
{
	const char *id = attribute(r, n, attributes, "id");

	if (id == NULL)
	{
		refuse(r, "a <node> without id");
		return;
	}
	if (r->depth == MAX_DEPTH)
	{
		refuse(r, "graphs are nested too deeply");
		return;
	}
	r->outer_seen[r->depth] = r->seen;
	r->outer[r->depth++] = r->node;
	r->node = kg_net_node(r->net, id);
	if (r->node->defined)
		(void) kg_graph_complain(
			r->graph, line_of(r), "node \"%s\" is in the file twice", id);
	r->node->defined = true;
	r->node->line = line_of(r);
	if (r->node->id == NULL)
		kg_net_handle(r->net, r->node, id);
	if (r->node->id == NULL)
		r->node->id = r->node->key;
	r->seen = kg_json_object(r->graph->arena);
}

static KgNode *
end_of(Reader *r, const char *key)
{
	KgNode *node = kg_net_node(r->net, key);

	if (node->id == NULL)
		kg_net_handle(r->net, node, key);
	return node;
}

static void
begin_edge(Reader *r, int n, const xmlChar **attributes)
{
	const char *source = attribute(r, n, attributes, "source");
	const char *target = attribute(r, n, attributes, "target");

	if (source == NULL || target == NULL)
	{
		refuse(r, "an <edge> without source or target");
		return;
	}
	r->edge = kg_net_link(
		r->net, end_of(r, source), NULL, end_of(r, target), line_of(r));
	r->edge_seen = kg_json_object(r->graph->arena);
}

static void
on_start(void *arg, const xmlChar *localname, const xmlChar *prefix,
		 const xmlChar *uri, int nnamespaces, const xmlChar **namespaces,
		 int nattributes, int ndefaulted, const xmlChar **attributes)
{
	Reader *r = arg;
	const char *name = (const char *) localname;

	(void) prefix;
	(void) nnamespaces;
	(void) namespaces;
	(void) ndefaulted;
	r->text.len = 0;
	if (uri != NULL && strcmp((const char *) uri, NAMESPACE) != 0)
		r->foreign = true;
	else if (strcmp(name, "key") == 0)
		declare_key(r, nattributes, attributes);
	else if (strcmp(name, "node") == 0)
		begin_node(r, nattributes, attributes);
	else if (strcmp(name, "edge") == 0)
		begin_edge(r, nattributes, attributes);
	else if (strcmp(name, "data") == 0)
		begin_data(r, nattributes, attributes);
	else if (strcmp(name, "hyperedge") == 0)
		refuse(r,
			   "a <hyperedge>: an edge has two ends; write an edge for each "
			   "pair, or a node with edges to all ends");
}

/*
 * Returns the value of a text in the type of its key. On failure, prints an
 * error and returns NULL.
 */
static KgJson *
read_value(Reader *r, const Declared *key, const char *text, size_t len)
{
	KgArena *arena = r->graph->arena;
	const char *type = key->type ? key->type : "string";
	char *error = NULL;
	KgJson *value = NULL;

	if (key->json)
	{
		value = kgctl_json_parse(arena, text, len, NULL, &error);
		if (value == NULL)
			(void) kg_graph_complain(r->graph,
									 line_of(r),
									 "the data of \"%s\" is not JSON, but its "
									 "key is described as JSON: %s",
									 key->name,
									 error);
		free(error);
		return value;
	}
	if (strcmp(type, "boolean") == 0 &&
		(strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0))
		return kg_json_bool(arena, strcasecmp(text, "true") == 0);
	if (strcmp(type, "string") != 0 && strcmp(type, "boolean") != 0 &&
		kg_json_number_fits(text, len))
		return kg_json_number(arena, text, len);
	return kg_json_string(arena, text, len);
}

/* Sets the value of a key for the open node or edge. */
static void
set_value(Reader *r, const Declared *key, const char *text, size_t len)
{
	KgArena *arena = r->graph->arena;
	KgJson *value;

	if (r->edge != NULL && strcmp(key->name, KEY_RELATION) == 0)
		r->edge->name = kg_arena_strndup(arena, text, len);
	else if (r->edge == NULL && strcmp(key->name, KEY_TYPE) == 0)
		r->node->type = kg_arena_strndup(arena, text, len);
	else if (*key->name != '\0' &&
			 (value = read_value(r, key, text, len)) != NULL)
		kg_net_value(r->net,
					 r->edge ? r->edge->properties : r->node->properties,
					 key->name,
					 value);
}

static void
end_data(Reader *r)
{
	KgJson *seen = r->edge ? r->edge_seen : r->seen;

	if (r->key == NULL || r->skipped || r->foreign)
		return;
	if (kgctl_json_get(seen, r->key->id) != NULL)
		(void) kg_graph_complain(r->graph,
								 line_of(r),
								 "two values of key \"%s\" in one node or edge",
								 r->key->id);
	kg_json_put(r->graph->arena,
				seen,
				r->key->id,
				kg_json_new(r->graph->arena, KG_JSON_NULL));
	set_value(r, r->key, r->text.data, r->text.len);
}

/*
 * Sets the default values of keys that have no data in the node or edge whose
 * element ends.
 */
static void
end_element(Reader *r)
{
	for (const Declared *key = r->keys; key != NULL; key = key->next)
		if (key->given != NULL && (r->edge ? key->edges : key->nodes) &&
			kgctl_json_get(r->edge ? r->edge_seen : r->seen, key->id) == NULL)
			set_value(r, key, key->given, strlen(key->given));
}

static void
on_end(void *arg, const xmlChar *localname, const xmlChar *prefix,
	   const xmlChar *uri)
{
	Reader *r = arg;
	const char *name = (const char *) localname;

	(void) prefix;
	kg_buf_puts(&r->text, "");
	if (uri != NULL && strcmp((const char *) uri, NAMESPACE) != 0)
		return;
	if (strcmp(name, "data") == 0)
		end_data(r);
	else if (strcmp(name, "desc") == 0 && r->key != NULL && r->node == NULL &&
			 r->edge == NULL)
		r->key->json = strcmp(r->text.data, "JSON") == 0;
	else if (strcmp(name, "default") == 0 && r->key != NULL)
		r->key->given = kg_arena_strndup(
			r->graph->arena, r->text.data, r->text.len);
	else if (strcmp(name, "edge") == 0 && r->edge != NULL)
	{
		end_element(r);
		r->edge = NULL;
	}
	else if (strcmp(name, "node") == 0 && r->depth > 0)
	{
		end_element(r);
		r->node = r->outer[--r->depth];
		r->seen = r->outer_seen[r->depth];
	}
	else
		return;
	r->text.len = 0;
	if (strcmp(name, "data") == 0)
		r->key = NULL;
}

static void
on_text(void *arg, const xmlChar *text, int len)
{
	kg_buf_add(&((Reader *) arg)->text, (const char *) text, (size_t) len);
}

static void
on_document_type(void *arg, const xmlChar *name, const xmlChar *external,
				 const xmlChar *system)
{
	(void) name;
	(void) external;
	(void) system;
	refuse(arg,
		   "a document type declaration (<!DOCTYPE>), which can name other "
		   "files; remove it, and write the text of its entities");
}

static void
on_error(void *arg, xmlErrorPtr error)
{
	Reader *r = arg;
	size_t len = error->message ? strcspn(error->message, "\n") : 0;

	if (error->level >= XML_ERR_ERROR && r->graph->errors == 0)
		(void) kg_graph_complain(r->graph,
								 error->line > 0 ? (unsigned long) error->line
												 : 0,
								 "not XML: %.*s",
								 (int) len,
								 error->message ? error->message : "");
}

static void
parse_chunks(Reader *r, KgctlInput *in)
{
	int status = 0;

	while (status == 0 && r->graph->errors == 0 && kg_input_more(in))
	{
		size_t len = in->end - in->start;

		status = xmlParseChunk(r->parser, in->data + in->start, (int) len, 0);
		kg_input_take(in, len);
	}
	if (in->error != NULL)
		(void) kg_graph_complain(r->graph, 0, "%s", in->error);
	else if (status == 0 && r->graph->errors == 0)
		status = xmlParseChunk(r->parser, NULL, 0, 1);
	if (status != 0 && r->graph->errors == 0)
		(void) kg_graph_complain(r->graph, 0, "not XML");
}

static bool
read_graphml(KgGraph *graph, KgctlInput *in)
{
	Reader r = {.graph = graph};
	xmlSAXHandler sax;

	memset(&sax, 0, sizeof(sax));
	sax.initialized = XML_SAX2_MAGIC;
	sax.startElementNs = on_start;
	sax.endElementNs = on_end;
	sax.characters = on_text;
	sax.cdataBlock = on_text;
	sax.internalSubset = on_document_type;
	sax.serror = (xmlStructuredErrorFunc) on_error;
	kg_buf_init(&r.text);
	r.net = kg_net_new(graph);
	r.parser = xmlCreatePushParserCtxt(&sax, &r, NULL, 0, NULL);
	if (r.parser != NULL)
	{
		/*
		 * XML_PARSE_HUGE permits long texts. It is safe, because without
		 * entities no other part can grow.
		 */
		xmlCtxtUseOptions(r.parser, XML_PARSE_NONET | XML_PARSE_HUGE);
		parse_chunks(&r, in);
		if (graph->errors == 0)
			(void) kg_net_finish(r.net);
		xmlFreeParserCtxt(r.parser);
	}
	kg_net_free(r.net);
	kg_buf_free(&r.text);
	return graph->errors == 0;
}

const KgGraphFormat kg_format_graphml = {
	"graphml", ".graphml", read_graphml, write_graphml};
