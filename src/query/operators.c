/*
 * operators.c
 *	  The table of operators.
 *
 * The table of docs/tools.md is made from this one by ci/check_docs.py --fix; a
 * comment says there what the row after it means.
 */
#include "postgres.h"

#include "base/error.h"
#include "query/operators.h"

/* In the order of KgOp. */
static const KgOperator operators[] = {
	/* equal; on arrays: some member */
	{"eq", KG_OPERAND_VALUE, KG_ON_ALL, KG_SOME, KG_BOUND_ONE},
	/* present and not equal; on arrays: no member */
	{"ne", KG_OPERAND_VALUE, KG_ON_ALL, KG_NO, KG_UNBOUNDED},
	/* greater: numbers as numbers, dates and instants in time, strings by code
	   point; on arrays: some member, for each operator by itself */
	{"gt", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_SOME, KG_BOUND_LOWER},
	/* greater or equal, likewise */
	{"gte", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_SOME, KG_BOUND_LOWER},
	/* less, likewise */
	{"lt", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_SOME, KG_BOUND_UPPER},
	/* less or equal, likewise */
	{"lte", KG_OPERAND_ORDERED, KG_ON_ORDERED, KG_SOME, KG_BOUND_UPPER},
	/* one of 1 to 500 values; on arrays: some member is one of them */
	{"in", KG_OPERAND_LIST, KG_ON_ALL, KG_SOME, KG_BOUND_LIST},
	/* case-sensitive, `%` and `_` are plain characters; on arrays: some member
	 */
	{"contains", KG_OPERAND_PART, KG_ON_TEXT, KG_SOME, KG_UNBOUNDED},
	/* likewise */
	{"starts_with", KG_OPERAND_PART, KG_ON_TEXT, KG_SOME, KG_BOUND_PREFIX},
	/* likewise */
	{"ends_with", KG_OPERAND_PART, KG_ON_TEXT, KG_SOME, KG_UNBOUNDED},
	/* `true`: missing or null; an array without members is neither */
	{"is_null", KG_OPERAND_FLAG, KG_ON_PROPERTY, KG_SOME, KG_BOUND_MISSING},
	/* `true`: neither missing nor null */
	{"is_not_null", KG_OPERAND_FLAG, KG_ON_PROPERTY, KG_SOME, KG_UNBOUNDED},
	/* some of the values is a member */
	{"contains_any", KG_OPERAND_LIST, KG_ON_ARRAY, KG_SOME, KG_BOUND_LIST},
	/* all of the values are members */
	{"contains_all", KG_OPERAND_LIST, KG_ON_ARRAY, KG_EVERY, KG_BOUND_MEMBER},
};

/* What other languages call them, for did_you_mean. */
static const struct
{
	const char *name;
	KgOp op;
} synonyms[] = {
	{"=", KG_OP_EQ},
	{"==", KG_OP_EQ},
	{"$eq", KG_OP_EQ},
	{"equals", KG_OP_EQ},
	{"is", KG_OP_EQ},
	{"!=", KG_OP_NE},
	{"<>", KG_OP_NE},
	{"$ne", KG_OP_NE},
	{"neq", KG_OP_NE},
	{"not", KG_OP_NE},
	{">", KG_OP_GT},
	{"$gt", KG_OP_GT},
	{"after", KG_OP_GT},
	{">=", KG_OP_GTE},
	{"$gte", KG_OP_GTE},
	{"ge", KG_OP_GTE},
	{"min", KG_OP_GTE},
	{"from", KG_OP_GTE},
	{"between", KG_OP_GTE},
	{"<", KG_OP_LT},
	{"$lt", KG_OP_LT},
	{"before", KG_OP_LT},
	{"<=", KG_OP_LTE},
	{"$lte", KG_OP_LTE},
	{"le", KG_OP_LTE},
	{"max", KG_OP_LTE},
	{"to", KG_OP_LTE},
	{"$in", KG_OP_IN},
	{"any", KG_OP_IN},
	{"one_of", KG_OP_IN},
	{"like", KG_OP_CONTAINS},
	{"ilike", KG_OP_CONTAINS},
	{"match", KG_OP_CONTAINS},
	{"regex", KG_OP_CONTAINS},
	{"prefix", KG_OP_STARTS_WITH},
	{"suffix", KG_OP_ENDS_WITH},
	{"null", KG_OP_IS_NULL},
	{"exists", KG_OP_IS_NOT_NULL},
};

