/*
 * tables.c
 *	  The tables of a query: the caller's types and relations.
 */
#include "postgres.h"

#include "ask/refuse.h"
#include "ask/tables.h"
#include "ask/translate.h"
#include "ask/view.h"
#include "auth/visibility.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "query/argument/repair.h"
#include "query/run/decisions.h"
#include "query/time/validity.h"
#include "store/view/view_sql.h"
#include "utils/queryenvironment.h"

typedef struct KgAskTable
{
	const char *name;
	Query *query; /* analysed view; NULL: no table has the name */
	bool cte;	  /* a CTE has the name */
	/* If query is not NULL, exactly one of type and relation is set. */
	const KgType *type;
	const KgRelation *relation;
} KgAskTable;

/*
 * A type or a relation that a name may mean. Exactly one of the members is not
 * NULL.
 */
typedef struct Meant
{
	const KgTypeRow *row;
	const KgRelation *relation;
} Meant;

static const KgAskTable *
find_noted(const KgAsk *ask, const char *name)
{
	ListCell *lc;

	foreach(lc, ask->tables)
		if (strcmp(((KgAskTable *) lfirst(lc))->name, name) == 0)
			return lfirst(lc);
	return NULL;
}

/*
 * Records a table of the query. Unless only names are checked (names_only),
 * makes the parser find the table under this name, with the columns of the type
 * or relation. If "meant" is NULL, only a CTE has the name, and the table has a
 * single column as a placeholder.
 */
static void
note(KgAsk *ask, const char *name, const Meant *meant, bool cte)
{
	EphemeralNamedRelation known = palloc0(sizeof(*known));
	KgAskTable *table = palloc0(sizeof(*table));
	Query *query = NULL;
	bool whole;

	table->name = pstrdup(name);
	table->cte = cte;
	ask->tables = lappend(ask->tables, table);
	if (ask->names_only)
		return;
	if (meant != NULL)
	{
		table->type = meant->row ? kg_type_of(meant->row) : NULL;
		table->relation = meant->relation;
		whole = meant->relation && kg_validity_rows_suffice(ask->catalog);
		query = kg_ask_view(ask->catalog, table->type, table->relation, whole);
		ask->whole |= whole;
	}
	table->query = query;
	known->md.name = pstrdup(name);
	known->md.enrtype = ENR_NAMED_TUPLESTORE;
	if (query != NULL)
		known->md.tupdesc = ExecCleanTypeFromTL(query->targetList);
	else
	{
		known->md.tupdesc = CreateTemplateTupleDesc(1);
		TupleDescInitEntry(known->md.tupdesc, 1, "id", TEXTOID, -1, 0);
	}
	if (ask->environment == NULL)
		ask->environment = create_queryEnv();
	register_ENR(ask->environment, known);
}

/* ---- names ---- */

static const char *
name_of(const char *of)
{
	return strlen(of) < NAMEDATALEN ? of : kg_view_identifier(of);
}

static const char *
full_name(const char *bundle, const char *of)
{
	return kg_view_identifier(psprintf("%s_%s", bundle, of));
}

static const char *
own_name(const Meant *meant)
{
	return name_of(meant->row ? meant->row->name : meant->relation->name);
}

static const char *
own_full_name(const Meant *meant)
{
	return meant->row
			   ? full_name(meant->row->bundle, meant->row->name)
			   : full_name(meant->relation->bundle, meant->relation->name);
}

/* Returns all types, followed by all relations, that the caller sees. */
static Meant *
all_tables(const KgAsk *ask, int *n)
{
	const KgCatalog *catalog = ask->catalog;
	Meant *all = palloc0((catalog->ntypes + catalog->nrelations + 1) *
						 sizeof(Meant));

	*n = 0;
	for (int i = 0; i < catalog->ntypes; i++)
		all[(*n)++].row = &catalog->types[i];
	for (int i = 0; i < catalog->nrelations; i++)
		if (kg_catalog_joins(catalog, &catalog->relations[i]))
			all[(*n)++].relation = &catalog->relations[i];
	return all;
}

void
kg_ask_table_unknown(const KgAsk *ask, const char *name, int location)
{
	KgError *err = kg_ask_error(
		ask, KG_UNKNOWN_TYPE, location, "table \"%s\" does not exist", name);
	int n;
	Meant *all = all_tables(ask, &n);
	const char **names = palloc((n + 1) * sizeof(char *));
	int likely;

	for (int i = 0; i < n; i++)
	{
		names[i] = own_name(&all[i]);
		if (i < 100)
			kg_error_allow(err, names[i]);
	}
	kg_error_did_you_mean(err, kg_nearest(name, names, n));
	likely = kg_likely(name, names, NULL, n);
	if (likely >= 0)
		kg_ask_translate(ask, err, name, names[likely]);
	kg_error_throw_expected(err, "the name of an entity type or a relation");
}

static KG_NORETURN void
throw_ambiguous(const KgAsk *ask, List *found, const RangeVar *table)
{
	KgError *err = kg_ask_error(ask,
								KG_INVALID_INPUT,
								table->location,
								"table name \"%s\" is ambiguous",
								table->relname);
	ListCell *lc;

	foreach(lc, found)
		kg_error_allow(err, own_full_name(lfirst(lc)));
	kg_error_throw_expected(
		err, "the name with the name of its bundle before it: bundle_name");
}

/*
 * Returns the members of "all" that have the name. The name may begin with the
 * name of the bundle.
 */
