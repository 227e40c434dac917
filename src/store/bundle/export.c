/*
 * bundle/export.c
 *	  Exports a bundle in the form that kg_apply_bundle() accepts.
 *
 * Runs as the caller, so the export omits rows that the caller may not see.
 * All orders are fixed, so equal bundles give equal bytes.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/spi.h"
#include "model/handle.h"
#include "model/tool_version.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "store/bundle/apply.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/*
 * Number of rows that are read at a time, and of rows per part of the export.
 */
#define KG_EXPORT_FETCH 1000

/*
 * An export in progress. The result is one object, or rows (part, name,
 * value). The part "bundle" has all except entities and edges. Each part
 * "items" has an array of entities of the type "name", and each part "edges"
 * has an array of edges. With rows, only one row at a time is in memory.
 */
typedef struct Export
{
	const KgCatalog *catalog;
	const char *name;
	KgJsonWriter whole;
	ReturnSetInfo *rows; /* result rows; NULL: the result is one object */
	MemoryContext part_context;
	KgJsonWriter part;
	/* writer of entities and edges: the object's or the part's */
	KgJsonWriter *w;
	KgWork work;
} Export;

static void
add_row(Export *export, const char *part, const char *name, Jsonb *value)
{
	Datum values[3] = {CStringGetTextDatum(part), 0, JsonbPGetDatum(value)};
	bool nulls[3] = {false, name == NULL, false};

	if (name)
		values[1] = CStringGetTextDatum(name);
	tuplestore_putvalues(
		export->rows->setResult, export->rows->setDesc, values, nulls);
}

static void
begin_part(Export *export)
{
	MemoryContext old;

	if (export->rows == NULL)
		return;
	MemoryContextReset(export->part_context);
	old = MemoryContextSwitchTo(export->part_context);
	kg_jw_init_array(&export->part);
	MemoryContextSwitchTo(old);
}

static void
end_part(Export *export, const char *part, const char *name)
{
	MemoryContext old;

	if (export->rows == NULL)
		return;
	old = MemoryContextSwitchTo(export->part_context);
	add_row(export, part, name, kg_jw_finish(&export->part));
	MemoryContextSwitchTo(old);
}

const KgBundle *
kg_bundle_require(const KgCatalog *catalog, const char *name)
{
	KgError *err;
	const char **names = palloc((catalog->nbundles + 1) * sizeof(char *));

	for (int i = 0; i < catalog->nbundles; i++)
	{
		names[i] = catalog->bundles[i].name;
		if (strcmp(names[i], name) == 0)
			return &catalog->bundles[i];
	}
	err = kg_error_new(KG_NOT_FOUND, "bundle \"%s\" does not exist", name);
	kg_error_got_string(err, name);
	kg_error_expected(err, "a bundle of this tenant");
	for (int i = 0; i < catalog->nbundles; i++)
		kg_error_allow(err, names[i]);
	kg_error_did_you_mean(err, kg_nearest(name, names, catalog->nbundles));
	kg_error_throw(err);
}

static void
put_definitions(KgJsonWriter *w, const KgBundle *bundle)
{
	if (bundle->definitions == NULL)
		return;
	kg_jw_kbegin_array(w, "definitions");
	kg_json_each(it, &bundle->definitions->root)
		kg_jw_value(w, &it.value);
	kg_jw_end_array(w);
}

static void
put_schemas(KgJsonWriter *w, const KgCatalog *catalog, const char *name)
{
	kg_jw_kbegin_array(w, "schemas");
	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgTypeRow *row = &catalog->types[i];

		if (strcmp(row->bundle, name) != 0)
			continue;
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "entity_type", row->name);
		kg_jw_kjsonb(w, "schema", row->schema);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

static const char *
end_name(const KgType *type, const char *bundle)
{
	if (strcmp(type->bundle, bundle) == 0)
		return type->name;
	return psprintf("%s/%s", type->bundle, type->name);
}

static void
put_exposed(KgJsonWriter *w, int expose)
{
	const KgOperation *operation;

	if (expose == 0)
		return;
	kg_jw_kbegin_array(w, "tools");
	for (int i = 0; (operation = kg_operation(i)) != NULL; i++)
		if (expose & operation->expose)
			kg_jw_string(w, operation->name);
	kg_jw_end_array(w);
}

