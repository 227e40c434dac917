/*
 * compact.c
 *	  The tools of the toolset compact. Each compact tool passes its
 *	  arguments, under other names, to a tool of another toolset, which this
 *	  file names "the called tool".
 *
 * The called tool returns errors, hints, repairs and "next" about its own
 * arguments. They are translated to the arguments that the caller sent.
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "model/catalog.h"
#include "query/filter/filter.h"
#include "query/argument/repair.h"
#include "query/graph/ref_path.h"
#include "query/run/running.h"
#include "tools/bfs/call.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/compact/compact.h"
#include "tools/graph/graph.h"
#include "tools/verify/verify.h"

/*
 * The JSON Pointers of an argument: the pointer in the arguments that the
 * caller sent to the compact tool, and the pointer in the arguments of the
 * called tool. cut: the called tool's argument is built from the sent argument,
 * so pointers to its members have no counterpart in the sent argument.
 */
typedef struct Rename
{
	const char *sent;
	const char *behind;
	bool cut;
} Rename;

/*
 * Maximum number of arguments of the called tool that are built from sent
 * arguments.
 */
#define KG_MAX_MADE 5

/*
 * Maximum number of properties in "fields" (the part type_fields of
 * tools/schemas).
 */
#define KG_MAX_FIELDS 100

typedef struct Compact
{
	KgGraphCall call;
	const Rename *names; /* array; the last entry has sent == NULL */
	struct
	{
		const char *sent; /* name of the sent argument */
		/*
		 * name of the called tool's argument that is built from the sent
		 * argument, or NULL
		 */
		const char *behind;
		const Jsonb *value;
		/* true: labels were added to the called tool's argument, an array */
		bool labels;
	} made[KG_MAX_MADE];
	int nmade;
	/* max_bytes for the called tool; 0: the max_bytes that the caller sent */
	int64 room;
	/* bytes by which the translated "next" is longer than the original */
	int64 longer;
	const KgType *listed; /* the type whose entities are listed, or NULL */
	Jsonb *(*behind)(const Jsonb *arguments);
	Jsonb *arguments; /* arguments of the called tool */
	Jsonb *reply;
} Compact;

/* ---- arguments ---- */

static Compact *
begin(const char *tool, const Jsonb *arguments)
{
	static const Rename none[] = {{NULL}};
	Compact *c = palloc0(sizeof(Compact));

	kg_graph_call_begin(&c->call, tool, arguments);
	c->names = none;
	return c;
}

static void
make(Compact *c, const char *sent, const char *behind, const Jsonb *value)
{
	c->made[c->nmade].sent = sent;
	c->made[c->nmade].behind = behind;
	c->made[c->nmade++].value = value;
}

/*
 * Returns the called tool's name for an argument that the caller sent. Returns
 * NULL if both tools use the same name.
 */
static const char *
name_behind(const Compact *c, const JsonbValue *key)
{
	for (const Rename *r = c->names; r->sent != NULL; r++)
		if (!r->cut && strchr(r->behind + 1, '/') == NULL &&
			kg_json_string_is(key, r->sent + 1))
			return r->behind + 1;
	return NULL;
}

static bool
is_made_from(const Compact *c, const JsonbValue *key)
{
	for (int i = 0; i < c->nmade; i++)
		if (kg_json_string_is(key, c->made[i].sent))
			return true;
	return false;
}

static bool
is_made(const Compact *c, const JsonbValue *key)
{
	for (int i = 0; i < c->nmade; i++)
		if (c->made[i].behind != NULL &&
			kg_json_string_is(key, c->made[i].behind))
			return true;
	return false;
}

static void
make_arguments(Compact *c)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, c->call.input.object)
	{
		const char *behind = name_behind(c, &it.key);

		if (is_made_from(c, &it.key) ||
			(c->room > 0 && kg_json_string_is(&it.key, "max_bytes")))
			continue;
		if (behind != NULL)
			kg_jw_key(&w, behind);
		else
			kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		kg_jw_value(&w, &it.value);
	}
	for (int i = 0; i < c->nmade; i++)
		if (c->made[i].behind != NULL)
			kg_jw_kjsonb(&w, c->made[i].behind, c->made[i].value);
	if (c->room > 0)
		kg_jw_kint(&w, "max_bytes", c->room);
	c->arguments = kg_jw_finish(&w);
}

/* ---- translation of replies ---- */

/*
 * Returns whether the caller sent the argument to which the called tool's
 * argument corresponds.
 */
static bool
applies(const Compact *c, const Rename *r)
{
	const char *name = pnstrdup(r->sent + 1, strcspn(r->sent + 1, "/"));
	JsonbValue key = kg_json_string_value(name);

	return r->cut ? is_made_from(c, &key) : kg_input_has(&c->call.input, name);
}

static char *
sent_path(const Compact *c, const char *path)
{
	const Rename *best = NULL;

	for (const Rename *r = c->names; r->sent != NULL; r++)
	{
		size_t len = strlen(r->behind);

		if (strncmp(path, r->behind, len) == 0 &&
			(path[len] == '\0' || path[len] == '/') &&
			(best == NULL || strlen(best->behind) < len) && applies(c, r))
			best = r;
	}
	if (best == NULL)
		return pstrdup(path);
	return psprintf(
		"%s%s", best->sent, best->cut ? "" : path + strlen(best->behind));
}

