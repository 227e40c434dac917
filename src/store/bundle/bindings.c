/*
 * bundle/bindings.c
 *	  Checks of types that read a table of the user.
 *
 * They run as the caller, who needs SELECT on the table.  A table is refused if
 * no unique index has the id, or if no index has the columns of a reference.
 * model/bound_rows.c refuses it if nothing limits its rows to the tenant.
 */
#include "postgres.h"

#include "access/table.h"
#include "auth/identity.h"
#include "base/spi.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "model/annotations.h"
#include "model/bound_table.h"
#include "model/period.h"
#include "nodes/parsenodes.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "store/bundle/bundle.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

typedef struct Binding
{
	KgApply *apply;
	const KgPayloadType *payload;
	const KgType *type;
	KgBoundTable *table;
	const char *path;
} Binding;

static KgError *
refusal(const Binding *binding, const char *message)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"%s \"%s\" cannot read table %s: %s",
								kg_binding_subject(binding->type),
								binding->type->name,
								binding->table->name,
								message);

	kg_error_keyword(err, "x-table");
	kg_error_path(err, "%s", binding->path);
	return err;
}

static void
refuse(const Binding *binding, const char *message, const char *expected)
{
	KgError *err = refusal(binding, message);

	kg_error_expected(err, "%s", expected);
	kg_error_report(&binding->apply->errors, err);
}

/* ---- views ---- */

static bool
is_simple(const Query *query)
{
	return query->jointree != NULL &&
		   list_length(query->jointree->fromlist) == 1 &&
		   IsA(linitial(query->jointree->fromlist), RangeTblRef) &&
		   query->setOperations == NULL && query->groupClause == NIL &&
		   query->groupingSets == NIL && query->distinctClause == NIL &&
		   !query->hasAggs && !query->hasTargetSRFs && query->cteList == NIL;
}

/*
 * Replaces a view of one table by that table, and the numbers of columns by
 * those of the table.  Returns InvalidOid if the view has another form.
 */
static Oid
base_of(Oid relid, int64 *columns, int n)
{
	while (get_rel_relkind(relid) == RELKIND_VIEW)
	{
		Relation view = table_open(relid, AccessShareLock);
		const Query *query = get_view_query(view);
		Oid base = InvalidOid;

		if (is_simple(query))
		{
			int rtindex =
				linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
			const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);

			if (rte->rtekind == RTE_RELATION)
				base = rte->relid;
			for (int i = 0; i < n; i++)
			{
				const TargetEntry *entry = get_tle_by_resno(query->targetList,
															columns[i]);

				if (entry == NULL || !IsA(entry->expr, Var) ||
					((const Var *) entry->expr)->varno != rtindex)
					base = InvalidOid;
				else
					columns[i] = ((const Var *) entry->expr)->varattno;
			}
		}
		table_close(view, AccessShareLock);
		if (!OidIsValid(base))
			return InvalidOid;
		relid = base;
	}
	return relid;
}

/* ---- indexes ---- */

static int64 *
numbers_of(const KgBoundProperty *property)
{
	int64 *numbers = palloc((property->ncolumns + 1) * sizeof(int64));

	for (int i = 0; i < property->ncolumns; i++)
		numbers[i] = property->columns[i].number;
	return numbers;
}

/* Returns whether a complete index begins with these columns in some order. */
static bool
has_index(Oid relid, const int64 *columns, int n, bool unique)
{
	KG_SPI_EXEC(
		"SELECT FROM pg_index i WHERE i.indrelid = $1 AND i.indisvalid "
		"AND i.indpred IS NULL AND i.indexprs IS NULL "
		"AND (NOT $4 OR (i.indisunique AND i.indnkeyatts = $3)) "
		"AND i.indnkeyatts >= $3 "
		"AND (SELECT array_agg(k::bigint ORDER BY k) FROM "
		"unnest((i.indkey::int2[])[0:$3 - 1]) k) = "
		"(SELECT array_agg(c ORDER BY c) FROM unnest($2) c) "
		"AND (NOT $4 OR (SELECT relkind FROM pg_class WHERE oid = $1) = 'm' "
		"OR NOT EXISTS (SELECT FROM pg_attribute a "
		"WHERE a.attrelid = $1 AND a.attnum = ANY ($2) AND NOT a.attnotnull))",
		kg_arg(OIDOID, ObjectIdGetDatum(relid)),
		kg_arg_int8s(columns, n),
		kg_arg_int4(n),
		kg_arg_bool(unique));
	return SPI_processed > 0;
}

static char *
columns_text(const KgBoundProperty *property)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < property->ncolumns; i++)
		appendStringInfo(
			&text, "%s%s", i > 0 ? ", " : "", property->columns[i].name);
	return text.data;
}

