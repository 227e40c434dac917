/*
 * history_tool.c
 *	  The tools history_<type>, and kg_history() for edges: the changes of an
 *	  entity, or of the edges between two entities, newest first.
 */
#include "postgres.h"

#include "query/argument/cursor.h"
#include "query/run/decisions.h"
#include "query/time/edge_history.h"
#include "query/time/history.h"
#include "store/edge/edge_key.h"
#include "store/history/image.h"
#include "tools/catalog/history_tool.h"
#include "tools/reply/changes.h"
#include "tools/reply/shape.h"

typedef struct HistoryCall
{
	const KgCatalog *catalog;
	/* type of the entity; NULL: the call returns changes of edges */
	const KgType *type;
	/* the edges; NULL: the call returns changes of an entity */
	KgEdgeSought *sought;
	const char *ends[2];
	KgInput input;
	KgRepairs repairs;
	char *id;
	StringInfo bound; /* text that binds cursors to this call */
	KgChange *changes;
	int n;
} HistoryCall;

static void
write_head(const void *state, KgJsonWriter *w)
{
	const HistoryCall *call = state;

	if (call->sought)
	{
		kg_jw_kstring(w, "relation", call->sought->relation->name);
		kg_jw_kstring(w, "from", call->ends[0]);
		kg_jw_kstring(w, "to", call->ends[1]);
	}
	else
		kg_jw_kstring(w, "id", call->id);
}

static const char *
cursor_after(const void *state, const KgChange *last)
{
	const HistoryCall *call = state;
	KgHistoryPlace below = {last->time,
							call->sought ? last->change : last->version};

	return kg_cursor_seal(
		call->catalog->tenant, call->bound, (char *) &below, sizeof(below));
}

static KgHistoryPlace
read_position(const HistoryCall *call)
{
	const char *cursor = kg_input_string(&call->input, "cursor");
	KgHistoryPlace below = {0};

	if (cursor)
		memcpy(&below,
			   kg_cursor_open(
				   call->catalog->tenant, call->bound, cursor, "/cursor")
				   ->data,
			   sizeof(below));
	return below;
}

static void
require_history(const HistoryCall *call)
{
	const char *name = call->sought ? call->sought->relation->name
									: kg_type_handle(call->type);

	if (call->n > 0 ||
		(call->sought ? call->sought->relation->history : call->type->history))
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf(call->sought
									 ? "relation \"%s\" has no history"
									 : "entity type \"%s\" has no history",
								 name),
			 .path = call->sought ? "/relation" : "/entity_type",
			 .got_string = name,
			 .expected =
				 !call->sought ? "a type with \"x-history\": true"
				 : call->sought->relation->derived
					 ? "a relation derived from types with \"x-history\": true"
					 : "a relation that is declared with \"history\": true");
}

/*
 * Reads a page of changes and returns the reply. "of" identifies the entity or
 * the edges, and is part of the text that binds cursors.
 */
static Jsonb *
answer(HistoryCall *call, const char *of)
{
	KgHistoryPlace below;
	int64 limit;
	KgChangesPage page = {.input = &call->input,
						  .head = write_head,
						  .cursor = cursor_after,
						  .state = call};
	int n;

	(void) kg_input_int(&call->input, "limit", &limit);
	call->bound = kg_cursor_query("history", of, call->input.object);
	call->changes = palloc((limit + 1) * sizeof(KgChange));
	below = read_position(call);
	n = call->sought ? kg_edge_history_read(call->catalog,
											call->sought,
											below.number,
											limit + 1,
											call->changes)
					 : kg_history_read(call->catalog,
									   call->type,
									   call->id,
									   &below,
									   limit + 1,
									   call->changes);
	call->n = Min(n, limit);
	require_history(call);
	page.changes = call->changes;
	page.n = call->n;
	page.more = n > limit;
	if (call->type)
		page.marks = kg_projection_marks(call->type, NULL);
	else
		for (int i = 0; i < call->sought->relation->nfields; i++)
			kg_marks_note(&page.marks,
						  &call->sought->relation->fields[i],
						  call->sought->relation->fields[i].name);
	return kg_changes_reply(&page);
}