/*
 * Returns a copy of a text in "said", an error or hint of the called tool. If
 * the text contains the path in "said", the copy has the translated path.
 */
static char *
sent_text(const Compact *c, const JsonbContainer *said, const char *text)
{
	JsonbValue value;
	const char *path;
	const char *at;

	if (kg_json_get(said, "path", &value) == NULL || value.type != jbvString ||
		value.val.string.len == 0)
		return pstrdup(text);
	path = kg_json_cstring(&value);
	at = strstr(text, path);
	if (at == NULL)
		return pstrdup(text);
	return psprintf("%.*s%s%s",
					(int) (at - text),
					text,
					sent_path(c, path),
					at + strlen(path));
}

static void write_said(const Compact *c, const JsonbContainer *said,
					   KgJsonWriter *w);

/*
 * Writes an array of errors, hints or repairs {path, ...}, with translated
 * items.
 */
static void
write_items_said(const Compact *c, const JsonbContainer *array, KgJsonWriter *w)
{
	kg_json_each(it, array)
		if (kg_json_is_object(&it.value))
			write_said(c, kg_json_container(&it.value), w);
		else
			kg_jw_value(w, &it.value);
}

static void
write_all_said(const Compact *c, const JsonbContainer *array, KgJsonWriter *w)
{
	kg_jw_begin_array(w);
	write_items_said(c, array, w);
	kg_jw_end_array(w);
}

static void
write_next_bytes(const Compact *c, int64 bytes, KgJsonWriter *w)
{
	if (bytes != c->room)
		kg_jw_kint(
			w, "max_bytes", Min(bytes + c->longer, kg_setting_max_reply_bytes));
	else if (kg_input_has(&c->call.input, "max_bytes"))
		kg_jw_kint(w, "max_bytes", c->call.max_bytes);
}

/* Returns the handle "type:id" for an object {"label", "node_id"}, or NULL. */
static char *
handle_of(const JsonbContainer *start)
{
	JsonbValue label;
	JsonbValue id;

	if (kg_json_get(start, "label", &label) == NULL ||
		kg_json_get(start, "node_id", &id) == NULL || id.type != jbvString)
		return NULL;
	return psprintf("%s:%s", kg_json_cstring(&label), kg_json_cstring(&id));
}

/*
 * Writes the caller's own conditions on the id in the form in which they were
 * sent. In the arguments of the called tool, these are all conditions on the
 * id except the last, which "ids" added.
 */
static void
write_own_back(const JsonbValue *conditions, const JsonbValue *own,
			   KgJsonWriter *w)
{
	int n = kg_json_length(kg_json_container(conditions)) - 1;
	JsonbValue first;
	JsonbValue value;

	if (kg_json_is_array(own))
		kg_jw_begin_array(w);
	kg_json_each(it, kg_json_container(conditions))
		if (it.index < n && kg_json_is_array(own))
			kg_jw_value(w, &it.value);
		else if (it.index == 0 && n == 1)
			first = it.value;
	if (kg_json_is_array(own))
		kg_jw_end_array(w);
	else if (!kg_json_is_object(own) && kg_json_is_object(&first) &&
			 kg_json_get(kg_json_container(&first), "eq", &value) != NULL)
		kg_jw_value(w, &value);
	else
		kg_jw_value(w, &first);
}

/*
 * Writes "ids" and the remaining "filters". Both are taken from the filters of
 * the called tool, whose last condition on the id was built from "ids".
 * Returns false if that is impossible.
 */
static bool
write_ids_back(const Compact *c, const JsonbContainer *arguments,
			   KgJsonWriter *w)
{
	const JsonbContainer *sent = kg_filter_object(
		c->call.input.object, "filters", "");
	JsonbValue filters;
	JsonbValue conditions;
	JsonbValue ids;
	JsonbValue own;
	JsonbValue *last;

	if (kg_json_get(arguments, "filters", &filters) == NULL ||
		!kg_json_is_object(&filters) ||
		kg_json_get(kg_json_container(&filters), "id", &conditions) == NULL ||
		!kg_json_is_array(&conditions))
		return false;
	last = getIthJsonbValueFromContainer(
		(JsonbContainer *) kg_json_container(&conditions),
		kg_json_length(kg_json_container(&conditions)) - 1);
	if (last == NULL || !kg_json_is_object(last) ||
		kg_json_get(kg_json_container(last), "in", &ids) == NULL)
		return false;
	kg_jw_key(w, "ids");
	kg_jw_value(w, &ids);
	if (sent == NULL)
		return kg_json_length(kg_json_container(&filters)) == 1;
	kg_jw_kbegin_object(w, "filters");
	kg_json_each(it, kg_json_container(&filters))
		if (!kg_json_string_is(&it.key, "id"))
			kg_jw_member(w, &it);
	if (kg_json_get(sent, "id", &own) != NULL)
	{
		kg_jw_key(w, "id");
		write_own_back(&conditions, &own, w);
	}
	kg_jw_end_object(w);
	return true;
}

