/*
 * entities.c
 *	  The statements that write entities.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/spi.h"
#include "miscadmin.h"
#include "store/entity/entities.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"

/* Number of entities per statement. */
#define KG_NODES_AT_ONCE 5000

#define KG_INSERT                                          \
	"INSERT INTO @kg_entity(tenant, bundle, entity_type, " \
	"entity_id, data) SELECT $1, $2, $3, unnest($4), unnest($5)"

#define KG_NEW_ARGS 5

void
kg_entities_init(KgColumns *rows)
{
	static const Oid types[] = {TEXTOID, JSONBOID};

	kg_columns_init(rows, CurrentMemoryContext, lengthof(types), types);
}

void
kg_entities_add(KgColumns *rows, const char *id, const Jsonb *data)
{
	kg_columns_add_row(rows);
	kg_columns_text(rows, 0, id);
	kg_columns_datum(rows, 1, JsonbPGetDatum(data));
}

static void
new_args(const char *tenant, const KgType *type, const KgColumns *rows,
		 KgArg *args)
{
	args[0] = kg_arg_text(tenant);
	args[1] = kg_arg_text(type->bundle);
	args[2] = kg_arg_text(type->name);
	kg_columns_args(rows, &args[3]);
}

bool
kg_entities_insert(const char *tenant, const KgType *type,
				   const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_NEW_ARGS];

	new_args(tenant, type, rows, args);
	if (!kg_spi_insert_args(
			&saved, "kg_entity_pkey", KG_INSERT, KG_NEW_ARGS, args))
		return false;
	if (SPI_processed < rows->nrows)
		kg_error_throw(kg_kept_error("entity", "inserted"));
	return true;
}

void
kg_entities_insert_free(const char *tenant, const KgType *type,
						const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_NEW_ARGS];

	new_args(tenant, type, rows, args);
	kg_spi_exec_args(&saved,
					 KG_INSERT
					 " ON CONFLICT DO NOTHING RETURNING entity_id, version",
					 KG_NEW_ARGS,
					 args);
}

void
kg_restored_init(KgColumns *rows)
{
	static const Oid types[] = {TEXTOID, TEXTOID, TEXTOID, JSONBOID, INT8OID};

	kg_columns_init(rows, CurrentMemoryContext, lengthof(types), types);
}

void
kg_restored_add(KgColumns *rows, const KgType *type, const char *id,
				const Jsonb *data, int64 node)
{
	kg_columns_add_row(rows);
	kg_columns_text(rows, 0, type->bundle);
	kg_columns_text(rows, 1, type->name);
	kg_columns_text(rows, 2, id);
	kg_columns_datum(rows, 3, JsonbPGetDatum(data));
	if (node != 0)
		kg_columns_int64(rows, 4, node);
}

bool
kg_entities_restore(const char *tenant, const KgColumns *rows)
{
	static KgSaved saved = KG_SAVED_BATCH;

	return kg_columns_insert(&saved,
							 "kg_entity_pkey",
							 "INSERT INTO @kg_entity(tenant, bundle, "
							 "entity_type, entity_id, data, node) "
							 "SELECT $1, bundle, type, id, data, node "
							 "FROM unnest($2, $3, $4, $5, $6) "
							 "u(bundle, type, id, data, node)",
							 tenant,
							 rows);
}

void
kg_changes_init(KgColumns *rows)
{
	static const Oid types[] = {INT8OID, TEXTOID, JSONBOID};

	kg_columns_init(rows, CurrentMemoryContext, lengthof(types), types);
}

void
kg_changes_add(KgColumns *rows, int64 node, const char *id, const Jsonb *data)
{
	kg_columns_add_row(rows);
	kg_columns_int64(rows, 0, node);
	if (id)
		kg_columns_text(rows, 1, id);
	kg_columns_datum(rows, 2, JsonbPGetDatum(data));
}

void
kg_entities_delete_nodes(const char *tenant, const int64 *nodes, int n)
{
	KG_BATCH_EXEC("DELETE FROM @kg_entity WHERE tenant = $1 "
				  "AND node = ANY($2) RETURNING node, entity_id",
				  kg_arg_text(tenant),
				  kg_arg_int8s(nodes, n));
}

void
kg_entities_delete_latest(const char *tenant, const KgNodeList *nodes)
{
	KG_BATCH_LATEST("DELETE FROM @kg_entity WHERE tenant = $1 "
					"AND node = ANY($2)",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes->nodes, nodes->n));
}

static KG_NORETURN void
throw_kept(int n)
{
	KG_THROW(
		KG_CONFLICT,
		.message = psprintf(
			"a trigger prevented the update of %d entities to their new schema",
			n),
		.expected = "no trigger on kg_entity that prevents updates");
}

