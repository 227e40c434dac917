/*
 * hints.c
 *	  Suggests corrections: the nearest ids, labels and values.
 */
#include "postgres.h"

#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "query/filter/any.h"
#include "query/argument/hints.h"
#include "model/marks.h"
#include "query/filter/scan.h"
#include "query/filter/sql_filter.h"
#include "utils/builtins.h"

#define KG_HINT_VALUES 5
/*
 * Maximum number of stored values that are compared with the value sent by the
 * caller.
 */
#define KG_HINT_WALK 64
/*
 * Maximum number of ids suggested. Several ids may differ in a single letter
 * from a short id.
 */
#define KG_HINT_IDS 8

/*
 * The entity that a match found. An array of Named is in the order of the
 * matches.
 */
typedef struct Named
{
	int64 node;
	char *id;
	char *label;
} Named;

typedef struct NamedSet
{
	const KgType *type;
	Named *named;
	int n;
} NamedSet;

static bool
named_row(TupleTableSlot *slot, void *arg)
{
	NamedSet *set = arg;
	int64 node = DatumGetInt64(kg_slot_datum(slot, 1));
	Jsonb *data = DatumGetJsonbP(kg_slot_datum(slot, 2));
	JsonbValue label;

	for (int i = 0; i < set->n; i++)
	{
		Named *named = &set->named[i];

		if (named->node != node)
			continue;
		named->id = TextDatumGetCString(kg_slot_datum(slot, 3));
		if (set->type->label_field &&
			kg_field_value(set->type->label_field, &data->root, &label))
			named->label = kg_json_cstring(&label);
	}
	return true;
}

static NamedSet
name_nodes(const KgCatalog *catalog, const KgType *type,
		   const KgMatches *matches)
{
	NamedSet set;
	int64 *nodes = palloc(Max(1, matches->n) * sizeof(int64));
	KgSqlBuilder b;

	set.type = type;
	set.n = matches->n;
	set.named = palloc0(Max(1, matches->n) * sizeof(Named));
	for (int i = 0; i < matches->n; i++)
	{
		set.named[i].node = matches->matches[i].node;
		nodes[i] = set.named[i].node;
	}
	if (matches->n == 0)
		return set;
	kg_list_sql_data(&b, catalog, nodes, matches->n);
	(void) kg_sql_run(&b, named_row, &set);
	return set;
}

/*
 * Returns the id in a handle (type:id) that was sent in place of an id of the
 * type. Returns any other text unchanged.
 */
static const char *
bare_id(const KgType *type, const char *id)
{
	const char *names[2];

	names[0] = type->name;
	names[1] = psprintf("%s/%s", type->bundle, type->name);
	for (int i = 0; i < lengthof(names); i++)
	{
		size_t len = strlen(names[i]);

		if (strncmp(id, names[i], len) == 0 && id[len] == ':' &&
			id[len + 1] != '\0')
			return id + len + 1;
	}
	return id;
}

/* ---- ids with equal numbers ---- */

/* Maximum number of digits of a number in an id. */
#define KG_PAD 8

typedef struct Spellings
{
	Datum *ids;
	int n;
	int room;
} Spellings;

static void
add_spelling(Spellings *spellings, const char *id)
{
	for (int i = 0; i < spellings->n; i++)
		if (strcmp(TextDatumGetCString(spellings->ids[i]), id) == 0)
			return;
	if (spellings->n < spellings->room)
		spellings->ids[spellings->n++] = CStringGetTextDatum(id);
}

/*
 * Returns other spellings of an id that consists of a word, a sign and a
 * number: E1, e-1 and E_01 are spellings of E-001. Zeros, the sign and the case
 * vary. An id of another form has no spellings.
 */
static Spellings
spell(const char *id)
{
	static const char *const signs[] = {"", "-", "_", ".", ":", "/", " "};
	Spellings spellings = {NULL, 0, 3 * lengthof(signs) * KG_PAD};
	int len = strlen(id);
	int digits = 0;
	int word;
	const char *number;

	while (digits < len && id[len - digits - 1] >= '0' &&
		   id[len - digits - 1] <= '9')
		digits++;
	word = len - digits;
	while (word > 0 && strchr("-_.:/ #", id[word - 1]) != NULL)
		word--;
	number = id + len - digits;
	while (digits > 1 && *number == '0')
	{
		number++;
		digits--;
	}
	if (digits == 0 || digits > KG_PAD || word == 0 || len > 128)
		return spellings;
	spellings.ids = palloc(spellings.room * sizeof(Datum));
	for (int form = 0; form < 3; form++)
	{
		char *name = pnstrdup(id, word);

		for (char *p = name; *p != '\0' && form > 0; p++)
			*p = form == 1 ? pg_ascii_toupper((unsigned char) *p)
						   : pg_ascii_tolower((unsigned char) *p);
		for (int s = 0; s < lengthof(signs); s++)
			for (int width = digits; width <= KG_PAD; width++)
				add_spelling(&spellings,
							 psprintf("%s%s%.*s%s",
									  name,
									  signs[s],
									  width - digits,
									  "00000000",
									  number));
	}
	return spellings;
}