/* Writes an array without the labels that the compact tool added. */
static void
write_without_labels(const Compact *c, const char *sent,
					 const JsonbContainer *array, KgJsonWriter *w)
{
	JsonbValue value;
	int n = kg_json_get(c->call.input.object, sent, &value) != NULL
				? kg_json_length(kg_json_container(&value))
				: 0;

	kg_jw_begin_array(w);
	kg_json_each(it, array)
	{
		if (it.index >= n)
			break;
		if (!kg_json_is_object(&it.value))
		{
			kg_jw_value(w, &it.value);
			continue;
		}
		kg_jw_begin_object(w);
		kg_json_each(member, kg_json_container(&it.value))
			if (!kg_json_string_is(&member.key, "named"))
				kg_jw_member(w, &member);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

/*
 * Writes a sent argument from which an argument of the called tool was built.
 * If the called tool's error or "next" changes the built argument, writes the
 * changed value. A changed selection ("from" or "to") is written as it is,
 * because it has the same form in both tools. Returns false if the changed
 * value cannot be written as the sent argument.
 */
static bool
write_made(const Compact *c, int i, const JsonbContainer *arguments,
		   KgJsonWriter *w)
{
	const char *sent = c->made[i].sent;
	const char *behind = c->made[i].behind;
	JsonbValue value;
	char *handle;

	if (behind == NULL ||
		(kg_json_get(arguments, behind, &value) != NULL &&
		 kg_json_same(kg_json_datum(&value), c->made[i].value)))
	{
		if (kg_json_get(c->call.input.object, sent, &value) == NULL)
			return true;
		kg_jw_key(w, sent);
		kg_jw_value(w, &value);
		return true;
	}
	if (kg_json_get(arguments, behind, &value) == NULL)
		return false;
	if (c->made[i].labels && kg_json_is_array(&value))
	{
		kg_jw_key(w, sent);
		write_without_labels(c, sent, kg_json_container(&value), w);
		return true;
	}
	if (!kg_json_is_object(&value))
		return false;
	if (strcmp(sent, "handle") == 0)
	{
		handle = handle_of(kg_json_container(&value));
		kg_jw_kstring_if(w, sent, handle);
		return handle != NULL;
	}
	if (strcmp(sent, "from") != 0 && strcmp(sent, "to") != 0)
		return false;
	kg_jw_key(w, sent);
	kg_jw_value(w, &value);
	return true;
}

/*
 * Translates the arguments in an error or "next" of the called tool. The result
 * is the arguments that the caller sent, with the changes that the called tool
 * made. Returns NULL if that is impossible.
 */
static Jsonb *
sent_arguments(const Compact *c, const JsonbContainer *arguments)
{
	KgJsonWriter writer;
	KgJsonWriter *w = &writer;
	int64 bytes;

	kg_jw_init_object(w);
	for (int i = 0; i < c->nmade; i++)
		if (strcmp(c->made[i].sent, "ids") == 0)
		{
			if (!write_ids_back(c, arguments, w))
				return NULL;
		}
		else if (strcmp(c->made[i].sent, "filters") != 0 &&
				 !write_made(c, i, arguments, w))
			return NULL;
	kg_json_each(it, arguments)
	{
		const Rename *r = c->names;

		if (is_made(c, &it.key))
			continue;
		if (c->room > 0 && kg_json_string_is(&it.key, "max_bytes") &&
			kg_json_int64(&it.value, &bytes))
		{
			write_next_bytes(c, bytes, w);
			continue;
		}
		while (r->sent != NULL &&
			   (r->cut || !kg_json_string_is(&it.key, r->behind + 1)))
			r++;
		if (r->sent != NULL)
			kg_jw_key(w, r->sent + 1);
		else
			kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		kg_jw_value(w, &it.value);
	}
	return kg_jw_finish(w);
}

/*
 * Returns a corrected call of the called tool as a call of the compact tool.
 * Returns NULL if the corrected call is of another tool.
 */
static Jsonb *
sent_call(const Compact *c, const JsonbContainer *call)
{
	const KgCall *running = kg_running_call();
	JsonbValue tool;
	JsonbValue value;
	Jsonb *arguments;
	KgJsonWriter w;

	if (running == NULL || running->tool == NULL ||
		kg_json_get(call, "tool", &tool) == NULL ||
		!kg_json_string_is(&tool, running->tool) ||
		kg_json_get(call, "arguments", &value) == NULL)
		return NULL;
	arguments = sent_arguments(c, kg_json_container(&value));
	if (arguments == NULL)
		return NULL;
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "tool", c->call.tool);
	kg_jw_kjsonb(&w, "arguments", arguments);
	return kg_jw_finish(&w);
}

/*
 * For an error that has the least sufficient value of max_bytes: writes this
 * value, or the member "expected" about it, adjusted to the compact tool.
 * Returns false for other members and errors.
 */
static bool
write_least(const Compact *c, const JsonbContainer *said, const KgJsonIter *it,
			KgJsonWriter *w)
{
	JsonbValue value;
	int64 least;

	if (c->room == 0 || kg_json_get(said, KG_AT_LEAST, &value) == NULL ||
		!kg_json_int64(&value, &least))
		return false;
	least += c->longer;
	if (kg_json_string_is(&it->key, KG_AT_LEAST))
		kg_jw_int(w, least);
	else if (kg_json_string_is(&it->key, "expected"))
		kg_jw_string(w, kg_expect_at_least("max_bytes", least, 1));
	else
		return false;
	return true;
}

static void
write_said(const Compact *c, const JsonbContainer *said, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_json_each(it, said)
	{
		if (kg_json_is_object(&it.value) &&
			(kg_json_string_is(&it.key, "call") ||
			 kg_json_string_is(&it.key, "example")))
		{
			const JsonbContainer *object = kg_json_container(&it.value);
			Jsonb *sent = kg_json_string_is(&it.key, "call")
							  ? sent_call(c, object)
							  : sent_arguments(c, object);

			if (sent != NULL)
			{
				kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
				kg_jw_jsonb(w, sent);
			}
			continue;
		}
		kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		if (write_least(c, said, &it, w))
			continue;
		if (kg_json_string_is(&it.key, "path") && it.value.type == jbvString)
			kg_jw_string(w, sent_path(c, kg_json_cstring(&it.value)));
		else if (kg_json_string_is(&it.key, "message") &&
				 it.value.type == jbvString)
			kg_jw_string(w, sent_text(c, said, kg_json_cstring(&it.value)));
		else if (kg_json_string_is(&it.key, "errors") &&
				 kg_json_is_array(&it.value))
			write_all_said(c, kg_json_container(&it.value), w);
		else
			kg_jw_value(w, &it.value);
	}
	kg_jw_end_object(w);
}

static Jsonb *
said_reply(const Compact *c)
{
	bool told = false;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, &c->reply->root)
	{
		kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		/*
		 * Writes the repairs of the compact tool before the repairs of the
		 * called tool.
		 */
		if (kg_json_string_is(&it.key, "repaired") &&
			kg_json_is_array(&it.value))
		{
			kg_jw_begin_array(&w);
			kg_repairs_write_items(&c->call.repairs, &w);
			write_items_said(c, kg_json_container(&it.value), &w);
			kg_jw_end_array(&w);
			told = true;
		}
		else if (kg_json_string_is(&it.key, "next") &&
				 kg_json_is_object(&it.value))
			kg_jw_jsonb(&w, sent_arguments(c, kg_json_container(&it.value)));
		else if (kg_json_string_is(&it.key, "hints") &&
				 kg_json_is_array(&it.value))
			write_all_said(c, kg_json_container(&it.value), &w);
		else
			kg_jw_value(&w, &it.value);
	}
	if (!told)
		kg_repairs_write(&c->call.repairs, &w);
	return kg_jw_finish(&w);
}

