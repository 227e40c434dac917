/*
 * verify_schemas.c
 *	  Verifies rows that are derived from a tenant's schemas.
 *
 * The catalog contains the rows of tools as they are stored, even if a type
 * does not expose the tool or its name is wrong. So the tools of the catalog
 * are the tools that clients see.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#include "postgres.h"

#include "base/spi.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "store/derived/columns.h"
#include "store/bundle/payload.h"
#include "store/registered_tools.h"
#include "store/check/verify_schemas.h"
#include "utils/builtins.h"

static void
differ(const KgCatalog *catalog, KgDifferences *differences, const char *kind,
	   const char *table, const char *object, const char *expected,
	   const char *got, const char *repair)
{
	KgDifference difference = {kind, table, catalog->tenant};

	difference.object = object;
	difference.expected = expected;
	difference.got = got;
	difference.repair = repair;
	kg_differences_add(differences, &difference);
}

#define KG_REPAIRS "kg_check with repair writes it again"
#define KG_APPLIES "apply the bundle again with another version"

/* ---- tools ---- */

/*
 * Returns the name that a stored tool should have, or NULL if it should not
 * exist.
 */
static const char *
right_name(const KgTool *tool)
{
	const KgOperation *operation = kg_operation_of(tool->operation);

	if (tool->row != NULL)
		return kg_tool_type(tool)->expose & tool->operation
				   ? kg_operation_tool(operation, kg_tool_type(tool)->name)
				   : NULL;
	return tool->operation & KG_EXPOSE_OF_RELATION && !tool->relation->derived
			   ? kg_operation_tool(operation, tool->relation->name)
			   : NULL;
}

static bool
is_right(const KgTool *tool)
{
	return kg_text_same(right_name(tool), tool->name);
}

/*
 * Calls missing() for each tool that a type exposes and that is not stored, or
 * is stored with wrong values.
 */
static void
each_missing(const KgCatalog *catalog,
			 void (*missing)(const KgType *type, const KgOperation *operation,
							 void *arg),
			 void *arg)
{
	const KgOperation *operation;

	for (int t = 0; t < catalog->ntypes; t++)
		for (int i = 0; (operation = kg_operation(i)) != NULL; i++)
		{
			const KgType *type = kg_type_of(&catalog->types[t]);
			const KgTool *tool;

			if ((type->expose & operation->expose) == 0)
				continue;
			tool = kg_catalog_tool(catalog,
								   kg_operation_tool(operation, type->name));
			if (tool == NULL || kg_tool_type(tool) != type ||
				tool->operation != operation->expose)
				missing(type, operation, arg);
		}
}

typedef struct Verify
{
	const KgCatalog *catalog;
	KgDifferences *differences;
} Verify;

static void
differ_missing(const KgType *type, const KgOperation *operation, void *arg)
{
	const Verify *v = arg;

	differ(v->catalog,
		   v->differences,
		   KG_TOOL_WRONG,
		   "kg_tool",
		   psprintf("tool %s", kg_operation_tool(operation, type->name)),
		   psprintf("\"%s\" of type %s", operation->name, kg_type_handle(type)),
		   NULL,
		   KG_REPAIRS);
}

static void
verify_tools(Verify *v)
{
	const KgCatalog *catalog = v->catalog;

	for (int i = 0; i < catalog->ntools; i++)
	{
		const KgTool *tool = &catalog->tools[i];

		if (!is_right(tool))
			differ(catalog,
				   v->differences,
				   KG_TOOL_WRONG,
				   "kg_tool",
				   psprintf("tool %s", tool->name),
				   NULL,
				   psprintf("\"%s\" of %s, which does not expose the tool "
							"under this name",
							kg_operation_of(tool->operation)->name,
							tool->row ? kg_row_handle(tool->row)
									  : tool->relation->name),
				   KG_REPAIRS);
	}
	each_missing(catalog, differ_missing, v);
}

/*
 * Finds generated tools with the name of a tool that every tenant has. Only the
 * generated tool of the two can be called.
 */
static void
verify_taken(Verify *v)
{
	for (int i = 0; i < v->catalog->ntools; i++)
	{
		const KgTool *tool = &v->catalog->tools[i];

		if (kg_tool_hooks->is_fixed(tool->name))
			differ(v->catalog,
				   v->differences,
				   "tool_taken",
				   "kg_tool",
				   psprintf("tool %s", tool->name),
				   "the tool of this name that every tenant has",
				   psprintf("a tool of bundle \"%s\"", tool->bundle),
				   "apply the bundle with another name of the type, or "
				   "without this tool in \"x-tool-expose\"");
	}
}

