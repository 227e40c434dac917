/*
 * apart.c
 *	  Corrects calls that split one argument of a tool into several.
 *
 *	  "sort_by" and "sort_order" become "sort". A number of hops beside several
 *	  steps is removed if it is their number. "type" and "filters" become the
 *	  node of a count. "type" and "ids" become handles. "id" and properties
 *	  become an item of a tool that writes.
 */
#include "postgres.h"

#include "model/handle.h"
#include "query/argument/arguments.h"
#include "query/argument/names.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "tools/correct/apart.h"
#include "tools/bfs/call.h"
#include "tools/callable.h"

typedef struct Parts
{
	const JsonbContainer *object;
	const KgOutline *outline;
	const JsonbValue *key; /* the unknown argument that the error is about */
	/* true: this unknown argument is among the arguments to remove */
	bool has_key;
	KgCorrection correction;
} Parts;

static bool
is_known(const Parts *parts, const char *name)
{
	return kg_outline_member(parts->outline, name, strlen(name)) != NULL;
}

/*
 * Returns whether an argument of the call stands for the member of the tool's
 * schema that the last parameter names. Considers the name and the value of the
 * argument.
 */
static bool
is_called(const Parts *parts, const char *name, const JsonbValue *value,
		  const KgOutline *outline, const char *ours)
{
	return (strcmp(name, ours) == 0 || !is_known(parts, name)) &&
		   kg_name_means(
			   parts->object,
			   name,
			   value,
			   ours,
			   outline ? kg_outline_member(outline, ours, strlen(ours)) : NULL);
}

static void
take_out(Parts *parts, const char *name)
{
	parts->has_key |= kg_json_string_is(parts->key, name);
	kg_correct_out(&parts->correction, kg_path_member("", name));
}

/*
 * Raises KG_INVALID_INPUT with the corrected call, in which the whole argument
 * replaces its parts. Returns if the unknown argument is not one of the parts.
 */
static void
refuse(Parts *parts, const char *name, const Jsonb *whole)
{
	char *key = kg_json_cstring(parts->key);
	KgError *err;

	if (!parts->has_key)
		return;
	kg_correct_set(&parts->correction, "", name, whole);
	err = kg_args_unknown(
		"", key, psprintf("it belongs inside of \"%s\"", name));
	if (parts->correction.arguments != NULL)
		kg_error_call_tool(
			err, kg_running_call()->tool, parts->correction.arguments);
	kg_error_throw(err);
}

/* ---- a sort ---- */

static bool
is_order(const Parts *parts, const char *name, const JsonbValue *value)
{
	static const char *const names[] = {"order",
										"direction",
										"dir",
										"sort_order",
										"sort_direction",
										"sort_dir",
										"order_direction"};

	for (int i = 0; i < lengthof(names); i++)
		if (strcmp(name, names[i]) == 0)
			return !is_known(parts, name) && kg_order_meant(value) != NULL;
	return false;
}

/*
 * Writes an item of "sort". Returns false if the value cannot be the name of a
 * field.
 */
static bool
write_field(KgJsonWriter *w, const JsonbValue *field, const char *order)
{
	JsonbValue sorted = *field;
	JsonbValue value;
	Jsonb *meant;

	if (field->type == jbvString)
	{
		meant = kg_args_example_of(field, "field", false);
		if (meant == NULL)
			return false;
		kg_json_root(meant, &sorted);
	}
	if (!kg_json_is_object(&sorted))
		return false;
	kg_jw_begin_object(w);
	kg_jw_members(w, kg_json_container(&sorted));
	if (kg_json_get(kg_json_container(&sorted), "order", &value) == NULL)
		kg_jw_kstring(w, "order", order);
	kg_jw_end_object(w);
	return true;
}

static Jsonb *
make_sort(const JsonbValue *fields, const char *order)
{
	KgJsonWriter w;
	bool good = true;

	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	if (!kg_json_is_array(fields))
		good = write_field(&w, fields, order);
	else
		kg_json_each(it, kg_json_container(fields))
			good = good && write_field(&w, &it.value, order);
	kg_jw_end_array(&w);
	return good ? kg_jw_finish(&w) : NULL;
}

