/*
 * graph/rdf.h
 *	  A graph as triples of RDF, for Turtle, N-Triples and JSON-LD.
 *
 * An entity is the IRI BASE TYPE/ID with the percent-encoded id; its class is
 * BASE type#TYPE, and a property or a relation is BASE #NAME. An edge with
 * properties is also a statement (rdf:Statement) with these properties.
 */
#ifndef KG_KGCTL_RDF_H
#define KG_KGCTL_RDF_H

#include "kgctl/graph/graph.h"

#define KG_RDF "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
#define KG_XSD "http://www.w3.org/2001/XMLSchema#"
#define KG_RDF_JSON KG_RDF "JSON"

typedef enum KgTermKind
{
	KG_TERM_IRI,
	KG_TERM_BLANK,
	KG_TERM_LITERAL
} KgTermKind;

typedef struct KgTerm
{
	KgTermKind kind;
	const char *text;	  /* an IRI, a label, or the text of a literal */
	const char *datatype; /* datatype of a literal, or NULL */
} KgTerm;

/* ---- reading ---- */

typedef struct KgRdf KgRdf;

extern KgRdf *kg_rdf_new(KgGraph *graph);
extern void kg_rdf_free(KgRdf *rdf);

/* Adds a triple. The texts are copied. */
extern void kg_rdf_add(KgRdf *rdf, const KgTerm *subject, const char *predicate,
					   const KgTerm *object);

/* Adds the records to the graph. Returns false after messages. */
extern bool kg_rdf_finish(KgRdf *rdf);

/* ---- writing; results are in the graph's arena ---- */

extern const char *kg_rdf_entity(const KgGraph *graph, const char *type,
								 const char *id);
extern const char *kg_rdf_class(const KgGraph *graph, const char *type);
extern const char *kg_rdf_name(const KgGraph *graph, const char *name);

/* Returns the IRI of the entity of a handle, "type:id" or "bundle/type:id". */
extern const char *kg_rdf_handle(const KgGraph *graph, const char *handle);

/* Calls triple for the triples of the graph, subject by subject. */
typedef void (*KgTripleFn)(void *arg, const KgTerm *subject,
						   const char *predicate, const KgTerm *object);

extern void kg_rdf_write(const KgGraph *graph, KgTripleFn triple, void *arg);

/*
 * Returns the literal of a value. schema is the schema of the property, or
 * NULL.
 */
extern KgTerm kg_rdf_literal(const KgGraph *graph, const KgJson *schema,
							 const KgJson *value);

#endif /* KG_KGCTL_RDF_H */