Jsonb *
kg_tool_history(const KgCatalog *catalog, const KgType *type,
				const Jsonb *arguments)
{
	HistoryCall call = {.catalog = catalog, .type = type};
	JsonbValue id;

	kg_decisions_require(catalog, type, NULL);
	kg_input_open(&call.input, arguments, "type_history", &call.repairs);
	kg_input_require(&call.input, "id");
	(void) kg_input_value(&call.input, "id", &id);
	call.id = kg_args_as_id(&id, "/id");
	return answer(&call, psprintf("%s/%s", type->bundle, type->name));
}

/*
 * Returns the relation with a name. If several bundles have a relation with
 * this name, the name must be "bundle/name". Raises KG_INVALID_INPUT or
 * KG_UNKNOWN_TYPE.
 */
static const KgRelation *
require_relation(const KgCatalog *catalog, const char *name)
{
	const char **names = palloc((catalog->nrelations + 1) * sizeof(char *));
	const KgRelation *found = NULL;
	int nfound = 0;
	KgError *err;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		names[i] = relation->name;
		if (strcmp(relation->name, name) != 0 &&
			strcmp(psprintf("%s/%s", relation->bundle, relation->name), name) !=
				0)
			continue;
		found = relation;
		nfound++;
	}
	if (nfound == 1)
		return found;
	err = nfound > 1 ? kg_error_new(KG_INVALID_INPUT,
									"relation \"%s\" exists in several bundles",
									name)
					 : kg_error_new(KG_UNKNOWN_TYPE,
									"relation \"%s\" does not exist",
									name);
	kg_error_path(err, "/relation");
	kg_error_got_string(err, name);
	kg_error_expected(
		err, nfound > 1 ? "bundle/relation" : "the name of a relation");
	if (nfound == 0)
		kg_error_did_you_mean(err,
							  kg_nearest(name, names, catalog->nrelations));
	kg_error_throw(err);
}

static void
read_end(HistoryCall *call, int i, const char *name)
{
	KgEdgeEnd *end = &call->sought->ends[i];
	JsonbValue value;
	int64 id;

	(void) kg_input_value(&call->input, name, &value);
	if (kg_json_int64(&value, &id))
		call->ends[i] = psprintf(INT64_FORMAT, id);
	else if (value.type == jbvString)
		call->ends[i] = kg_json_cstring(&value);
	if (call->ends[i] != NULL)
		kg_edge_end_read(
			call->catalog, call->sought->relation, call->ends[i], i == 0, end);
	if (end->type)
	{
		kg_decisions_require(call->catalog, end->type, NULL);
		return;
	}
	KG_THROW(KG_INVALID_INPUT,
			 .message = "an end of an edge is not a handle",
			 .path = psprintf("/%s", name),
			 .got = &value,
			 .expected = "the handle of an entity, type:id");
}

Jsonb *
kg_edge_history(const KgCatalog *catalog, const char *relation,
				const Jsonb *arguments)
{
	KgEdgeSought sought = {require_relation(catalog, relation)};
	HistoryCall call = {.catalog = catalog, .sought = &sought};
	JsonbValue key;

	kg_input_open(&call.input, arguments, "edge_history", &call.repairs);
	kg_input_require(&call.input, "from");
	kg_input_require(&call.input, "to");
	read_end(&call, 0, "from");
	read_end(&call, 1, "to");
	if (kg_input_value(&call.input, "key", &key) &&
		(sought.key = kg_edge_key_text(&key)) == NULL)
		kg_error_throw(kg_args_error("/key", &key, "a string or an integer"));
	return answer(&call,
				  psprintf("%s/%s edges",
						   sought.relation->bundle,
						   sought.relation->name));
}