static void
put_relations(KgJsonWriter *w, const KgCatalog *catalog, const char *name)
{
	kg_jw_kbegin_array(w, "relations");
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (relation->derived || strcmp(relation->bundle, name) != 0)
			continue;
		for (int j = 0; j < relation->nvariants; j++)
		{
			const KgVariant *v = &relation->variants[j];
			const KgType *from = kg_catalog_type_no(catalog, v->from_type_no);
			const KgType *to = kg_catalog_type_no(catalog, v->to_type_no);

			kg_jw_begin_object(w);
			kg_jw_kstring(w, "name", relation->name);
			kg_jw_kstring(w, "from", end_name(from, name));
			kg_jw_kstring(w, "to", end_name(to, name));
			kg_jw_kjsonb_if(w, "schema", v->schema);
			kg_jw_kstring_if(w, "inverse", relation->inverse);
			if (relation->symmetric)
				kg_jw_kbool(w, "symmetric", true);
			if (relation->key)
			{
				kg_jw_kbegin_array(w, "key");
				kg_jw_string(w, relation->key);
				kg_jw_end_array(w);
			}
			if (relation->history)
				kg_jw_kbool(w, "history", true);
			kg_jw_kstring_if(w, "description", v->description);
			put_exposed(w, relation->expose);
			kg_jw_end_object(w);
		}
	}
	kg_jw_end_array(w);
}

typedef void (*PutRow)(Export *export, const void *arg, uint64 row);

/*
 * Writes the portal's rows as members of one array. If the result has rows,
 * writes one array per part, and at least one part.
 */
static void
put_rows(Export *export, Portal portal, const char *part, const char *name,
		 PutRow put, const void *arg)
{
	bool more = true;

	for (bool first = true; more; first = false)
	{
		SPI_cursor_fetch(portal, true, KG_EXPORT_FETCH);
		more = SPI_processed == KG_EXPORT_FETCH;
		if (SPI_processed == 0 && !first)
			break;
		begin_part(export);
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			CHECK_FOR_INTERRUPTS();
			put(export, arg, row);
		}
		end_part(export, part, name);
		kg_work_done(&export->work, SPI_processed);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
}

static void
put_item(Export *export, const void *arg, uint64 row)
{
	Datum datum = kg_spi_datum(row, 1);
	Jsonb *data = DatumGetJsonbP(datum);

	kg_jw_jsonb(export->w, data);
	if ((Pointer) data != DatumGetPointer(datum))
		pfree(data);
}

static void
put_items(Export *export, const KgType *type)
{
	Portal portal = kg_spi_cursor(
		"SELECT data FROM @kg_entity WHERE tenant = $1 AND bundle = $2 "
		"AND entity_type = $3 ORDER BY entity_id",
		true,
		kg_arg_text(export->catalog->tenant),
		kg_arg_text(type->bundle),
		kg_arg_text(type->name));

	put_rows(export, portal, "items", type->name, put_item, NULL);
}

static void
put_entities(Export *export)
{
	const KgCatalog *catalog = export->catalog;

	kg_work_begin(&export->work, "reading entities", -1);
	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type = kg_type_of(&catalog->types[i]);

		if (strcmp(type->bundle, export->name) != 0)
			continue;
		if (export->rows)
		{
			put_items(export, type);
			continue;
		}
		kg_jw_begin_object(export->w);
		kg_jw_kstring(export->w, "entity_type", type->name);
		kg_jw_kbegin_array(export->w, "items");
		put_items(export, type);
		kg_jw_end_array(export->w);
		kg_jw_end_object(export->w);
	}
}

static void
put_edge(Export *export, const void *arg, uint64 row)
{
	const KgRelation *relation = arg;
	const KgCatalog *catalog = export->catalog;
	KgJsonWriter *w = export->w;
	MemoryContext old = MemoryContextSwitchTo(w->context);
	bool isnull;
	Datum properties = kg_spi_value(row, 7, &isnull);
	const KgType *from = kg_catalog_type_in(
		catalog, kg_spi_cstring(row, 1), kg_spi_cstring(row, 2));
	const KgType *to = kg_catalog_type_in(
		catalog, kg_spi_cstring(row, 4), kg_spi_cstring(row, 5));

	if (from && to)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "relation", relation->name);
		kg_jw_kstring(w, "from", kg_handle_make(from, kg_spi_cstring(row, 3)));
		kg_jw_kstring(w, "to", kg_handle_make(to, kg_spi_cstring(row, 6)));
		if (!isnull)
			kg_jw_kjsonb(w, "properties", DatumGetJsonbP(properties));
		kg_jw_end_object(w);
	}
	MemoryContextSwitchTo(old);
}

