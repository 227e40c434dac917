/*
 * graph/jsonld.c
 *	  JSON-LD 1.1. Written documents are a list of nodes with one vocabulary.
 *	  Read documents may have contexts of their own, but a context in another
 *	  file is refused, because nothing is fetched. JSON-LD processors convert
 *	  numbers to floating point. So only integers of at most 15 digits are
 *	  written as numbers.
 */
#include <stdlib.h>
#include <string.h>

#include <serd/serd.h>

#include "kgctl/graph/rdf.h"

/* ---- writing ---- */

typedef struct Writer
{
	const KgGraph *graph;
	KgBuf *out;
	KgJson *nodes;
	KgJson *node; /* the last written node */
} Writer;

static KgJson *
text_value(const KgGraph *graph, const char *text)
{
	return kg_json_string(graph->arena, text, strlen(text));
}

/*
 * Returns {name: text}. If other is not NULL, adds the member other with the
 * given value.
 */
static KgJson *
object_with(const KgGraph *graph, const char *name, const char *text,
			const char *other, KgJson *value)
{
	KgJson *object = kg_json_object(graph->arena);

	kg_json_put(graph->arena, object, name, text_value(graph, text));
	if (other != NULL)
		kg_json_put(graph->arena, object, other, value);
	return object;
}

static KgJson *
literal_of(const KgGraph *graph, const KgTerm *term)
{
	KgArena *arena = graph->arena;
	const char *type = term->datatype;
	size_t len = strlen(term->text);
	char *ignored = NULL;
	KgJson *value;

	if (type == NULL)
		return text_value(graph, term->text);
	if (strcmp(type, KG_XSD "boolean") == 0)
		return kg_json_bool(arena, strcmp(term->text, "true") == 0);
	if (strcmp(type, KG_XSD "integer") == 0 && len <= 15)
		return kg_json_number(arena, term->text, len);
	if (strcmp(type, KG_RDF_JSON) != 0)
		return object_with(
			graph, "@type", type, "@value", text_value(graph, term->text));
	value = kgctl_json_parse(arena, term->text, len, NULL, &ignored);
	free(ignored);
	return object_with(graph, "@type", "@json", "@value", value);
}

static const char *
id_of(const KgGraph *graph, const KgTerm *term)
{
	return term->kind == KG_TERM_BLANK
			   ? kg_arena_format(graph->arena, "_:%s", term->text)
			   : term->text;
}

/* Returns the name of a predicate without the prefix of the vocabulary. */
static const char *
short_name(const KgGraph *graph, const char *predicate)
{
	size_t len = strlen(graph->base);

	return strncmp(predicate, graph->base, len) == 0 && predicate[len] == '#'
			   ? predicate + len + 1
			   : predicate;
}

static void
add_triple(void *arg, const KgTerm *subject, const char *predicate,
		   const KgTerm *object)
{
	Writer *w = arg;
	KgArena *arena = w->graph->arena;
	const char *id = id_of(w->graph, subject);
	bool class = strcmp(predicate, KG_RDF "type") == 0;
	const char *name = class ? "@type" : short_name(w->graph, predicate);
	KgJson *value = object->kind == KG_TERM_LITERAL
						? literal_of(w->graph, object)
					: class ? text_value(w->graph, object->text)
							: object_with(w->graph,
										  "@id",
										  id_of(w->graph, object),
										  NULL,
										  NULL);
	KgJson *values;

	if (w->node == NULL || strcmp(kg_json_text_or(w->node, "@id", ""), id) != 0)
	{
		w->node = object_with(w->graph, "@id", id, NULL, NULL);
		kg_json_push(arena, w->nodes, w->node);
	}
	values = kgctl_json_get(w->node, name);
	if (values == NULL)
	{
		values = kg_json_array(arena);
		kg_json_put(arena, w->node, name, values);
	}
	kg_json_push(arena, values, value);
}

