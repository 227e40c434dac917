/*
 * extract.c
 *	  The values derived from one entity.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/id.h"
#include "model/key.h"
#include "model/packed_keys.h"
#include "model/term.h"
#include "miscadmin.h"
#include "store/derived/extract.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * Makes room for one more element in an array that grows by doubling. item is
 * an lvalue of the new element.
 */
#define GROW(array, n)                                               \
	((n) == 0 ? ((array) = palloc(8 * sizeof(*(array))))             \
	 : ((n) >= 8 && ((n) & ((n) -1)) == 0)                           \
		 ? ((array) = repalloc((array), 2 * (n) * sizeof(*(array)))) \
		 : (array))

typedef struct Visit
{
	const KgType *type;
	KgExtract *extract;
	const KgField *field;
	int first; /* index of the first item of the field */
	char kind;
} Visit;

typedef struct KeyVisit
{
	const KgType *type;
	const Jsonb *data;
	const KgField *field;
	KgKeyItem *keys;
	int nkeys;
	int first; /* index of the first key of the field */
} KeyVisit;

static void
append_key(KeyVisit *visit, bytea *key)
{
	GROW(visit->keys, visit->nkeys);
	visit->keys[visit->nkeys].field_no = visit->field->field_no;
	visit->keys[visit->nkeys].key = key;
	visit->nkeys++;
}

/*
 * Raises an error for a key that is too long. Entities are checked before they
 * are written (store/check/check.c), so this occurs only if the entity was
 * stored before the property was indexed or under a higher limit.
 */
static void
throw_long_key(const KeyVisit *visit, const JsonbValue *value)
{
	KgError *err = kg_key_limit_error(visit->field, value);
	JsonbValue id;

	if (kg_field_value(visit->type->id_field, &visit->data->root, &id))
		kg_error_entity(err, kg_type_handle(visit->type), kg_id_of_value(&id));
	kg_error_throw(err);
}

static void
visit_key(const JsonbValue *value, void *arg)
{
	KeyVisit *visit = arg;
	bytea *key;

	if (value->type == jbvNull)
		return;
	if (!kg_key_fits(visit->field, value))
		throw_long_key(visit, value);
	/* A stored id may be a string if the schema had strings as ids before. */
	if (value->type == jbvString && visit->type->number_ids &&
		visit->field == visit->type->id_field)
		key = kg_id_key(visit->type, kg_json_cstring(value));
	else
		key = kg_key_encode(visit->field, value);
	if (key == NULL)
		return;
	for (int i = visit->first; i < visit->nkeys; i++)
		if (kg_key_compare(visit->keys[i].key, key) == 0)
			return;
	append_key(visit, key);
}

bytea *
kg_extract_keys(const KgType *type, const Jsonb *data)
{
	KeyVisit visit = {.type = type, .data = data};

	for (int i = 0; i < type->nfields; i++)
	{
		visit.field = &type->fields[i];
		visit.first = visit.nkeys;
		/* Counts of edges are not derived from the document. */
		if (!visit.field->indexed || visit.field->counted)
			continue;
		kg_field_visit(visit.field, &data->root, visit_key, &visit);
		if (visit.nkeys == visit.first)
			append_key(&visit,
					   kg_field_is_empty(visit.field, &data->root)
						   ? kg_key_empty()
						   : kg_key_missing());
	}
	return kg_keys_pack(visit.keys, visit.nkeys);
}

static void
append_term(KgExtract *extract, char kind, char *term)
{
	if (term[0] == '\0')
		return;
	for (int i = 0; i < extract->nterms; i++)
		if (extract->terms[i].kind == kind &&
			strcmp(extract->terms[i].term, term) == 0)
			return;
	GROW(extract->terms, extract->nterms);
	extract->terms[extract->nterms].kind = kind;
	extract->terms[extract->nterms].term = term;
	extract->nterms++;
}

static void
visit_term(const JsonbValue *value, void *arg)
{
	Visit *visit = arg;
	char *folded;
	char **parts;
	int n;

	if (value->type != jbvString)
		return;
	folded = kg_term_fold(value->val.string.val, value->val.string.len);
	append_term(visit->extract, visit->kind, folded);
	n = kg_term_tokens(folded, &parts);
	for (int i = 0; i < n; i++)
		append_term(visit->extract, KG_TERM_TOKEN, parts[i]);
	n = visit->type->signs ? kg_term_signs(folded, &parts) : 0;
	for (int i = 0; i < n; i++)
		append_term(visit->extract, KG_TERM_SIGN, parts[i]);
}

