/*
 * unready.c
 *	  Tests whether the derived edges of a tenant can be queried while calls
 *	  write.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "store/reference/unready.h"

/*
 * the innermost checks in progress at the end of a statement or scope, or NULL
 */
static const KgEnforcement *enforcement = NULL;
/* number of operations that have deleted edges and not rewritten them */
static int unready = 0;

void
kg_edges_unready(int change)
{
	unready += change;
}

void
kg_enforcement_begin(KgEnforcement *here, const KgUnchecked *unchecked)
{
	here->unchecked = unchecked;
	here->outer = enforcement;
	enforcement = here;
}

void
kg_enforcement_end(const KgEnforcement *here)
{
	enforcement = here->outer;
}

/*
 * Adds the relations of references that name their target by a value other
 * than the id. Runs as the extension's owner.
 */
static void
relations_by_value(const char *tenant, KgNodeList *relations)
{
	ListCell *lc;

	foreach(lc, kg_catalog_newest(tenant)->naming)
	{
		const KgType *type = kg_type_of(lfirst(lc));

		for (int j = 0; j < type->nfields; j++)
			if (type->fields[j].ref_type && type->fields[j].ref_field)
				kg_node_add(relations, type->fields[j].relation_no);
	}
}

/*
 * Returns whether derived edges lead to a node whose id or unique value has
 * changed.
 */
static bool
have_referrers(const char *tenant, const KgUnchecked *unchecked)
{
	KgNodeList relations = {CurrentMemoryContext};
	KgUserContext user;
	bool found;

	if (unchecked->renamed.n == 0)
		return false;
	kg_spi_begin_as_owner(&user);
	if (!unchecked->ids_changed)
		relations_by_value(tenant, &relations);
	KG_SPI_LATEST("SELECT FROM @kg_edge WHERE tenant = $1 "
				  "AND target = ANY($2) AND property IS NOT NULL "
				  "AND ($3 OR relation_no::bigint = ANY($4)) LIMIT 1",
				  kg_arg_text(tenant),
				  kg_arg_int8s(unchecked->renamed.nodes, unchecked->renamed.n),
				  kg_arg(BOOLOID, BoolGetDatum(unchecked->ids_changed)),
				  kg_arg_int8s(relations.nodes, relations.n));
	found = SPI_processed > 0;
	kg_spi_end_as_owner(&user);
	return found;
}

/*
 * Returns whether any derived edge leads to an entity that no longer has the
 * id or value that the reference contains. A trigger of a DBA must not query
 * such edges.
 */
static bool
names_changed(const char *tenant)
{
	const KgUnchecked *unchecked = kg_scope_unchecked(tenant);

	if (unchecked && have_referrers(tenant, unchecked))
		return true;
	for (const KgEnforcement *e = enforcement; e; e = e->outer)
		if (have_referrers(tenant, e->unchecked))
			return true;
	return false;
}

void
kg_scope_require_derived(const char *tenant, const KgType *type)
{
	kg_writing_require_derived(type);
	if (!kg_scope_is_rewritten(tenant, type))
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = "entities cannot be searched before the call that "
						"rewrites their keys and references has ended",
			 .expected = "kg_get(), or a search after that call");
}

void
kg_scope_require_edges(const char *tenant)
{
	const KgUnchecked *unchecked = kg_scope_unchecked(tenant);
	KgError *err;

	if (unready == 0 && !(unchecked && unchecked->arrived) &&
		!names_changed(tenant))
	{
		if (!kg_scope_has_deferred(tenant))
			return;
		err = kg_error_new(KG_FORBIDDEN,
						   "references are checked at the end of the "
						   "transaction, and have no edges before then");
		kg_error_expected(err,
						  "SET CONSTRAINTS kg_references IMMEDIATE before "
						  "the call, or the call after the commit");
	}
	else
	{
		err = kg_error_new(KG_FORBIDDEN,
						   "references have no edges before the call that "
						   "writes them has ended");
		kg_error_expected(
			err, "a search after that call; in a trigger, kg_get() and lists");
	}
	kg_error_throw(err);
}
