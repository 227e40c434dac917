/*
 * field.c
 *	  Access to the values of a field in an entity's document.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/text.h"
#include "model/catalog.h"
#include "miscadmin.h"

static void
visit(const KgField *field, int step, const JsonbValue *value,
	  KgFieldVisitor visitor, void *arg)
{
	const JsonbContainer *container;
	JsonbValue member;

	if (step == field->nsteps)
	{
		visitor(value, arg);
		return;
	}
	container = kg_json_container(value);
	if (field->steps[step].key != NULL)
	{
		if (container && JsonContainerIsObject(container) &&
			getKeyJsonValueFromContainer((JsonbContainer *) container,
										 field->steps[step].key,
										 field->steps[step].keylen,
										 &member) != NULL)
			visit(field, step + 1, &member, visitor, arg);
		return;
	}
	/* a null in place of an array counts as a missing array */
	if (!kg_json_is_array(value))
		return;
	check_stack_depth();
	kg_json_each(it, container)
		visit(field, step + 1, &it.value, visitor, arg);
}

void
kg_field_visit(const KgField *field, const JsonbContainer *root,
			   KgFieldVisitor visitor, void *arg)
{
	JsonbValue value;

	if (JsonContainerIsScalar(root))
		return;
	value.type = jbvBinary;
	value.val.binary.data = (JsonbContainer *) root;
	value.val.binary.len = 0;
	visit(field, 0, &value, visitor, arg);
}

bool
kg_field_is_empty(const KgField *field, const JsonbContainer *root)
{
	JsonbContainer *container = (JsonbContainer *) root;
	JsonbValue value;

	if (!field->is_array)
		return false;
	for (int step = 0; step < field->nsteps; step++)
	{
		if (field->steps[step].key == NULL)
			return JsonContainerIsArray(container) &&
				   JsonContainerSize(container) == 0;
		if (!JsonContainerIsObject(container) ||
			getKeyJsonValueFromContainer(container,
										 field->steps[step].key,
										 field->steps[step].keylen,
										 &value) == NULL ||
			value.type != jbvBinary)
			return false;
		container = value.val.binary.data;
	}
	return false;
}

typedef struct FirstValue
{
	bool found;
	JsonbValue *value;
} FirstValue;

static void
take_first(const JsonbValue *value, void *arg)
{
	FirstValue *first = arg;

	if (first->found || value->type == jbvNull)
		return;
	first->found = true;
	*first->value = *value;
}

bool
kg_field_value(const KgField *field, const JsonbContainer *root,
			   JsonbValue *value)
{
	FirstValue first = {false, value};

	kg_field_visit(field, root, take_first, &first);
	return first.found;
}

bool
kg_field_same_path(const KgField *a, const KgField *b)
{
	if (a->nsteps != b->nsteps)
		return false;
	for (int i = 0; i < a->nsteps; i++)
		if (!kg_text_same(a->steps[i].key, b->steps[i].key))
			return false;
	return true;
}

char *
kg_field_pointer(const KgField *field)
{
	StringInfoData pointer;

	initStringInfo(&pointer);
	for (int i = 0; i < field->nsteps && field->steps[i].key != NULL; i++)
		kg_json_pointer_append(
			&pointer, field->steps[i].key, field->steps[i].keylen);
	return pointer.data;
}

char *
kg_field_schema_pointer(const KgField *field)
{
	StringInfoData pointer;

	initStringInfo(&pointer);
	for (int i = 0; i < field->nsteps; i++)
	{
		const KgStep *step = &field->steps[i];

		appendStringInfoString(&pointer, step->key ? "/properties" : "/items");
		if (step->key)
			kg_json_pointer_append(&pointer, step->key, step->keylen);
	}
	return pointer.data;
}

const KgField *
kg_type_field(const KgType *type, const char *name)
{
	for (int i = 0; i < type->nfields; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return &type->fields[i];
	return NULL;
}
