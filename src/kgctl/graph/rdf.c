/*
 * graph/rdf.c
 *	  Conversion of triples to nodes and links, and of a graph to RDF terms. A
 *	  blank node without a type becomes an object, the value of the property
 *	  that refers to it. A list becomes an array. All other subjects become
 *	  nodes.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "kgctl/graph/net.h"
#include "kgctl/graph/rdf.h"
#include "kgctl/graph/table.h"
#include "kgctl/schema_types.h"
#include "kgctl/utf8.h"

/* Maximal nesting depth of objects and lists in values. */
#define MAX_DEPTH 64

typedef struct Triple
{
	const char *predicate;
	KgTerm object;
	STAILQ_ENTRY(Triple) next;
} Triple;

typedef struct Subject
{
	const char *name; /* an IRI, or "_:" and a label */
	bool blank;
	bool used; /* the subject is also the object of a triple */
	bool typed;
	bool statement;
	bool list;
	STAILQ_HEAD(, Triple) triples;
	STAILQ_ENTRY(Subject) next;
} Subject;

struct KgRdf
{
	KgGraph *graph;
	KgNet *net;
	STAILQ_HEAD(, Subject) subjects;
	KgTable *table; /* subjects by their names */
	size_t n;
	/*
	 * edges described by rdf:Statement, by their subject, predicate and object
	 */
	KgTable *stated;
};

KgRdf *
kg_rdf_new(KgGraph *graph)
{
	KgRdf *rdf = kg_calloc(1, sizeof(KgRdf));

	rdf->graph = graph;
	rdf->net = kg_net_new(graph);
	STAILQ_INIT(&rdf->subjects);
	rdf->table = kg_table_new();
	rdf->stated = kg_table_new();
	return rdf;
}

void
kg_rdf_free(KgRdf *rdf)
{
	kg_net_free(rdf->net);
	kg_table_free(rdf->table);
	kg_table_free(rdf->stated);
	free(rdf);
}

/* ---- triples ---- */

static const char *
name_of(KgRdf *rdf, const KgTerm *term)
{
	return term->kind == KG_TERM_BLANK
			   ? kg_arena_format(rdf->graph->arena, "_:%s", term->text)
			   : term->text;
}

static Subject *
subject_of(KgRdf *rdf, const KgTerm *term)
{
	KgArena *arena = rdf->graph->arena;
	const char *name = name_of(rdf, term);
	Subject *subject = kg_table_get(rdf->table, name);

	if (subject != NULL)
		return subject;
	rdf->n++;
	subject = kg_arena_alloc(arena, sizeof(Subject));
	memset(subject, 0, sizeof(Subject));
	subject->name = kg_arena_strndup(arena, name, strlen(name));
	subject->blank = term->kind == KG_TERM_BLANK;
	STAILQ_INIT(&subject->triples);
	STAILQ_INSERT_TAIL(&rdf->subjects, subject, next);
	kg_table_put(rdf->table, subject->name, subject);
	return subject;
}

static const char *
copy(KgRdf *rdf, const char *text)
{
	return text ? kg_arena_strndup(rdf->graph->arena, text, strlen(text))
				: NULL;
}

static bool
is_iri(const KgTerm *term, const char *iri)
{
	return term != NULL && term->kind == KG_TERM_IRI &&
		   strcmp(term->text, iri) == 0;
}

void
kg_rdf_add(KgRdf *rdf, const KgTerm *subject, const char *predicate,
		   const KgTerm *object)
{
	Subject *of = subject_of(rdf, subject);
	Triple *triple = kg_arena_alloc(rdf->graph->arena, sizeof(Triple));

	triple->predicate = copy(rdf, predicate);
	triple->object.kind = object->kind;
	triple->object.text = copy(rdf, object->text);
	triple->object.datatype = copy(rdf, object->datatype);
	STAILQ_INSERT_TAIL(&of->triples, triple, next);
	of->list |= strcmp(predicate, KG_RDF "first") == 0;
	if (strcmp(predicate, KG_RDF "type") == 0)
	{
		of->typed = true;
		of->statement |= is_iri(object, KG_RDF "Statement");
	}
	if (object->kind == KG_TERM_BLANK)
		subject_of(rdf, object)->used = true;
}

static bool
is_same(const KgTerm *a, const KgTerm *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0 &&
		   strcmp(a->datatype ? a->datatype : "",
				  b->datatype ? b->datatype : "") == 0;
}

