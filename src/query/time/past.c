/*
 * past.c
 *	  as_of: a call that reads the graph as it was at a time.
 *
 * If an entity has a change after the time, its stored row is not the row of
 * that time, whether or not the caller sees the change. The image before the
 * first change after the time is the old row. The caller gets the old row if
 * it sees this change and the present or last state of the entity.
 * kg_history_at() has an equal rule for one entity. For a caller that sees the
 * whole history, the scan that finds the changes also reads the images. For
 * other callers the images are looked up under their policies.
 */
#include "postgres.h"

#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "base/text.h"
#include "model/packed_keys.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "query/time/history.h"
#include "query/graph/nodeset.h"
#include "query/time/past.h"
#include "query/time/past_state.h"
#include "query/time/past_time.h"
#include "query/run/running.h"
#include "query/sql.h"
#include "store/derived/extract.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* ---- changes since the time ---- */

static uint32
hash_edge(const void *key, Size size)
{
	const EdgeThen *edge = key;

	return hash_combine(
		hash_combine(hash_bytes_uint32((uint32) edge->id.source),
					 hash_bytes_uint32((uint32) edge->id.target)),
		hash_combine(hash_bytes_uint32(edge->id.relation_no),
					 string_hash(edge->id.key, NAMEDATALEN)));
}

static int
compare_edges(const void *a, const void *b, Size size)
{
	const EdgeThen *x = a;
	const EdgeThen *y = b;

	return x->id.source != y->id.source || x->id.target != y->id.target ||
		   x->id.relation_no != y->id.relation_no ||
		   strcmp(x->id.key, y->id.key) != 0;
}

static uint32
hash_entity(const void *key, Size size)
{
	const EntityThen *entity = key;

	return hash_combine(hash_bytes_uint32(entity->id.type_no),
						string_hash(entity->id.id, NAMEDATALEN));
}

static int
compare_entities(const void *a, const void *b, Size size)
{
	const EntityThen *x = a;
	const EntityThen *y = b;

	return x->id.type_no != y->id.type_no || strcmp(x->id.id, y->id.id) != 0;
}