static bool
write_jsonld(const KgGraph *graph, KgBuf *out)
{
	Writer w = {graph, out, kg_json_array(graph->arena), NULL};
	const char *vocabulary = kg_rdf_name(graph, "");

	kg_rdf_write(graph, add_triple, &w);
	kg_buf_puts(out, "{\"@context\":{\"@vocab\":");
	kg_buf_json(out, vocabulary, strlen(vocabulary));
	kg_buf_puts(out, "},\"@graph\":[");
	for (size_t i = 0; i < w.nodes->len; i++)
	{
		KgJson *node = w.nodes->u.items[i];

		for (size_t k = 0; k < node->len; k++)
			if (node->u.members[k].value->kind == KG_JSON_ARRAY &&
				node->u.members[k].value->len == 1)
				node->u.members[k].value = node->u.members[k].value->u.items[0];
		kg_buf_puts(out, i > 0 ? ",\n" : "\n");
		kg_json_write(out, node, -1);
	}
	kg_buf_puts(out, "\n]}\n");
	return true;
}

/* ---- reading: contexts ---- */

typedef struct Context
{
	const char *base;		/* base IRI, or NULL */
	const char *vocabulary; /* prefix of terms without a definition, or NULL */
	const KgJson *terms;	/* members are the definitions of terms */
	const struct Context *outer;
} Context;

typedef struct Reader
{
	KgGraph *graph;
	KgRdf *rdf;
	size_t blanks;
} Reader;

static const KgJson *
term_in(const Context *context, const char *name)
{
	for (; context != NULL; context = context->outer)
	{
		const KgJson *term = kgctl_json_get(context->terms, name);

		if (term != NULL)
			return term->kind == KG_JSON_NULL ? NULL : term;
	}
	return NULL;
}

static const char *
id_of_term(const KgJson *term)
{
	const char *text = kgctl_json_text(term);

	return text ? text : kg_json_get_text(term, "@id");
}

static bool
complain(Reader *r, const KgJson *at, const char *what, const char *name)
{
	return kg_graph_complain(
		r->graph, at ? at->line : 0, "\"%s\": %s", name, what);
}

/*
 * Returns the absolute form of a relative IRI. On failure, prints an error and
 * returns NULL.
 */
static const char *
resolve(Reader *r, const Context *context, const KgJson *at, const char *text)
{
	SerdURI base;
	SerdNode node;
	const char *iri;

	if (context->base == NULL)
	{
		(void) complain(r,
						at,
						"the IRI is relative; add \"@base\" to the context, or "
						"--base IRI",
						text);
		return NULL;
	}
	serd_uri_parse((const uint8_t *) context->base, &base);
	node = serd_node_new_uri_from_string((const uint8_t *) text, &base, NULL);
	iri = node.buf ? kg_arena_strndup(
						 r->graph->arena, (const char *) node.buf, node.n_bytes)
				   : text;
	serd_node_free(&node);
	return iri;
}

/*
 * Expands a name to an IRI by the context. vocabulary is set for properties and
 * types, and not for ids. Keywords are returned unchanged. On failure, prints
 * an error and returns NULL.
 */
static const char *
expand(Reader *r, const Context *context, const KgJson *at, const char *name,
	   bool vocabulary, int depth)
{
	KgArena *arena = r->graph->arena;
	const KgJson *term = vocabulary ? term_in(context, name) : NULL;
	const char *id = id_of_term(term);
	const char *colon = strchr(name, ':');

	if (*name == '@' || strncmp(name, "_:", 2) == 0)
		return name;
	if (depth > 16)
	{
		(void) complain(r, at, "the term is defined by itself", name);
		return NULL;
	}
	if (id != NULL && strcmp(id, name) != 0)
		return expand(r, context, at, id, true, depth + 1);
	if (colon != NULL && strncmp(colon, "://", 3) != 0)
	{
		const char *prefix = kg_arena_strndup(
			arena, name, (size_t) (colon - name));
		const char *of = id_of_term(term_in(context, prefix));

		if (of == NULL)
			return name;
		of = expand(r, context, at, of, true, depth + 1);
		return of ? kg_arena_format(arena, "%s%s", of, colon + 1) : NULL;
	}
	if (colon != NULL)
		return name;
	if (!vocabulary)
		return resolve(r, context, at, name);
	for (const Context *c = context; c != NULL; c = c->outer)
		if (c->vocabulary != NULL)
			return kg_arena_format(arena, "%s%s", c->vocabulary, name);
	(void) complain(r,
					at,
					"the context does not define the name; add it, or "
					"\"@vocab\"",
					name);
	return NULL;
}

/*
 * Returns a new context: the outer context and the definitions of the given
 * context. On failure, prints an error and returns NULL.
 */
