/*
 * names.c
 *	  Search by name in the table of a bound type.
 *
 * All names of a table that is not large are read and compared with the query.
 * Of a large table (kg_graph.max_unindexed), only rows that an index finds are
 * read: an id by its index, names that are equal to the query or begin with it
 * by a b-tree index on the column, and similar names by a trigram index of the
 * extension pg_trgm. The operator of such an index is not leakproof, so
 * PostgreSQL uses this index only if no policy applies to the caller.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "model/bound_index.h"
#include "model/key.h"
#include "model/term.h"
#include "query/search/rank.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "virtual/conditions.h"
#include "virtual/names.h"
#include "virtual/served.h"
#include "virtual/virtual.h"

/* A column that contains names. */
typedef struct NameColumn
{
	const KgVColumn *column;
	const KgBoundProperty *property;
	char kind; /* KG_TERM_LABEL or KG_TERM_ALIAS */
} NameColumn;

typedef struct Names
{
	const KgVSource *source;
	const char *query;
	char *folded; /* the folded query */
	KgChars asked;
	int n;
	NameColumn *names;
	KgVNameFunction found;
	void *arg;
	MemoryContext row; /* reset for each row */
} Names;

/* ---- comparison ---- */

/*
 * Compares a name with the query. Replaces the match if the name's score is
 * higher.
 */
static void
compare(const Names *names, const char *name, char kind, KgMatch *match)
{
	char *term = kg_term_fold(name, strlen(name));
	int len = strlen(names->folded);
	KgMatchHow how = KG_MATCH_TRIGRAM;
	double score = 0;
	KgChars chars;

	if (strcmp(term, names->folded) == 0)
	{
		how = KG_MATCH_EXACT;
		score = KG_RANK_EXACT;
	}
	else if (strncmp(term, names->folded, len) == 0)
	{
		how = KG_MATCH_PREFIX;
		score = kg_rank_prefix((double) len / strlen(term),
							   kg_term_ends_word(term, len));
	}
	else if (kg_chars_set(&chars, term))
		score = kg_rank_alike(&names->asked, &chars);
	if (score > 0 && kind == KG_TERM_ALIAS)
		score -= KG_RANK_ALIAS;
	if (score <= match->score)
		return;
	match->how = how;
	match->kind = kind;
	match->term = term;
	match->score = score;
}

static bool
take_row(TupleTableSlot *slot, void *arg)
{
	const Names *names = arg;
	MemoryContext old = MemoryContextSwitchTo(names->row);
	char *id = TextDatumGetCString(kg_slot_datum(slot, 1));
	KgMatch match = {.type_no = names->source->type->type_no};

	for (int i = 0; i < names->n; i++)
	{
		bool isnull;
		Datum name = slot_getattr(slot, i + 2, &isnull);

		if (!isnull)
			compare(
				names, TextDatumGetCString(name), names->names[i].kind, &match);
	}
	compare(names, id, KG_TERM_ID, &match);
	MemoryContextSwitchTo(old);
	if (match.score > 0)
	{
		match.term = pstrdup(match.term);
		names->found(id, &match, names->arg);
	}
	MemoryContextReset(names->row);
	return true;
}

/* ---- statements ---- */

static void
add_name(Names *names, const KgField *field, char kind)
{
	const KgVSource *source = names->source;
	const KgVColumn *column = kg_vsource_column(source, field);

	if (column->sql == NULL || field->ref_type != NULL ||
		(column->type != TEXTOID && column->type != VARCHAROID))
		return;
	names->names[names->n].column = column;
	names->names[names->n].property =
		&source->table->properties[field - source->type->fields];
	names->names[names->n++].kind = kind;
}

static void
begin(KgSqlBuilder *b, const Names *names, char *const *ids)
{
	kg_sql_start(b, names->source->catalog);
	kg_sql_append(b, "SELECT %s", names->source->id);
	for (int i = 0; i < names->n; i++)
		kg_sql_append(
			b, ", (%s)::pg_catalog.text", names->names[i].column->sql);
	kg_vfrom(b, names->source, ids, 1, NULL);
}

static void
run(const Names *names, KgSqlBuilder *b, bool by_id, int64 limit)
{
	kg_sql_append(b, " LIMIT $%d", kg_sql_param_int64(b, limit));
	kg_virtual_run(names->source, b, by_id, take_row, (void *) names);
}