typedef struct Spelt
{
	KgMatches *matches;
	int max;
	int32 type_no;
} Spelt;

static bool
take_spelt(TupleTableSlot *slot, void *arg)
{
	Spelt *spelt = arg;
	KgMatch *match;

	if (spelt->matches->n == spelt->max)
		return false;
	match = &spelt->matches->matches[spelt->matches->n++];
	memset(match, 0, sizeof(*match));
	match->node = DatumGetInt64(kg_slot_datum(slot, 1));
	match->type_no = spelt->type_no;
	match->how = KG_MATCH_EXACT;
	match->kind = KG_TERM_ID;
	return true;
}

static void
find_spelt(const KgCatalog *catalog, const KgType *type, const char *id,
		   Spelt *spelt)
{
	Spellings spellings = spell(id);
	KgSqlBuilder b;
	KgStatement statement;

	if (spellings.n == 0)
		return;
	kg_sql_start(&b, catalog);
	kg_sql_append(&b, "SELECT e.node FROM ");
	kg_sql_begin_each(
		&b,
		kg_sql_table("kg_entity"),
		"x.node, x.entity_id",
		kg_sql_param_array(&b, TEXTOID, spellings.ids, spellings.n));
	kg_sql_append(
		&b, " AND x.bundle = $%d", kg_sql_param_text(&b, type->bundle));
	kg_sql_append(
		&b, " AND x.entity_type = $%d", kg_sql_param_text(&b, type->name));
	kg_sql_end_each(&b, "entity_id", "e");
	statement = kg_sql_statement(&b);
	statement.node_column = 1;
	(void) kg_plan_run(&statement, take_spelt, spelt);
}

KgMatches *
kg_hints_nearest(const KgCatalog *catalog, const KgType *type, const char *id,
				 int max)
{
	KgMatches *near = kg_search_nearest(
		catalog, id, type ? type->type_no : 0, max);
	KgMatches *all = palloc0(sizeof(KgMatches));
	Spelt spelt = {all, max, type ? type->type_no : 0};

	*all = *near;
	all->n = 0;
	all->matches = palloc((max + 1) * sizeof(KgMatch));
	if (type != NULL)
		find_spelt(catalog, type, id, &spelt);
	for (int i = 0; i < near->n && all->n < max; i++)
	{
		bool before = false;

		for (int j = 0; j < all->n; j++)
			before |= all->matches[j].node == near->matches[i].node;
		if (!before)
			all->matches[all->n++] = near->matches[i];
	}
	return all;
}

int
kg_hints_only_exact(const KgMatches *matches, int n)
{
	int found = -1;

	/*
	 * The matched text may be only the number in the id, without the word
	 * before it.
	 */
	for (int i = 0; i < n; i++)
		if (matches->matches[i].how == KG_MATCH_EXACT ||
			(matches->matches[i].how == KG_MATCH_TOKEN &&
			 matches->matches[i].kind == KG_TERM_ID))
			found = found == -1 ? i : -2;
	return found < 0 ? -1 : found;
}

/*
 * Returns up to KG_HINT_IDS ids nearest to the values: the best for each value,
 * then the second best for each, and so on.
 */
static KgMatches
nearest_to_all(const KgCatalog *catalog, const KgType *type,
			   const JsonbValue *values, int n)
{
	KgMatches *found[KG_HINT_LOOKS];
	KgMatches all;
	int with_any = 0;
	int looked;

	for (looked = 0; looked < Min(n, KG_HINT_LOOKS); looked++)
	{
		if (with_any == KG_HINT_IDS)
			break;
		found[looked] = kg_hints_nearest(
			catalog,
			type,
			bare_id(type, kg_json_cstring(&values[looked])),
			KG_HINT_IDS);
		with_any += found[looked]->n > 0;
	}
	memset(&all, 0, sizeof(all));
	all.matches = palloc(KG_HINT_IDS * sizeof(KgMatch));
	for (int rank = 0; rank < KG_HINT_IDS; rank++)
		for (int i = 0; i < looked && all.n < KG_HINT_IDS; i++)
		{
			bool before = false;

			for (int j = 0; j < all.n && rank < found[i]->n; j++)
				before |= all.matches[j].node == found[i]->matches[rank].node;
			if (rank < found[i]->n && !before)
				all.matches[all.n++] = found[i]->matches[rank];
		}
	return all;
}

