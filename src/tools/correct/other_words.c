/*
 * other_words.c
 *	  Replaces arguments that other interfaces have by arguments of these
 *	  tools.
 *
 *	  {"page": 3, "limit": 10} becomes {"offset": 20, "limit": 10}; a tool that
 *	  has only cursors accepts only the first page. {"hops": 2} in a step
 *	  becomes {"min_hops": 2, "max_hops": 2}, and elsewhere {"max_hops": 2}. A
 *	  direction or a number of hops beside the only step moves into the step,
 *	  and a type beside "node" into the node. A replacement is made only if it
 *	  keeps the whole meaning.
 */
#include "postgres.h"

#include "query/argument/repair.h"
#include "tools/correct/other_words.h"

static const char *const page_words[] = {
	"page", "page_number", "page_no", "pageNumber", NULL};

/*
 * Finds the only member that has one of the names, and returns its name.
 * Returns NULL if there is no such member, or if there are several.
 */
static const char *
only_member(const KgInput *in, const char *const *names, JsonbValue *value)
{
	const char *found = NULL;

	for (; *names != NULL; names++)
	{
		if (kg_json_get(in->object, *names, value) == NULL)
			continue;
		if (found != NULL)
			return NULL;
		found = *names;
	}
	if (found != NULL)
		(void) kg_json_get(in->object, found, value);
	return found;
}

/*
 * Reads an integer of at least 1. A string with such a number is accepted.
 * Returns false for any other value.
 */
static bool
read_positive(const JsonbValue *value, int64 *number)
{
	JsonbValue in_text;

	if (value->type == jbvString)
		return kg_json_number_of(value, &in_text) &&
			   kg_json_int64(&in_text, number) && *number >= 1;
	return kg_json_int64(value, number) && *number >= 1;
}

/* Reports a repair: the arguments "used" replaced an argument that was sent. */
static void
report(KgInput *in, const char *sent, const JsonbValue *got, const Jsonb *used)
{
	JsonbValue value;

	kg_json_root(used, &value);
	kg_repair_add(in->repairs, kg_input_path(in, sent), got, &value);
}

/* Replaces a member of the object by the members of "used". */
static void
replace(KgInput *in, const char *name, const Jsonb *used)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, in->object)
		if (!kg_json_string_is(&it.key, name))
			kg_jw_member(&w, &it);
	kg_jw_members(&w, &used->root);
	kg_input_replace(in, kg_jw_finish(&w));
}

static Jsonb *
number_member(const char *name, int64 number)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kint(&w, name, number);
	return kg_jw_finish(&w);
}

/*
 * Reads a number of hops, or a range such as "1..3". Returns false for any
 * other value.
 */
static bool
read_hops(const JsonbValue *value, int64 *least, int64 *most)
{
	const char *text;
	int end = 0;
	int low;
	int high;

	if (read_positive(value, least))
	{
		*most = *least;
		return true;
	}
	if (value->type != jbvString)
		return false;
	text = kg_json_cstring(value);
	if (sscanf(text, "%1d..%1d%n", &low, &high, &end) != 2 ||
		end != (int) strlen(text))
		return false;
	*least = low;
	*most = high;
	return low <= high;
}

/*
 * Replaces "hops". In a step, it is the number of hops of each walk. In a
 * search around a node, or for paths, it is the maximum. Returns false if
 * nothing was replaced.
 */
static bool
take_hops(KgInput *in)
{
	JsonbValue value;
	KgJsonWriter w;
	Jsonb *used;
	int64 least;
	int64 most;

	if (kg_json_get(in->object, "hops", &value) == NULL ||
		!kg_input_declares(in, "max_hops") || kg_input_has(in, "max_hops"))
		return false;
	kg_jw_init_object(&w);
	if (!kg_input_declares(in, "min_hops"))
	{
		kg_jw_key(&w, "max_hops");
		kg_jw_value(&w, &value);
	}
	else if (kg_input_has(in, "min_hops") ||
			 !read_hops(&value, &least, &most) ||
			 most > kg_input_maximum(in, "max_hops"))
		return false;
	else
	{
		kg_jw_kint(&w, "min_hops", least);
		kg_jw_kint(&w, "max_hops", most);
	}
	used = kg_jw_finish(&w);
	report(in, "hops", &value, used);
	replace(in, "hops", used);
	return true;
}

