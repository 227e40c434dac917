/*
 * payload.h
 *	  The payload: a bundle as it was sent, read into structs. All its
 *	  faults are collected.
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
	const KgType *parsed; /* NULL: its schema is invalid */
	const KgType *stored; /* the type as it is now, or NULL */
	int position;		  /* -1: unchanged */
	char *path;			  /* JSON Pointer of the schema */
} KgPayloadType;

typedef struct KgPayloadRelation
{
	const char *name;
	const char *from;
	const char *to; /* "type" or "bundle/type" */
	Jsonb *schema;
	const char *inverse;
	bool symmetric;
	const char *key; /* or NULL */
	bool history;
	const char *description; /* or NULL */
	int expose;				 /* KG_EXPOSE_* */
	char *path;
} KgPayloadRelation;

/* An entity of the payload. Points into the payload. */
typedef struct KgPayloadItem
{
	const char *id; /* NULL: invalid */
	JsonbContainer *container;
	int len;
	int set;	  /* index in "entities" */
	int index;	  /* index in its "items" */
	int64 node;	  /* node of the stored entity; 0: the entity is not stored */
	int64 number; /* drawn for the node of a new entity; 0: not drawn */
	bool same;	  /* equal to the stored entity */
	bool ahead;	  /* written by a trigger after the comparison */
	bool kept;	  /* still stored, with its references (kg_bundle_check_kept) */
} KgPayloadItem;

/* Items by their ids (store/bundle/payload_ids.h). */
typedef struct KgItemTable KgItemTable;

typedef struct KgPayloadSet
{
	const char *type_name;
	KgItemTable *ids;
	const KgType *type; /* type of the payload, or stored; NULL: invalid */
	int nitems;
	KgPayloadItem *items;
} KgPayloadSet;

/* An edge of the payload. There may be many, so the struct is small. */
typedef struct KgPayloadEdge
{
	const char *relation;
	const char *from; /* a handle, as to is */
	const char *to;
	/* pointer to the properties in the bundle, or NULL */
	const void *properties;
	uint32 len; /* length of the properties, in bytes */
	int index;
} KgPayloadEdge;

typedef struct KgPayloadEdges
{
	bool text; /* properties are JSON text; otherwise containers */
	int n;
	int allocated;
	KgPayloadEdge *list;
	MemoryContext context;
	char *room; /* memory for strings; "left" is its free size in bytes */
	Size left;
} KgPayloadEdges;

/* Items of one type that were parsed out of the text of a bundle. */
typedef struct KgItemList
{
	int n;
	int allocated;
	Jsonb **items;
} KgItemList;

/*
 * A bundle as the caller sent it: jsonb, or text split by payload_text.c. If
 * split, its entities and edges are not in root, which has empty arrays in
 * their place.
 */
typedef struct KgDocument
{
	const Jsonb *root;
	bool split;
	int nsets;
	int allocated_sets;
	KgItemList *sets; /* the "items" of each member of "entities" */
	KgPayloadEdges edges;
	KgErrorList edge_errors;
} KgDocument;

typedef struct KgPayload
{
	const char *name; /* NULL: missing or invalid */
	/* the name as it was sent; NULL: the sent name is not a string */
	const char *given_name;
	const char *version;
	const char *description;
	const char *instructions;
	Jsonb *definitions; /* {uri: schema}, or NULL */
	Jsonb *tools;		/* definitions of registered tools, an array, or NULL */
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
 * Reads a bundle, and checks names and shapes. kg_bundle_check() checks types,
 * entities and references.
 */
extern KgPayload *kg_payload_read(const KgDocument *document,
								  KgErrorList *errors);

/*
 * Parses JSON text, which must stay at its address as long as the payload is
 * used. Raises the errors of jsonb_in().
 */
extern KgDocument *kg_document_of_text(const char *text, int len,
									   int max_errors);

/*
 * Adds an edge, or reports why it is invalid. properties is JSON text of len
 * bytes, or NULL if value contains them.
 */
extern void kg_payload_add_edge(KgPayloadEdges *edges, const JsonbValue *value,
								int index, const char *properties, int len,
								KgErrorList *errors);

/* Returns the number of entities. */
extern int64 kg_payload_nitems(const KgPayload *payload);

/* Returns the type of that name, or NULL. */
extern KgPayloadType *kg_payload_type(const KgPayload *payload,
									  const char *name);

/* Returns the data of an item as a separate datum. */
extern Jsonb *kg_payload_data(const KgPayloadItem *item);

/* Returns the properties of an edge as a datum, or NULL. */
extern Jsonb *kg_payload_properties(const KgPayloadEdges *edges,
									const KgPayloadEdge *edge);

extern bool kg_valid_type_name(const char *name);

/* Returns the hex digest of a document's canonical form. */
extern char *kg_json_hash(const Jsonb *jsonb);

#endif /* KG_PAYLOAD_H */
