/*
 * edges.c
 *	  Explicit edges.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/edges.h"
#include "store/references.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"

static const Oid edge_types[] = {INT8OID, INT4OID, INT8OID, JSONBOID};

void
kg_edges_init(KgColumns *edges, MemoryContext context)
{
	kg_columns_init(edges, context, KG_EDGE_COLUMNS, edge_types);
}

void
kg_nodes_of_ids(const char *tenant, const KgType *type, const char *const *ids,
				int n, int64 *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID};
	static const Oid text_type[] = {TEXTOID};
	KgColumns columns;
	Datum values[4] = {CStringGetTextDatum(tenant),
					   CStringGetTextDatum(type->bundle),
					   CStringGetTextDatum(type->name)};

	memset(nodes, 0, n * sizeof(int64));
	if (n == 0)
		return;
	kg_columns_init(&columns, CurrentMemoryContext, 1, text_type);
	for (int i = 0; i < n; i++)
	{
		kg_columns_add_row(&columns);
		kg_columns_text(&columns, 0, ids[i]);
	}
	kg_columns_arrays(&columns, &values[3]);
	kg_spi_run(&saved,
			   "SELECT u.ord, e.node FROM unnest($4) WITH ORDINALITY "
			   "AS u(id, ord) JOIN @kg_entity e ON e.tenant = $1 "
			   "AND e.bundle = $2 AND e.entity_type = $3 "
			   "AND e.entity_id = u.id",
			   4,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	for (uint64 i = 0; i < SPI_processed; i++)
		nodes[kg_spi_int64(i, 1) - 1] = kg_spi_int64(i, 2);
	SPI_freetuptable(SPI_tuptable);
}

typedef struct NodeType
{
	int64 node;	   /* hash key */
	int32 type_no; /* 0: does not exist */
} NodeType;

/* The types of all ends, their rows locked until the transaction ends. */
static HTAB *
lock_ends(const char *tenant, const KgColumns *edges)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT8ARRAYOID};
	HASHCTL ctl;
	HTAB *types;
	KgNodeList nodes = {CurrentMemoryContext};
	Datum values[2];

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
	values[0] = CStringGetTextDatum(tenant);
	values[1] = kg_node_array(nodes.nodes, nodes.n);
	kg_spi_run(&saved,
			   "SELECT node, type_no::bigint FROM @kg_entity "
			   "WHERE tenant = $1 AND node = ANY($2) FOR KEY SHARE",
			   2,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64 node = kg_spi_int64(i, 1);
		NodeType *entry = hash_search(types, &node, HASH_FIND, NULL);

		entry->type_no = kg_spi_int64(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
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

static void
report(KgErrorList *errors, KgError *err, const char *path, int row)
{
	kg_error_path(err, "%s/%d", path, row);
	kg_error_report(errors, err);
}

static void
report_variant(const KgCatalog *catalog, const KgRelation *relation, int32 from,
			   int32 to, const char *path, int row, KgErrorList *errors)
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
	kg_error_expected(err, "a declared variant of the relation");
	report(errors, err, path, row);
}

static void
check_properties(const KgCatalog *catalog, const KgRelation *relation,
				 const KgVariant *variant, const Jsonb *properties,
				 const char *path, int row, KgErrorList *errors)
{
	const KgType *type = kg_catalog_type_no(catalog, variant->from_type_no);
	KgSchemaOptions options = {NULL, type ? type->definitions : NULL, false};
	const KgSchema *schema;
	JsonbValue root;
	ListCell *lc;

	if (variant->schema == NULL)
	{
		if (properties && JB_ROOT_COUNT(properties) > 0)
		{
			KgError *err = kg_error_new(KG_VALIDATION_FAILED,
										"edges of relation \"%s\" have no "
										"properties",
										relation->name);

			kg_error_expected(err,
							  "no \"properties\", or a \"schema\" in the "
							  "relation's declaration");
			report(errors, err, path, row);
		}
		return;
	}
	schema = kg_schema_fetch(variant->schema, &options);
	if (properties == NULL)
		properties = kg_json_parse("{}");
	kg_json_root(properties, &root);
	if (kg_schema_is_valid(schema, &root))
		return;
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
		kg_error_path(
			err, "%s/%d/properties%s", path, row, violation->instance_path);
		kg_error_report(errors, err);
	}
}

/* A symmetric edge is stored once: not also the other way round. */
static void
check_symmetric(const KgCatalog *catalog, const KgColumns *edges,
				const char *path, KgErrorList *errors)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {
		TEXTOID, INT8ARRAYOID, INT4ARRAYOID, INT8ARRAYOID, JSONBARRAYOID};
	Datum values[5];
	bool any = false;

	for (int i = 0; i < catalog->nrelations; i++)
		any |= catalog->relations[i].symmetric;
	if (!any)
		return;
	values[0] = CStringGetTextDatum(catalog->tenant);
	kg_columns_arrays(edges, &values[1]);
	kg_spi_run(&saved,
			   "SELECT u.ord, u.relation_no::bigint "
			   "FROM unnest($2, $3, $4, $5) WITH ORDINALITY "
			   "AS u(source, relation_no, target, properties, ord) "
			   "JOIN @kg_edge e ON e.tenant = $1 AND e.source = u.target "
			   "AND e.relation_no = u.relation_no AND e.target = u.source "
			   "WHERE u.source <> u.target",
			   5,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		const KgRelation *relation = kg_catalog_relation_no(catalog,
															kg_spi_int64(i, 2));
		KgError *err;

		if (relation == NULL || !relation->symmetric)
			continue;
		err = kg_error_new(KG_ALREADY_EXISTS,
						   "edge of symmetric relation \"%s\" is stored the "
						   "other way round",
						   relation->name);
		kg_error_expected(err, "a symmetric edge once, in either direction");
		report(errors, err, path, kg_spi_int64(i, 1) - 1);
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
check_edge(const KgCatalog *catalog, const KgColumns *edges, int row,
		   HTAB *types, const char *path, KgErrorList *errors)
{
	const KgRelation *relation = kg_catalog_relation_no(
		catalog, DatumGetInt32(edges->values[KG_EDGE_RELATION][row]));
	int32 from = type_of(types, edges->values[KG_EDGE_SOURCE][row]);
	int32 to = type_of(types, edges->values[KG_EDGE_TARGET][row]);
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
						   "\"x-ref\"",
						   relation->name);
		kg_error_expected(err, "a change of the referring entity");
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
		report(errors, err, path, row);
		return;
	}
	variant = variant_of(relation, from, to);
	if (variant == NULL)
		report_variant(catalog, relation, from, to, path, row, errors);
	else
		check_properties(
			catalog,
			relation,
			variant,
			edges->nulls[KG_EDGE_PROPERTIES][row]
				? NULL
				: DatumGetJsonbP(edges->values[KG_EDGE_PROPERTIES][row]),
			path,
			row,
			errors);
}

void
kg_edges_check(const KgCatalog *catalog, const KgColumns *edges,
			   const char *path, KgErrorList *errors)
{
	HTAB *types;

	if (edges->nrows == 0)
		return;
	types = lock_ends(catalog->tenant, edges);
	for (int i = 0; i < edges->nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_edge(catalog, edges, i, types, path, errors);
	}
	check_symmetric(catalog, edges, path, errors);
	hash_destroy(types);
}
