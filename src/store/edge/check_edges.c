/*
 * check_edges.c
 *	  Checks of explicit edges before they are written.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/lock.h"
#include "model/period.h"
#include "model/writer.h"
#include "miscadmin.h"
#include "store/edge/edges.h"
#include "store/edge/symmetric.h"
#include "store/entity/entity_ids.h"
#include "store/reference/seen.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

const KgCatalog *
kg_edges_lock(const char *tenant, const KgColumns *edges)
{
	int32 locked = 0;

	/*
	 * Adjacent edges mostly have the same relation, so a lock is requested only
	 * if the relation changes.
	 */
	for (int i = 0; i < edges->nrows; i++)
	{
		int32 number = DatumGetInt32(edges->values[KG_EDGE_RELATION][i]);

		if (number != locked)
			(void) kg_lock_relation_shared(number);
		locked = number;
	}
	return kg_catalog_newest(tenant);
}

typedef struct NodeType
{
	int64 node;	   /* hash key */
	int32 type_no; /* type of the node; 0: the node is not stored */
} NodeType;

/*
 * Locks the entities at all ends until the transaction ends. Returns a hash
 * table of their types by node. An entity that the caller does not see counts
 * as missing.
 */
static HTAB *
lock_ends(const char *tenant, const KgColumns *edges,
		  const KgUserContext *caller)
{
	HASHCTL ctl;
	HTAB *types;
	KgNodeList nodes = {CurrentMemoryContext};
	int64 *all;
	int64 *seen;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(NodeType);
	ctl.hcxt = CurrentMemoryContext;
	types = hash_create("kg_graph edge ends",
						2 * edges->nrows,
						&ctl,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	for (int i = 0; i < edges->nrows; i++)
	{
		int64 ends[2] = {DatumGetInt64(edges->values[KG_EDGE_SOURCE][i]),
						 DatumGetInt64(edges->values[KG_EDGE_TARGET][i])};

		for (int j = 0; j < 2; j++)
		{
			bool found;
			NodeType *entry = hash_search(types, &ends[j], HASH_ENTER, &found);

			if (found)
				continue;
			entry->type_no = 0;
			kg_node_add(&nodes, ends[j]);
		}
	}
	KG_BATCH_EXEC("SELECT node, type_no::bigint FROM @kg_entity "
				  "WHERE tenant = $1 AND node = ANY($2)" KG_LOCK_ORDER
				  "@FOR KEY SHARE",
				  kg_arg_text(tenant),
				  kg_arg_int8s(nodes.nodes, nodes.n));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64 node = kg_spi_int64(i, 1);
		NodeType *entry = hash_search(types, &node, HASH_FIND, NULL);

		entry->type_no = kg_spi_int64(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	all = nodes.nodes;
	seen = palloc(nodes.n * sizeof(int64));
	memcpy(seen, all, nodes.n * sizeof(int64));
	if (caller)
		kg_blank_hidden(tenant, caller, seen, nodes.n);
	for (int i = 0; i < nodes.n; i++)
	{
		NodeType *entry = hash_search(types, &all[i], HASH_FIND, NULL);

		if (seen[i] == 0)
			entry->type_no = 0;
	}
	return types;
}

static int32
type_of(HTAB *types, Datum node)
{
	int64 key = DatumGetInt64(node);
	NodeType *entry = hash_search(types, &key, HASH_FIND, NULL);

	return entry->type_no;
}

static const KgVariant *
variant_of(const KgRelation *relation, int32 from, int32 to)
{
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];

		if (variant->from_type_no == from && variant->to_type_no == to)
			return variant;
		if (relation->symmetric && variant->from_type_no == to &&
			variant->to_type_no == from)
			return variant;
	}
	return NULL;
}

static int
number_of(const KgEdgeReport *to, int row)
{
	return to->numbers ? to->numbers[row] : row;
}

static void
report(const KgEdgeReport *to, KgError *err, int row)
{
	int number = number_of(to, row);

	kg_error_path(err, "%s/%d", to->path, number);
	kg_error_report(&to->errors[to->by_row ? number : 0], err);
}

static void
report_variant(const KgCatalog *catalog, const KgRelation *relation, int32 from,
			   int32 to, int row, const KgEdgeReport *report_to)
{
	const KgType *from_type = kg_catalog_type_no(catalog, from);
	const KgType *to_type = kg_catalog_type_no(catalog, to);
	KgError *err = kg_error_new(KG_VALIDATION_FAILED,
								"relation \"%s\" does not go from \"%s\" to "
								"\"%s\"",
								relation->name,
								from_type ? kg_type_handle(from_type) : "?",
								to_type ? kg_type_handle(to_type) : "?");

	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];

		from_type = kg_catalog_type_no(catalog, variant->from_type_no);
		to_type = kg_catalog_type_no(catalog, variant->to_type_no);
		if (from_type && to_type)
			kg_error_allow(err,
						   psprintf("%s -> %s",
									kg_type_handle(from_type),
									kg_type_handle(to_type)));
	}
	kg_error_expected(err, "entities of the types that the relation connects");
	report(report_to, err, row);
}

/*
 * Reports a fault in the properties of an edge. pointer is a JSON Pointer into
 * the properties.
 */
static void
report_property(KgError *err, int row, const char *pointer,
				const KgEdgeReport *to)
{
	kg_error_path(
		err, "%s/%d/properties%s", to->path, number_of(to, row), pointer);
	kg_error_report(&to->errors[to->by_row ? number_of(to, row) : 0], err);
}