/* ---- the call ---- */

static void
call_behind(void *arg)
{
	Compact *c = arg;

	if (c->listed != NULL)
		c->reply = kg_find_in_list(c->call.catalog, c->listed, c->arguments);
	else
		c->reply = c->behind(c->arguments);
}

static void
amend_error(ErrorData *edata, void *arg)
{
	const Compact *c = arg;
	Jsonb *detail;
	KgJsonWriter w;

	if (!kg_error_is_ours(edata))
		return;
	detail = kg_json_parse(edata->detail);
	edata->message = sent_text(c, &detail->root, edata->message);
	kg_jw_init(&w);
	write_said(c, &detail->root, &w);
	detail = kg_jw_finish(&w);
	edata->detail = JsonbToCString(NULL, &detail->root, VARSIZE(detail));
}

/*
 * Reduces max_bytes for the called tool by the bytes by which the translated
 * "next" is longer, but not below the tool's minimum. finish() checks the size
 * of the whole reply.
 */
static void
leave_room(Compact *c)
{
	c->longer = kg_json_text_size(c->call.input.object) -
				kg_json_text_size(&c->arguments->root);
	if (c->longer <= 0)
		return;
	c->room = Max(c->call.max_bytes - c->longer,
				  kg_input_minimum(&c->call.input, "max_bytes"));
	make_arguments(c);
}

/* Raises an error if the translated reply is too long. */
static void
check_size(const Compact *c, const Jsonb *reply)
{
	int64 size = kg_json_text_size(&reply->root);

	if (size > c->call.max_bytes)
		kg_throw_too_small(&c->call.input, c->call.max_bytes, size + c->longer);
}

static Jsonb *
finish(Compact *c, Jsonb *(*behind)(const Jsonb *arguments))
{
	Jsonb *said;

	c->behind = behind;
	make_arguments(c);
	leave_room(c);
	/* The called tool runs as a tool of its own and validates the arguments. */
	kg_graph_end(c->call.graph);
	kg_running_begin_tool();
	kg_repair_begin(c->call.tool, c->arguments);
	kg_catch_amend(call_behind, amend_error, c);
	said = said_reply(c);
	if (c->room > 0)
		check_size(c, said);
	return said;
}

/*
 * Raises KG_INVALID_INPUT if the call has one of the arguments "keys". The
 * message says with which arguments they cannot be used.
 */