/* Checks the version that is listed for each name of a registered tool. */
static void
verify_registered(Verify *v)
{
	for (int i = 0; i < v->catalog->nregistered; i++)
	{
		const KgToolVersion *version = v->catalog->registered[i].latest;
		const char *argument = version ? kg_tool_hooks->unlisted(version)
									   : NULL;

		if (argument != NULL)
			differ(
				v->catalog,
				v->differences,
				"tool_unlisted",
				"kg_tool_version",
				psprintf("tool %s version %s", version->tool, version->version),
				"arguments of 1 to 64 letters, digits, \"_\", \".\" and "
				"\"-\"",
				psprintf("argument \"%s\", because of whose name clients "
						 "refuse all tools",
						 argument),
				"register a version with another name of the argument");
	}
}

/*
 * A condition for names of tools that have no version, no canonical tool, or
 * no relation.
 */
#define KG_EMPTY_NAME                                                   \
	"CASE WHEN t.operation IN ('registered', 'alias') THEN NOT EXISTS " \
	"(SELECT FROM @kg_tool_version v WHERE v.tenant = $1 "              \
	"AND v.tool = coalesce(t.canonical, t.tool)) "                      \
	"ELSE t.relation IS NOT NULL AND NOT EXISTS (SELECT FROM "          \
	"@kg_relation r WHERE r.tenant = $1 AND r.bundle = t.bundle "       \
	"AND r.relation = t.relation) END"

static void
verify_names(Verify *v)
{
	KG_SPI_SELECT_OF(
		"SELECT format('tool %s', t.tool), CASE t.operation "
		"WHEN 'registered' THEN 'no version of it is registered' "
		"WHEN 'alias' THEN format('no version of %s, for which it stands, is "
		"registered', "
		"t.canonical) ELSE format('there is no relation %s', t.relation) END "
		"FROM @kg_tool t WHERE t.tenant = $1 AND " KG_EMPTY_NAME " ORDER BY 1",
		v->catalog->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		differ(v->catalog,
			   v->differences,
			   KG_TOOL_WRONG,
			   "kg_tool",
			   kg_spi_cstring(i, 1),
			   NULL,
			   kg_spi_cstring(i, 2),
			   "register the missing tool or version, or call kg_check with "
			   "repair, which deletes the name");
	SPI_freetuptable(SPI_tuptable);
}

/* ---- types ---- */

/*
 * Returns the variant of the relation to which a reference belongs, or NULL if
 * it is not stored. Properties with the same relation between the same types
 * share a variant.
 */
static const KgVariant *
find_variant(const KgCatalog *catalog, const KgType *type, const KgField *field)
{
	const KgType *target = kg_catalog_type_in(
		catalog, field->ref_bundle, field->ref_type);

	if (target == NULL)
		return NULL;
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (strcmp(relation->name, field->relation) != 0 ||
			strcmp(relation->bundle, type->bundle) != 0)
			continue;
		for (int j = 0; j < relation->nvariants; j++)
			if (relation->variants[j].from_type_no == type->type_no &&
				relation->variants[j].to_type_no == target->type_no &&
				relation->variants[j].property != NULL)
				return &relation->variants[j];
	}
	return NULL;
}

/*
 * Finds properties that share a name. Such properties are rejected now, but
 * older versions stored them.
 */
static void
verify_field_names(Verify *v, const char *table, const char *object,
				   const KgField *fields, int n)
{
	for (int i = 0; i < n; i++)
		if (fields[i].repeats_name)
			differ(
				v->catalog,
				v->differences,
				"name_repeated",
				table,
				object,
				NULL,
				psprintf("two properties with the name \"%s\"", fields[i].name),
				"give one of them another key, in the schema and in what "
				"is stored");
}

static void
verify_type(Verify *v, const KgType *type)
{
	const char *hash = kg_json_hash(type->schema);
	char *object = psprintf("type %s", kg_type_handle(type));

	if (strcmp(hash, type->schema_hash) != 0)
		differ(v->catalog,
			   v->differences,
			   KG_TYPE_WRONG,
			   "kg_entity_type",
			   object,
			   psprintf("schema_hash %s", hash),
			   type->schema_hash,
			   KG_REPAIRS);
	verify_field_names(
		v, "kg_entity_type", object, type->fields, type->nfields);
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];

		if (field->ref_type && find_variant(v->catalog, type, field) == NULL)
			differ(v->catalog,
				   v->differences,
				   "relation_missing",
				   "kg_relation",
				   object,
				   psprintf("relation %s of property \"%s\"",
							field->relation,
							field->name),
				   NULL,
				   KG_APPLIES);
	}
}