/*
 * Returns the object of a subject's triple with this predicate. Returns NULL if
 * there is no such triple, or if several triples have different objects.
 */
static const KgTerm *
object_of(const Subject *subject, const char *predicate)
{
	const Triple *triple;
	const KgTerm *found = NULL;

	STAILQ_FOREACH(triple, &subject->triples, next)
	if (strcmp(triple->predicate, predicate) == 0)
	{
		if (found != NULL && !is_same(found, &triple->object))
			return NULL;
		found = &triple->object;
	}
	return found;
}

/*
 * Returns whether the subject becomes an object or a list in a property's
 * value, not a node.
 */
static bool
is_value(const Subject *subject)
{
	return subject->list ||
		   (subject->blank && subject->used && !subject->typed);
}

/* ---- names ---- */

static int
hex_of(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int) (p - digits) % 16 : -1;
}

static const char *
decoded(KgArena *arena, const char *text, size_t len)
{
	char *copy = kg_arena_strndup(arena, text, len);
	char *out = copy;
	size_t bad;

	for (size_t i = 0; i < len; i++)
		if (text[i] == '%' && i + 2 < len && hex_of(text[i + 1]) >= 0 &&
			hex_of(text[i + 2]) >= 0 &&
			(hex_of(text[i + 1]) > 0 || hex_of(text[i + 2]) > 0))
		{
			*out++ = (char) (16 * hex_of(text[i + 1]) + hex_of(text[i + 2]));
			i += 2;
		}
		else
			*out++ = text[i];
	*out = '\0';
	return kg_utf8_valid(copy, (size_t) (out - copy), &bad)
			   ? copy
			   : kg_arena_strndup(arena, text, len);
}

static const char *
encoded(KgArena *arena, const char *text)
{
	KgBuf out;
	const char *made;

	kg_buf_init(&out);
	for (; *text != '\0'; text++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-.~",
				   *text) != NULL)
			kg_buf_putc(&out, *text);
		else
			kg_buf_printf(&out, "%%%02X", (unsigned char) *text);
	made = kg_arena_strndup(arena, out.data ? out.data : "", out.len);
	kg_buf_free(&out);
	return made;
}

/*
 * Returns the part of an IRI after its last #, / or :, percent-decoded if the
 * result is UTF-8.
 */
static const char *
local_name(KgRdf *rdf, const char *iri)
{
	const char *start = iri;

	for (const char *p = iri; *p != '\0'; p++)
		if (strchr("#/:", *p) != NULL && p[1] != '\0')
			start = p + 1;
	return decoded(rdf->graph->arena, start, strcspn(start, "#/"));
}

/*
 * Sets the type and the id of a node from an IRI of the form BASE TYPE/ID
 * (rdf.h). From another IRI, only sets the id. Does nothing for a blank node,
 * or if the node has an id.
 */
static void
name_node(KgRdf *rdf, KgNode *node)
{
	KgArena *arena = rdf->graph->arena;
	size_t len = strlen(rdf->graph->base);
	const char *rest;
	const char *id;

	if (node->id != NULL || strncmp(node->key, "_:", 2) == 0)
		return;
	node->id = local_name(rdf, node->key);
	if (strncmp(node->key, rdf->graph->base, len) != 0)
		return;
	rest = node->key + len;
	id = strrchr(rest, '/');
	if (id == NULL || id == rest)
		return;
	kg_net_handle(rdf->net,
				  node,
				  kg_arena_format(arena,
								  "%.*s:%s",
								  (int) (id - rest),
								  rest,
								  decoded(arena, id + 1, strlen(id + 1))));
}

static KgNode *
node_of(KgRdf *rdf, const KgTerm *term)
{
	KgNode *node = kg_net_node(rdf->net, name_of(rdf, term));

	name_node(rdf, node);
	return node;
}

/*
 * Sets a node's type to that RDF class of the node which is an entity type of
 * the bundle. If several classes are, prints an error. If the node has no such
 * class, uses its first class.
 */