static void
check_properties(const KgRelation *relation, const KgVariant *variant,
				 const Jsonb *properties, int row, const KgEdgeReport *to)
{
	KgSchemaOptions options = {NULL, relation->definitions, false};
	const KgSchema *schema;
	const KgField *field;
	JsonbValue root;
	ListCell *lc;
	KgError *fault;

	if (variant->schema == NULL)
	{
		if (properties && JB_ROOT_COUNT(properties) > 0)
		{
			KgError *err = kg_error_new(
				KG_VALIDATION_FAILED,
				"edges of relation \"%s\" cannot have properties",
				relation->name);

			kg_error_expected(err,
							  "an edge without \"properties\", or a \"schema\" "
							  "in the relation's declaration");
			report(to, err, row);
		}
		return;
	}
	schema = kg_schema_fetch(variant->schema, &options);
	if (properties == NULL)
		properties = kg_json_parse("{}");
	kg_json_root(properties, &root);
	if (kg_schema_is_valid(schema, &root))
	{
		fault = kg_period_fault(&relation->period, properties, &field);
		if (fault)
			report_property(fault, row, kg_field_pointer(field), to);
		return;
	}
	foreach(lc, kg_schema_errors(schema, &root, 10))
	{
		const KgSchemaError *violation = lfirst(lc);
		KgError *err = kg_error_new(KG_VALIDATION_FAILED,
									"value at \"%s\" violates keyword "
									"\"%s\"",
									violation->instance_path,
									violation->keyword);

		kg_error_keyword(err, pstrdup(violation->keyword));
		if (violation->value)
			kg_error_got_jsonb(err, violation->value);
		if (violation->expected)
			kg_error_expected(err, "%s", violation->expected);
		report_property(err, row, violation->instance_path, to);
	}
}

static void
check_symmetric(const KgCatalog *catalog, const KgColumns *edges,
				const KgEdgeReport *to)
{
	const bool *twice = kg_symmetric_twice(catalog, edges);

	for (int i = 0; twice && i < edges->nrows; i++)
	{
		const KgRelation *relation;
		KgError *err;

		if (!twice[i])
			continue;
		if (to->turned || kg_writer()->again)
			kg_throw_again(kg_edge_lost_race());
		relation = kg_catalog_relation_no(
			catalog, DatumGetInt32(edges->values[KG_EDGE_RELATION][i]));
		err = kg_error_new(KG_ALREADY_EXISTS,
						   "edge of symmetric relation \"%s\" is already "
						   "stored in the other direction",
						   relation->name);
		kg_error_expected(err, "a symmetric edge once, in either direction");
		report(to, err, i);
	}
}

/*
 * Reports an edge whose key does not match its properties. Functions of
 * kg_graph compute the key from the properties, but plain SQL may write any
 * value.
 */
static void
check_key(const KgRelation *relation, const KgColumns *edges, int row,
		  const Jsonb *properties, const KgEdgeReport *to)
{
	KgError *err;
	const char *key = kg_edge_key_of(relation, properties, &err);
	text *given = DatumGetTextPP(edges->values[KG_EDGE_KEY][row]);

	if (key != NULL && VARSIZE_ANY_EXHDR(given) == strlen(key) &&
		memcmp(VARDATA_ANY(given), key, strlen(key)) == 0)
		return;
	if (key != NULL)
	{
		err = kg_error_new(
			KG_VALIDATION_FAILED,
			"key of an edge of relation \"%s\" does not match its "
			"properties",
			relation->name);
		kg_error_got_string(err, text_to_cstring(given));
		kg_error_expected(err, "\"%s\"", key);
	}
	report(to, err, row);
}

static void
check_edge(const KgCatalog *catalog, const KgColumns *edges, int row,
		   HTAB *types, const KgEdgeReport *report_to)
{
	const KgRelation *relation = kg_catalog_relation_no(
		catalog, DatumGetInt32(edges->values[KG_EDGE_RELATION][row]));
	int32 from = type_of(types, edges->values[KG_EDGE_SOURCE][row]);
	int32 to = type_of(types, edges->values[KG_EDGE_TARGET][row]);
	const Jsonb *properties = NULL;
	const KgVariant *variant;
	KgError *err = NULL;

	if (relation == NULL)
		err = kg_error_new(KG_UNKNOWN_TYPE,
						   "relation %d does not exist",
						   DatumGetInt32(edges->values[KG_EDGE_RELATION][row]));
	else if (relation->derived)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "edges of relation \"%s\" are derived from an "
						   "\"x-ref\" and cannot be written",
						   relation->name);
		kg_error_expected(
			err,
			"a change of the property with \"x-ref\" in the referring entity");
	}
	else if (from == 0 || to == 0)
	{
		err = kg_error_new(KG_REFERENCE_MISSING,
						   "edge of relation \"%s\" has an end that does not "
						   "exist",
						   relation->name);
		kg_error_expected(err, "existing entities at both ends");
	}
	if (err)
	{
		report(report_to, err, row);
		return;
	}
	variant = variant_of(relation, from, to);
	if (variant == NULL)
	{
		report_variant(catalog, relation, from, to, row, report_to);
		return;
	}
	if (!edges->nulls[KG_EDGE_PROPERTIES][row])
		properties = DatumGetJsonbP(edges->values[KG_EDGE_PROPERTIES][row]);
	check_properties(relation, variant, properties, row, report_to);
	check_key(relation, edges, row, properties, report_to);
}

void
kg_edges_check(const KgCatalog *catalog, const KgUserContext *caller,
			   const KgColumns *edges, const KgEdgeReport *report)
{
	HTAB *types;

	if (edges->nrows == 0)
		return;
	types = lock_ends(catalog->tenant, edges, caller);
	for (int i = 0; i < edges->nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_edge(catalog, edges, i, types, report);
	}
	check_symmetric(catalog, edges, report);
	hash_destroy(types);
}
