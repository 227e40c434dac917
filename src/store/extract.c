/*
 * extract.c
 *	  What is derived from one entity.
 */
#include "postgres.h"

#include "base/json.h"
#include "catalog/key.h"
#include "catalog/term.h"
#include "store/extract.h"

/* An array that grows by doubling; item is an lvalue of the new place. */
#define GROW(array, n)                                               \
	((n) == 0 ? ((array) = palloc(8 * sizeof(*(array))))             \
	 : ((n) >= 8 && ((n) & ((n) -1)) == 0)                           \
		 ? ((array) = repalloc((array), 2 * (n) * sizeof(*(array)))) \
		 : (array))

typedef struct Visit
{
	KgExtract *extract;
	const KgField *field;
	int first; /* of the field's items */
	char kind;
} Visit;

static void
append_key(KgExtract *extract, const KgField *field, bytea *key)
{
	GROW(extract->keys, extract->nkeys);
	extract->keys[extract->nkeys].field = field;
	extract->keys[extract->nkeys].key = key;
	extract->nkeys++;
}

static void
visit_key(const JsonbValue *value, void *arg)
{
	Visit *visit = arg;
	bytea *key;

	if (value->type == jbvNull)
		return;
	key = kg_key_encode(visit->field, value);
	if (key == NULL)
		return;
	for (int i = visit->first; i < visit->extract->nkeys; i++)
		if (kg_key_compare(visit->extract->keys[i].key, key) == 0)
			return;
	append_key(visit->extract, visit->field, key);
}

void
kg_extract_keys(const KgType *type, const Jsonb *data, KgExtract *extract)
{
	for (int i = 0; i < type->nfields; i++)
	{
		Visit visit = {extract, &type->fields[i], extract->nkeys, 0};

		if (!visit.field->indexed)
			continue;
		kg_field_visit(visit.field, &data->root, visit_key, &visit);
		if (extract->nkeys == visit.first)
			append_key(extract,
					   visit.field,
					   kg_field_is_empty(visit.field, &data->root)
						   ? kg_key_empty()
						   : kg_key_missing());
	}
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
	char **tokens;
	int ntokens;

	if (value->type != jbvString)
		return;
	folded = kg_term_fold(value->val.string.val, value->val.string.len);
	append_term(visit->extract, visit->kind, folded);
	ntokens = kg_term_tokens(folded, &tokens);
	for (int i = 0; i < ntokens; i++)
		append_term(visit->extract, KG_TERM_TOKEN, tokens[i]);
}

/* The id, too: an agent may know nothing else, nor the type. */
static void
extract_terms(const KgType *type, const char *entity_id, const Jsonb *data,
			  KgExtract *extract)
{
	Visit visit = {extract, NULL, 0, KG_TERM_LABEL};

	append_term(
		extract, KG_TERM_ID, kg_term_fold(entity_id, strlen(entity_id)));
	if (type->label_field)
		kg_field_visit(type->label_field, &data->root, visit_term, &visit);
	visit.kind = KG_TERM_ALIAS;
	for (int i = 0; i < type->naliases; i++)
		kg_field_visit(type->alias_fields[i], &data->root, visit_term, &visit);
}

static void
visit_reference(const JsonbValue *value, void *arg)
{
	Visit *visit = arg;
	KgExtract *extract = visit->extract;
	char *text;

	if (value->type != jbvString)
		return;
	text = kg_json_cstring(value);
	for (int i = visit->first; i < extract->nreferences; i++)
		if (strcmp(extract->references[i].value, text) == 0)
			return;
	GROW(extract->references, extract->nreferences);
	extract->references[extract->nreferences].field = visit->field;
	extract->references[extract->nreferences].value = text;
	extract->nreferences++;
}

void
kg_extract_references(const KgType *type, const Jsonb *data, KgExtract *extract)
{
	for (int i = 0; i < type->nfields; i++)
	{
		Visit visit = {extract, &type->fields[i], extract->nreferences, 0};

		if (visit.field->ref_type)
			kg_field_visit(visit.field, &data->root, visit_reference, &visit);
	}
}

void
kg_extract(const KgType *type, const char *entity_id, const Jsonb *data,
		   KgExtract *extract)
{
	memset(extract, 0, sizeof(*extract));
	kg_extract_keys(type, data, extract);
	extract_terms(type, entity_id, data, extract);
	kg_extract_references(type, data, extract);
}

bool
kg_extract_same_keys(const KgExtract *a, const KgExtract *b)
{
	if (a->nkeys != b->nkeys)
		return false;
	for (int i = 0; i < a->nkeys; i++)
		if (a->keys[i].field != b->keys[i].field ||
			kg_key_compare(a->keys[i].key, b->keys[i].key) != 0)
			return false;
	return true;
}

/* Keys are in the order of the fields. */
static int
next_unique(const KgExtract *extract, int i)
{
	while (i < extract->nkeys && !extract->keys[i].field->unique)
		i++;
	return i;
}

bool
kg_extract_same_unique(const KgExtract *a, const KgExtract *b)
{
	int i = next_unique(a, 0);
	int j = next_unique(b, 0);

	for (; i < a->nkeys && j < b->nkeys;
		 i = next_unique(a, i + 1), j = next_unique(b, j + 1))
		if (a->keys[i].field != b->keys[j].field ||
			kg_key_compare(a->keys[i].key, b->keys[j].key) != 0)
			return false;
	return i >= a->nkeys && j >= b->nkeys;
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