/*
 * Sets *size to the number of items on a page: the limit of the call, or the
 * default limit. Returns false if the size cannot be determined.
 */
static bool
read_size(const KgInput *in, int64 *size)
{
	JsonbValue limit;

	if (kg_json_get(in->object, "limit", &limit) != NULL)
		return read_positive(&limit, size);
	*size = kg_input_default(in, "limit");
	return *size > 0;
}

static bool
take_page(KgInput *in)
{
	JsonbValue value;
	const char *name = only_member(in, page_words, &value);
	bool offsets = kg_input_declares(in, "offset");
	int64 page;
	int64 size = 0;

	if (name == NULL || !kg_input_declares(in, "limit") ||
		(offsets && kg_input_has(in, "offset")) || kg_input_has(in, "cursor") ||
		!read_positive(&value, &page) || (!read_size(in, &size) && page > 1))
		return false;
	/*
	 * A page that is too large is refused before its offset is computed from
	 * its size, so that the corrected call has the same number of the page.
	 */
	if (size > kg_input_maximum(in, "limit"))
		(void) kg_input_int(in, "limit", &size);
	if (page > 1 &&
		(!offsets || page - 1 > kg_input_maximum(in, "offset") / size))
		return false;
	if (offsets)
	{
		Jsonb *offset = number_member("offset", (page - 1) * size);

		report(in, name, &value, offset);
		replace(in, name, offset);
	}
	else
	{
		kg_repair_add(in->repairs, kg_input_path(in, name), &value, NULL);
		replace(in, name, kg_json_parse("{}"));
	}
	return true;
}

/* Returns the name of the array of steps, or NULL. */
static const char *
steps_name(const KgInput *in)
{
	static const char *const names[] = {"steps", "relationships"};

	for (int i = 0; i < lengthof(names); i++)
		if (kg_input_declares(in, names[i]) && kg_input_has(in, names[i]))
			return names[i];
	return NULL;
}

/*
 * Sets *step to the only step as an object. This is the only item of the array
 * or, if the value is not an array, the value itself. A string is the type of
 * the step. Returns false for several steps, and for JSON text.
 */
static bool
only_step(const JsonbValue *steps, const JsonbContainer **step)
{
	const JsonbContainer *array = kg_json_container(steps);
	JsonbValue value = *steps;
	KgJsonWriter w;

	if (kg_json_is_array(steps))
	{
		if (kg_json_length(array) != 1)
			return false;
		value = *getIthJsonbValueFromContainer((JsonbContainer *) array, 0);
	}
	*step = kg_json_container(&value);
	if (value.type != jbvString)
		return kg_json_is_object(&value);
	if (strpbrk(kg_json_cstring(&value), "[{,;") != NULL)
		return false;
	kg_jw_init_object(&w);
	kg_jw_key(&w, "type");
	kg_jw_value(&w, &value);
	*step = &kg_jw_finish(&w)->root;
	return true;
}

/* Reports a repair: a member that was sent was moved to another path. */
static void
report_moved(KgInput *in, const char *sent, const char *path)
{
	JsonbValue got = kg_json_string_value(sent);
	JsonbValue used = kg_json_string_value(path);

	kg_repair_add(in->repairs, kg_input_path(in, sent), &got, &used);
}

static bool
step_lacks(const JsonbContainer *step, const char *const *names, int n)
{
	JsonbValue value;

	for (int i = 0; i < n; i++)
		if (kg_json_get(step, names[i], &value) != NULL)
			return false;
	return true;
}