/*
 * Adds a correction of the value at a path of the arguments. If that value is
 * an array, corrects the item "got" of this array.
 */
static void
correct(KgCorrection *correction, const char *path, const JsonbValue *got,
		const char *meant)
{
	JsonbValue string = kg_json_string_value(meant);
	KgInstead change = {.kind = KG_INSTEAD_VALUE, .path = path};

	change.got = kg_json_datum(got);
	change.value = kg_json_datum(&string);
	kg_correct(correction, &change);
}

static void
correct_ids(const KgType *type, const NamedSet *set, const KgMatches *matches,
			const JsonbValue *values, int n, const char *path,
			KgCorrection *correction)
{
	const char **ids = palloc0((set->n + 1) * sizeof(char *));
	const char **labels = palloc0((set->n + 1) * sizeof(char *));

	for (int i = 0; i < set->n; i++)
	{
		ids[i] = set->named[i].id;
		labels[i] = set->named[i].label;
	}
	for (int i = 0; i < Min(n, KG_HINT_LOOKS); i++)
	{
		char *text = kg_json_cstring(&values[i]);
		const char *id = bare_id(type, text);
		int likely = kg_likely(id, ids, labels, set->n);

		/*
		 * The kinds of the matches show which match is meant only if there is
		 * one value.
		 */
		if (likely < 0 && n == 1)
			likely = kg_hints_only_exact(matches, set->n);
		/* The entity may have been deleted since it was found. */
		if (likely >= 0 && ids[likely] != NULL)
			correct(correction, path, &values[i], ids[likely]);
	}
}

static bool
is_among(const char *id, const JsonbValue *values, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(kg_json_cstring(&values[i]), id) == 0)
			return true;
	return false;
}

static void
write_near_ids(const KgCatalog *catalog, const KgType *type,
			   const JsonbValue *values, int n, const char *path,
			   KgCorrection *correction, KgJsonWriter *w)
{
	KgMatches matches = nearest_to_all(catalog, type, values, n);
	NamedSet set = name_nodes(catalog, type, &matches);

	kg_jw_begin_array(w);
	for (int i = 0; i < set.n; i++)
	{
		KgMarks marks = {NIL};

		if (set.named[i].id == NULL ||
			is_among(set.named[i].id, values, Min(n, KG_HINT_LOOKS)))
			continue;
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "id", set.named[i].id);
		kg_marks_note(&marks, type->id_field, "id");
		if (set.named[i].label)
		{
			kg_jw_kstring(w, "label", set.named[i].label);
			kg_marks_note(&marks, type->label_field, "label");
		}
		kg_marks_write(&marks, w);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
	if (correction != NULL)
		correct_ids(type, &set, &matches, values, n, path, correction);
}

/*
 * Receives the next key in the order of keys (next_key()), and stops the
 * statement.
 */
static bool
take_key(TupleTableSlot *slot, void *arg)
{
	*(bytea **) arg = DatumGetByteaPCopy(kg_slot_datum(slot, 1));
	return false;
}

/*
 * Returns the next key above or below a key among the stored values of a field,
 * or NULL.
 */
static bytea *
next_key(const KgListQuery *query, const KgField *field, const bytea *key,
		 bool above)
{
	KgSqlBuilder b;
	bytea *result = NULL;

	kg_sql_start(&b, query->catalog);
	kg_sql_append(
		&b,
		"SELECT k.key FROM %s k WHERE k.tenant = $1 AND k.type_no = $%d",
		kg_sql_table("kg_index_key"),
		kg_sql_param(&b, INT4OID, Int32GetDatum(query->type->type_no)));
	kg_sql_append(&b, " AND k.field_no = $%d", kg_sql_param_field(&b, field));
	kg_sql_append(&b,
				  " AND k.key%s$%d",
				  above ? " > " : " < ",
				  kg_sql_param_bytea(&b, key));
	if (above)
		kg_sql_append(&b, " AND k.key < $%d", kg_sql_param_missing(&b));
	kg_sql_visible(&b, "k.node");
	kg_sql_append(&b, " ORDER BY k.key%s LIMIT 1", above ? "" : " DESC");
	(void) kg_sql_run(&b, take_key, &result);
	return result;
}

static void
write_key(const KgField *field, const bytea *key, KgJsonWriter *w)
{
	JsonbValue value;

	kg_key_decode(field, key, &value);
	kg_jw_value(w, &value);
}

static const bytea *
lowest_key(void)
{
	bytea *key = palloc(VARHDRSZ);

	SET_VARSIZE(key, VARHDRSZ);
	return key;
}

/*
 * Writes the values of an enum that entities have, in the order of their
 * declaration, at most 2 * KG_HINT_VALUES.
 */