static void
require_index(const Binding *binding, const KgBoundProperty *property,
			  bool unique, const char *what)
{
	const KgBoundTable *table = binding->table;
	int n = property->ncolumns;
	int64 *columns = numbers_of(property);
	Oid base;

	/* The server of a foreign table has its own indexes. */
	if (table->kind == RELKIND_FOREIGN_TABLE)
		return;
	base = base_of(table->relid, columns, n);
	if (!OidIsValid(base))
	{
		refuse(binding,
			   psprintf("the view's columns (%s) of %s are not those of one "
						"table",
						columns_text(property),
						what),
			   "a view of one table with its columns, or the table");
		return;
	}
	if (has_index(base, columns, n, unique))
		return;
	refuse(binding,
		   psprintf("no %sindex has the columns of %s",
					unique ? "unique " : "",
					what),
		   unique ? psprintf("NOT NULL columns, and: CREATE UNIQUE INDEX "
							 "CONCURRENTLY ON %s (%s)",
							 table->name,
							 columns_text(property))
				  : psprintf("CREATE INDEX CONCURRENTLY ON %s (%s)",
							 table->name,
							 columns_text(property)));
}

/* ---- references ---- */

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static void
check_reference(const Binding *binding, const KgField *field,
				const KgBoundProperty *property)
{
	const KgType *target = kg_bundle_future_type(
		binding->apply,
		field->ref_bundle ? field->ref_bundle : binding->apply->payload->name,
		field->ref_type);
	const KgBoundTable *table;
	KgErrorList none = {.limit = 1};

	if (target == NULL)
		return;
	if (target->binding == NULL || field->is_array || field->ref_field != NULL)
	{
		refuse(binding,
			   psprintf("property \"%s\" refers to a type without a table",
						field->name),
			   "\"x-ref\": a type with \"x-table\", by its id");
		return;
	}
	table = kg_bound_resolve(target, GetUserId(), "", &none);
	if (table == NULL)
		return;
	if (table->id.ncolumns != property->ncolumns)
	{
		refuse(binding,
			   psprintf("property \"%s\" has %d columns, and the id of \"%s\" "
						"has %d",
						field->name,
						property->ncolumns,
						target->name,
						table->id.ncolumns),
			   "the columns of the id, in their order");
		return;
	}
	for (int i = 0; i < property->ncolumns; i++)
	{
		Oid from = property->columns[i].type;
		Oid to = table->id.columns[i].type;

		if (from != to && !(is_integer(from) && is_integer(to)))
			refuse(binding,
				   psprintf("column %s of property \"%s\" has another type "
							"than the id of \"%s\"",
							property->columns[i].name,
							field->name,
							target->name),
				   psprintf("type %s", format_type_be(to)));
	}
	require_index(
		binding, property, false, psprintf("property \"%s\"", field->name));
}

/* Reports columns of the id whose text depends on settings. */
static void
check_id(const Binding *binding)
{
	const KgBoundProperty *id = &binding->table->id;

	for (int i = 0; i < id->ncolumns; i++)
		if (!kg_bound_is_key(id->columns[i].type))
			refuse(binding,
				   psprintf("column %s of the id has type %s, whose text "
							"depends on settings",
							id->columns[i].name,
							format_type_be(id->columns[i].type)),
				   "another unique column as \"id\"");
	require_index(binding, id, true, "the id");
}

static void
check_properties(const Binding *binding)
{
	const KgType *type = binding->type;

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgBoundProperty *property = &binding->table->properties[i];

		if (field->derived || field->ref_field != NULL)
			refuse(binding,
				   psprintf("property \"%s\" has an annotation of stored "
							"entities",
							field->name),
				   "a property without x-derived and x-ref-field");
		for (int j = 0; j < property->ncolumns; j++)
			if (!kg_bound_is_shown(property->columns[j].type))
				refuse(binding,
					   psprintf("column %s has type %s, which JSON does not "
								"show",
								property->columns[j].name,
								format_type_be(property->columns[j].type)),
					   "a binding without this column");
		if (field->ref_type != NULL && property->ncolumns > 0)
			check_reference(binding, field, property);
	}
}

/* ---- the type ---- */

static void
check_annotations(const Binding *binding)
{
	const KgType *type = binding->type;

	if (type->history || type->signs || type->scope_field != NULL ||
		type->authorize != NULL || type->nsearch > 0 ||
		type->period.from != NULL || type->period.to != NULL)
		refuse(binding,
			   "the type has an annotation of stored entities",
			   "no x-history, x-signs, x-scope-field, x-authorize, x-search, "
			   "x-valid-from and x-valid-to");
	if ((type->expose & (KG_EXPOSE_WRITING | KG_EXPOSE_HISTORY)) != 0)
		refuse(binding,
			   "tools that write are not for types with a table",
			   "\"x-tool-expose\" of list, get and list_ids");
}

static void
check_kind(const Binding *binding)
{
	switch (binding->table->kind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_MATVIEW:
		case RELKIND_VIEW:
			break;
		default:
			refuse(binding, "it is neither table nor view", "a table or view");
	}
	/* The tools' own access is by entities, with scopes and authorizers. */
	if (getExtensionOfObject(RelationRelationId, binding->table->relid) ==
		get_extension_oid("kg_graph", false))
		refuse(binding,
			   "it is a table of kg_graph",
			   "a table of your own: entities are read by their types");
}

