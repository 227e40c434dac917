/*
 * bound_index.c
 *	  Indexes of the tables of bound types, and estimates of their numbers of
 *	  rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "base/compat.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "model/bound_index.h"
#include "nodes/parsenodes.h"
#include "optimizer/plancat.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

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

Oid
kg_bound_base(Oid relid, int64 *columns, int n)
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

/*
 * Returns whether the first columns of the index are the given columns, in any
 * order.
 */
static bool
begins_with(const Form_pg_index index, const int64 *columns, int n)
{
	for (int i = 0; i < n; i++)
	{
		int at = 0;

		while (at < n && index->indkey.values[at] != columns[i])
			at++;
		if (at == n)
			return false;
	}
	return true;
}

/* Returns the OID of an index's access method, or InvalidOid. */
static Oid
method_of(Oid indexid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(indexid));
	Oid method;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	method = ((Form_pg_class) GETSTRUCT(tuple))->relam;
	ReleaseSysCache(tuple);
	return method;
}

/*
 * Returns whether the index's first columns have the collations of the table's
 * columns. Only such an index serves a comparison of the columns.
 */
static bool
has_collations(Relation relation, HeapTuple index, int n)
{
	const Form_pg_index form = (Form_pg_index) GETSTRUCT(index);
	bool isnull;
	const oidvector *collations = (const oidvector *) DatumGetPointer(
		SysCacheGetAttr(
			INDEXRELID, index, Anum_pg_index_indcollation, &isnull));

	for (int i = 0; i < n; i++)
		if (OidIsValid(collations->values[i]) &&
			collations->values[i] != TupleDescAttr(RelationGetDescr(relation),
												   form->indkey.values[i] - 1)
										 ->attcollation)
			return false;
	return true;
}

static bool
is_served_by(Relation relation, Oid indexid, const int64 *columns, int n,
			 bool unique)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(indexid));
	Oid method = method_of(indexid);
	Form_pg_index index;
	bool serves;

	if (!HeapTupleIsValid(tuple))
		return false;
	index = (Form_pg_index) GETSTRUCT(tuple);
	serves = index->indisvalid && index->indnkeyatts >= n &&
			 (method == BTREE_AM_OID || method == HASH_AM_OID) &&
			 heap_attisnull(tuple, Anum_pg_index_indpred, NULL) &&
			 heap_attisnull(tuple, Anum_pg_index_indexprs, NULL) &&
			 (!unique || (index->indisunique && index->indnkeyatts == n)) &&
			 begins_with(index, columns, n) &&
			 has_collations(relation, tuple, n);
	ReleaseSysCache(tuple);
	return serves;
}

/*
 * Returns whether the columns are NOT NULL. Returns true for a materialized
 * view, whose columns cannot be NOT NULL.
 */
static bool
are_required(Relation relation, const int64 *columns, int n)
{
	for (int i = 0; i < n && relation->rd_rel->relkind != RELKIND_MATVIEW; i++)
		if (columns[i] < 1 ||
			!TupleDescAttr(RelationGetDescr(relation), columns[i] - 1)
				 ->attnotnull)
			return false;
	return true;
}

/*
 * Returns whether a complete index serves "=" on these columns (bound_index.h).
 * Uses caches instead of SPI, because the reading tools have no SPI connection.
 */
bool
kg_bound_has_index(Oid relid, const int64 *columns, int n, bool unique)
{
	Relation relation = try_table_open(relid, AccessShareLock);
	bool found = false;
	ListCell *lc;

	if (relation == NULL)
		return false;
	if (n > 0 && (!unique || are_required(relation, columns, n)))
		foreach(lc, RelationGetIndexList(relation))
			found = found ||
					is_served_by(relation, lfirst_oid(lc), columns, n, unique);
	table_close(relation, AccessShareLock);
	return found;
}

/*
 * Returns whether the index is valid and not partial, and its column at this
 * position is the given column of the table.
 */
static bool
has_column_at(Relation index, int at, int64 column)
{
	const FormData_pg_index *form = index->rd_index;

	return form->indisvalid && at < form->indnkeyatts &&
		   form->indkey.values[at] == column &&
		   heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
}