/*
 * Appends the conditions on a column that indexes serve, each after the
 * separator. Returns the separator for the next condition. If no index finds
 * similar names in the column, adds the reason or a CREATE INDEX command to
 * *missing.
 */
static const char *
append_served(KgSqlBuilder *b, const Names *names, const NameColumn *name,
			  const char *separator, List **missing)
{
	const KgBoundTable *table = names->source->table;
	const char *sql = name->column->sql;
	int64 number = name->property->columns[0].number;
	Oid base = kg_bound_base(table->relid, &number, 1);
	const KgBoundPrefix *prefix;
	const char *trigrams;
	KgServed equal;

	if (!OidIsValid(base))
		return separator;
	equal = kg_vserved(table, name->property, BTEqualStrategyNumber);
	prefix = kg_bound_prefix(base, number);
	if (prefix != NULL)
	{
		kg_sql_append(b,
					  "%s(%s%s OPERATOR(pg_catalog.%s) $%d",
					  separator,
					  sql,
					  prefix->collate,
					  prefix->from,
					  kg_sql_param_text(b, names->query));
		kg_sql_append(b,
					  " AND %s%s OPERATOR(pg_catalog.%s) $%d)",
					  sql,
					  prefix->collate,
					  prefix->below,
					  kg_sql_param_text(b, kg_text_prefix_high(names->query)));
		separator = " OR ";
	}
	else if (equal.indexed && equal.leakproof)
	{
		kg_sql_append(b,
					  "%s%s OPERATOR(pg_catalog.=) $%d",
					  separator,
					  sql,
					  kg_sql_param_text(b, names->query));
		separator = " OR ";
	}
	if (check_enable_rls(base, InvalidOid, true) == RLS_ENABLED)
	{
		*missing = lappend(*missing,
						   psprintf("no index finds similar names in table %s "
									"under its policies",
									table->name));
		return separator;
	}
	trigrams = kg_bound_trigrams(base, number);
	if (trigrams == NULL)
	{
		*missing = lappend(
			*missing,
			psprintf("CREATE INDEX CONCURRENTLY ON %s USING gin (%s "
					 "gin_trgm_ops)",
					 table->name,
					 name->property->columns[0].name));
		return separator;
	}
	kg_sql_append(b,
				  "%s%s OPERATOR(%s.%%) $%d",
				  separator,
				  sql,
				  quote_identifier(trigrams),
				  kg_sql_param_text(b, names->query));
	return " OR ";
}

/*
 * Reads the rows of a large table that indexes find. If no index finds similar
 * names in a column, adds a text to *missing (kg_vnames()).
 */
static void
read_large(const Names *names, List **missing)
{
	int64 limit = (int64) kg_setting_max_search_matches + 1;
	char *ids[] = {(char *) names->query};
	const char *separator = " AND (";
	KgSqlBuilder b;

	begin(&b, names, ids);
	run(names, &b, true, limit);
	begin(&b, names, NULL);
	for (int i = 0; i < names->n; i++)
		separator = append_served(
			&b, names, &names->names[i], separator, missing);
	if (strcmp(separator, " OR ") != 0)
		return;
	kg_sql_append(&b, ")");
	run(names, &b, false, limit);
}

void
kg_vnames(const KgVSource *source, const char *query, KgVNameFunction found,
		  void *arg, List **missing)
{
	const KgType *type = source->type;
	Names names = {source, query};
	KgSqlBuilder b;

	names.folded = kg_term_fold(query, strlen(query));
	if (names.folded[0] == '\0' || !kg_chars_set(&names.asked, names.folded))
		return;
	names.found = found;
	names.arg = arg;
	names.names = palloc((type->naliases + 1) * sizeof(NameColumn));
	if (type->label_field != NULL)
		add_name(&names, type->label_field, KG_TERM_LABEL);
	for (int i = 0; i < type->naliases; i++)
		add_name(&names, type->alias_fields[i], KG_TERM_ALIAS);
	names.row = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph names", ALLOCSET_SMALL_SIZES);
	if (kg_vsource_is_large(source))
		read_large(&names, missing);
	else
	{
		begin(&b, &names, NULL);
		run(&names, &b, false, (int64) kg_setting_max_visited);
	}
	MemoryContextDelete(names.row);
}
