/*
 * memory.c
 *	  Writes of the toolset "memory".
 *
 * An observation is an entity. Its id is a hash of the entity's name and of
 * the observation's text, so an observation that is added twice is stored
 * once. Observations are sorted by n, which is the time of the call in
 * microseconds plus the observation's index in the call.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/text.h"
#include "model/handle.h"
#include "model/lock.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "store/entity/entity_ids.h"
#include "store/memory.h"
#include "store/entity/put.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/*
 * A text is split into parts for the search if it is too long for a term
 * (model/term.h). Maximum length of a part in bytes, and of a word of a part in
 * characters. A longer word is cut into overlapping pieces.
 */
#define KG_PART_BYTES 200
#define KG_PART_CHARS (2 * KG_MEMORY_WORD_CHARS)
/* Number of bytes of the hash from which an observation's id is made. */
#define KG_ID_BYTES 20

void
kg_memory_lock(const KgMemory *memory)
{
	(void) kg_lock_type_exclusive(memory->entity->type_no);
}

/* ---- reading ---- */

typedef struct Stored
{
	const KgMemory *memory;
	const KgType *type;
	const char *const *ids;
	int n;
	Jsonb **data; /* document of each id; NULL: not stored */
} Stored;

static void
read_stored(void *arg)
{
	Stored *stored = arg;
	MemoryContext context = CurrentMemoryContext;

	KG_BATCH_LATEST(KG_OF_IDS("u.ord, e.data"),
					KG_OF_IDS_ARGS(stored->memory->catalog->tenant,
								   stored->type,
								   stored->ids,
								   stored->n));
	MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		stored->data[kg_spi_int64(i, 1) - 1] = DatumGetJsonbPCopy(
			kg_spi_datum(i, 2));
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Returns for each id the document of the entity, or NULL if the caller does
 * not see it.
 */
static Jsonb **
stored_of(const KgMemory *memory, const KgType *type, const char *const *ids,
		  int n)
{
	Stored stored = {
		memory, type, ids, n, palloc0(Max(1, n) * sizeof(Jsonb *))};

	if (n > 0)
		kg_identity_as_tool(read_stored, &stored);
	return stored.data;
}

void
kg_memory_look(const KgMemory *memory, KgMemoryEntity *entities, int n)
{
	const char **names = palloc(Max(1, n) * sizeof(char *));
	Jsonb **stored;

	for (int i = 0; i < n; i++)
		names[i] = entities[i].name;
	stored = stored_of(memory, memory->entity, names, n);
	for (int i = 0; i < n; i++)
		entities[i].found = stored[i] != NULL &&
							!kg_json_is_true(&stored[i]->root, KG_MEMORY_STUB);
}

/* ---- writing ---- */

static const char *
type_name(const KgType *type)
{
	return psprintf("%s/%s", type->bundle, type->name);
}

static Jsonb *
atomic(void)
{
	return kg_json_parse("{\"atomic\": true}");
}

static void
put(const KgType *type, KgJsonWriter *w)
{
	const Jsonb *items;

	items = kg_jw_finish(w);
	if (kg_json_length(&items->root) > 0)
		(void) kg_put_entities(type_name(type), items, atomic());
}

static void
begin_items(KgJsonWriter *w)
{
	kg_jw_init_array(w);
}

static const char *
observation_id(const char *name, const char *content)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
	uint8 digest[PG_SHA256_DIGEST_LENGTH];
	char *id = palloc(2 * KG_ID_BYTES + 1);

	if (pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, (const uint8 *) name, strlen(name) + 1) <
			0 ||
		pg_cryptohash_update(hash, (const uint8 *) content, strlen(content)) <
			0 ||
		pg_cryptohash_final(hash, digest, sizeof(digest)) < 0)
		elog(ERROR, "could not hash an observation");
	pg_cryptohash_free(hash);
	id[hex_encode((const char *) digest, KG_ID_BYTES, id)] = '\0';
	return id;
}

/* Returns the end of the word that begins at p. */
static const char *
word_end(const char *p)
{
	return p + strcspn(p, " \t\r\n");
}

static int
characters(const char *text, int len)
{
	return pg_mbstrlen_with_len(text, len);
}

