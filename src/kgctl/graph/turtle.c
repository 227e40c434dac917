/*
 * graph/turtle.c
 *	  Turtle and N-Triples. The library serd parses and writes them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <serd/serd.h>

#include "kgctl/graph/rdf.h"
#include "kgctl/log.h"
#include "kgctl/utf8.h"

/* Maximal size of the stack of serd in bytes. */
#define MAX_STACK ((size_t) 1024 * 1024)

/* ---- writing ---- */

typedef struct Writer
{
	SerdWriter *serd;
	bool failed;
} Writer;

static SerdNode
node_of(const KgTerm *term)
{
	SerdType type = term->kind == KG_TERM_IRI	  ? SERD_URI
					: term->kind == KG_TERM_BLANK ? SERD_BLANK
												  : SERD_LITERAL;

	return serd_node_from_string(type, (const uint8_t *) term->text);
}

static void
write_triple(void *arg, const KgTerm *subject, const char *predicate,
			 const KgTerm *object)
{
	Writer *w = arg;
	KgTerm name = {KG_TERM_IRI, predicate, NULL};
	KgTerm datatype = {KG_TERM_IRI, object->datatype, NULL};
	SerdNode s = node_of(subject);
	SerdNode p = node_of(&name);
	SerdNode o = node_of(object);
	SerdNode d = SERD_NODE_NULL;

	if (object->datatype != NULL)
		d = node_of(&datatype);
	if (serd_writer_write_statement(w->serd, 0, NULL, &s, &p, &o, &d, NULL) !=
		SERD_SUCCESS)
		w->failed = true;
}

static size_t
add_text(const void *text, size_t len, void *out)
{
	kg_buf_add(out, text, len);
	return len;
}

static void
set_prefix(SerdEnv *env, const char *name, const char *iri)
{
	(void) serd_env_set_prefix_from_strings(
		env, (const uint8_t *) name, (const uint8_t *) iri);
}

static bool
write_rdf(const KgGraph *graph, KgBuf *out, SerdSyntax syntax)
{
	static const char *const names[] = {"", "type", "rdf", "xsd"};
	const char *iris[] = {
		kg_rdf_name(graph, ""), kg_rdf_class(graph, ""), KG_RDF, KG_XSD};
	SerdEnv *env = serd_env_new(NULL);
	Writer w = {.failed = false};

	for (size_t i = 0; syntax == SERD_TURTLE && i < 4; i++)
	{
		set_prefix(env, names[i], iris[i]);
		kg_buf_printf(out, "@prefix %s: <%s> .\n", names[i], iris[i]);
	}
	w.serd = serd_writer_new(syntax,
							 syntax == SERD_TURTLE
								 ? SERD_STYLE_ABBREVIATED | SERD_STYLE_CURIED
								 : SERD_STYLE_ASCII,
							 env,
							 NULL,
							 add_text,
							 out);
	kg_rdf_write(graph, write_triple, &w);
	if (serd_writer_finish(w.serd) != SERD_SUCCESS)
		w.failed = true;
	serd_writer_free(w.serd);
	serd_env_free(env);
	if (w.failed)
		kg_error("the graph cannot be written as RDF");
	return !w.failed;
}

static bool
write_turtle(const KgGraph *graph, KgBuf *out)
{
	return write_rdf(graph, out, SERD_TURTLE);
}

static bool
write_ntriples(const KgGraph *graph, KgBuf *out)
{
	return write_rdf(graph, out, SERD_NTRIPLES);
}

/* ---- reading ---- */

typedef struct Reader
{
	KgGraph *graph;
	KgRdf *rdf;
	SerdEnv *env;
	uintptr_t frame; /* address of the stack frame that called serd */
} Reader;

static SerdStatus
on_base(void *arg, const SerdNode *iri)
{
	return serd_env_set_base_uri(((Reader *) arg)->env, iri);
}

static SerdStatus
on_prefix(void *arg, const SerdNode *name, const SerdNode *iri)
{
	return serd_env_set_prefix(((Reader *) arg)->env, name, iri);
}

/*
 * Checks that PostgreSQL can store a text. serd turns escapes such as \u0000 and
 * \uD800 into bytes that are not text.
 */
static bool
check_text(Reader *r, const uint8_t *text, size_t len)
{
	size_t bad;

	if (memchr(text, '\0', len) == NULL &&
		kg_utf8_valid((const char *) text, len, &bad))
		return true;
	return kg_graph_complain(r->graph,
							 0,
							 "\"%.*s\" has \\u0000 or half of a surrogate "
							 "pair, which PostgreSQL cannot store",
							 (int) (len > 200 ? 200 : len),
							 (const char *) text);
}

static bool
complain_relative(Reader *r, const SerdNode *node)
{
	bool named = node->type == SERD_CURIE;

	return kg_graph_complain(
		r->graph,
		0,
		named ? "the prefix of %.*s is not declared; add @prefix"
			  : "the IRI <%.*s> is relative; add @base to the file, or --base "
				"IRI",
		(int) (node->n_bytes > 200 ? 200 : node->n_bytes),
		(const char *) node->buf);
}