static const Context *
enter(Reader *r, const Context *outer, const KgJson *given)
{
	Context *context = kg_arena_alloc(r->graph->arena, sizeof(Context));
	const KgJson *import = kgctl_json_get(given, "@import");
	const KgJson *base = kgctl_json_get(given, "@base");

	context->base = outer->base;
	context->vocabulary = NULL;
	context->terms = given;
	context->outer = outer;
	if (given->kind == KG_JSON_NULL)
		context->outer = NULL;
	if (given->kind == KG_JSON_ARRAY)
	{
		for (size_t i = 0; outer != NULL && i < given->len; i++)
			outer = enter(r, outer, given->u.items[i]);
		return outer;
	}
	if (given->kind == KG_JSON_STRING || import != NULL)
	{
		(void) complain(r,
						given,
						"the context is in another file, and nothing is "
						"fetched; write its object in its place",
						import ? "@import" : given->u.text);
		return NULL;
	}
	if (kgctl_json_text(base) != NULL)
		context->base = strchr(base->u.text, ':') != NULL
							? base->u.text
							: resolve(r, outer, base, base->u.text);
	context->vocabulary = kg_json_get_text(given, "@vocab");
	if (context->vocabulary != NULL && strchr(context->vocabulary, ':') == NULL)
		context->vocabulary = resolve(r, context, given, context->vocabulary);
	return r->graph->errors == 0 ? context : NULL;
}

/* ---- reading: values ---- */

static bool add_value(Reader *r, const Context *context, const KgTerm *subject,
					  const char *predicate, const KgJson *term,
					  const KgJson *value);
static bool take_node(Reader *r, const Context *context, const KgJson *node,
					  KgTerm *id);

static KgTerm
new_blank(Reader *r)
{
	KgTerm term = {KG_TERM_BLANK, NULL, NULL};

	/*
	 * Begin the name of a new blank node with a space, so that it differs from
	 * all names in the document.
	 */
	term.text = kg_arena_format(r->graph->arena, " %zu", ++r->blanks);
	return term;
}

static KgTerm
term_of(const char *iri)
{
	KgTerm term = {KG_TERM_IRI, iri, NULL};

	if (strncmp(iri, "_:", 2) == 0)
	{
		term.kind = KG_TERM_BLANK;
		term.text = iri + 2;
	}
	return term;
}

static KgTerm
json_literal(Reader *r, const KgJson *value)
{
	KgTerm term = {KG_TERM_LITERAL, NULL, KG_RDF_JSON};
	KgBuf out;

	kg_buf_init(&out);
	kg_json_write(&out, value, -1);
	term.text = kg_arena_strndup(r->graph->arena, out.data, out.len);
	kg_buf_free(&out);
	return term;
}

/*
 * Sets *literal to the literal of a value. type is its datatype, or NULL. On
 * failure, prints an error and returns false.
 */
static bool
typed_literal(Reader *r, const Context *context, const KgJson *value,
			  const char *type, KgTerm *literal)
{
	if (type != NULL && strcmp(type, "@json") == 0)
		*literal = json_literal(r, value);
	else if (value->kind == KG_JSON_ARRAY || value->kind == KG_JSON_OBJECT)
		return complain(
			r, value, "the value cannot be an array or an object", "@value");
	else
	{
		*literal = kg_rdf_literal(r->graph, NULL, value);
		if (type != NULL && *type != '@')
			literal->datatype = expand(r, context, value, type, true, 0);
	}
	return r->graph->errors == 0;
}

static bool
add_list(Reader *r, const Context *context, const KgTerm *subject,
		 const char *predicate, const KgJson *term, const KgJson *list)
{
	KgTerm nil = {KG_TERM_IRI, KG_RDF "nil", NULL};
	KgTerm at = *subject;
	const char *link = predicate;
	size_t n = list->kind == KG_JSON_ARRAY ? list->len : 1;

	for (size_t i = 0; i < n; i++)
	{
		KgTerm cell = new_blank(r);

		kg_rdf_add(r->rdf, &at, link, &cell);
		if (!add_value(r,
					   context,
					   &cell,
					   KG_RDF "first",
					   term,
					   list->kind == KG_JSON_ARRAY ? list->u.items[i] : list))
			return false;
		at = cell;
		link = KG_RDF "rest";
	}
	kg_rdf_add(r->rdf, &at, link, &nil);
	return true;
}

