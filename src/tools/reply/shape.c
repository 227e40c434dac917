/*
 * shape.c
 *	  The choice of properties in a reply (projections), and the marks of
 *	  untrusted text.
 */
#include "postgres.h"

#include "query/filter/filter.h"
#include "query/run/running.h"
#include "tools/reply/shape.h"
#include "utils/builtins.h"

/* Maximum number of names that an error lists. */
#define KG_MAX_ALLOWED 100

KgProjection *
kg_projection_new(int nfields)
{
	KgProjection *projection = palloc(sizeof(*projection));

	projection->nfields = 0;
	projection->fields = palloc((nfields + 1) * sizeof(KgField *));
	projection->npaths = 0;
	projection->paths = palloc((nfields + 1) * sizeof(KgRefPath *));
	return projection;
}

void
kg_projection_add(KgProjection *projection, const KgField *field)
{
	for (int i = 0; i < projection->nfields; i++)
		if (projection->fields[i] == field)
			return;
	projection->fields[projection->nfields++] = field;
}

/*
 * If a name begins with "type.", returns the rest of the name. Otherwise
 * returns NULL.
 */
static const char *
name_within(const char *name, const char *type)
{
	size_t len = type != NULL ? strlen(type) : 0;

	return len > 0 && strncmp(name, type, len) == 0 && name[len] == '.'
			   ? name + len + 1
			   : NULL;
}

static const KgField *
field_named(const KgShownOf *of, const char *name)
{
	for (int i = 0; name != NULL && i < of->nfields; i++)
		if (strcmp(of->fields[i].name, name) == 0)
			return &of->fields[i];
	return name != NULL && strcmp(name, "id") == 0 ? of->id_field : NULL;
}

static const KgField *
find_field(const KgShownOf *of, const char *name)
{
	const KgField *field = field_named(of, name);

	if (field == NULL)
		field = field_named(of, name_within(name, of->name));
	if (field == NULL)
		field = field_named(of, name_within(name, of->handle));
	return field;
}

/*
 * If a name is a path through references, with or without the prefix "type.",
 * returns the path. Otherwise returns NULL. If find_only is false, raises an
 * error for a path with an invalid step.
 */
static const KgRefPath *
find_path(const KgShownOf *of, const char *name, const char *at, bool find_only)
{
	const KgCatalog *catalog = kg_running_catalog();
	const char *within = name_within(name, of->name);
	const KgRefPath *path;

	if (of->type == NULL)
		return NULL;
	path = kg_ref_path(catalog, of->type, name, at, find_only);
	if (path == NULL && within != NULL)
		path = kg_ref_path(catalog, of->type, within, at, find_only);
	return path;
}

/*
 * Adds the property or path that a name denotes in one type or relation.
 * Returns false if the name denotes neither. A projection that is NULL already
 * shows all properties, so nothing is added to it.
 */
static bool
add_named(KgProjection *projection, const KgShownOf *of, const char *name,
		  const char *at)
{
	const KgField *field = find_field(of, name);
	const KgRefPath *path = field == NULL ? find_path(of, name, at, true)
										  : NULL;

	if (field != NULL && projection != NULL)
		kg_projection_add(projection, field);
	if (path != NULL && projection != NULL)
		projection->paths[projection->npaths++] = path;
	return field != NULL || path != NULL;
}

static const char *
with_prefix(const char *prefix, const char *name)
{
	return prefix != NULL ? psprintf("%s.%s", prefix, name) : name;
}

/*
 * Raises an error for a name that is neither a property nor a path. prefix is
 * the prefix that sent names have, or NULL.
 */
static KG_NORETURN void
throw_unknown_property(const KgShownOf *of, int n, const char *prefix,
					   const char *name, const char *path)
{
	KgError *err;
	const char **names;
	const char *near;
	int nnames = 0;
	int room = 1;

	for (int i = 0; i < n; i++)
		room += of[i].nfields;
	names = palloc(room * sizeof(char *));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < of[i].nfields; j++)
		{
			bool known = false;

			for (int k = 0; k < nnames && n > 1 && !known; k++)
				known = strcmp(names[k], of[i].fields[j].name) == 0;
			if (!known)
				names[nnames++] = of[i].fields[j].name;
		}
	err = n == 1
			  ? kg_error_new(KG_INVALID_INPUT,
							 "%s has no property \"%s\"",
							 of->what,
							 name)
			  : kg_error_new(KG_INVALID_INPUT,
							 "no %s has a property \"%s\"",
							 prefix ? "edge in the reply" : "type in the reply",
							 name);
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, with_prefix(prefix, name));
	kg_error_expected(err,
					  n > 0 && of->name != NULL
						  ? "a declared property, type.property, or *"
						  : "a declared property");
	for (int i = 0; i < Min(nnames, KG_MAX_ALLOWED); i++)
		kg_error_allow(err, with_prefix(prefix, names[i]));
	near = kg_nearest(name, names, nnames);
	if (near != NULL)
		kg_error_did_you_mean(err, with_prefix(prefix, near));
	kg_error_throw(err);
}