text *
kg_extract_scope(const KgType *type, const Jsonb *data)
{
	JsonbValue value;

	if (type->scope_field == NULL)
		return NULL;
	if (!kg_field_value(type->scope_field, &data->root, &value) ||
		value.type != jbvString)
		value = kg_json_string_value("");
	return cstring_to_text_with_len(value.val.string.val, value.val.string.len);
}

static bool
same_text(const text *a, const text *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		   memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

/*
 * Returns whether the stored keys and scope are those that the document
 * requires (extract.h). Frees its memory before it returns, because it is
 * called for each entity of a type.
 */
bool
kg_extract_is_stored(const KgType *type, const Jsonb *data, const bytea *keys,
					 const text *scope)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph keys", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	bool same = kg_keys_same(keys, kg_extract_keys(type, data)) &&
				same_text(scope, kg_extract_scope(type, data));

	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return same;
}

/*
 * Extracts terms. They include the id, because an agent may know only the id.
 * Most ids are equal to their folded form. The primary key finds such an id,
 * so it needs no term.
 */
static void
extract_terms(const KgType *type, const char *entity_id, const Jsonb *data,
			  KgExtract *extract)
{
	Visit visit = {type, extract, NULL, 0, KG_TERM_LABEL};
	char *folded = kg_term_fold(entity_id, strlen(entity_id));

	if (strcmp(folded, entity_id) != 0)
		append_term(extract, KG_TERM_ID, folded);
	if (type->label_field)
		kg_field_visit(type->label_field, &data->root, visit_term, &visit);
	visit.kind = KG_TERM_ALIAS;
	for (int i = 0; i < type->naliases; i++)
		kg_field_visit(type->alias_fields[i], &data->root, visit_term, &visit);
}

static void
visit_text(const JsonbValue *value, void *arg)
{
	if (value->type == jbvString)
		kg_words_add(arg, value->val.string.val, value->val.string.len);
}

static void
extract_words(const KgType *type, const Jsonb *data, KgWords *words)
{
	for (int i = 0; i < type->nsearch; i++)
		kg_field_visit(type->search_fields[i], &data->root, visit_text, words);
	kg_words_count(words);
}

static void
visit_reference(const JsonbValue *value, void *arg)
{
	Visit *visit = arg;
	KgExtract *extract = visit->extract;
	char *text;

	text = kg_id_of_value(value);
	if (text == NULL)
		return;
	for (int i = visit->first; i < extract->nreferences; i++)
		if (strcmp(extract->references[i].value, text) == 0)
			return;
	GROW(extract->references, extract->nreferences);
	extract->references[extract->nreferences].field = visit->field;
	extract->references[extract->nreferences].value = text;
	extract->nreferences++;
}

static void
extract_references(const KgType *type, const Jsonb *data, bool bound,
				   KgExtract *extract)
{
	for (int i = 0; i < type->nfields; i++)
	{
		Visit visit = {
			type, extract, &type->fields[i], extract->nreferences, 0};

		if (visit.field->ref_type && visit.field->ref_bound == bound)
			kg_field_visit(visit.field, &data->root, visit_reference, &visit);
	}
}

void
kg_extract_references(const KgType *type, const Jsonb *data, KgExtract *extract)
{
	extract_references(type, data, false, extract);
}

void
kg_extract_bound(const KgType *type, const Jsonb *data, KgExtract *extract)
{
	extract_references(type, data, true, extract);
}

void
kg_extract(const KgType *type, const char *entity_id, const Jsonb *data,
		   KgExtract *extract)
{
	memset(extract, 0, sizeof(*extract));
	extract_terms(type, entity_id, data, extract);
	kg_extract_references(type, data, extract);
	if (type->nsearch > 0)
		extract_words(type, data, &extract->words);
}

/*
 * Returns whether the property that a field reads is equal in both documents.
 * For a nested property, compares the outermost property.
 */
