/*
 * validity.c
 *	  valid_at: a call that reads the nodes and edges that are valid at an
 *	  instant.
 *
 * The instant is part of the call (query/run/running.h), in the memory context
 * that was current when it was set. The condition is a leakproof function of
 * the columns, so it may run before the policies. So no authorizer is called
 * for rows that are not valid. The function gets the instant from the running
 * call.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/extension.h"
#include "base/text.h"
#include "model/key.h"
#include "model/period.h"
#include "model/writing.h"
#include "query/argument/arguments.h"
#include "query/argument/names.h"
#include "query/run/running.h"
#include "query/time/validity.h"
#include "schema/format.h"
#include "utils/builtins.h"

#define KG_NOW "now"

/* A type or relation with a period. */
typedef struct Timed
{
	int32 number;
	const KgPeriod *period;
} Timed;

typedef struct KgValidity
{
	const char *instant;
	const bytea *key;
	bool now; /* the argument was "now" */
	/* rows are not filtered (kg_validity_leave_rows()) */
	bool leaves;
	int ntypes;
	Timed *types;
	int nrelations;
	Timed *relations;
} KgValidity;

static int
compare_timed(const void *a, const void *b)
{
	int32 x = ((const Timed *) a)->number;
	int32 y = ((const Timed *) b)->number;

	return x < y ? -1 : x > y;
}

static void
add_timed(Timed *list, int *n, int32 number, const KgPeriod *period)
{
	if (kg_period_any(period))
		list[(*n)++] = (Timed){number, period};
}

static void
list_timed(KgValidity *validity, const KgCatalog *catalog)
{
	validity->types = palloc((catalog->ntypes + 1) * sizeof(Timed));
	validity->relations = palloc((catalog->nrelations + 1) * sizeof(Timed));
	for (int i = 0; i < catalog->ntypes; i++)
		if (kg_row_has(&catalog->types[i], KG_TRAIT_PERIOD))
			add_timed(validity->types,
					  &validity->ntypes,
					  catalog->types[i].type_no,
					  &kg_type_of(&catalog->types[i])->period);
	for (int i = 0; i < catalog->nrelations; i++)
		add_timed(validity->relations,
				  &validity->nrelations,
				  catalog->relations[i].relation_no,
				  &catalog->relations[i].period);
	qsort(validity->types, validity->ntypes, sizeof(Timed), compare_timed);
	qsort(validity->relations,
		  validity->nrelations,
		  sizeof(Timed),
		  compare_timed);
}

static const KgPeriod *
find_timed(const Timed *list, int n, int32 number)
{
	Timed key = {number, NULL};
	const Timed *found = bsearch(&key, list, n, sizeof(Timed), compare_timed);

	return found ? found->period : NULL;
}

static KG_NORETURN void
throw_valid_at(const char *valid_at, const char *path)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = "valid_at is neither a date-time nor \"now\"",
		.path = path,
		.got_string = valid_at,
		.expected =
			"\"now\", or a date-time with a zone, such as 2026-11-21T09:30:00Z",
		.instead = kg_meant_instant(valid_at));
}

/* Returns the current time as text. It is the same for the whole call. */
static const char *
instant_of(KgCall *call)
{
	if (call->now == 0)
		call->now = GetCurrentTimestamp();
	return kg_time_text(call->now);
}

void
kg_validity_ask(const KgCatalog *catalog, const char *valid_at,
				const char *path)
{
	KgCall *call = kg_running_call();
	KgValidity *validity;

	if (valid_at == NULL)
	{
		if (call != NULL)
			call->validity = NULL;
		return;
	}
	validity = palloc0(sizeof(KgValidity));
	validity->now = strcmp(valid_at, KG_NOW) == 0;
	if (validity->now)
		validity->instant = instant_of(call);
	else if (kg_format_date_time(valid_at, strlen(valid_at)))
		validity->instant = valid_at;
	else
		throw_valid_at(valid_at, path);
	validity->key = kg_key_instant(validity->instant,
								   strlen(validity->instant));
	if (validity->key == NULL)
		throw_valid_at(valid_at, path);
	if (kg_catalog_has(catalog, KG_TRAIT_PERIOD))
		list_timed(validity, catalog);
	call->validity = validity;
}

