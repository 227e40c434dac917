/*
 * key_counts.c
 *	  Counts entities by their keys of some x-index properties.
 *
 * For a single property the rows of kg_index_key are counted, if these rows
 * suffice. For several properties, the packed keys of each entity are read,
 * with its counts of edges. For references of many nodes, packed edges are read
 * instead, because a block of them has the edges of several nodes. An open hash
 * table finds equal combinations by their bytes. It may be larger than the
 * processor's caches, so a slot has the hash, which rules out most other keys.
 * Groups are listed in the order in which they were found.
 */
#include "postgres.h"

#include "base/settings.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "query/graph/frontier.h"
#include "query/graph/nodes.h"
#include "query/graph/ref_path.h"
#include "query/list/key_counts.h"
#include "query/time/past.h"
#include "query/time/validity.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * A group of entities with equal keys. The keys are packed one after another.
 */
typedef struct Same
{
	struct Same *next; /* in the order in which groups were found */
	int64 entities;
	bytea keys;
} Same;

typedef struct Slot
{
	Same *same; /* NULL: the slot is free */
	uint32 hash;
} Slot;

/* The counts of edges of a field, as keys by node. */
typedef struct Counted
{
	const KgField *field;
	KgGraph *graph;
	KgNodeSet nodes;
	bytea **keys; /* counts as keys, by index in nodes */
	uint32 room;
} Counted;

/* The targets of references of nodes. */
typedef struct Referred
{
	MemoryContext context; /* memory context of the search */
	const KgField *const *fields;
	int nfields;
	KgNodeSet nodes;
	/* by index in nodes, then by field: the target, or 0 */
	int64 *targets;
	uint32 npacked; /* number of nodes whose edges are packed */
	/* the distinct targets, and the keys of their ids by index; or NULL */
	KgNodeSet ends;
	bytea **keys;
} Referred;

typedef struct Counting
{
	KgGraph *graph;
	MemoryContext context;
	const KgNodeSet *only; /* nodes to count; NULL: all that are read */
	int nfields;
	/* indexed by field number; whether the field is grouped by */
	bool *wanted;
	int nwanted; /* length of wanted */
	/*
	 * Fields whose values are counts of edges. Their keys are not stored in
	 * the packed keys of an entity.
	 */
	int ncounted;
	struct Counted *counted; /* an array of ncounted */
	Slot *slots;
	uint32 nslots;
	uint32 n;
	Same *first;
	Same *last;
	StringInfoData keys; /* keys of the current entity or row */
	int64 entities;
	/* if set, groups have the targets of references in place of keys */
	const Referred *referred;
	KgKeyCountFunction found;
	void *arg;
	KgPackedKey *told; /* buffer for the keys passed to found() */
	int room;
	/*
	 * For a single field: its number, and the number of consecutive rows with
	 * the current key.
	 */
	int32 field_no;
	int64 rows;
} Counting;

/* Returns the slot of the group with these keys, or the free slot for it. */
static Slot *
find_slot(const Counting *c, uint32 hash, const char *keys, int len)
{
	uint32 mask = c->nslots - 1;
	uint32 i = hash & mask;

	for (; c->slots[i].same != NULL; i = (i + 1) & mask)
	{
		const bytea *same = &c->slots[i].same->keys;

		if (c->slots[i].hash == hash && VARSIZE(same) == VARHDRSZ + len &&
			memcmp(VARDATA(same), keys, len) == 0)
			break;
	}
	return &c->slots[i];
}

static void
grow(Counting *c)
{
	Slot *old = c->slots;
	uint32 n = c->nslots;

	c->nslots = n == 0 ? 1024 : n * 2;
	c->slots = MemoryContextAllocExtended(c->graph->context,
										  (Size) c->nslots * sizeof(Slot),
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < n; i++)
	{
		uint32 slot = old[i].hash & (c->nslots - 1);

		if (old[i].same == NULL)
			continue;
		while (c->slots[slot].same != NULL)
			slot = (slot + 1) & (c->nslots - 1);
		c->slots[slot] = old[i];
	}
	if (old != NULL)
		pfree(old);
}

