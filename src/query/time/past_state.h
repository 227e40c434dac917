/*
 * past_state.h
 *	  The changes since a time that a call asks about: what past.c reads and
 *	  past_table.c names in statements.
 */
#ifndef KG_PAST_STATE_H
#define KG_PAST_STATE_H

#include "model/catalog.h"
#include "query/graph/nodeset.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"

/* An edge, by its identity, and the first change of it since. */
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
	int64 n; /* of changes */
	bool was;
	Jsonb *properties; /* or NULL */
} EdgeThen;

/* An entity, by type and id, and its changes since. */
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
	int64 node;	 /* that it was, where the first found something */
	bool is;	 /* it is there now */
	bool seen;	 /* what it is now, or was last */
	Jsonb *data; /* what it was, for the caller; NULL: nothing */
	bytea *keys; /* its index_keys; NULL: not extracted yet */
} EntityThen;

struct KgPast
{
	const KgCatalog *catalog;
	const char *as_of;
	TimestampTz time;
	bool whole; /* every change is seen */
	KgNodeSet changed;
	EntityThen **was; /* by the places in it; NULL: not asked yet */
	HTAB *entities;
	EntityThen **all; /* of them, in the order of their changes */
	int nall;
	int room;
	HTAB *edges;
	MemoryContext context;
};

typedef struct KgPast KgPast;

/* Returns the state of the call that runs; NULL if it asks about the present. */
extern KgPast *kg_past_of_call(void);

#endif /* KG_PAST_STATE_H */
