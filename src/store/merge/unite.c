/*
 * unite.c
 *	  The union of documents of entities or edges that describe the same thing.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "model/key.h"
#include "store/merge/unite.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/jsonb.h"

/*
 * Minimum size of a property: two quotes, a colon, a value of one byte, and a
 * comma or brace.
 */
#define PROPERTY_BYTES 5

typedef struct Union
{
	const KgUniteRules *rules;
	Jsonb *const *documents;
	int n;
	int prefer;
	List **conflicts;
	JsonbValue *values; /* value of the current property in each document */
	bool *has;	 /* for each document: it has the property, which may be null */
	int64 bytes; /* minimum size of the union's JSON text in bytes, so far */
	KgJsonWriter *w;
} Union;

/* Returns whether the field is a top-level property as a whole. */
static bool
is_whole(const KgField *field)
{
	return field != NULL &&
		   (field->nsteps == 1 ||
			(field->nsteps == 2 && field->steps[1].key == NULL));
}

/*
 * Returns whether labels can be added to the field: it is an array of
 * arbitrary strings.
 */
static bool
takes_labels(const KgField *field)
{
	return is_whole(field) && field->nsteps == 2 &&
		   field->kind == KG_KIND_STRING && field->nenum == 0 &&
		   field->ref_type == NULL;
}

KgUniteRules
kg_unite_type(const KgType *type, const JsonbContainer *values)
{
	KgUniteRules rules = {type->fields,
						  type->nfields,
						  &type->period,
						  is_whole(type->label_field) ? type->label_field
													  : NULL,
						  NULL,
						  values,
						  kg_setting_max_entity_bytes};

	/*
	 * If the id is the label, the ids of the other entities are stored as
	 * merged ids and need not become aliases.
	 */
	if (rules.label == type->id_field)
		rules.label = NULL;
	for (int i = 0; i < type->naliases && rules.aliases == NULL; i++)
		if (takes_labels(type->alias_fields[i]))
			rules.aliases = type->alias_fields[i];
	return rules;
}

KgUniteRules
kg_unite_relation(const KgRelation *relation)
{
	return (KgUniteRules){
		relation->fields, relation->nfields, &relation->period};
}

static bool
is_named(const KgField *field, const char *property)
{
	return field != NULL && strcmp(field->steps[0].key, property) == 0;
}

/* Returns the field of a top-level property, or NULL. */
static const KgField *
field_of(const KgUniteRules *rules, const char *property)
{
	for (int i = 0; i < rules->nfields; i++)
		if (is_whole(&rules->fields[i]) &&
			is_named(&rules->fields[i], property))
			return &rules->fields[i];
	return NULL;
}

static bool
has_value(const Union *u, int i)
{
	return u->has[i] && u->values[i].type != jbvNull;
}

/* Returns the index of the first document that has a value, or -1. */
static int
first_value(const Union *u)
{
	for (int i = 0; i < u->n; i++)
		if (has_value(u, i))
			return i;
	return -1;
}

/* ---- arrays ---- */

static uint32
hash_item(const void *key, Size size)
{
	const JsonbValue *item = key;
	uint32 hash = 0;

	if (item->type == jbvBinary)
		return DatumGetUInt32(DirectFunctionCall1(
			jsonb_hash, JsonbPGetDatum(kg_json_datum(item))));
	JsonbHashScalarValue(item, &hash);
	return hash;
}

static int
match_items(const void *a, const void *b, Size size)
{
	return kg_json_same_value(a, b) ? 0 : 1;
}

