/*
 * graph/ndjson.c
 *	  Records as lines of JSON. A line is an edge, or an entity as
 *	  {"entity_type", "item"}. With --type, each line is the entity itself, as
 *	  kgctl load --type reads it.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/graph/graph.h"
#include "kgctl/rows.h"

#define MAX_ROW ((size_t) 256 * 1024 * 1024)

/* Prints an error of the JSON reader, "line 3, column 7: ..." or "line 3: ..." */
static void
complain_json(KgGraph *graph, const char *error)
{
	char *end;
	unsigned long line = strtoul(error + strlen("line "), &end, 10);

	(void) kg_graph_complain(
		graph, line, "not JSON: %s", end + strspn(end, ",: "));
}

static void
take_record(KgGraph *graph, KgctlRows *rows)
{
	char *error = NULL;
	KgJson *record = kg_json_parse_from(graph->arena,
										rows->text,
										rows->len,
										graph->path,
										(unsigned) rows->line,
										&error);
	const char *type = kg_json_get_text(record, "entity_type");
	KgJson *item = kgctl_json_get(record, "item");
	bool edge = kg_json_get_text(record, "relation") != NULL;

	if (record == NULL)
		complain_json(graph, error);
	else if ((type == NULL || item == NULL || item->kind != KG_JSON_OBJECT) &&
			 !edge)
		(void) kg_graph_complain(
			graph,
			rows->line,
			"neither an entity {\"entity_type\", \"item\"} nor an edge "
			"{\"relation\", \"from\", \"to\", \"properties\"}; files with the "
			"entities of one type are loaded with --type instead of --bundle");
	else if (edge)
		kg_graph_edge(graph, record);
	else if (record->len > 2)
		(void) kg_graph_complain(graph,
								 rows->line,
								 "an entity has only the members "
								 "\"entity_type\" and \"item\"");
	else
		kg_graph_entity(graph, type, item);
	free(error);
}

static bool
read_ndjson(KgGraph *graph, KgctlInput *in)
{
	KgctlRows rows;
	KgRowsResult result;

	kg_rows_start(&rows, in, KG_ROWS_JSON, ',', MAX_ROW);
	while ((result = kg_rows_next(&rows)) == KG_ROWS_ROW)
		if (rows.error != NULL)
			(void) kg_graph_complain(graph, rows.line, "%s", rows.error);
		else
			take_record(graph, &rows);
	if (result == KG_ROWS_BROKEN)
		(void) kg_graph_complain(graph, 0, "%s", rows.error);
	kg_rows_free(&rows);
	return graph->errors == 0;
}

typedef struct Writer
{
	const KgGraph *graph;
	KgBuf *out;
} Writer;

static void
write_entity(void *arg, const char *type, const char *id, const KgJson *item)
{
	Writer *w = arg;
	bool plain = w->graph->type != NULL && w->graph->relation == NULL;

	if (!plain)
	{
		kg_buf_puts(w->out, "{\"entity_type\":");
		kg_buf_json(w->out, type, strlen(type));
		kg_buf_puts(w->out, ",\"item\":");
	}
	(void) id;
	kg_json_write(w->out, item, -1);
	kg_buf_puts(w->out, plain ? "\n" : "}\n");
}

static void
write_edge(void *arg, const KgJson *edge)
{
	Writer *w = arg;

	kg_json_write(w->out, edge, -1);
	kg_buf_putc(w->out, '\n');
}

static bool
write_ndjson(const KgGraph *graph, KgBuf *out)
{
	Writer w = {graph, out};
	KgGraphVisitor visitor = {&w, write_entity, write_edge};

	kg_graph_visit(graph, &visitor);
	return true;
}

const KgGraphFormat kg_format_ndjson = {
	"ndjson", ".ndjson", read_ndjson, write_ndjson};
