/*
 * edges.c
 *	  Explicit edges.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/catch.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/lock.h"
#include "model/period.h"
#include "catalog/pg_type.h"
#include "model/writer.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/edge/edges.h"
#include "store/entity/entity_ids.h"
#include "store/reference/references.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "store/edge/symmetric.h"
#include "storage/itemptr.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static const Oid edge_types[] = {INT8OID, INT4OID, INT8OID, TEXTOID, JSONBOID};
/* The stored edges e of the batch u. */
#define KG_STORED                                               \
	"JOIN @kg_edge e ON e.tenant = $1 AND e.source = u.source " \
	"AND e.relation_no = u.relation_no AND e.key = u.key "      \
	"AND e.target = u.target"

void
kg_edges_init(KgColumns *edges, MemoryContext context)
{
	kg_columns_init(edges, context, KG_EDGE_COLUMNS, edge_types);
}

void
kg_edges_add(KgColumns *edges, int64 source, int32 relation_no, int64 target,
			 const char *key, const Jsonb *properties)
{
	static union
	{
		varattrib_4b header;
		char data[sizeof(varattrib_4b)];
	} empty;

	SET_VARSIZE(&empty, VARHDRSZ);
	kg_columns_add_row(edges);
	kg_columns_int64(edges, KG_EDGE_SOURCE, source);
	kg_columns_int32(edges, KG_EDGE_RELATION, relation_no);
	kg_columns_int64(edges, KG_EDGE_TARGET, target);
	if (*key == '\0')
		kg_columns_datum(edges, KG_EDGE_KEY, PointerGetDatum(&empty));
	else
		kg_columns_text(edges, KG_EDGE_KEY, key);
	if (properties)
		kg_columns_datum(edges, KG_EDGE_PROPERTIES, JsonbPGetDatum(properties));
}

void
kg_edges_copy(KgColumns *edges, const KgColumns *from, int row)
{
	kg_columns_add_row(edges);
	for (int i = 0; i < KG_EDGE_COLUMNS; i++)
		if (!from->nulls[i][row])
			kg_columns_datum(edges, i, from->values[i][row]);
}

List *
kg_row_counts(void)
{
	List *counts = NIL;

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgRowCount *count = palloc(sizeof(KgRowCount));

		count->number = kg_spi_int64(i, 1);
		count->n = kg_spi_int64(i, 2);
		counts = lappend(counts, count);
	}
	SPI_freetuptable(SPI_tuptable);
	return counts;
}

List *
kg_edges_count(const char *tenant, bool read_only)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const char sql[] =
		"SELECT relation_no::bigint, count(*) FROM @kg_edge "
		"WHERE tenant = $1 AND property IS NULL GROUP BY relation_no";

	if (read_only)
		kg_spi_read(&saved, sql, kg_arg_text(tenant));
	else
		kg_spi_exec(&saved, sql, kg_arg_text(tenant));
	return kg_row_counts();
}

void
kg_edges_read(const char *tenant, int32 relation_no, KgEdgePlace *place,
			  int limit, KgColumns *edges)
{
	MemoryContext old = MemoryContextSwitchTo(edges->context);

	KG_BATCH_LATEST("SELECT source, target, key, properties FROM @kg_edge "
					"WHERE tenant = $1 AND relation_no = $2 "
					"AND property IS NULL AND source >= $3 "
					"AND (source, key, target) > ($3, $4 COLLATE \"C\", $5) "
					"ORDER BY source, key, target LIMIT $6",
					kg_arg_text(tenant),
					kg_arg_int4(relation_no),
					kg_arg_int8(place->source),
					kg_arg_text(place->key),
					kg_arg_int8(place->target),
					kg_arg_int4(limit));
	MemoryContextSwitchTo(edges->context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Datum properties = kg_spi_value(i, 4, &isnull);

		kg_edges_add(edges,
					 kg_spi_int64(i, 1),
					 relation_no,
					 kg_spi_int64(i, 2),
					 kg_spi_cstring(i, 3),
					 isnull ? NULL : DatumGetJsonbPCopy(properties));
	}
	if (SPI_processed > 0)
	{
		place->source = kg_spi_int64(SPI_processed - 1, 1);
		place->target = kg_spi_int64(SPI_processed - 1, 2);
		strlcpy(place->key,
				kg_spi_cstring(SPI_processed - 1, 3),
				sizeof(place->key));
	}
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
}