static Same *
add_same(Counting *c)
{
	Same *same = MemoryContextAlloc(
		c->context, offsetof(Same, keys) + VARHDRSZ + c->keys.len);

	same->next = NULL;
	same->entities = 0;
	SET_VARSIZE(&same->keys, VARHDRSZ + c->keys.len);
	memcpy(VARDATA(&same->keys), c->keys.data, c->keys.len);
	if (c->last == NULL)
		c->first = same;
	else
		c->last->next = same;
	c->last = same;
	if ((++c->n & 1023) == 0)
		kg_graph_check_memory(c->graph);
	return same;
}

static void
count_keys(Counting *c)
{
	uint32 hash = hash_bytes((const unsigned char *) c->keys.data, c->keys.len);
	Slot *slot;

	if (c->n * 2 >= c->nslots)
		grow(c);
	slot = find_slot(c, hash, c->keys.data, c->keys.len);
	if (slot->same == NULL)
	{
		slot->same = add_same(c);
		slot->hash = hash;
	}
	slot->same->entities++;
	c->entities++;
}

/* Stores a node's count of edges, from a row (node, key). */
static bool
receive_counted(TupleTableSlot *slot, void *arg)
{
	Counted *counted = arg;
	MemoryContext old = MemoryContextSwitchTo(counted->graph->context);
	bool isnull;
	uint32 place = kg_nodeset_add(
		&counted->nodes, DatumGetInt64(slot_getattr(slot, 1, &isnull)));
	Datum key = slot_getattr(slot, 2, &isnull);

	if (place >= counted->room)
	{
		counted->room = counted->room == 0 ? 1024 : counted->room * 2;
		counted->keys = counted->keys == NULL
							? palloc(counted->room * sizeof(bytea *))
							: repalloc_huge(counted->keys,
											counted->room * sizeof(bytea *));
		kg_graph_check_memory(counted->graph);
	}
	counted->keys[place] = DatumGetByteaPCopy(key);
	MemoryContextSwitchTo(old);
	return true;
}

/*
 * Appends the node's counts of edges to the current keys. Their field numbers
 * are the highest, so the order of packed keys is preserved.
 */
static void
append_counted(Counting *c, int64 node)
{
	for (int i = 0; i < c->ncounted; i++)
	{
		const Counted *counted = &c->counted[i];
		uint32 place = kg_nodeset_find(&counted->nodes, node);
		KgKeyItem item = {counted->field->field_no};
		bytea *packed;

		if (place == KG_NO_NODE)
			continue;
		item.key = counted->keys[place];
		packed = kg_keys_pack(&item, 1);
		appendBinaryStringInfo(
			&c->keys, VARDATA(packed), VARSIZE(packed) - VARHDRSZ);
		pfree(packed);
	}
}

/* Counts an entity by its keys, from a row (node, index_keys). */
static bool
receive_entity(TupleTableSlot *slot, void *arg)
{
	Counting *c = arg;
	Datum packed = kg_slot_datum(slot, 2);
	bytea *keys;
	KgKeysIter it;

	if (c->only != NULL &&
		!kg_nodeset_has(c->only, DatumGetInt64(kg_slot_datum(slot, 1))))
		return true;
	keys = DatumGetByteaPP(packed);
	resetStringInfo(&c->keys);
	kg_keys_iter_init(&it, keys);
	for (const unsigned char *from = it.p; kg_keys_next(&it); from = it.p)
		if (it.key.field_no < c->nwanted && c->wanted[it.key.field_no])
			appendBinaryStringInfo(&c->keys, (const char *) from, it.p - from);
	append_counted(c, DatumGetInt64(kg_slot_datum(slot, 1)));
	count_keys(c);
	if ((Pointer) keys != DatumGetPointer(packed))
		pfree(keys);
	return true;
}

static void
tell_key(Counting *c)
{
	KgPackedKey key = {.field_no = c->field_no,
					   .data = (const unsigned char *) c->keys.data,
					   .len = c->keys.len};

	if (c->rows > 0)
		c->found(&key, 1, c->rows, c->arg);
	c->entities += c->rows;
	c->rows = 0;
}

