/*
 * bundle_types.c
 *	  Writing a bundle's row, types, relations and tools.  As the owner, inside
 *	  SPI_connect(), under the bundle's lock.
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/lock.h"
#include "catalog/pg_type.h"
#include "store/bundle.h"
#include "utils/builtins.h"

static bool
same_text(const char *a, const char *b)
{
	return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static bool
same_jsonb(const Jsonb *a, const Jsonb *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return compareJsonbContainers((JsonbContainer *) &a->root,
								  (JsonbContainer *) &b->root) == 0;
}

static const KgBundle *
stored_bundle(const KgApply *apply)
{
	for (int i = 0; i < apply->before->nbundles; i++)
		if (strcmp(apply->before->bundles[i].name, apply->payload->name) == 0)
			return &apply->before->bundles[i];
	return NULL;
}

static void
put_text(Datum *values, char *nulls, int index, const char *value)
{
	nulls[index] = value ? ' ' : 'n';
	if (value)
		values[index] = CStringGetTextDatum(value);
}

static void
put_jsonb(Datum *values, char *nulls, int index, const Jsonb *value)
{
	nulls[index] = value ? ' ' : 'n';
	if (value)
		values[index] = JsonbPGetDatum(value);
}

/* In a merge, what the payload does not say stays. */
static void
write_bundle(KgApply *apply)
{
	static KgSaved saved;
	static const Oid argtypes[] = {
		TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, JSONBOID};
	const KgPayload *payload = apply->payload;
	const KgBundle *stored = stored_bundle(apply);
	bool merge = apply->options.merge && stored;
	const char *description = payload->description;
	const char *instructions = payload->instructions;
	const Jsonb *definitions = payload->definitions;
	Datum values[6];
	char nulls[] = "      ";

	if (merge && description == NULL)
		description = stored->description;
	if (merge && instructions == NULL)
		instructions = stored->instructions;
	if (merge && definitions == NULL)
		definitions = stored->definitions;
	if (stored && same_text(stored->version, payload->version) &&
		same_text(stored->description, description) &&
		same_text(stored->instructions, instructions) &&
		same_jsonb(stored->definitions, definitions))
		return;
	apply->changed = true;
	put_text(values, nulls, 0, apply->tenant);
	put_text(values, nulls, 1, payload->name);
	put_text(values, nulls, 2, payload->version);
	put_text(values, nulls, 3, description);
	put_text(values, nulls, 4, instructions);
	put_jsonb(values, nulls, 5, definitions);
	kg_spi_run(&saved,
			   "INSERT INTO @kg_bundle(tenant, bundle, version, description, "
			   "instructions, definitions, revision) "
			   "VALUES ($1, $2, $3, $4, $5, $6, 0) "
			   "ON CONFLICT (tenant, bundle) DO UPDATE SET version = $3, "
			   "description = $4, instructions = $5, definitions = $6",
			   6,
			   argtypes,
			   values,
			   nulls,
			   false,
			   SPI_OK_INSERT);
}

/*
 * The names that field numbers stand for.  A number is never given to another
 * property, because keys of before a change are there until they are rebuilt.
 */