/*
 * Calls of_index() for the indexes of the table until it returns a result.
 * Returns this result, or NULL.
 */
static const void *
first_of_indexes(Oid relid, int64 column,
				 const void *(*of_index)(Relation index, int64 column))
{
	Relation relation = try_table_open(relid, AccessShareLock);
	const void *result = NULL;
	ListCell *lc;

	if (relation == NULL)
		return NULL;
	foreach(lc, RelationGetIndexList(relation))
	{
		Relation index = index_open(lfirst_oid(lc), AccessShareLock);

		if (result == NULL)
			result = of_index(index, column);
		index_close(index, AccessShareLock);
	}
	table_close(relation, AccessShareLock);
	return result;
}

static const void *
prefix_of(Relation index, int64 column)
{
	static const KgBoundPrefix by_pattern = {"~>=~", "~<~", ""};
	static const KgBoundPrefix by_bytes = {
		">=", "<", " COLLATE pg_catalog.\"C\""};

	if (index->rd_rel->relam != BTREE_AM_OID ||
		!has_column_at(index, 0, column))
		return NULL;
	if (index->rd_opfamily[0] == TEXT_PATTERN_BTREE_FAM_OID)
		return &by_pattern;
	return index->rd_opfamily[0] == TEXT_BTREE_FAM_OID &&
				   index->rd_indcollation[0] == C_COLLATION_OID
			   ? &by_bytes
			   : NULL;
}

const KgBoundPrefix *
kg_bound_prefix(Oid relid, int64 column)
{
	return first_of_indexes(relid, column, prefix_of);
}

/*
 * Returns the schema of an operator family of pg_trgm. Returns NULL for another
 * family, or if the caller lacks USAGE on the schema and so cannot use the
 * operators.
 */
static const char *
schema_of_trigrams(Oid family)
{
	HeapTuple tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(family));
	const char *schema = NULL;
	Form_pg_opfamily form;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	form = (Form_pg_opfamily) GETSTRUCT(tuple);
	if ((strcmp(NameStr(form->opfname), "gin_trgm_ops") == 0 ||
		 strcmp(NameStr(form->opfname), "gist_trgm_ops") == 0) &&
		kg_schema_aclcheck(form->opfnamespace, GetUserId(), ACL_USAGE) ==
			ACLCHECK_OK)
		schema = get_namespace_name(form->opfnamespace);
	ReleaseSysCache(tuple);
	return schema;
}

static const void *
trigrams_of(Relation index, int64 column)
{
	const char *schema = NULL;

	for (int i = 0; i < index->rd_index->indnkeyatts && schema == NULL; i++)
		if (has_column_at(index, i, column))
			schema = schema_of_trigrams(index->rd_opfamily[i]);
	return schema;
}

const char *
kg_bound_trigrams(Oid relid, int64 column)
{
	return first_of_indexes(relid, column, trigrams_of);
}

char *
kg_bound_names(const KgBoundProperty *property)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < property->ncolumns; i++)
		appendStringInfo(
			&text, "%s%s", i > 0 ? ", " : "", property->columns[i].name);
	return text.data;
}

char *
kg_bound_index_text(const KgBoundTable *table, const KgBoundProperty *property,
					bool unique)
{
	/*
	 * PostgreSQL does not support CREATE INDEX CONCURRENTLY for a partitioned
	 * table.
	 */
	return psprintf("CREATE %sINDEX %sON %s (%s)",
					unique ? "UNIQUE " : "",
					table->kind == RELKIND_PARTITIONED_TABLE ? ""
															 : "CONCURRENTLY ",
					table->name,
					kg_bound_names(property));
}

double
kg_bound_rows(Oid relid)
{
	Relation relation = try_table_open(relid, AccessShareLock);
	BlockNumber pages;
	double tuples = -1;
	double visible;

	if (relation == NULL)
		return -1;
	if (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE ||
		relation->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		tuples = relation->rd_rel->reltuples;
	else if (RELKIND_HAS_STORAGE(relation->rd_rel->relkind))
		estimate_rel_size(relation, NULL, &pages, &tuples, &visible);
	table_close(relation, AccessShareLock);
	return tuples;
}
