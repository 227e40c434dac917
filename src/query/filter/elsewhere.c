/*
 * elsewhere.c
 *	  A correction for a filter on a property that a related entity type has.
 */
#include "postgres.h"

#include "query/argument/arguments.h"
#include "query/filter/elsewhere.h"
#include "query/argument/repair.h"
#include "query/run/running.h"

typedef struct Way
{
	const KgRelation *relation;
	const KgType *to;
} Way;

static bool
has_indexed(const KgType *type, const char *property)
{
	for (int i = 0; i < type->nfields; i++)
		if (strcmp(type->fields[i].name, property) == 0)
			return type->fields[i].indexed;
	return false;
}

/*
 * Finds a relation that leads from the type to another type, which has an
 * indexed property with this name. Sets *way to the relation and the other
 * type. Returns false unless exactly one relation and type are found.
 */
static bool
find_way(const KgCatalog *catalog, const KgType *type, const char *property,
		 Way *way)
{
	int n = 0;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		for (int v = 0; v < relation->nvariants; v++)
		{
			const KgVariant *variant = &relation->variants[v];
			const KgType *to = kg_catalog_type_no(catalog, variant->to_type_no);

			if (variant->from_type_no != type->type_no || to == NULL ||
				to == type || !has_indexed(to, property))
				continue;
			way->relation = relation;
			way->to = to;
			n++;
		}
	}
	return n == 1;
}

/*
 * Returns [{"type": relation, "to": {"label": type, "filters": {property:
 * condition}}}].
 */
static Jsonb *
related(const Way *way, const char *property, const JsonbValue *condition)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, "type", way->relation->name);
	kg_jw_kbegin_object(&w, "to");
	kg_jw_kstring(&w, "label", kg_type_handle(way->to));
	kg_jw_kbegin_object(&w, "filters");
	kg_jw_key(&w, property);
	kg_jw_value(&w, condition);
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

void
kg_elsewhere(KgError *err, const KgType *type, const char *property,
			 const char *path)
{
	static const char *const selections[] = {"", "/from", "/node", "/to"};
	KgCorrection correction = {NULL};
	const char *selection = NULL;
	JsonbValue condition;
	JsonbValue there;
	const char *name = kg_path_last(path);
	Way way = {NULL};

	for (int i = 0; i < lengthof(selections); i++)
		if (strcmp(path,
				   kg_path_member(psprintf("%s/filters", selections[i]),
								  name)) == 0)
			selection = selections[i];
	if (selection == NULL || !kg_repair_value_at(path, &condition) ||
		kg_repair_value_at(psprintf("%s/related", selection), &there) ||
		!find_way(kg_running_catalog(), type, property, &way))
		return;
	kg_correct_out(&correction, path);
	kg_correct_set(
		&correction, selection, "related", related(&way, property, &condition));
	kg_error_instead(err, "", correction.arguments);
}
