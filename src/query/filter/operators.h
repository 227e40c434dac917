/*
 * operators.h
 *	  The operators of filters: one row each says all that others ask.
 *
 * What reads arguments, publishes schemas, chooses an index or lists what is
 * allowed asks the row; only SQL (query/sql.c) and the two tests below are
 * written operator by operator, in switches that leave none out.
 */
#ifndef KG_OPERATORS_H
#define KG_OPERATORS_H

#include "base/json.h"
#include "model/catalog.h"

#define KG_MAX_IN_VALUES 500
/* Objects of operators in the array that a condition may be. */
#define KG_MAX_CONDITION_OBJECTS 10

typedef enum KgOp
{
	KG_OP_EQ,
	KG_OP_NE,
	KG_OP_GT,
	KG_OP_GTE,
	KG_OP_LT,
	KG_OP_LTE,
	KG_OP_IN,
	KG_OP_CONTAINS,
	KG_OP_STARTS_WITH,
	KG_OP_ENDS_WITH,
	KG_OP_IS_NULL,
	KG_OP_IS_NOT_NULL,
	KG_OP_CONTAINS_ANY,
	KG_OP_CONTAINS_ALL
} KgOp;

#define KG_NOPS (KG_OP_CONTAINS_ALL + 1)

/* What an operator is given. */
typedef enum KgOperandForm
{
	KG_OPERAND_VALUE,	/* a value of the property */
	KG_OPERAND_ORDERED, /* one that an enum need not declare */
	KG_OPERAND_LIST,	/* 1 to KG_MAX_IN_VALUES values */
	KG_OPERAND_PART,	/* a text that is not empty */
	KG_OPERAND_FLAG		/* true, or false for the opposite operator */
} KgOperandForm;

/* What it may be used on. */
typedef enum KgOpSubject
{
	KG_ON_ALL,
	KG_ON_ORDERED,
	KG_ON_TEXT,
	KG_ON_PROPERTY, /* not on the id */
	KG_ON_ARRAY
} KgOpSubject;

/* Which pairs of an item and a value must pass its test. */
typedef enum KgOpQuantity
{
	KG_SOME,
	KG_NO,
	KG_EVERY /* value must have an item */
} KgOpQuantity;

/* What it bounds of the keys of an index. */
typedef enum KgOpBound
{
	KG_UNBOUNDED,
	KG_BOUND_MISSING, /* the key of what is missing */
	KG_BOUND_MEMBER,  /* one key, but the rest is asked besides */
	KG_BOUND_PREFIX,
	KG_BOUND_LOWER,
	KG_BOUND_UPPER,
	KG_BOUND_LIST,
	KG_BOUND_ONE
} KgOpBound;

typedef struct KgOperator
{
	const char *name;
	KgOperandForm form;
	KgOpSubject subject;
	KgOpQuantity quantity;
	KgOpBound bound;
} KgOperator;

extern const KgOperator *kg_operator(KgOp op);
/* The operator of a name: false if there is none. */
extern bool kg_op_lookup(const char *name, KgOp *op);
/*
 * A condition as another language has it, {name: value}, as one of ours: an
 * object of operators, or an array of such; NULL where nothing here asks that.
 */
extern Jsonb *kg_op_condition(const char *name, const JsonbValue *value);
/*
 * What an operator asks of days, months and years, which dates and instants are
 * in or not, as a condition of ours: "lte" of a month is "lt" of the first day
 * after it.  NULL where the value is none, or a day that dates are compared with.
 */
extern Jsonb *kg_op_condition_on_days(KgKind kind, KgOp op,
									  const JsonbValue *value);
/* ">10" and "10..20" as such a condition on values of a kind, or NULL. */
extern Jsonb *kg_op_condition_of_text(KgKind kind, const char *text);
/* The operator in "people__gt", "min_people" and "!name", or NULL. */
extern const char *kg_op_in_name(const char *name, const char *property);
/* The one that a name which no language has may be a typing error of, or NULL. */
extern const char *kg_op_meant(const char *name);
/* One that asks the same of a field that an operator is not for, or NULL. */
extern const char *kg_op_instead(KgOp op);
/* What the operand false asks for, of an operator that takes a flag. */
extern KgOp kg_op_opposite(KgOp op);
/* May it be used on the field (NULL: an id)? */
extern bool kg_op_applies(KgOp op, const KgField *field);

/*
 * The tests, of one item and one value: by their order (as of memcmp), and of
 * those given a part of a text.
 */
extern bool kg_op_passes(KgOp op, int order);
extern bool kg_op_passes_text(KgOp op, const char *text, int len,
							  const char *part, int partlen);

#endif /* KG_OPERATORS_H */
