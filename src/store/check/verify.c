/*
 * verify.c
 *	  Verifies that all rows derived from a tenant's entities are correct.
 *
 * Entities are read once, in batches. The rows that derive.h derives from a
 * batch are compared set-wise with the stored rows of the batch's nodes. A
 * separate search finds rows of nodes that are not entities.
 *
 * Index keys have no index by node, so a hash sum over all stored keys is
 * computed. If it differs from the sum over the expected keys, each expected
 * key is looked up. If the number of rows then shows that there are surplus
 * keys, these are searched for. Counts of edges have an index by node and are
 * compared by it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/catch.h"
#include "base/progress.h"
#include "base/spi.h"
#include "model/adjacency.h"
#include "model/counted.h"
#include "catalog/pg_type.h"
#include "model/tenant_state.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/derived/counted.h"
#include "store/derived/derive.h"
#include "store/edge/edges.h"
#include "store/derived/extract.h"
#include "store/derived/pieces.h"
#include "store/reference/bound_targets.h"
#include "store/tenant/quota.h"
#include "store/derived/rebuild.h"
#include "store/edge/symmetric.h"
#include "store/check/verify.h"
#include "store/check/verify_history.h"
#include "store/check/verify_schemas.h"
#include "store/check/verify_trigrams.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * Number of entities, and of blocks of packed edges, that are read at a time.
 */
#define KG_VERIFY_BATCH 1000
#define KG_VERIFY_BLOCKS 200

/*
 * Passes over the entities. A further pass is needed if the first pass finds
 * that one kind of derived rows is wrong.
 */
typedef enum KgPass
{
	KG_PASS_ALL,
	KG_PASS_KEYS,
	KG_PASS_TRIGRAMS
} KgPass;

/*
 * A sum over rows of kg_index_key in any order: their number, and the sum of
 * their hashes with a secret seed.
 */
typedef struct KgKeySum
{
	uint64 n;
	uint64 hashes;
} KgKeySum;

typedef struct KgVerify
{
	const char *tenant;
	uint64 seed;
	const KgCatalog *catalog;
	const KgUserContext *admin; /* or NULL */
	KgReferenceList bound;		/* references to types that read a table */
	KgDifferences *differences;
	MemoryContext batch;
	KgNodeList nodes; /* entities of the batch */
	List *ids;		  /* ids (char *) of the entities of the batch */
	List *types;
	KgColumns edges; /* edges derived from the entities of the batch */
	int64 entities;
	KgKeySum should;
	KgKeySum stored;
	int64 keys; /* number of expected keys that are stored */
	bool terms_wrong;
	KgPass pass;
} KgVerify;

static void
differ(KgVerify *v, const char *kind, const char *table, const char *type,
	   const char *id, const char *expected, const char *got,
	   const char *repair)
{
	KgDifference difference = {
		kind, table, v->tenant, type, id, NULL, expected, got, repair};

	if (v->pass == KG_PASS_ALL)
		kg_differences_add(v->differences, &difference);
}

#define KG_REBUILD "SELECT kg_rebuild()"

/*
 * Adds a difference for a node. If the entity is in the batch, the difference
 * has its id.
 */
static void
differ_of_node(KgVerify *v, const char *kind, const char *table, int64 node,
			   const char *expected, const char *got, const char *repair)
{
	KgDifference difference = {kind, table, v->tenant};
	int place = 0;

	while (place < v->nodes.n && v->nodes.nodes[place] != node)
		place++;
	if (place < v->nodes.n)
	{
		difference.type = list_nth(v->types, place);
		difference.id = list_nth(v->ids, place);
	}
	else if (node != 0)
		difference.object = psprintf("node " INT64_FORMAT, node);
	difference.expected = expected;
	difference.got = got;
	difference.repair = repair;
	kg_differences_add(v->differences, &difference);
}

/*
 * Reports a difference for each row of the last statement. The columns are:
 * true if a row is missing or false if it is surplus, its node, and the row as
 * text.
 */