/*
 * Reports properties of the relation that share a name, and derived variants
 * whose property does not derive the relation any more.
 */
static void
verify_relation(Verify *v, const KgRelation *relation)
{
	verify_field_names(v,
					   "kg_relation",
					   psprintf("relation %s", relation->name),
					   relation->fields,
					   relation->nfields);
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		const KgType *type = kg_catalog_type_no(v->catalog,
												variant->from_type_no);
		const KgField *field = NULL;

		if (variant->property == NULL || type == NULL)
			continue;
		for (int j = 0; j < type->nfields && field == NULL; j++)
			if (strcmp(type->fields[j].name, variant->property) == 0)
				field = &type->fields[j];
		if (field == NULL || field->ref_type == NULL ||
			strcmp(field->relation, relation->name) != 0)
			differ(v->catalog,
				   v->differences,
				   "relation_wrong",
				   "kg_relation",
				   psprintf("relation %s", relation->name),
				   NULL,
				   psprintf("a relation of property \"%s\" of type %s, which "
							"is not such a reference",
							variant->property,
							kg_type_handle(type)),
				   KG_APPLIES);
	}
}

void
kg_verify_schemas(const KgCatalog *catalog, KgDifferences *differences)
{
	Verify v = {catalog, differences};

	for (int i = 0; i < catalog->ntypes; i++)
		verify_type(&v, kg_type_of(&catalog->types[i]));
	for (int i = 0; i < catalog->nrelations; i++)
		verify_relation(&v, &catalog->relations[i]);
	verify_tools(&v);
	verify_taken(&v);
	verify_registered(&v);
	verify_names(&v);
}

/* ---- repair ---- */

static void
add_missing(const KgType *type, const KgOperation *operation, void *arg)
{
	KgColumns *tools = arg;

	kg_columns_add_row(tools);
	kg_columns_text(tools, 0, kg_operation_tool(operation, type->name));
	kg_columns_text(tools, 1, type->bundle);
	kg_columns_text(tools, 2, type->name);
	kg_columns_text(tools, 3, operation->name);
}

static void
repair_tools(const KgCatalog *catalog)
{
	static KgSaved deletion;
	static KgSaved insertion;
	static const Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	KgColumns wrong;
	KgColumns missing;

	kg_columns_init(&wrong, CurrentMemoryContext, 1, types);
	kg_columns_init(&missing, CurrentMemoryContext, lengthof(types), types);
	for (int i = 0; i < catalog->ntools; i++)
		if (!is_right(&catalog->tools[i]))
		{
			kg_columns_add_row(&wrong);
			kg_columns_text(&wrong, 0, catalog->tools[i].name);
		}
	each_missing(catalog, add_missing, &missing);
	kg_columns_exec(&deletion,
					"DELETE FROM @kg_tool t WHERE t.tenant = $1 "
					"AND (t.tool = ANY ($2) OR " KG_EMPTY_NAME ")",
					catalog->tenant,
					&wrong);
	kg_columns_exec(
		&insertion,
		"INSERT INTO @kg_tool(tenant, tool, bundle, entity_type, operation) "
		"SELECT $1, u.* FROM unnest($2, $3, $4, $5) u "
		"ON CONFLICT DO NOTHING",
		catalog->tenant,
		&missing);
}

static void
repair_types(const KgCatalog *catalog)
{
	static KgSaved saved;
	static const Oid types[] = {INT4OID, TEXTOID};
	KgColumns hashes;

	kg_columns_init(&hashes, CurrentMemoryContext, lengthof(types), types);
	for (int i = 0; i < catalog->ntypes; i++)
	{
		kg_columns_add_row(&hashes);
		kg_columns_int32(&hashes, 0, catalog->types[i].type_no);
		kg_columns_text(&hashes, 1, kg_json_hash(catalog->types[i].schema));
	}
	kg_columns_exec(&saved,
					"UPDATE @kg_entity_type t SET schema_hash = u.hash "
					"FROM unnest($2, $3) u(type_no, hash) WHERE t.tenant = $1 "
					"AND t.type_no = u.type_no AND t.schema_hash <> u.hash",
					catalog->tenant,
					&hashes);
}

void
kg_repair_schemas(const KgCatalog *catalog)
{
	repair_tools(catalog);
	repair_types(catalog);
}