static List *
find_named(Meant *all, int n, const char *name,
		   int (*compare)(const char *, const char *))
{
	List *found = NIL;

	for (int i = 0; i < n; i++)
		if (compare(own_name(&all[i]), name) == 0)
			found = lappend(found, &all[i]);
	for (int i = 0; i < n && found == NIL; i++)
		if (compare(own_full_name(&all[i]), name) == 0)
			found = lappend(found, &all[i]);
	return found;
}

/* ---- tables of a query ---- */

/*
 * Returns the types and relations that a name means. If no name matches
 * exactly, compares without regard to case.
 */
static List *
find_tables(const KgAsk *ask, const char *name)
{
	int n;
	Meant *all = all_tables(ask, &n);
	List *found = find_named(all, n, name, strcmp);

	return found != NIL ? found : find_named(all, n, name, pg_strcasecmp);
}

void
kg_ask_cte_note(KgAsk *ask, const char *name)
{
	List *found;

	if (find_noted(ask, name) != NULL)
		return;
	found = find_tables(ask, name);
	note(ask, name, list_length(found) == 1 ? linitial(found) : NULL, true);
}

bool
kg_ask_is_cte(const KgAsk *ask, const char *name)
{
	const KgAskTable *table = find_noted(ask, name);

	return table != NULL && table->cte;
}

void
kg_ask_table_note(KgAsk *ask, RangeVar *table)
{
	List *found;
	const char *name;

	if (find_noted(ask, table->relname) != NULL)
		return;
	found = find_tables(ask, table->relname);
	if (found == NIL)
		kg_ask_table_unknown(ask, table->relname, table->location);
	if (list_length(found) > 1)
		throw_ambiguous(ask, found, table);
	name = own_name(linitial(found));
	if (strcmp(name, table->relname) != 0)
	{
		if (table->alias == NULL)
			table->alias = makeAlias(table->relname, NIL);
		table->relname = pstrdup(name);
	}
	if (find_noted(ask, name) == NULL)
		note(ask, name, linitial(found), false);
}

Query *
kg_ask_table_query(const KgAsk *ask, const char *name)
{
	const KgAskTable *table = find_noted(ask, name);

	return table ? table->query : NULL;
}

Query *
kg_ask_keyed_query(const KgAsk *ask, const char *name)
{
	const KgAskTable *table = find_noted(ask, name);

	return table != NULL && table->type != NULL ? table->query : NULL;
}

/*
 * Returns whether rows of other tenants are hidden only by a condition of the
 * view on a column, and not by a policy.
 */
static bool
hides_by_column(const KgAsk *ask, const char *name)
{
	const KgAskTable *table = find_noted(ask, name);

	return table != NULL &&
		   kg_ask_view_hides(ask->catalog, table->type, table->relation);
}

/*
 * Replaces the named tuplestores of a query by sub-selects, as the rewriter
 * replaces views.
 */
static bool
plant(Node *node, void *arg)
{
	const KgAsk *ask = arg;
	RangeTblEntry *table = (RangeTblEntry *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker(
			(Query *) node, plant, arg, QTW_EXAMINE_RTES_BEFORE);
	if (!IsA(node, RangeTblEntry))
		return expression_tree_walker(node, plant, arg);
	if (table->rtekind != RTE_NAMEDTUPLESTORE)
		return false;
	table->rtekind = RTE_SUBQUERY;
	table->security_barrier = hides_by_column(ask, table->enrname);
	table->subquery = copyObject(kg_ask_table_query(ask, table->enrname));
	table->relid = InvalidOid;
	table->enrname = NULL;
	table->enrtuples = 0;
	table->coltypes = NIL;
	table->coltypmods = NIL;
	table->colcollations = NIL;
	return false;
}

void
kg_ask_tables_plant(KgAsk *ask, Query *query)
{
	(void) plant((Node *) query, ask);
}

void
kg_ask_tables_require(const KgAsk *ask)
{
	if (ask->whole && (!kg_visibility_is_whole() || kg_decisions_needed()))
		kg_error_throw_expected(
			kg_error_new(KG_CONFLICT,
						 "another session changed the caller's rights since "
						 "the call began"),
			"the same call, sent again");
}

List *
kg_ask_columns(const KgAsk *ask)
{
	List *names = NIL;
	ListCell *lc;

	foreach(lc, ask->tables)
	{
		const KgAskTable *table = lfirst(lc);
		ListCell *column;

		if (table->query != NULL)
			foreach(column, table->query->targetList)
				names = lappend(names,
								lfirst_node(TargetEntry, column)->resname);
	}
	return names;
}

List *
kg_ask_types(const KgAsk *ask)
{
	List *types = NIL;
	ListCell *lc;

	foreach(lc, ask->tables)
	{
		const KgAskTable *table = lfirst(lc);
		const KgRelation *relation = table->relation;

		if (table->type != NULL)
			types = list_append_unique_ptr(types, (void *) table->type);
		for (int i = 0; relation != NULL && i < relation->nvariants; i++)
		{
			const KgVariant *variant = &relation->variants[i];

			types = list_append_unique_ptr(
				types,
				(void *) kg_catalog_type_no(ask->catalog,
											variant->from_type_no));
			types = list_append_unique_ptr(
				types,
				(void *) kg_catalog_type_no(ask->catalog, variant->to_type_no));
		}
	}
	return list_delete_ptr(types, NULL);
}