static void
report_rows(KgVerify *v, const char *table, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
	{
		bool isnull;
		bool missing = DatumGetBool(kg_spi_value(i, 1, &isnull));
		char *row = kg_spi_cstring(i, 3);

		int64 node = DatumGetInt64(kg_spi_value(i, 2, &isnull));

		differ_of_node(v,
					   missing ? "row_missing" : "row_stale",
					   table,
					   isnull ? 0 : node,
					   missing ? row : NULL,
					   missing ? NULL : row,
					   KG_REBUILD);
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
run_rows(KgVerify *v, KgSaved *saved, const char *sql, const char *table,
		 int nargs, const KgArg *args)
{
	MemoryContext old = MemoryContextSwitchTo(v->batch);

	CHECK_FOR_INTERRUPTS();
	kg_spi_read_args(saved, sql, nargs, args);
	report_rows(v, table, SPI_processed);
	MemoryContextSwitchTo(old);
}

/*
 * Runs a statement about all rows of the tenant. Reports each row that it
 * returns.
 */
static void
run_rows_of_all(KgVerify *v, const char *sql, const char *table)
{
	MemoryContext old = MemoryContextSwitchTo(v->batch);

	CHECK_FOR_INTERRUPTS();
	kg_spi_select_all_of(sql, v->tenant);
	report_rows(v, table, SPI_processed);
	MemoryContextSwitchTo(old);
}

/*
 * A query of the differences between expected and stored rows, in both
 * directions, for the nodes of the batch. The argument "should" selects the
 * expected rows, and "is" selects the stored rows. Each row is a node and a
 * text.
 */
#define KG_BOTH_WAYS(should, is)                                      \
	"SELECT bit_or(b.side) = 1, b.node, b.line FROM ("                \
	"SELECT s.node, s.line, 1 AS side FROM (" should ") s UNION ALL " \
	"SELECT i.node, i.line, 2 FROM (" is ") i) b GROUP BY b.node, "   \
	"b.line HAVING bit_or(b.side) <> 3"

/*
 * The rows r of a table for an array of nodes. Entities are read in the order
 * of their nodes, so the nodes of a batch are one range of the index. BETWEEN
 * makes the planner read this range instead of looking up each node. Some
 * primary keys contain all columns of the table; ctid prevents the planner
 * from reading the whole index of such a table. IS TRUE makes the planner test
 * nodes with a hash table instead of a join.
 */
#define KG_ROWS_OF(table, node, nodes)                         \
	"@" table " r WHERE r.tenant = $1 AND r." node " BETWEEN " \
	"(SELECT min(m) FROM unnest(" nodes ") AS m) AND "         \
	"(SELECT max(m) FROM unnest(" nodes ") AS m) AND (r." node \
	" IN (SELECT unnest(" nodes "))) IS TRUE AND r.ctid <> '(0,0)'"

static void
add_key(uint64 seed, KgKeySum *sum, Datum type_no, Datum field_no, Datum key,
		Datum entity_id, Datum node)
{
	int64 numbers[3] = {
		DatumGetInt32(type_no), DatumGetInt32(field_no), DatumGetInt64(node)};
	bytea *bytes = DatumGetByteaPP(key);
	text *id = DatumGetTextPP(entity_id);
	uint64 hash = hash_bytes_extended(
		(unsigned char *) numbers, sizeof(numbers), seed);

	hash = hash_bytes_extended(
		(unsigned char *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), hash);
	sum->hashes += hash_bytes_extended(
		(unsigned char *) VARDATA_ANY(id), VARSIZE_ANY_EXHDR(id), hash);
	sum->n++;
}

/*
 * Compares expected index keys with the stored keys. The keys are looked up in
 * the order of their index, page by page.
 */
static void
compare_keys(KgVerify *v, const KgColumns *keys)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[6] = {kg_arg_text(v->tenant)};
	int64 before = v->differences->total;

	if (keys->nrows == 0)
		return;
	kg_columns_args(keys, &args[1]);
	run_rows(v,
			 &saved,
			 "SELECT true, u.node, concat_ws(' ', u.type_no, u.field_no, "
			 "u.key, u.entity_id) FROM (SELECT * FROM "
			 "unnest($2, $3, $4, $5, $6) "
			 "AS k(type_no, field_no, key, entity_id, node) "
			 "ORDER BY k.type_no, k.field_no, k.key OFFSET 0) u "
			 "WHERE NOT EXISTS (SELECT FROM @kg_index_key k "
			 "WHERE k.type_no = u.type_no AND k.field_no = u.field_no "
			 "AND k.key = u.key AND k.entity_id = u.entity_id "
			 "AND k.tenant = $1 AND k.node = u.node)",
			 "kg_index_key",
			 lengthof(args),
			 args);
	v->keys += keys->nrows - (v->differences->total - before);
}

/*
 * Compares expected rows with the stored rows of the batch's nodes. $2 and the
 * next parameters are the columns of the expected rows; the last parameter has
 * the nodes.
 */
static void
compare_rows(KgVerify *v, KgSaved *saved, const char *sql, const char *table,
			 const KgColumns *rows, KgArg nodes)
{
	KgArg args[KG_MAX_COLUMNS + 2] = {kg_arg_text(v->tenant)};

	kg_columns_args(rows, &args[1]);
	args[rows->ncolumns + 1] = nodes;
	run_rows(v, saved, sql, table, rows->ncolumns + 2, args);
}

static void
compare_terms(KgVerify *v, const KgColumns *terms, KgArg nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	int64 before = v->differences->total;

	compare_rows(
		v,
		&saved,
		KG_BOTH_WAYS(
			"SELECT u.node, concat_ws(' ', u.kind, u.type_no, "
			"u.term) AS line FROM unnest($2, $3, $4, $5) "
			"AS u(term, kind, type_no, node)",
			"SELECT r.node, concat_ws(' ', r.kind, r.type_no, "
			"r.term) AS line FROM " KG_ROWS_OF("kg_term", "node", "$6")),
		"kg_term",
		terms,
		nodes);
	v->terms_wrong |= v->differences->total > before;
}

/*
 * Looks up the trigrams of the batch's expected terms. This is called if
 * kg_term is wrong. Surplus trigrams of deleted terms are permitted.
 */
static void
compare_trigrams(KgVerify *v, const KgColumns *terms)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid types[] = {TEXTOID, TEXTOID};
	KgArg args[3] = {kg_arg_text(v->tenant)};
	KgColumns pieces;

	kg_columns_init(&pieces, v->batch, 2, types);
	for (int i = 0; i < terms->nrows; i++)
		kg_pieces_of_term(&pieces, TextDatumGetCString(terms->values[0][i]));
	if (pieces.nrows == 0)
		return;
	kg_columns_args(&pieces, &args[1]);
	run_rows(v,
			 &saved,
			 "SELECT true, NULL::bigint, concat_ws(' ', u.trigram, u.term) "
			 "FROM (SELECT DISTINCT t.trigram COLLATE \"C\" AS trigram, "
			 "t.term COLLATE \"C\" AS term FROM unnest($2, $3) "
			 "AS t(trigram, term) ORDER BY 1, 2 OFFSET 0) u WHERE NOT EXISTS "
			 "(SELECT FROM @kg_trigram g WHERE g.tenant = $1 "
			 "AND g.trigram = u.trigram AND g.term = u.term)",
			 "kg_trigram",
			 lengthof(args),
			 args);
}