static HTAB *
make_table(const char *name, Size key, Size entry, HashValueFunc hash,
		   HashCompareFunc match)
{
	HASHCTL ctl = {.keysize = key,
				   .entrysize = entry,
				   .hash = hash,
				   .match = match,
				   .hcxt = CurrentMemoryContext};

	return hash_create(name,
					   256,
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

static int64
slot_int64(TupleTableSlot *slot, int column)
{
	bool isnull;

	return DatumGetInt64(slot_getattr(slot, column, &isnull));
}

static char *
slot_text(TupleTableSlot *slot, int column)
{
	bool isnull;

	return text_to_cstring(DatumGetTextPP(slot_getattr(slot, column, &isnull)));
}

/* State of a scan of the changes since the time. */
typedef struct Taking
{
	KgPast *past;
	int64 n;
} Taking;

static KG_NORETURN void
throw_too_many(void)
{
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf("there are more changes since as_of than "
								 "kg_graph.max_as_of_changes (%d)",
								 kg_setting_max_as_of_changes),
			 .path = "/as_of",
			 .expected = "a later time");
}

/*
 * Returns whether all changes count towards max_as_of_changes.
 *
 * For a caller that sees a part of the tenant, hidden changes do not count,
 * because the limit would reveal them. If an authorizer decides visibility, all
 * changes count: the number of decisions is limited, and the count must not
 * need more of them.
 */
static bool
all_count(const KgPast *past)
{
	return past->catalog->plain_visibility || past->catalog->authorizes;
}

static KgPast *
count_change(void *arg)
{
	Taking *taking = arg;

	if (++taking->n > kg_setting_max_as_of_changes && all_count(taking->past))
		throw_too_many();
	return taking->past;
}

/*
 * Sets the entity's image to the image before the change. If an earlier change
 * is read later, its image replaces this image.
 */
static void
take_before(EntityThen *entity, TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum before = slot_getattr(slot, column, &isnull);

	if (entity->data)
		pfree(entity->data);
	entity->data = isnull ? NULL : DatumGetJsonbPCopy(before);
}

static bool
take_entity(TupleTableSlot *slot, void *arg)
{
	KgPast *past = count_change(arg);
	EntityThen sought = {{slot_int64(slot, 2), slot_text(slot, 3)}};
	int64 change = slot_int64(slot, 1);
	int64 node = slot_int64(slot, 4);
	int64 version = slot_int64(slot, 5);
	bool found;
	EntityThen *entity = hash_search(
		past->entities, &sought, HASH_ENTER, &found);

	(void) kg_nodeset_add(&past->changed, node);
	if (!found)
	{
		if (past->nall == past->room)
		{
			past->room *= 2;
			past->all = repalloc_huge(past->all,
									  past->room * sizeof(EntityThen *));
		}
		past->all[past->nall++] = entity;
		memset((char *) entity + sizeof(entity->id),
			   0,
			   sizeof(*entity) - sizeof(entity->id));
		entity->first_version = PG_INT64_MAX;
		entity->seen = past->whole;
	}
	if (version < entity->first_version)
	{
		entity->first = change;
		entity->first_version = version;
		entity->node = node;
		if (past->whole)
			take_before(entity, slot, 7);
	}
	if (version > entity->last_version)
	{
		bool isnull;

		entity->last = change;
		entity->last_version = version;
		entity->is = DatumGetBool(slot_getattr(slot, 6, &isnull));
	}
	return true;
}

static bool
take_edge(TupleTableSlot *slot, void *arg)
{
	KgPast *past = count_change(arg);
	EdgeThen sought = {{slot_int64(slot, 3),
						slot_int64(slot, 4),
						slot_int64(slot, 2),
						slot_text(slot, 5)}};
	int64 change = slot_int64(slot, 1);
	bool found;
	EdgeThen *edge = hash_search(past->edges, &sought, HASH_ENTER, &found);
	Datum before;
	bool isnull;

	edge->n = found ? edge->n + 1 : 1;
	if (found && edge->change <= change)
		return true;
	edge->change = change;
	before = slot_getattr(slot, 6, &isnull);
	edge->was = !isnull;
	edge->properties = isnull ? NULL : DatumGetJsonbPCopy(before);
	if (edge->properties && JB_ROOT_IS_SCALAR(edge->properties))
		edge->properties = NULL;
	return true;
}

/*
 * Reads the changes of some types or relations since the time of as_of, as far
 * as the current role sees them. Returns the number of changes.
 */
static int64
read_changes_seen(KgPast *past, const char *select, Datum *numbers, int n,
				  const char *of, KgRowFunction take)
{
	Taking taking = {past, 0};
	KgSqlBuilder b;

	if (n == 0)
		return 0;
	kg_sql_start(&b, past->catalog);
	kg_sql_append(&b,
				  "SELECT %s FROM %s h WHERE h.tenant = $1 AND %s = ANY ($%d)",
				  select,
				  kg_qualified("kg_history"),
				  of,
				  kg_sql_param_array(&b, INT4OID, numbers, n));
	kg_sql_append(
		&b,
		" AND h.at > $%d",
		kg_sql_param(&b, TIMESTAMPTZOID, TimestampTzGetDatum(past->time)));
	(void) kg_sql_run(&b, take, &taking);
	return taking.n;
}

/*
 * Reads all changes of some types or relations since the time of as_of, as the
 * owner of the extension. Returns the number of changes.
 */
static int64
read_changes(KgPast *past, const char *select, Datum *numbers, int n,
			 const char *of, KgRowFunction take)
{
	KgUserContext user;
	int64 taken;

	kg_become_owner(&user);
	taken = read_changes_seen(past, select, numbers, n, of, take);
	kg_restore_user(&user);
	return taken;
}

static bool
is_known(TimestampTz since, TimestampTz time)
{
	return since != 0 && since <= time;
}

static bool
is_past_known(const KgPast *past, const KgRelation *relation)
{
	if (!is_known(relation->history_since, past->time))
		return false;
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		const KgType *from = kg_catalog_type_no(past->catalog,
												variant->from_type_no);
		const KgType *to = kg_catalog_type_no(past->catalog,
											  variant->to_type_no);

		if (!is_known(from->history_since, past->time) ||
			!is_known(to->history_since, past->time))
			return false;
	}
	return true;
}

