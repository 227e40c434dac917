/*
 * operators.h
 *	  The operators of filters: a table with one row for each operator.
 *
 * All code that reads arguments, publishes schemas, chooses an index, writes
 * SQL (query/sql.c) or tests documents uses the columns of the table. None of
 * it treats an operator by its name. So a new operator over an existing test is
 * a row, and each negative operator is handled as KG_NO.
 */
#ifndef KG_OPERATORS_H
#define KG_OPERATORS_H

#include "base/json.h"
#include "model/catalog.h"

#define KG_MAX_IN_VALUES 500
/*
 * The maximum length of a condition that is an array of {operator: value}
 * objects.
 */
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

/* The operand of an operator. */
typedef enum KgOperandForm
{
	KG_OPERAND_VALUE, /* a value of the property */
	/* like KG_OPERAND_VALUE, but need not be a member of the enum */
	KG_OPERAND_ORDERED,
	KG_OPERAND_LIST, /* 1 to KG_MAX_IN_VALUES values */
	KG_OPERAND_PART, /* a text that is not empty */
	KG_OPERAND_FLAG	 /* true, or false for the opposite operator */
} KgOperandForm;

/* The properties that an operator may be used on. */
typedef enum KgOpSubject
{
	KG_ON_ALL,
	KG_ON_ORDERED,
	KG_ON_TEXT,
	KG_ON_PROPERTY, /* on arrays and scalars, but not on the id */
	KG_ON_ARRAY
} KgOpSubject;

/*
 * How many pairs of an item of the property and a value of the operand must
 * pass the operator's test.
 */
typedef enum KgOpQuantity
{
	KG_SOME,
	/* no pair passes, but the property has a value */
	KG_NO,
	KG_EVERY /* each value must have an item */
} KgOpQuantity;

/* The test of an item with a value of the operand. */
typedef enum KgOpTest
{
	KG_IS_EQUAL,
	KG_IS_ABOVE,
	KG_IS_FROM, /* above or equal */
	KG_IS_BELOW,
	KG_IS_UP_TO, /* below or equal */
	KG_IS_PART,
	KG_IS_START,
	KG_IS_END,
	KG_IS_PRESENT, /* there is an item; the operand has no value */
	KG_IS_MISSING
} KgOpTest;

/* The index keys that an operator allows. */
typedef enum KgOpBound
{
	KG_UNBOUNDED,
	KG_BOUND_MISSING, /* the key of a missing value */
	/* the key of one value; the whole condition must be tested, too */
	KG_BOUND_MEMBER,
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
	KgOpBound bound;
	KgOpTest test;
	KgOpQuantity quantity; /* KG_SOME if a row of the table omits it */
} KgOperator;

extern const KgOperator *kg_operator(KgOp op);
/*
 * Sets *op to the operator with this name. Returns false if there is no such
 * operator.
 */
extern bool kg_op_lookup(const char *name, KgOp *op);
/*
 * Translates a condition of another query language, {name: value}, to
 * kg_graph's: an object of operators, or an array of these. Returns NULL if no
 * condition of kg_graph is equivalent.
 */
extern Jsonb *kg_op_condition(const char *name, const JsonbValue *value);
/*
 * Returns the condition that "includes" or "has" means: a test of a member of
 * an array, or of a part of a text. Returns NULL for other names, for a value
 * that is not a scalar, and if the field does not have the operator.
 */
extern Jsonb *kg_op_condition_of_member(const KgField *field, const char *name,
										const JsonbValue *value);
/*
 * Translates a comparison of dates or instants with a day, month or year, or of
 * dates with an instant. For example, "lte" of a month becomes "lt" of the
 * first day after it. Returns NULL for other values, if no condition is
 * equivalent, or if a property of dates is compared with a single day, which
 * needs no translation.
 */
extern Jsonb *kg_op_condition_on_days(KgKind kind, KgOp op,
									  const JsonbValue *value);
/*
 * Returns the condition that a text such as ">10" or "10..20" means for values
 * of a kind, or NULL.
 */
extern Jsonb *kg_op_condition_of_text(KgKind kind, const char *text);
/*
 * Returns the operator in a name that combines an operator with the name of the
 * property, such as "people__gt", "min_people" or "!name". Returns NULL for any
 * other name.
 */
extern const char *kg_op_in_name(const char *name, const char *property);
/*
 * Returns the operator whose name is probably meant by a misspelled name, or
 * NULL.
 */
extern const char *kg_op_meant(const char *name);
/*
 * Returns an equivalent operator for fields on which this operator may not be
 * used, or NULL.
 */
extern const char *kg_op_instead(KgOp op);
/*
 * For an operator that takes a flag, returns the operator that it means with
 * the operand false.
 */
extern KgOp kg_op_opposite(KgOp op);
/* Returns whether the operator may be used on the field (NULL: an id). */
extern bool kg_op_applies(KgOp op, const KgField *field);

/*
 * Return whether an item passes the operator's test with a value. For a
 * negative operator, return the result of the test that the operator negates.
 * order is the result of comparing the item with the value, as of memcmp().
 * kg_op_passes_text() is for operators whose operand is a part of a text.
 */
extern bool kg_op_passes(KgOp op, int order);
extern bool kg_op_passes_text(KgOp op, const char *text, int len,
							  const char *part, int partlen);

#endif /* KG_OPERATORS_H */