/*
 * Counts a row (key). Rows mostly come in key order, so comparing with the
 * previous row costs less than a grouping in the executor.
 */
static bool
receive_key(TupleTableSlot *slot, void *arg)
{
	Counting *c = arg;
	Datum value = kg_slot_datum(slot, 1);
	bytea *key = DatumGetByteaPP(value);
	int len = VARSIZE_ANY_EXHDR(key);

	if (c->rows == 0 || len != c->keys.len ||
		memcmp(VARDATA_ANY(key), c->keys.data, len) != 0)
	{
		tell_key(c);
		resetStringInfo(&c->keys);
		appendBinaryStringInfo(&c->keys, VARDATA_ANY(key), len);
	}
	c->rows++;
	if ((Pointer) key != DatumGetPointer(value))
		pfree(key);
	return true;
}

static void
count_one(Counting *c, const KgType *type, const KgField *field)
{
	static const Oid types[] = {TEXTOID, INT4OID, INT4OID};
	Datum values[] = {
		0, Int32GetDatum(type->type_no), Int32GetDatum(field->field_no)};

	c->field_no = field->field_no;
	kg_graph_run(c->graph, KG_SQL_KEYS, 3, types, values, receive_key, c);
	tell_key(c);
}

static void
count_type(Counting *c, const KgType *type)
{
	static const Oid types[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {
		0, CStringGetTextDatum(type->bundle), CStringGetTextDatum(type->name)};

	kg_graph_run(
		c->graph, KG_SQL_TYPE_KEYS, 3, types, values, receive_entity, c);
}

/*
 * Reads the stored counts of edges of n nodes, or of all nodes of the type if
 * nodes is NULL.
 */
static void
read_counted(Counting *c, const KgType *type, const int64 *nodes, uint32 n)
{
	static const Oid of_type[] = {TEXTOID, INT4OID, INT4OID};
	static const Oid of_nodes[] = {TEXTOID, INT8ARRAYOID, INT4OID};

	for (int i = 0; i < c->ncounted; i++)
	{
		Datum values[] = {0,
						  Int32GetDatum(type->type_no),
						  Int32GetDatum(c->counted[i].field->field_no)};

		kg_nodeset_init(&c->counted[i].nodes, c->graph->context);
		if (nodes == NULL)
			kg_graph_run(c->graph,
						 KG_SQL_COUNTS,
						 3,
						 of_type,
						 values,
						 receive_counted,
						 &c->counted[i]);
		for (uint32 start = 0; nodes != NULL && start < n; start += KG_PIECE)
		{
			CHECK_FOR_INTERRUPTS();
			values[1] = kg_int64_array(nodes + start, Min(n - start, KG_PIECE));
			kg_graph_run(c->graph,
						 KG_SQL_NODE_COUNTS,
						 3,
						 of_nodes,
						 values,
						 receive_counted,
						 &c->counted[i]);
			pfree(DatumGetPointer(values[1]));
		}
	}
}

static void
count_nodes(Counting *c, const int64 *nodes, uint32 n)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID};
	KgNodeSet only;
	bool read = false;

	if (c->graph->in_ranges)
	{
		kg_nodeset_init(&only, c->graph->context);
		for (uint32 i = 0; i < n; i++)
			(void) kg_nodeset_add(&only, nodes[i]);
		c->only = &only;
		read = kg_graph_run_near(
			c->graph, KG_SQL_NODE_KEYS_RANGE, &only, 0, receive_entity, c);
		c->only = NULL;
		kg_nodeset_free(&only);
	}
	for (uint32 start = 0; start < n && !read; start += KG_PIECE)
	{
		Datum values[2];

		CHECK_FOR_INTERRUPTS();
		values[1] = kg_int64_array(nodes + start, Min(n - start, KG_PIECE));
		kg_graph_run(
			c->graph, KG_SQL_NODE_KEYS, 2, types, values, receive_entity, c);
		pfree(DatumGetPointer(values[1]));
	}
}

/* ---- references ---- */

/* References of fewer nodes are read with the keys of their entities. */
#define KG_FEWEST_REFERRING 64