void
kg_entities_write_again(const char *tenant, const KgNodeList *nodes)
{
	int written = 0;

	for (int i = 0; i < nodes->n; i += KG_NODES_AT_ONCE)
	{
		CHECK_FOR_INTERRUPTS();
		KG_BATCH_LATEST("UPDATE @kg_entity SET index_keys = '' "
						"WHERE tenant = $1 AND node = ANY($2)",
						kg_arg_text(tenant),
						kg_arg_int8s(nodes->nodes + i,
									 Min(KG_NODES_AT_ONCE, nodes->n - i)));
		written += SPI_processed;
	}
	if (written < nodes->n)
		throw_kept(nodes->n - written);
}

bool
kg_entity_is_gone(const char *tenant, int64 node, const char *id)
{
	KgUserContext user;
	bool gone;

	kg_become_owner(&user);
	KG_SPI_EXEC("SELECT FROM @kg_entity WHERE tenant = $1 AND node = $2 "
				"AND ($3 IS NULL OR entity_id = $3)",
				kg_arg_text(tenant),
				kg_arg_int8(node),
				kg_arg_text(id));
	gone = SPI_processed == 0;
	SPI_freetuptable(SPI_tuptable);
	kg_restore_user(&user);
	return gone;
}

KgError *
kg_unwritten_error(const char *tenant, int64 node, const char *id)
{
	if (!kg_entity_is_gone(tenant, node, id))
		return kg_kept_error("entity", "updated");
	return KG_ERROR(
		KG_CONFLICT,
		.message = "another session deleted the entity at the same time",
		.expected = "the same call, sent again");
}

KgError *
kg_id_taken_error(const KgType *type, const char *id)
{
	return KG_ERROR(KG_ALREADY_EXISTS,
					.message = psprintf("id \"%s\" is already in use", id),
					.type = kg_type_handle(type),
					.id = id,
					.got_string = id,
					.expected = "another id, or the same call, sent again");
}

/* Raises the error for the first node of the batch that was not written. */
static void
throw_unwritten(const char *tenant, const KgColumns *columns,
				const KgNodeList *written)
{
	for (int i = 0; i < columns->nrows; i++)
	{
		int64 node = DatumGetInt64(columns->values[0][i]);

		const char *id = columns->nulls[1][i]
							 ? NULL
							 : TextDatumGetCString(columns->values[1][i]);

		if (!kg_nodes_have(written, node))
			kg_error_throw(kg_unwritten_error(tenant, node, id));
	}
}

#define KG_CHANGE_MANY                           \
	"UPDATE @kg_entity e SET data = u.data "     \
	"FROM unnest($2, $3, $4) u(node, id, data) " \
	"WHERE e.tenant = $1 AND e.node = u.node "   \
	"AND (u.id IS NULL OR e.entity_id = u.id) "
#define KG_CHANGE_ONE                      \
	"UPDATE @kg_entity e SET data = $4 "   \
	"WHERE e.tenant = $1 AND e.node = $2 " \
	"AND ($3 IS NULL OR e.entity_id = $3) "
#define KG_MOVED                                               \
	"RETURNING e.node, (e.version IS DISTINCT FROM "           \
	"(SELECT b.version FROM @kg_entity b WHERE b.tenant = $1 " \
	"AND b.node = e.node))::int::bigint"

void
kg_entities_update(const char *tenant, const KgColumns *columns,
				   KgNodeList *written)
{
	static KgForms plain = KG_FORMS(KG_CHANGE_MANY "RETURNING e.node",
									KG_CHANGE_ONE "RETURNING e.node");
	/*
	 * If a trigger of a DBA restores the previous document, the row is
	 * returned, too, but its version does not change. Such a row does not count
	 * as updated.
	 */
	static KgForms watched = KG_FORMS(KG_CHANGE_MANY KG_MOVED,
									  KG_CHANGE_ONE KG_MOVED);
	KgNodeList own = {CurrentMemoryContext};
	/* the caller does not want the list, so an unwritten entity is an error */
	bool all = written == NULL;
	bool triggers = kg_stored_has_own_triggers("kg_entity");

	if (columns->nrows == 0)
		return;
	if (all)
		written = &own;
	kg_columns_run(triggers ? &watched : &plain, tenant, columns);
	for (uint64 i = 0; i < SPI_processed; i++)
		if (!triggers || kg_spi_int64(i, 2) != 0)
			kg_node_add(written, kg_spi_int64(i, 1));
	SPI_freetuptable(SPI_tuptable);
	kg_nodes_sort(written);
	if (all && written->n < columns->nrows)
		throw_unwritten(tenant, columns, written);
}

void
kg_entities_update_latest(const char *tenant, const KgColumns *columns)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[4] = {kg_arg_text(tenant)};

	kg_columns_args(columns, &args[1]);
	kg_spi_exec_latest_args(&saved, KG_CHANGE_MANY, lengthof(args), args);
}
