/*
 * joined_rows.c
 *	  Merges the rows of a traversal with their nodes and edges (joined rows).
 *
 *	  The reply of a traversal has a row of handles for each match, and has
 *	  the nodes and edges of all rows once. A joined row is an object with
 *	  members for the ends and edges of its steps:
 *
 *	  {"from": "mob:blaze", "edge": "-DROPS->", "to": "item:blaze_rod",
 *	  "from.name": "Blaze", "edge.chance": 1, "to.name": "Blaze Rod"}
 *
 *	  If there are several steps, the members have the number of their step:
 *	  edge1, to1, edge2, to2. An edge is an arrow, as in paths.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "base/json.h"
#include "model/handle.h"
#include "tools/reply/joined_rows.h"

/* The nodes and edges of a reply, looked up by handle. */
typedef struct Joined
{
	Jsonb *nodes; /* {handle: properties} */
	Jsonb *edges; /* {from and to: edge} */
	/*
	 * {type and property: true}. A property is included if it differs from the
	 * id in at least one node of the type.
	 */
	Jsonb *told;
	int nsteps;
	/*
	 * forward: in each step of each row, an edge leads from the first handle to
	 * the second. backward: an edge leads from the second handle to the first.
	 */
	bool forward;
	bool backward;
} Joined;

/* Returns a member of the reply that is an array, or NULL. */
static const JsonbContainer *
array_of(const JsonbContainer *reply, const char *name)
{
	JsonbValue value;

	return kg_json_get(reply, name, &value) != NULL && kg_json_is_array(&value)
			   ? kg_json_container(&value)
			   : NULL;
}

/* Returns whether all members of an object are in the list of names. */
static bool
has_only(const JsonbValue *object, const char *const *names)
{
	kg_json_each(it, kg_json_container(object))
	{
		const char *const *name = names;

		while (*name != NULL && !kg_json_string_is(&it.key, *name))
			name++;
		if (*name == NULL)
			return false;
	}
	return true;
}

/* Returns the key of a property of the node's type. */
static char *
property_key(const char *handle, const char *name)
{
	return psprintf(
		"%.*s\n%s", (int) (strchr(handle, ':') - handle), handle, name);
}

/*
 * Records each property in "names" as one that joined rows show, unless its
 * value in this node is the id of the node. A column is left out only if it
 * repeats the id in every node of a type.
 */
static void
add_told(KgJsonWriter *told, const char *handle, const JsonbContainer *node,
		 const Jsonb *names)
{
	JsonbValue properties;
	JsonbValue value;
	JsonbValue id;
	bool has = kg_json_get(node, "properties", &properties) != NULL;

	(void) kg_json_get(node, "id", &id);
	kg_json_each(it, &names->root)
	{
		char *name = kg_json_cstring(&it.key);

		if (has &&
			kg_json_get(kg_json_container(&properties), name, &value) != NULL &&
			kg_json_same_value(&value, &id))
			continue;
		kg_jw_key(told, property_key(handle, name));
		kg_jw_bool(told, true);
	}
}

/* Reads the nodes. Returns false if their rows cannot be joined. */
static bool
read_nodes(Joined *j, const JsonbContainer *nodes)
{
	static const char *const members[] = {"type", "id", "properties", NULL};
	KgJsonWriter by_handle;
	KgJsonWriter seen;
	KgJsonWriter told;
	Jsonb *names;

	kg_jw_init_object(&by_handle);
	kg_jw_init_object(&seen);
	kg_json_each(it, nodes)
	{
		char *handle = kg_handle_read(kg_json_container(&it.value));
		JsonbValue properties;

		if (handle == NULL || !has_only(&it.value, members))
			return false;
		kg_jw_key(&by_handle, handle);
		if (kg_json_get(kg_json_container(&it.value),
						"properties",
						&properties) == NULL)
		{
			kg_jw_begin_object(&by_handle);
			kg_jw_end_object(&by_handle);
			continue;
		}
		kg_jw_value(&by_handle, &properties);
		kg_jw_members(&seen, kg_json_container(&properties));
	}
	names = kg_jw_finish(&seen);
	kg_jw_init_object(&told);
	kg_json_each(it, nodes)
	{
		const JsonbContainer *node = kg_json_container(&it.value);

		add_told(&told, kg_handle_read(node), node, names);
	}
	j->nodes = kg_jw_finish(&by_handle);
	j->told = kg_jw_finish(&told);
	return true;
}