static void
write_values_in_use(const KgListQuery *query, const KgField *field,
					KgJsonWriter *w)
{
	const bytea *key = lowest_key();

	kg_jw_begin_array(w);
	for (int i = 0; i < 2 * KG_HINT_VALUES; i++)
	{
		key = next_key(query, field, key, true);
		if (key == NULL)
			break;
		write_key(field, key, w);
	}
	kg_jw_end_array(w);
}

typedef struct Neighbours
{
	int n;
	const bytea *keys[KG_HINT_WALK];
} Neighbours;

static void
add_neighbour(Neighbours *set, const bytea *key)
{
	for (int i = 0; i < set->n; i++)
		if (VARSIZE_ANY_EXHDR(set->keys[i]) == VARSIZE_ANY_EXHDR(key) &&
			memcmp(VARDATA_ANY(set->keys[i]),
				   VARDATA_ANY(key),
				   VARSIZE_ANY_EXHDR(key)) == 0)
			return;
	if (set->n < lengthof(set->keys))
		set->keys[set->n++] = key;
}

static void
find_neighbours(const KgListQuery *query, const KgField *field,
				const bytea *key, int n, Neighbours *set)
{
	const bytea *at = key;

	/* The walks up and down the index exclude the key itself. */
	for (int i = 0; i < n; i++)
	{
		at = next_key(query, field, at, false);
		if (at == NULL)
			break;
		add_neighbour(set, at);
	}
	at = key;
	for (int i = 0; i < n; i++)
	{
		at = next_key(query, field, at, true);
		if (at == NULL)
			break;
		add_neighbour(set, at);
	}
}

/*
 * Adds the key if an entity has it. To find it, the key is extended by one
 * byte; the next key below the extended key is the key itself.
 */
static void
add_bound(const KgListQuery *query, const KgField *field, const bytea *key,
		  Neighbours *set)
{
	Size len = VARSIZE_ANY_EXHDR(key);
	bytea *longer = palloc0(VARHDRSZ + len + 1);
	bytea *at;

	SET_VARSIZE(longer, VARHDRSZ + len + 1);
	memcpy(VARDATA(longer), VARDATA_ANY(key), len);
	at = next_key(query, field, longer, false);
	if (at != NULL && VARSIZE_ANY_EXHDR(at) == len &&
		memcmp(VARDATA_ANY(at), VARDATA_ANY(key), len) == 0)
		add_neighbour(set, at);
}

/*
 * Adds the first values of the field, in key order, while the set has room. So
 * if a property has few values, all of them are compared.
 */
static void
find_first(const KgListQuery *query, const KgField *field, Neighbours *set)
{
	const bytea *key = lowest_key();

	while (set->n < lengthof(set->keys))
	{
		key = next_key(query, field, key, true);
		if (key == NULL)
			break;
		add_neighbour(set, key);
	}
}

/*
 * Number of ways to write a value: as sent, germany, Germany (first letter, and
 * each word), GERMANY.
 */
#define N_SPELLINGS 5

static void
spell_cases(const char *text, char **spellings)
{
	bool begins = true;

	spellings[0] = pstrdup(text);
	spellings[1] = kg_term_fold(text, strlen(text));
	for (int i = 2; i < N_SPELLINGS; i++)
		spellings[i] = pstrdup(spellings[1]);
	for (int i = 0; spellings[1][i] != '\0'; i++)
	{
		char c = spellings[1][i];
		char upper = pg_ascii_toupper((unsigned char) c);

		if (i == 0)
			spellings[2][i] = upper;
		if (begins)
			spellings[3][i] = upper;
		spellings[4][i] = upper;
		begins = c == ' ' || c == '-';
	}
}

/*
 * Adds up to "most" stored strings that are near the text, but differ from it,
 * to "added", which has nadded strings. Returns the new number of strings.
 * First collects the stored strings that are next in key order to the text in
 * its usual letter cases. Then takes the nearest of these by edit distance. If
 * "like" is true, adds only strings that may have been meant. Otherwise also
 * collects the first stored strings, and adds strings that are not near if too
 * few are near.
 */