static void
refuse_beside(Compact *c, const char *const *keys, int n, const char *beside,
			  const char *expected)
{
	for (int i = 0; i < n; i++)
	{
		if (!kg_input_has(&c->call.input, keys[i]))
			continue;
		KG_THROW(KG_INVALID_INPUT,
				 .message = psprintf(
					 "argument \"%s\" cannot be used with %s", keys[i], beside),
				 .path = kg_input_path(&c->call.input, keys[i]),
				 .expected = expected);
	}
}

/* ---- find ---- */

/*
 * Raises KG_INVALID_INPUT if no condition for "ids" can be added to the
 * caller's own conditions on the id. This is so if they are an empty array, or
 * have the maximum number.
 */
static void
check_own(const JsonbValue *own)
{
	int n;

	if (!kg_json_is_array(own))
		return;
	n = kg_json_length(kg_json_container(own));
	if (n > 0 && n < KG_MAX_CONDITION_OBJECTS)
		return;
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf(
			"with \"ids\", argument /filters/id must be an array of 1 to %d "
			"objects of the form {operator: value}",
			KG_MAX_CONDITION_OBJECTS - 1),
		.path = "/filters/id",
		.got = own,
		.expected = psprintf(
			"an array of 1 to %d objects of the form {operator: value}",
			KG_MAX_CONDITION_OBJECTS - 1));
}

static void
write_own(KgJsonWriter *w, const JsonbValue *own)
{
	if (kg_json_is_object(own))
		kg_jw_value(w, own);
	else if (kg_json_is_array(own))
	{
		kg_json_each(it, kg_json_container(own))
			kg_jw_value(w, &it.value);
	}
	else
	{
		kg_jw_begin_object(w);
		kg_jw_key(w, "eq");
		kg_jw_value(w, own);
		kg_jw_end_object(w);
	}
}

/*
 * Returns the filters with "ids" added as the last condition on the id: {...,
 * "id": [own..., {"in": ids}]}.
 */
static Jsonb *
with_ids(const JsonbContainer *filters, const JsonbValue *own,
		 const JsonbValue *ids)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	if (filters != NULL)
	{
		kg_json_each(it, filters)
		{
			if (kg_json_string_is(&it.key, "id"))
				continue;
			kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
			kg_jw_value(&w, &it.value);
		}
	}
	kg_jw_kbegin_array(&w, "id");
	if (own != NULL)
		write_own(&w, own);
	kg_jw_begin_object(&w);
	kg_jw_key(&w, "in");
	kg_jw_value(&w, ids);
	kg_jw_end_object(&w);
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

/*
 * Returns the pointers, in the arguments of the called tool, of "ids" and of
 * the filters' own conditions on the id.
 */
static const Rename *
names_of_ids(const JsonbValue *own)
{
	static const Rename alone[] = {
		{"/query", "/search"}, {"/ids", "/filters/id", true}, {NULL}};
	static const Rename beside_value[] = {{"/query", "/search"},
										  {"/filters/id", "/filters/id/0"},
										  {"/filters/id", "/filters/id/0/eq"},
										  {"/ids", "/filters/id/1", true},
										  {NULL}};
	static const Rename beside_operators[] = {{"/query", "/search"},
											  {"/filters/id", "/filters/id/0"},
											  {"/ids", "/filters/id/1", true},
											  {NULL}};
	Rename *names;

	if (own == NULL)
		return alone;
	if (kg_json_is_object(own))
		return beside_operators;
	if (!kg_json_is_array(own))
		return beside_value;
	names = palloc0(sizeof(Rename) * 3);
	names[0] = alone[0];
	names[1] = alone[1];
	names[1].behind = kg_path_index("/filters/id",
									kg_json_length(kg_json_container(own)));
	return names;
}

static void
make_ids(Compact *c, const JsonbValue *ids)
{
	const JsonbContainer *filters = kg_filter_object(
		c->call.input.object, "filters", "");
	const JsonbValue *own = NULL;
	JsonbValue value;

	(void) kg_args_as_array(ids, "/ids", NULL);
	if (filters != NULL && kg_json_get(filters, "id", &value) != NULL)
	{
		check_own(&value);
		own = &value;
	}
	c->names = names_of_ids(own);
	make(c, "ids", NULL, NULL);
	make(c, "filters", "filters", with_ids(filters, own, ids));
}

/* ---- labels of references ---- */

static void
make_labels(Compact *c, const char *key, const Jsonb *value)
{
	make(c, key, key, value);
	c->made[c->nmade - 1].labels = true;
}

/*
 * If a property refers to an entity, returns the path to the label of that
 * entity. Returns NULL for other names, for an entity without such a label, and
 * in a call with as_of.
 */
static const char *
label_path(const Compact *c, const KgType *type, const JsonbValue *name)
{
	const KgField *field;

	if (name->type != jbvString || kg_input_has(&c->call.input, "as_of"))
		return NULL;
	field = kg_type_field(type, kg_json_cstring(name));
	return field != NULL ? kg_ref_label(c->call.catalog, type, field) : NULL;
}

static bool
has_string(const JsonbContainer *array, const char *text)
{
	kg_json_each(it, array)
		if (kg_json_string_is(&it.value, text))
			return true;
	return false;
}

/*
 * Adds labels to "fields": those of the entities to which the references in
 * "fields" refer. So the caller needs no second call for the labels.
 */