static Datum
key_fields(const KgType *stored, const KgType *parsed)
{
	KgType type = {0};
	Datum *names;

	if (stored)
		type = *stored;
	kg_type_add_key_fields(&type, parsed);
	names = palloc(Max(1, type.nkey_fields) * sizeof(Datum));
	for (int i = 0; i < type.nkey_fields; i++)
		names[i] = CStringGetTextDatum(type.key_fields[i]);
	return PointerGetDatum(construct_array(
		names, type.nkey_fields, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
write_type(KgApply *apply, const KgPayloadType *type)
{
	static KgSaved saved;
	static const Oid argtypes[] = {
		TEXTOID, TEXTOID, TEXTOID, JSONBOID, TEXTOID, INT4OID, TEXTARRAYOID};
	const KgType *stored = type->stored;
	Datum values[] = {CStringGetTextDatum(apply->tenant),
					  CStringGetTextDatum(apply->payload->name),
					  CStringGetTextDatum(type->name),
					  JsonbPGetDatum(type->schema),
					  CStringGetTextDatum(type->hash),
					  Int32GetDatum(type->position),
					  key_fields(stored, type->parsed)};

	if (stored && strcmp(stored->schema_hash, type->hash) != 0)
		(void) kg_lock_type_exclusive(stored->type_no);
	/* The position orders the tools; it is kept in step silently. */
	kg_spi_run(&saved,
			   "INSERT INTO @kg_entity_type AS t (tenant, bundle, entity_type, "
			   "schema, schema_hash, position, key_fields) "
			   "VALUES ($1, $2, $3, $4, $5, $6, $7) "
			   "ON CONFLICT (tenant, bundle, entity_type) DO UPDATE SET "
			   "schema = $4, schema_hash = $5, key_fields = $7, "
			   "position = CASE WHEN $6 < 0 THEN t.position ELSE $6 END, "
			   "updated_at = CASE WHEN t.schema_hash = $5 "
			   "THEN t.updated_at ELSE now() END "
			   "WHERE t.schema_hash <> $5 OR "
			   "($6 >= 0 AND t.position <> $6)",
			   7,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT);
	if (stored == NULL)
		apply->type_changes[KG_CHANGE_CREATED] = lappend(
			apply->type_changes[KG_CHANGE_CREATED], (char *) type->name);
	else if (strcmp(stored->schema_hash, type->hash) != 0)
		apply->type_changes[KG_CHANGE_UPDATED] = lappend(
			apply->type_changes[KG_CHANGE_UPDATED], (char *) type->name);
	else
		return;
	apply->changed = true;
}

/* A row of kg_relation as it is to be. */
typedef struct Variant
{
	const char *relation;
	const char *from_type;
	const char *to_bundle;
	const char *to_type;
	const char *property;
	const Jsonb *schema;
	const char *inverse;
	bool symmetric;
} Variant;

static void
add_variant(List **variants, const Variant *variant)
{
	Variant *copy = palloc(sizeof(Variant));
	ListCell *lc;

	/* Two properties may derive the same variant. */
	foreach(lc, *variants)
	{
		const Variant *other = lfirst(lc);

		if (strcmp(other->relation, variant->relation) == 0 &&
			strcmp(other->from_type, variant->from_type) == 0 &&
			strcmp(other->to_bundle, variant->to_bundle) == 0 &&
			strcmp(other->to_type, variant->to_type) == 0)
			return;
	}
	*copy = *variant;
	*variants = lappend(*variants, copy);
}

static void
derive_variants(const KgType *type, const char *bundle, List **variants)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		Variant variant = {0};

		if (field->ref_type == NULL)
			continue;
		variant.relation = field->relation;
		variant.from_type = type->name;
		variant.to_bundle = field->ref_bundle ? field->ref_bundle : bundle;
		variant.to_type = field->ref_type;
		variant.property = field->name;
		add_variant(variants, &variant);
	}
}

static bool
in_payload(const KgPayload *payload, const char *type)
{
	for (int i = 0; i < payload->ntypes; i++)
		if (strcmp(payload->types[i].name, type) == 0)
			return true;
	return false;
}

static void
declare_variants(const KgPayload *payload, List **variants)
{
	for (int i = 0; i < payload->nrelations; i++)
	{
		const KgPayloadRelation *relation = &payload->relations[i];
		const char *slash = strchr(relation->to, '/');
		Variant variant = {0};

		variant.relation = relation->name;
		variant.from_type = strchr(relation->from, '/')
								? strchr(relation->from, '/') + 1
								: relation->from;
		variant.to_bundle = slash ? pnstrdup(relation->to, slash - relation->to)
								  : payload->name;
		variant.to_type = slash ? slash + 1 : relation->to;
		variant.schema = relation->schema;
		variant.inverse = relation->inverse;
		variant.symmetric = relation->symmetric;
		add_variant(variants, &variant);
	}
}

/* Declared variants that a merge keeps, because the payload names none. */
static void
keep_variants(const KgApply *apply, List **variants)
{
	const KgCatalog *before = apply->before;

	for (int i = 0; i < before->nrelations; i++)
	{
		const KgRelation *relation = &before->relations[i];

		if (relation->derived ||
			strcmp(relation->bundle, apply->payload->name) != 0)
			continue;
		for (int j = 0; j < relation->nvariants; j++)
		{
			const KgType *from = kg_catalog_type_no(
				before, relation->variants[j].from_type_no);
			const KgType *to = kg_catalog_type_no(
				before, relation->variants[j].to_type_no);
			Variant variant = {0};

			if (from == NULL || to == NULL)
				continue;
			variant.relation = relation->name;
			variant.from_type = from->name;
			variant.to_bundle = to->bundle;
			variant.to_type = to->name;
			variant.schema = relation->variants[j].schema;
			variant.inverse = relation->inverse;
			variant.symmetric = relation->symmetric;
			add_variant(variants, &variant);
		}
	}
}

static List *
future_variants(const KgApply *apply)
{
	const KgPayload *payload = apply->payload;
	List *variants = NIL;

	for (int i = 0; i < payload->ntypes; i++)
		derive_variants(payload->types[i].parsed, payload->name, &variants);
	declare_variants(payload, &variants);
	if (!apply->options.merge)
		return variants;
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = apply->before->types[i];

		if (strcmp(type->bundle, payload->name) == 0 &&
			!in_payload(payload, type->name))
			derive_variants(type, payload->name, &variants);
	}
	keep_variants(apply, &variants);
	return variants;
}

