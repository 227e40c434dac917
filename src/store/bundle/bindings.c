/*
 * bundle/bindings.c
 *	  Checks types that read a table of the user.
 *
 * The checks run as the caller, which needs SELECT on the table. The id needs
 * a unique index on its columns, and each reference needs an index on its
 * columns. model/bound_rows.c rejects a table whose rows are not limited to
 * the tenant.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "model/annotations.h"
#include "model/bound_index.h"
#include "model/period.h"
#include "nodes/nodes.h"
#include "rewrite/rewriteHandler.h"
#include "store/bundle/bundle.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

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

/* ---- indexes ---- */

static int64 *
numbers_of(const KgBoundProperty *property)
{
	int64 *numbers = palloc((property->ncolumns + 1) * sizeof(int64));

	for (int i = 0; i < property->ncolumns; i++)
		numbers[i] = property->columns[i].number;
	return numbers;
}

static void
require_index(const Binding *binding, const KgBoundProperty *property,
			  bool unique, const char *what)
{
	const KgBoundTable *table = binding->table;
	int n = property->ncolumns;
	int64 *columns = numbers_of(property);
	Oid base;

	/* A foreign table has no local indexes, so none are required. */
	if (table->kind == RELKIND_FOREIGN_TABLE)
		return;
	base = kg_bound_base(table->relid, columns, n);
	if (!OidIsValid(base))
	{
		refuse(binding,
			   psprintf("the view's columns (%s) of %s are not those of one "
						"table",
						kg_bound_names(property),
						what),
			   "a view of one table with its columns, or the table");
		return;
	}
	if (kg_bound_has_index(base, columns, n, unique))
		return;
	refuse(binding,
		   psprintf("no %sindex has the columns of %s",
					unique ? "unique " : "",
					what),
		   psprintf("%s%s",
					unique ? "NOT NULL columns, and: " : "",
					kg_bound_index_text(table, property, unique)));
}

/* ---- references ---- */

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/*
 * Returns an earlier property of the type with the same relation and target as
 * the field, or NULL. The edges of both properties would belong to the same
 * variant of the relation, but a variant has only one property.
 */
static const KgField *
other_of_relation(const KgType *type, const KgField *field)
{
	for (const KgField *other = type->fields; other < field; other++)
		if (other->ref_type != NULL &&
			strcmp(other->relation, field->relation) == 0 &&
			strcmp(other->ref_type, field->ref_type) == 0)
			return other;
	return NULL;
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
			   psprintf(target->binding == NULL
							? "property \"%s\" refers to a type without a table"
						: field->is_array
							? "property \"%s\" is an array of references"
							: "property \"%s\" has \"x-ref-field\"",
						field->name),
			   "an \"x-ref\" to the id of a type with \"x-table\"");
		return;
	}
	if (field->relation != NULL && other_of_relation(binding->type, field))
	{
		refuse(binding,
			   psprintf("property \"%s\" has the relation and target of "
						"another property",
						field->name),
			   "another name in \"x-relation\"");
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
		else if (property->columns[i].folds != table->id.columns[i].folds)
			refuse(binding,
				   psprintf("column %s of property \"%s\" has another "
							"collation than the id of \"%s\", and one of them "
							"treats different texts as equal",
							property->columns[i].name,
							field->name,
							target->name),
				   "the collation of the id");
	}
	require_index(
		binding, property, false, psprintf("property \"%s\"", field->name));
}

/*
 * Reports columns of the id whose type has no array type or whose text depends
 * on settings. Also reports an id without a unique index.
 */
static void
check_id(const Binding *binding)
{
	const KgBoundProperty *id = &binding->table->id;

	for (int i = 0; i < id->ncolumns; i++)
		/*
		 * Look-ups by id pass an array of ids, so the column's type needs an
		 * array type.
		 */
		if (!OidIsValid(get_array_type(id->columns[i].type)))
			refuse(binding,
				   psprintf("column %s of the id has type %s, of which there "
							"are no arrays",
							id->columns[i].name,
							format_type_be(id->columns[i].type)),
				   "another unique column as \"id\"");
		else if (!kg_bound_is_key(id->columns[i].type))
			refuse(binding,
				   psprintf("column %s of the id has type %s, whose text "
							"depends on settings",
							id->columns[i].name,
							format_type_be(id->columns[i].type)),
				   "another unique column as \"id\"");
	require_index(binding, id, true, "the id");
	if (binding->table->kind == RELKIND_RELATION &&
		find_inheritance_children(binding->table->relid, NoLock) != NIL)
		refuse(binding,
			   "its unique index does not include the rows of the tables that "
			   "inherit from it",
			   "a table without children, or a partitioned table");
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
				   psprintf("property \"%s\" has \"%s\", which only stored "
							"entities can have",
							field->name,
							field->derived ? "x-derived" : "x-ref-field"),
				   "a property without x-derived and x-ref-field");
		for (int j = 0; j < property->ncolumns; j++)
			if (!kg_bound_is_shown(property->columns[j].type))
				refuse(binding,
					   psprintf("column %s has type %s, which cannot be "
								"converted to JSON",
								property->columns[j].name,
								format_type_be(property->columns[j].type)),
					   "a binding without this column");
		if (field->ref_type != NULL && property->ncolumns > 0)
			check_reference(binding, field, property);
	}
}

