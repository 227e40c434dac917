/*
 * graph/graph.c
 *	  The records (entities and edges) of a graph, and the schemas of its
 *	  bundle.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/graph/graph.h"
#include "kgctl/log.h"
#include "kgctl/schema_types.h"
#include "kgctl/utf8.h"

#define MAX_ERRORS 100

/* Returns the item of a list whose member has this text, or NULL. */
static const KgJson *
find(const KgJson *list, const char *member, const char *text)
{
	for (size_t i = 0; i < kgctl_json_length(list); i++)
		if (strcmp(kg_json_text_or(list->u.items[i], member, ""), text) == 0)
			return list->u.items[i];
	return NULL;
}

const KgJson *
kg_graph_schema(const KgGraph *graph, const char *type)
{
	const KgJson *entry = find(
		kgctl_json_get(graph->bundle, "schemas"), "entity_type", type);

	return kgctl_json_get(entry, "schema");
}

const KgJson *
kg_graph_relation(const KgGraph *graph, const char *name)
{
	return find(kgctl_json_get(graph->bundle, "relations"), "name", name);
}

const KgJson *
kg_graph_property(const KgGraph *graph, const KgJson *schema, const char *name)
{
	return kg_schema_follow(
		graph->arena,
		schema,
		kgctl_json_get(kgctl_json_get(schema, "properties"), name));
}

static int
compare_values(const void *a, const void *b)
{
	const KgJson *x = *(const KgJson *const *) a;
	const KgJson *y = *(const KgJson *const *) b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == KG_JSON_BOOL)
		return (int) x->u.boolean - (int) y->u.boolean;
	return strcmp(x->u.text, y->u.text);
}

bool
kg_graph_is_set(const KgGraph *graph, const KgJson *schema,
				const char *property, const KgJson *value)
{
	unsigned types = kg_schema_types(
		schema, kg_graph_property(graph, schema, property));
	const unsigned scalar = KG_MAY_TEXT | KG_MAY_NUMBER | KG_MAY_BOOL;
	const KgJson **sorted;
	bool differ = true;

	if (value->kind != KG_JSON_ARRAY || value->len == 0 ||
		(types & KG_MAY_ARRAY) == 0 || (types & scalar) != 0)
		return false;
	for (size_t i = 0; i < value->len; i++)
		if ((kg_schema_type_of(value->u.items[i]) & scalar) == 0)
			return false;
	sorted = kg_malloc(value->len * sizeof(*sorted));
	memcpy(sorted, value->u.items, value->len * sizeof(*sorted));
	qsort(sorted, value->len, sizeof(*sorted), compare_values);
	for (size_t i = 1; differ && i < value->len; i++)
		differ = compare_values(&sorted[i - 1], &sorted[i]) != 0;
	free(sorted);
	return differ;
}

const char *
kg_graph_target(const KgGraph *graph, const KgJson *schema,
				const char *property)
{
	const KgJson *found = kg_graph_property(graph, schema, property);
	const KgJson *items = kgctl_json_get(found, "items");

	if (kg_json_get_text(found, "x-ref") == NULL && items != NULL)
		found = kg_schema_follow(graph->arena, schema, items);
	return kg_json_get_text(found, "x-ref-field") == NULL
			   ? kg_json_get_text(found, "x-ref")
			   : NULL;
}

const char *
kg_graph_links(const KgGraph *graph, const KgJson *schema, const char *property,
			   const KgJson *value)
{
	return kg_json_is_id(value) ||
				   kg_graph_is_set(graph, schema, property, value)
			   ? kg_graph_target(graph, schema, property)
			   : NULL;
}

/* ---- reading ---- */

void
kg_graph_entity(KgGraph *graph, const char *type, KgJson *item)
{
	KgJson *set = (KgJson *) find(graph->entities, "entity_type", type);

	if (set == NULL)
	{
		KgJson *name = kg_json_string(graph->arena, type, strlen(type));

		/* An error about an unknown type names its first entity. */
		name->line = item->line;
		name->source = item->source;
		set = kg_json_object(graph->arena);
		kg_json_put(graph->arena, set, "entity_type", name);
		kg_json_put(graph->arena, set, "items", kg_json_array(graph->arena));
		kg_json_push(graph->arena, graph->entities, set);
	}
	kg_json_push(graph->arena, kgctl_json_get(set, "items"), item);
}