const KgCatalog *
kg_edges_lock(const char *tenant, const KgColumns *edges)
{
	int32 locked = 0;

	/* Edges of one relation are mostly adjacent. */
	for (int i = 0; i < edges->nrows; i++)
	{
		int32 number = DatumGetInt32(edges->values[KG_EDGE_RELATION][i]);

		if (number != locked)
			(void) kg_lock_relation_shared(number);
		locked = number;
	}
	return kg_catalog_newest(tenant);
}

typedef struct NodeType
{
	int64 node;	   /* hash key */
	int32 type_no; /* 0: not stored */
} NodeType;

/*
 * Locks the entities at all ends until the transaction ends, and returns their
 * types by node. An entity that the caller does not see counts as missing.
 */
static HTAB *
lock_ends(const char *tenant, const KgColumns *edges,
		  const KgUserContext *caller)
{
	HASHCTL ctl;
	HTAB *types;
	KgNodeList nodes = {CurrentMemoryContext};
	int64 *all;
	int64 *seen;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(NodeType);
	ctl.hcxt = CurrentMemoryContext;
	types = hash_create("kg_graph edge ends",
						2 * edges->nrows,
						&ctl,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	for (int i = 0; i < edges->nrows; i++)
	{
		int64 ends[2] = {DatumGetInt64(edges->values[KG_EDGE_SOURCE][i]),
						 DatumGetInt64(edges->values[KG_EDGE_TARGET][i])};

		for (int j = 0; j < 2; j++)
		{
			bool found;
			NodeType *entry = hash_search(types, &ends[j], HASH_ENTER, &found);

			if (found)
				continue;
			entry->type_no = 0;
			kg_node_add(&nodes, ends[j]);
		}
	}
	KG_BATCH_EXEC("SELECT node, type_no::bigint FROM @kg_entity "
				  "WHERE tenant = $1 AND node = ANY($2)" KG_LOCK_ORDER
				  "@FOR KEY SHARE",
				  kg_arg_text(tenant),
				  kg_arg_int8s(nodes.nodes, nodes.n));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64 node = kg_spi_int64(i, 1);
		NodeType *entry = hash_search(types, &node, HASH_FIND, NULL);

		entry->type_no = kg_spi_int64(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	all = nodes.nodes;
	seen = palloc(nodes.n * sizeof(int64));
	memcpy(seen, all, nodes.n * sizeof(int64));
	if (caller)
		kg_blank_hidden(tenant, caller, seen, nodes.n);
	for (int i = 0; i < nodes.n; i++)
	{
		NodeType *entry = hash_search(types, &all[i], HASH_FIND, NULL);

		if (seen[i] == 0)
			entry->type_no = 0;
	}
	return types;
}

static int32
type_of(HTAB *types, Datum node)
{
	int64 key = DatumGetInt64(node);
	NodeType *entry = hash_search(types, &key, HASH_FIND, NULL);

	return entry->type_no;
}

static const KgVariant *
variant_of(const KgRelation *relation, int32 from, int32 to)
{
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];

		if (variant->from_type_no == from && variant->to_type_no == to)
			return variant;
		if (relation->symmetric && variant->from_type_no == to &&
			variant->to_type_no == from)
			return variant;
	}
	return NULL;
}

static int
number_of(const KgEdgeReport *to, int row)
{
	return to->numbers ? to->numbers[row] : row;
}

static void
report(const KgEdgeReport *to, KgError *err, int row)
{
	int number = number_of(to, row);

	kg_error_path(err, "%s/%d", to->path, number);
	kg_error_report(&to->errors[to->by_row ? number : 0], err);
}

static void
report_variant(const KgCatalog *catalog, const KgRelation *relation, int32 from,
			   int32 to, int row, const KgEdgeReport *report_to)
{
	const KgType *from_type = kg_catalog_type_no(catalog, from);
	const KgType *to_type = kg_catalog_type_no(catalog, to);
	KgError *err = kg_error_new(KG_VALIDATION_FAILED,
								"relation \"%s\" does not go from \"%s\" to "
								"\"%s\"",
								relation->name,
								from_type ? kg_type_handle(from_type) : "?",
								to_type ? kg_type_handle(to_type) : "?");

	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];

		from_type = kg_catalog_type_no(catalog, variant->from_type_no);
		to_type = kg_catalog_type_no(catalog, variant->to_type_no);
		if (from_type && to_type)
			kg_error_allow(err,
						   psprintf("%s -> %s",
									kg_type_handle(from_type),
									kg_type_handle(to_type)));
	}
	kg_error_expected(err, "a declared variant of the relation");
	report(report_to, err, row);
}