static void
require_admin(const KgApply *apply, const KgType *type, const char *path)
{
	KgError *err;

	if (kg_identity_tenant(KG_ACCESS_ADMIN) != NULL)
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "\"x-table\" of entity type \"%s\" needs admin access",
					   type->name);
	kg_error_keyword(err, "x-table");
	kg_error_path(err, "%s", path);
	kg_error_throw_expected(err, "a role that was granted admin");
}

/* Checks the table whose rows are the edges of a declared relation. */
static void
check_relation(KgApply *apply, const KgPayloadRelation *payload)
{
	Binding binding = {apply, NULL, NULL};
	const KgType *ends[2];
	const char *names[] = {payload->from, payload->to};
	char *path = psprintf("%s/schema", payload->path);
	KgErrorList ignored = {.limit = 1};
	KgField *fields;
	KgPeriod period;
	int n;

	for (int i = 0; i < 2; i++)
	{
		const char *slash = strchr(names[i], '/');

		ends[i] = kg_bundle_future_type(
			apply,
			slash ? pnstrdup(names[i], slash - names[i]) : apply->payload->name,
			slash ? slash + 1 : names[i]);
		if (ends[i] == NULL)
			return;
	}
	n = kg_properties_parse(payload->schema,
							apply->payload->definitions,
							path,
							&ignored,
							&fields,
							&period);
	binding.type = kg_binding_of_edges(payload->schema,
									   apply->payload->name,
									   payload->name,
									   fields,
									   n,
									   ends[0],
									   ends[1],
									   path,
									   &apply->errors);
	if (binding.type == NULL)
		return;
	binding.path = psprintf("%s/x-table", path);
	require_admin(apply, binding.type, binding.path);
	binding.table = kg_bound_resolve(
		binding.type, GetUserId(), binding.path, &apply->errors);
	if (binding.table == NULL)
		return;
	check_kind(&binding);
	check_properties(&binding);
	if (payload->key != NULL || payload->history || payload->symmetric ||
		payload->expose != 0 || kg_period_any(&period))
		refuse(&binding,
			   "the relation has a member of stored edges",
			   "no \"key\", \"history\", \"symmetric\", \"x-tool-expose\" and "
			   "periods");
}

static void
check_binding(KgApply *apply, const KgPayloadType *payload)
{
	Binding binding = {apply, payload, payload->parsed};

	binding.path = psprintf("%s/x-table", payload->path);
	require_admin(apply, binding.type, binding.path);
	binding.table = kg_bound_resolve(
		binding.type, GetUserId(), binding.path, &apply->errors);
	if (binding.table == NULL)
		return;
	check_kind(&binding);
	check_annotations(&binding);
	check_id(&binding);
	check_properties(&binding);
}

/* Reports references of a stored type to a type with a table. */
static void
check_stored(KgApply *apply, const KgPayloadType *payload)
{
	const KgType *type = payload->parsed;

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgType *target = field->ref_type == NULL
								   ? NULL
								   : kg_bundle_future_type(
										 apply,
										 field->ref_bundle
											 ? field->ref_bundle
											 : apply->payload->name,
										 field->ref_type);
		KgError *err;

		if (target == NULL || target->binding == NULL)
			continue;
		err = kg_error_new(KG_INVALID_INPUT,
						   "property \"%s\" refers to \"%s\", which reads a "
						   "table",
						   field->name,
						   field->ref_type);
		kg_error_keyword(err, "x-ref");
		kg_error_expected(err, "\"x-ref\": a type without \"x-table\"");
		kg_apply_report(apply, err, payload->path);
	}
}

/* Reports a type that is to read a table and has stored entities. */
static void
check_empty(KgApply *apply, const KgPayloadType *payload)
{
	KgError *err;

	if (payload->stored == NULL || payload->stored->binding != NULL)
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "entity type \"%s\" is a stored one and cannot be given "
					   "a table",
					   payload->name);
	kg_error_keyword(err, "x-table");
	kg_error_expected(err, "another type, or this one dropped first");
	kg_apply_report(apply, err, payload->path);
}

void
kg_bundle_check_bindings(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	for (int i = 0; i < payload->ntypes; i++)
	{
		const KgPayloadType *type = &payload->types[i];

		CHECK_FOR_INTERRUPTS();
		if (type->parsed == NULL)
			continue;
		if (type->stored != NULL &&
			strcmp(type->stored->schema_hash, type->hash) == 0)
			continue;
		if (type->parsed->binding == NULL)
			check_stored(apply, type);
		else
		{
			check_empty(apply, type);
			check_binding(apply, type);
		}
	}
	for (int i = 0; i < payload->nrelations; i++)
		if (payload->relations[i].schema != NULL)
			check_relation(apply, &payload->relations[i]);
}