static void
make_fields(Compact *c, const KgType *type)
{
	const JsonbContainer *array;
	JsonbValue value;
	KgJsonWriter w;
	int n = 0;

	if (!kg_input_value(&c->call.input, "fields", &value) ||
		!kg_json_is_array(&value))
		return;
	array = kg_json_container(&value);
	kg_jw_init_array(&w);
	kg_json_each(it, array)
		kg_jw_value(&w, &it.value);
	kg_json_each(it, array)
	{
		const char *path = label_path(c, type, &it.value);

		if (path == NULL || has_string(array, path))
			continue;
		kg_jw_string(&w, path);
		n++;
	}
	if (n > 0 && kg_json_length(array) + n <= KG_MAX_FIELDS)
		make_labels(c, "fields", kg_jw_finish(&w));
}

/*
 * Adds "named" to groups by a property. This requests the labels of the
 * entities that the groups refer to.
 */
static void
make_groups(Compact *c)
{
	const KgInput *in = &c->call.input;
	JsonbValue property;
	JsonbValue value;
	KgJsonWriter w;

	if (!kg_input_value(in, "group_by", &value) || !kg_json_is_array(&value))
		return;
	kg_jw_init_array(&w);
	kg_json_each(it, kg_json_container(&value))
	{
		const JsonbContainer *group = kg_json_container(&it.value);

		if (!kg_json_is_object(&it.value) || kg_json_length(group) != 1 ||
			kg_json_get(group, "property", &property) == NULL)
		{
			kg_jw_value(&w, &it.value);
			continue;
		}
		kg_jw_begin_object(&w);
		kg_jw_members(&w, group);
		kg_jw_kbool(&w, "named", true);
		kg_jw_end_object(&w);
	}
	make_labels(c, "group_by", kg_jw_finish(&w));
}

/*
 * Returns whether the call has an argument that is valid only for a list of
 * entities of one type. Otherwise the call is a search for a name.
 */
static bool
asks_for_list(const KgInput *in)
{
	static const char *const of_lists[] = {"ids",
										   "filters",
										   "related",
										   "not_related",
										   "sort",
										   "fields",
										   "cursor",
										   "offset",
										   "citations",
										   "as_of"};

	for (int i = 0; i < lengthof(of_lists); i++)
		if (kg_input_has(in, of_lists[i]))
			return true;
	return false;
}

static Jsonb *
string_array(const char *string)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	kg_jw_string(&w, string);
	return kg_jw_finish(&w);
}

static Jsonb *
find_by_name(Compact *c, const KgType *type)
{
	static const Rename names[] = {{"/type", "/node_types", true}, {NULL}};

	c->names = names;
	if (type != NULL)
		make(c, "type", "node_types", string_array(kg_type_handle(type)));
	return finish(c, kg_find_by_name);
}

static const KgType *
read_type(Compact *c)
{
	char *name = kg_input_string(&c->call.input, "type");

	return name ? kg_catalog_require_type(c->call.catalog, name, "/type")
				: NULL;
}

Jsonb *
kg_tool_find(const Jsonb *arguments)
{
	static const Rename names[] = {{"/query", "/search"}, {NULL}};
	static const char *const of_search[] = {"vector"};
	Compact *c = begin("find", arguments);
	const KgInput *in = &c->call.input;
	const KgType *type = read_type(c);
	JsonbValue ids;

	if ((kg_input_has(in, "query") || kg_input_has(in, "vector")) &&
		!asks_for_list(in))
		return find_by_name(c, type);
	if (type == NULL)
		kg_input_require(in, "type");
	if (kg_input_has(in, "mode"))
		kg_input_require(in, "query");
	refuse_beside(
		c,
		of_search,
		lengthof(of_search),
		"arguments of a list, such as \"filters\"",
		"\"vector\" with no other arguments than query, mode, type and limit");
	c->names = names;
	c->listed = type;
	make(c, "type", NULL, NULL);
	if (kg_input_value(in, "ids", &ids))
		make_ids(c, &ids);
	make_fields(c, type);
	return finish(c, NULL);
}

/* ---- get, schema, verify ---- */

Jsonb *
kg_tool_get_any(const Jsonb *arguments)
{
	static const Rename names[] = {
		{"/handles", "/ids"}, {"/fields", "/columns"}, {NULL}};
	Compact *c = begin("get", arguments);

	kg_input_require(&c->call.input, "handles");
	c->names = names;
	return finish(c, kg_tool_describe_entities);
}

Jsonb *
kg_tool_verify(const Jsonb *arguments)
{
	Compact *c = begin("verify", arguments);

	kg_input_require(&c->call.input, "claims");
	return finish(c, kg_tool_verify_claims);
}

/* ---- selections of nodes ---- */

/* Returns the type that a handle names, or NULL. The entity need not exist. */
static const KgType *
type_of_handle(const Compact *c, const KgHandles *handles, int i)
{
	const KgCatalog *catalog = c->call.catalog;

	if (handles->refs[i].id != NULL)
		return kg_graph_type(c->call.graph, handles->refs[i].rank - 1);
	for (int t = 0; t < catalog->ntypes; t++)
		if (kg_id_of_row(&catalog->types[t], handles->given[i]) != NULL)
			return kg_type_of(&catalog->types[t]);
	return NULL;
}