static void
compare_unique(KgVerify *v, const KgColumns *unique, KgArg nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;

	compare_rows(
		v,
		&saved,
		KG_BOTH_WAYS(
			"SELECT u.node, concat_ws(' ', u.type_no, u.field, "
			"u.key) AS line FROM unnest($2, $3, $4, $5) "
			"AS u(type_no, field, key, node)",
			"SELECT r.node, concat_ws(' ', r.type_no, r.field, "
			"r.key) AS line FROM " KG_ROWS_OF("kg_unique_key", "node", "$6")),
		"kg_unique_key",
		unique,
		nodes);
}

static void
compare_words(KgVerify *v, const KgColumns *words, KgArg nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;

	compare_rows(
		v,
		&saved,
		KG_BOTH_WAYS("SELECT u.node, concat_ws(' ', u.type_no, u.word, "
					 "u.frequency, u.length) AS line "
					 "FROM unnest($2, $3, $4, $5, $6) "
					 "AS u(word, type_no, node, frequency, length)",
					 "SELECT r.node, concat_ws(' ', r.type_no, r.word, "
					 "r.frequency, r.length) AS line "
					 "FROM " KG_ROWS_OF("kg_word", "node", "$7")),
		"kg_word",
		words,
		nodes);
}

static void
gather_edges(const char *tenant, KgColumns *edges, bool repeated, void *arg)
{
	KgVerify *v = arg;
	MemoryContext old = MemoryContextSwitchTo(v->batch);

	for (int i = 0; i < edges->nrows; i++)
	{
		kg_columns_add_row(&v->edges);
		kg_columns_int64(&v->edges, 0, DatumGetInt64(edges->values[0][i]));
		kg_columns_int32(&v->edges, 1, DatumGetInt32(edges->values[1][i]));
		kg_columns_int64(&v->edges, 2, DatumGetInt64(edges->values[2][i]));
		kg_columns_text(&v->edges, 3, TextDatumGetCString(edges->values[3][i]));
	}
	MemoryContextSwitchTo(old);
}

static void
differ_dangling(KgVerify *v, const KgReferenceList *missing,
				const char *expected, const char *repair)
{
	for (int i = 0; i < missing->n; i++)
		differ_of_node(v,
					   "reference_dangling",
					   "kg_entity",
					   missing->items[i].source,
					   psprintf(expected, missing->items[i].field->name),
					   missing->items[i].value,
					   repair);
}

typedef struct BoundCheck
{
	KgVerify *v;
	KgReferenceList missing;
} BoundCheck;

static void
find_bound(void *arg)
{
	BoundCheck *check = arg;

	kg_bound_references_find(
		check->v->catalog, check->v->admin, &check->v->bound, &check->missing);
}

/*
 * Reports references to rows of tables that do not exist or that the admin does
 * not see. If a table cannot be read, reports that its references were not
 * checked.
 */
static void
compare_bound(KgVerify *v)
{
	BoundCheck check = {v, {v->batch}};
	ErrorData *edata;

	if (v->admin == NULL || v->bound.n == 0)
		return;
	edata = kg_catch(KG_CATCH_KEEP, find_bound, &check);
	if (edata != NULL)
		differ(v,
			   "reference_unchecked",
			   "kg_entity",
			   v->bound.items[0].field->ref_type,
			   NULL,
			   "a table that can be read",
			   edata->message,
			   "SELECT kg_binding_report(type)");
	else
		differ_dangling(
			v,
			&check.missing,
			"a row to which property \"%s\" refers, and which the caller sees",
			"write the reference again");
}

static void
compare_edges(KgVerify *v, const KgReferenceList *references, KgArg nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid types[] = {INT8OID, INT4OID, INT8OID, TEXTOID};
	KgReferenceList missing = {v->batch};
	KgSight sight;

	memset(&sight, 0, sizeof(sight));
	kg_columns_init(&v->edges, v->batch, 4, types);
	kg_references_edges(
		v->catalog, references, &sight, &missing, gather_edges, v);
	differ_dangling(v,
					&missing,
					"an entity to which property \"%s\" refers",
					"write the missing entity, or write the reference again");
	compare_rows(
		v,
		&saved,
		KG_BOTH_WAYS("SELECT u.source AS node, concat_ws(' ', "
					 "u.relation_no, u.target, "
					 "min(u.property COLLATE \"C\")) AS line "
					 "FROM unnest($2, $3, $4, $5) "
					 "AS u(source, relation_no, target, property) "
					 "GROUP BY u.source, u.relation_no, u.target",
					 "SELECT r.source AS node, concat_ws(' ', "
					 "r.relation_no, r.target, r.property) AS line "
					 "FROM " KG_ROWS_OF("kg_edge",
										"source",
										"$6") " AND r.property IS NOT NULL"),
		"kg_edge",
		&v->edges,
		nodes);
}

static void
differ_trigram(const char *trigram, const char *term, void *arg)
{
	differ_of_node(arg,
				   "row_missing",
				   "kg_trigram",
				   0,
				   psprintf("%s %s", trigram, term),
				   NULL,
				   KG_REBUILD);
}

/* Adds a difference of a count of edges. */
static void
differ_count(int64 node, const char *expected, const char *got, void *arg)
{
	differ_of_node(
		arg, "count_wrong", "kg_index_key", node, expected, got, KG_REBUILD);
}

/*
 * Compares a batch of derived rows with the stored rows. Has the type
 * KgDerivedRows.
 */