void
kg_projections_add(KgProjection **projections, const KgShownOf *of, int n,
				   const char *prefix, const char *name, const char *path)
{
	bool found = false;

	for (int i = 0; i < n; i++)
		found |= add_named(projections[i], &of[i], name, path);
	/*
	 * If the name is a path with an invalid step, this raises an error about
	 * that step.
	 */
	for (int i = 0; i < n && !found; i++)
		(void) find_path(&of[i], name, path, false);
	if (!found)
		throw_unknown_property(of, n, prefix, name, path);
}

/* Returns whether the name is a property or path of some element of "of". */
static bool
is_named(const KgShownOf *of, int n, const char *name, const char *path)
{
	for (int i = 0; i < n; i++)
		if (find_field(&of[i], name) != NULL ||
			find_path(&of[i], name, path, true) != NULL)
			return true;
	return false;
}

bool
kg_projections_read(const KgInput *in, const char *key, const KgShownOf *of,
					int n, KgProjection **projections, KgNamesApart *apart)
{
	const JsonbContainer *array = kg_input_array(in, key, key);
	char *array_path;
	bool all = false;

	if (array == NULL)
		return false;
	array_path = kg_input_path(in, key);
	for (int i = 0; i < n; i++)
		projections[i] = kg_projection_new(kg_json_length(array));
	kg_json_each(it, array)
	{
		char *path = kg_path_index(array_path, it.index);
		char *name;

		if (it.value.type != jbvString)
			kg_error_throw(
				kg_args_error(path, &it.value, "the name of a property"));
		name = kg_json_cstring(&it.value);
		if (n > 0 && of->name != NULL && strcmp(name, "*") == 0)
			all = true;
		else if (apart != NULL && name_within(name, apart->prefix) != NULL &&
				 !is_named(of, n, name, path))
		{
			apart->names = lappend(apart->names,
								   pstrdup(name_within(name, apart->prefix)));
			apart->paths = lappend(apart->paths, path);
		}
		else
			kg_projections_add(projections, of, n, NULL, name, path);
	}
	for (int i = 0; i < n && all; i++)
		projections[i] = NULL;
	return true;
}

KgProjection *
kg_projection_parse(const KgType *type, const KgInput *in)
{
	KgShownOf of = {NULL, NULL, NULL, type->nfields, type->fields, NULL, type};
	KgProjection *projection = NULL;

	if (!kg_input_has(in, "fields"))
		return NULL;
	of.what = psprintf("entity type \"%s\"", kg_type_handle(type));
	(void) kg_projections_read(in, "fields", &of, 1, &projection, NULL);
	return projection;
}

/*
 * Writes the parts of a value that the fields select. The paths of the fields
 * lead to this value in "depth" steps.
 */
static void
project_value(KgJsonWriter *w, const JsonbValue *value,
			  const KgField *const *fields, int nfields, int depth)
{
	for (int i = 0; i < nfields; i++)
	{
		/*
		 * If the path of a field ends at this value, or with "every item" of
		 * this array, the field selects the whole value.
		 */
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
		kg_json_each(it, kg_json_container(value))
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
	kg_json_each(it, kg_json_container(value))
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

typedef struct PathValues
{
	KgJsonWriter *w;
	bool array;
	int n;
} PathValues;

static void
write_path_value(const JsonbValue *value, void *arg)
{
	PathValues *state = arg;

	if (state->array || state->n == 0)
		kg_jw_value(state->w, value);
	state->n++;
}

static void
write_path(const KgRefPath *path, const KgRefValues *values, int64 node,
		   KgJsonWriter *w)
{
	PathValues state = {w};

	state.array = path->many || (path->field != NULL && path->field->is_array);
	kg_jw_key(w, path->name);
	if (state.array)
		kg_jw_begin_array(w);
	kg_ref_values_visit(values, node, write_path_value, &state);
	if (state.array)
		kg_jw_end_array(w);
	else if (state.n == 0)
		kg_jw_null(w);
}

void
kg_projection_reach(const KgProjection *projection, KgGraph *graph,
					const int64 *nodes, Jsonb **data, uint32 n, const char *at)
{
	int npaths = projection != NULL ? projection->npaths : 0;
	KgRefValues **values = palloc((npaths + 1) * sizeof(KgRefValues *));

	if (npaths > 0)
		kg_ref_values_of(
			graph, projection->paths, npaths, nodes, n, at, values);
	for (uint32 i = 0; i < n && npaths > 0; i++)
	{
		KgJsonWriter w;

		kg_jw_init_object(&w);
		kg_jw_members(&w, &data[i]->root);
		for (int p = 0; p < npaths; p++)
			write_path(projection->paths[p], values[p], nodes[i], &w);
		data[i] = kg_jw_finish(&w);
	}
}

/*
 * Returns whether a projection shows a field, or an object that contains the
 * field.
 */
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
	for (int i = 0; projection != NULL && i < projection->npaths; i++)
		kg_marks_note(
			&marks, projection->paths[i]->field, projection->paths[i]->name);
	return marks;
}