/*
 * Returns whether a text must be split for the search: the text, or a word in
 * it, is too long for a term.
 */
static bool
needs_parts(const char *text)
{
	if (strlen(text) > KG_PART_BYTES)
		return true;
	for (const char *p = text; *p != '\0';)
	{
		const char *end = word_end(p);

		if (characters(p, end - p) > KG_PART_CHARS)
			return true;
		p = *end == '\0' ? end : end + 1;
	}
	return false;
}

/*
 * Writes a long word as overlapping pieces. The overlap ensures that each
 * string of half a piece's length is contained in one piece.
 */
static void
write_pieces(const char *word, int len, KgJsonWriter *w)
{
	const char *end = word + len;

	for (;;)
	{
		int piece = pg_mbcharcliplen(word, end - word, KG_PART_CHARS);

		kg_jw_stringn(w, word, piece);
		if (word + piece == end)
			return;
		word += pg_mbcharcliplen(word, end - word, KG_PART_CHARS / 2);
	}
}

static void
write_words(const char *text, KgJsonWriter *w)
{
	const char *start = text;
	const char *p = text;

	while (*p != '\0')
	{
		const char *end = word_end(p);
		bool is_long = characters(p, end - p) > KG_PART_CHARS;

		if (p > start && (is_long || end - start > KG_PART_BYTES))
		{
			kg_jw_stringn(w, start, p - start);
			start = p;
		}
		if (is_long)
		{
			write_pieces(p, end - p, w);
			start = end;
		}
		p = *end == '\0' ? end : end + 1;
	}
	if (p > start)
		kg_jw_stringn(w, start, p - start);
}

/*
 * Writes the member "parts" with pieces of those texts that are too long for a
 * term. The search (query/memory.c) uses them.
 */
static void
write_parts(const char *const *texts, int n, KgJsonWriter *w)
{
	bool any = false;

	for (int i = 0; i < n; i++)
		any |= needs_parts(texts[i]);
	if (!any)
		return;
	kg_jw_kbegin_array(w, "parts");
	for (int i = 0; i < n; i++)
		if (needs_parts(texts[i]))
			write_words(texts[i], w);
	kg_jw_end_array(w);
}

static void
write_observation(const char *id, const char *name, const char *content,
				  int64 n, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "id", id);
	kg_jw_kstring(w, "entity", name);
	kg_jw_kint(w, "n", n);
	kg_jw_kstring(w, "content", content);
	write_parts(&content, 1, w);
	kg_jw_end_object(w);
}

/*
 * Returns the ids of the observations of all entities, in the order of the
 * entities.
 */
static const char **
observation_ids(const KgMemoryEntity *entities, int n, int *count)
{
	const char **ids;
	int total = 0;

	for (int i = 0; i < n; i++)
		total += entities[i].n;
	ids = palloc(Max(1, total) * sizeof(char *));
	*count = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < entities[i].n; j++)
			ids[(*count)++] = observation_id(entities[i].name,
											 entities[i].observations[j]);
	return ids;
}

void
kg_memory_observe(const KgMemory *memory, KgMemoryEntity *entities, int n)
{
	int count;
	const char **ids = observation_ids(entities, n, &count);
	Jsonb **stored = stored_of(memory, memory->observation, ids, count);
	int64 now = GetCurrentTimestamp();
	KgJsonWriter w;
	int at = 0;

	begin_items(&w);
	for (int i = 0; i < n; i++)
	{
		KgMemoryEntity *entity = &entities[i];
		int kept = 0;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < entity->n; j++, at++)
		{
			if (stored[at] != NULL)
				continue;
			write_observation(
				ids[at], entity->name, entity->observations[j], now + at, &w);
			entity->observations[kept++] = entity->observations[j];
		}
		entity->n = kept;
	}
	put(memory->observation, &w);
}