static const char *
id_of_handle(const KgType *type, const KgHandles *handles, int i)
{
	const KgRef *ref = &handles->refs[i];
	const char *id = kg_id_of_type(type, handles->given[i]);

	if (ref->id != NULL)
		return pnstrdup(ref->id, ref->idlen);
	return id ? id : handles->given[i];
}

/*
 * Returns the type that all handles have. Ignores handles that name neither a
 * type nor an existing entity. Raises an error if the handles are of several
 * types or of none.
 */
static const KgType *
type_of_handles(Compact *c, const KgHandles *handles, const char *path)
{
	const KgType *type = NULL;

	for (int i = 0; i < handles->n; i++)
	{
		const KgType *own = type_of_handle(c, handles, i);

		if (type != NULL && own != NULL && own != type)
			KG_THROW(
				KG_INVALID_INPUT,
				.message = "the handles are of several types",
				.path = path,
				.expected = "handles of one type, or one call for each type");
		if (own != NULL)
			type = own;
	}
	if (type == NULL)
		kg_throw_all_unknown(&c->call, path, handles);
	return type;
}

/*
 * Returns the selection of the entities that the handles name: {"label": type,
 * "ids": [...]}.
 */
static Jsonb *
selection_of(Compact *c, const KgHandles *handles, const char *path)
{
	const KgType *type = type_of_handles(c, handles, path);
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "label", kg_type_handle(type));
	kg_jw_kbegin_array(&w, "ids");
	for (int i = 0; i < handles->n; i++)
		kg_jw_string(&w, id_of_handle(type, handles, i));
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

static void
find_one_handle(Compact *c, const char *key, const JsonbValue *value,
				KgHandles *handles)
{
	const char *path = kg_input_path(&c->call.input, key);

	memset(handles, 0, sizeof(*handles));
	handles->n = 1;
	handles->given = palloc(sizeof(char *));
	handles->given[0] = kg_call_handle(&c->call.repairs, value, path);
	kg_find_handles(&c->call, path, handles);
}

/*
 * Raises an error if the value is an object with only handles, such as {"id":
 * handle} or {"handles": [...]}. Handles must be sent without an object.
 */
static void
refuse_ids_alone(const Compact *c, const char *key, const JsonbValue *value)
{
	KgJsonIter it;
	KgError *err;

	if (kg_json_length(kg_json_container(value)) != 1)
		return;
	kg_json_iter_init(&it, kg_json_container(value));
	(void) kg_json_iter_next(&it);
	if (!kg_json_string_is(&it.key, "id") &&
		!kg_json_string_is(&it.key, "ids") &&
		!kg_json_string_is(&it.key, "handle") &&
		!kg_json_string_is(&it.key, "handles"))
		return;
	err = kg_args_error(
		kg_input_path(&c->call.input, key),
		value,
		"a handle (type:id), an array of handles, or an object with a label");
	kg_error_instead(err, NULL, kg_json_datum(&it.value));
	kg_error_throw(err);
}

/*
 * Replaces the handles in an argument by a selection of the entities that they
 * name.
 */
static void
make_selection(Compact *c, const char *key)
{
	JsonbValue value;
	KgHandles handles;

	if (!kg_input_value(&c->call.input, key, &value))
		return;
	if (kg_json_is_object(&value))
	{
		refuse_ids_alone(c, key, &value);
		return;
	}
	if (kg_json_is_array(&value))
	{
		kg_call_handles(&c->call, key, &handles);
		kg_require_handles(&c->call, key, "handles", &handles);
	}
	else
		find_one_handle(c, key, &value, &handles);
	make(c,
		 key,
		 key,
		 selection_of(c, &handles, kg_input_path(&c->call.input, key)));
}

/*
 * Returns the property in the name of a column such as "to.name" or
 * "from.name" (tools/reply/joined_rows.h: rows that have the properties of
 * both ends). Returns NULL for other names. Also returns NULL if a type has a
 * property "to" or "from", because the name may then be a path.
 */
static const char *
property_of_column(const Compact *c, const char *name)
{
	static const char *const ends[] = {"to", "from"};
	const KgCatalog *catalog = c->call.catalog;

	for (int i = 0; i < lengthof(ends); i++)
	{
		size_t len = strlen(ends[i]);

		if (strncmp(name, ends[i], len) != 0 || name[len] != '.')
			continue;
		for (int t = 0; t < catalog->ntypes; t++)
			if (kg_type_field(kg_type_of(&catalog->types[t]), ends[i]) != NULL)
				return NULL;
		return name + len + 1;
	}
	return NULL;
}

/*
 * Replaces the names of columns, such as "to.name", by the names of their
 * properties.
 */
static void
make_columns(Compact *c)
{
	JsonbValue value;
	KgJsonWriter w;
	bool found = false;

	if (!kg_input_value(&c->call.input, "fields", &value) ||
		!kg_json_is_array(&value))
		return;
	kg_jw_init_array(&w);
	kg_json_each(it, kg_json_container(&value))
	{
		const char *property = it.value.type == jbvString
								   ? property_of_column(
										 c, kg_json_cstring(&it.value))
								   : NULL;
		JsonbValue used;

		if (property == NULL)
		{
			kg_jw_value(&w, &it.value);
			continue;
		}
		used = kg_json_string_value(property);
		kg_repair_add(&c->call.repairs,
					  kg_path_index("/fields", it.index),
					  &it.value,
					  &used);
		kg_jw_string(&w, property);
		found = true;
	}
	if (found)
		make(c, "fields", "columns", kg_jw_finish(&w));
}