/* ---- the type ---- */

/* Returns an annotation of the type that needs stored entities, or NULL. */
static const char *
stored_annotation(const KgType *type)
{
	if (type->history)
		return "x-history";
	if (type->signs)
		return "x-signs";
	if (type->scope_field != NULL)
		return "x-scope-field";
	if (type->authorize != NULL)
		return "x-authorize";
	if (type->nsearch > 0)
		return "x-search";
	if (type->period.from != NULL)
		return "x-valid-from";
	if (type->period.to != NULL)
		return "x-valid-to";
	return NULL;
}

static void
check_annotations(const Binding *binding)
{
	const KgType *type = binding->type;
	const char *annotation = stored_annotation(type);

	if (annotation != NULL)
		refuse(
			binding,
			psprintf("the type has \"%s\", which only stored entities can have",
					 annotation),
			"a type without x-history, x-signs, x-scope-field, x-authorize, "
			"x-search, x-valid-from and x-valid-to");
	if ((type->expose & KG_EXPOSE_HISTORY) != 0)
		refuse(binding,
			   "kg_graph stores no history of a table",
			   "\"x-tool-expose\" of list, get and list_ids");
}

/*
 * Reports operations in "write" that cannot be performed on any row of the
 * table, and a version column that is not of an integer type.
 */
static void
check_write(const Binding *binding)
{
	static const int events[][2] = {{KG_EXPOSE_CREATE, 1 << CMD_INSERT},
									{KG_EXPOSE_UPDATE, 1 << CMD_UPDATE},
									{KG_EXPOSE_DELETE, 1 << CMD_DELETE}};
	const KgBoundTable *table = binding->table;
	int written = binding->type->binding->write;
	int possible = written == 0
					   ? 0
					   : relation_is_updatable(table->relid, NIL, true, NULL);

	for (int i = 0; i < lengthof(events); i++)
		if ((written & events[i][0]) && !(possible & events[i][1]))
			refuse(binding,
				   psprintf("the table does not allow the operation \"%s\"",
							kg_operation_of(events[i][0])->name),
				   "a table, a view that PostgreSQL can update, or a view with "
				   "INSTEAD OF triggers");
	if (table->version.name != NULL && !is_integer(table->version.type))
		refuse(
			binding,
			psprintf("column %s is not of an integer type",
					 table->version.name),
			"\"version_column\" with the name of a column of an integer type");
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
	/*
	 * kg_graph's own tables are rejected. Their rows are visible only through
	 * tools, which apply scopes and authorizers.
	 */
	if (getExtensionOfObject(RelationRelationId, binding->table->relid) ==
		get_extension_oid("kg_graph", false))
		refuse(binding,
			   "it is a table of kg_graph",
			   "a table that is not part of kg_graph");
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
	kg_error_throw_expected(err, "a role with admin access");
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
			   psprintf("the relation has %s, which only stored edges can have",
						payload->key != NULL   ? "\"key\""
						: payload->history	   ? "\"history\""
						: payload->symmetric   ? "\"symmetric\""
						: payload->expose != 0 ? "\"tools\""
											   : "a period"),
			   "a relation without \"key\", \"history\", \"symmetric\", "
			   "\"tools\" and periods");
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
	check_write(&binding);
	check_id(&binding);
	check_properties(&binding);
}

/* ---- references of stored types ---- */

/*
 * Returns the bound type (a type with a table) to which a field of a stored
 * type refers. Returns NULL if the field does not refer to a bound type.
 */
