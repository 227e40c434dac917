/*
 * graph.h
 *	  Graphs of a bundle in the formats of other programs. A record is an
 *	  entity or an edge. A reader of a format adds records to the graph; a
 *	  writer visits them. The whole graph is in memory and is loaded in one
 *	  transaction.
 */
#ifndef KG_KGCTL_GRAPH_H
#define KG_KGCTL_GRAPH_H

#include "kgctl/args.h"
#include "kgctl/input.h"
#include "kgctl/json.h"

typedef struct KgGraph
{
	KgArena *arena;
	const KgArgs *args;
	/*
	 * A bundle with bundle_name, version, schemas and relations. If the graph
	 * is written, the bundle also has entities and edges.
	 */
	const KgJson *bundle;
	const char *base;	  /* prefix of the names in IRIs */
	const char *type;	  /* type of --type, or NULL */
	const char *relation; /* relation of --relation, or NULL */

	/* Records that were read, as items of a bundle. */
	const char *path; /* path of the file that is read */
	KgJson *entities;
	KgJson *edges;
	size_t errors;
} KgGraph;

typedef struct KgGraphFormat
{
	const char *name;
	const char *suffix; /* suffix of a file's name */
	/*
	 * Adds the records of a file to the graph. On failure, prints an error and
	 * returns false.
	 */
	bool (*read)(KgGraph *graph, KgctlInput *in);
	/*
	 * Appends the graph's text to out. On failure, prints an error and returns
	 * false.
	 */
	bool (*write)(const KgGraph *graph, KgBuf *out);
} KgGraphFormat;

extern const KgGraphFormat kg_format_ndjson;
extern const KgGraphFormat kg_format_csv;
extern const KgGraphFormat kg_format_graphml;
extern const KgGraphFormat kg_format_turtle;
extern const KgGraphFormat kg_format_ntriples;
extern const KgGraphFormat kg_format_jsonld;
extern const KgGraphFormat kg_format_cypher;

/*
 * kg_graph_schema() returns the schema of a type, and kg_graph_property() that
 * of a property. Both return NULL if it is not declared.
 */
extern const KgJson *kg_graph_schema(const KgGraph *graph, const char *type);
extern const KgJson *kg_graph_property(const KgGraph *graph,
									   const KgJson *schema, const char *name);

/* Returns the relation that the bundle declares by this name, or NULL. */
extern const KgJson *kg_graph_relation(const KgGraph *graph, const char *name);

/*
 * Returns the type whose ids a property contains, or NULL if the property is
 * not a reference.
 */
extern const char *kg_graph_target(const KgGraph *graph, const KgJson *schema,
								   const char *property);

/*
 * Returns the type to which a property refers by id, if its value can be
 * written as edges. Such a value is an id, or an array of different ids if the
 * schema requires an array. Otherwise returns NULL.
 */
extern const char *kg_graph_links(const KgGraph *graph, const KgJson *schema,
								  const char *property, const KgJson *value);

/*
 * Returns whether an array can be written as separate values and be read again
 * as an array. The schema must require an array, and the items must be
 * different texts, numbers or booleans.
 */
extern bool kg_graph_is_set(const KgGraph *graph, const KgJson *schema,
							const char *property, const KgJson *value);

/* ---- reading ---- */

/*
 * Add an entity or an edge to the graph. The values must be in the graph's
 * arena.
 */
extern void kg_graph_entity(KgGraph *graph, const char *type, KgJson *item);
extern void kg_graph_edge(KgGraph *graph, KgJson *edge);

/*
 * Prints an error in the file, unless the maximum number of errors was printed.
 * Line 0 means that the line is unknown. Returns false.
 */
extern bool kg_graph_complain(KgGraph *graph, unsigned long line,
							  const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Returns the new name that an option --map gives to a name in the file, or the
 * name itself if there is no such option. "" means that the property is left
 * out.
 */
extern const char *kg_graph_map(const KgGraph *graph, const char *name);

/*
 * Appends the rest of the input to out, without a byte order mark. On failure,
 * prints an error and returns false.
 */
extern bool kg_graph_slurp(KgGraph *graph, KgctlInput *in, KgBuf *out);

/* ---- writing ---- */

typedef struct KgGraphVisitor
{
	void *arg;
	void (*entity)(void *arg, const char *type, const char *id,
				   const KgJson *item);
	void (*edge)(void *arg, const KgJson *edge);
} KgGraphVisitor;

/*
 * Visits the entities, then the edges. --type and --relation restrict them. A
 * function of the visitor that is NULL is not called.
 */
extern void kg_graph_visit(const KgGraph *graph, const KgGraphVisitor *visitor);

/*
 * Returns whether a file of this format has the records of only one type or
 * relation.
 */
extern bool kg_format_is_split(const KgGraphFormat *format);

/*
 * Run kgctl export with --format, and kgctl load with --bundle. Return the exit
 * code.
 */
extern int kg_export_graph(const KgArgs *args);
extern int kg_load_graph(const KgArgs *args);

#endif /* KG_KGCTL_GRAPH_H */
