/*
 * bundle/types.c
 *	  Writing a bundle's row, types, relations and tools. All functions run
 *	  as the extension's owner, inside SPI_connect(), under the bundle's
 *	  lock.
 */
#include "postgres.h"

#include "auth/owner.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/text.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "store/bundle/bundle.h"
#include "store/bundle/numbers.h"
#include "utils/builtins.h"

/*
 * Writes the row of the bundle. A merge keeps stored members that the payload
 * does not have.
 */
static void
write_bundle(KgApply *apply)
{
	const KgPayload *payload = apply->payload;
	const KgBundle *stored = kg_bundle_stored(apply);
	bool merge = apply->options.merge && stored;
	const char *description = payload->description;
	const char *instructions = payload->instructions;
	const Jsonb *definitions = payload->definitions;

	if (merge && description == NULL)
		description = stored->description;
	if (merge && instructions == NULL)
		instructions = stored->instructions;
	if (merge && definitions == NULL)
		definitions = stored->definitions;
	if (stored && kg_text_same(stored->version, payload->version) &&
		kg_text_same(stored->description, description) &&
		kg_text_same(stored->instructions, instructions) &&
		kg_json_same(stored->definitions, definitions))
		return;
	apply->changed = true;
	KG_SPI_EXEC("INSERT INTO @kg_bundle(tenant, bundle, version, description, "
				"instructions, definitions, revision) "
				"VALUES ($1, $2, $3, $4, $5, $6, 0) "
				"ON CONFLICT (tenant, bundle) DO UPDATE SET version = $3, "
				"description = $4, instructions = $5, definitions = $6",
				kg_arg_text(apply->tenant),
				kg_arg_text(payload->name),
				kg_arg_text(payload->version),
				kg_arg_text(description),
				kg_arg_text(instructions),
				kg_arg_jsonb(definitions));
}

/*
 * Returns the names of fields, indexed by field number. A number is never used
 * for another property, because stored keys have the previous numbers until
 * they are rebuilt.
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

/*
 * Returns whether the type is stored unchanged, so that nothing must be
 * written.
 */
static bool
type_is_stored(const KgApply *apply, const KgPayloadType *type)
{
	if (type->stored == NULL ||
		strcmp(type->stored->schema_hash, type->hash) != 0)
		return false;
	if (type->position < 0)
		return true;
	KG_SPI_EXEC("SELECT FROM @kg_entity_type WHERE tenant = $1 AND bundle = $2 "
				"AND entity_type = $3 AND position = $4",
				kg_arg_text(apply->tenant),
				kg_arg_text(apply->payload->name),
				kg_arg_text(type->name),
				kg_arg_int4(type->position));
	return SPI_processed > 0;
}

/*
 * Sets the positions of the payload's types for a merge. Stored types keep
 * their positions, and new types follow them.
 */
static void
place_types(KgApply *apply)
{
	int32 first;

	KG_SPI_EXEC("SELECT coalesce(max(position) + 1, 0)::bigint "
				"FROM @kg_entity_type WHERE tenant = $1 AND bundle = $2",
				kg_arg_text(apply->tenant),
				kg_arg_text(apply->payload->name));
	first = kg_spi_int64(0, 1);
	for (int i = 0; i < apply->payload->ntypes; i++)
	{
		KgPayloadType *type = &apply->payload->types[i];

		type->position = type->stored ? -1 : first + type->position;
	}
}

static void
write_type(KgApply *apply, const KgPayloadType *type)
{
	static KgSaved saved;
	const KgType *stored = type->stored;

	if (type_is_stored(apply, type))
		return;
	if (stored && strcmp(stored->schema_hash, type->hash) != 0)
		(void) kg_lock_type_exclusive(stored->type_no);
	/*
	 * The position determines the order of tools. It is updated even if the
	 * type itself does not change.
	 */
	if (!kg_spi_insert(
			&saved,
			"kg_entity_type_tenant_bundle_fkey",
			"INSERT INTO @kg_entity_type AS t (tenant, bundle, entity_type, "
			"type_no, schema, schema_hash, position, key_fields, "
			"history_since, "
			"version_above) VALUES ($1, $2, $3, $9, $4, $5, $6, $7, "
			"CASE WHEN $8 THEN clock_timestamp() END, "
			"coalesce((SELECT version FROM @kg_freed_type WHERE tenant = $1 "
			"AND bundle = $2 AND entity_type = $3), 0)) "
			"ON CONFLICT (tenant, bundle, entity_type) DO UPDATE SET "
			"schema = $4, schema_hash = $5, key_fields = $7, "
			"history_since = CASE WHEN $8 THEN "
			"coalesce(t.history_since, clock_timestamp()) END, "
			"position = CASE WHEN $6 < 0 THEN t.position ELSE $6 END, "
			"updated_at = CASE WHEN t.schema_hash = $5 "
			"THEN t.updated_at ELSE now() END "
			"WHERE t.schema_hash <> $5 OR "
			"($6 >= 0 AND t.position <> $6)",
			kg_arg_text(apply->tenant),
			kg_arg_text(apply->payload->name),
			kg_arg_text(type->name),
			kg_arg_jsonb(type->schema),
			kg_arg_text(type->hash),
			kg_arg_int4(type->position),
			kg_arg(TEXTARRAYOID, key_fields(stored, type->parsed)),
			kg_arg_bool(type->parsed->history),
			kg_arg_int4(stored ? stored->type_no
							   : kg_number_new(apply, KG_NUMBERED_TYPE))))
		kg_catalog_throw_changed();
	apply->moved = true;
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

/*
 * Locks the types that will be deleted, so that no session writes entities of
 * these types.
 */
static void
lock_dropped_types(const KgApply *apply)
{
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, apply->payload->name) == 0 &&
			!kg_payload_type(apply->payload, type->name))
			(void) kg_lock_type_exclusive(type->type_no);
	}
}