/*
 * If the member "part", a direction or a number of hops, is beside the only
 * step, moves it into the step. Returns false if nothing was moved.
 */
static bool
take_of_step(KgInput *in, const char *part)
{
	static const char *const hops[] = {"hops", "min_hops", "max_hops"};
	const char *name = steps_name(in);
	const JsonbContainer *step;
	JsonbValue value;
	JsonbValue steps;
	KgJsonWriter w;
	Jsonb *used;

	if (name == NULL || kg_input_declares(in, part) ||
		kg_json_get(in->object, part, &value) == NULL ||
		kg_json_get(in->object, name, &steps) == NULL ||
		!only_step(&steps, &step) || !step_lacks(step, &part, 1) ||
		(strcmp(part, "hops") == 0 && !step_lacks(step, hops, lengthof(hops))))
		return false;
	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, name);
	kg_jw_begin_object(&w);
	kg_jw_members(&w, step);
	kg_jw_key(&w, part);
	kg_jw_value(&w, &value);
	kg_jw_end_object(&w);
	kg_jw_end_array(&w);
	used = kg_jw_finish(&w);
	report_moved(in, part, psprintf("/%s/0/%s", name, part));
	replace(in, name, used);
	replace(in, part, kg_json_parse("{}"));
	return true;
}

/*
 * The members of a node (selection), and the names under which calls have them
 * beside "node".
 */
static const struct
{
	const char *sent;
	const char *part;
} parts[] = {{"type", "label"},
			 {"label", "label"},
			 {"node_label", "label"},
			 {"ids", "ids"},
			 {"query", "query"},
			 {"filters", "filters"}};

/*
 * Returns whether each member of the call is an argument of the tool or a
 * member that belongs into "node".
 */
static bool
has_only_parts(const KgInput *in)
{
	kg_json_each(it, in->object)
	{
		char *name = kg_json_cstring(&it.key);
		bool known = kg_input_declares(in, name);

		for (int i = 0; i < lengthof(parts) && !known; i++)
			known = strcmp(name, parts[i].sent) == 0;
		if (!known)
			return false;
	}
	return true;
}

/*
 * Moves members that belong into "node", but were sent beside it, into it.
 * Returns false if nothing was moved.
 */
static bool
take_node(KgInput *in)
{
	Jsonb *node = kg_json_parse("{}");
	JsonbValue value;
	KgJsonWriter w;
	bool moved = false;

	if (!kg_input_declares(in, "node") || !has_only_parts(in))
		return false;
	if (kg_json_get(in->object, "node", &value) != NULL)
	{
		if (!kg_json_is_object(&value))
			return false;
		node = kg_json_datum(&value);
	}
	for (int i = 0; i < lengthof(parts); i++)
	{
		JsonbValue other;

		if (kg_input_declares(in, parts[i].sent) ||
			kg_json_get(in->object, parts[i].sent, &value) == NULL)
			continue;
		if (kg_json_get(&node->root, parts[i].part, &other) != NULL)
			return false;
		node = kg_json_with(node, parts[i].part, &value);
		moved = true;
	}
	if (!moved)
		return false;
	for (int i = 0; i < lengthof(parts); i++)
		if (!kg_input_declares(in, parts[i].sent) &&
			kg_input_has(in, parts[i].sent))
		{
			report_moved(
				in, parts[i].sent, psprintf("/node/%s", parts[i].part));
			replace(in, parts[i].sent, kg_json_parse("{}"));
		}
	kg_jw_init_object(&w);
	kg_jw_kjsonb(&w, "node", node);
	replace(in, "node", kg_jw_finish(&w));
	return true;
}

bool
kg_take_other_words(KgInput *in)
{
	return take_hops(in) || take_page(in) || take_of_step(in, "direction") ||
		   take_of_step(in, "hops") || take_of_step(in, "min_hops") ||
		   take_of_step(in, "max_hops") || take_node(in);
}