/*
 * Returns the key of an edge in the object j->edges. The separator is a
 * control character, which no handle contains.
 */
static char *
ends_key(const char *from, const char *to)
{
	return psprintf("%s\n%s", from, to);
}

/*
 * Reads the edges. Returns false if they prevent joined rows, for example if
 * two edges have the same ends.
 */
static bool
read_edges(Joined *j, const JsonbContainer *edges)
{
	static const char *const members[] = {
		"type", "from", "to", "properties", "depth", NULL};
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, edges)
	{
		char *from = kg_handle_of_end(kg_json_container(&it.value), "from");
		char *to = kg_handle_of_end(kg_json_container(&it.value), "to");

		if (from == NULL || to == NULL || !has_only(&it.value, members))
			return false;
		kg_jw_key(&w, ends_key(from, to));
		kg_jw_value(&w, &it.value);
	}
	j->edges = kg_jw_finish(&w);
	return kg_json_length(&j->edges->root) == kg_json_length(edges);
}

/*
 * Returns the name of a member of a joined row. If there are several steps, it
 * has the number of the step.
 */
static char *
name_of(const Joined *j, const char *name, int step)
{
	return j->nsteps == 1 ? pstrdup(name) : psprintf("%s%d", name, step);
}

/*
 * Writes properties as members whose names have the prefix "of" and a period.
 */
static void
write_properties(KgJsonWriter *w, const char *of, const JsonbContainer *object,
				 const Jsonb *told, const char *handle)
{
	kg_json_each(it, object)
	{
		const char *name = kg_json_cstring(&it.key);
		JsonbValue value;

		if (told != NULL &&
			kg_json_get(&told->root, property_key(handle, name), &value) ==
				NULL)
			continue;
		kg_jw_key(w, psprintf("%s.%s", of, name));
		kg_jw_value(w, &it.value);
	}
}

/* Writes an end of a step. Returns false if the reply lacks the node. */
static bool
write_end(const Joined *j, KgJsonWriter *w, const char *name,
		  const char *handle)
{
	JsonbValue properties;

	if (kg_json_get(&j->nodes->root, handle, &properties) == NULL)
		return false;
	kg_jw_kstring(w, name, handle);
	write_properties(w, name, kg_json_container(&properties), j->told, handle);
	return true;
}

/*
 * Returns the key of the only edge between the ends of a step, or NULL. If
 * there are edges in both directions, and only one direction occurs in all
 * rows, uses this direction. With several steps, returns NULL instead, because
 * the two edges may belong to different steps.
 */
static char *
find_edge(const Joined *j, const char *from, const char *to, bool *forward)
{
	char *there = ends_key(from, to);
	char *back = ends_key(to, from);
	JsonbValue edge;

	*forward = kg_json_get(&j->edges->root, there, &edge) != NULL;
	if (kg_json_get(&j->edges->root, back, &edge) == NULL)
		return *forward ? there : NULL;
	if (*forward && (j->nsteps > 1 || j->forward == j->backward))
		return NULL;
	*forward = *forward && j->forward;
	return *forward ? there : back;
}

/*
 * Writes the edge of a step, and adds its key to "used". Returns false unless
 * the reply has exactly one such edge. The edge of a walk of several hops has
 * no direction.
 */
