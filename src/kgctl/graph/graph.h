/*
 * graph.h
 *	  Graphs of a bundle in the formats of other programs. A reader of a
 *	  format adds records, each an entity or an edge; a writer visits them.
 *	  A graph is in memory as a whole, and is loaded in one transaction.
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
	 * bundle_name, version, schemas and relations; a graph to write also has
	 * entities and edges.
	 */
	const KgJson *bundle;
	const char *base;	  /* before the names in IRIs */
	const char *type;	  /* --type, or NULL */
	const char *relation; /* --relation, or NULL */

	/* Records that were read, in the form of a bundle. */
	const char *path; /* of the file that is read */
	KgJson *entities;
	KgJson *edges;
	size_t errors;
} KgGraph;

typedef struct KgGraphFormat
{
	const char *name;
	const char *suffix; /* of a file's name */
	/* Adds the records of a file. Returns false after a message. */
	bool (*read)(KgGraph *graph, KgctlInput *in);
	/* Appends the graph. Returns false after a message. */
	bool (*write)(const KgGraph *graph, KgBuf *out);
} KgGraphFormat;

extern const KgGraphFormat kg_format_ndjson;
extern const KgGraphFormat kg_format_csv;
extern const KgGraphFormat kg_format_graphml;
extern const KgGraphFormat kg_format_turtle;
extern const KgGraphFormat kg_format_ntriples;
extern const KgGraphFormat kg_format_jsonld;
extern const KgGraphFormat kg_format_cypher;

/* Return the schema of a type or a property, or NULL. */
extern const KgJson *kg_graph_schema(const KgGraph *graph, const char *type);
extern const KgJson *kg_graph_property(const KgGraph *graph,
									   const KgJson *schema, const char *name);

/* Returns the declared relation of a name, or NULL. */
extern const KgJson *kg_graph_relation(const KgGraph *graph, const char *name);

/* Returns the type to which a property refers by id, or NULL. */
extern const char *kg_graph_target(const KgGraph *graph, const KgJson *schema,
								   const char *property);

/* Returns whether a value can be an id: a string, or an integer. */
extern bool kg_graph_is_id(const KgJson *value);

/*
 * Returns the type to which a property refers by id, if the value can be
 * written as edges: it is an id, or ids that differ in an array that the schema
 * requires. Otherwise returns NULL.
 */
extern const char *kg_graph_links(const KgGraph *graph, const KgJson *schema,
								  const char *property, const KgJson *value);

/*
 * Returns whether an array can be written as one value for each item, and read
 * again as an array: the schema requires an array, and the items are texts,
 * numbers or booleans that differ.
 */
extern bool kg_graph_is_set(const KgGraph *graph, const KgJson *schema,
							const char *property, const KgJson *value);

/* ---- reading ---- */

/* Add a record. The values belong to the graph's arena. */
extern void kg_graph_entity(KgGraph *graph, const char *type, KgJson *item);
extern void kg_graph_edge(KgGraph *graph, KgJson *edge);

/* Reports an error in the file; line 0 is unknown. Returns false. */
extern bool kg_graph_complain(KgGraph *graph, unsigned long line,
							  const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns the name that --map gives to a name of the file; "": left out. */
extern const char *kg_graph_map(const KgGraph *graph, const char *name);

/* Reads the rest of the input, without a byte order mark. */
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
 * Visits the entities, then the edges, of --type and --relation if given. A
 * function that is NULL is not called.
 */
extern void kg_graph_visit(const KgGraph *graph, const KgGraphVisitor *visitor);

/* Returns whether each file of this format has one type or relation. */
extern bool kg_format_is_split(const KgGraphFormat *format);

/* Export and load with --format and --bundle. Return the exit code. */
extern int kg_export_graph(const KgArgs *args);
extern int kg_load_graph(const KgArgs *args);

#endif /* KG_KGCTL_GRAPH_H */