static int
add_near_strings(const KgListQuery *query, const KgField *field,
				 const char *text, int most, bool like, const char **added,
				 int nadded)
{
	Neighbours set;
	const char **names;
	char *spellings[N_SPELLINGS];
	JsonbValue value;
	int nnames = 0;

	set.n = 0;
	spell_cases(text, spellings);
	for (int i = 0; i < lengthof(spellings); i++)
	{
		int len = strlen(spellings[i]);
		const bytea *key;

		/*
		 * Stored values that begin with the text are added, too. They are as
		 * near to the text as its neighbours in key order.
		 */
		value = kg_json_string_value(spellings[i]);
		key = field->by_version ? kg_key_bound(field, &value, false)
								: kg_key_prefix_low(spellings[i], len);
		add_bound(query, field, key, &set);
		find_neighbours(query, field, key, 2, &set);
	}
	if (!like)
		find_first(query, field, &set);
	names = palloc(Max(1, set.n) * sizeof(char *));
	for (int i = 0; i < set.n; i++)
	{
		kg_key_decode(field, set.keys[i], &value);
		if (!kg_json_string_is(&value, text))
			names[nnames++] = kg_json_cstring(&value);
	}
	for (int n = 0; n < most && nnames > 0; n++)
	{
		const char *best = kg_nearest(text, names, nnames);
		const char *folded = kg_nearest(spellings[1], names, nnames);
		bool before = false;

		best = best ? best : folded;
		if (best == NULL && like)
			break;
		best = best ? best : names[0];
		for (int i = 0; i < nadded; i++)
			before |= strcmp(added[i], best) == 0;
		if (!before)
			added[nadded++] = best;
		for (int i = 0; i < nnames; i++)
			if (names[i] == best)
				names[i] = names[--nnames];
	}
	return nadded;
}

/*
 * Returns whether the operator compares for equality, with a value or with a
 * list of values. Only then can a correction replace a value by a similar
 * value.
 */
static bool
is_correctable(const KgCondition *condition)
{
	switch (kg_operator(condition->op)->form)
	{
		case KG_OPERAND_VALUE:
		case KG_OPERAND_LIST:
			return true;
		case KG_OPERAND_ORDERED:
		case KG_OPERAND_PART:
		case KG_OPERAND_FLAG:
			break;
	}
	return false;
}

/*
 * Returns whether the condition compares a part of a property's text (not of an
 * id) with a single value.
 */
static bool
compares_part(const KgCondition *condition)
{
	return kg_operator(condition->op)->form == KG_OPERAND_PART &&
		   condition->field != NULL && condition->nvalues == 1;
}

/*
 * Returns whether a visible entity would match the condition if "spelling" were
 * the text of the condition.
 */
static bool
matches_spelling(const KgListQuery *query, const KgCondition *condition,
				 const char *spelling)
{
	KgFilterTarget target = kg_filter_target_counted(query->catalog,
													 query->type);
	KgRepairs repairs = {NIL};
	const KgFilter *filter;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kbegin_object(&w, condition->field->name);
	kg_jw_kstring(&w, kg_operator(condition->op)->name, spelling);
	kg_jw_end_object(&w);
	filter = kg_filter_analyse(
		kg_filter_parse(&kg_jw_finish(&w)->root, "/filters"),
		&target,
		&repairs);
	return kg_list_condition_matches_any(query, kg_any_condition(filter, 0));
}

/*
 * Returns the part of the value that equals the text except for case, or NULL.
 */
static char *
written_in(const char *value, const char *text)
{
	size_t len = strlen(text);

	for (; strlen(value) >= len; value++)
		if (pg_strncasecmp(value, text, len) == 0)
			return pnstrdup(value, len);
	return NULL;
}

/*
 * If the part of a text in a condition matches stored values in exactly one
 * other letter case, adds a correction to this case. Tries the usual cases, and
 * the cases in the nearest values.
 */
static void
correct_case(const KgListQuery *query, const KgCondition *condition,
			 const char *const *nearest, int n, KgCorrection *correction)
{
	const char *text = kg_json_cstring(&condition->values[0]);
	const char *found = NULL;
	char *spellings[N_SPELLINGS + KG_HINT_VALUES];
	int nspellings = N_SPELLINGS;

	spell_cases(text, spellings);
	for (int i = 0; i < Min(n, KG_HINT_VALUES); i++)
		if ((spellings[nspellings] = written_in(nearest[i], text)) != NULL)
			nspellings++;
	for (int i = 1; i < nspellings; i++)
	{
		bool tried = false;

		for (int j = 0; j < i; j++)
			tried |= strcmp(spellings[j], spellings[i]) == 0;
		if (tried || !matches_spelling(query, condition, spellings[i]))
			continue;
		if (found != NULL)
			return;
		found = spellings[i];
	}
	if (found != NULL)
		correct(correction, condition->path, &condition->values[0], found);
}

/*
 * Writes an array of stored strings of the property that are near the values of
 * the condition: at most three for a single value, otherwise one for each value
 * that has a similar string. If no value has one, writes the strings for the
 * first value. Also adds the corrections of the values to *correction.
 */