/* Writes the edges between entities that the caller sees. */
static void
put_edges(void *arg)
{
	Export *export = arg;
	const KgCatalog *catalog = export->catalog;

	kg_work_begin(&export->work, "reading edges", -1);
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		Portal portal;

		if (relation->derived || strcmp(relation->bundle, export->name) != 0)
			continue;
		portal = kg_spi_cursor(
			"SELECT s.bundle, s.entity_type, s.entity_id, t.bundle, "
			"t.entity_type, t.entity_id, d.properties FROM @kg_edge d "
			"JOIN @kg_entity s ON s.tenant = $1 AND s.node = d.source "
			"JOIN @kg_entity t ON t.tenant = $1 AND t.node = d.target "
			"WHERE d.tenant = $1 AND d.relation_no = $2 "
			"AND d.property IS NULL ORDER BY 1, 2, 3, 4, 5, 6, d.key",
			true,
			kg_arg_text(catalog->tenant),
			kg_arg_int4(relation->relation_no));
		put_rows(export, portal, "edges", NULL, put_edge, relation);
	}
}

/*
 * Writes the arguments of kg_register_tool() for a version: its definition,
 * and the reason if it is deprecated.
 */
static void
put_tool(KgJsonWriter *w, const KgToolVersion *version)
{
	kg_jw_begin_object(w);
	kg_jw_members(w, &version->definition->root);
	if (version->deprecated != NULL && version->deprecated[0] != '\0')
		kg_jw_kstring(w, "deprecated", version->deprecated);
	else if (version->deprecated != NULL)
		kg_jw_kbool(w, "deprecated", true);
	kg_jw_end_object(w);
}

static void
put_tools(KgJsonWriter *w, const KgCatalog *catalog, const char *name)
{
	bool begun = false;

	for (int i = 0; i < catalog->nregistered; i++)
	{
		const KgRegisteredName *tool = &catalog->registered[i];

		for (int j = 0; j < tool->n; j++)
		{
			const char *bundle = tool->versions[j].bundle;

			if (bundle == NULL || strcmp(bundle, name) != 0)
				continue;
			if (!begun)
			{
				kg_jw_kbegin_array(w, "tools");
				begun = true;
			}
			put_tool(w, &tool->versions[j]);
		}
	}
	if (begun)
		kg_jw_end_array(w);
}

/* Writes all except entities and edges. Does not end the object. */
static void
put_head(Export *export)
{
	const KgBundle *bundle = kg_bundle_require(export->catalog, export->name);
	KgJsonWriter *w = &export->whole;

	kg_jw_init_object(w);
	kg_jw_kstring(w, "bundle_name", bundle->name);
	kg_jw_kstring(w, "version", bundle->version);
	kg_jw_kstring_if(w, "description", bundle->description);
	kg_jw_kstring_if(w, "instructions", bundle->instructions);
	put_definitions(w, bundle);
	put_schemas(w, export->catalog, export->name);
	put_relations(w, export->catalog, export->name);
	put_tools(w, export->catalog, export->name);
}

Jsonb *
kg_bundle_export(const char *name)
{
	Export export = {.catalog = kg_catalog_of_caller(), .name = name};
	KgJsonWriter *w = export.w = &export.whole;

	put_head(&export);
	kg_jw_kbegin_array(w, "entities");
	put_entities(&export);
	kg_jw_end_array(w);
	kg_jw_kbegin_array(w, "edges");
	kg_identity_as_tool(put_edges, &export);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
	/*
	 * Fetching from a cursor leaves SPI's memory context as the current
	 * context.
	 */
	MemoryContextSwitchTo(w->context);
	return kg_jw_finish(w);
}

void
kg_bundle_export_parts(const char *name, FunctionCallInfo fcinfo)
{
	Export export = {.catalog = kg_catalog_of_caller(), .name = name};
	MemoryContext caller = CurrentMemoryContext;

	InitMaterializedSRF(fcinfo, 0);
	export.rows = (ReturnSetInfo *) fcinfo->resultinfo;
	export.part_context = AllocSetContextCreate(
		caller, "kg_graph part of an export", ALLOCSET_DEFAULT_SIZES);
	export.w = &export.part;
	put_head(&export);
	add_row(&export, "bundle", NULL, kg_jw_finish(&export.whole));
	put_entities(&export);
	kg_identity_as_tool(put_edges, &export);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(export.part_context);
}