static int32
relation_number(const KgApply *apply, const char *name, List *variants,
				const int32 *numbers, int n)
{
	static KgSaved saved;

	for (int i = 0; i < apply->before->nrelations; i++)
	{
		const KgRelation *relation = &apply->before->relations[i];

		if (strcmp(relation->name, name) == 0 &&
			strcmp(relation->bundle, apply->payload->name) == 0)
			return relation->relation_no;
	}
	for (int i = 0; i < n; i++)
		if (strcmp(((Variant *) list_nth(variants, i))->relation, name) == 0)
			return numbers[i];
	kg_spi_run(&saved,
			   "SELECT nextval('@kg_relation_seq')",
			   0,
			   NULL,
			   NULL,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	return kg_spi_int64(0, 1);
}

/*
 * Edges of relations that the bundle no longer has go with them; edges of a
 * derived relation go with the references that they come from.
 */
static void
delete_relations(KgApply *apply, List *variants)
{
	static KgSaved edges_saved;
	static const Oid argtypes[] = {TEXTOID, INT4OID};

	for (int i = 0; i < apply->before->nrelations; i++)
	{
		const KgRelation *relation = &apply->before->relations[i];
		Datum values[] = {CStringGetTextDatum(apply->tenant),
						  Int32GetDatum(relation->relation_no)};
		bool kept = false;
		ListCell *lc;

		if (strcmp(relation->bundle, apply->payload->name) != 0)
			continue;
		foreach(lc, variants)
			kept |= strcmp(((Variant *) lfirst(lc))->relation,
						   relation->name) == 0;
		if (kept)
			continue;
		/* Nobody adds to them, and what was added by now is seen. */
		(void) kg_lock_relation_exclusive(relation->relation_no);
		kg_spi_run_latest(&edges_saved,
						  "DELETE FROM @kg_edge WHERE tenant = $1 "
						  "AND relation_no = $2",
						  2,
						  argtypes,
						  values,
						  NULL,
						  SPI_OK_DELETE);
		if (!relation->derived)
			kg_apply_counts(apply, &apply->edge_counts, relation->name)
				->deleted += SPI_processed;
	}
}

/* The columns of a row of kg_relation, in the order of its table. */
#define KG_RELATION_COLUMNS 11

static void
variant_row(const KgApply *apply, const Variant *v, int32 number, Datum *values,
			char *nulls)
{
	memset(nulls, ' ', KG_RELATION_COLUMNS);
	put_text(values, nulls, 0, apply->tenant);
	put_text(values, nulls, 1, apply->payload->name);
	put_text(values, nulls, 2, v->relation);
	put_text(values, nulls, 3, v->from_type);
	put_text(values, nulls, 4, v->to_bundle);
	put_text(values, nulls, 5, v->to_type);
	values[6] = Int32GetDatum(number);
	put_text(values, nulls, 7, v->property);
	put_jsonb(values, nulls, 8, v->schema);
	put_text(values, nulls, 9, v->inverse);
	values[10] = BoolGetDatum(v->symmetric);
}

static const Oid relation_types[] = {TEXTOID,
									 TEXTOID,
									 TEXTOID,
									 TEXTOID,
									 TEXTOID,
									 TEXTOID,
									 INT4OID,
									 TEXTOID,
									 JSONBOID,
									 TEXTOID,
									 BOOLOID};

/* Are exactly these variants stored? */
static bool
relations_stored(const KgApply *apply, List *variants, const int32 *numbers)
{
	static KgSaved count_saved;
	static KgSaved compare_saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID};
	Datum key[] = {CStringGetTextDatum(apply->tenant),
				   CStringGetTextDatum(apply->payload->name)};

	kg_spi_run(&count_saved,
			   "SELECT count(*) FROM @kg_relation WHERE tenant = $1 "
			   "AND bundle = $2",
			   2,
			   argtypes,
			   key,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	if (kg_spi_int64(0, 1) != list_length(variants))
		return false;
	for (int i = 0; i < list_length(variants); i++)
	{
		Datum values[KG_RELATION_COLUMNS];
		char nulls[KG_RELATION_COLUMNS];

		variant_row(apply, list_nth(variants, i), numbers[i], values, nulls);
		kg_spi_run(&compare_saved,
				   "SELECT FROM @kg_relation WHERE tenant = $1 AND bundle = $2 "
				   "AND relation = $3 AND from_type = $4 AND to_bundle = $5 "
				   "AND to_type = $6 AND relation_no = $7 "
				   "AND property IS NOT DISTINCT FROM $8 "
				   "AND schema IS NOT DISTINCT FROM $9 "
				   "AND inverse IS NOT DISTINCT FROM $10 "
				   "AND is_symmetric = $11",
				   KG_RELATION_COLUMNS,
				   relation_types,
				   values,
				   nulls,
				   false,
				   SPI_OK_SELECT);
		if (SPI_processed == 0)
			return false;
	}
	return true;
}

/* Few rows: written anew when they differ. */
static void
write_relations(KgApply *apply)
{
	static KgSaved delete_saved;
	static KgSaved insert_saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID};
	List *variants = future_variants(apply);
	int n = list_length(variants);
	int32 *numbers = palloc(Max(1, n) * sizeof(int32));
	Datum key[] = {CStringGetTextDatum(apply->tenant),
				   CStringGetTextDatum(apply->payload->name)};

	for (int i = 0; i < n; i++)
		numbers[i] = relation_number(
			apply,
			((Variant *) list_nth(variants, i))->relation,
			variants,
			numbers,
			i);
	delete_relations(apply, variants);
	if (relations_stored(apply, variants, numbers))
		return;
	apply->changed = true;
	for (int i = 0; i < apply->before->nrelations; i++)
		if (strcmp(apply->before->relations[i].bundle, apply->payload->name) ==
			0)
			(void) kg_lock_relation_exclusive(
				apply->before->relations[i].relation_no);
	kg_spi_run(&delete_saved,
			   "DELETE FROM @kg_relation WHERE tenant = $1 AND bundle = $2",
			   2,
			   argtypes,
			   key,
			   NULL,
			   false,
			   SPI_OK_DELETE);
	for (int i = 0; i < n; i++)
	{
		Datum values[KG_RELATION_COLUMNS];
		char nulls[KG_RELATION_COLUMNS];

		variant_row(apply, list_nth(variants, i), numbers[i], values, nulls);
		kg_spi_run(&insert_saved,
				   "INSERT INTO @kg_relation(tenant, bundle, relation, "
				   "from_type, to_bundle, to_type, relation_no, property, "
				   "schema, inverse, is_symmetric) VALUES "
				   "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
				   KG_RELATION_COLUMNS,
				   relation_types,
				   values,
				   nulls,
				   false,
				   SPI_OK_INSERT);
	}
}

