/*
 * search_ids.c
 *	  Search of ids that equal the query, begin with it or are similar to it.
 *
 * Ids are read from the primary key of kg_entity, because the index of names
 * does not contain them. A similar id differs from the query by at most one
 * edit in the first letters, and by more edits after them. An id that folding
 * changes is stored as a term, so it is found by the search of terms.
 */
#include "postgres.h"

#include "base/settings.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "miscadmin.h"
#include "query/merged.h"
#include "query/search/rank.h"
#include "query/search/search_run.h"
#include "utils/builtins.h"

/*
 * Number of first letters by which an id is searched; maximum number of edits
 * of the whole id; maximum number of ids read for each variant of the first
 * letters.
 */
#define KG_ID_BEGINNING 4
#define KG_ID_EDITS 2
#define KG_ID_ROWS 50

/*
 * Characters that may replace a character of an id. Only ids that folding does
 * not change are searched.
 */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.:/";

static bool
id_row(TupleTableSlot *slot, void *arg)
{
	KgSearch *search = arg;
	char *id = TextDatumGetCString(kg_slot_datum(slot, 1));
	bool exact = strcmp(id, search->folded) == 0;

	if (strcmp(kg_term_fold(id, strlen(id)), id) == 0)
		kg_search_keep(search,
					   DatumGetInt64(kg_slot_datum(slot, 3)),
					   DatumGetInt32(kg_slot_datum(slot, 2)),
					   exact ? KG_MATCH_EXACT : KG_MATCH_PREFIX,
					   KG_TERM_ID,
					   id,
					   exact ? KG_RANK_EXACT
							 : kg_search_rank_prefix(search, id));
	return true;
}

/*
 * Sets the bundles and names of the searched types. Returns the number of these
 * types.
 */
static int
searched_types(const KgSearch *search, Datum **bundles, Datum **names)
{
	const KgCatalog *catalog = search->catalog;
	int n = 0;

	*bundles = palloc(Max(1, catalog->ntypes) * sizeof(Datum));
	*names = palloc(Max(1, catalog->ntypes) * sizeof(Datum));
	for (int i = 0; i < catalog->ntypes; i++)
	{
		if (!kg_search_has_type(search, catalog->types[i].type_no))
			continue;
		(*bundles)[n] = CStringGetTextDatum(catalog->types[i].bundle);
		(*names)[n++] = CStringGetTextDatum(catalog->types[i].name);
	}
	return n;
}

void
kg_search_ids(KgSearch *search)
{
	const KgCatalog *catalog = search->catalog;
	Datum *bundles;
	Datum *names;
	int n = searched_types(search, &bundles, &names);
	int bundles_param;
	KgSqlBuilder b;

	kg_sql_start(&b, catalog);
	bundles_param = kg_sql_param_array(&b, TEXTOID, bundles, n);
	kg_sql_append(
		&b,
		"SELECT e.entity_id, e.type_no, e.node FROM ROWS FROM "
		"(pg_catalog.unnest($%d), pg_catalog.unnest($%d)) AS t(bundle, "
		"entity_type) CROSS JOIN LATERAL (SELECT x.entity_id, x.type_no, "
		"x.node FROM %s x WHERE x.tenant = $1 AND x.bundle = t.bundle AND "
		"x.entity_type = t.entity_type",
		bundles_param,
		kg_sql_param_array(&b, TEXTOID, names, n),
		kg_sql_table("kg_entity"));
	kg_sql_append(
		&b, " AND x.entity_id >= $%d", kg_sql_param_text(&b, search->folded));
	kg_sql_append(&b,
				  " AND x.entity_id < $%d",
				  kg_sql_param_text(&b, kg_text_prefix_high(search->folded)));
	kg_sql_append(&b,
				  " ORDER BY x.entity_id LIMIT $%d) e",
				  kg_sql_param_int64(&b, kg_setting_max_search_matches + 1));
	if (kg_sql_run(&b, id_row, search) > kg_setting_max_search_matches)
		search->truncated = true;
}

/* ---- merged ids ---- */

void
kg_search_merged(KgSearch *search, const char *query)
{
	KgMerged merged;

	if (kg_merged_find(search->catalog, NULL, query, &merged) &&
		kg_search_has_type(search, merged.type->type_no))
		kg_search_keep(search,
					   merged.node,
					   merged.type->type_no,
					   KG_MATCH_EXACT,
					   KG_TERM_ID,
					   query,
					   KG_RANK_EXACT);
}

/* ---- ids that end with a number ---- */

/* A list of ids with their types, as arrays for a statement. */
typedef struct TypedIds
{
	const char *number;
	int n;
	int size;
	Datum *bundles;
	Datum *types;
	Datum *ids;
} TypedIds;

static void
init_typed_ids(TypedIds *list, const char *number, int size)
{
	list->number = number;
	list->n = 0;
	list->size = size;
	list->bundles = palloc(Max(1, size) * sizeof(Datum));
	list->types = palloc(Max(1, size) * sizeof(Datum));
	list->ids = palloc(Max(1, size) * sizeof(Datum));
}