void
kg_bundle_write_types(KgApply *apply)
{
	if (!apply->options.merge)
		lock_dropped_types(apply);
	write_bundle(apply);
	if (apply->options.merge)
		place_types(apply);
	for (int i = 0; i < apply->payload->ntypes; i++)
		write_type(apply, &apply->payload->types[i]);
	kg_bundle_write_relations(apply);
	kg_bundle_write_tools(apply);
}

static bool
same_authorize(const KgAuthorize *a, const KgAuthorize *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a->ability, b->ability) == 0 &&
		   strcmp(a->resource_type, b->resource_type) == 0 &&
		   kg_text_same(a->id_field ? a->id_field->name : NULL,
						b->id_field ? b->id_field->name : NULL);
}

static void
require_same_authorize(const char *name, const KgType *before,
					   const KgType *after)
{
	if (same_authorize(before ? before->authorize : NULL,
					   after ? after->authorize : NULL))
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf("\"x-authorize\" of entity type \"%s\" can be "
								 "changed only by the owner of the extension",
								 name),
			 .keyword = "x-authorize",
			 .type = name,
			 .expected = "the stored \"x-authorize\", or a new type without "
						 "\"x-authorize\"");
}

void
kg_bundle_check_authorize(const KgApply *apply, Oid caller)
{
	const char *bundle = apply->payload->name;

	if ((!apply->before->authorizes && !apply->after->authorizes) ||
		kg_has_owner_rights(caller))
		return;
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *before = kg_type_of(&apply->before->types[i]);

		if (strcmp(before->bundle, bundle) == 0)
			require_same_authorize(
				before->name,
				before,
				apply->options.merge ||
						kg_payload_type(apply->payload, before->name)
					? kg_catalog_type_in(apply->after, bundle, before->name)
					: NULL);
	}
	for (int i = 0; i < apply->after->ntypes; i++)
	{
		const KgType *after = kg_type_of(&apply->after->types[i]);

		if (strcmp(after->bundle, bundle) == 0 &&
			kg_catalog_type_in(apply->before, bundle, after->name) == NULL)
			require_same_authorize(after->name, NULL, after);
	}
}

/*
 * Raises an error for a type that still has entities: written by another
 * session after the transaction's snapshot, or hidden from the caller by a
 * policy.
 */
static void
throw_still_used(const KgApply *apply, const KgType *type)
{
	KG_THROW(apply->sees_all ? KG_CONFLICT : KG_FORBIDDEN,
			 .message = psprintf("entities of type \"%s\" in bundle \"%s\" "
								 "remain, so the type cannot be dropped",
								 type->name,
								 apply->payload->name),
			 .type = type->name,
			 .expected = apply->sees_all
							 ? "the same call, sent again"
							 : "a call by a role that sees every entity of the "
							   "type");
}

void
kg_bundle_delete_types(KgApply *apply)
{
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, apply->payload->name) != 0 ||
			kg_payload_type(apply->payload, type->name))
			continue;
		KG_SPI_LATEST("WITH gone AS (DELETE FROM @kg_entity_type "
					  "WHERE tenant = $1 "
					  "AND bundle = $2 AND entity_type = $3 "
					  "AND NOT EXISTS (SELECT FROM @kg_entity "
					  "WHERE tenant = $1 AND bundle = $2 "
					  "AND entity_type = $3) "
					  "RETURNING type_no, version_above) "
					  "INSERT INTO @kg_freed_type AS t "
					  "SELECT $1, $2, $3, greatest(gone.version_above, "
					  "(SELECT max(version) FROM @kg_freed f "
					  "WHERE f.tenant = $1 AND f.type_no = gone.type_no)) "
					  "FROM gone ON CONFLICT (tenant, bundle, entity_type) "
					  "DO UPDATE SET version = excluded.version",
					  kg_arg_text(apply->tenant),
					  kg_arg_text(apply->payload->name),
					  kg_arg_text(type->name));
		if (SPI_processed == 0)
			throw_still_used(apply, type);
		apply->type_changes[KG_CHANGE_DELETED] = lappend(
			apply->type_changes[KG_CHANGE_DELETED], (char *) type->name);
		apply->changed = true;
	}
}