/*
 * Reports a fault of an edge's properties; pointer is a JSON Pointer into them.
 */
static void
report_property(KgError *err, int row, const char *pointer,
				const KgEdgeReport *to)
{
	kg_error_path(
		err, "%s/%d/properties%s", to->path, number_of(to, row), pointer);
	kg_error_report(&to->errors[to->by_row ? number_of(to, row) : 0], err);
}

static void
check_properties(const KgCatalog *catalog, const KgRelation *relation,
				 const KgVariant *variant, const Jsonb *properties, int row,
				 const KgEdgeReport *to)
{
	const KgType *type = kg_catalog_type_no(catalog, variant->from_type_no);
	KgSchemaOptions options = {NULL, type ? type->definitions : NULL, false};
	const KgSchema *schema;
	const KgField *field;
	JsonbValue root;
	ListCell *lc;
	KgError *fault;

	if (variant->schema == NULL)
	{
		if (properties && JB_ROOT_COUNT(properties) > 0)
		{
			KgError *err = kg_error_new(KG_VALIDATION_FAILED,
										"edges of relation \"%s\" have no "
										"properties",
										relation->name);

			kg_error_expected(err,
							  "no \"properties\", or a \"schema\" in the "
							  "relation's declaration");
			report(to, err, row);
		}
		return;
	}
	schema = kg_schema_fetch(variant->schema, &options);
	if (properties == NULL)
		properties = kg_json_parse("{}");
	kg_json_root(properties, &root);
	if (kg_schema_is_valid(schema, &root))
	{
		fault = kg_period_fault(&relation->period, properties, &field);
		if (fault)
			report_property(fault, row, kg_field_pointer(field), to);
		return;
	}
	foreach(lc, kg_schema_errors(schema, &root, 10))
	{
		const KgSchemaError *violation = lfirst(lc);
		KgError *err = kg_error_new(KG_VALIDATION_FAILED,
									"value at \"%s\" violates keyword "
									"\"%s\"",
									violation->instance_path,
									violation->keyword);

		kg_error_keyword(err, pstrdup(violation->keyword));
		if (violation->value)
			kg_error_got_jsonb(err, violation->value);
		if (violation->expected)
			kg_error_expected(err, "%s", violation->expected);
		report_property(err, row, violation->instance_path, to);
	}
}

static KgError *
lost_race(void)
{
	KgError *err = kg_error_new(
		KG_CONFLICT, "an edge was written by another session at the same time");

	kg_error_expected(err, "the same call again");
	return err;
}

void
kg_edge_throw_lost_race(void)
{
	if (kg_writer()->again)
		kg_throw_again(lost_race());
	kg_error_throw(lost_race());
}

static void
check_symmetric(const KgCatalog *catalog, const KgColumns *edges,
				const KgEdgeReport *to)
{
	const bool *twice = kg_symmetric_twice(catalog, edges);

	for (int i = 0; twice && i < edges->nrows; i++)
	{
		const KgRelation *relation;
		KgError *err;

		if (!twice[i])
			continue;
		if (to->turned || kg_writer()->again)
			kg_throw_again(lost_race());
		relation = kg_catalog_relation_no(
			catalog, DatumGetInt32(edges->values[KG_EDGE_RELATION][i]));
		err = kg_error_new(KG_ALREADY_EXISTS,
						   "edge of symmetric relation \"%s\" is stored the "
						   "other way round",
						   relation->name);
		kg_error_expected(err, "a symmetric edge once, in either direction");
		report(to, err, i);
	}
}

/*
 * Checks the key. Functions of kg_graph compute it from the properties; plain
 * SQL may contain any value.
 */
static void
check_key(const KgRelation *relation, const KgColumns *edges, int row,
		  const Jsonb *properties, const KgEdgeReport *to)
{
	KgError *err;
	const char *key = kg_edge_key_of(relation, properties, &err);
	text *given = DatumGetTextPP(edges->values[KG_EDGE_KEY][row]);

	if (key != NULL && VARSIZE_ANY_EXHDR(given) == strlen(key) &&
		memcmp(VARDATA_ANY(given), key, strlen(key)) == 0)
		return;
	if (key != NULL)
	{
		err = kg_error_new(KG_VALIDATION_FAILED,
						   "key of an edge of relation \"%s\" is not what its "
						   "properties say",
						   relation->name);
		kg_error_got_string(err, text_to_cstring(given));
		kg_error_expected(err, "\"%s\"", key);
	}
	report(to, err, row);
}

