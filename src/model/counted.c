/*
 * counted.c
 *	  Properties that count an entity's edges (x-derived).
 */
#include "postgres.h"

#include "model/counted.h"
#include "model/key.h"
#include "utils/numeric.h"

static bool
touches(const KgRelation *relation, const KgType *type, bool incoming)
{
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];

		if ((incoming || relation->symmetric) &&
			variant->to_type_no == type->type_no)
			return true;
		if ((!incoming || relation->symmetric) &&
			variant->from_type_no == type->type_no)
			return true;
	}
	return false;
}

bool
kg_counts_by_name(const KgField *field, const KgRelation *relation)
{
	return field->derived_relation != NULL &&
		   strcmp(relation->name, field->derived_relation) == 0;
}

bool
kg_counts_relation(const KgType *type, const KgField *field,
				   const KgRelation *relation)
{
	return kg_counts_by_name(field, relation) &&
		   touches(relation, type, field->derived_incoming);
}

KgCountedRelations
kg_counted_relations(const KgCatalog *catalog, const KgType *type,
					 const KgField *field)
{
	KgCountedRelations counted = {0};
	Size room = Max(1, catalog->nrelations) * sizeof(Datum);

	counted.incoming = palloc(room);
	counted.outgoing = palloc(room);
	counted.both = palloc(room);
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		Datum number = Int32GetDatum(relation->relation_no);

		if (!kg_counts_relation(type, field, relation))
			continue;
		if (relation->symmetric)
			counted.both[counted.nboth++] = number;
		else if (field->derived_incoming)
			counted.incoming[counted.nincoming++] = number;
		else
			counted.outgoing[counted.noutgoing++] = number;
	}
	return counted;
}

bytea *
kg_counted_key(const KgField *field, int64 count)
{
	JsonbValue value = {.type = jbvNumeric};

	value.val.numeric = int64_to_numeric(count);
	return kg_key_encode(field, &value);
}
