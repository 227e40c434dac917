/*
 * payload.h
 *	  The payload is a bundle as the caller sent it, read into structs. All its
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
	char *hash;			  /* hash of the type; set by kg_bundle_definitions() */
	const KgType *parsed; /* the parsed type; NULL: its schema is invalid */
	const KgType *stored; /* the type as it is stored, or NULL */
	int position; /* new position among the bundle's types; -1: unchanged */
	char *path;	  /* JSON Pointer of the schema */
} KgPayloadType;

typedef struct KgPayloadRelation
{
	const char *name;
	const char *from;
	const char *to; /* target type: "type" or "bundle/type" */
	Jsonb *schema;
	const char *inverse;
	bool symmetric;
	const char *key; /* or NULL */
	bool history;
	const char *description; /* or NULL */
	int expose;				 /* KG_EXPOSE_* */
	char *path;
} KgPayloadRelation;

/* An entity of the payload. Its members point into the payload. */
typedef struct KgPayloadItem
{
	const char *id; /* NULL: the item has no valid id */
	JsonbContainer *container;
	int len;
	int set;	/* index of the member of "entities" */
	int index;	/* index in the "items" of that member */
	int64 node; /* node of the stored entity, or 0 if it is not stored */
	bool same;	/* the item equals the stored entity */
	bool ahead; /* a trigger wrote the entity after it was compared */
	/* the entity is stored, with its references (kg_bundle_check_kept) */
	bool kept;
} KgPayloadItem;

/* A table that finds items by their ids (store/bundle/payload_ids.h). */
typedef struct KgItemTable KgItemTable;

typedef struct KgPayloadSet
{
	const char *type_name;
	KgItemTable *ids;
	/* type in the payload or in the catalog; NULL: invalid */
	const KgType *type;
	int nitems;
	KgPayloadItem *items;
} KgPayloadSet;

/* An edge of the payload. There may be many, so the struct is small. */
typedef struct KgPayloadEdge
{
	const char *relation;
	/* handle of the source; "to" is the handle of the target */
	const char *from;
	const char *to;
	/* Pointer to the properties in the bundle, or NULL. */
	const void *properties;
	uint32 len; /* length of the properties, in bytes */
	int index;
} KgPayloadEdge;

typedef struct KgPayloadEdges
{
	/* properties are JSON text; false: they are jsonb containers */
	bool text;
	int n;
	int allocated;
	KgPayloadEdge *list;
	MemoryContext context;
	char *room; /* memory for strings; "left" is its unused size in bytes */
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
 * A bundle as the caller sent it: jsonb, or text that payload_text.c has
 * split. If the text was split, the entities and edges are not in root. root
 * then has empty arrays instead of them.
 */
typedef struct KgDocument
{
	const Jsonb *root;
	bool split;
	int nsets;
	int allocated_sets;
	KgItemList *sets; /* the "items" of each member of "entities", in order */
	KgPayloadEdges edges;
	KgErrorList edge_errors;
} KgDocument;

typedef struct KgPayload
{
	const char *name; /* NULL: the name is missing or invalid */
	/* The name as the caller sent it; NULL: not a string. */
	const char *given_name;
	const char *version;
	const char *description;
	const char *instructions;
	Jsonb *definitions; /* shared definitions {uri: schema}, or NULL */
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
 * Returns the payload of a bundle. Adds faults of names and shapes to errors.
 * kg_bundle_check() checks types, entities and references.
 */
extern KgPayload *kg_payload_read(const KgDocument *document,
								  KgErrorList *errors);

/*
 * Returns a document that was parsed from JSON text. The text must stay at its
 * address as long as the payload is used. Raises the errors of jsonb_in().
 */
extern KgDocument *kg_document_of_text(const char *text, int len,
									   int max_errors);

/*
 * Adds an edge, or reports the reason why it is invalid. properties is JSON
 * text of len bytes. If it is NULL, the edge's properties are in value.
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