StaticAssertDecl(lengthof(operators) == KG_NOPS, "a row for each operator");

const KgOperator *
kg_operator(KgOp op)
{
	return &operators[op];
}

bool
kg_op_lookup(const char *name, KgOp *op)
{
	for (int i = 0; i < KG_NOPS; i++)
		if (strcmp(name, operators[i].name) == 0)
		{
			*op = i;
			return true;
		}
	return false;
}

const char *
kg_op_meant(const char *name)
{
	const char *names[KG_NOPS];

	for (int i = 0; i < lengthof(synonyms); i++)
		if (pg_strcasecmp(name, synonyms[i].name) == 0)
			return operators[synonyms[i].op].name;
	for (int i = 0; i < KG_NOPS; i++)
		names[i] = operators[i].name;
	return kg_nearest(name, names, KG_NOPS);
}

const char *
kg_op_instead(KgOp op)
{
	switch ((int) op)
	{
		case KG_OP_CONTAINS:
			return operators[KG_OP_EQ].name;
		case KG_OP_CONTAINS_ANY:
			return operators[KG_OP_IN].name;
		default:
			return NULL;
	}
}

KgOp
kg_op_opposite(KgOp op)
{
	Assert(operators[op].form == KG_OPERAND_FLAG);
	return op == KG_OP_IS_NULL ? KG_OP_IS_NOT_NULL : KG_OP_IS_NULL;
}

bool
kg_op_applies(KgOp op, const KgField *field)
{
	KgKind kind = field ? field->kind : KG_KIND_STRING;

	switch (operators[op].subject)
	{
		case KG_ON_ALL:
			return true;
		case KG_ON_ORDERED:
			return kind != KG_KIND_ENUM && kind != KG_KIND_BOOLEAN;
		case KG_ON_TEXT:
			return kind == KG_KIND_STRING || kind == KG_KIND_ENUM;
		case KG_ON_PROPERTY:
			return field != NULL;
		case KG_ON_ARRAY:
			return field != NULL && field->is_array;
	}
	return false;
}

bool
kg_op_passes(KgOp op, int order)
{
	switch (op)
	{
		case KG_OP_EQ:
		case KG_OP_NE:
		case KG_OP_IN:
		case KG_OP_CONTAINS_ANY:
		case KG_OP_CONTAINS_ALL:
			return order == 0;
		case KG_OP_GT:
			return order > 0;
		case KG_OP_GTE:
			return order >= 0;
		case KG_OP_LT:
			return order < 0;
		case KG_OP_LTE:
			return order <= 0;
		case KG_OP_CONTAINS:
		case KG_OP_STARTS_WITH:
		case KG_OP_ENDS_WITH:
		case KG_OP_IS_NULL:
		case KG_OP_IS_NOT_NULL:
			break;
	}
	elog(ERROR, "operator \"%s\" has no order", operators[op].name);
}

static bool
is_part(const char *text, int len, const char *part, int partlen)
{
	for (int i = 0; i + partlen <= len; i++)
		if (memcmp(text + i, part, partlen) == 0)
			return true;
	return false;
}

bool
kg_op_passes_text(KgOp op, const char *text, int len, const char *part,
				  int partlen)
{
	switch (op)
	{
		case KG_OP_CONTAINS:
			return is_part(text, len, part, partlen);
		case KG_OP_STARTS_WITH:
			return partlen <= len && memcmp(text, part, partlen) == 0;
		case KG_OP_ENDS_WITH:
			return partlen <= len &&
				   memcmp(text + len - partlen, part, partlen) == 0;
		case KG_OP_EQ:
		case KG_OP_NE:
		case KG_OP_GT:
		case KG_OP_GTE:
		case KG_OP_LT:
		case KG_OP_LTE:
		case KG_OP_IN:
		case KG_OP_IS_NULL:
		case KG_OP_IS_NOT_NULL:
		case KG_OP_CONTAINS_ANY:
		case KG_OP_CONTAINS_ALL:
			break;
	}
	elog(ERROR, "operator \"%s\" takes no text", operators[op].name);
}