static int
entity_numbers(const KgPast *past, const KgType *only, Datum **numbers)
{
	const KgCatalog *catalog = past->catalog;
	int n = 0;

	*numbers = palloc((catalog->ntypes + 1) * sizeof(Datum));
	for (int i = 0; i < catalog->ntypes; i++)
		if (is_known(catalog->types[i].history_since, past->time) &&
			(only == NULL || only->type_no == catalog->types[i].type_no))
			(*numbers)[n++] = Int32GetDatum(catalog->types[i].type_no);
	return n;
}

#define KG_OF_ENTITIES "h.relation_no IS NULL AND h.type_no"
#define KG_ENTITY_CHANGE                                            \
	"h.change, h.type_no::bigint, h.entity_id, h.node, h.version, " \
	"h.after IS NOT NULL"

static int64
read_entities(KgPast *past, const KgType *only)
{
	Datum *numbers;
	int n = entity_numbers(past, only, &numbers);

	return read_changes(past,
						past->whole ? KG_ENTITY_CHANGE ", h.before"
									: KG_ENTITY_CHANGE,
						numbers,
						n,
						KG_OF_ENTITIES,
						take_entity);
}

static int64
read_edges(KgPast *past)
{
	const KgCatalog *catalog = past->catalog;
	Datum *numbers = palloc((catalog->nrelations + 1) * sizeof(Datum));
	int n = 0;

	for (int i = 0; i < catalog->nrelations; i++)
		if (is_known(catalog->relations[i].history_since, past->time))
			numbers[n++] = Int32GetDatum(catalog->relations[i].relation_no);
	return read_changes(
		past,
		"h.change, h.relation_no::bigint, h.source, h.target, h.key, "
		"h.before",
		numbers,
		n,
		"h.type_no IS NULL AND h.relation_no",
		take_edge);
}

/* ---- visibility ---- */

typedef struct Seeing
{
	KgPast *past;
	/*
	 * firsts has the numbers of the first changes of entities; of_first has
	 * the entities in the same order. lasts and of_last have the last changes
	 * in this way.
	 */
	KgNodeSet firsts;
	EntityThen **of_first;
	KgNodeSet lasts;
	EntityThen **of_last;
} Seeing;

static bool
take_first(TupleTableSlot *slot, void *arg)
{
	Seeing *seeing = arg;
	bool isnull;
	int64 change = DatumGetInt64(slot_getattr(slot, 1, &isnull));
	uint32 i = kg_nodeset_find(&seeing->firsts, change);

	seeing->of_first[i]->data = DatumGetJsonbPCopy(
		slot_getattr(slot, 2, &isnull));
	return true;
}

static bool
take_last(TupleTableSlot *slot, void *arg)
{
	Seeing *seeing = arg;
	bool isnull;
	int64 change = DatumGetInt64(slot_getattr(slot, 1, &isnull));

	seeing->of_last[kg_nodeset_find(&seeing->lasts, change)]->seen = true;
	return true;
}

static bool
take_present(TupleTableSlot *slot, void *arg)
{
	Seeing *seeing = arg;
	bool isnull;
	EntityThen sought = {
		{DatumGetInt32(slot_getattr(slot, 1, &isnull)),
		 text_to_cstring(DatumGetTextPP(slot_getattr(slot, 2, &isnull)))}};
	EntityThen *entity = hash_search(
		seeing->past->entities, &sought, HASH_FIND, NULL);

	if (entity)
		entity->seen = true;
	return true;
}