static bool
add_object(Reader *r, const Context *context, const KgTerm *subject,
		   const char *predicate, const KgJson *term, const KgJson *value)
{
	const KgJson *literal = kgctl_json_get(value, "@value");
	const KgJson *list = kgctl_json_get(value, "@list");
	const KgJson *set = kgctl_json_get(value, "@set");
	KgTerm object;

	if (list != NULL)
		return add_list(r, context, subject, predicate, term, list);
	if (set != NULL)
		return add_value(r, context, subject, predicate, term, set);
	if (literal != NULL && literal->kind == KG_JSON_NULL &&
		strcmp(kg_json_text_or(value, "@type", ""), "@json") != 0)
		return true;
	if (!(literal != NULL ? typed_literal(r,
										  context,
										  literal,
										  kg_json_get_text(value, "@type"),
										  &object)
						  : take_node(r, context, value, &object)))
		return false;
	kg_rdf_add(r->rdf, subject, predicate, &object);
	return true;
}

/*
 * Adds the values of a map. Ignores the map's keys, which are languages or an
 * index. Returns false on failure.
 */
static bool
add_map(Reader *r, const Context *context, const KgTerm *subject,
		const char *predicate, const KgJson *term, const KgJson *map)
{
	for (size_t i = 0; i < map->len; i++)
		if (!add_value(
				r, context, subject, predicate, term, map->u.members[i].value))
			return false;
	return true;
}

/*
 * Adds a value of a property. term is the property's definition in the context.
 * On failure, prints an error and returns false.
 */
static bool
add_value(Reader *r, const Context *context, const KgTerm *subject,
		  const char *predicate, const KgJson *term, const KgJson *value)
{
	const char *type = kg_json_get_text(term, "@type");
	bool id = type != NULL && strcmp(type, "@id") == 0;
	bool name = type != NULL && strcmp(type, "@vocab") == 0;
	KgTerm object;

	if (type != NULL && strcmp(type, "@json") == 0)
		object = json_literal(r, value);
	else if (value->kind == KG_JSON_NULL)
		return true;
	else if (value->kind == KG_JSON_OBJECT)
		return add_object(r, context, subject, predicate, term, value);
	else if (value->kind == KG_JSON_ARRAY)
	{
		for (size_t i = 0; i < value->len; i++)
			if (!add_value(
					r, context, subject, predicate, term, value->u.items[i]))
				return false;
		return true;
	}
	else if (value->kind == KG_JSON_STRING && (id || name))
	{
		const char *iri = expand(r, context, value, value->u.text, name, 0);

		if (iri == NULL)
			return false;
		object = term_of(iri);
	}
	else if (!typed_literal(r, context, value, type, &object))
		return false;
	kg_rdf_add(r->rdf, subject, predicate, &object);
	return true;
}

/* ---- reading: nodes ---- */

static bool
take_nodes(Reader *r, const Context *context, const KgJson *value)
{
	KgTerm ignored;

	if (value->kind == KG_JSON_OBJECT)
		return take_node(r, context, value, &ignored);
	if (value->kind != KG_JSON_ARRAY)
		return complain(r, value, "a node must be an object", "@graph");
	for (size_t i = 0; i < value->len; i++)
		if (!take_nodes(r, context, value->u.items[i]))
			return false;
	return true;
}

static bool
add_types(Reader *r, const Context *context, const KgTerm *subject,
		  const KgJson *value)
{
	const char *iri;
	KgTerm class;

	for (size_t i = 0; value->kind == KG_JSON_ARRAY && i < value->len; i++)
		if (!add_types(r, context, subject, value->u.items[i]))
			return false;
	if (value->kind == KG_JSON_ARRAY)
		return true;
	if (kgctl_json_text(value) == NULL)
		return complain(r, value, "a type must be a text", "@type");
	iri = expand(r, context, value, value->u.text, true, 0);
	if (iri == NULL)
		return false;
	class = term_of(iri);
	kg_rdf_add(r->rdf, subject, KG_RDF "type", &class);
	return true;
}

/*
 * Reads a member whose name is a keyword such as @type. Refuses keywords that
 * kgctl does not support. On failure, prints an error and returns false.
 */