static bool
write_edge(const Joined *j, KgJsonWriter *w, int step, const char *from,
		   const char *to, KgJsonWriter *used)
{
	char *name = name_of(j, "edge", step);
	JsonbValue edge;
	JsonbValue value;
	bool forward;
	char *key = find_edge(j, from, to, &forward);
	const char *type;

	if (key == NULL)
		return false;
	(void) kg_json_get(&j->edges->root, key, &edge);
	kg_jw_key(used, key);
	kg_jw_bool(used, true);
	(void) kg_json_get(kg_json_container(&edge), "type", &value);
	type = kg_json_cstring(&value);
	if (kg_json_get(kg_json_container(&edge), "depth", &value) != NULL)
	{
		kg_jw_key(w, name_of(j, "depth", step));
		kg_jw_value(w, &value);
	}
	else
		type = psprintf(forward ? "-%s->" : "<-%s-", type);
	kg_jw_kstring(w, name, type);
	if (kg_json_get(kg_json_container(&edge), "properties", &value) != NULL)
		write_properties(w, name, kg_json_container(&value), NULL, NULL);
	return true;
}

/*
 * Finds the directions of the edges. Returns false unless all rows have the
 * same number of handles.
 */
static bool
read_steps(Joined *j, const JsonbContainer *rows)
{
	JsonbValue edge;

	j->forward = j->backward = true;
	kg_json_each(row, rows)
	{
		const JsonbContainer *handles = kg_json_container(&row.value);
		const char *before = NULL;

		if (!kg_json_is_array(&row.value))
			return false;
		if (row.index == 0)
			j->nsteps = kg_json_length(handles) - 1;
		if (j->nsteps < 1 || kg_json_length(handles) != j->nsteps + 1)
			return false;
		kg_json_each(it, handles)
		{
			const char *handle = kg_json_cstring(&it.value);

			if (it.value.type != jbvString)
				return false;
			if (before != NULL)
			{
				j->forward &= kg_json_get(&j->edges->root,
										  ends_key(before, handle),
										  &edge) != NULL;
				j->backward &= kg_json_get(&j->edges->root,
										   ends_key(handle, before),
										   &edge) != NULL;
			}
			before = handle;
		}
	}
	return true;
}

static bool
write_row(const Joined *j, KgJsonWriter *w, const JsonbContainer *row,
		  KgJsonWriter *used)
{
	const char *before = NULL;

	kg_json_each(it, row)
	{
		const char *handle = kg_json_cstring(&it.value);
		const char *name = it.index == 0 ? "from" : name_of(j, "to", it.index);

		if (!write_end(j, w, name, handle) ||
			(before != NULL &&
			 !write_edge(j, w, it.index, before, handle, used)))
			return false;
		before = handle;
	}
	return true;
}

/* Returns the names of the members that all joined rows have. */
static List *
names_of_rows(const Joined *j)
{
	List *names = list_make1(pstrdup("from"));

	for (int step = 1; step <= j->nsteps; step++)
	{
		names = lappend(names, name_of(j, "edge", step));
		names = lappend(names, name_of(j, "to", step));
	}
	return names;
}

Jsonb *
kg_joined_rows(const JsonbContainer *reply, List **names)
{
	const JsonbContainer *rows = array_of(reply, "rows");
	const JsonbContainer *nodes = array_of(reply, "nodes");
	const JsonbContainer *edges = array_of(reply, "edges");
	Joined j = {0};
	KgJsonWriter used;
	KgJsonWriter w;
	JsonbValue value;

	if (rows == NULL || nodes == NULL || edges == NULL ||
		kg_json_length(rows) == 0 ||
		kg_json_get(reply, "withheld", &value) != NULL ||
		!read_nodes(&j, nodes) || !read_edges(&j, edges) ||
		!read_steps(&j, rows))
		return NULL;
	kg_jw_init_object(&used);
	kg_jw_init_array(&w);
	kg_json_each(it, rows)
	{
		CHECK_FOR_INTERRUPTS();
		kg_jw_begin_object(&w);
		if (!write_row(&j, &w, kg_json_container(&it.value), &used))
			return NULL;
		kg_jw_end_object(&w);
	}
	if (kg_json_length(&kg_jw_finish(&used)->root) != kg_json_length(edges))
		return NULL;
	*names = names_of_rows(&j);
	return kg_jw_finish(&w);
}
