/*
 * shape.c
 *	  Projection of replies, and what is said of their values.
 */
#include "postgres.h"

#include "query/filter.h"
#include "tools/catalog_tools.h"
#include "tools/shape.h"
#include "utils/builtins.h"

static const KgField *
require_field(const KgType *type, const JsonbValue *value, const char *path)
{
	char *name;
	const KgField *field;
	const char **names;
	KgError *err;

	if (value->type != jbvString)
		kg_error_throw(kg_args_error(path, value, "the name of a property"));
	name = kg_json_cstring(value);
	field = kg_type_field(type, name);
	if (field)
		return field;
	err = kg_error_new(KG_INVALID_INPUT,
					   "entity type \"%s\" has no property \"%s\"",
					   kg_type_handle(type),
					   name);
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	kg_error_expected(err, "a declared property");
	names = palloc(Max(1, type->nfields) * sizeof(char *));
	for (int i = 0; i < type->nfields; i++)
	{
		names[i] = type->fields[i].name;
		kg_error_allow(err, names[i]);
	}
	kg_error_did_you_mean(err, kg_nearest(name, names, type->nfields));
	kg_error_throw(err);
}

KgProjection *
kg_projection_parse(const KgType *type, const KgInput *in)
{
	const JsonbContainer *array = kg_input_array(in, "fields", "fields");
	KgProjection *projection;
	KgJsonIter it;

	if (array == NULL)
		return NULL;
	projection = palloc(sizeof(*projection));
	projection->nfields = 0;
	projection->fields = palloc(kg_json_length(array) * sizeof(KgField *));
	kg_json_iter_init(&it, array);
	while (kg_json_iter_next(&it))
	{
		const KgField *field = require_field(
			type, &it.value, kg_path_index("/fields", it.index));

		projection->fields[projection->nfields++] = field;
	}
	return projection;
}

/* Write what the projected paths name below depth steps. */
static void
project_value(KgJsonWriter *w, const JsonbValue *value,
			  const KgField *const *fields, int nfields, int depth)
{
	KgJsonIter it;

	for (int i = 0; i < nfields; i++)
	{
		/* A path that ends here, or in "every item" of here, shows it all. */
		const KgField *field = fields[i];
		int steps = field->nsteps;

		while (steps > depth && field->steps[steps - 1].key == NULL)
			steps--;
		if (steps <= depth)
		{
			kg_jw_value(w, value);
			return;
		}
	}
	if (kg_json_is_array(value))
	{
		kg_jw_begin_array(w);
		kg_json_iter_init(&it, kg_json_container(value));
		while (kg_json_iter_next(&it))
			project_value(w, &it.value, fields, nfields, depth + 1);
		kg_jw_end_array(w);
		return;
	}
	if (!kg_json_is_object(value))
	{
		kg_jw_value(w, value);
		return;
	}
	kg_jw_begin_object(w);
	kg_json_iter_init(&it, kg_json_container(value));
	while (kg_json_iter_next(&it))
	{
		const KgField **below = palloc(nfields * sizeof(KgField *));
		int n = 0;

		for (int i = 0; i < nfields; i++)
		{
			const KgStep *step = &fields[i]->steps[depth];

			if (step->key && step->keylen == it.key.val.string.len &&
				memcmp(step->key, it.key.val.string.val, step->keylen) == 0)
				below[n++] = fields[i];
		}
		if (n == 0)
			continue;
		kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		project_value(w, &it.value, below, n, depth + 1);
	}
	kg_jw_end_object(w);
}

Jsonb *
kg_projection_apply(const KgProjection *projection, const Jsonb *data)
{
	KgJsonWriter w;
	JsonbValue root;

	kg_json_root(data, &root);
	kg_jw_init(&w);
	project_value(&w, &root, projection->fields, projection->nfields, 0);
	return kg_jw_finish(&w);
}

/* Is a field, or an object that it is in, among those to show? */
static bool
is_shown(const KgField *field, const KgProjection *projection)
{
	if (projection == NULL)
		return true;
	for (int i = 0; i < projection->nfields; i++)
	{
		const KgField *outer = projection->fields[i];
		bool within = outer->nsteps <= field->nsteps;

		for (int j = 0; within && j < outer->nsteps; j++)
		{
			const KgStep *a = &outer->steps[j];
			const KgStep *b = &field->steps[j];

			within = (a->key == NULL) == (b->key == NULL) &&
					 (a->key == NULL || strcmp(a->key, b->key) == 0);
		}
		if (within)
			return true;
	}
	return false;
}

bool
kg_projection_derives(const KgType *type, const KgProjection *projection)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].derived_relation != NULL &&
			is_shown(&type->fields[i], projection))
			return true;
	return false;
}

KgMarks
kg_projection_marks(const KgType *type, const KgProjection *projection)
{
	KgMarks marks = {NIL};

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];

		if ((!field->untrusted && field->content_type == NULL) ||
			!is_shown(field, projection))
			continue;
		kg_marks_note(&marks, field, field->name);
		if (field->content_type != NULL)
			marks.typed = lappend(marks.typed, (void *) field);
	}
	return marks;
}

void
kg_enum_write(const KgField *field, const char *key, KgJsonWriter *w)
{
	if (field->nenum == 0)
		return;
	kg_jw_key(w, key);
	kg_jw_begin_array(w);
	for (int i = 0; i < field->nenum; i++)
	{
		JsonbValue value;

		kg_field_enum_value(field, i, &value);
		kg_jw_value(w, &value);
	}
	kg_jw_end_array(w);
}