static void
write_tool(KgApply *apply, const char *type, const char *operation,
		   const char *tool)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(apply->tenant),
					  CStringGetTextDatum(tool),
					  CStringGetTextDatum(apply->payload->name),
					  CStringGetTextDatum(type),
					  CStringGetTextDatum(operation)};

	kg_spi_run(&saved,
			   "INSERT INTO @kg_tool AS t (tenant, tool, bundle, entity_type, "
			   "operation) VALUES ($1, $2, $3, $4, $5) "
			   "ON CONFLICT (tenant, tool) DO UPDATE SET entity_type = $4, "
			   "operation = $5 WHERE t.bundle = $3 "
			   "RETURNING tool",
			   5,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT_RETURNING);
	/* Another bundle took the name since the check. */
	if (SPI_processed == 0)
		kg_error_throw(kg_error_new(
			KG_ALREADY_EXISTS,
			"tool_name_collision_in_tenant: tool \"%s\" of bundle \"%s\" was "
			"made by another bundle in the meantime",
			tool,
			apply->payload->name));
}

/*
 * The tools of the payload's types.  The primary key decides when another
 * bundle made a tool of the name in the meantime.
 */
static void
write_tools(KgApply *apply)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	KgPayload *payload = apply->payload;

	for (int i = 0; i < payload->ntypes; i++)
	{
		const KgPayloadType *type = &payload->types[i];
		int expose = type->parsed->expose;
		Datum values[] = {
			CStringGetTextDatum(apply->tenant),
			CStringGetTextDatum(payload->name),
			CStringGetTextDatum(type->name),
			CStringGetTextDatum(expose & KG_EXPOSE_LIST ? "list" : ""),
			CStringGetTextDatum(
				psprintf("%s,%s",
						 expose & KG_EXPOSE_GET ? "get" : "",
						 expose & KG_EXPOSE_LIST_IDS ? "list_ids" : ""))};

		kg_spi_run(&saved,
				   "DELETE FROM @kg_tool WHERE tenant = $1 AND bundle = $2 "
				   "AND entity_type = $3 AND operation <> $4 "
				   "AND operation <> ALL (string_to_array($5, ','))",
				   5,
				   argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_DELETE);
		if (expose & KG_EXPOSE_LIST)
			write_tool(
				apply, type->name, "list", psprintf("list_%s", type->name));
		if (expose & KG_EXPOSE_GET)
			write_tool(
				apply, type->name, "get", psprintf("get_%s", type->name));
		if (expose & KG_EXPOSE_LIST_IDS)
			write_tool(apply,
					   type->name,
					   "list_ids",
					   psprintf("list_%s_ids", type->name));
	}
}