static void
refuse_sort_apart(Parts parts)
{
	JsonbValue fields;
	const char *order = NULL;
	int nfields = 0;
	Jsonb *sort;

	if (!is_known(&parts, "sort"))
		return;
	kg_json_each(it, parts.object)
	{
		char *name = kg_json_cstring(&it.key);

		if (order == NULL && is_order(&parts, name, &it.value))
			order = kg_order_meant(&it.value);
		else if (is_called(&parts, name, &it.value, parts.outline, "sort"))
		{
			fields = it.value;
			nfields++;
		}
		else
			continue;
		take_out(&parts, name);
	}
	if (order == NULL || nfields != 1)
		return;
	sort = make_sort(&fields, order);
	if (sort != NULL)
		refuse(&parts, "sort", sort);
}

/* ---- nodes ---- */

static void
refuse_node_apart(Parts parts)
{
	static const char *const members[] = {"label", "filters", "ids"};
	bool has[lengthof(members)] = {false};
	const KgOutline *inner;
	JsonbValue node;
	JsonbValue taken;
	KgJsonWriter w;

	if (!is_known(&parts, "node") || is_known(&parts, "filters"))
		return;
	inner = kg_outline_member(parts.outline, "node", 4)->inner;
	kg_jw_init_object(&w);
	if (kg_json_get(parts.object, "node", &node) != NULL)
	{
		if (node.type == jbvString)
		{
			kg_jw_key(&w, members[0]);
			kg_jw_value(&w, &node);
		}
		else if (kg_json_is_object(&node))
			kg_jw_members(&w, kg_json_container(&node));
		else
			return;
		for (int i = 0; i < lengthof(members); i++)
			has[i] = node.type == jbvString
						 ? i == 0
						 : kg_json_get(kg_json_container(&node),
									   members[i],
									   &taken) != NULL;
		take_out(&parts, "node");
	}
	kg_json_each(it, parts.object)
	{
		char *name = kg_json_cstring(&it.key);

		for (int i = 0; i < lengthof(members); i++)
		{
			if (is_known(&parts, name) ||
				!is_called(&parts, name, &it.value, inner, members[i]))
				continue;
			if (has[i])
				return;
			has[i] = true;
			kg_jw_key(&w, members[i]);
			kg_jw_value(&w, &it.value);
			take_out(&parts, name);
			break;
		}
	}
	if (has[0] && (has[1] || has[2]))
		refuse(&parts, "node", kg_jw_finish(&w));
}

/* ---- members of an object argument that was not sent ---- */

/*
 * Returns whether all unknown arguments are members of the object argument
 * "member", and include all members that this object requires.
 */
static bool
are_members_of(const Parts *parts, const KgMember *member)
{
	const KgOutline *inner = member->inner;

	if (inner == NULL || inner->n == 0 ||
		!kg_outline_is_complete(inner, parts->object))
		return false;
	kg_json_each(it, parts->object)
	{
		char *name = kg_json_cstring(&it.key);

		if (!is_known(parts, name) &&
			kg_outline_member(inner, name, strlen(name)) == NULL)
			return false;
	}
	return true;
}

/*
 * Returns the required argument whose members include all unknown arguments.
 * Returns NULL if there is no such argument, or if there are several.
 */
static const KgMember *
missing_whole(const Parts *parts, const char **name)
{
	const KgMember *found = NULL;
	JsonbValue taken;

	for (int i = 0; i < parts->outline->n; i++)
	{
		const KgMember *member = &parts->outline->members[i];

		if (!member->required ||
			kg_json_get(parts->object, parts->outline->names[i], &taken) !=
				NULL ||
			!are_members_of(parts, member))
			continue;
		if (found != NULL)
			return NULL;
		found = member;
		*name = parts->outline->names[i];
	}
	return found;
}

static void
refuse_members_apart(Parts parts)
{
	const char *whole;
	const KgMember *member = missing_whole(&parts, &whole);
	KgJsonWriter w;

	if (member == NULL)
		return;
	kg_jw_init(&w);
	if (member->array)
		kg_jw_begin_array(&w);
	kg_jw_begin_object(&w);
	kg_json_each(it, parts.object)
	{
		char *name = kg_json_cstring(&it.key);

		if (is_known(&parts, name))
			continue;
		kg_jw_member(&w, &it);
		take_out(&parts, name);
	}
	kg_jw_end_object(&w);
	if (member->array)
		kg_jw_end_array(&w);
	refuse(&parts, whole, kg_jw_finish(&w));
}

/* ---- a direction or a number of hops beside several steps ---- */

/* Returns the number of steps of the call, or 0 if it cannot be determined. */
static int
count_steps(const Parts *parts)
{
	static const char *const names[] = {"steps", "relationships"};
	JsonbValue steps;
	char **split;

	for (int i = 0; i < lengthof(names); i++)
		if (is_known(parts, names[i]) &&
			kg_json_get(parts->object, names[i], &steps) != NULL)
			return kg_json_is_array(&steps)
					   ? kg_json_length(kg_json_container(&steps))
					   : kg_args_split_names(&steps, &split);
	return 0;
}

