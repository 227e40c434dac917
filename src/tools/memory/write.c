/*
 * memory/write.c
 *	  The tools of the toolset memory that write.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/listen.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "model/writer.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "query/argument/arguments.h"
#include "query/memory.h"
#include "store/check/check.h"
#include "store/edge/edge_key.h"
#include "store/memory.h"
#include "query/run/running.h"
#include "tools/write/confirm.h"
#include "tools/fixed_tools.h"
#include "tools/memory/memory.h"
#include "tools/write/write_tool.h"
#include "utils/hsearch.h"

typedef struct Writing
{
	KgMemory memory;
	KgRepairs repairs;
	KgInput input;
	int n;
	KgMemoryEntity *entities;
	KgMemoryRelation *relations;
	const char **names;
	KgConfirm confirm;
	KgWriter writer; /* name of the writer that the history records */
	/* number of items that the call deleted because they existed */
	int deleted;
	void (*work)(struct Writing *writing);
} Writing;

/* ---- arguments ---- */

static const char *
text_of(const JsonbValue *value, const char *path)
{
	if (value->type != jbvString)
		kg_error_throw(kg_args_error(path, value, "a string"));
	return kg_json_cstring(value);
}

static const char *
text_argument(const KgInput *in, const char *key)
{
	JsonbValue value;

	kg_input_require(in, key);
	(void) kg_input_value(in, key, &value);
	return text_of(&value, kg_input_path(in, key));
}

const char **
kg_memory_strings(const KgInput *in, const char *key, int *n)
{
	const JsonbContainer *array;
	const char **strings;

	kg_input_require(in, key);
	array = kg_input_array(in, key, "strings");
	strings = palloc(Max(1, kg_json_length(array)) * sizeof(char *));
	*n = 0;
	kg_json_each(it, array)
		strings[(*n)++] = text_of(
			&it.value, psprintf("%s/%d", kg_input_path(in, key), it.index));
	return strings;
}

/*
 * Returns the type of an entity or relation. Raises KG_INVALID_INPUT if it is
 * too long.
 */
static const char *
type_argument(const KgInput *in, const char *key)
{
	const char *type = text_argument(in, key);
	JsonbValue value;

	if (strlen(type) <= KG_MAX_EDGE_KEY)
		return type;
	value = kg_json_string_value(type);
	kg_error_throw(
		kg_args_error(kg_input_path(in, key),
					  &value,
					  psprintf("a type of at most %d bytes", KG_MAX_EDGE_KEY)));
}

/*
 * Returns the name of an entity to create. Raises KG_INVALID_INPUT if it cannot
 * be an id.
 */
static const char *
new_name(const KgInput *in, const char *key)
{
	const char *name = text_argument(in, key);
	JsonbValue value;

	if (name[0] != '\0' && strlen(name) <= KG_MAX_ID_BYTES &&
		!kg_has_control(name, strlen(name)))
		return name;
	value = kg_json_string_value(name);
	kg_error_throw(
		kg_args_error(kg_input_path(in, key),
					  &value,
					  psprintf("a name of 1 to %d bytes without control "
							   "characters",
							   KG_MAX_ID_BYTES)));
}

static uint32
hash_text(const void *key, Size size)
{
	const char *text = *(const char *const *) key;

	return hash_bytes((const unsigned char *) text, strlen(text));
}

static int
compare_texts(const void *a, const void *b, Size size)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/*
 * Removes duplicate strings without changing the order. Returns the number of
 * remaining strings.
 */