/* Nobody writes entities of a type that is going. */
static void
lock_dropped_types(const KgApply *apply)
{
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = apply->before->types[i];

		if (strcmp(type->bundle, apply->payload->name) == 0 &&
			!in_payload(apply->payload, type->name))
			(void) kg_lock_type_exclusive(type->type_no);
	}
}

void
kg_bundle_write_types(KgApply *apply)
{
	if (!apply->options.merge)
		lock_dropped_types(apply);
	write_bundle(apply);
	for (int i = 0; i < apply->payload->ntypes; i++)
		write_type(apply, &apply->payload->types[i]);
	write_relations(apply);
	write_tools(apply);
}

/*
 * Entities are left: what another session wrote after the snapshot of a
 * transaction that has one, or what a policy hides from the caller.
 */
static void
throw_still_used(const KgApply *apply, const KgType *type)
{
	KgError *err = kg_error_new(KG_CONFLICT,
								"entities of type \"%s\" in bundle \"%s\" "
								"are left, so the type cannot be dropped",
								type->name,
								apply->payload->name);

	kg_error_entity(err, type->name, NULL);
	kg_error_expected(err,
					  "the same call again, by a role that sees every entity "
					  "of the type");
	kg_error_throw(err);
}

void
kg_bundle_delete_types(KgApply *apply)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID};

	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = apply->before->types[i];
		Datum values[] = {CStringGetTextDatum(apply->tenant),
						  CStringGetTextDatum(apply->payload->name),
						  CStringGetTextDatum(type->name)};

		if (strcmp(type->bundle, apply->payload->name) != 0 ||
			in_payload(apply->payload, type->name))
			continue;
		kg_spi_run_latest(&saved,
						  "DELETE FROM @kg_entity_type WHERE tenant = $1 "
						  "AND bundle = $2 AND entity_type = $3 "
						  "AND NOT EXISTS (SELECT FROM @kg_entity "
						  "WHERE tenant = $1 AND bundle = $2 "
						  "AND entity_type = $3)",
						  3,
						  argtypes,
						  values,
						  NULL,
						  SPI_OK_DELETE);
		if (SPI_processed == 0)
			throw_still_used(apply, type);
		apply->type_changes[KG_CHANGE_DELETED] = lappend(
			apply->type_changes[KG_CHANGE_DELETED], (char *) type->name);
		apply->changed = true;
	}
}