/* Returns an id with the number in the position of its last number, or NULL. */
static char *
renumbered(const char *id, const char *number)
{
	int len = strlen(id);
	int digits = 0;

	while (digits < len && id[len - digits - 1] >= '0' &&
		   id[len - digits - 1] <= '9')
		digits++;
	if (digits == 0)
		return NULL;
	return psprintf("%.*s%.*s%s",
					len - digits,
					id,
					Max(0, digits - (int) strlen(number)),
					"00000000",
					number);
}

static bool
add_renumbered(TupleTableSlot *slot, void *arg)
{
	TypedIds *list = arg;
	char *id = renumbered(TextDatumGetCString(kg_slot_datum(slot, 3)),
						  list->number);

	if (id == NULL || list->n == list->size)
		return true;
	list->bundles[list->n] = CStringGetTextDatum(
		TextDatumGetCString(kg_slot_datum(slot, 1)));
	list->types[list->n] = CStringGetTextDatum(
		TextDatumGetCString(kg_slot_datum(slot, 2)));
	list->ids[list->n++] = CStringGetTextDatum(id);
	return true;
}

/*
 * For each type, takes the type's first and last id and replaces their number
 * by the number of the query. Adds the resulting ids.
 */
static void
renumber_ends(const KgSearch *search, TypedIds *list)
{
	Datum *bundles;
	Datum *names;
	int n = searched_types(search, &bundles, &names);

	for (int last = 0; last < 2; last++)
	{
		KgSqlBuilder b;
		int bundles_param;

		kg_sql_start(&b, search->catalog);
		bundles_param = kg_sql_param_array(&b, TEXTOID, bundles, n);
		kg_sql_append(
			&b,
			"SELECT t.bundle, t.entity_type, e.entity_id FROM ROWS FROM "
			"(pg_catalog.unnest($%d), pg_catalog.unnest($%d)) AS t(bundle, "
			"entity_type) CROSS JOIN LATERAL (SELECT x.entity_id FROM %s x "
			"WHERE x.tenant = $1 AND x.bundle = t.bundle AND "
			"x.entity_type = t.entity_type ORDER BY x.entity_id%s LIMIT 1) e",
			bundles_param,
			kg_sql_param_array(&b, TEXTOID, names, n),
			kg_sql_table("kg_entity"),
			last ? " DESC" : "");
		(void) kg_sql_run(&b, add_renumbered, list);
	}
}

static bool
numbered_row(TupleTableSlot *slot, void *arg)
{
	kg_search_keep(arg,
				   DatumGetInt64(kg_slot_datum(slot, 3)),
				   DatumGetInt32(kg_slot_datum(slot, 2)),
				   KG_MATCH_TOKEN,
				   KG_TERM_ID,
				   TextDatumGetCString(kg_slot_datum(slot, 1)),
				   KG_RANK_NUMBER);
	return true;
}

void
kg_search_numbered_ids(KgSearch *search)
{
	TypedIds list;
	KgSqlBuilder b;

	if (search->number == NULL)
		return;
	init_typed_ids(&list, search->number, 2 * search->catalog->ntypes);
	renumber_ends(search, &list);
	if (list.n == 0)
		return;
	kg_sql_start(&b, search->catalog);
	kg_sql_append(&b,
				  "SELECT x.entity_id, x.type_no, x.node FROM "
				  "ROWS FROM (pg_catalog.unnest($%d), ",
				  kg_sql_param_array(&b, TEXTOID, list.bundles, list.n));
	kg_sql_append(&b,
				  "pg_catalog.unnest($%d), ",
				  kg_sql_param_array(&b, TEXTOID, list.types, list.n));
	kg_sql_append(&b,
				  "pg_catalog.unnest($%d)) AS t(bundle, entity_type, id) CROSS "
				  "JOIN LATERAL (SELECT y.entity_id, y.type_no, y.node FROM %s "
				  "y WHERE y.tenant = $1 AND y.bundle = t.bundle AND "
				  "y.entity_type = t.entity_type AND y.entity_id = t.id) x",
				  kg_sql_param_array(&b, TEXTOID, list.ids, list.n),
				  kg_sql_table("kg_entity"));
	(void) kg_sql_run(&b, numbered_row, search);
}

/* ---- similar ids ---- */

/*
 * Ranges of texts, as arrays for a statement: low is inclusive, high exclusive.
 */
typedef struct Texts
{
	int n;
	int size;
	Datum *low;
	Datum *high;
} Texts;

typedef struct NearIds
{
	KgSearch *search;
	KgChars id; /* characters of the current id; the buffer is reused */
} NearIds;

/* Adds the range of ids that begin with the n characters. */
static void
add_beginning(Texts *texts, const pg_wchar *chars, int n)
{
	char *text = palloc(n * MAX_MULTIBYTE_CHAR_LEN + 1);

	(void) pg_wchar2mb_with_len(chars, text, n);
	if (texts->n == texts->size)
	{
		texts->size *= 2;
		texts->low = repalloc(texts->low, texts->size * sizeof(Datum));
		texts->high = repalloc(texts->high, texts->size * sizeof(Datum));
	}
	texts->low[texts->n] = CStringGetTextDatum(text);
	texts->high[texts->n++] = CStringGetTextDatum(kg_text_prefix_high(text));
}