void
kg_memory_create(const KgMemory *memory, const KgMemoryEntity *entities, int n)
{
	KgMemoryEntity *created = palloc(Max(1, n) * sizeof(KgMemoryEntity));
	KgJsonWriter w;
	int count = 0;

	begin_items(&w);
	for (int i = 0; i < n; i++)
	{
		if (entities[i].found)
			continue;
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "name", entities[i].name);
		kg_jw_kstring(&w, "entityType", entities[i].type);
		write_parts(
			(const char *[]){entities[i].name, entities[i].type}, 2, &w);
		kg_jw_end_object(&w);
		created[count] = entities[i];
		created[count].observations = memcpy(
			palloc(Max(1, entities[i].n) * sizeof(char *)),
			entities[i].observations,
			entities[i].n * sizeof(char *));
		count++;
	}
	put(memory->entity, &w);
	kg_memory_observe(memory, created, count);
}

/*
 * Writes a stub for each entity that is an end of a relation and is not
 * stored.
 */
static void
write_stubs(const KgMemory *memory, const KgMemoryRelation *relations, int n)
{
	const char **names = palloc(Max(1, 2 * n) * sizeof(char *));
	Jsonb **stored;
	KgJsonWriter w;
	int count = 0;

	for (int i = 0; i < n; i++)
	{
		names[count++] = relations[i].from;
		names[count++] = relations[i].to;
	}
	count = kg_distinct_texts(names, count);
	stored = stored_of(memory, memory->entity, names, count);
	begin_items(&w);
	for (int i = 0; i < count; i++)
	{
		if (stored[i] != NULL)
			continue;
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "name", names[i]);
		kg_jw_kbool(&w, KG_MEMORY_STUB, true);
		kg_jw_end_object(&w);
	}
	put(memory->entity, &w);
}

/* Returns the relations as items for kg_put_edges() and kg_delete_edges(). */
static Jsonb *
edges_of(const KgMemory *memory, const KgMemoryRelation *relations, int n)
{
	const char *name = psprintf(
		"%s/%s", memory->relates->bundle, memory->relates->name);
	KgJsonWriter w;

	begin_items(&w);
	for (int i = 0; i < n; i++)
	{
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "relation", name);
		kg_jw_kstring(
			&w, "from", kg_handle_make(memory->entity, relations[i].from));
		kg_jw_kstring(
			&w, "to", kg_handle_make(memory->entity, relations[i].to));
		kg_jw_kbegin_object(&w, "properties");
		kg_jw_kstring(&w, memory->relates->key, relations[i].type);
		kg_jw_end_object(&w);
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}

int
kg_memory_relate(const KgMemory *memory, KgMemoryRelation *relations, int n)
{
	Jsonb *result;
	JsonbValue items;
	JsonbValue verdict;
	int kept = 0;

	write_stubs(memory, relations, n);
	result = kg_put_edges(edges_of(memory, relations, n), atomic());
	(void) kg_json_get(&result->root, "items", &items);
	kg_json_each(it, kg_json_container(&items))
		if (kg_json_get(kg_json_container(&it.value), "verdict", &verdict) !=
				NULL &&
			kg_json_string_is(&verdict, "created"))
			relations[kept++] = relations[it.index];
	return kept;
}

/* ---- forgetting ---- */

/* Returns the number of deleted items from a reply {counts: {deleted}}. */
static int
deleted_of(const Jsonb *reply)
{
	JsonbValue counts;
	JsonbValue deleted;
	int64 n = 0;

	if (kg_json_get(&reply->root, "counts", &counts) != NULL &&
		kg_json_get(kg_json_container(&counts), "deleted", &deleted) != NULL)
		(void) kg_json_int64(&deleted, &n);
	return n;
}

static int
delete_ids(const KgType *type, const char *const *ids, int n)
{
	return deleted_of(kg_delete_entities(
		type_name(type), DatumGetArrayTypeP(kg_text_array(ids, n)), atomic()));
}

int
kg_memory_forget_entities(const KgMemory *memory, const char **names, int n)
{
	return delete_ids(memory->entity, names, n);
}

int
kg_memory_forget_observations(const KgMemory *memory,
							  const KgMemoryEntity *entities, int n)
{
	int count;
	const char **ids = observation_ids(entities, n, &count);

	return delete_ids(memory->observation, ids, count);
}

int
kg_memory_forget_relations(const KgMemory *memory,
						   const KgMemoryRelation *relations, int n)
{
	return deleted_of(
		kg_delete_edges(edges_of(memory, relations, n), atomic()));
}
