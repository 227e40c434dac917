/*
 * past_state.h
 *	  The changes since the time of a call with as_of: past.c reads them,
 *	  and past_table.c uses them in statements.
 */
#ifndef KG_PAST_STATE_H
#define KG_PAST_STATE_H

#include "model/catalog.h"
#include "query/graph/nodeset.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"

/* An edge, by its identity, and its first change since the time of as_of. */
typedef struct EdgeThen
{
	struct
	{
		int64 source;
		int64 target;
		int32 relation_no;
		const char *key;
	} id; /* hash key */
	int64 change;
	int64 n; /* number of changes of the edge */
	bool was;
	Jsonb *properties; /* or NULL */
} EdgeThen;

/* An entity, by type and id, and its changes since the time of as_of. */
typedef struct EntityThen
{
	struct
	{
		int32 type_no;
		const char *id;
	} id; /* hash key */
	int64 first;
	int64 first_version;
	int64 last;
	int64 last_version;
	/*
	 * the entity's node at the time, if its first change has an image before
	 * the change
	 */
	int64 node;
	bool is; /* exists now */
	/* the caller sees the present or last state of the entity */
	bool seen;
	/* data of the entity at the time, as the caller sees it; NULL: no data */
	Jsonb *data;
	bytea *keys; /* index_keys of that data; NULL: not extracted yet */
} EntityThen;

struct KgPast
{
	const KgCatalog *catalog;
	const char *as_of;
	TimestampTz time;
	bool whole; /* the caller sees every change */
	KgNodeSet changed;
	/* by index in changed; NULL: not computed yet */
	EntityThen **was;
	HTAB *entities;
	/* all entities, in the order of their changes */
	EntityThen **all;
	int nall;
	int room;
	HTAB *edges;
	MemoryContext context;
};

typedef struct KgPast KgPast;

/* Returns the state of the running call; NULL if it has no as_of. */
extern KgPast *kg_past_of_call(void);

#endif /* KG_PAST_STATE_H */