/*
 * Sets *iri to the absolute IRI of a node. The IRI is in the graph's arena. On
 * failure, prints an error and returns false.
 */
static bool
expand(Reader *r, const SerdNode *node, const char **iri)
{
	SerdNode full = serd_env_expand_node(r->env, node);
	bool ok;

	if (full.buf != NULL && serd_uri_string_has_scheme(full.buf))
		ok = check_text(r, full.buf, full.n_bytes);
	else
		ok = complain_relative(r, node);
	if (ok)
		*iri = kg_arena_strndup(
			r->graph->arena, (const char *) full.buf, full.n_bytes);
	serd_node_free(&full);
	return ok;
}

static bool
term_of(Reader *r, const SerdNode *node, KgTerm *term)
{
	term->datatype = NULL;
	term->text = (const char *) node->buf;
	term->kind = node->type == SERD_BLANK	  ? KG_TERM_BLANK
				 : node->type == SERD_LITERAL ? KG_TERM_LITERAL
											  : KG_TERM_IRI;
	if (term->kind == KG_TERM_IRI)
		return expand(r, node, &term->text);
	return check_text(r, node->buf, node->n_bytes);
}

/*
 * Checks the depth of nested objects and lists. serd calls itself for each, and
 * would exceed the stack. It calls on_triple() at each level.
 */
static bool
check_depth(Reader *r)
{
	uintptr_t here = (uintptr_t) __builtin_frame_address(0);

	return r->frame - here < MAX_STACK ||
		   kg_graph_complain(r->graph, 0, "values are nested too deeply");
}

static SerdStatus
on_triple(void *arg, SerdStatementFlags flags, const SerdNode *graph,
		  const SerdNode *subject, const SerdNode *predicate,
		  const SerdNode *object, const SerdNode *datatype,
		  const SerdNode *language)
{
	Reader *r = arg;
	KgTerm s;
	KgTerm p;
	KgTerm o;

	(void) flags;
	(void) graph;
	(void) language;
	if (!check_depth(r) || !term_of(r, subject, &s) ||
		!term_of(r, predicate, &p) || !term_of(r, object, &o) ||
		(datatype != NULL && datatype->buf != NULL &&
		 !expand(r, datatype, &o.datatype)))
		return SERD_ERR_BAD_ARG;
	kg_rdf_add(r->rdf, &s, p.text, &o);
	return SERD_SUCCESS;
}

static SerdStatus
on_error(void *arg, const SerdError *error)
{
	Reader *r = arg;
	KgBuf text;

	if (r->graph->errors > 0)
		return SERD_SUCCESS;
	kg_buf_init(&text);
	kg_buf_vprintf(&text, error->fmt, *error->args);
	while (text.len > 0 && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	(void) kg_graph_complain(r->graph, error->line, "%s", text.data);
	kg_buf_free(&text);
	return SERD_SUCCESS;
}

static void
parse(Reader *r, const KgBuf *text, SerdSyntax syntax)
{
	SerdReader *serd = serd_reader_new(
		syntax, r, NULL, on_base, on_prefix, on_triple, NULL);

	r->frame = (uintptr_t) __builtin_frame_address(0);
	serd_reader_set_strict(serd, true);
	serd_reader_set_error_sink(serd, on_error, r);
	if (serd_reader_read_string(serd, (const uint8_t *) text->data) !=
			SERD_SUCCESS &&
		r->graph->errors == 0)
		(void) kg_graph_complain(r->graph, 0, "not RDF of this format");
	serd_reader_free(serd);
}

static bool
read_rdf(KgGraph *graph, KgctlInput *in, SerdSyntax syntax)
{
	const char *base = kg_args_get(graph->args, "base");
	SerdNode node = serd_node_from_string(SERD_URI, (const uint8_t *) base);
	Reader r = {.graph = graph};
	KgBuf text;

	kg_buf_init(&text);
	if (kg_graph_slurp(graph, in, &text))
	{
		r.rdf = kg_rdf_new(graph);
		r.env = serd_env_new(base ? &node : NULL);
		parse(&r, &text, syntax);
		if (graph->errors == 0)
			(void) kg_rdf_finish(r.rdf);
		serd_env_free(r.env);
		kg_rdf_free(r.rdf);
	}
	kg_buf_free(&text);
	return graph->errors == 0;
}

static bool
read_turtle(KgGraph *graph, KgctlInput *in)
{
	return read_rdf(graph, in, SERD_TURTLE);
}

static bool
read_ntriples(KgGraph *graph, KgctlInput *in)
{
	return read_rdf(graph, in, SERD_NTRIPLES);
}

const KgGraphFormat kg_format_turtle = {
	"turtle", ".ttl", read_turtle, write_turtle};
const KgGraphFormat kg_format_ntriples = {
	"ntriples", ".nt", read_ntriples, write_ntriples};