Jsonb *
kg_tool_follow(const Jsonb *arguments)
{
	static const Rename names[] = {{"/steps", "/relationships"},
								   {"/fields", "/columns"},
								   {"/from", "/from", true},
								   {NULL}};
	Compact *c = begin("follow", arguments);

	kg_input_require(&c->call.input, "from");
	kg_input_require(&c->call.input, "steps");
	make_selection(c, "from");
	make_columns(c);
	c->names = names;
	return finish(c, kg_tool_traverse_relationships);
}

Jsonb *
kg_tool_count(const Jsonb *arguments)
{
	static const Rename names[] = {{"/steps", "/relationships"},
								   {"/related", "/node/related"},
								   {"/not_related", "/node/not_related"},
								   {NULL}};
	static const char *const chains[] = {"related", "not_related"};
	Compact *c = begin("count", arguments);
	const KgInput *in = &c->call.input;
	JsonbValue node;
	JsonbValue value;
	KgJsonWriter w;

	kg_input_require(in, "node");
	c->names = names;
	(void) kg_input_value(in, "node", &node);
	if (!kg_json_is_object(&node))
	{
		/*
		 * The node is not an object, so no chain can be added to it. The called
		 * tool will refuse the node.
		 */
		for (int i = 0; i < lengthof(chains); i++)
			make(c, chains[i], NULL, NULL);
	}
	else
	{
		kg_jw_init_object(&w);
		kg_jw_members(&w, kg_json_container(&node));
		for (int i = 0; i < lengthof(chains); i++)
			if (kg_input_value(in, chains[i], &value))
			{
				kg_jw_key(&w, chains[i]);
				kg_jw_value(&w, &value);
				make(c, chains[i], NULL, NULL);
			}
		kg_jw_end_object(&w);
		if (c->nmade > 0)
			make(c, "node", "node", kg_jw_finish(&w));
	}
	if (!kg_input_has(in, "aggregations"))
		make(c,
			 "aggregations",
			 "aggregations",
			 kg_json_parse("[{\"fn\": \"count\"}]"));
	make_groups(c);
	return finish(c, kg_tool_aggregate_nodes);
}

/* ---- around, connect ---- */

Jsonb *
kg_tool_around(const Jsonb *arguments)
{
	static const Rename names[] = {{"/handle", "/start_node", true},
								   {"/relations", "/relationship_types"},
								   {"/types", "/node_labels"},
								   {"/fields", "/columns"},
								   {NULL}};
	Compact *c = begin("around", arguments);
	const KgType *type;
	JsonbValue value;
	KgHandles handles;
	KgJsonWriter w;

	kg_input_require(&c->call.input, "handle");
	c->names = names;
	(void) kg_input_value(&c->call.input, "handle", &value);
	find_one_handle(c, "handle", &value, &handles);
	type = type_of_handles(c, &handles, "/handle");
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "label", kg_type_handle(type));
	kg_jw_kstring(&w, "node_id", id_of_handle(type, &handles, 0));
	make(c, "handle", "start_node", kg_jw_finish(&w));
	return finish(c, kg_tool_explore_neighbors);
}

/* Finds the nodes that are within a number of hops of each of several nodes. */
static Jsonb *
connect_all(Compact *c)
{
	static const Rename names[] = {{"/from", "/seeds"},
								   {"/within", "/k"},
								   {"/relations", "/walk_predicates"},
								   {"/fields", "/columns"},
								   {NULL}};
	static const char *const of_paths[] = {"to",
										   "max_hops",
										   "mode",
										   "weight",
										   "between",
										   "edge_filters",
										   "limit",
										   "as_of"};

	refuse_beside(c,
				  of_paths,
				  lengthof(of_paths),
				  "\"within\"",
				  "\"from\" with \"within\", for the nodes that several "
				  "entities share; or \"from\" and \"to\", for paths");
	c->names = names;
	return finish(c, kg_tool_intersect_subgraphs);
}

Jsonb *
kg_tool_connect(const Jsonb *arguments)
{
	static const Rename names[] = {{"/relations", "/relationship_types"},
								   {"/types", "/node_labels"},
								   {"/fields", "/columns"},
								   {"/from", "/from", true},
								   {"/to", "/to", true},
								   {NULL}};
	Compact *c = begin("connect", arguments);

	kg_input_require(&c->call.input, "from");
	if (kg_input_has(&c->call.input, "within"))
		return connect_all(c);
	kg_input_require(&c->call.input, "to");
	make_selection(c, "from");
	make_selection(c, "to");
	c->names = names;
	/*
	 * A path lists only the handles of its nodes. So without "fields", the
	 * nodes show only their labels.
	 */
	return finish(c,
				  kg_input_has(&c->call.input, "fields")
					  ? kg_tool_find_paths
					  : kg_find_labelled_paths);
}
