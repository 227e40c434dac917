/*
 * graph/rdf.h
 *	  A graph as triples of RDF, for Turtle, N-Triples and JSON-LD.
 *
 * The IRI of an entity is BASE followed by TYPE/ID, with a percent-encoded id.
 * The IRI of its class is BASE followed by type#TYPE. The IRI of a property or
 * a relation is BASE followed by #NAME. An edge with properties is also written
 * as an rdf:Statement that has these properties.
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
	/* an IRI, the label of a blank node, or the text of a literal */
	const char *text;
	const char *datatype; /* datatype of a literal, or NULL */
} KgTerm;

/* ---- reading ---- */

typedef struct KgRdf KgRdf;

extern KgRdf *kg_rdf_new(KgGraph *graph);
extern void kg_rdf_free(KgRdf *rdf);

/* Adds a triple. Its texts are copied. */
extern void kg_rdf_add(KgRdf *rdf, const KgTerm *subject, const char *predicate,
					   const KgTerm *object);

/*
 * Adds the records that the triples describe to the graph. On failure, prints
 * errors and returns false.
 */
extern bool kg_rdf_finish(KgRdf *rdf);

/* ---- writing; results are in the graph's arena ---- */

extern const char *kg_rdf_entity(const KgGraph *graph, const char *type,
								 const char *id);
extern const char *kg_rdf_class(const KgGraph *graph, const char *type);
extern const char *kg_rdf_name(const KgGraph *graph, const char *name);

/*
 * Returns the IRI of an entity, given as a handle "type:id" or
 * "bundle/type:id".
 */
extern const char *kg_rdf_handle(const KgGraph *graph, const char *handle);

/*
 * Calls triple for each triple of the graph. Triples of one subject follow each
 * other.
 */
typedef void (*KgTripleFn)(void *arg, const KgTerm *subject,
						   const char *predicate, const KgTerm *object);

extern void kg_rdf_write(const KgGraph *graph, KgTripleFn triple, void *arg);

/*
 * Returns the RDF literal of a value. schema is the schema of the property, or
 * NULL.
 */
extern KgTerm kg_rdf_literal(const KgGraph *graph, const KgJson *schema,
							 const KgJson *value);

#endif /* KG_KGCTL_RDF_H */