static void
type_node(KgRdf *rdf, const Subject *subject, KgNode *node)
{
	const Triple *triple;
	const char *first = NULL;
	const char *found = NULL;

	STAILQ_FOREACH(triple, &subject->triples, next)
	if (strcmp(triple->predicate, KG_RDF "type") == 0 &&
		triple->object.kind == KG_TERM_IRI)
	{
		const char *name = local_name(rdf, triple->object.text);

		first = first ? first : name;
		if (kg_graph_schema(rdf->graph, kg_graph_map(rdf->graph, name)) == NULL)
			continue;
		if (found != NULL && strcmp(found, name) != 0)
			(void) kg_graph_complain(
				rdf->graph,
				0,
				"node \"%s\" is both \"%s\" and \"%s\"; an "
				"entity has one type",
				subject->name,
				found,
				name);
		found = name;
	}
	if (found != NULL || first != NULL)
		node->type = found ? found : first;
}

/* ---- values ---- */

/* Returns the XML Schema type that an IRI names, or NULL. */
static const char *
xsd_name(const char *datatype)
{
	return datatype != NULL && strncmp(datatype, KG_XSD, strlen(KG_XSD)) == 0
			   ? datatype + strlen(KG_XSD)
			   : NULL;
}

static bool
is_numeric(const char *name)
{
	static const char *const names[] = {
		"decimal", "double", "float", "int", "long", "short", "byte"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return strncmp(name, "unsigned", 8) == 0 || kg_ends_with(name, "nteger");
}

/*
 * Returns the number in a text, in the form of JSON. Returns NULL if the text
 * is not a number.
 */
static KgJson *
number_of(KgArena *arena, const char *text)
{
	bool minus = *text == '-';
	const char *p = text + (minus || *text == '+');
	const char *point;
	char *made;

	while (*p == '0' && p[1] >= '0' && p[1] <= '9')
		p++;
	point = strchr(p, '.');
	if (point != NULL && (point[1] < '0' || point[1] > '9'))
		made = kg_arena_format(arena,
							   "%s%s%.*s%s",
							   minus ? "-" : "",
							   *p == '.' ? "0" : "",
							   (int) (point - p),
							   p,
							   point + 1);
	else
		made = kg_arena_format(
			arena, "%s%s%s", minus ? "-" : "", *p == '.' ? "0" : "", p);
	return kg_json_number_fits(made, strlen(made))
			   ? kg_json_number(arena, made, strlen(made))
			   : NULL;
}

/*
 * Returns the value of a boolean of XML Schema, or NULL if the text is not one.
 */
static KgJson *
boolean_of(KgArena *arena, const char *text)
{
	bool is_true = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;

	if (!is_true && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
		return NULL;
	return kg_json_bool(arena, is_true);
}

static KgJson *
literal_value(KgRdf *rdf, const KgTerm *term)
{
	KgArena *arena = rdf->graph->arena;
	const char *xsd = xsd_name(term->datatype);
	KgJson *value = NULL;
	char *error = NULL;

	if (xsd != NULL && is_numeric(xsd))
		value = number_of(arena, term->text);
	else if (xsd != NULL && strcmp(xsd, "boolean") == 0)
		value = boolean_of(arena, term->text);
	else if (term->datatype != NULL && strcmp(term->datatype, KG_RDF_JSON) == 0)
	{
		value = kgctl_json_parse(
			arena, term->text, strlen(term->text), NULL, &error);
		if (value == NULL)
			(void) kg_graph_complain(
				rdf->graph, 0, "a literal of rdf:JSON is not JSON: %s", error);
		free(error);
	}
	return value ? value
				 : kg_json_string(arena, term->text, strlen(term->text));
}

static KgJson *value_of(KgRdf *rdf, const KgTerm *term, int depth);

static KgJson *
list_value(KgRdf *rdf, const Subject *list, int depth)
{
	KgArena *arena = rdf->graph->arena;
	KgJson *array = kg_json_array(arena);
	size_t left = rdf->n;

	for (;;)
	{
		const KgTerm *first = object_of(list, KG_RDF "first");
		const KgTerm *rest = object_of(list, KG_RDF "rest");
		KgJson *item = first ? value_of(rdf, first, depth + 1) : NULL;

		if (first == NULL)
			break;
		if (item == NULL)
			return NULL;
		kg_json_push(arena, array, item);
		if (is_iri(rest, KG_RDF "nil"))
			return array;
		if (rest == NULL || rest->kind == KG_TERM_LITERAL || left-- == 0)
			break;
		list = subject_of(rdf, rest);
	}
	(void) kg_graph_complain(
		rdf->graph,
		0,
		"the list at \"%s\" has no end, or two values at one position",
		list->name);
	return NULL;
}

static KgJson *
object_value(KgRdf *rdf, const Subject *subject, int depth)
{
	KgArena *arena = rdf->graph->arena;
	KgJson *object = kg_json_object(arena);
	const Triple *triple;

	STAILQ_FOREACH(triple, &subject->triples, next)
	{
		KgJson *value = value_of(rdf, &triple->object, depth + 1);

		if (value == NULL)
			return NULL;
		kg_net_value(
			rdf->net, object, local_name(rdf, triple->predicate), value);
	}
	for (size_t i = 0; i < object->len; i++)
		if (object->u.members[i].value->len == 1)
			object->u.members[i].value = object->u.members[i].value->u.items[0];
	return object;
}

/*
 * Returns the JSON value of an RDF term inside a property's value. On failure,
 * prints an error and returns NULL.
 */
static KgJson *
value_of(KgRdf *rdf, const KgTerm *term, int depth)
{
	KgArena *arena = rdf->graph->arena;
	const Subject *subject;

	if (term->kind == KG_TERM_LITERAL)
		return literal_value(rdf, term);
	if (is_iri(term, KG_RDF "nil"))
		return kg_json_array(arena);
	subject = kg_table_get(rdf->table, name_of(rdf, term));
	if (subject == NULL || !is_value(subject))
	{
		/*
		 * A reference inside an array or an object becomes the id of the node.
		 */
		const KgNode *node = node_of(rdf, term);

		return kg_json_string(arena,
							  node->id ? node->id : node->key,
							  strlen(node->id ? node->id : node->key));
	}
	if (depth >= MAX_DEPTH)
	{
		(void) kg_graph_complain(
			rdf->graph,
			0,
			"blank node \"%s\" is in a value of itself, or "
			"more than %d levels deep; give it an rdf:type "
			"if it is an entity",
			subject->name,
			MAX_DEPTH);
		return NULL;
	}
	if (subject->list)
		return list_value(rdf, subject, depth);
	return object_value(rdf, subject, depth);
}

/* ---- nodes and links ---- */

static const char *
stated_key(KgRdf *rdf, const char *subject, const char *predicate,
		   const char *object)
{
	return kg_arena_format(
		rdf->graph->arena, "%s %s %s", subject, predicate, object);
}

static void
add_values(KgRdf *rdf, KgJson *properties, const char *predicate,
		   const KgTerm *object)
{
	KgJson *value = value_of(rdf, object, 0);

	if (value != NULL)
		kg_net_value(rdf->net, properties, local_name(rdf, predicate), value);
}

/* Adds the edge that an rdf:Statement describes, with its properties. */
static void
take_statement(KgRdf *rdf, const Subject *subject)
{
	const KgTerm *from = object_of(subject, KG_RDF "subject");
	const KgTerm *name = object_of(subject, KG_RDF "predicate");
	const KgTerm *to = object_of(subject, KG_RDF "object");
	const Triple *triple;
	KgNetLink *link;

	if (from == NULL || name == NULL || to == NULL ||
		from->kind == KG_TERM_LITERAL || name->kind != KG_TERM_IRI ||
		to->kind == KG_TERM_LITERAL)
	{
		(void) kg_graph_complain(rdf->graph,
								 0,
								 "the rdf:Statement \"%s\" has no rdf:subject, "
								 "rdf:predicate and rdf:object that are nodes, "
								 "one of each",
								 subject->name);
		return;
	}
	link = kg_net_link(rdf->net,
					   node_of(rdf, from),
					   local_name(rdf, name->text),
					   node_of(rdf, to),
					   0);
	kg_table_put(rdf->stated,
				 stated_key(rdf, link->from->key, name->text, link->to->key),
				 rdf);
	STAILQ_FOREACH(triple, &subject->triples, next)
	if (strncmp(triple->predicate, KG_RDF, strlen(KG_RDF)) != 0)
		add_values(rdf, link->properties, triple->predicate, &triple->object);
}

/*
 * Adds a triple whose subject is a node. The triple becomes a link or a value
 * of a property.
 */
static void
take_triple(KgRdf *rdf, KgNode *node, const Triple *triple)
{
	const KgGraph *graph = rdf->graph;
	const KgTerm *object = &triple->object;
	const char *name = local_name(rdf, triple->predicate);
	const KgJson *schema = kg_graph_schema(
		graph, node->type ? kg_graph_map(graph, node->type) : "");
	const char *property = kg_graph_map(graph, name);
	const Subject *subject = object->kind == KG_TERM_LITERAL
								 ? NULL
								 : kg_table_get(rdf->table,
												name_of(rdf, object));
	KgNode *to;

	if (object->kind == KG_TERM_LITERAL || is_iri(object, KG_RDF "nil") ||
		(subject != NULL && is_value(subject)))
		add_values(rdf, node->properties, triple->predicate, object);
	else if (object->kind == KG_TERM_IRI &&
			 kg_graph_property(graph, schema, property) != NULL &&
			 kg_graph_target(graph, schema, property) == NULL)
		kg_net_value(
			rdf->net,
			node->properties,
			name,
			kg_json_string(graph->arena, object->text, strlen(object->text)));
	else
	{
		to = node_of(rdf, object);
		if (kg_table_get(
				rdf->stated,
				stated_key(rdf, node->key, triple->predicate, to->key)) == NULL)
			(void) kg_net_link(rdf->net, node, name, to, 0);
	}
}

bool
kg_rdf_finish(KgRdf *rdf)
{
	Subject *subject;
	Triple *triple;

	STAILQ_FOREACH(subject, &rdf->subjects, next)
	if (subject->statement)
		take_statement(rdf, subject);
	STAILQ_FOREACH(subject, &rdf->subjects, next)
	if (!STAILQ_EMPTY(&subject->triples) && !subject->statement &&
		!is_value(subject))
	{
		KgNode *node = kg_net_node(rdf->net, subject->name);

		name_node(rdf, node);
		node->defined = true;
		type_node(rdf, subject, node);
		STAILQ_FOREACH(triple, &subject->triples, next)
		if (strcmp(triple->predicate, KG_RDF "type") != 0)
			take_triple(rdf, node, triple);
	}
	return rdf->graph->errors == 0 && kg_net_finish(rdf->net);
}

/* ---- writing ---- */

const char *
kg_rdf_entity(const KgGraph *graph, const char *type, const char *id)
{
	return kg_arena_format(
		graph->arena, "%s%s/%s", graph->base, type, encoded(graph->arena, id));
}

const char *
kg_rdf_class(const KgGraph *graph, const char *type)
{
	return kg_arena_format(graph->arena, "%stype#%s", graph->base, type);
}

const char *
kg_rdf_name(const KgGraph *graph, const char *name)
{
	return kg_arena_format(
		graph->arena, "%s#%s", graph->base, encoded(graph->arena, name));
}

const char *
kg_rdf_handle(const KgGraph *graph, const char *handle)
{
	size_t len = strcspn(handle, ":");

	return kg_rdf_entity(graph,
						 kg_arena_strndup(graph->arena, handle, len),
						 handle[len] ? handle + len + 1 : "");
}

/*
 * Returns the XML Schema type that corresponds to the schema's format of a
 * text, or NULL.
 */
static const char *
text_type(const KgJson *schema, const KgJson *value)
{
	const char *format = kg_json_text_or(schema, "format", "");
	bool dated = value->len >= 10 && value->u.text[4] == '-' &&
				 strspn(value->u.text, "0123456789-:TZ.+") == value->len;

	if (dated && strcmp(format, "date") == 0 && value->len == 10)
		return KG_XSD "date";
	if (dated && strcmp(format, "date-time") == 0 && value->len > 10 &&
		value->u.text[10] == 'T')
		return KG_XSD "dateTime";
	return NULL;
}

KgTerm
kg_rdf_literal(const KgGraph *graph, const KgJson *schema, const KgJson *value)
{
	KgTerm term = {KG_TERM_LITERAL, "", NULL};
	KgBuf out;

	if (value->kind == KG_JSON_STRING)
	{
		term.text = value->u.text;
		term.datatype = text_type(schema, value);
		return term;
	}
	kg_buf_init(&out);
	kg_json_write(&out, value, -1);
	term.text = kg_arena_strndup(graph->arena, out.data, out.len);
	kg_buf_free(&out);
	if (value->kind == KG_JSON_BOOL)
		term.datatype = KG_XSD "boolean";
	else if (value->kind != KG_JSON_NUMBER)
		term.datatype = KG_RDF_JSON;
	else if (strpbrk(term.text, "eE") != NULL)
		term.datatype = KG_XSD "double";
	else
		term.datatype = strchr(term.text, '.') ? KG_XSD "decimal"
											   : KG_XSD "integer";
	return term;
}