/* Returns an empty set for the distinct items of a property. */
static HTAB *
make_items(void)
{
	HASHCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(JsonbValue);
	ctl.entrysize = sizeof(JsonbValue);
	ctl.hash = hash_item;
	ctl.match = match_items;
	ctl.hcxt = CurrentMemoryContext;
	return hash_create("kg_graph items",
					   64,
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

/*
 * Adds to the size of the union. Raises KG_LIMIT_EXCEEDED if it exceeds the
 * limit, before all items of many large documents are added to the union.
 */
static void
count_bytes(Union *u, const char *property, int64 n)
{
	u->bytes += n;
	if (u->rules->max_bytes > 0 && u->bytes > u->rules->max_bytes)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf(
					 "the union of the entities exceeds "
					 "kg_graph.max_entity_bytes, %d bytes, at property \"%s\"",
					 u->rules->max_bytes,
					 property),
				 .expected = "fewer entities, or a value for the property");
}

/*
 * Adds an item to the set. Returns false if the set already has an equal item.
 */
static bool
add_item(Union *u, const char *property, HTAB *items, const JsonbValue *item)
{
	bool found;

	CHECK_FOR_INTERRUPTS();
	(void) hash_search(items, item, HASH_ENTER, &found);
	/*
	 * A string has two quotes, and each item is followed by a comma or a
	 * bracket.
	 */
	if (!found)
		count_bytes(u,
					property,
					item->type == jbvString ? item->val.string.len + 3 : 2);
	return !found;
}

/*
 * Returns whether the values are arrays whose items are to be united. An array
 * of numbers, such as coordinates, is treated as one value, but not an array of
 * references to integer ids.
 */
static bool
are_sets(const Union *u, const KgField *field)
{
	if (field != NULL && field->ref_type == NULL &&
		(field->kind == KG_KIND_INTEGER || field->kind == KG_KIND_NUMBER))
		return false;
	for (int i = 0; i < u->n; i++)
		if (has_value(u, i) && !kg_json_is_array(&u->values[i]))
			return false;
	return true;
}

/*
 * Writes the items of all documents, without duplicates. All items of the
 * first document are written unchanged.
 */
static void
write_items(Union *u, const char *property, int first, HTAB *items)
{
	for (int i = first; i < u->n; i++)
	{
		if (!has_value(u, i))
			continue;
		kg_json_each(it, kg_json_container(&u->values[i]))
			if (add_item(u, property, items, &it.value) || i == first)
				kg_jw_value(u->w, &it.value);
	}
}

/* ---- periods ---- */

/*
 * Writes the bound of the period that includes all periods. If a document has
 * no such bound, the bound is omitted, or null if the first document has null.
 */
static void
write_bound(const Union *u, const char *property, const KgField *field,
			bool from)
{
	const bytea *best = NULL;
	int chosen = -1;

	for (int i = 0; i < u->n; i++)
	{
		bytea *key;
		int order;

		if (!has_value(u, i))
		{
			chosen = -1;
			break;
		}
		key = kg_key_encode(field, &u->values[i]);
		order = best == NULL || key == NULL ? 0 : kg_key_compare(key, best);
		if (chosen >= 0 && (from ? order >= 0 : order <= 0))
			continue;
		best = key;
		chosen = i;
	}
	if (chosen < 0 && (!u->has[0] || has_value(u, 0)))
		return;
	kg_jw_key(u->w, property);
	if (chosen < 0)
		kg_jw_null(u->w);
	else
		kg_jw_value(u->w, &u->values[chosen]);
}

/* ---- other values ---- */

/*
 * Returns whether all documents that have a value have the value of the
 * document "first".
 */
static bool
are_same(const Union *u, int first)
{
	for (int i = first + 1; i < u->n; i++)
		if (has_value(u, i) &&
			!kg_json_same_value(&u->values[i], &u->values[first]))
			return false;
	return true;
}

static void
note_conflict(const Union *u, const char *property, int decided)
{
	KgUniteConflict *conflict = palloc0(sizeof(KgUniteConflict));

	conflict->property = pstrdup(property);
	conflict->values = palloc(u->n * sizeof(JsonbValue));
	for (int i = 0; i < u->n; i++)
		if (has_value(u, i))
			conflict->values[i] = u->values[i];
		else
			conflict->values[i].type = jbvNull;
	conflict->decided = decided;
	*u->conflicts = lappend(*u->conflicts, conflict);
}

/*
 * Returns the index of the document whose value is used. Adds a conflict if
 * values differ, except for a label whose other values become aliases.
 */
static int
choose(const Union *u, const char *property, int first)
{
	int chosen = u->prefer >= 0 && has_value(u, u->prefer) ? u->prefer : first;

	if (are_same(u, first))
		return first;
	/* Labels that are not chosen become aliases, so they are no conflict. */
	if (u->rules->aliases != NULL && is_named(u->rules->label, property))
		return chosen;
	note_conflict(u, property, u->prefer >= 0 ? chosen : -1);
	return chosen;
}

/* ---- aliases ---- */

static void
read_values(Union *u, const char *property)
{
	for (int i = 0; i < u->n; i++)
		u->has[i] = u->documents[i] != NULL &&
					kg_json_get(&u->documents[i]->root,
								property,
								&u->values[i]) != NULL;
}

/* Writes the aliases of all documents, and the labels that were not chosen. */
static void
write_aliases(Union *u, const JsonbValue *label)
{
	const char *property = u->rules->aliases->steps[0].key;
	JsonbValue *labels = palloc(u->n * sizeof(JsonbValue));
	HTAB *items;
	int nlabels = 0;
	int first;

	read_values(u, u->rules->label->steps[0].key);
	for (int i = 0; i < u->n; i++)
		if (has_value(u, i) && u->values[i].type == jbvString &&
			(label == NULL || !kg_json_same_value(&u->values[i], label)))
			labels[nlabels++] = u->values[i];
	read_values(u, property);
	first = first_value(u);
	if (first < 0 && nlabels == 0)
	{
		if (u->has[0])
		{
			kg_jw_key(u->w, property);
			kg_jw_null(u->w);
		}
		return;
	}
	items = make_items();
	kg_jw_kbegin_array(u->w, property);
	if (first >= 0)
		write_items(u, property, first, items);
	for (int i = 0; i < nlabels; i++)
		if (add_item(u, property, items, &labels[i]))
			kg_jw_value(u->w, &labels[i]);
	kg_jw_end_array(u->w);
	hash_destroy(items);
}

/* ---- documents ---- */

/* Returns the value that the caller chose for the property, or NULL. */
static const JsonbValue *
decided_value(const Union *u, const char *property, JsonbValue *value)
{
	return u->rules->values == NULL
			   ? NULL
			   : kg_json_get(u->rules->values, property, value);
}

static void
unite_property(Union *u, const char *property, JsonbValue *label)
{
	const KgUniteRules *rules = u->rules;
	const KgField *field = field_of(rules, property);
	int first;

	read_values(u, property);
	first = first_value(u);
	if (field != NULL && field == rules->period->from)
	{
		write_bound(u, property, field, true);
		return;
	}
	else if (field != NULL && field == rules->period->to)
	{
		write_bound(u, property, field, false);
		return;
	}
	else if (first >= 0 && are_sets(u, field))
	{
		HTAB *items = make_items();

		count_bytes(u, property, strlen(property) + PROPERTY_BYTES);
		kg_jw_kbegin_array(u->w, property);
		write_items(u, property, first, items);
		kg_jw_end_array(u->w);
		hash_destroy(items);
		return;
	}
	else if (first >= 0)
		first = choose(u, property, first);
	else
		for (first = 0; !u->has[first];)
			first++;
	if (!u->has[first])
		return;
	count_bytes(u, property, strlen(property) + PROPERTY_BYTES);
	kg_jw_key(u->w, property);
	kg_jw_value(u->w, &u->values[first]);
	if (is_named(rules->label, property))
		*label = u->values[first];
}

/* Returns whether a document before the document i has the property. */
static bool
is_earlier(const Union *u, int i, const char *property)
{
	JsonbValue value;

	for (int j = 0; j < i; j++)
		if (u->documents[j] != NULL &&
			kg_json_get(&u->documents[j]->root, property, &value) != NULL)
			return true;
	return false;
}

Jsonb *
kg_unite(const KgUniteRules *rules, Jsonb *const *documents, int n, int prefer,
		 List **conflicts)
{
	KgJsonWriter w;
	JsonbValue label = {.type = jbvNull};
	JsonbValue value;
	Union u = {rules, documents, n, prefer, conflicts};
	bool any = false;

	for (int i = 0; i < n; i++)
		any |= documents[i] != NULL;
	if (!any && rules->values == NULL)
		return NULL;
	u.values = palloc(n * sizeof(JsonbValue));
	u.has = palloc(n * sizeof(bool));
	u.w = &w;
	kg_jw_init_object(&w);
	for (int i = 0; i < n; i++)
	{
		if (documents[i] == NULL)
			continue;
		kg_json_each(it, &documents[i]->root)
		{
			char *property = kg_json_cstring(&it.key);

			CHECK_FOR_INTERRUPTS();
			if (is_earlier(&u, i, property) ||
				decided_value(&u, property, &value) != NULL ||
				(rules->label != NULL && is_named(rules->aliases, property)))
				continue;
			unite_property(&u, property, &label);
		}
	}
	if (rules->label != NULL)
		(void) decided_value(&u, rules->label->steps[0].key, &label);
	if (rules->aliases != NULL && rules->label != NULL &&
		decided_value(&u, rules->aliases->steps[0].key, &value) == NULL)
		write_aliases(&u, label.type == jbvNull ? NULL : &label);
	if (rules->values != NULL)
		kg_jw_members(&w, rules->values);
	return kg_jw_finish(&w);
}