static void
write_near_strings(const KgListQuery *query, const KgCondition *condition,
				   KgCorrection *correction, KgJsonWriter *w)
{
	const char *added[KG_HINT_VALUES];
	int n = 0;

	if (condition->nvalues > 1)
		for (int i = 0; i < Min(condition->nvalues, KG_HINT_LOOKS); i++)
			if (n < KG_HINT_VALUES)
				n = add_near_strings(query,
									 condition->field,
									 kg_json_cstring(&condition->values[i]),
									 1,
									 true,
									 added,
									 n);
	if (n == 0)
		n = add_near_strings(query,
							 condition->field,
							 kg_json_cstring(&condition->values[0]),
							 3,
							 false,
							 added,
							 n);
	kg_jw_begin_array(w);
	for (int i = 0; i < n; i++)
		kg_jw_string(w, added[i]);
	kg_jw_end_array(w);
	if (compares_part(condition))
		correct_case(query, condition, added, n, correction);
	if (!is_correctable(condition))
		return;
	for (int i = 0; i < Min(condition->nvalues, KG_HINT_LOOKS); i++)
	{
		int likely = kg_likely(
			kg_json_cstring(&condition->values[i]), added, NULL, n);

		if (likely >= 0)
			correct(correction,
					condition->path,
					&condition->values[i],
					added[likely]);
	}
}

/*
 * Writes the stored values nearest to the values of the condition: two below
 * and two above a single value; for several values, one below and one above
 * each.
 */
static void
write_near_keys(const KgListQuery *query, const KgCondition *condition,
				KgJsonWriter *w)
{
	int each = condition->nvalues == 1 ? 2 : 1;
	Neighbours set;

	set.n = 0;
	for (int i = 0; i < Min(condition->nvalues, KG_HINT_LOOKS); i++)
		if (condition->keys && set.n + 2 * each <= KG_HINT_VALUES)
			find_neighbours(
				query, condition->field, condition->keys[i], each, &set);
	kg_jw_begin_array(w);
	for (int i = 0; i < set.n; i++)
		write_key(condition->field, set.keys[i], w);
	kg_jw_end_array(w);
}

static const KgType *
condition_target(const KgListQuery *query, const KgCondition *condition)
{
	const KgField *field = condition->field;

	if (field == NULL)
		return query->type;
	if (field->ref_type == NULL || field->ref_field != NULL)
		return NULL;
	return kg_catalog_type_in(
		query->catalog, field->ref_bundle, field->ref_type);
}

static bool
mark_existing(TupleTableSlot *slot, void *arg)
{
	KgCondition *left = arg;
	char *id = TextDatumGetCString(kg_slot_datum(slot, 1));

	for (int i = left->nvalues - 1; i >= 0; i--)
		if (kg_json_string_is(&left->values[i], id))
			left->values[i] = left->values[--left->nvalues];
	return true;
}

/* Returns the condition with only the values that are not ids of the type. */
static KgCondition
missing_values(const KgListQuery *query, const KgType *target,
			   const KgCondition *condition)
{
	KgCondition left = *condition;
	Datum *ids = palloc(Max(1, left.nvalues) * sizeof(Datum));
	KgSqlBuilder b;

	left.values = palloc(Max(1, left.nvalues) * sizeof(JsonbValue));
	for (int i = 0; i < left.nvalues; i++)
	{
		left.values[i] = condition->values[i];
		ids[i] = CStringGetTextDatum(kg_json_cstring(&left.values[i]));
	}
	kg_sql_start(&b, query->catalog);
	kg_sql_append(&b, "SELECT e.entity_id FROM ");
	kg_sql_begin_each(&b,
					  kg_sql_table("kg_entity"),
					  "x.entity_id",
					  kg_sql_param_array(&b, TEXTOID, ids, left.nvalues));
	kg_sql_append(
		&b, " AND x.bundle = $%d", kg_sql_param_text(&b, target->bundle));
	kg_sql_append(
		&b, " AND x.entity_type = $%d", kg_sql_param_text(&b, target->name));
	kg_sql_end_each(&b, "entity_id", "e");
	(void) kg_sql_run(&b, mark_existing, &left);
	return left;
}

/*
 * Adds a correction for each text that lists several ids of the type. Returns
 * whether there is any such text. filter is true if the path leads to a
 * condition of a filter.
 */
static bool
correct_lists(const KgListQuery *query, const KgType *target,
			  const KgCondition *condition, bool filter,
			  KgCorrection *correction)
{
	bool any = false;

	for (int i = 0; i < Min(condition->nvalues, KG_HINT_LOOKS); i++)
	{
		KgCondition listed = *condition;
		char **parts;
		int n = kg_args_split(kg_json_cstring(&condition->values[i]), &parts);

		if (n == 0 || n > KG_HINT_LOOKS)
			continue;
		listed.nvalues = n;
		listed.values = palloc(n * sizeof(JsonbValue));
		for (int j = 0; j < n; j++)
			listed.values[j] = kg_json_string_value(parts[j]);
		if (missing_values(query, target, &listed).nvalues > 0)
			continue;
		kg_correct_list(correction,
						condition->path,
						&condition->values[i],
						parts,
						n,
						filter);
		any = true;
	}
	return any;
}

