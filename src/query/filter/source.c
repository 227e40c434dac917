/*
 * source.c
 *	  The rows from which statements about the entities of one type read
 *	  (sources), and the SQL text for them.
 */
#include "postgres.h"

#include <limits.h>

#include "base/spi.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "model/adjacency.h"
#include "query/filter/source.h"
#include "utils/array.h"
#include "utils/builtins.h"

static KgFilter *
filter_part(const KgFilter *filter, const KgField *field, int index,
			bool inside)
{
	KgFilter *part = palloc0(sizeof(*part));

	/*
	 * Alternatives never bound the rows of a source; they are probes, that is,
	 * conditions that are looked up by node number.
	 */
	if (!inside)
	{
		part->nany = filter->nany;
		part->any = filter->any;
	}
	part->conditions = palloc(Max(1, filter->nconditions) *
							  sizeof(KgCondition));
	for (int i = 0; i < filter->nconditions; i++)
	{
		const KgCondition *condition = &filter->conditions[i];
		bool own = index >= 0 ? i == index : condition->field == field;

		if (own == inside)
			part->conditions[part->nconditions++] = *condition;
	}
	return part;
}

KgSource *
kg_source_make(KgSourceKind kind, const KgFilter *filter, const KgField *field,
			   int index)
{
	KgSource *source = palloc0(sizeof(*source));

	source->kind = kind;
	source->field = field;
	source->own = filter_part(filter, field, index, true);
	source->rest = filter_part(filter, field, index, false);
	return source;
}

KgSource *
kg_source_in_order(const KgType *type, const KgFilter *filter)
{
	return type->number_ids
			   ? kg_source_make(KG_SOURCE_KEY, filter, type->id_field, -1)
			   : kg_source_make(KG_SOURCE_ENTITY, filter, NULL, -1);
}

KgSource *
kg_source_of_nodes(const KgFilter *filter, const int64 *nodes, int n)
{
	KgSource *source = kg_source_make(KG_SOURCE_NODES, filter, NULL, INT_MAX);

	source->nodes = nodes;
	source->nnodes = n;
	return source;
}

KgSource *
kg_source_of_ids(const KgFilter *filter, char *const *ids, int n)
{
	KgFilter none = {0};
	KgSource *source = kg_source_make(
		KG_SOURCE_ENTITY, filter != NULL ? filter : &none, NULL, INT_MAX);
	KgCondition *own = palloc0(sizeof(KgCondition));

	own->op = KG_OP_IN;
	own->nvalues = n;
	own->values = palloc(n * sizeof(JsonbValue));
	for (int i = 0; i < n; i++)
		own->values[i] = kg_json_string_value(ids[i]);
	source->own->nconditions = 1;
	source->own->conditions = own;
	return source;
}

/*
 * SQL expressions for the columns of a source's row. A row of kg_entity also
 * has the entity's keys.
 */
static const KgSqlEntity entity_of_key = {"d.node", "d.entity_id", NULL};
static const KgSqlEntity entity_itself = {
	"d.node", "d.entity_id", "d.index_keys"};

static const KgSqlEntity *
entity_of(const KgSource *source)
{
	return source->kind == KG_SOURCE_KEY ? &entity_of_key : &entity_itself;
}

/*
 * Returns the index of the source's own condition that has a list of values;
 * -1 if no condition has a list.
 */
static int
list_condition(const KgSource *source)
{
	const KgFilter *own = source->own;

	for (int i = 0; i < own->nconditions; i++)
		if (kg_operator(own->conditions[i].op)->bound == KG_BOUND_LIST)
			return i;
	return -1;
}

static void
append_key_source(KgSqlBuilder *b, const KgType *type, const KgSource *source)
{
	int list = list_condition(source);
	const char *alias = list >= 0 ? "x" : "d";
	int listed = 0;
	int type_no;
	int field_no;

	if (list >= 0)
	{
		int n;
		bytea **keys = kg_sql_distinct_keys(&source->own->conditions[list], &n);

		listed = kg_sql_param_array(b, BYTEAOID, (Datum *) keys, n);
	}
	type_no = kg_sql_param(b, INT4OID, Int32GetDatum(type->type_no));
	field_no = kg_sql_param_field(b, source->field);
	kg_sql_append(b, " FROM ");
	if (list >= 0)
		kg_sql_begin_each(b,
						  kg_sql_keys_of(type_no, field_no),
						  "x.entity_id, x.node, x.key",
						  listed);
	else
		kg_sql_append(
			b, "%s d WHERE d.tenant = $1", kg_sql_keys_of(type_no, field_no));
	kg_sql_append(b,
				  " AND %s.type_no = $%d AND %s.field_no = $%d",
				  alias,
				  type_no,
				  alias,
				  field_no);
	if (list >= 0)
	{
		kg_sql_end_each(b, "key", "d");
		kg_sql_append(b, " WHERE true");
	}
	for (int i = 0; i < source->own->nconditions; i++)
		if (i != list)
			kg_sql_key_condition(b, "d.key", &source->own->conditions[i]);
}