void
kg_graph_edge(KgGraph *graph, KgJson *edge)
{
	kg_json_push(graph->arena, graph->edges, edge);
}

bool
kg_graph_complain(KgGraph *graph, unsigned long line, const char *fmt, ...)
{
	KgBuf text;
	va_list args;

	if (++graph->errors > MAX_ERRORS)
		return false;
	kg_buf_init(&text);
	kg_buf_printf(&text, "%s:", graph->path);
	if (line > 0)
		kg_buf_printf(&text, "%lu:", line);
	kg_buf_putc(&text, ' ');
	va_start(args, fmt);
	kg_buf_vprintf(&text, fmt, args);
	va_end(args);
	kg_error("%s", text.data);
	if (graph->errors == MAX_ERRORS)
		kg_error("further errors are not shown");
	kg_buf_free(&text);
	return false;
}

const char *
kg_graph_map(const KgGraph *graph, const char *name)
{
	const char *map;

	for (size_t i = 0; (map = kg_args_nth(graph->args, "map", i)) != NULL; i++)
	{
		const char *equals = strrchr(map, '=');

		if (equals != NULL && (size_t) (equals - map) == strlen(name) &&
			strncmp(map, name, strlen(name)) == 0)
			return equals + 1;
	}
	return name;
}

bool
kg_graph_slurp(KgGraph *graph, KgctlInput *in, KgBuf *out)
{
	size_t bad;

	while (kg_input_more(in))
	{
		kg_buf_add(out, in->data + in->start, in->end - in->start);
		kg_input_take(in, in->end - in->start);
	}
	if (in->error != NULL)
		return kg_graph_complain(graph, 0, "%s", in->error);
	if (out->len >= 3 && memcmp(out->data, "\xEF\xBB\xBF", 3) == 0)
	{
		out->len -= 3;
		memmove(out->data, out->data + 3, out->len + 1);
	}
	if (out->len > 0 && !kg_utf8_valid(out->data, out->len, &bad))
		return kg_graph_complain(
			graph,
			0,
			"byte %zu is not UTF-8; convert the file: iconv -f LATIN1 -t "
			"UTF-8 FILE | kgctl load ... -",
			bad + 1);
	if (out->len > 0 && memchr(out->data, '\0', out->len) != NULL)
		return kg_graph_complain(
			graph,
			0,
			"the file contains a NUL byte, which PostgreSQL cannot store");
	kg_buf_puts(out, "");
	return true;
}

/* ---- writing ---- */

void
kg_graph_visit(const KgGraph *graph, const KgGraphVisitor *visitor)
{
	const KgJson *sets = kgctl_json_get(graph->bundle, "entities");
	const KgJson *edges = kgctl_json_get(graph->bundle, "edges");
	bool all = graph->type == NULL && graph->relation == NULL;

	for (size_t i = 0; i < kgctl_json_length(sets); i++)
	{
		const char *type = kg_json_text_or(sets->u.items[i], "entity_type", "");
		const KgJson *items = kgctl_json_get(sets->u.items[i], "items");
		const char *field = kg_json_text_or(
			kg_graph_schema(graph, type), "x-id-field", "");

		if (!all && (graph->type == NULL || strcmp(type, graph->type) != 0))
			continue;
		for (size_t k = 0;
			 visitor->entity != NULL && k < kgctl_json_length(items);
			 k++)
		{
			const KgJson *id = kgctl_json_get(items->u.items[k], field);

			visitor->entity(visitor->arg,
							type,
							kg_json_is_id(id) ? id->u.text : "",
							items->u.items[k]);
		}
	}
	for (size_t i = 0; visitor->edge != NULL && i < kgctl_json_length(edges);
		 i++)
		if (all || (graph->relation != NULL &&
					strcmp(kg_json_text_or(edges->u.items[i], "relation", ""),
						   graph->relation) == 0))
			visitor->edge(visitor->arg, edges->u.items[i]);
}