static bool
same_source(const KgField *field, const Jsonb *a, const Jsonb *b)
{
	const KgStep *step = &field->steps[0];
	JsonbValue x;
	JsonbValue y;
	bool in_a = getKeyJsonValueFromContainer(
					(JsonbContainer *) &a->root, step->key, step->keylen, &x) !=
				NULL;
	bool in_b = getKeyJsonValueFromContainer(
					(JsonbContainer *) &b->root, step->key, step->keylen, &y) !=
				NULL;

	return in_a == in_b && (!in_a || kg_json_same_value(&x, &y));
}

/*
 * Returns whether both documents are equal in the properties that kg_extract()
 * reads.
 */
bool
kg_extract_same_sources(const KgType *type, const Jsonb *a, const Jsonb *b)
{
	bool same = JB_ROOT_IS_OBJECT(a) && JB_ROOT_IS_OBJECT(b);

	if (type->label_field)
		same = same && same_source(type->label_field, a, b);
	for (int i = 0; i < type->naliases; i++)
		same = same && same_source(type->alias_fields[i], a, b);
	for (int i = 0; i < type->nsearch; i++)
		same = same && same_source(type->search_fields[i], a, b);
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].ref_type)
			same = same && same_source(&type->fields[i], a, b);
	return same;
}

static bool
same_paths(const KgField *const *a, int na, const KgField *const *b, int nb)
{
	if (na != nb)
		return false;
	for (int i = 0; i < na; i++)
		if (!kg_field_same_path(a[i], b[i]))
			return false;
	return true;
}

bool
kg_extract_same_search(const KgType *a, const KgType *b)
{
	return a->signs == b->signs &&
		   same_paths(&a->label_field,
					  a->label_field != NULL,
					  &b->label_field,
					  b->label_field != NULL) &&
		   same_paths(
			   a->alias_fields, a->naliases, b->alias_fields, b->naliases) &&
		   same_paths(
			   a->search_fields, a->nsearch, b->search_fields, b->nsearch);
}

/*
 * Searches "value", from a step of the field's path on, for a value that has
 * the text "wanted". Appends the path to the first such value to "pointer".
 * Returns false if no such value is found.
 */
static bool
append_way(StringInfo pointer, const KgField *field, int step,
		   const JsonbValue *value, const char *wanted)
{
	const KgStep *next = &field->steps[step];
	int len = pointer->len;
	KgJsonIter it;

	check_stack_depth();
	if (step == field->nsteps)
		return kg_id_is(value, wanted);
	if (kg_json_container(value) == NULL)
		return false;
	kg_json_iter_init(&it, kg_json_container(value));
	if (it.is_object != (next->key != NULL))
		return false;
	while (kg_json_iter_next(&it))
	{
		if (!it.is_object)
			appendStringInfo(pointer, "/%d", it.index);
		else if (it.key.val.string.len == next->keylen &&
				 memcmp(it.key.val.string.val, next->key, next->keylen) == 0)
			kg_json_pointer_append(pointer, next->key, next->keylen);
		else
			continue;
		if (append_way(pointer, field, step + 1, &it.value, wanted))
			return true;
		pointer->len = len;
		pointer->data[len] = '\0';
	}
	return false;
}

char *
kg_extract_pointer(const KgField *field, const Jsonb *data, const char *value)
{
	StringInfoData pointer;
	JsonbValue root;

	initStringInfo(&pointer);
	kg_json_root(data, &root);
	if (!append_way(&pointer, field, 0, &root, value))
		for (int i = 0; i < field->nsteps && field->steps[i].key; i++)
			kg_json_pointer_append(
				&pointer, field->steps[i].key, field->steps[i].keylen);
	return pointer.data;
}

bool
kg_extract_same_terms(const KgExtract *a, const KgExtract *b)
{
	if (a->nterms != b->nterms)
		return false;
	for (int i = 0; i < a->nterms; i++)
		if (a->terms[i].kind != b->terms[i].kind ||
			strcmp(a->terms[i].term, b->terms[i].term) != 0)
			return false;
	return true;
}

bool
kg_extract_same_references(const KgExtract *a, const KgExtract *b)
{
	if (a->nreferences != b->nreferences)
		return false;
	for (int i = 0; i < a->nreferences; i++)
		if (a->references[i].field != b->references[i].field ||
			strcmp(a->references[i].value, b->references[i].value) != 0)
			return false;
	return true;
}
