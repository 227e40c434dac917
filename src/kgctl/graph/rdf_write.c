/*
 * graph/rdf_write.c
 *	  Writing the triples of a graph, one subject after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/graph/rdf.h"

typedef struct Writer
{
	const KgGraph *graph;
	KgTripleFn triple;
	void *arg;
	size_t statements;
} Writer;

static void
write_value(Writer *w, const KgTerm *subject, const KgJson *schema,
			const char *name, const KgJson *value)
{
	const KgJson *property = kg_graph_property(w->graph, schema, name);
	const char *predicate = kg_rdf_name(w->graph, name);
	KgTerm literal;

	if (kg_graph_is_set(w->graph, schema, name, value))
		for (size_t i = 0; i < value->len; i++)
		{
			literal = kg_rdf_literal(
				w->graph, kgctl_json_get(property, "items"), value->u.items[i]);
			w->triple(w->arg, subject, predicate, &literal);
		}
	else
	{
		literal = kg_rdf_literal(w->graph, property, value);
		w->triple(w->arg, subject, predicate, &literal);
	}
}

static void
write_reference(Writer *w, const KgTerm *subject, const char *name,
				const char *target, const KgJson *value)
{
	KgTerm object = {KG_TERM_IRI, NULL, NULL};

	if (!kg_json_is_id(value))
		return;
	object.text = kg_rdf_entity(w->graph, target, value->u.text);
	w->triple(w->arg, subject, kg_rdf_name(w->graph, name), &object);
}

static void
write_entity(void *arg, const char *type, const char *id, const KgJson *item)
{
	Writer *w = arg;
	const KgJson *schema = kg_graph_schema(w->graph, type);
	KgTerm subject = {KG_TERM_IRI, kg_rdf_entity(w->graph, type, id), NULL};
	KgTerm class = {KG_TERM_IRI, kg_rdf_class(w->graph, type), NULL};

	w->triple(w->arg, &subject, KG_RDF "type", &class);
	for (size_t i = 0; i < item->len; i++)
	{
		const KgctlMember *m = &item->u.members[i];
		const char *target = kg_graph_links(w->graph, schema, m->key, m->value);

		if (target == NULL)
			write_value(w, &subject, schema, m->key, m->value);
		else if (m->value->kind != KG_JSON_ARRAY)
			write_reference(w, &subject, m->key, target, m->value);
		for (size_t k = 0; target != NULL && k < kgctl_json_length(m->value);
			 k++)
			write_reference(w, &subject, m->key, target, m->value->u.items[k]);
	}
}

/*
 * Writes the triple of an edge. If the edge has properties, also writes its
 * rdf:Statement.
 */
static void
write_edge(void *arg, const KgJson *edge)
{
	Writer *w = arg;
	const char *name = kg_json_text_or(edge, "relation", "");
	const KgJson *schema = kgctl_json_get(kg_graph_relation(w->graph, name),
										  "schema");
	const KgJson *properties = kgctl_json_get(edge, "properties");
	KgTerm from = {KG_TERM_IRI, NULL, NULL};
	KgTerm to = {KG_TERM_IRI, NULL, NULL};
	KgTerm relation = {KG_TERM_IRI, kg_rdf_name(w->graph, name), NULL};
	KgTerm class = {KG_TERM_IRI, KG_RDF "Statement", NULL};
	KgTerm statement = {KG_TERM_BLANK, NULL, NULL};

	from.text = kg_rdf_handle(w->graph, kg_json_text_or(edge, "from", ""));
	to.text = kg_rdf_handle(w->graph, kg_json_text_or(edge, "to", ""));
	w->triple(w->arg, &from, relation.text, &to);
	if (properties == NULL || properties->len == 0)
		return;
	statement.text = kg_arena_format(w->graph->arena, "e%zu", ++w->statements);
	w->triple(w->arg, &statement, KG_RDF "type", &class);
	w->triple(w->arg, &statement, KG_RDF "subject", &from);
	w->triple(w->arg, &statement, KG_RDF "predicate", &relation);
	w->triple(w->arg, &statement, KG_RDF "object", &to);
	for (size_t i = 0; i < properties->len; i++)
		write_value(w,
					&statement,
					schema,
					properties->u.members[i].key,
					properties->u.members[i].value);
}

void
kg_rdf_write(const KgGraph *graph, KgTripleFn triple, void *arg)
{
	Writer w = {graph, triple, arg, 0};
	KgGraphVisitor visitor = {&w, write_entity, write_edge};

	kg_graph_visit(graph, &visitor);
}