static void
run_on(Seeing *seeing, const char *select, const char *table,
	   const char *column, const char *rest, const KgNodeSet *numbers,
	   KgRowFunction row)
{
	KgSqlBuilder b;

	if (numbers->n == 0)
		return;
	kg_sql_start(&b, seeing->past->catalog);
	kg_sql_append(
		&b,
		"SELECT %s FROM %s x WHERE x.tenant = $1 AND x.%s = ANY ($%d)%s",
		select,
		kg_qualified(table),
		column,
		kg_sql_param(
			&b, INT8ARRAYOID, kg_int64_array(numbers->nodes, numbers->n)),
		rest);
	(void) kg_sql_run(&b, row, seeing);
}

/*
 * Sets which entities the caller sees, and their images. A caller that sees the
 * whole tenant also sees each present and last state.
 */
static void
see_entities(KgPast *past)
{
	bool whole = past->catalog->plain_visibility;
	Seeing seeing = {past};

	kg_nodeset_init(&seeing.firsts, CurrentMemoryContext);
	kg_nodeset_init(&seeing.lasts, CurrentMemoryContext);
	seeing.of_first = palloc((past->nall + 1) * sizeof(EntityThen *));
	seeing.of_last = palloc((past->nall + 1) * sizeof(EntityThen *));
	for (int i = 0; i < past->nall; i++)
	{
		EntityThen *entity = past->all[i];

		seeing.of_first[kg_nodeset_add(&seeing.firsts, entity->first)] = entity;
		if (whole)
			entity->seen = true;
		else if (!entity->is)
			seeing.of_last[kg_nodeset_add(&seeing.lasts, entity->last)] =
				entity;
	}
	run_on(&seeing,
		   "x.change, x.before",
		   "kg_history",
		   "change",
		   " AND x.before IS NOT NULL",
		   &seeing.firsts,
		   take_first);
	if (whole)
		return;
	run_on(&seeing,
		   "x.change",
		   "kg_history",
		   "change",
		   "",
		   &seeing.lasts,
		   take_last);
	run_on(&seeing,
		   "x.type_no, x.entity_id",
		   "kg_entity",
		   "node",
		   "",
		   &past->changed,
		   take_present);
	for (int i = 0; i < past->nall; i++)
		if (!past->all[i]->seen)
			past->all[i]->data = NULL;
}

/* ---- limits on the number of changes ---- */

static bool
count_seen(TupleTableSlot *slot, void *arg)
{
	Taking *taking = arg;
	EntityThen sought = {{slot_int64(slot, 1), slot_text(slot, 2)}};
	const EntityThen *entity = hash_search(
		taking->past->entities, &sought, HASH_FIND, NULL);

	if (entity && entity->seen && ++taking->n > kg_setting_max_as_of_changes)
		throw_too_many();
	return true;
}

/*
 * Raises KG_LIMIT_EXCEEDED if too many of the n changes are of entities that
 * the caller sees.
 */
static void
limit_entities(KgPast *past, const KgType *only, int64 n)
{
	Datum *numbers;
	int nnumbers;

	if (n <= kg_setting_max_as_of_changes || all_count(past))
		return;
	nnumbers = entity_numbers(past, only, &numbers);
	(void) read_changes_seen(past,
							 "h.type_no::bigint, h.entity_id",
							 numbers,
							 nnumbers,
							 KG_OF_ENTITIES,
							 count_seen);
}

static bool
is_known_all_along(const KgPast *past, const EdgeThen *edge)
{
	const KgRelation *relation = kg_catalog_relation_no(past->catalog,
														edge->id.relation_no);

	return relation != NULL && is_past_known(past, relation) &&
		   !kg_nodeset_has(&past->changed, edge->id.source) &&
		   !kg_nodeset_has(&past->changed, edge->id.target);
}

static bool
take_end(TupleTableSlot *slot, void *arg)
{
	Seeing *seeing = arg;

	(void) kg_nodeset_add(&seeing->lasts, slot_int64(slot, 1));
	return true;
}

/*
 * Raises KG_LIMIT_EXCEEDED if there are too many changes of edges whose ends
 * have not changed and are visible. Changes of other edges do not count, so
 * that hidden edges are not revealed.
 */