static void
check_edge(const KgCatalog *catalog, const KgColumns *edges, int row,
		   HTAB *types, const KgEdgeReport *report_to)
{
	const KgRelation *relation = kg_catalog_relation_no(
		catalog, DatumGetInt32(edges->values[KG_EDGE_RELATION][row]));
	int32 from = type_of(types, edges->values[KG_EDGE_SOURCE][row]);
	int32 to = type_of(types, edges->values[KG_EDGE_TARGET][row]);
	const Jsonb *properties = NULL;
	const KgVariant *variant;
	KgError *err = NULL;

	if (relation == NULL)
		err = kg_error_new(KG_UNKNOWN_TYPE,
						   "relation %d does not exist",
						   DatumGetInt32(edges->values[KG_EDGE_RELATION][row]));
	else if (relation->derived)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "edges of relation \"%s\" are derived from an "
						   "\"x-ref\"",
						   relation->name);
		kg_error_expected(err, "a change of the referring entity");
	}
	else if (from == 0 || to == 0)
	{
		err = kg_error_new(KG_REFERENCE_MISSING,
						   "edge of relation \"%s\" has an end that does not "
						   "exist",
						   relation->name);
		kg_error_expected(err, "existing entities at both ends");
	}
	if (err)
	{
		report(report_to, err, row);
		return;
	}
	variant = variant_of(relation, from, to);
	if (variant == NULL)
	{
		report_variant(catalog, relation, from, to, row, report_to);
		return;
	}
	if (!edges->nulls[KG_EDGE_PROPERTIES][row])
		properties = DatumGetJsonbP(edges->values[KG_EDGE_PROPERTIES][row]);
	check_properties(catalog, relation, variant, properties, row, report_to);
	check_key(relation, edges, row, properties, report_to);
}

void
kg_edges_check(const KgCatalog *catalog, const KgUserContext *caller,
			   const KgColumns *edges, const KgEdgeReport *report)
{
	HTAB *types;

	if (edges->nrows == 0)
		return;
	types = lock_ends(catalog->tenant, edges, caller);
	for (int i = 0; i < edges->nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_edge(catalog, edges, i, types, report);
	}
	check_symmetric(catalog, edges, report);
	hash_destroy(types);
}

#define KG_COMPARE                                      \
	"SELECT u.ord, (e.properties IS NOT DISTINCT FROM " \
	"u.properties)::int::bigint, e.xmin, e.ctid "       \
	"FROM unnest($2, $3, $4, $5, $6) WITH ORDINALITY "  \
	"AS u(source, relation_no, target, key, properties, ord) " KG_STORED

int64
kg_edge_state(uint64 row, int column)
{
	TransactionId xmin = DatumGetTransactionId(kg_spi_datum(row, column));
	ItemPointer place = (ItemPointer) DatumGetPointer(
		kg_spi_datum(row, column + 1));
	uint64 state = hash_combine64((uint64) xmin << 32 |
									  ItemPointerGetBlockNumber(place),
								  ItemPointerGetOffsetNumber(place));

	return (int64) (state >> 1 | 1);
}

static void
take_compared(int *found, int64 *states)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64 ord = kg_spi_int64(i, 1);

		found[ord - 1] = kg_spi_int64(i, 2) ? KG_EDGE_SAME : KG_EDGE_OTHER;
		if (states != NULL)
			states[ord - 1] = kg_edge_state(i, 3);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Some rows of a batch, their indexes in it, and the results of their
 * comparison.
 */
typedef struct Chosen
{
	KgColumns rows;
	int *numbers;
	int *found;
	int64 *states;
} Chosen;

static void
choose(Chosen *chosen, const KgColumns *edges, const bool *wanted)
{
	Size n = Max(1, edges->nrows);

	kg_edges_init(&chosen->rows, CurrentMemoryContext);
	chosen->numbers = palloc(n * sizeof(int));
	for (int i = 0; i < edges->nrows; i++)
	{
		if (!wanted[i])
			continue;
		chosen->numbers[chosen->rows.nrows] = i;
		kg_edges_copy(&chosen->rows, edges, i);
	}
	chosen->found = palloc0(n * sizeof(int));
	chosen->states = palloc0(n * sizeof(int64));
}

void
kg_edges_compare(const char *tenant, const KgColumns *edges, int *found)
{
	kg_edges_compare_states(tenant, edges, found, NULL);
}