static bool
take_keyword(Reader *r, const Context *context, const KgTerm *subject,
			 const char *keyword, const KgJson *value)
{
	if (strcmp(keyword, "@type") == 0)
		return add_types(r, context, subject, value);
	if (strcmp(keyword, "@graph") == 0 || strcmp(keyword, "@included") == 0)
		return take_nodes(r, context, value);
	if (strcmp(keyword, "@id") == 0 || strcmp(keyword, "@context") == 0 ||
		strcmp(keyword, "@index") == 0)
		return true;
	return complain(r,
					value,
					"this keyword is not supported; expand the document with a "
					"JSON-LD processor, or write it as Turtle",
					keyword);
}

static bool
take_member(Reader *r, const Context *context, const KgTerm *subject,
			const char *name, const KgJson *value)
{
	const char *iri = expand(r, context, value, name, true, 0);
	const KgJson *term = term_in(context, name);
	const char *container = kg_json_text_or(term, "@container", "");

	if (iri == NULL)
		return false;
	if (*iri == '@')
		return take_keyword(r, context, subject, iri, value);
	if (kgctl_json_get(term, "@reverse") != NULL ||
		strcmp(container, "@id") == 0 || strcmp(container, "@type") == 0 ||
		strcmp(container, "@graph") == 0)
		return take_keyword(r, context, subject, "@reverse", value);
	if (strcmp(container, "@list") == 0 &&
		kgctl_json_get(value, "@list") == NULL)
		return add_list(r, context, subject, iri, term, value);
	if ((strcmp(container, "@language") == 0 ||
		 strcmp(container, "@index") == 0) &&
		value->kind == KG_JSON_OBJECT)
		return add_map(r, context, subject, iri, term, value);
	return add_value(r, context, subject, iri, term, value);
}

/*
 * Returns the value of a keyword in a node. The context may define an alias for
 * the keyword.
 */
static const KgJson *
keyword_in(const Context *context, const KgJson *node, const char *keyword)
{
	for (size_t i = 0; i < node->len; i++)
	{
		const KgctlMember *m = &node->u.members[i];
		const char *id = id_of_term(term_in(context, m->key));

		if (strcmp(m->key, keyword) == 0 ||
			(id != NULL && strcmp(id, keyword) == 0))
			return m->value;
	}
	return NULL;
}

/*
 * Adds a node and sets *id to its name. On failure, prints an error and returns
 * false.
 */
static bool
take_node(Reader *r, const Context *context, const KgJson *node, KgTerm *id)
{
	const KgJson *inner = kgctl_json_get(node, "@context");
	const KgJson *named;

	if (inner != NULL && (context = enter(r, context, inner)) == NULL)
		return false;
	named = keyword_in(context, node, "@id");
	*id = new_blank(r);
	if (named != NULL)
	{
		const char *iri = kgctl_json_text(named);

		if (iri == NULL)
			return complain(r, named, "an id must be a text", "@id");
		iri = expand(r, context, named, iri, false, 0);
		if (iri == NULL)
			return false;
		*id = term_of(iri);
	}
	for (size_t i = 0; i < node->len; i++)
		if (!take_member(r,
						 context,
						 id,
						 node->u.members[i].key,
						 node->u.members[i].value))
			return false;
	return true;
}

static bool
read_jsonld(KgGraph *graph, KgctlInput *in)
{
	Context context = {NULL, NULL, NULL, NULL};
	Reader r = {.graph = graph};
	char *error = NULL;
	const KgJson *root;
	KgBuf text;

	kg_buf_init(&text);
	context.base = kg_args_get(graph->args, "base");
	if (kg_graph_slurp(graph, in, &text))
	{
		r.rdf = kg_rdf_new(graph);
		root = kgctl_json_parse(
			graph->arena, text.data, text.len, graph->path, &error);
		if (root == NULL)
			(void) kg_graph_complain(graph, 0, "not JSON: %s", error);
		else if (take_nodes(&r, &context, root))
			(void) kg_rdf_finish(r.rdf);
		free(error);
		kg_rdf_free(r.rdf);
	}
	kg_buf_free(&text);
	return graph->errors == 0;
}

const KgGraphFormat kg_format_jsonld = {
	"jsonld", ".jsonld", read_jsonld, write_jsonld};