static KgValidity *
asked(void)
{
	const KgCall *call = kg_running_call();

	return call ? call->validity : NULL;
}

void
kg_validity_leave_rows(void)
{
	KgValidity *validity = asked();

	if (validity != NULL)
		validity->leaves = true;
}

int
kg_validity_hides(void)
{
	const KgValidity *validity = asked();

	if (likely(validity == NULL) || validity->leaves)
		return 0;
	return (validity->ntypes > 0 ? KG_VALID_NODES : 0) |
		   (validity->nrelations > 0 ? KG_VALID_EDGES : 0);
}

bool
kg_validity_hides_edges(const KgRelationSet *relations)
{
	const KgValidity *validity = asked();

	if (likely(validity == NULL))
		return false;
	for (int i = 0; i < validity->nrelations; i++)
		if (kg_relation_set_has(relations, validity->relations[i].number))
			return true;
	return false;
}

bool
kg_validity_rows_suffice(const KgCatalog *catalog)
{
	return kg_derived_rows_suffice(catalog) &&
		   (kg_validity_hides() & KG_VALID_NODES) == 0;
}

const char *
kg_validity_condition(const char *table)
{
	int hides = kg_validity_hides();

	if (likely(hides == 0))
		return NULL;
	if ((hides & KG_VALID_NODES) && strcmp(table, "kg_entity") == 0)
		return psprintf("%s(type_no, data)", kg_qualified("kg_entity_valid"));
	if ((hides & KG_VALID_EDGES) && strcmp(table, "kg_edge") == 0)
		return psprintf("%s(relation_no, properties)",
						kg_qualified("kg_edge_valid"));
	return NULL;
}

static bool
has(const KgValidity *validity, const KgPeriod *period, Datum document)
{
	Jsonb *data = DatumGetJsonbP(document);
	bool result = kg_period_has(period, &data->root, validity->key);

	if ((Pointer) data != DatumGetPointer(document))
		pfree(data);
	return result;
}

bool
kg_validity_has_node(int32 type_no, Datum data)
{
	const KgValidity *validity = asked();
	const KgPeriod *period = validity ? find_timed(validity->types,
												   validity->ntypes,
												   type_no)
									  : NULL;

	return period == NULL || has(validity, period, data);
}

bool
kg_validity_has_edge(int32 relation_no, Datum properties)
{
	const KgValidity *validity = asked();
	const KgPeriod *period = validity ? find_timed(validity->relations,
												   validity->nrelations,
												   relation_no)
									  : NULL;

	return period == NULL || has(validity, period, properties);
}

bool
kg_validity_has(const KgType *type, const Jsonb *data)
{
	return kg_validity_has_node(type->type_no, JsonbPGetDatum(data));
}

const char *
kg_validity_instant_of(const KgCall *call)
{
	return call && call->validity ? call->validity->instant : NULL;
}

const char *
kg_validity_instant(void)
{
	return kg_validity_instant_of(kg_running_call());
}

void
kg_validity_keep(StringInfo payload)
{
	const KgValidity *validity = asked();

	if (validity == NULL || !validity->now)
		return;
	appendStringInfoString(payload, validity->instant);
	appendStringInfoChar(payload, (char) strlen(validity->instant));
}

void
kg_validity_take(StringInfo payload)
{
	KgValidity *validity = asked();
	int len;

	if (validity == NULL || !validity->now)
		return;
	/*
	 * The payload is signed, and only a call with "now" can open it, so its
	 * length is valid.
	 */
	len = (uint8) payload->data[--payload->len];
	payload->len -= len;
	validity->instant = pnstrdup(payload->data + payload->len, len);
	payload->data[payload->len] = '\0';
	validity->key = kg_key_instant(validity->instant, len);
}
