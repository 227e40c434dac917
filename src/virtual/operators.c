/*
 * operators.c
 *	  Comparison operators of the types of columns.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "virtual/operators.h"

bool
kg_vis_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static const char *
operator_name(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(oid));
	Form_pg_operator operator;
	const char *name;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	operator=(Form_pg_operator) GETSTRUCT(tuple);
	name = psprintf(
		"OPERATOR(%s.%s)",
		quote_identifier(get_namespace_name(operator->oprnamespace)),
		NameStr(operator->oprname));
	ReleaseSysCache(tuple);
	return name;
}

const char *
kg_voperator(Oid type, int strategy)
{
	static const char *const names[] = {
		[BTLessStrategyNumber] = "<",
		[BTLessEqualStrategyNumber] = "<=",
		[BTEqualStrategyNumber] = "=",
		[BTGreaterEqualStrategyNumber] = ">=",
		[BTGreaterStrategyNumber] = ">",
	};
	TypeCacheEntry *entry;
	Oid oid;

	/*
	 * Use the name alone, so that the parser finds an operator that compares
	 * two types of numbers, or the operator of texts.
	 */
	if (kg_vis_integer(type) || type == FLOAT4OID || type == VARCHAROID)
		return psprintf("OPERATOR(pg_catalog.%s)", names[strategy]);
	entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	if (!OidIsValid(entry->btree_opf))
		return NULL;
	oid = get_opfamily_member(entry->btree_opf,
							  entry->btree_opintype,
							  entry->btree_opintype,
							  strategy);
	return OidIsValid(oid) ? operator_name(oid) : NULL;
}

bool
kg_voperator_is_leakproof(Oid type, int strategy)
{
	TypeCacheEntry *entry;
	Oid oid;

	if (kg_vis_integer(type))
		type = INT8OID;
	else if (type == FLOAT4OID)
		type = FLOAT8OID;
	else if (type == VARCHAROID)
		type = TEXTOID;
	entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	if (!OidIsValid(entry->btree_opf))
		return false;
	oid = get_opfamily_member(entry->btree_opf,
							  entry->btree_opintype,
							  entry->btree_opintype,
							  strategy);
	return OidIsValid(oid) && get_func_leakproof(get_opcode(oid));
}

bool
kg_vequals_as_text(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);

	return OidIsValid(entry->btree_opf) &&
		   OidIsValid(get_opfamily_proc(entry->btree_opf,
										entry->btree_opintype,
										entry->btree_opintype,
										BTEQUALIMAGE_PROC));
}
