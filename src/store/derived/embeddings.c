/*
 * embeddings.c
 *	  Embeddings of entities: rows of kg_embedding.
 *
 * A session that stores an embedding locks the entity, as for a reference to
 * it, so that the entity exists as long as the row. It also locks the row of
 * kg_vectors, so that all embeddings have the same number of dimensions.
 */
#include "postgres.h"

#include "auth/grants.h"
#include "auth/identity.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/vectors.h"
#include "catalog/pg_type.h"
#include "model/tenant_state.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "store/derived/embeddings.h"
#include "store/entity/documents.h"
#include "store/entity/put.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Number of embeddings per statement. */
#define KG_EMBEDDING_BATCH 500
/* Number of bytes of the text's SHA-256 digest that are stored. */
#define KG_HASH_BYTES 16

/* ---- the text ---- */

static void
add_line(const JsonbValue *value, void *arg)
{
	StringInfo text = arg;

	if (value->type != jbvString)
		return;
	if (text->len > 0)
		appendStringInfoChar(text, '\n');
	appendBinaryStringInfo(text, value->val.string.val, value->val.string.len);
}

char *
kg_embedded_text(const KgType *type, const Jsonb *data)
{
	StringInfoData text;

	if (type->nsearch == 0)
		return kg_json_text(&data->root);
	initStringInfo(&text);
	if (type->label_field)
		kg_field_visit(type->label_field, &data->root, add_line, &text);
	for (int i = 0; i < type->naliases; i++)
		kg_field_visit(type->alias_fields[i], &data->root, add_line, &text);
	for (int i = 0; i < type->nsearch; i++)
		kg_field_visit(type->search_fields[i], &data->root, add_line, &text);
	return text.data;
}

static bytea *
embedded_hash(const char *text)
{
	bytea *digest = DatumGetByteaPP(DirectFunctionCall1(
		sha256_bytea, PointerGetDatum(cstring_to_text(text))));
	bytea *hash = palloc(VARHDRSZ + KG_HASH_BYTES);

	SET_VARSIZE(hash, VARHDRSZ + KG_HASH_BYTES);
	memcpy(VARDATA(hash), VARDATA_ANY(digest), KG_HASH_BYTES);
	return hash;
}

bool
kg_embedded_hash_is(const bytea *hash, const char *text)
{
	bytea *now = embedded_hash(text);

	return VARSIZE_ANY_EXHDR(hash) == KG_HASH_BYTES &&
		   memcmp(VARDATA_ANY(hash), VARDATA_ANY(now), KG_HASH_BYTES) == 0;
}

/* ---- enabling ---- */

static KG_NORETURN void
throw_enabled(const KgVectors *vectors)
{
	KG_THROW(
		KG_ALREADY_EXISTS,
		.message = psprintf(
			"the database has embeddings of %d dimensions by the model \"%s\"",
			vectors->dimensions,
			vectors->model),
		.expected = "these dimensions and this model, or others after "
					"kg_disable_vectors(), which deletes the embeddings");
}

void
kg_vectors_enable(int32 dimensions, const char *model)
{
	static KgSaved now;
	static KgSaved any;
	KgVectors vectors = {0};
	KgError *err = NULL;

	if (dimensions < 1 || dimensions > KG_MAX_DIMENSIONS)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "embeddings cannot have %d dimensions",
						   dimensions);
		kg_error_path(err, "/dimensions");
		kg_error_expected(err, "an integer from 1 to %d", KG_MAX_DIMENSIONS);
	}
	else if (*model == '\0')
	{
		err = kg_error_new(KG_INVALID_INPUT, "the model has no name");
		kg_error_path(err, "/model");
		kg_error_expected(err, "the name of the model that makes embeddings");
	}
	if (err != NULL)
		kg_error_throw(err);
	kg_pgvector_require();
	/* Sessions that store embeddings lock this row, too. */
	kg_spi_exec_latest_args(
		&now, "SELECT dimensions, model FROM @kg_vectors FOR UPDATE", 0, NULL);
	if (SPI_processed > 0)
	{
		vectors.dimensions = DatumGetInt32(kg_spi_datum(0, 1));
		vectors.model = kg_spi_cstring(0, 2);
		if (vectors.dimensions == dimensions &&
			strcmp(vectors.model, model) == 0)
			return;
		kg_spi_exec_latest_args(
			&any, "SELECT FROM @kg_embedding LIMIT 1", 0, NULL);
		if (SPI_processed > 0)
			throw_enabled(&vectors);
	}
	KG_SPI_NEWEST("INSERT INTO @kg_vectors(dimensions, model) "
				  "VALUES ($1, $2) ON CONFLICT (is_only) DO UPDATE "
				  "SET dimensions = $1, model = $2",
				  kg_arg_int4(dimensions),
				  kg_arg_text(model));
	kg_sync_all_roles();
}