/*
 * Adds an array parameter with the distinct ids of a condition. Returns the
 * number of the parameter.
 */
static int
param_ids(KgSqlBuilder *b, const KgCondition *condition)
{
	char **ids = palloc(Max(1, condition->nvalues) * sizeof(char *));

	for (int i = 0; i < condition->nvalues; i++)
		ids[i] = kg_json_cstring(&condition->values[i]);
	return kg_sql_param_texts(
		b, ids, kg_distinct_texts((const char **) ids, condition->nvalues));
}

static void
append_entity_source(KgSqlBuilder *b, const KgType *type,
					 const KgSource *source)
{
	int list = list_condition(source);
	const char *alias = list >= 0 ? "x" : "d";
	KgFilter rest;

	kg_sql_append(b, " FROM ");
	if (list >= 0)
		kg_sql_begin_each(b,
						  kg_sql_table("kg_entity"),
						  "x.entity_id, x.node, x.index_keys",
						  param_ids(b, &source->own->conditions[list]));
	else
		kg_sql_append(b, "%s d WHERE d.tenant = $1", kg_sql_table("kg_entity"));
	kg_sql_append(
		b, " AND %s.bundle = $%d", alias, kg_sql_param_text(b, type->bundle));
	kg_sql_append(b,
				  " AND %s.entity_type = $%d",
				  alias,
				  kg_sql_param_text(b, type->name));
	memset(&rest, 0, sizeof(rest));
	rest.conditions = palloc(Max(1, source->own->nconditions) *
							 sizeof(KgCondition));
	for (int i = 0; i < source->own->nconditions; i++)
		if (i != list)
			rest.conditions[rest.nconditions++] = source->own->conditions[i];
	if (list >= 0)
	{
		kg_sql_end_each(b, "entity_id", "d");
		kg_sql_append(b, " WHERE true");
	}
	kg_sql_filter(b, &rest, &entity_itself);
}

/*
 * Returns the nodes as a sorted array. The index scan of the statement sorts
 * the array, too, but its comparisons are slow unless the array is sorted.
 */
static Datum
sorted_nodes(const KgSource *source)
{
	Datum array = kg_int64_array(source->nodes, source->nnodes);

	qsort_interruptible(ARR_DATA_PTR(DatumGetArrayTypeP(array)),
						source->nnodes,
						sizeof(int64),
						kg_compare_nodes,
						NULL);
	return array;
}

void
kg_source_from(KgSqlBuilder *b, const KgType *type, const KgSource *source)
{
	const char *nodes;

	switch (source->kind)
	{
		case KG_SOURCE_KEY:
			append_key_source(b, type, source);
			break;
		case KG_SOURCE_ENTITY:
			append_entity_source(b, type, source);
			break;
		case KG_SOURCE_NODES:
			nodes = psprintf(
				"$%d", kg_sql_param(b, INT8ARRAYOID, sorted_nodes(source)));
			kg_sql_append(
				b,
				" FROM %s d WHERE d.tenant = $1 AND d.node = ANY (%s)",
				kg_sql_entities_of(nodes),
				nodes);
			kg_sql_append(
				b,
				" AND d.type_no = $%d",
				kg_sql_param(b, INT4OID, Int32GetDatum(type->type_no)));
			break;
	}
}

void
kg_source_probes(KgSqlBuilder *b, const KgSource *source)
{
	kg_sql_filter(b, source->rest, entity_of(source));
	if (source->kind == KG_SOURCE_KEY)
		kg_sql_visible(b, "d.node");
}

void
kg_source_nodes(KgSqlBuilder *b, const KgCatalog *catalog, const KgType *type,
				const KgSource *source, bool with_probes, int64 max)
{
	kg_sql_start(b, catalog);
	kg_sql_append(b, "SELECT d.node");
	kg_source_from(b, type, source);
	if (with_probes)
		kg_source_probes(b, source);
	if (max > 0)
		kg_sql_append(b, " LIMIT $%d", kg_sql_param_int64(b, max));
}
