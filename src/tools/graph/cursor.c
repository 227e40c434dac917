/*
 * graph/cursor.c
 *	  Cursors of the graph tools.
 *
 * A cursor has the type and id of the last node of a page, not its node
 * number. Pages are ordered by type and id, so a cursor remains valid when the
 * data changes.
 */
#include "postgres.h"

#include "query/argument/cursor.h"
#include "query/time/validity.h"
#include "tools/graph/graph.h"
#include "utils/json.h"

static StringInfo
cursor_query(KgGraphCall *call)
{
	return kg_cursor_query(call->tool, "", call->input.object);
}

const JsonbContainer *
kg_call_cursor(KgGraphCall *call, int nitems)
{
	char *cursor = kg_input_string(&call->input, "cursor");
	StringInfo payload;
	Jsonb *items;

	if (cursor == NULL)
		return NULL;
	payload = kg_cursor_open(
		call->catalog->tenant, cursor_query(call), cursor, "/cursor");
	kg_validity_take(payload);
	items = kg_json_parse(pnstrdup(payload->data, payload->len));
	/*
	 * A cursor is signed, so a wrong number of items is not the caller's
	 * fault.
	 */
	if (kg_json_length(&items->root) != nitems)
		elog(ERROR, "malformed cursor");
	return &items->root;
}

char *
kg_call_make_cursor(KgGraphCall *call, StringInfo items)
{
	kg_validity_keep(items);
	return kg_cursor_seal(
		call->catalog->tenant, cursor_query(call), items->data, items->len);
}

static JsonbValue *
cursor_item(const JsonbContainer *items, int i)
{
	JsonbValue *value = getIthJsonbValueFromContainer((JsonbContainer *) items,
													  (uint32) i);

	if (value == NULL)
		elog(ERROR, "malformed cursor");
	return value;
}

int64
kg_cursor_int(const JsonbContainer *items, int i)
{
	int64 n;

	if (!kg_json_int64(cursor_item(items, i), &n))
		elog(ERROR, "malformed cursor");
	return n;
}

KgRef
kg_cursor_ref(KgGraphCall *call, const JsonbContainer *items, int i)
{
	const KgGraph *graph = call->graph;
	char *handle = kg_json_cstring(cursor_item(items, i));
	KgRef ref;
	int rank = 0;

	memset(&ref, 0, sizeof(ref));
	ref.id = kg_json_cstring(cursor_item(items, i + 1));
	ref.idlen = strlen(ref.id);
	while (rank < graph->nranks &&
		   strcmp(kg_row_handle(graph->ranked[rank]), handle) < 0)
		rank++;
	if (rank < graph->nranks &&
		strcmp(kg_row_handle(graph->ranked[rank]), handle) == 0)
		ref.rank = (uint16) (rank + 1);
	else
	{
		/*
		 * The type no longer exists, so the next page begins after the last
		 * node of the type before it.
		 */
		ref.rank = (uint16) rank;
		ref.id = "\xff";
		ref.idlen = 1;
	}
	return ref;
}

void
kg_cursor_append_ref(KgGraphCall *call, const KgRef *ref, StringInfo items)
{
	escape_json(items, kg_row_handle(call->graph->ranked[ref->rank - 1]));
	appendStringInfoChar(items, ',');
	escape_json(items, ref->id);
}
