/*
 * rename.c
 *	  Changes or removes the references in documents.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "model/id.h"
#include "store/reference/rename.h"

KgRename
kg_rename_make(const KgType *type, int n)
{
	KgRename rename = {type, 0, NULL, -1};

	rename.of = palloc0((type->nfields + 1) * sizeof(KgRenamedOf));
	rename.of[rename.n++].field = type->id_field;
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].unique && &type->fields[i] != type->id_field)
			rename.of[rename.n++].field = &type->fields[i];
	for (int i = 0; i < rename.n; i++)
		rename.of[i].values = palloc(n * sizeof(KgRenamed));
	return rename;
}

void
kg_rename_add(KgRename *rename, int of, const char *from, int entity)
{
	KgRenamedOf *list = &rename->of[of];

	list->values[list->n++] = (KgRenamed){from, strlen(from), entity};
}

static int
compare_renamed(const void *pa, const void *pb)
{
	const KgRenamed *a = pa;
	const KgRenamed *b = pb;
	int order = memcmp(a->from, b->from, Min(a->len, b->len));

	return order != 0 ? order : a->len - b->len;
}

void
kg_rename_sort(KgRename *rename)
{
	for (int i = 0; i < rename->n; i++)
		qsort(rename->of[i].values,
			  rename->of[i].n,
			  sizeof(KgRenamed),
			  compare_renamed);
}

/* Returns the values by which the field refers to merged entities, or NULL. */
static const KgRenamedOf *
values_of(const KgRename *rename, const KgField *field)
{
	const KgType *type = rename->type;

	if (field->ref_type == NULL || strcmp(field->ref_type, type->name) != 0 ||
		strcmp(field->ref_bundle, type->bundle) != 0)
		return NULL;
	for (int i = 0; i < rename->n; i++)
		if (field->ref_field == NULL
				? i == 0
				: strcmp(rename->of[i].field->name, field->ref_field) == 0)
			return &rename->of[i];
	return NULL;
}

bool
kg_rename_refers(const KgRename *rename, const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (values_of(rename, &type->fields[i]) != NULL)
			return true;
	return false;
}

typedef struct Copy
{
	const KgField *field;
	const KgRenamedOf *values;
	int self;
	bool changed;
} Copy;

/*
 * Returns whether a value changes. If it does, sets *to to the new value, or
 * to NULL if the reference is removed.
 */
static bool
is_renamed(const Copy *copy, const JsonbValue *value, const char **to)
{
	KgRenamed sought;
	const KgRenamed *found;

	if (copy->values->n == 0)
		return false;
	if (value->type == jbvString)
		sought = (KgRenamed){value->val.string.val, value->val.string.len, 0};
	else
	{
		const char *id = kg_id_of_value(value);

		if (id == NULL)
			return false;
		sought = (KgRenamed){id, strlen(id), 0};
	}
	found = bsearch(&sought,
					copy->values->values,
					copy->values->n,
					sizeof(KgRenamed),
					compare_renamed);
	if (found == NULL)
		return false;
	*to = NULL;
	if (copy->self >= 0 && found->entity != copy->self)
		return true;
	*to = copy->values->to;
	return *to != NULL && strcmp(*to, found->from) != 0;
}

/*
 * Returns whether an item of the array that does not change has the new value.
 */
static bool
has_new(const Copy *copy, const JsonbContainer *array)
{
	const char *to;

	kg_json_each(it, array)
	{
		CHECK_FOR_INTERRUPTS();
		if (kg_id_is(&it.value, copy->values->to) &&
			!is_renamed(copy, &it.value, &to))
			return true;
	}
	return false;
}

/* Copies a value. References in it get their new values. */
static void
copy_value(KgJsonWriter *w, const JsonbValue *value, Copy *copy, int step)
{
	const KgField *field = copy->field;
	const JsonbContainer *container = kg_json_container(value);
	KgJsonIter it;
	bool sought = false;
	/* the new array already has an item with the new value */
	bool has = false;

	check_stack_depth();
	if (step >= field->nsteps || container == NULL)
	{
		kg_jw_value(w, value);
		return;
	}
	kg_json_iter_init(&it, container);
	if (it.is_object)
		kg_jw_begin_object(w);
	else
		kg_jw_begin_array(w);
	while (kg_json_iter_next(&it))
	{
		const KgStep *next = &field->steps[step];
		bool on_path = it.is_object
						   ? next->key &&
								 it.key.val.string.len == next->keylen &&
								 memcmp(it.key.val.string.val,
										next->key,
										next->keylen) == 0
						   : next->key == NULL;
		const char *to = NULL;
		bool hit = on_path && step + 1 == field->nsteps &&
				   is_renamed(copy, &it.value, &to);

		CHECK_FOR_INTERRUPTS();
		copy->changed |= hit;
		if (hit && to == NULL && (next->key == NULL || !field->nullable))
			continue;
		if (hit && to != NULL && next->key == NULL)
		{
			if (!sought)
				has = has_new(copy, container);
			sought = true;
			if (has)
				continue;
			has = true;
		}
		if (it.is_object)
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		if (hit && to == NULL)
			kg_jw_null(w);
		else if (hit)
		{
			JsonbValue id;

			kg_id_value(to, it.value.type == jbvNumeric, &id);
			kg_jw_value(w, &id);
		}
		else
			copy_value(w, &it.value, copy, on_path ? step + 1 : field->nsteps);
	}
	if (it.is_object)
		kg_jw_end_object(w);
	else
		kg_jw_end_array(w);
}

/*
 * Returns a copy of the document with the new references. Returns data if no
 * reference changes.
 */
static Jsonb *
copy_document(Copy *copy, Jsonb *data)
{
	KgJsonWriter w;
	JsonbValue root;
	Jsonb *changed;

	kg_jw_init(&w);
	kg_json_root(data, &root);
	copy_value(&w, &root, copy, 0);
	changed = kg_jw_finish(&w);
	return copy->changed ? changed : data;
}

Jsonb *
kg_rename_in(const KgRename *rename, const KgType *type, Jsonb *data)
{
	for (int i = 0; i < type->nfields; i++)
	{
		Copy copy = {&type->fields[i],
					 values_of(rename, &type->fields[i]),
					 rename->self};

		if (copy.values != NULL)
			data = copy_document(&copy, data);
	}
	return data;
}

Jsonb *
kg_rename_id(const KgType *type, const char *from, const char *to, Jsonb *data)
{
	KgRenamed old = {from, strlen(from), 0};
	KgRenamedOf values = {.n = 1, .values = &old, .to = to};
	Copy copy = {type->id_field, &values, -1};

	return copy_document(&copy, data);
}

Jsonb *
kg_rename_without(const KgField *field, const char *value, Jsonb *data)
{
	KgRenamed gone = {value, strlen(value), 0};
	KgRenamedOf values = {.n = 1, .values = &gone};
	/*
	 * self is 1: the document belongs to another entity than the entity
	 * (number 0) that had the value.
	 */
	Copy copy = {field, &values, 1};

	return copy_document(&copy, data);
}