static void
limit_edges(KgPast *past, int64 n)
{
	Seeing seeing = {past};
	HASH_SEQ_STATUS scan;
	const EdgeThen *edge;

	if (n <= kg_setting_max_as_of_changes || all_count(past) ||
		!kg_visibility_edges_are_plain())
		return;
	kg_nodeset_init(&seeing.firsts, CurrentMemoryContext);
	kg_nodeset_init(&seeing.lasts, CurrentMemoryContext);
	hash_seq_init(&scan, past->edges);
	while ((edge = hash_seq_search(&scan)) != NULL)
		if (is_known_all_along(past, edge))
		{
			(void) kg_nodeset_add(&seeing.firsts, edge->id.source);
			(void) kg_nodeset_add(&seeing.firsts, edge->id.target);
		}
	run_on(
		&seeing, "x.node", "kg_entity", "node", "", &seeing.firsts, take_end);
	n = 0;
	hash_seq_init(&scan, past->edges);
	while ((edge = hash_seq_search(&scan)) != NULL)
		if (is_known_all_along(past, edge) &&
			kg_nodeset_has(&seeing.lasts, edge->id.source) &&
			kg_nodeset_has(&seeing.lasts, edge->id.target))
			n += edge->n;
	if (n > kg_setting_max_as_of_changes)
		throw_too_many();
}

void
kg_past_ask(const KgCatalog *catalog, const KgType *type, const char *as_of)
{
	KgCall *call = kg_running_call();
	KgPast *past;
	int64 n;

	if (call)
		call->past = NULL;
	if (as_of == NULL)
		return;
	past = palloc0(sizeof(KgPast));
	past->catalog = catalog;
	past->as_of = as_of;
	past->context = CurrentMemoryContext;
	past->time = kg_history_time(type, as_of);
	kg_nodeset_init(&past->changed, CurrentMemoryContext);
	past->entities = make_table("kg_graph entities then",
								sizeof(((EntityThen *) NULL)->id),
								sizeof(EntityThen),
								hash_entity,
								compare_entities);
	past->room = 64;
	past->all = palloc(past->room * sizeof(EntityThen *));
	past->edges = make_table("kg_graph edges then",
							 sizeof(((EdgeThen *) NULL)->id),
							 sizeof(EdgeThen),
							 hash_edge,
							 compare_edges);
	past->whole = catalog->plain_visibility && kg_visibility_history_is_whole();
	n = read_entities(past, type);
	if (!past->whole)
		see_entities(past);
	limit_entities(past, type, n);
	if (type == NULL)
		limit_edges(past, read_edges(past));
	call->past = past;
}

/* ---- types without history at the time ---- */

void
kg_past_require_type(const KgType *type)
{
	const KgPast *past = kg_past_of_call();

	if (past)
		(void) kg_history_time(type, past->as_of);
}

void
kg_past_require_walk(const KgCatalog *catalog, const KgFollow *walk)
{
	const KgPast *past = kg_past_of_call();
	StringInfoData names;
	const char *last = NULL;
	TimestampTz since = 0;
	KgError *err;

	if (past == NULL)
		return;
	initStringInfo(&names);
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if ((!kg_relation_set_has(&walk->forward, relation->relation_no) &&
			 !kg_relation_set_has(&walk->backward, relation->relation_no)) ||
			is_past_known(past, relation))
			continue;
		since = Max(since, relation->history_since);
		/*
		 * Variants of a relationship type follow one another, so each name is
		 * used once.
		 */
		if (last != NULL && strcmp(last, relation->name) == 0)
			continue;
		last = relation->name;
		appendStringInfo(
			&names, "%s\"%s\"", names.len > 0 ? ", " : "", relation->name);
	}
	if (names.len == 0)
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "relationship types %s, or types at their ends, have no "
					   "history that goes back to that time",
					   names.data);
	kg_error_path(err, "/as_of");
	kg_error_got_string(err, past->as_of);
	if (since > 0)
		kg_error_expected(err,
						  "other relationship types, or a time since %s",
						  kg_time_text(since));
	else
		kg_error_expected(err, "relationship types with history");
	kg_error_throw(err);
}