static int
distinct(const char **strings, int n)
{
	HASHCTL ctl;
	HTAB *seen;
	int kept = 0;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(char *);
	ctl.entrysize = sizeof(char *);
	ctl.hash = hash_text;
	ctl.match = compare_texts;
	ctl.hcxt = CurrentMemoryContext;
	seen = hash_create("kg_graph memory",
					   Max(16, n),
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
	for (int i = 0; i < n; i++)
	{
		bool found;

		hash_search(seen, &strings[i], HASH_ENTER, &found);
		if (!found)
			strings[kept++] = strings[i];
	}
	hash_destroy(seen);
	return kept;
}

/*
 * Reads an entity, or observations of an entity. "name" and "observations" are
 * the keys of the two members.
 */
static void
read_entity(const KgInput *in, const char *name, const char *observations,
			KgMemoryEntity *entity)
{
	memset(entity, 0, sizeof(*entity));
	entity->name = text_argument(in, name);
	entity->observations = kg_memory_strings(in, observations, &entity->n);
	entity->n = distinct(entity->observations, entity->n);
}

static int
begin_items(Writing *writing, const char *key)
{
	kg_input_require(&writing->input, key);
	return kg_input_objects(&writing->input, key, "objects");
}

static void
read_entities(Writing *writing, const char *key, const char *name,
			  const char *observations)
{
	int n = begin_items(writing, key);

	writing->entities = palloc(Max(1, n) * sizeof(KgMemoryEntity));
	for (int i = 0; i < n; i++)
	{
		KgInput item;

		CHECK_FOR_INTERRUPTS();
		kg_input_item(&writing->input, key, i, &item);
		read_entity(&item, name, observations, &writing->entities[i]);
	}
	writing->n = n;
}

static int
compare_relations(const KgMemoryRelation *x, const KgMemoryRelation *y)
{
	int order = strcmp(x->from, y->from);

	if (order == 0)
		order = strcmp(x->type, y->type);
	return order != 0 ? order : strcmp(x->to, y->to);
}

static int
compare_places(const void *a, const void *b)
{
	const KgMemoryRelation *x = *(const KgMemoryRelation *const *) a;
	const KgMemoryRelation *y = *(const KgMemoryRelation *const *) b;
	int order = compare_relations(x, y);

	return order != 0 ? order : x < y ? -1 : x > y;
}

/* Removes duplicate relations without changing the order. */
static void
distinct_relations(Writing *writing)
{
	KgMemoryRelation *relations = writing->relations;
	KgMemoryRelation **sorted = palloc(Max(1, writing->n) *
									   sizeof(KgMemoryRelation *));
	bool *again = palloc0(Max(1, writing->n) * sizeof(bool));
	int kept = 0;

	for (int i = 0; i < writing->n; i++)
		sorted[i] = &relations[i];
	qsort(sorted, writing->n, sizeof(KgMemoryRelation *), compare_places);
	for (int i = 1; i < writing->n; i++)
		again[sorted[i] - relations] = compare_relations(sorted[i - 1],
														 sorted[i]) == 0;
	for (int i = 0; i < writing->n; i++)
		if (!again[i])
			relations[kept++] = relations[i];
	writing->n = kept;
}

static void
read_relations(Writing *writing, bool creating)
{
	int n = begin_items(writing, "relations");

	writing->relations = palloc(Max(1, n) * sizeof(KgMemoryRelation));
	for (int i = 0; i < n; i++)
	{
		KgMemoryRelation *relation = &writing->relations[i];
		KgInput item;

		CHECK_FOR_INTERRUPTS();
		kg_input_item(&writing->input, "relations", i, &item);
		relation->from = creating ? new_name(&item, "from")
								  : text_argument(&item, "from");
		relation->to = creating ? new_name(&item, "to")
								: text_argument(&item, "to");
		relation->type = type_argument(&item, "relationType");
	}
	writing->n = n;
	distinct_relations(writing);
}

/* ---- calls ---- */

static Writing *
begin(const char *tool, const Jsonb *arguments)
{
	const KgFixedTool *fixed = kg_fixed_tool_find(tool);
	Writing *writing = palloc0(sizeof(Writing));

	kg_write_require();
	writing->writer.tool = tool;
	arguments = kg_confirm_begin(
		&writing->confirm, tool, fixed->writes->destructive, arguments);
	kg_input_open(&writing->input, arguments, fixed->name, &writing->repairs);
	return writing;
}

static void
work_told(void *arg)
{
	Writing *writing = arg;

	writing->work(writing);
}

/*
 * Raises an error if a type or relation was dropped while the call waited for
 * the lock on the types, even if it was created again.
 */
static void
require_current(const KgMemory *memory)
{
	const KgCatalog *now = kg_catalog_newest(memory->catalog->tenant);

	if (kg_catalog_type_no(now, memory->entity->type_no) == NULL ||
		kg_catalog_type_no(now, memory->observation->type_no) == NULL ||
		kg_catalog_relation_no(now, memory->relates->relation_no) == NULL)
		kg_catalog_throw_changed();
}

static void
work_locked(void *arg)
{
	Writing *writing = arg;

	kg_confirm_require(&writing->confirm);
	/*
	 * The catalog may have changed before the lock was acquired, so the types
	 * are looked up again.
	 */
	if (!kg_memory_find(kg_running_catalog(), &writing->memory))
		kg_catalog_throw_changed();
	kg_memory_lock(&writing->memory);
	require_current(&writing->memory);
	kg_writer_run(&writing->writer, work_told, writing);
	kg_listen_tell(writing->memory.catalog->tenant, KG_LISTEN_MEMORY);
}

static void
work_uncontained(void *arg)
{
	kg_write_uncontained(work_locked, arg);
}

static void
perform(Writing *writing, void (*work)(Writing *writing))
{
	writing->work = work;
	kg_running_writing(work_uncontained, writing);
}

static void
begin_reply(KgJsonWriter *w, const char *key)
{
	kg_jw_init_object(w);
	kg_jw_kbegin_array(w, key);
}

static Jsonb *
end_reply(KgJsonWriter *w)
{
	kg_jw_end_array(w);
	return kg_jw_finish(w);
}

/*
 * Returns the reply of a deletion. "what" names the items, such as "Entities".
 */
static Jsonb *
done(const Writing *writing, const char *what, int asked)
{
	char *message = psprintf("%s deleted successfully", what);
	KgJsonWriter w;

	if (writing->deleted == 0 && asked > 0)
		message = psprintf("%s not deleted: none of them exists", what);
	else if (writing->deleted < asked)
		message = psprintf("%s deleted: %d of %d; the others do not exist",
						   what,
						   writing->deleted,
						   asked);
	kg_jw_init_object(&w);
	kg_jw_kbool(&w, "success", true);
	kg_jw_kstring(&w, "message", message);
	return kg_jw_finish(&w);
}

/* Removes entities whose name an earlier entity of the call has. */
static void
mark_twice(Writing *writing)
{
	const char **names = palloc(Max(1, writing->n) * sizeof(char *));
	int n = writing->n;
	int kept = 0;

	for (int i = 0; i < n; i++)
		names[i] = writing->entities[i].name;
	n = distinct(names, n);
	for (int i = 0; i < writing->n && kept < n; i++)
		if (strcmp(writing->entities[i].name, names[kept]) == 0)
			writing->entities[kept++] = writing->entities[i];
	writing->n = kept;
}

static void
create_entities(Writing *writing)
{
	kg_memory_look(&writing->memory, writing->entities, writing->n);
	kg_memory_create(&writing->memory, writing->entities, writing->n);
}

Jsonb *
kg_tool_create_entities(const Jsonb *arguments)
{
	Writing *writing = begin("create_entities", arguments);
	KgJsonWriter w;

	read_entities(writing, "entities", "name", "observations");
	for (int i = 0; i < writing->n; i++)
	{
		KgInput item;

		kg_input_item(&writing->input, "entities", i, &item);
		(void) new_name(&item, "name");
		writing->entities[i].type = type_argument(&item, "entityType");
	}
	mark_twice(writing);
	perform(writing, create_entities);
	begin_reply(&w, "entities");
	for (int i = 0; i < writing->n; i++)
	{
		const KgMemoryEntity *entity = &writing->entities[i];

		if (entity->found)
			continue;
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "name", entity->name);
		kg_jw_kstring(&w, "entityType", entity->type);
		kg_jw_kstrings(&w,
					   "observations",
					   (char *const *) entity->observations,
					   entity->n);
		kg_jw_end_object(&w);
	}
	return end_reply(&w);
}