static void
compare_batch(const KgColumns *keys, const KgColumns *terms,
			  const KgColumns *unique, const KgColumns *words,
			  const KgReferenceList *references, void *arg)
{
	KgVerify *v = arg;
	MemoryContext old = MemoryContextSwitchTo(v->batch);
	KgArg nodes = kg_arg_int8s(v->nodes.nodes, v->nodes.n);

	if (v->pass == KG_PASS_TRIGRAMS)
		compare_trigrams(v, terms);
	else if (v->pass == KG_PASS_KEYS)
		compare_keys(v, keys);
	else
	{
		for (int i = 0; i < keys->nrows; i++)
			add_key(v->seed,
					&v->should,
					keys->values[0][i],
					keys->values[1][i],
					keys->values[2][i],
					keys->values[3][i],
					keys->values[4][i]);
		compare_terms(v, terms, nodes);
		compare_unique(v, unique, nodes);
		compare_words(v, words, nodes);
		compare_edges(v, references, nodes);
		compare_bound(v);
		kg_counted_compare(v->catalog, &v->nodes, differ_count, v);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(v->batch);
	memset(&v->nodes, 0, sizeof(v->nodes));
	v->nodes.context = v->batch;
	memset(&v->bound, 0, sizeof(v->bound));
	v->bound.context = v->batch;
	v->ids = NIL;
	v->types = NIL;
}

/*
 * Compares the columns of an entity with the values that its document and its
 * type require.
 */
static void
verify_entity(KgVerify *v, KgDerivation *d, HeapTuple row, TupleDesc desc)
{
	bool isnull;
	int32 type_no = DatumGetInt32(SPI_getbinval(row, desc, 1, &isnull));
	char *id = SPI_getvalue(row, desc, 2);
	int64 node = DatumGetInt64(SPI_getbinval(row, desc, 3, &isnull));
	Jsonb *data = DatumGetJsonbP(SPI_getbinval(row, desc, 4, &isnull));
	bytea *keys = DatumGetByteaPP(SPI_getbinval(row, desc, 5, &isnull));
	Datum scope = SPI_getbinval(row, desc, 6, &isnull);
	bool no_scope = isnull;
	char *bundle = SPI_getvalue(row, desc, 7);
	char *name = SPI_getvalue(row, desc, 8);
	int64 version = DatumGetInt64(SPI_getbinval(row, desc, 9, &isnull));
	const KgType *type = kg_catalog_type_no(v->catalog, type_no);
	KgErrorList errors = {NIL, 1};
	MemoryContext old;
	char *own_id;

	v->entities += v->pass == KG_PASS_ALL ? 1 : 0;
	if (type == NULL || strcmp(type->bundle, bundle) != 0 ||
		strcmp(type->name, name) != 0)
	{
		differ(v,
			   "type_unknown",
			   "kg_entity",
			   name,
			   id,
			   NULL,
			   psprintf("type_no %d", type_no),
			   "make the type again, or delete the entity");
		return;
	}
	own_id = kg_entity_id(type, data, "", &errors);
	if (own_id && strcmp(own_id, id) != 0)
		differ(v,
			   "column_wrong",
			   "kg_entity",
			   name,
			   id,
			   psprintf("entity_id %s", own_id),
			   psprintf("entity_id %s", id),
			   "write the entity again");
	if (own_id == NULL || !kg_entity_check(type, id, data, "", &errors))
		differ(v,
			   "schema_refused",
			   "kg_entity",
			   name,
			   id,
			   NULL,
			   kg_error_message(linitial(errors.errors)),
			   "write the entity again");
	if (!kg_extract_is_stored(
			type, data, keys, no_scope ? NULL : DatumGetTextPP(scope)))
		differ(v,
			   "column_wrong",
			   "kg_entity",
			   name,
			   id,
			   "the values of index_keys and scope that follow from data",
			   NULL,
			   KG_REBUILD);
	if (version < 1)
		differ(v,
			   "column_wrong",
			   "kg_entity",
			   name,
			   id,
			   "version of 1 or more",
			   psprintf("version " INT64_FORMAT, version),
			   "write the entity again");
	kg_node_add(&v->nodes, node);
	kg_bound_references_of(type, node, NULL, data, &v->bound);
	old = MemoryContextSwitchTo(v->batch);
	v->ids = lappend(v->ids, pstrdup(id));
	v->types = lappend(v->types, (void *) kg_type_handle(type));
	MemoryContextSwitchTo(old);
	kg_derive_inserted(d, type_no, id, node, data, kg_extract_keys(type, data));
}

static void
verify_entities(KgVerify *v)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(
		caller, "kg_graph verify", ALLOCSET_DEFAULT_SIZES);
	KgDerivation *d = kg_derive_begin(v->tenant, NULL);
	KgWork work;
	Portal portal = kg_spi_cursor_of(
		"SELECT type_no, entity_id, node, data, index_keys, scope, bundle, "
		"entity_type, version FROM @kg_entity WHERE tenant = $1 "
		"ORDER BY node",
		v->tenant);

	kg_derive_compare(d, compare_batch, v);
	kg_work_begin(&work, "checking entities", -1);
	for (;;)
	{
		SPITupleTable *rows;
		uint64 n;

		SPI_cursor_fetch(portal, true, KG_VERIFY_BATCH);
		rows = SPI_tuptable;
		n = SPI_processed;
		MemoryContextSwitchTo(scratch);
		for (uint64 i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			verify_entity(v, d, rows->vals[i], rows->tupdesc);
		}
		MemoryContextReset(scratch);
		SPI_freetuptable(rows);
		if (n == 0)
			break;
		kg_work_done(&work, n);
	}
	SPI_cursor_close(portal);
	MemoryContextSwitchTo(caller);
	kg_derive_end(d);
	MemoryContextDelete(scratch);
}

/*
 * Finds derived rows of nodes that are not entities. Of the edges, only derived
 * edges are checked, by their source.
 */