/* ---- the rows at the time ---- */

bool
kg_past_keeps_node(int64 node)
{
	const KgPast *past = kg_past_of_call();

	return past == NULL || !kg_nodeset_has(&past->changed, node);
}

bool
kg_past_keeps_edge(int64 source, int32 relation_no, const text *key,
				   int64 target)
{
	const KgPast *past = kg_past_of_call();
	EdgeThen sought = {{source, target, relation_no, ""}};

	if (past == NULL || hash_get_num_entries(past->edges) == 0)
		return true;
	if (VARSIZE_ANY_EXHDR(key) > 0)
		sought.id.key = text_to_cstring(key);
	return hash_search(past->edges, &sought, HASH_FIND, NULL) == NULL;
}

/* The destination of the rows of the past: a tuple store. */
typedef struct Target
{
	Tuplestorestate *store;
	TupleDesc desc;
	Datum tenant;
	const KgPastPart *part;
	MemoryContext context; /* the memory context of the call */
} Target;

static void
put_row(const Target *target, Datum *values, const bool *nulls)
{
	values[0] = target->tenant;
	tuplestore_putvalues(target->store, target->desc, values, (bool *) nulls);
}

static const bytea *
keys_of(const Target *target, const KgType *type, EntityThen *entity)
{
	bytea *keys;

	if (entity->keys != NULL)
		return entity->keys;
	keys = kg_extract_keys(type, entity->data);
	entity->keys = MemoryContextAlloc(target->context, VARSIZE(keys));
	return memcpy(entity->keys, keys, VARSIZE(keys));
}

static void
put_entity(const Target *target, const KgType *type, EntityThen *entity)
{
	text *scope = kg_extract_scope(type, entity->data);
	Datum values[] = {0,
					  CStringGetTextDatum(type->bundle),
					  CStringGetTextDatum(type->name),
					  CStringGetTextDatum(entity->id.id),
					  Int64GetDatum(entity->node),
					  Int64GetDatum(entity->first_version - 1),
					  Int32GetDatum(type->type_no),
					  PointerGetDatum(scope),
					  JsonbPGetDatum(entity->data),
					  PointerGetDatum(keys_of(target, type, entity))};
	bool nulls[lengthof(values)] = {false};

	nulls[7] = scope == NULL;
	put_row(target, values, nulls);
}

static void
put_keys(const Target *target, const KgType *type, EntityThen *entity)
{
	static const bool nulls[6] = {false};
	const KgPastPart *part = target->part;
	KgKeysIter it;

	if (part->type_no != 0 && part->type_no != type->type_no)
		return;
	kg_keys_iter_init(&it, keys_of(target, type, entity));
	while (kg_keys_next(&it))
	{
		Datum values[] = {0,
						  Int32GetDatum(type->type_no),
						  Int32GetDatum(it.key.field_no),
						  0,
						  CStringGetTextDatum(entity->id.id),
						  Int64GetDatum(entity->node)};

		if (part->type_no != 0 && part->field_no != it.key.field_no)
			continue;
		values[3] = PointerGetDatum(kg_packed_key_copy(&it.key));
		put_row(target, values, nulls);
	}
}

static void
put_terms(const Target *target, const KgType *type, EntityThen *entity)
{
	static const bool nulls[5] = {false};
	KgExtract extract;

	kg_extract(type, entity->id.id, entity->data, &extract);
	for (int i = 0; i < extract.nterms; i++)
	{
		Datum values[] = {0,
						  CStringGetTextDatum(extract.terms[i].term),
						  CharGetDatum(extract.terms[i].kind),
						  Int32GetDatum(type->type_no),
						  Int64GetDatum(entity->node)};

		put_row(target, values, nulls);
	}
}

