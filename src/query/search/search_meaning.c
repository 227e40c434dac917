/*
 * search_meaning.c
 *	  Search by meaning over kg_embedding.
 *
 * Rows are read in the order of their distance. Visibility is checked for the
 * nearest rows only, until enough visible rows are found.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/settings.h"
#include "base/vectors.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "query/search/search_meaning.h"
#include "query/sql.h"
#include "store/derived/embeddings.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static bool
take_match(TupleTableSlot *slot, void *arg)
{
	KgMatches *found = arg;
	KgMatch *match = &found->matches[found->n++];

	memset(match, 0, sizeof(*match));
	match->node = DatumGetInt64(kg_slot_datum(slot, 1));
	match->type_no = DatumGetInt32(kg_slot_datum(slot, 2));
	match->score = 1 - DatumGetFloat8(kg_slot_datum(slot, 3));
	match->embedded = DatumGetByteaPCopy(kg_slot_datum(slot, 4));
	match->how = KG_MATCH_MEANING;
	match->kind = KG_TERM_EMBEDDING;
	return true;
}

KgMatches *
kg_search_meaning(const KgCatalog *catalog, ArrayType *vector,
				  const int32 *type_nos, int ntypes, int most)
{
	KgMatches *found = palloc0(sizeof(KgMatches));
	KgSqlBuilder b;

	kg_pgvector_require();
	found->matches = palloc((most + 1) * sizeof(KgMatch));
	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT d.node, d.type_no, d.distance, d.text_hash FROM "
				  "(SELECT v.node, v.type_no, v.text_hash, %s(v.embedding, "
				  "$%d) AS distance FROM %s v WHERE v.tenant = $1",
				  kg_qualified("kg_cosine_distance"),
				  kg_sql_param(&b, FLOAT4ARRAYOID, PointerGetDatum(vector)),
				  kg_sql_table("kg_embedding"));
	kg_sql_types(&b, "v", type_nos, ntypes);
	kg_sql_append(&b, " ORDER BY 4, 2, 1 OFFSET 0) d WHERE true");
	kg_sql_visible(&b, "d.node");
	kg_sql_append(&b,
				  " ORDER BY d.distance, d.type_no, d.node LIMIT $%d",
				  kg_sql_param_int64(&b, (int64) most + 1));
	(void) kg_sql_run(&b, take_match, found);
	found->truncated = found->n > most;
	found->n = Min(found->n, most);
	return found;
}

/* ---- missing embeddings ---- */

typedef struct Missing
{
	const KgType *type;
	int left;	/* items that may still be added */
	Size bytes; /* total size of the texts */
	bool more;
	KgJsonWriter w;
	MemoryContext scratch;
} Missing;

static bool
is_missing(const Missing *missing, const char *text, TupleTableSlot *slot)
{
	bool isnull;
	Datum stored = slot_getattr(slot, 4, &isnull);

	return isnull || !kg_embedded_hash_is(DatumGetByteaPP(stored), text);
}

/*
 * Adds an item if its embedding is missing or stale. Frees the memory of the
 * row, except the memory of the writer.
 */
static bool
missing_row(TupleTableSlot *slot, void *arg)
{
	Missing *missing = arg;
	MemoryContext caller = MemoryContextSwitchTo(missing->scratch);
	Datum data = kg_slot_datum(slot, 3);
	char *said = kg_embedded_text(missing->type, DatumGetJsonbP(data));
	bool wanted = is_missing(missing, said, slot);

	MemoryContextSwitchTo(caller);
	missing->bytes += wanted ? strlen(said) : 0;
	missing->more = wanted && (missing->left == 0 ||
							   (missing->bytes > kg_setting_max_reply_bytes &&
								missing->bytes > strlen(said)));
	if (wanted && !missing->more)
	{
		missing->left--;
		kg_jw_begin_object(&missing->w);
		kg_jw_kstring(
			&missing->w, "id", TextDatumGetCString(kg_slot_datum(slot, 1)));
		kg_jw_kint(
			&missing->w, "version", DatumGetInt64(kg_slot_datum(slot, 2)));
		kg_jw_kstring(&missing->w, "text", said);
		kg_jw_end_object(&missing->w);
	}
	MemoryContextReset(missing->scratch);
	return !missing->more;
}

Jsonb *
kg_missing_embeddings(const KgCatalog *catalog, const KgType *type, int most)
{
	Missing missing = {type, most};
	KgSqlBuilder b;

	missing.scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph text", ALLOCSET_DEFAULT_SIZES);
	kg_jw_init_object(&missing.w);
	kg_jw_kbegin_array(&missing.w, "items");
	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT e.entity_id, e.version, e.data, v.text_hash FROM %s "
				  "e LEFT JOIN %s v ON v.tenant = $1 AND v.node = e.node WHERE "
				  "e.tenant = $1 AND e.bundle = $%d",
				  kg_sql_table("kg_entity"),
				  kg_sql_table("kg_embedding"),
				  kg_sql_param_text(&b, type->bundle));
	kg_sql_append(&b,
				  " AND e.entity_type = $%d ORDER BY e.entity_id",
				  kg_sql_param_text(&b, type->name));
	(void) kg_sql_run(&b, missing_row, &missing);
	kg_jw_end_array(&missing.w);
	kg_jw_kbool(&missing.w, "more", missing.more);
	kg_jw_end_object(&missing.w);
	MemoryContextDelete(missing.scratch);
	return kg_jw_finish(&missing.w);
}
