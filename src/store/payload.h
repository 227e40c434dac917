/*
 * payload.h
 *	  A bundle as it was sent: read into structs, every fault gathered.
 */
#ifndef KG_PAYLOAD_H
#define KG_PAYLOAD_H

#include "base/error.h"
#include "catalog/catalog.h"

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
	const char *description; /* or NULL */
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
	bool kept;	/* still there, with its references (kg_bundle_check_kept) */
} KgPayloadItem;

typedef struct KgPayloadSet
{
	const char *type_name;
	const KgType *type; /* of the payload or stored; NULL: at fault */
	int nitems;
	KgPayloadItem *items;
} KgPayloadSet;

/* An edge, where it is in the payload: there may be many. */
typedef struct KgPayloadEdgeItem
{
	const JsonbContainer *container;
	int index;
} KgPayloadEdgeItem;

typedef struct KgPayloadEdge
{
	const char *relation;
	const char *from; /* handles */
	const char *to;
	int index;
} KgPayloadEdge;

typedef struct KgPayload
{
	const char *name;
	const char *version;
	const char *description;
	const char *instructions;
	Jsonb *definitions; /* {uri: schema}, or NULL */
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
	int nedges;
	KgPayloadEdgeItem *edges;
} KgPayload;

/*
 * Read a bundle.  What it says of names and shapes is checked here; types,
 * entities and references by bundle_check.h.
 */
extern KgPayload *kg_payload_read(const Jsonb *bundle, KgErrorList *errors);

/* The type of that name, or NULL. */
extern KgPayloadType *kg_payload_type(const KgPayload *payload,
									  const char *name);

/* The data of an item as a datum of its own. */
extern Jsonb *kg_payload_data(const KgPayloadItem *item);

/* What an edge says, copied, without its properties. */
extern KgPayloadEdge kg_payload_edge(const KgPayloadEdgeItem *item);

/* Its properties, copied, or NULL. */
extern Jsonb *kg_payload_edge_properties(const KgPayloadEdgeItem *item);

/*
 * Report the members of an object that are not among the known ones, which end
 * with NULL.
 */
extern void kg_check_members(const JsonbContainer *object,
							 const char *const *known, const char *path,
							 KgErrorList *errors);

extern bool kg_valid_bundle_name(const char *name);
extern bool kg_valid_type_name(const char *name);

/* Hex digest of a document's canonical form. */
extern char *kg_json_hash(const Jsonb *jsonb);

#endif /* KG_PAYLOAD_H */