static void
verify_orphans(KgVerify *v)
{
	static const struct
	{
		const char *table;
		const char *sql;
	} orphans[] = {
		{"kg_term",
		 "SELECT false, t.node, concat_ws(' ', t.kind, t.type_no, t.term) "
		 "FROM @kg_term t WHERE t.tenant = $1 AND NOT EXISTS (SELECT FROM "
		 "@kg_entity e WHERE e.tenant = $1 AND e.node = t.node)"},
		{"kg_unique_key",
		 "SELECT false, k.node, concat_ws(' ', k.type_no, k.field, k.key) "
		 "FROM @kg_unique_key k WHERE k.tenant = $1 AND NOT EXISTS (SELECT "
		 "FROM @kg_entity e WHERE e.tenant = $1 AND e.node = k.node)"},
		{"kg_index_key",
		 "SELECT false, k.node, concat_ws(' ', k.type_no, k.field_no, k.key) "
		 "FROM @kg_index_key k WHERE k.tenant = $1 AND k." KG_COUNTED_ROWS
		 " AND NOT EXISTS (SELECT FROM @kg_entity e WHERE e.tenant = $1 "
		 "AND e.node = k.node)"},
		{"kg_word",
		 "SELECT false, w.node, concat_ws(' ', w.type_no, w.word) "
		 "FROM @kg_word w WHERE w.tenant = $1 AND NOT EXISTS (SELECT FROM "
		 "@kg_entity e WHERE e.tenant = $1 AND e.node = w.node)"},
		{"kg_edge",
		 "SELECT false, d.source, concat_ws(' ', d.relation_no, d.target, "
		 "d.property) FROM @kg_edge d WHERE d.tenant = $1 "
		 "AND d.property IS NOT NULL AND NOT EXISTS (SELECT FROM "
		 "@kg_entity e WHERE e.tenant = $1 AND e.node = d.source)"}};
	int64 before = v->differences->total;

	for (int i = 0; i < lengthof(orphans); i++)
	{
		run_rows_of_all(v, orphans[i].sql, orphans[i].table);
		if (i == 0)
			v->terms_wrong |= v->differences->total > before;
	}
}

/* Compares the counts of words (kg_word_count) with the rows of kg_word. */
static void
verify_word_counts(KgVerify *v)
{
	static KgSaved saved;
	KgArg tenant = kg_arg_text(v->tenant);

	run_rows(v,
			 &saved,
			 "WITH should AS (SELECT word, count(*) AS documents, 0 AS length "
			 "FROM @kg_word WHERE tenant = $1 GROUP BY word UNION ALL "
			 "SELECT '', count(DISTINCT node), sum(frequency) "
			 "FROM @kg_word WHERE tenant = $1 HAVING count(*) > 0), "
			 "stored AS (SELECT word, sum(documents) AS documents, "
			 "sum(length) AS length FROM @kg_word_count WHERE tenant = $1 "
			 "GROUP BY word HAVING sum(documents) <> 0 OR sum(length) <> 0) "
			 "SELECT true, NULL::bigint, concat_ws(' ', word, documents, "
			 "length) FROM (SELECT * FROM should EXCEPT SELECT * FROM stored) "
			 "m UNION ALL SELECT false, NULL::bigint, concat_ws(' ', word, "
			 "documents, length) FROM (SELECT * FROM stored EXCEPT "
			 "SELECT * FROM should) s",
			 "kg_word_count",
			 1,
			 &tenant);
}

static void
verify_trigrams(KgVerify *v)
{
	if (!v->terms_wrong)
	{
		kg_verify_trigrams(v->tenant, v->batch, differ_trigram, v);
		return;
	}
	v->pass = KG_PASS_TRIGRAMS;
	verify_entities(v);
	v->pass = KG_PASS_ALL;
}

/*
 * A condition for explicit edges that a write would reject. The repair deletes
 * them.
 */
#define KG_BAD_EDGES                                                     \
	"d.tenant = $1 AND d.property IS NULL AND (NOT EXISTS (SELECT FROM " \
	"@kg_entity e WHERE e.tenant = $1 AND e.node = d.source) "           \
	"OR NOT EXISTS (SELECT FROM @kg_entity e WHERE e.tenant = $1 "       \
	"AND e.node = d.target) OR NOT EXISTS (SELECT FROM @kg_relation r "  \
	"WHERE r.tenant = $1 AND r.relation_no = d.relation_no))"