void
kg_hints_write_nearest(const KgCatalog *catalog, const KgType *type,
					   const JsonbValue *id, const char *path,
					   KgCorrection *correction, KgJsonWriter *w)
{
	KgListQuery query = {.catalog = catalog, .type = type};
	KgCondition condition = {.op = KG_OP_IN, .nvalues = 1};

	condition.values = palloc(sizeof(JsonbValue));
	condition.values[0] = *id;
	condition.path = (char *) path;
	if (correction != NULL && type->binding == NULL &&
		correct_lists(&query, type, &condition, false, correction))
		correction = NULL;
	write_near_ids(catalog, type, id, 1, path, correction, w);
}

static void
write_nearest(const KgListQuery *query, const KgCondition *condition,
			  KgCorrection *correction, KgJsonWriter *w)
{
	const KgField *field = condition->field;
	const KgType *target = condition_target(query, condition);

	if (condition->nvalues == 0)
		return;
	kg_jw_key(w, "nearest");
	if (target)
		write_near_ids(
			query->catalog,
			target,
			condition->values,
			condition->nvalues,
			condition->path,
			!is_correctable(condition) ||
					correct_lists(query, target, condition, true, correction)
				? NULL
				: correction,
			w);
	else if (field->kind == KG_KIND_ENUM)
		write_values_in_use(query, field, w);
	else
	{
		if (field->kind == KG_KIND_STRING)
			write_near_strings(query, condition, correction, w);
		else
			write_near_keys(query, condition, w);
		kg_marks_write_member(field, "nearest", w);
	}
}

/*
 * Returns the path of the filters in the arguments, such as "/filters" or
 * "/from/filters".
 */
static const char *
filters_path(const KgFilter *filter)
{
	const KgCondition *condition;

	for (int i = 0; (condition = kg_any_condition(filter, i)) != NULL; i++)
	{
		const char *path = condition->path;
		const char *at = strstr(path, "/filters/");

		if (at != NULL)
			return pnstrdup(path, at - path + strlen("/filters"));
	}
	return "/filters";
}

/*
 * If the value of the condition is itself a condition in SQL syntax, adds the
 * correction and returns true. Returns false for other values. To be called
 * only for a value that equals no stored text.
 */
static bool
correct_sql(const KgCondition *condition, KgCorrection *correction)
{
	KgInstead change = {.kind = KG_INSTEAD_VALUE, .path = condition->path};

	if (condition->op != KG_OP_EQ || condition->nvalues != 1 ||
		strcmp(condition->path, condition->property_path) != 0)
		return false;
	change.value = kg_sql_condition(&condition->values[0]);
	if (change.value == NULL || correction == NULL)
		return false;
	kg_correct(correction, &change);
	return true;
}

static void
write_no_match(const KgListQuery *query, const KgCondition *condition,
			   bool tell, KgCorrection *correction, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", condition->path);
	kg_jw_kstring(
		w,
		"message",
		compares_part(condition)
			? psprintf("no entity matches this filter; \"%s\" distinguishes "
					   "upper and lower case",
					   kg_operator(condition->op)->name)
			: "no entity matches this filter");
	if (tell)
	{
		kg_jw_kbegin_array(w, "not_found");
		for (int i = 0; i < Min(condition->nvalues, KG_HINT_LOOKS); i++)
			kg_jw_value(w, &condition->values[i]);
		kg_jw_end_array(w);
	}
	if (!correct_sql(condition, correction))
		write_nearest(query, condition, correction, w);
	kg_correction_write(correction, w);
	kg_jw_end_object(w);
}

/*
 * Returns the message for a filter that matches nothing and has conditions that
 * are tested on documents, without an index.
 */
static const char *
no_scan_match(const KgFilter *filter)
{
	const char *message = "no entity that matches the other conditions passes "
						  "the filters on properties without an index";
	const KgCondition *condition;

	for (int i = 0; (condition = kg_any_condition(filter, i)) != NULL; i++)
		if (kg_condition_scans(condition) && compares_part(condition))
			return psprintf("%s; \"%s\" distinguishes upper and lower case",
							message,
							kg_operator(condition->op)->name);
	return message;
}

