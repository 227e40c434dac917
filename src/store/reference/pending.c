/*
 * pending.c
 *	  The last check of references, at which a missing target is an error.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "store/check/check.h"
#include "store/derived/extract.h"
#include "store/entity/entity_ids.h"
#include "store/reference/pending.h"
#include "store/reference/renew.h"
#include "utils/builtins.h"

/*
 * Returns whether the list has an equal error. Errors about hidden entities
 * are equal, so they are listed only once and do not reveal the number of
 * these entities.
 */
static bool
is_reported(const KgErrorList *errors, const KgError *err)
{
	ListCell *lc;

	foreach(lc, errors->errors)
		if (strcmp(kg_error_message(lfirst(lc)), kg_error_message(err)) == 0)
			return true;
	return false;
}

/*
 * Returns the property by which the reference names its target, or NULL if it
 * names an id.
 */
static const KgField *
named_field(const KgCatalog *catalog, const KgField *field)
{
	const KgType *type = kg_catalog_type_in(
		catalog, field->ref_bundle, field->ref_type);
	const KgField *named = NULL;

	if (type && field->ref_field)
		named = kg_type_field(type, field->ref_field);
	return named && named != type->id_field ? named : NULL;
}

/*
 * Returns the error for a reference by a property's value. The value was
 * deleted with its entity, or was removed from the entity.
 */
static KgError *
value_error(const KgField *field, const KgType *type, const KgField *named)
{
	KgError *err = kg_error_new(KG_REFERENCE_MISSING,
								"property \"%s\" of type \"%s\" still refers "
								"to a value of \"%s\" that no entity of type "
								"\"%s\" has any more",
								field->name,
								type->name,
								named->name,
								field->ref_type);
	bool taken = named->ref_type && named->on_delete == KG_ON_DELETE_SET_NULL;

	kg_error_expected(
		err,
		"the same call, after the referring entities were changed or deleted, "
		"or the value in another entity of type \"%s\"%s",
		field->ref_type,
		taken ? psprintf("; \"x-on-delete\": \"set_null\" of \"%s\" removes it "
						 "when its target is deleted",
						 named->name)
			  : "");
	kg_error_keyword(err, "x-ref-field");
	return err;
}

/* Returns the error for a reference whose target was deleted. */
static KgError *
gone_error(const KgCatalog *catalog, const KgField *field, const KgType *type)
{
	const KgField *named = named_field(catalog, field);
	KgError *err;

	/* The error does not name types that the caller's agent does not see. */
	if (type && !kg_agent_sees_bundle(type->bundle, strlen(type->bundle)))
		type = NULL;
	if (type && named)
		return value_error(field, type, named);
	if (type)
		err = kg_error_new(KG_REFERENCE_MISSING,
						   "entity of type \"%s\" is still referenced by "
						   "property \"%s\" of type \"%s\"",
						   field->ref_type,
						   field->name,
						   type->name);
	else
		err = kg_error_new(KG_REFERENCE_MISSING,
						   "entity of type \"%s\" is still referenced",
						   field->ref_type);
	kg_error_expected(
		err,
		"the same call, after the referring entities were changed or deleted%s",
		field->on_delete == KG_ON_DELETE_RESTRICT
			? ", or another \"x-on-delete\""
			: "");
	kg_error_keyword(err, "x-on-delete");
	return err;
}

static void
report_missing(const KgCatalog *catalog, const KgFieldReference *ref,
			   bool deleted, KgErrorList *errors)
{
	const KgField *field = ref->field;
	const KgType *type = field->type;
	KgError *err;
	Jsonb *data;

	if (deleted)
		err = gone_error(catalog, field, type);
	else
		err = kg_no_target_error(field, ref->value, "existing entity");

	/*
	 * If policies of a DBA hide rows, the caller may not see the referrer, so
	 * the error does not name it.
	 */
	if (catalog->plain_visibility || !deleted)
	{
		char *id = kg_read_entity(catalog->tenant, ref->source, &data);

		kg_error_entity(err, type ? kg_type_handle(type) : NULL, id);
		if (id)
			kg_error_path(
				err, "%s", kg_extract_pointer(field, data, ref->value));
		kg_error_got_string(err, ref->value);
	}
	else if (is_reported(errors, err))
		return;
	kg_error_report(errors, err);
}

/*
 * Adds the nodes that have a reference without a target and with the rule
 * restrict. Omits nodes in the list "nodes". Other missing references of these
 * nodes are not reported, because their rules permit the deletion.
 */
static void
find_restricting(const KgReferenceList *missing, const KgNodeList *nodes,
				 KgNodeList *restricting)
{
	for (int i = 0; i < missing->n; i++)
		if (missing->items[i].field->on_delete == KG_ON_DELETE_RESTRICT &&
			!kg_nodes_have(nodes, missing->items[i].source))
			kg_node_add(restricting, missing->items[i].source);
	kg_nodes_sort(restricting);
}

void
kg_pending_throw(const KgCatalog *catalog, const KgReferenceList *missing)
{
	KgErrorList errors = {NIL, kg_setting_max_errors, 0};

	for (int i = 0; i < missing->n; i++)
	{
		if (errors.total >= errors.limit)
			errors.total++;
		else
			report_missing(catalog, &missing->items[i], false, &errors);
	}
	kg_throw_violations(&errors, "references have no target");
}

void
kg_pending_check(const char *tenant, const KgUserContext *caller,
				 KgNodeList *nodes, const KgNodeList *deleted)
{
	KgErrorList errors = {NIL, kg_setting_max_errors, 0};
	const KgCatalog *catalog;
	KgNodeList all = {CurrentMemoryContext};
	KgNodeList restricting = {CurrentMemoryContext};
	KgReferenceList missing = {CurrentMemoryContext};

	for (int i = 0; i < nodes->n; i++)
		kg_node_add(&all, nodes->nodes[i]);
	for (int i = 0; i < deleted->n; i++)
		kg_node_add(&all, deleted->nodes[i]);
	kg_nodes_sort(&all);
	kg_nodes_sort(nodes);
	kg_references_renew(tenant, &all, caller, &missing);
	catalog = kg_catalog_newest(tenant);
	find_restricting(&missing, nodes, &restricting);
	for (int i = 0; i < missing.n; i++)
	{
		const KgFieldReference *reference = &missing.items[i];

		if (reference->field->on_delete != KG_ON_DELETE_RESTRICT &&
			kg_nodes_have(&restricting, reference->source))
			continue;
		/*
		 * Beyond the limit of listed errors, references are counted but not
		 * looked up.
		 */
		if (errors.total >= errors.limit)
			errors.total++;
		else
			report_missing(catalog,
						   reference,
						   !kg_nodes_have(nodes, reference->source),
						   &errors);
	}
	kg_throw_violations(&errors, "references have no target");
}