static void
verify_explicit_edges(KgVerify *v)
{
	kg_spi_select_all_of(
		"SELECT concat_ws(' ', d.source, d.relation_no, d.target) "
		"FROM @kg_edge d WHERE " KG_BAD_EDGES,
		v->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		differ(v,
			   "edge_dangling",
			   "kg_edge",
			   NULL,
			   NULL,
			   "two entities and a relation",
			   kg_spi_cstring(i, 1),
			   "delete the edge, as kg_check with repair does");
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Adds a difference with the error with which a write of the edge would be
 * rejected. Omits missing ends and relations, which verify_explicit_edges()
 * reports.
 */
static void
differ_edge(KgVerify *v, const KgColumns *edges, int row,
			const KgErrorList *errors)
{
	ListCell *lc;

	foreach(lc, errors->errors)
	{
		KgError *err = lfirst(lc);
		KgDifference difference = {"edge_refused", "kg_edge", v->tenant};

		if (kg_error_code(err) == KG_REFERENCE_MISSING ||
			kg_error_code(err) == KG_UNKNOWN_TYPE)
			continue;
		difference.object = psprintf(
			INT64_FORMAT " %d " INT64_FORMAT,
			DatumGetInt64(edges->values[KG_EDGE_SOURCE][row]),
			DatumGetInt32(edges->values[KG_EDGE_RELATION][row]),
			DatumGetInt64(edges->values[KG_EDGE_TARGET][row]));
		difference.got = kg_error_message(err);
		difference.repair = "write the edge again, or delete it";
		if (kg_error_code(err) == KG_ALREADY_EXISTS)
		{
			difference.kind = "edge_twice";
			difference.repair = "delete one of the two, as kg_check with "
								"repair does";
		}
		kg_differences_add(v->differences, &difference);
		return;
	}
}

static void
take_edge(KgColumns *edges, HeapTuple row, TupleDesc desc)
{
	bool isnull;
	int64 source = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
	int32 relation_no = DatumGetInt32(SPI_getbinval(row, desc, 2, &isnull));
	int64 target = DatumGetInt64(SPI_getbinval(row, desc, 3, &isnull));
	char *key = SPI_getvalue(row, desc, 4);
	Datum properties = SPI_getbinval(row, desc, 5, &isnull);

	kg_edges_add(edges,
				 source,
				 relation_no,
				 target,
				 key,
				 isnull ? NULL : DatumGetJsonbP(properties));
}

/*
 * Runs a statement and calls check for batches of its rows. Each batch has its
 * own memory context. $1 is the tenant.
 */
static void
each_rows(KgVerify *v, const char *what, const char *sql, int batch,
		  void (*check)(KgVerify *v, HeapTuple *rows, int n, TupleDesc desc))
{
	KgWork work;
	MemoryContext caller = CurrentMemoryContext;
	Portal portal = kg_spi_cursor_of(sql, v->tenant);

	kg_work_begin(&work, what, -1);
	for (;;)
	{
		SPITupleTable *rows;
		int n;

		CHECK_FOR_INTERRUPTS();
		SPI_cursor_fetch(portal, true, batch);
		rows = SPI_tuptable;
		n = SPI_processed;
		if (n == 0)
			break;
		MemoryContextSwitchTo(v->batch);
		check(v, rows->vals, n, rows->tupdesc);
		kg_work_done(&work, n);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(v->batch);
		SPI_freetuptable(rows);
	}
	SPI_cursor_close(portal);
	MemoryContextSwitchTo(caller);
}

/*
 * Finds surplus keys, if there are more stored keys than were found: stored
 * keys that do not follow from the entity's document.
 */
static void
verify_more_keys(KgVerify *v)
{
	int64 n;

	KG_SPI_SELECT_OF("SELECT count(*) FROM @kg_index_key WHERE tenant = $1 "
					 "AND NOT " KG_COUNTED_ROWS " AND type_no IN "
					 "(SELECT type_no FROM @kg_entity_type WHERE tenant = $1)",
					 v->tenant);
	n = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	if (n == v->keys)
		return;
	run_rows_of_all(
		v,
		"SELECT false, k.node, concat_ws(' ', k.type_no, k.field_no, "
		"k.key, k.entity_id) FROM @kg_index_key k "
		"LEFT JOIN @kg_entity e ON e.tenant = $1 AND e.node = k.node "
		"WHERE k.tenant = $1 AND NOT k." KG_COUNTED_ROWS " AND k.type_no IN "
		"(SELECT type_no FROM @kg_entity_type WHERE tenant = $1) "
		"AND (e.node IS NULL OR e.type_no <> k.type_no "
		"OR e.entity_id <> k.entity_id OR k.key <> "
		"ALL (@kg_packed_keys(e.index_keys, k.field_no)))",
		"kg_index_key");
}

static void
add_key_rows(KgVerify *v, HeapTuple *rows, int n, TupleDesc desc)
{
	for (int i = 0; i < n; i++)
	{
		Datum values[5];
		bool nulls[5];

		heap_deform_tuple(rows[i], desc, values, nulls);
		add_key(v->seed,
				&v->stored,
				values[0],
				values[1],
				values[2],
				values[3],
				values[4]);
	}
}

/*
 * Compares the sum of all stored keys with the sum of the expected keys. Only
 * if the sums differ, looks up each key, because that takes longer than all
 * other checks.
 */
static void
verify_keys(KgVerify *v)
{
	each_rows(v,
			  "checking index keys",
			  "SELECT type_no, field_no, key, entity_id, node "
			  "FROM @kg_index_key WHERE tenant = $1 "
			  "AND NOT " KG_COUNTED_ROWS " AND type_no IN "
			  "(SELECT type_no FROM @kg_entity_type WHERE tenant = $1)",
			  KG_VERIFY_BATCH,
			  add_key_rows);
	if (v->stored.n == v->should.n && v->stored.hashes == v->should.hashes)
		return;
	v->pass = KG_PASS_KEYS;
	verify_entities(v);
	v->pass = KG_PASS_ALL;
	verify_more_keys(v);
}

/*
 * Checks edges like the functions that write edges: ends, variant, key,
 * properties.
 */
static void
verify_edges(KgVerify *v, HeapTuple *rows, int n, TupleDesc desc)
{
	KgEdgeReport report = {"", NULL, true};
	KgColumns edges;

	kg_edges_init(&edges, v->batch);
	for (int i = 0; i < n; i++)
		take_edge(&edges, rows[i], desc);
	report.errors = palloc0(n * sizeof(KgErrorList));
	for (int i = 0; i < n; i++)
		report.errors[i].limit = 1;
	kg_edges_check(v->catalog, NULL, &edges, &report);
	for (int i = 0; i < n; i++)
		differ_edge(v, &edges, i, &report.errors[i]);
}

/*
 * Counts the use of the quotas anew, and compares it with the stored counts.
 */
static void
verify_quotas(KgVerify *v)
{
	for (int i = KG_FIRST_QUOTA; i < KG_NLIMITS; i++)
	{
		KgQuotaState state;

		if (kg_quota_is_right(v->tenant, i, &state))
			continue;
		differ(v,
			   "quota_wrong",
			   "kg_quota",
			   NULL,
			   kg_limit_name(i),
			   psprintf(INT64_FORMAT " used of " INT64_FORMAT,
						state.stored,
						state.set),
			   psprintf(INT64_FORMAT " used of " INT64_FORMAT,
						state.used,
						state.allotted),
			   "call kg_set_limits() with the same quotas, which counts the "
			   "rows again");
	}
}

/* The comparison of packed edges with kg_edge. */

typedef struct KgPackedCheck
{
	KgVerify *v;
	/* columns: node, relation_no, neighbor; [0] outgoing, [1] incoming */
	KgColumns rows[2];
	KgNodeList nodes;
} KgPackedCheck;

static void
add_packed(const KgNeighbors *found, void *arg)
{
	KgColumns *rows = arg;

	for (int i = 0; i < found->n; i++)
	{
		kg_columns_add_row(rows);
		kg_columns_int64(rows, 0, found->node);
		kg_columns_int32(rows, 1, found->relation_no);
		kg_columns_int64(rows, 2, found->neighbors[i]);
	}
}

static void
visit(KgPackedCheck *check, int direction, int64 node, const uint8 *edges,
	  Size len)
{
	static const KgRelationSet all = {true};
	KgPacked packed = {node, direction == 1, edges, len};

	if (edges && len > 0)
		(void) kg_adjacency_visit(
			&packed, &all, add_packed, &check->rows[direction]);
}

/* Reads the edges of those nodes of a block whose bits are set. */
static void
read_block(KgPackedCheck *check, int64 block, uint32 nodes, int direction,
		   const bytea *value)
{
	KgBlockReader reader;
	int64 first = kg_block_first(block);

	if (value == NULL)
		return;
	kg_block_open(&reader, value);
	for (int i = 0; i < KG_BLOCK; i++)
	{
		Size len;
		const uint8 *edges;

		if ((nodes & ((uint32) 1 << i)) == 0)
			continue;
		edges = kg_block_edges(&reader, first + i, &len);
		visit(check, direction, first + i, edges, len);
	}
}

static void
read_packed(KgPackedCheck *check, HeapTuple row, TupleDesc desc)
{
	bool isnull;
	int64 block = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
	uint32 nodes = (uint32) DatumGetInt32(SPI_getbinval(row, desc, 2, &isnull));
	uint32 alone = (uint32) DatumGetInt32(SPI_getbinval(row, desc, 3, &isnull));

	for (int direction = 0; direction < 2; direction++)
	{
		Datum datum = SPI_getbinval(row, desc, 4 + direction, &isnull);
		bytea *value = isnull ? NULL : DatumGetByteaP(datum);

		if (block > 0)
			read_block(check, block, nodes & ~alone, direction, value);
		else if (value)
			visit(check,
				  direction,
				  -block,
				  (uint8 *) VARDATA(value),
				  VARSIZE(value) - VARHDRSZ);
	}
	if (block < 0)
		kg_node_add(&check->nodes, -block);
	for (int i = 0; block > 0 && i < KG_BLOCK; i++)
		if (nodes & ~alone & ((uint32) 1 << i))
			kg_node_add(&check->nodes, kg_block_first(block) + i);
}

typedef struct KgPackedRow
{
	KgPackedCheck *check;
	HeapTuple row;
	TupleDesc desc;
} KgPackedRow;

static void
read_row(void *arg)
{
	KgPackedRow *it = arg;

	read_packed(it->check, it->row, it->desc);
}

#define KG_PACK_ANEW "SELECT kg_pack()"

/*
 * Reads a packed row. If it cannot be read, adds a difference and does not
 * compare it.
 */
static void
try_row(KgPackedCheck *check, HeapTuple row, TupleDesc desc)
{
	KgPackedRow it = {check, row, desc};
	KgPackedCheck before = *check;
	KgDifference difference = {
		"packed_wrong", "kg_adjacency", check->v->tenant};
	ErrorData *edata = kg_catch_refusal(KG_CATCH_MEMORY, read_row, &it);

	if (edata == NULL)
		return;
	for (int i = 0; i < 2; i++)
		check->rows[i].nrows = before.rows[i].nrows;
	check->nodes.n = before.nodes.n;
	difference.object = psprintf("block %s", SPI_getvalue(row, desc, 1));
	difference.got = edata->message;
	difference.repair = KG_PACK_ANEW;
	kg_differences_add(check->v->differences, &difference);
}

#define KG_PACKED_WAYS(node, neighbor)                                    \
	KG_BOTH_WAYS("SELECT " node                                           \
				 " AS node, concat_ws(' ', relation_no, " neighbor        \
				 ") AS line FROM unnest($2) AS n(of_node) JOIN @kg_edge " \
				 "ON tenant = $1 AND " node " = n.of_node",               \
				 "SELECT u.node, concat_ws(' ', u.relation_no, u.other) " \
				 "AS line FROM unnest($3, $4, $5) "                       \
				 "AS u(node, relation_no, other)")

static void
compare_packed(KgPackedCheck *check)
{
	static KgSaved saved[2] = {KG_SAVED_BATCH, KG_SAVED_BATCH};
	static const char *const sql[2] = {KG_PACKED_WAYS("source", "target"),
									   KG_PACKED_WAYS("target", "source")};
	KgVerify *v = check->v;
	KgArg args[5] = {kg_arg_text(v->tenant),
					 kg_arg_int8s(check->nodes.nodes, check->nodes.n)};

	for (int direction = 0; direction < 2; direction++)
	{
		kg_columns_args(&check->rows[direction], &args[2]);
		kg_spi_read_args(
			&saved[direction], sql[direction], lengthof(args), args);
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			bool missing = DatumGetBool(kg_spi_datum(i, 1));
			char *edge = psprintf(
				"%s %s", direction == 0 ? "out" : "in", kg_spi_cstring(i, 3));

			differ_of_node(v,
						   "packed_wrong",
						   "kg_adjacency",
						   DatumGetInt64(kg_spi_datum(i, 2)),
						   missing ? edge : NULL,
						   missing ? NULL : edge,
						   KG_PACK_ANEW);
		}
		SPI_freetuptable(SPI_tuptable);
	}
}

static void
begin_packed(KgPackedCheck *check, KgVerify *v)
{
	static const Oid types[] = {INT8OID, INT4OID, INT8OID};

	memset(check, 0, sizeof(*check));
	check->v = v;
	check->nodes.context = v->batch;
	for (int i = 0; i < 2; i++)
		kg_columns_init(&check->rows[i], v->batch, 3, types);
}

static void
verify_packed(KgVerify *v, HeapTuple *rows, int n, TupleDesc desc)
{
	KgPackedCheck check;

	begin_packed(&check, v);
	for (int i = 0; i < n; i++)
		try_row(&check, rows[i], desc);
	compare_packed(&check);
}

static void
verify_pending(KgVerify *v)
{
	KG_SPI_SELECT_OF("SELECT id FROM @kg_pending_reference WHERE tenant = $1",
					 v->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		differ(v,
			   "pending_left",
			   "kg_pending_reference",
			   NULL,
			   kg_spi_cstring(i, 1),
			   NULL,
			   "references that were not checked",
			   "DELETE FROM kg_pending_reference");
	SPI_freetuptable(SPI_tuptable);
}

int64
kg_verify_tenant(const char *tenant, const KgUserContext *admin,
				 KgDifferences *differences)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph verification", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	bool read_only = XactReadOnly;
	KgVerify v;

	kg_differences_next_tenant(differences);
	memset(&v, 0, sizeof(v));
	v.tenant = tenant;
	v.admin = admin;
	v.catalog = kg_catalog_newest(tenant);
	v.differences = differences;
	if (!pg_strong_random(&v.seed, sizeof(v.seed)))
		elog(ERROR, "could not make a random number");
	v.batch = AllocSetContextCreate(
		context, "kg_graph verified batch", ALLOCSET_DEFAULT_SIZES);
	v.nodes.context = v.batch;
	v.bound.context = v.batch;
	kg_verify_schemas(v.catalog, differences);
	/*
	 * In a read-only transaction, targets of references are looked up without
	 * locks. The end of the transaction resets this, also after an error.
	 */
	XactReadOnly = true;
	verify_entities(&v);
	verify_keys(&v);
	verify_orphans(&v);
	verify_word_counts(&v);
	verify_trigrams(&v);
	verify_explicit_edges(&v);
	each_rows(&v,
			  "checking edges",
			  "SELECT source, relation_no, target, key, properties "
			  "FROM @kg_edge WHERE tenant = $1 AND property IS NULL",
			  KG_VERIFY_BATCH,
			  verify_edges);
	verify_quotas(&v);
	each_rows(&v,
			  "checking packed edges",
			  "SELECT block, nodes, alone, outgoing, incoming "
			  "FROM @kg_adjacency WHERE tenant = $1 AND block <> 0",
			  KG_VERIFY_BLOCKS,
			  verify_packed);
	verify_pending(&v);
	kg_verify_history(tenant, differences);
	XactReadOnly = read_only;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return v.entities;
}

static void
derive_anew(void *tenant)
{
	kg_rebuild_tenant(tenant);
}

void
kg_verify_repair(const char *tenant, const KgDifferences *differences)
{
	static const char *const statements[] = {
		"DELETE FROM @kg_pending_reference WHERE tenant = $1",
		"DELETE FROM @kg_edge d WHERE " KG_BAD_EDGES,
		"DELETE FROM @kg_edge e WHERE " KG_TURNED_EDGES
		" AND e.relation_no IN (SELECT relation_no FROM @kg_relation "
		"WHERE tenant = $1 AND is_symmetric)",
		"DELETE FROM @kg_adjacency WHERE tenant = $1"};
	static KgSaved saved[lengthof(statements)];

	if (differences->of_tenant == 0)
		return;
	kg_tenant_writes(tenant);
	for (int i = 0; i < lengthof(statements); i++)
		if (i < lengthof(statements) - 1 ||
			kg_differences_found(differences, "packed_wrong") > 0)
			kg_spi_exec(&saved[i], statements[i], kg_arg_text(tenant));
	if (kg_differences_found(differences, "quota_wrong") > 0)
		kg_quota_count_anew(tenant);
	if (kg_differences_found(differences, KG_TOOL_WRONG) > 0 ||
		kg_differences_found(differences, KG_TYPE_WRONG) > 0)
		kg_repair_schemas(kg_catalog_newest(tenant));
	if (kg_differences_found(differences, "type_unknown") > 0)
		return;
	/*
	 * References may have no target because keys are wrong, so all rows are
	 * derived anew. If a target is missing for another reason, this raises an
	 * error, and the repair is rolled back.
	 */
	if (kg_differences_found(differences, "row_missing") > 0 ||
		kg_differences_found(differences, "row_stale") > 0 ||
		kg_differences_found(differences, "count_wrong") > 0 ||
		kg_differences_found(differences, "column_wrong") > 0)
		(void) kg_catch(KG_CATCH_KEEP, derive_anew, (void *) tenant);
}