static void
put_trigrams(const Target *target, const KgType *type, EntityThen *entity)
{
	static const bool nulls[3] = {false};
	KgExtract extract;

	kg_extract(type, entity->id.id, entity->data, &extract);
	for (int i = 0; i < extract.nterms; i++)
	{
		char **rows;
		int n = kg_term_rows(extract.terms[i].term, &rows);

		for (int j = 0; j < n; j++)
		{
			Datum values[] = {0,
							  CStringGetTextDatum(rows[j]),
							  CStringGetTextDatum(extract.terms[i].term)};

			put_row(target, values, nulls);
		}
	}
}

static void
put_edges(const Target *target, const KgPast *past)
{
	HASH_SEQ_STATUS scan;
	const EdgeThen *edge;

	/* Policies that users added cannot be evaluated on these rows. */
	if (!kg_visibility_edges_are_plain())
		return;
	hash_seq_init(&scan, past->edges);
	while ((edge = hash_seq_search(&scan)) != NULL)
	{
		Datum values[] = {0,
						  Int64GetDatum(edge->id.source),
						  Int32GetDatum(edge->id.relation_no),
						  CStringGetTextDatum(edge->id.key),
						  Int64GetDatum(edge->id.target),
						  0,
						  PointerGetDatum(edge->properties)};
		bool nulls[lengthof(values)] = {false};

		nulls[5] = true;
		nulls[6] = edge->properties == NULL;
		if (edge->was)
			put_row(target, values, nulls);
	}
}

typedef void (*PutRows)(const Target *target, const KgType *type,
						EntityThen *entity);

static PutRows
rows_of(const char *name)
{
	static const struct
	{
		const char *name;
		PutRows put;
	} all[] = {{"kg_entity", put_entity},
			   {"kg_index_key", put_keys},
			   {"kg_term", put_terms},
			   {"kg_trigram", put_trigrams}};

	for (int i = 0; i < lengthof(all); i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].put;
	return NULL;
}

/*
 * Returns the entity that had the node at the time, or NULL. Fills past->was at
 * the first call: entities by the index of their node in past->changed.
 */
static EntityThen *
entity_of_node(KgPast *past, int64 node)
{
	uint32 place = kg_nodeset_find(&past->changed, node);

	if (past->was == NULL)
	{
		past->was = MemoryContextAllocZero(
			past->context, past->changed.n * sizeof(EntityThen *));
		for (int i = 0; i < past->nall; i++)
		{
			EntityThen *entity = past->all[i];
			EntityThen **was =
				&past->was[kg_nodeset_find(&past->changed, entity->node)];

			/*
			 * An entity whose id changed is listed under both ids, but has data
			 * under only one of them.
			 */
			if (*was == NULL || entity->data != NULL)
				*was = entity;
		}
	}
	return place == KG_NO_NODE ? NULL : past->was[place];
}

static void
put_rows(const KgPast *past, const Target *target, PutRows put,
		 EntityThen *entity, MemoryContext scratch)
{
	MemoryContext old = MemoryContextSwitchTo(scratch);

	if (entity != NULL && entity->data != NULL)
		put(target,
			kg_catalog_type_no(past->catalog, entity->id.type_no),
			entity);
	MemoryContextSwitchTo(old);
	MemoryContextReset(scratch);
}

void
kg_past_rows(const char *name, const KgPastPart *part, Tuplestorestate *store,
			 TupleDesc desc)
{
	KgPast *past = kg_past_of_call();
	PutRows put = rows_of(name);
	Target target = {store, desc};
	MemoryContext scratch;

	if (past == NULL)
		return;
	target.tenant = CStringGetTextDatum(past->catalog->tenant);
	target.context = past->context;
	target.part = part;
	if (strcmp(name, "kg_edge") == 0)
		put_edges(&target, past);
	if (put == NULL)
		return;
	scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph past", ALLOCSET_DEFAULT_SIZES);
	if (part->nodes != NULL)
		for (int i = 0; i < part->nnodes; i++)
			put_rows(past,
					 &target,
					 put,
					 entity_of_node(past, part->nodes[i]),
					 scratch);
	else
		for (int i = 0; i < past->nall; i++)
			put_rows(past, &target, put, past->all[i], scratch);
	MemoryContextDelete(scratch);
}