/*
 * Raises an error for a direction or a number of hops beside several steps. A
 * number of hops that is the number of steps adds nothing, so the corrected
 * call is without it.
 */
static void
refuse_part_of_step(Parts parts)
{
	static const char *const members[] = {"direction", "max_hops"};
	char *key = kg_json_cstring(parts.key);
	int nsteps = count_steps(&parts);
	int member = 0;
	JsonbValue value;
	int64 hops;
	KgError *err;

	if (nsteps < 2)
		return;
	(void) kg_json_get(parts.object, key, &value);
	while (!kg_name_means(parts.object, key, &value, members[member], NULL))
		if (++member == lengthof(members))
			return;
	err = kg_args_unknown("", key, "it belongs inside of a step");
	kg_error_expected(err, "\"%s\" in a step", members[member]);
	if (kg_json_int64(&value, &hops) && hops == nsteps)
		take_out(&parts, key);
	if (parts.correction.arguments != NULL)
		kg_error_call_tool(
			err, kg_running_call()->tool, parts.correction.arguments);
	kg_error_throw(err);
}

/* ---- an id under the name of its type ---- */

/*
 * Returns whether the key names the id of the type. For the type order, the
 * key may be "order", a name such as "order_id" or "order_code", or the name
 * of the id property.
 */
static bool
is_id_of(const KgType *type, const char *key)
{
	static const char *const ends[] = {"", "_id", "_ids", "_code", "_codes"};

	if (type->id_field != NULL && kg_name_spelled(key, type->id_field->name))
		return true;
	for (int i = 0; i < lengthof(ends); i++)
		if (kg_name_spelled(key, psprintf("%s%s", type->name, ends[i])))
			return true;
	return false;
}

static void
refuse_id_of_type(Parts parts, const KgType *type)
{
	char *key = kg_json_cstring(parts.key);
	const char *ours;
	JsonbValue value;
	JsonbValue taken;

	if (!is_id_of(type, key) || !is_known(&parts, "id") ||
		!is_known(&parts, "ids") ||
		kg_json_get(parts.object, "id", &taken) != NULL ||
		kg_json_get(parts.object, "ids", &taken) != NULL)
		return;
	(void) kg_json_get(parts.object, key, &value);
	ours = kg_json_is_array(&value) ? "ids" : "id";
	take_out(&parts, key);
	refuse(&parts, ours, kg_json_datum(&value));
}

/* ---- handles ---- */

static void
write_handle(KgJsonWriter *w, const KgType *type, const JsonbValue *id)
{
	const char *text = kg_json_cstring(id);
	const char *bare = kg_id_of_type(type, text);

	kg_jw_string(w, kg_handle_make(type, bare ? bare : text));
}