void
kg_edges_compare_states(const char *tenant, const KgColumns *edges, int *found,
						int64 *states)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_columns_exec(&saved, KG_COMPARE, tenant, edges);
	take_compared(found, states);
}

/*
 * Locks the wanted rows. Rows that are locked or deleted are not wanted any
 * more. Nor are unchanged rows that a policy prevents from being locked,
 * because it prevents their update as well. The rows still wanted were deleted
 * and written again by another session meanwhile. Returns whether there are
 * any.
 */
static bool
hold_some(const char *tenant, const KgColumns *edges, bool *wanted, int *found,
		  int64 *states)
{
	static KgSaved saved = KG_SAVED_BATCH;
	Chosen chosen;
	Chosen missed;
	bool again = false;

	choose(&chosen, edges, wanted);
	if (chosen.rows.nrows == 0)
		return false;
	kg_columns_exec(&saved,
					KG_COMPARE
					" ORDER BY e.source, e.relation_no, e.key, e.target "
					"@FOR NO KEY UPDATE OF e",
					tenant,
					&chosen.rows);
	take_compared(chosen.found, chosen.states);
	for (int i = 0; i < chosen.rows.nrows; i++)
	{
		int row = chosen.numbers[i];

		if (chosen.found[i] == KG_EDGE_NONE)
			continue;
		wanted[row] = false;
		found[row] = chosen.found[i];
		states[row] = chosen.states[i];
	}
	choose(&missed, edges, wanted);
	if (missed.rows.nrows == 0)
		return false;
	kg_edges_compare_states(tenant, &missed.rows, missed.found, missed.states);
	for (int i = 0; i < missed.rows.nrows; i++)
	{
		int row = missed.numbers[i];

		wanted[row] = missed.found[i] == KG_EDGE_OTHER &&
					  missed.states[i] != states[row];
		again |= wanted[row];
		found[row] = missed.found[i];
		states[row] = missed.states[i];
	}
	return again;
}

void
kg_edges_hold(const char *tenant, const KgColumns *edges, int *found,
			  int64 *states)
{
	bool *wanted = palloc(Max(1, edges->nrows) * sizeof(bool));

	for (int i = 0; i < edges->nrows; i++)
		wanted[i] = found[i] == KG_EDGE_OTHER;
	while (hold_some(tenant, edges, wanted, found, states))
		CHECK_FOR_INTERRUPTS();
}

void
kg_edges_find_newer(const char *tenant, const KgColumns *edges, Snapshot than,
					bool *newer)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_columns_exec(&saved, KG_COMPARE, tenant, edges);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		TransactionId xmin = DatumGetTransactionId(kg_spi_datum(i, 3));

		newer[kg_spi_int64(i, 1) - 1] = !TransactionIdIsCurrentTransactionId(
											xmin) &&
										XidInMVCCSnapshot(xmin, than);
	}
	SPI_freetuptable(SPI_tuptable);
}

void
kg_edges_compare_latest(const char *tenant, const KgColumns *edges, int *found)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_EDGE_COLUMNS + 1] = {kg_arg_text(tenant)};

	kg_columns_args(edges, &args[1]);
	kg_spi_exec_latest_args(&saved, KG_COMPARE, lengthof(args), args);
	take_compared(found, NULL);
}

/*
 * Inserts edges if the table has triggers of a DBA. These may have written some
 * of the edges during this statement, so a conflict is not a lost race.
 */
static void
insert_beside(const char *tenant, const KgColumns *edges)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static KgSaved stored = KG_SAVED_BATCH;
	uint64 inserted;

	kg_columns_exec(&saved,
					"INSERT INTO @kg_edge(tenant, source, relation_no, target, "
					"key, properties) "
					"SELECT $1, u.* FROM unnest($2, $3, $4, $5, $6) u "
					"ON CONFLICT DO NOTHING",
					tenant,
					edges);
	inserted = SPI_processed;
	if (inserted == edges->nrows)
		return;
	kg_columns_exec(
		&stored,
		"SELECT e.xmin FROM unnest($2, $3, $4, $5, $6) "
		"u(source, relation_no, target, key, properties) " KG_STORED,
		tenant,
		edges);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		if (!TransactionIdIsCurrentTransactionId(
				DatumGetTransactionId(kg_spi_datum(i, 1))))
			kg_edge_throw_lost_race();
	}
	SPI_freetuptable(SPI_tuptable);
	SPI_processed = inserted;
}