/*
 * Adds two variants of the first letters: with the character at an index
 * replaced by c, and with c inserted there.
 */
static void
add_with_letter(Texts *texts, const KgChars *asked, int n, int at, pg_wchar c)
{
	pg_wchar chars[KG_ID_BEGINNING + 1];

	memcpy(chars, asked->chars, n * sizeof(pg_wchar));
	if (at < n && chars[at] != c)
	{
		chars[at] = c;
		add_beginning(texts, chars, n);
	}
	memcpy(chars, asked->chars, at * sizeof(pg_wchar));
	chars[at] = c;
	memcpy(chars + at + 1, asked->chars + at, (n - at) * sizeof(pg_wchar));
	add_beginning(texts, chars, n + 1);
}

/*
 * Adds the first KG_ID_BEGINNING letters of the query, and all texts that
 * differ from these letters by one edit.
 */
static void
add_beginnings(Texts *texts, const KgChars *asked)
{
	int n = Min(asked->n, KG_ID_BEGINNING);

	add_beginning(texts, asked->chars, n);
	for (int at = 0; at <= n; at++)
	{
		pg_wchar chars[KG_ID_BEGINNING];

		CHECK_FOR_INTERRUPTS();
		for (const char *c = letters; *c; c++)
			add_with_letter(texts, asked, n, at, *c);
		if (at == n)
			break;
		memcpy(chars, asked->chars, at * sizeof(pg_wchar));
		memcpy(
			chars + at, asked->chars + at + 1, (n - at - 1) * sizeof(pg_wchar));
		if (n > 1)
			add_beginning(texts, chars, n - 1);
		if (at + 1 == n)
			continue;
		memcpy(chars, asked->chars, n * sizeof(pg_wchar));
		chars[at] = asked->chars[at + 1];
		chars[at + 1] = asked->chars[at];
		add_beginning(texts, chars, n);
	}
}

static bool
near_id_row(TupleTableSlot *slot, void *arg)
{
	NearIds *near = arg;
	KgSearch *search = near->search;
	char *id = TextDatumGetCString(kg_slot_datum(slot, 1));
	double alike = 0;

	if (kg_search_has_number(search, id) && kg_chars_set(&near->id, id) &&
		kg_edits(&search->chars, &near->id, KG_ID_EDITS) <= KG_ID_EDITS)
		alike = kg_rank_alike(&search->chars, &near->id);
	if (alike > 0 && alike < 1 && strcmp(kg_term_fold(id, strlen(id)), id) == 0)
		kg_search_keep(search,
					   DatumGetInt64(kg_slot_datum(slot, 3)),
					   DatumGetInt32(kg_slot_datum(slot, 2)),
					   KG_MATCH_TRIGRAM,
					   KG_TERM_ID,
					   id,
					   alike);
	pfree(id);
	return true;
}

static void
find_near_ids(NearIds *near, const KgTypeRow *row, const Texts *texts)
{
	KgSqlBuilder b;

	kg_sql_start(&b, near->search->catalog);
	kg_sql_append(&b,
				  "SELECT e.entity_id, e.type_no, e.node FROM "
				  "ROWS FROM (pg_catalog.unnest($%d), ",
				  kg_sql_param_array(&b, TEXTOID, texts->low, texts->n));
	kg_sql_append(
		&b,
		"pg_catalog.unnest($%d)) AS t(low, high) CROSS JOIN LATERAL (SELECT "
		"x.entity_id, x.type_no, x.node FROM %s x WHERE x.tenant = $1",
		kg_sql_param_array(&b, TEXTOID, texts->high, texts->n),
		kg_sql_table("kg_entity"));
	kg_sql_append(
		&b, " AND x.bundle = $%d", kg_sql_param_text(&b, row->bundle));
	kg_sql_append(
		&b, " AND x.entity_type = $%d", kg_sql_param_text(&b, row->name));
	kg_sql_append(&b,
				  " AND x.entity_id >= t.low AND x.entity_id < t.high ORDER BY "
				  "x.entity_id LIMIT $%d) e",
				  kg_sql_param_int64(&b, KG_ID_ROWS));
	(void) kg_sql_run(&b, near_id_row, near);
}

void
kg_search_near_ids(KgSearch *search)
{
	NearIds *near;
	Texts texts;

	if (search->chars.n < 2)
		return;
	near = palloc(sizeof(NearIds));
	near->search = search;
	texts.n = 0;
	texts.size = 512;
	texts.low = palloc(texts.size * sizeof(Datum));
	texts.high = palloc(texts.size * sizeof(Datum));
	add_beginnings(&texts, &search->chars);
	for (int i = 0; i < search->catalog->ntypes; i++)
	{
		const KgTypeRow *row = &search->catalog->types[i];

		if (kg_search_has_type(search, row->type_no))
			find_near_ids(near, row, &texts);
	}
}