void
kg_hints_write_items(const KgListQuery *query, KgCorrection *correction,
					 KgJsonWriter *w)
{
	const KgCondition *condition;
	bool any = false;

	if (query->type->binding != NULL)
		return;
	for (int i = 0; (condition = kg_any_condition(query->filter, i)) != NULL;
		 i++)
	{
		if (kg_condition_scans(condition) ||
			kg_list_condition_matches_any(query, condition))
			continue;
		any = true;
		write_no_match(query, condition, false, correction, w);
	}
	if (query->matches && query->matches->n == 0)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "path", "/search");
		kg_jw_kstring(w,
					  "message",
					  "no name, alias or id is similar to the query, even if "
					  "typing errors are allowed");
		kg_jw_end_object(w);
	}
	else if (!any && kg_filter_scans(query->filter))
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "path", filters_path(query->filter));
		kg_jw_kstring(w, "message", no_scan_match(query->filter));
		kg_jw_end_object(w);
	}
	else if (!any && kg_any_condition(query->filter, 1) != NULL)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "path", filters_path(query->filter));
		kg_jw_kstring(w,
					  "message",
					  "each filter matches entities, but no entity matches all "
					  "of them; leave out one of the filters");
		kg_jw_end_object(w);
	}
}

bool
kg_hints_write_unknown(const KgListQuery *query, KgCorrection *correction,
					   KgJsonWriter *w)
{
	const KgCondition *condition;
	bool any = false;

	if (query->type->binding != NULL)
		return false;
	for (int i = 0; (condition = kg_any_condition(query->filter, i)) != NULL;
		 i++)
	{
		KgCondition left = *condition;
		bool ids = condition->field == NULL && condition->op == KG_OP_IN;

		if (kg_condition_scans(condition))
			continue;
		if (ids)
			left = missing_values(query, query->type, condition);
		else if (kg_list_condition_matches_any(query, condition))
			continue;
		if (ids && left.nvalues == 0)
			continue;
		any = true;
		write_no_match(query, &left, ids, correction, w);
	}
	return any;
}

static void
check_label(const KgListQuery *query, const KgType *target,
			const KgCondition *condition, const JsonbValue *value)
{
	char *text = kg_json_cstring(value);
	KgMatches *matches = kg_search_nearest(
		query->catalog, text, target->type_no, 4 * KG_HINT_VALUES);
	NamedSet set;
	KgError *err;
	int n = 0;

	/*
	 * If the value is an id in another case, it is not a name, and a hint
	 * corrects it instead.
	 */
	for (int i = 0; i < matches->n && matches->matches[i].how == KG_MATCH_EXACT;
		 i++)
		if (matches->matches[i].kind != KG_TERM_ID)
			matches->matches[n++] = matches->matches[i];
	if (n == 0)
		return;
	matches->n = n;
	set = name_nodes(query->catalog, target, matches);
	if (set.named[0].id == NULL)
		return;
	err = n == 1 ? kg_error_new(KG_INVALID_INPUT,
								"\"%s\" is a name, not an id of entity type "
								"\"%s\"; the id is \"%s\"",
								text,
								kg_type_handle(target),
								set.named[0].id)
				 : kg_error_new(KG_INVALID_INPUT,
								"\"%s\" is a name of several entities of type "
								"\"%s\", not an id",
								text,
								kg_type_handle(target));
	kg_error_path(err, "%s", condition->path);
	kg_error_got(err, value);
	if (n == 1)
		kg_error_sure(err);
	kg_error_expected(err, "an id of \"%s\"", kg_type_handle(target));
	for (int i = 0; i < n; i++)
		if (set.named[i].id)
			kg_error_allow(err, set.named[i].id);
	if (n == 1)
		kg_error_did_you_mean(err, set.named[0].id);
	kg_error_throw(err);
}

void
kg_hints_check_labels(const KgListQuery *query, bool none_found)
{
	const KgCondition *condition;

	/* The values of a table have no terms to search. */
	if (query->type->binding != NULL)
		return;
	for (int i = 0; (condition = kg_any_condition(query->filter, i)) != NULL;
		 i++)
	{
		const KgType *target;
		KgCondition left;

		switch (kg_operator(condition->op)->form)
		{
			case KG_OPERAND_VALUE:
			case KG_OPERAND_LIST:
				break;
			case KG_OPERAND_ORDERED:
			case KG_OPERAND_PART:
			case KG_OPERAND_FLAG:
				continue;
		}
		if (condition->op == KG_OP_EQ && !none_found)
			continue;
		target = condition_target(query, condition);
		if (target == NULL)
			continue;
		left = missing_values(query, target, condition);
		/*
		 * The first value that is a label raises an error. At most
		 * KG_HINT_VALUES values are checked.
		 */
		for (int v = 0; v < Min(left.nvalues, KG_HINT_VALUES); v++)
			check_label(query, target, condition, &left.values[v]);
	}
}