int64
kg_vectors_disable(void)
{
	static KgSaved vectors;
	static KgSaved embeddings;
	int64 deleted;

	kg_spi_exec_newest_args(&vectors, "DELETE FROM @kg_vectors", 0, NULL);
	kg_spi_exec_newest_args(&embeddings, "DELETE FROM @kg_embedding", 0, NULL);
	deleted = SPI_processed;
	kg_sync_all_roles();
	return deleted;
}

/* ---- rows ---- */

void
kg_embeddings_forget(const char *tenant, const KgNodeList *nodes)
{
	if (nodes->n == 0 || kg_vectors()->dimensions == 0)
		return;
	/*
	 * Uses the newest snapshot, because an embedding may have been stored
	 * since the transaction's snapshot.
	 */
	KG_BATCH_NEWEST("DELETE FROM @kg_embedding WHERE tenant = $1 "
					"AND node = ANY($2)",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes->nodes, nodes->n));
}

typedef struct Given
{
	ArrayType *vector;
	int64 expected; /* expected version, or 0 */
	int64 node;
	bytea *hash;
} Given;

typedef struct Put
{
	const char *tenant;
	const KgType *type;
	const KgVectors *vectors;
	KgOutcomes *outcomes;
	Given *items;
	int *order; /* indexes of the items, sorted by id */
	MemoryContext context;
} Put;

static bool
has_member(Put *put, int i, const JsonbContainer *object, const char *key,
		   JsonbValue *value)
{
	KgError *err;

	if (kg_json_get(object, key, value) != NULL)
		return true;
	err = kg_error_new(KG_INVALID_INPUT, "an item has no \"%s\"", key);
	kg_error_path(err, "/items/%d", i);
	kg_error_expected(err, "an object {\"id\", \"vector\"}");
	kg_outcome_error(&put->outcomes->items[i], err);
	return false;
}

static void
read_item(Put *put, int i, const JsonbValue *value)
{
	static const char *const known[] = {
		"id", "vector", "expected_version", NULL};
	KgOutcome *outcome = &put->outcomes->items[i];
	char *path = psprintf("/items/%d", i);
	const JsonbContainer *object;
	JsonbValue member;
	KgError *err = NULL;

	if (!kg_outcome_is_object(
			outcome, value, path, "an object {\"id\", \"vector\"}"))
		return;
	object = kg_json_container(value);
	kg_check_members(object, known, path, &outcome->errors);
	if (has_member(put, i, object, "id", &member))
		outcome->id = kg_patch_id(
			put->type, &member, psprintf("%s/id", path), outcome);
	put->items[i].expected = kg_patch_version(object, path, outcome);
	if (has_member(put, i, object, "vector", &member))
		put->items[i].vector = kg_vector_read(
			&member, psprintf("%s/vector", path), put->vectors, &err);
	if (err != NULL)
		kg_outcome_error(outcome, err);
}

static void
refuse_twice(Put *put)
{
	KgOutcome *items = put->outcomes->items;

	for (int i = 1; i < put->outcomes->n; i++)
	{
		const KgOutcome *before = &items[put->order[i - 1]];
		const KgOutcome *outcome = &items[put->order[i]];

		if (before->id != NULL && strcmp(before->id, outcome->id) == 0)
			kg_outcomes_twice(put->outcomes, put->order[i], put->type);
	}
}

/*
 * Locks the entities that the caller sees and may write, until the transaction
 * ends.
 */