static void
create_relations(Writing *writing)
{
	writing->n = kg_memory_relate(
		&writing->memory, writing->relations, writing->n);
}

Jsonb *
kg_tool_create_relations(const Jsonb *arguments)
{
	Writing *writing = begin("create_relations", arguments);
	KgJsonWriter w;

	read_relations(writing, true);
	perform(writing, create_relations);
	begin_reply(&w, "relations");
	for (int i = 0; i < writing->n; i++)
	{
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "from", writing->relations[i].from);
		kg_jw_kstring(&w, "to", writing->relations[i].to);
		kg_jw_kstring(&w, "relationType", writing->relations[i].type);
		kg_jw_end_object(&w);
	}
	return end_reply(&w);
}

typedef struct Observed
{
	const char *name;
	const char *content;
} Observed;

static uint32
hash_observed(const void *key, Size size)
{
	const Observed *observed = key;

	return hash_combine(hash_text(&observed->name, size),
						hash_text(&observed->content, size));
}

static int
compare_observed(const void *a, const void *b, Size size)
{
	const Observed *x = a;
	const Observed *y = b;

	return strcmp(x->name, y->name) != 0 || strcmp(x->content, y->content) != 0;
}

/*
 * Removes an observation if the call already has an equal observation of the
 * same entity.
 */
