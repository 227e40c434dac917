/*
 * engine.c
 *	  The choice of the engine that answers a query: the native engine or the
 *	  virtual graph.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "base/settings.h"
#include "query/time/past.h"
#include "query/time/validity.h"
#include "utils/builtins.h"
#include "virtual/operators.h"
#include "virtual/served.h"
#include "virtual/virtual.h"

/*
 * Returns the sub-select from which the virtual graph answers for a type.
 * Returns NULL if the native engine answers.
 */
static const KgVSource *
source_of(const KgCatalog *catalog, const KgType *type)
{
	if (type->binding != NULL)
		return kg_vsource(catalog, type);
	if (!kg_setting_virtual_graph || catalog->authorizes ||
		kg_validity_hides() != 0 || kg_past_asked())
		return NULL;
	return kg_vsource(catalog, type);
}

/*
 * Raises an error if the query has a part that is not supported for a bound
 * type.
 */
static void
require_supported(const KgListQuery *query, const KgVSource *source)
{
	if (query->matches != NULL || query->by_rank)
		kg_binding_refuse(query->type, "a search by name");
	for (int i = 0; i < query->nsort; i++)
	{
		const KgSort *sort = &query->sort[i];
		const KgVColumn *column;

		if (sort->through != NULL || sort->counts || sort->field->by_version)
			continue;
		column = kg_vsource_column(source, sort->field);
		if (column->sql != NULL &&
			kg_voperator(column->type, BTLessStrategyNumber) == NULL)
			kg_binding_refuse(query->type,
							  psprintf("a sort by \"%s\", whose column has a "
									   "type without an order,",
									   sort->field->name));
	}
	if (!kg_virtual_fits(query, source))
		kg_binding_refuse(query->type,
						  "a filter or sort by a property without a column "
						  "that the caller may read");
	/*
	 * A list among given ids needs no index, because the statement selects the
	 * rows by these ids.
	 */
	if (query->among_ids != NULL)
		return;
	kg_vfilter_require_index(source, query->filter);
	if (query->nsort > 0)
		kg_vsort_require_index(source, query->filter, query->sort[0].field);
}

static bool
answers_list(const KgListQuery *query, const KgVSource *source)
{
	if (source == NULL)
		return false;
	if (query->type->binding != NULL)
		require_supported(query, source);
	return query->matches == NULL &&
		   (query->among == NULL || query->among_ids != NULL) &&
		   !query->by_rank && kg_virtual_fits(query, source);
}

KgListPage *
kg_engine_list(const KgListQuery *query)
{
	const KgVSource *source = source_of(query->catalog, query->type);

	return answers_list(query, source) ? kg_virtual_list(query, source)
									   : kg_list_run(query);
}

void
kg_engine_fetch(KgListQuery *query, KgListPage *page)
{
	/*
	 * If the virtual graph has read the page, its rows already have their
	 * documents.
	 */
	if (page->nrows > 0 && page->rows[0]->node == 0)
		return;
	kg_list_fetch(query, page);
}

KgGot *
kg_engine_get(const KgCatalog *catalog, const KgType *type, char **ids, int n)
{
	const KgVSource *source = source_of(catalog, type);

	return source != NULL ? kg_virtual_get(source, ids, n)
						  : kg_get_entities(catalog, type, ids, n);
}

Jsonb *
kg_engine_get_data(const KgCatalog *catalog, const KgType *type, text *id)
{
	const KgVSource *source = source_of(catalog, type);
	char *one;

	if (source == NULL)
		return kg_get_data(catalog, type, id);
	one = text_to_cstring(id);
	return kg_virtual_get(source, &one, 1)->data;
}