static void
find_entities(void *arg, const int *rows, int n)
{
	Put *put = arg;
	const char **ids = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_documents_of_ids(KG_LOCK_KEY, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgStoredDocument stored = kg_document(i);
		int number = rows[stored.place];
		bytea *hash = embedded_hash(
			kg_embedded_text(put->type, DatumGetJsonbP(stored.data)));

		put->items[number].node = stored.node;
		put->items[number].hash = MemoryContextAlloc(put->context,
													 VARSIZE(hash));
		memcpy(put->items[number].hash, hash, VARSIZE(hash));
		put->outcomes->items[number].before = stored.version;
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Reports an item whose entity is missing, or does not have the version that
 * the item expects.
 */
static void
check_found(Put *put, int i)
{
	KgOutcome *outcome = &put->outcomes->items[i];
	Given *item = &put->items[i];
	KgError *err;

	if (item->node == 0)
		kg_outcomes_report_missing(
			put->outcomes, i, put->type, psprintf("/items/%d/id", i));
	else if (item->expected != 0 && item->expected != outcome->before)
	{
		err = kg_moved_error(
			put->type, outcome->id, item->expected, outcome->before);
		kg_error_path(err, "/items/%d/expected_version", i);
		kg_outcome_error(outcome, err);
	}
}

/*
 * $5 is one array with the elements of all embeddings. The elements of item i
 * are $5[i * d + 1 : (i + 1) * d].
 */
#define KG_PUT_ROWS                                                         \
	"INSERT INTO @kg_embedding AS v(tenant, node, type_no, text_hash, "     \
	"embedding) SELECT $1, u.node, $2, u.hash, "                            \
	"($5)[(u.ord - 1)::integer * $6 + 1 : u.ord::integer * $6] "            \
	"FROM unnest($3, $4) WITH ORDINALITY u(node, hash, ord) ORDER BY 2 "    \
	"ON CONFLICT (tenant, node) DO UPDATE SET type_no = excluded.type_no, " \
	"text_hash = excluded.text_hash, embedding = excluded.embedding "       \
	"WHERE v.text_hash <> excluded.text_hash "                              \
	"OR v.embedding <> excluded.embedding RETURNING node, xmax = 0"

/* Returns the elements of all embeddings as one array. */
static Datum
join_vectors(const Put *put, const int *rows, int n)
{
	int dimensions = put->vectors->dimensions;
	ArrayType *all = kg_real_array(n * dimensions);
	float4 *numbers = (float4 *) ARR_DATA_PTR(all);

	for (int i = 0; i < n; i++)
		memcpy(numbers + (Size) i * dimensions,
			   ARR_DATA_PTR(put->items[rows[i]].vector),
			   dimensions * sizeof(float4));
	return PointerGetDatum(all);
}

static void
write_rows(void *arg, const int *rows, int n)
{
	Put *put = arg;
	int64 *nodes = palloc(n * sizeof(int64));
	Datum *hashes = palloc(n * sizeof(Datum));
	KgUserContext user;

	for (int i = 0; i < n; i++)
	{
		nodes[i] = put->items[rows[i]].node;
		hashes[i] = PointerGetDatum(put->items[rows[i]].hash);
		put->outcomes->items[rows[i]].verdict = KG_VERDICT_UNCHANGED;
	}
	kg_become_owner(&user);
	KG_BATCH_NEWEST(KG_PUT_ROWS,
					kg_arg_text(put->tenant),
					kg_arg_int4(put->type->type_no),
					kg_arg_int8s(nodes, n),
					kg_arg(BYTEAARRAYOID,
						   PointerGetDatum(construct_array(
							   hashes, n, BYTEAOID, -1, false, TYPALIGN_INT))),
					kg_arg(FLOAT4ARRAYOID, join_vectors(put, rows, n)),
					kg_arg_int4(put->vectors->dimensions));
	kg_restore_user(&user);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		int64 node = kg_spi_int64(row, 1);
		bool created = DatumGetBool(kg_spi_datum(row, 2));

		for (int i = 0; i < n; i++)
			if (nodes[i] == node)
				put->outcomes->items[rows[i]].verdict =
					created ? KG_VERDICT_CREATED : KG_VERDICT_UPDATED;
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Calls work for batches in the order of ids, in which all sessions lock
 * entities.
 */
static void
each_batch(Put *put, KgOutcomesWork work)
{
	kg_outcomes_each(put->outcomes, put->order, KG_EMBEDDING_BATCH, work, put);
}

/*
 * Locks the row with the number of dimensions until the transaction ends.
 * Raises KG_CONFLICT if another session has changed the row.
 */
static void
lock_vectors(const KgVectors *vectors)
{
	KgUserContext user;
	bool same;

	kg_become_owner(&user);
	KG_SPI_LATEST("SELECT FROM @kg_vectors WHERE dimensions = $1 "
				  "AND model = $2 FOR SHARE",
				  kg_arg_int4(vectors->dimensions),
				  kg_arg_text(vectors->model));
	same = SPI_processed > 0;
	kg_restore_user(&user);
	if (same)
		return;
	KG_THROW(KG_CONFLICT,
			 .message = "another session changed the settings of embeddings at "
						"the same time",
			 .expected = "the same call, sent again");
}

Jsonb *
kg_put_embeddings(const char *type, const Jsonb *items, const Jsonb *options)
{
	const JsonbContainer *array = kg_outcomes_items(items);
	KgVectors vectors;
	Put put = {kg_identity_require(KG_ACCESS_WRITE)};

	put.outcomes = kg_outcomes_of_options(
		"embeddings", kg_json_length(array), options, false);
	vectors = *kg_vectors_require();
	vectors.model = pstrdup(vectors.model);
	put.vectors = &vectors;
	put.context = CurrentMemoryContext;
	put.type = kg_catalog_require_type(
		kg_catalog_newest(put.tenant), type, "/entity_type");
	put.items = MemoryContextAllocExtended(CurrentMemoryContext,
										   (Size) Max(1, put.outcomes->n) *
											   sizeof(Given),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kg_tenant_writes(put.tenant);
	lock_vectors(&vectors);
	kg_json_each(it, array)
	{
		CHECK_FOR_INTERRUPTS();
		read_item(&put, it.index, &it.value);
	}
	put.order = kg_outcomes_order(put.outcomes);
	refuse_twice(&put);
	each_batch(&put, find_entities);
	for (int i = 0; i < put.outcomes->n; i++)
		if (put.outcomes->items[i].errors.total == 0)
			check_found(&put, i);
	kg_outcomes_settle(put.outcomes, put.tenant);
	each_batch(&put, write_rows);
	return kg_outcomes_result(put.outcomes);
}