static const KgType *
bound_target(const KgApply *apply, const KgField *field)
{
	const KgType *target;

	if (field->ref_type == NULL)
		return NULL;
	target = kg_bundle_future_type(apply,
								   field->ref_bundle ? field->ref_bundle
													 : apply->payload->name,
								   field->ref_type);
	return target != NULL && target->binding != NULL ? target : NULL;
}

/* Returns the property that counts edges of the relation, or NULL. */
static const KgField *
counting_field(const KgType *type, const char *relation)
{
	for (int i = 0; type != NULL && i < type->nfields; i++)
		if (type->fields[i].derived_relation != NULL &&
			strcmp(type->fields[i].derived_relation, relation) == 0)
			return &type->fields[i];
	return NULL;
}

/*
 * Returns a property, of any type that exists after the apply, that counts
 * edges of the relation.
 */
static const KgField *
find_counting(const KgApply *apply, const char *relation)
{
	const KgPayload *payload = apply->payload;
	const KgField *found = NULL;

	for (int i = 0; i < payload->ntypes && found == NULL; i++)
		found = counting_field(payload->types[i].parsed, relation);
	for (int i = 0; i < apply->before->ntypes && found == NULL; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (kg_bundle_future_type(apply, type->bundle, type->name) == type)
			found = counting_field(type, relation);
	}
	return found;
}

/*
 * Checks a reference of a stored type to a bound type (a type with a table).
 * Reports the first requirement that the reference does not meet. The property
 * must be indexed, because a search from the row back to the entity uses the
 * index.
 */
static void
check_stored_field(KgApply *apply, const KgPayloadType *payload,
				   const KgField *field, const KgType *target)
{
	bool by_id = field->ref_field == NULL ||
				 strcmp(field->ref_field, target->id_field->name) == 0;
	const KgField *counting = find_counting(apply, field->relation);
	const char *expected = NULL;
	KgError *err;

	if (!field->indexed)
		expected = "\"x-index\": true beside \"x-ref\"";
	else if (!by_id)
		expected = "a reference to the id";
	else if (field->nsteps > (field->is_array ? 2 : 1))
		expected = "a property of the root: a string, or an array of strings";
	else if (field->on_delete != KG_ON_DELETE_RESTRICT)
		expected = "no \"x-on-delete\": rows are deleted without kg_graph";
	else if (other_of_relation(payload->parsed, field) != NULL)
		expected = "an \"x-relation\" that no other property has";
	else if (counting != NULL)
		expected = psprintf(
			"a relation other than \"%s\", which property \"%s\" counts",
			field->relation,
			counting->name);
	if (expected == NULL)
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "property \"%s\" cannot refer to \"%s\", which reads a "
					   "table",
					   field->name,
					   field->ref_type);
	kg_error_keyword(err, "x-ref");
	kg_error_expected(err, "%s", expected);
	kg_apply_report(apply, err, payload->path);
}

/* Reports a property that counts edges which end at rows of a table. */
static void
check_counted(KgApply *apply, const KgPayloadType *payload,
			  const KgField *field)
{
	const KgCatalog *before = apply->before;
	KgError *err;

	for (int i = 0; i < before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&before->types[i]);

		for (int j = 0; j < type->nfields; j++)
		{
			const KgField *other = &type->fields[j];

			if (!other->ref_bound ||
				strcmp(other->relation, field->derived_relation) != 0 ||
				kg_bundle_future_type(apply, type->bundle, type->name) != type)
				continue;
			err = kg_error_new(KG_INVALID_INPUT,
							   "\"x-derived\" counts relation \"%s\", which "
							   "leads to a type that reads a table",
							   field->derived_relation);
			kg_error_keyword(err, "x-derived");
			kg_error_expected(err, "a relation between stored types");
			kg_apply_report(apply, err, payload->path);
			return;
		}
	}
}

static void
check_stored(KgApply *apply, const KgPayloadType *payload)
{
	const KgType *type = payload->parsed;

	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgType *target = bound_target(apply, field);

		if (target != NULL)
			check_stored_field(apply, payload, field, target);
		if (field->derived_relation != NULL)
			check_counted(apply, payload, field);
	}
}

/*
 * Reports a type of the payload that reads a table, if the stored type of this
 * name does not.
 */
static void
check_empty(KgApply *apply, const KgPayloadType *payload)
{
	KgError *err;

	if (payload->stored == NULL || payload->stored->binding != NULL)
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "entity type \"%s\" is stored in kg_graph and cannot be "
					   "changed to read a table",
					   payload->name);
	kg_error_keyword(err, "x-table");
	kg_error_expected(err, "another type, or this type after it was dropped");
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