/* Returns false if fewer rows were written than wanted. */
static bool
write_some(const char *tenant, const KgColumns *edges, const int *found,
		   int wanted, bool beside)
{
	static KgSaved insert_saved = KG_SAVED_BATCH;
	static KgSaved update_saved = KG_SAVED_BATCH;
	KgColumns chosen;

	kg_edges_init(&chosen, CurrentMemoryContext);
	for (int i = 0; i < edges->nrows; i++)
	{
		if (found[i] == wanted)
			kg_edges_copy(&chosen, edges, i);
	}
	if (chosen.nrows == 0)
		return true;
	if (wanted == KG_EDGE_NONE && beside)
		insert_beside(tenant, &chosen);
	else if (wanted == KG_EDGE_NONE)
	{
		if (!kg_columns_insert(
				&insert_saved,
				"kg_edge_pkey",
				"INSERT INTO @kg_edge(tenant, source, relation_no, "
				"target, key, properties) "
				"SELECT $1, u.* FROM unnest($2, $3, $4, $5, $6) u",
				tenant,
				&chosen))
			kg_edge_throw_lost_race();
	}
	else
		kg_columns_exec(&update_saved,
						"UPDATE @kg_edge e SET properties = u.properties "
						"FROM unnest($2, $3, $4, $5, $6) "
						"u(source, relation_no, target, key, properties) "
						"WHERE e.tenant = $1 AND e.source = u.source "
						"AND e.relation_no = u.relation_no AND e.key = u.key "
						"AND e.target = u.target",
						tenant,
						&chosen);
	return SPI_processed == chosen.nrows;
}

void
kg_edges_delete(const char *tenant, const KgColumns *edges, bool whole)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_EDGE_COLUMNS + 2] = {kg_arg_text(tenant), kg_arg_bool(whole)};

	kg_columns_args(edges, &args[2]);
	kg_spi_exec_args(&saved,
					 "DELETE FROM @kg_edge e "
					 "USING unnest($3, $4, $5, $6, $7) WITH ORDINALITY "
					 "u(source, relation_no, target, key, properties, ord) "
					 "WHERE e.tenant = $1 AND e.source = u.source "
					 "AND e.relation_no = u.relation_no AND e.key = u.key "
					 "AND e.target = u.target AND e.property IS NULL "
					 "AND ($2 OR (EXISTS (SELECT FROM @kg_entity v "
					 "WHERE v.tenant = $1 AND v.node = u.source) AND "
					 "EXISTS (SELECT FROM @kg_entity v WHERE v.tenant = $1 "
					 "AND v.node = u.target))) RETURNING u.ord, e.xmin, e.ctid",
					 lengthof(args),
					 args);
}

static void
fate_or_kept(KgFate fate, int *verdict, bool *kept)
{
	bool same = *verdict == KG_EDGE_SAME;

	*kept = fate == KG_FATE_ABSENT || fate == KG_FATE_GONE ||
			(fate == KG_FATE_SAME && !same);
	if (fate == KG_FATE_MADE)
		*verdict = KG_EDGE_NONE;
	else if (fate == KG_FATE_CHANGED)
		*verdict = KG_EDGE_OTHER;
}

const bool *
kg_edges_write(const char *tenant, const KgColumns *edges, int *found)
{
	Snapshot before = kg_stored_begin();
	bool beside = kg_stored_has_own_triggers("kg_edge");
	bool all = write_some(tenant, edges, found, KG_EDGE_NONE, beside);
	bool *kept = NULL;

	all = write_some(tenant, edges, found, KG_EDGE_OTHER, beside) && all;
	if (!all || beside)
	{
		KgFate *fates = palloc(Max(1, edges->nrows) * sizeof(KgFate));

		kept = palloc(Max(1, edges->nrows) * sizeof(bool));
		kg_stored_edges(tenant, edges, before, fates);
		for (int i = 0; i < edges->nrows; i++)
			fate_or_kept(fates[i], &found[i], &kept[i]);
	}
	kg_stored_end(before);
	return kept;
}

typedef struct Turned
{
	const char *tenant;
	const KgColumns *edges;
	int *found;
	const bool *kept;
} Turned;

static void
write_turned(void *arg)
{
	Turned *turned = arg;

	turned->kept = kg_edges_write(turned->tenant, turned->edges, turned->found);
}

const bool *
kg_edges_write_turned(const KgCatalog *catalog, const KgColumns *edges,
					  int *found)
{
	Turned turned = {catalog->tenant, edges, found};

	kg_writer_part(kg_symmetric_any(catalog, edges), write_turned, &turned);
	return turned.kept;
}