static void
drop_repeated(Writing *writing)
{
	HASHCTL ctl;
	HTAB *seen;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(Observed);
	ctl.entrysize = sizeof(Observed);
	ctl.hash = hash_observed;
	ctl.match = compare_observed;
	ctl.hcxt = CurrentMemoryContext;
	seen = hash_create("kg_graph observed",
					   256,
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
	for (int i = 0; i < writing->n; i++)
	{
		KgMemoryEntity *entity = &writing->entities[i];
		int kept = 0;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < entity->n; j++)
		{
			Observed observed = {entity->name, entity->observations[j]};
			bool found;

			hash_search(seen, &observed, HASH_ENTER, &found);
			if (!found)
				entity->observations[kept++] = entity->observations[j];
		}
		entity->n = kept;
	}
	hash_destroy(seen);
}

static void
add_observations(Writing *writing)
{
	kg_memory_look(&writing->memory, writing->entities, writing->n);
	for (int i = 0; i < writing->n; i++)
		if (!writing->entities[i].found)
			KG_THROW(KG_NOT_FOUND,
					 .message = psprintf("Entity with name %s not found",
										 writing->entities[i].name),
					 .path = psprintf("/observations/%d/entityName", i),
					 .got_string = writing->entities[i].name,
					 .did_you_mean = kg_memory_name_in_case(
						 &writing->memory, writing->entities[i].name),
					 .expected = "the name of an existing entity");
	drop_repeated(writing);
	kg_memory_observe(&writing->memory, writing->entities, writing->n);
}

Jsonb *
kg_tool_add_observations(const Jsonb *arguments)
{
	Writing *writing = begin("add_observations", arguments);
	KgJsonWriter w;

	read_entities(writing, "observations", "entityName", "contents");
	perform(writing, add_observations);
	begin_reply(&w, "results");
	for (int i = 0; i < writing->n; i++)
	{
		const KgMemoryEntity *entity = &writing->entities[i];

		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "entityName", entity->name);
		kg_jw_kstrings(&w,
					   "addedObservations",
					   (char *const *) entity->observations,
					   entity->n);
		kg_jw_end_object(&w);
	}
	return end_reply(&w);
}

static void
delete_entities(Writing *writing)
{
	writing->deleted = kg_memory_forget_entities(
		&writing->memory, writing->names, writing->n);
}

Jsonb *
kg_tool_delete_entities(const Jsonb *arguments)
{
	Writing *writing = begin("delete_entities", arguments);

	writing->names = kg_memory_strings(
		&writing->input, "entityNames", &writing->n);
	writing->n = distinct(writing->names, writing->n);
	perform(writing, delete_entities);
	return done(writing, "Entities", writing->n);
}

/*
 * Deletes observations of the entities that the caller sees. Other entities
 * are ignored.
 */
static void
delete_observations(Writing *writing)
{
	int kept = 0;

	kg_memory_look(&writing->memory, writing->entities, writing->n);
	for (int i = 0; i < writing->n; i++)
		if (writing->entities[i].found)
			writing->entities[kept++] = writing->entities[i];
	writing->n = kept;
	writing->deleted = kg_memory_forget_observations(
		&writing->memory, writing->entities, writing->n);
}

Jsonb *
kg_tool_delete_observations(const Jsonb *arguments)
{
	Writing *writing = begin("delete_observations", arguments);
	int asked = 0;

	read_entities(writing, "deletions", "entityName", "observations");
	drop_repeated(writing);
	for (int i = 0; i < writing->n; i++)
		asked += writing->entities[i].n;
	perform(writing, delete_observations);
	return done(writing, "Observations", asked);
}

static void
delete_relations(Writing *writing)
{
	writing->deleted = kg_memory_forget_relations(
		&writing->memory, writing->relations, writing->n);
}

Jsonb *
kg_tool_delete_relations(const Jsonb *arguments)
{
	Writing *writing = begin("delete_relations", arguments);

	read_relations(writing, false);
	perform(writing, delete_relations);
	return done(writing, "Relations", writing->n);
}