/*
 * Returns whether the values of the fields of all nodes may be read from their
 * packed edges, and whether this may cost less for this number of nodes.
 */
static bool
follow_from_edges(KgGraph *graph, const KgType *type,
				  const KgField *const *fields, int nfields, uint32 n)
{
	if (n < KG_FEWEST_REFERRING || nfields == 0 || !graph->packed ||
		graph->foreign != NULL || !kg_graph_ranks_implied(graph) ||
		kg_validity_hides() != 0 ||
		graph->edges + (int64) n * nfields > kg_setting_max_edges)
		return false;
	for (int i = 0; i < nfields; i++)
		if (fields[i]->is_array || fields[i]->kind != KG_KIND_STRING ||
			fields[i]->by_version ||
			!kg_ref_is_edges(graph->catalog, type, fields[i]))
			return false;
	return true;
}

static int
compare_relations(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

static void
note_target(const KgNeighbors *found, void *arg)
{
	Referred *r = arg;
	uint32 node = kg_nodeset_find(&r->nodes, found->node);

	for (int i = 0; i < r->nfields; i++)
		if (r->fields[i]->relation_no == found->relation_no)
			r->targets[(Size) node * r->nfields + i] = found->neighbors[0];
	(void) kg_nodeset_add(&r->ends, found->neighbors[0]);
}

static void
keep_key(const KgRef *ref, void *arg)
{
	Referred *r = arg;
	MemoryContext old = MemoryContextSwitchTo(r->context);
	uint32 end = kg_nodeset_find(&r->ends, ref->node);
	JsonbValue id;

	id.type = jbvString;
	id.val.string.val = (char *) ref->id;
	id.val.string.len = ref->idlen;
	/* Only the kind of the field matters for the key of a string. */
	r->keys[end] = kg_key_encode(r->fields[0], &id);
	MemoryContextSwitchTo(old);
}

static int64
note_packed(const KgPacked *packed, const KgRelationSet *relations, void *arg)
{
	Referred *r = arg;

	r->npacked++;
	return kg_adjacency_visit(packed, relations, note_target, r);
}

static void
read_some(KgGraph *graph, Referred *r, const KgFollow *follow,
		  const int64 *nodes, uint32 n)
{
	int64 *frontier = MemoryContextAllocHuge(graph->context, n * sizeof(int64));

	memcpy(frontier, nodes, n * sizeof(int64));
	kg_graph_expand_packed(
		graph, follow, frontier, n, note_packed, note_target, r);
	pfree(frontier);
}

/*
 * Reads the targets of the nodes, and the keys of the targets. Returns false if
 * the edges of most of the first nodes are not packed, because reading rows of
 * kg_edge would cost more than reading the keys of the nodes.
 */
static bool
read_targets(KgGraph *graph, Referred *r, const int64 *nodes, uint32 n)
{
	MemoryContext context = r->context;
	Size size = (Size) n * r->nfields * sizeof(int64);
	KgFollow follow = {.forward.numbers = palloc(r->nfields * sizeof(int32))};
	uint32 first = KG_FEWEST_REFERRING;

	kg_nodeset_init(&r->nodes, context);
	kg_nodeset_init(&r->ends, context);
	r->targets = MemoryContextAllocExtended(
		context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < n; i++)
		(void) kg_nodeset_add(&r->nodes, nodes[i]);
	for (int i = 0; i < r->nfields; i++)
		follow.forward.numbers[follow.forward.n++] = r->fields[i]->relation_no;
	qsort(follow.forward.numbers,
		  follow.forward.n,
		  sizeof(int32),
		  compare_relations);
	read_some(graph, r, &follow, nodes, first);
	if (r->npacked < first / 2)
		return false;
	if (n > first)
		read_some(graph, r, &follow, nodes + first, n - first);
	r->keys = MemoryContextAllocExtended(context,
										 (Size) (r->ends.n + 1) *
											 sizeof(bytea *),
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kg_graph_resolve(graph, r->ends.nodes, r->ends.n, false, keep_key, r);
	return true;
}

/*
 * Counts the nodes by the targets of their references. Returns false if reading
 * the keys of the nodes costs less.
 */
static bool
count_targets(Counting *c, Referred *r, const int64 *nodes, uint32 n)
{
	uint64 done = 0;

	if (!read_targets(c->graph, r, nodes, n))
		return false;
	for (uint32 i = 0; i < n; i++)
	{
		kg_plan_count(&done, 1);
		resetStringInfo(&c->keys);
		appendBinaryStringInfo(&c->keys,
							   (char *) &r->targets[(Size) i * r->nfields],
							   r->nfields * sizeof(int64));
		count_keys(c);
	}
	return true;
}

/* Passes the keys of the targets of a group to found(). */
static void
tell_targets(Counting *c, const Same *same)
{
	const Referred *r = c->referred;
	int n = 0;

	for (int i = 0; i < r->nfields; i++)
	{
		int64 target;
		uint32 end;

		memcpy(
			&target, VARDATA(&same->keys) + i * sizeof(int64), sizeof(int64));
		end = target != 0 ? kg_nodeset_find(&r->ends, target) : KG_NO_NODE;
		if (end == KG_NO_NODE || r->keys[end] == NULL)
			continue;
		c->told[n++] = (KgPackedKey){
			.field_no = r->fields[i]->field_no,
			.data = (const unsigned char *) VARDATA_ANY(r->keys[end]),
			.len = VARSIZE_ANY_EXHDR(r->keys[end])};
	}
	c->found(c->told, n, same->entities, c->arg);
}

/* ---- all counts ---- */

static void
tell(Counting *c, const Same *same)
{
	int n = 0;
	KgKeysIter it;

	if (c->referred != NULL)
	{
		tell_targets(c, same);
		return;
	}

	kg_keys_iter_init(&it, &same->keys);
	while (kg_keys_next(&it))
	{
		if (n == c->room)
		{
			c->room *= 2;
			c->told = repalloc_huge(c->told, c->room * sizeof(KgPackedKey));
		}
		c->told[n++] = it.key;
	}
	c->found(c->told, n, same->entities, c->arg);
}

static void
want(Counting *c, const KgType *type, const KgField *const *fields, int nfields)
{
	c->nwanted = type->nkey_fields + 1;
	c->wanted = palloc0(c->nwanted * sizeof(bool));
	c->counted = palloc0(Max(1, nfields) * sizeof(Counted));
	for (int i = 0; i < nfields; i++)
	{
		if (!fields[i]->counted)
			c->wanted[fields[i]->field_no] = true;
		else
			c->counted[c->ncounted++] = (Counted){fields[i], c->graph};
	}
}

int64
kg_key_counts(KgGraph *graph, const KgType *type, const KgField *const *fields,
			  int nfields, const int64 *nodes, uint32 n,
			  KgKeyCountFunction found, void *arg)
{
	Counting c = {.graph = graph, .found = found, .arg = arg};
	Referred referred = {graph->context, fields, nfields};
	uint64 done = 0;

	initStringInfo(&c.keys);
	if (nodes == NULL && nfields == 1 && !kg_past_asked() &&
		kg_validity_rows_suffice(graph->catalog))
	{
		count_one(&c, type, fields[0]);
		return c.entities;
	}
	/*
	 * Groups are freed together at the end. A generation context leaves no
	 * space between them.
	 */
	c.context = GenerationContextCreate(
		graph->context, "kg_graph key counts", ALLOCSET_DEFAULT_SIZES);
	c.room = Max(8, nfields);
	c.told = palloc(c.room * sizeof(KgPackedKey));
	want(&c, type, fields, nfields);
	read_counted(&c, type, nodes, n);
	if (nodes == NULL)
		count_type(&c, type);
	else if (follow_from_edges(graph, type, fields, nfields, n) &&
			 count_targets(&c, &referred, nodes, n))
		c.referred = &referred;
	else
		count_nodes(&c, nodes, n);
	for (const Same *same = c.first; same != NULL; same = same->next)
	{
		kg_plan_count(&done, 1);
		tell(&c, same);
	}
	if (c.slots != NULL)
		pfree(c.slots);
	MemoryContextDelete(c.context);
	return c.entities;
}