static Jsonb *
make_handles(const KgType *type, const JsonbValue *ids, bool several)
{
	bool array = kg_json_is_array(ids);
	KgJsonWriter w;

	if (array ? !several : ids->type == jbvBinary)
		return NULL;
	kg_jw_init(&w);
	if (several)
		kg_jw_begin_array(&w);
	if (!array)
		write_handle(&w, type, ids);
	else
		kg_json_each(it, kg_json_container(ids))
		{
			if (it.value.type == jbvBinary)
				return NULL;
			write_handle(&w, type, &it.value);
		}
	if (several)
		kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

/*
 * If the call has a type and ids in separate arguments, raises an error with a
 * call that has handles. Applies to tools that accept handles of all types.
 */
static void
refuse_handles_apart(Parts parts)
{
	static const struct
	{
		const char *name;
		bool several;
	} ours[] = {
		{"handles", true}, {"ids", true}, {"id", false}, {"handle", false}};
	const KgCatalog *catalog = kg_running_catalog();
	const KgType *type = NULL;
	JsonbValue ids;
	bool has_ids = false;
	Jsonb *handles;
	int which = 0;

	/* The tool has an argument "type", so the ids are ids of that type. */
	if (is_known(&parts, "type"))
		return;
	while (which < lengthof(ours) && !is_known(&parts, ours[which].name))
		which++;
	if (which == lengthof(ours))
		return;
	kg_json_each(it, parts.object)
	{
		char *name = kg_json_cstring(&it.key);

		if (!has_ids &&
			is_called(&parts, name, &it.value, parts.outline, ours[which].name))
		{
			has_ids = true;
			ids = it.value;
		}
		else if (type == NULL && it.value.type == jbvString &&
				 !is_known(&parts, name) &&
				 is_called(&parts, name, &it.value, parts.outline, "label"))
			type = kg_catalog_type(catalog, kg_json_cstring(&it.value));
		/* The name of a type as an argument, with an id: {"order": "O-1"}. */
		else if (type == NULL && !has_ids && !is_known(&parts, name) &&
				 kg_catalog_type(catalog, name) != NULL)
		{
			type = kg_catalog_type(catalog, name);
			has_ids = true;
			ids = it.value;
		}
		else
			continue;
		take_out(&parts, name);
	}
	if (!has_ids || type == NULL)
		return;
	handles = make_handles(type, &ids, ours[which].several);
	if (handles != NULL)
		refuse(&parts, ours[which].name, handles);
}

/* ---- an item of a tool that writes ---- */

/*
 * Returns the type that a tool writes, or NULL. For a tool of all types, this
 * is the type that the argument "type" names.
 */
static const KgType *
written_type(const Parts *parts, const KgCallable *called)
{
	JsonbValue name;

	if (called->tool != NULL)
		return kg_tool_type(called->tool);
	if (!is_known(parts, "type") ||
		kg_json_get(parts->object, "type", &name) == NULL ||
		name.type != jbvString)
		return NULL;
	return kg_catalog_type(kg_running_catalog(), kg_json_cstring(&name));
}

/* Raises an error if "id" was sent in place of "ids" with a single item. */
static void
refuse_id_apart(Parts parts)
{
	JsonbValue value;

	if (!is_known(&parts, "ids") || is_known(&parts, "id") ||
		kg_json_get(parts.object, "ids", &value) != NULL ||
		kg_json_get(parts.object, "id", &value) == NULL ||
		value.type != jbvString)
		return;
	take_out(&parts, "id");
	refuse(&parts, "ids", kg_args_example_of(&value, NULL, true));
}

/*
 * If "id" and properties were sent as arguments, raises an error with a call in
 * which they form the only item. In an update, the properties become members of
 * "set". All unknown arguments must be properties or members of an item.
 */
static void
refuse_item_apart(Parts parts, const KgCallable *called)
{
	const KgMember *items = kg_outline_member(parts.outline, "items", 5);
	const KgOutline *item = items ? items->inner : NULL;
	bool has_set = item && kg_outline_member(item, "set", 3) != NULL;
	const KgType *type = written_type(&parts, called);
	bool in_set = false;
	JsonbValue value;
	KgJsonWriter set;
	KgJsonWriter w;

	if (items == NULL || kg_json_get(parts.object, "items", &value) != NULL)
		return;
	kg_jw_init_object(&set);
	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	kg_jw_begin_object(&w);
	kg_json_each(it, parts.object)
	{
		char *name = kg_json_cstring(&it.key);
		bool member = item && kg_outline_member(item, name, strlen(name));
		const KgField *field;

		if (is_known(&parts, name))
			continue;
		field = type ? kg_type_field(type, name) : NULL;
		if (!member &&
			(field == NULL || strcmp(field->steps[0].key, name) != 0))
			return;
		in_set |= has_set && !member;
		kg_jw_member(has_set && !member ? &set : &w, &it);
		take_out(&parts, name);
	}
	if (in_set)
	{
		if (kg_json_get(parts.object, "set", &value) != NULL)
			return;
		kg_jw_kjsonb(&w, "set", kg_jw_finish(&set));
	}
	kg_jw_end_object(&w);
	kg_jw_end_array(&w);
	refuse(&parts, "items", kg_jw_finish(&w));
}

void
kg_refuse_apart(const JsonbContainer *arguments, const KgOutline *outline,
				const JsonbValue *key)
{
	const KgCall *call = kg_running_call();
	Parts parts = {arguments, outline, key};
	KgCallable called;

	if (call == NULL || call->tool == NULL || call->arguments == NULL ||
		arguments != &call->arguments->root ||
		!kg_callable_find(kg_running_catalog(), call->tool, &called))
		return;
	refuse_sort_apart(parts);
	refuse_members_apart(parts);
	refuse_part_of_step(parts);
	if (called.tool != NULL && called.tool->row != NULL)
		refuse_id_of_type(parts, kg_tool_type(called.tool));
	if (kg_callable_writes(&called))
	{
		refuse_id_apart(parts);
		refuse_item_apart(parts, &called);
	}
	if (called.fixed == NULL)
		return;
	refuse_node_apart(parts);
	refuse_handles_apart(parts);
}
