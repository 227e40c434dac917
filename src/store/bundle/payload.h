/*
 * payload.h
 *	  A bundle as it was sent: read into structs, every fault gathered.
 */
#ifndef KG_PAYLOAD_H
#define KG_PAYLOAD_H

#include "base/error.h"
#include "model/catalog.h"

typedef struct KgPayloadType
{
	const char *name;
	Jsonb *schema;
	char *hash;			  /* filled by kg_bundle_definitions */
	const KgType *parsed; /* NULL: its schema is at fault */
	const KgType *stored; /* the type as it is now, or NULL */
	int position;		  /* -1: as it is */
	char *path;			  /* of the schema */
} KgPayloadType;

typedef struct KgPayloadRelation
{
	const char *name;
	const char *from;
	const char *to; /* type, or bundle/type */
	Jsonb *schema;
	const char *inverse;
	bool symmetric;
	const char *key; /* or NULL */
	bool history;
	const char *description; /* or NULL */
	int expose;				 /* KG_EXPOSE_* */
	char *path;
} KgPayloadRelation;

/* Points into the payload. */
typedef struct KgPayloadItem
{
	const char *id; /* NULL: at fault */
	JsonbContainer *container;
	int len;
	int set;	/* index in "entities" */
	int index;	/* index in its "items" */
	int64 node; /* of the stored entity; 0: none */
	bool same;	/* as stored */
	bool ahead; /* stored since they were compared, by a trigger */
	bool kept;	/* still there, with its references (kg_bundle_check_kept) */
} KgPayloadItem;

/* By id (store/bundle/payload_ids.h). */
typedef struct KgItemTable KgItemTable;

typedef struct KgPayloadSet
{
	const char *type_name;
	KgItemTable *ids;
	const KgType *type; /* of the payload or stored; NULL: at fault */
	int nitems;
	KgPayloadItem *items;
} KgPayloadSet;

/* Copies and numbers of what is read, of which there may be many. */
typedef struct KgPayloadEdge
{
	const char *relation;
	const char *from; /* handles */
	const char *to;
	const void *properties; /* where the bundle has them, or NULL */
	uint32 len;				/* of the properties */
	int index;
} KgPayloadEdge;

typedef struct KgPayloadEdges
{
	bool text; /* properties are JSON text, else containers */
	int n;
	int allocated;
	KgPayloadEdge *list;
	MemoryContext context;
	char *room; /* for strings */
	Size left;
} KgPayloadEdges;

/* Items of one type that were taken out of a bundle's text. */
typedef struct KgItemList
{
	int n;
	int allocated;
	Jsonb **items;
} KgItemList;

/*
 * A bundle as it comes: jsonb, or a text that was taken apart (payload_text.c).
 * A text's entities and edges are not in root, which has empty arrays there.
 */
typedef struct KgDocument
{
	const Jsonb *root;
	bool split;
	int nsets;
	int allocated_sets;
	KgItemList *sets; /* "items" of each of "entities" */
	KgPayloadEdges edges;
	KgErrorList edge_errors;
} KgDocument;

typedef struct KgPayload
{
	const char *name;		/* NULL: none that a bundle may have */
	const char *given_name; /* as it was sent; NULL: it is no string */
	const char *version;
	const char *description;
	const char *instructions;
	Jsonb *definitions; /* {uri: schema}, or NULL */
	Jsonb *tools;		/* array of definitions of registered tools, or NULL */
	bool has_schemas;
	bool has_relations;
	bool has_entities;
	bool has_edges;
	int ntypes;
	KgPayloadType *types;
	int nrelations;
	KgPayloadRelation *relations;
	int nsets;
	KgPayloadSet *sets;
	KgPayloadEdges edges;
} KgPayload;

/*
 * Read a bundle.  What it says of names and shapes is checked here; types,
 * entities and references by bundle_check.h.
 */
extern KgPayload *kg_payload_read(const KgDocument *document,
								  KgErrorList *errors);

/*
 * JSON text, which has to stay where it is as long as the payload is used.
 * Raises what is wrong with it as jsonb_in() does.
 */
extern KgDocument *kg_document_of_text(const char *text, int len,
									   int max_errors);

/* Add an edge, or report why it cannot be read; properties are text or not. */
extern void kg_payload_add_edge(KgPayloadEdges *edges, const JsonbValue *value,
								int index, const char *properties, int len,
								KgErrorList *errors);

/* How many entities it has. */
extern int64 kg_payload_nitems(const KgPayload *payload);

/* The type of that name, or NULL. */
extern KgPayloadType *kg_payload_type(const KgPayload *payload,
									  const char *name);

/* The data of an item as a datum of its own. */
extern Jsonb *kg_payload_data(const KgPayloadItem *item);

/* The properties of an edge as a datum, or NULL. */
extern Jsonb *kg_payload_properties(const KgPayloadEdges *edges,
									const KgPayloadEdge *edge);

extern bool kg_valid_type_name(const char *name);

/* Hex digest of a document's canonical form. */
extern char *kg_json_hash(const Jsonb *jsonb);

#endif /* KG_PAYLOAD_H */
