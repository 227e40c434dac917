/*
 * run.h
 *	  The state that the source files of the schema interpreter share.
 */
#ifndef KG_RUN_H
#define KG_RUN_H

#include "schema/program.h"

typedef struct KgJsReport KgJsReport;

typedef struct KgJsRun
{
	const KgSchema *schema;
	/* number of steps until the next check of limits and interrupts */
	int budget;
	int64 steps_left;
	int depth;
	KgJsReport *report; /* NULL: violations are not reported */
} KgJsRun;

/*
 * The path on which the evaluation reached a node. The frames are on the C
 * stack. Together they represent the dynamic scope, the instance path and the
 * schema path.
 */
typedef enum KgStepKind
{
	KG_STEP_NONE,
	KG_STEP_NAME,
	KG_STEP_INDEX
} KgStepKind;

typedef struct KgJsFrame
{
	const struct KgJsFrame *parent;
	const KgJsNode *node;
	uint8 keyword;	/* keyword of the parent's node; KG_KW_NONE at the root */
	uint8 sub;		/* KgStepKind of the position in the keyword's value */
	uint8 token;	/* KgStepKind of the position in the parent's instance */
	uint32 sub_len; /* length of sub_name, or an index */
	const char *sub_name;
	uint32 token_len; /* length of token_name, or an index */
	const char *token_name;
} KgJsFrame;

/*
 * The members of an instance that were evaluated, for unevaluatedItems and
 * unevaluatedProperties.
 */
typedef struct KgJsSeen
{
	uint64 *bits;
	int words;
	uint64 local[4];
} KgJsSeen;

static inline void
kg_seen_mark(KgJsSeen *seen, int i)
{
	seen->bits[i / 64] |= UINT64CONST(1) << (i % 64);
}

static inline bool
kg_seen_has(const KgJsSeen *seen, int i)
{
	return (seen->bits[i / 64] >> (i % 64)) & 1;
}

extern void kg_seen_mark_all(KgJsSeen *seen);

/*
 * Evaluates frame->node on val. Returns true if val is valid. Adds the
 * evaluated members to seen, which may be NULL.
 */
extern bool kg_eval(KgJsRun *run, const KgJsFrame *frame, const KgJsVal *val,
					KgJsSeen *seen);
extern void kg_run_refill(KgJsRun *run);
/*
 * Evaluates a subschema on the current instance. Returns true if the instance
 * is valid. The subschema is the value of a keyword or, if index is not -1, an
 * item of the value.
 */
extern bool kg_eval_in_place(KgJsRun *run, const KgJsFrame *frame,
							 const KgJsNode *node, KgKeyword keyword, int index,
							 const KgJsVal *val, KgJsSeen *seen);
/*
 * Evaluates the whole schema on an instance. Returns true if it is valid.
 * report may be NULL.
 */
extern bool kg_run_root(const KgSchema *schema, const JsonbValue *instance,
						KgJsReport *report);

/* Adds the steps of a loop to the cost of the evaluation. */
static inline void
kg_run_charge(KgJsRun *run, int steps)
{
	run->budget -= steps;
	if (run->budget < 0)
		kg_run_refill(run);
}

/*
 * Returns true if the value passes an instruction that checks the value alone.
 * A node with only such instructions needs no frame.
 */
extern bool kg_check_value(const KgJsInstr *instr, const KgJsVal *val);
/*
 * Maximum length in bytes of a string that is checked without counting steps.
 */
#define KG_QUICK_BYTES 256
/* Number of bytes of a value that are checked in one step. */
#define KG_BYTES_OF_STEP 64
/*
 * Returns true if the number is a multiple of a divisor with many digits (in
 * run_number.c).
 */
extern bool kg_run_multiple(KgJsRun *run, const char *number,
							const char *divisor);

/*
 * Returns true if a string matches a pattern. Adds the steps of the match to
 * the cost of the evaluation.
 */
static inline bool
kg_run_matches(KgJsRun *run, const KgPattern *pattern, const KgJsVal *val)
{
	int64 steps = 0;
	bool matches = kg_pattern_matches(pattern, val->data, val->len, &steps);

	kg_run_charge(run, (int) steps);
	return matches;
}

/*
 * Returns true if checks that need no frame show that the value is valid. If it
 * returns false, kg_eval() must decide.
 */
static inline bool
kg_quick_valid(const KgJsNode *node, const KgJsVal *val)
{
	const KgJsInstr *instr = node->code[val->type];

	if ((node->types & (1 << val->type)) == 0 &&
		(val->type != KG_JS_NUMBER ||
		 (node->types & (1 << KG_JS_INTEGER)) == 0 ||
		 !kg_number_is_integer(val->data)))
		return false;
	if (instr == NULL)
		return true;
	if ((node->plain & (1 << val->type)) == 0 || val->len > KG_QUICK_BYTES)
		return false;
	for (; instr->op != KG_JS_OP_END; instr++)
	{
		if (instr->op == KG_JS_OP_DFA)
		{
			if (!kg_dfa_matches(instr->u.dfa, val->data, val->len))
				return false;
		}
		else if (instr->op == KG_JS_OP_MIN_LENGTH && val->len / 4 >= instr->n)
			continue;
		else if (!kg_check_value(instr, val))
			return false;
	}
	return true;
}

/* Returns true if a key matches a pattern of patternProperties. */
static inline bool
kg_key_matches(KgJsRun *run, const KgJsPatternNode *p, const char *key,
			   uint32 len)
{
	KgJsVal name = {.type = KG_JS_STRING, .data = key, .len = len};

	if (p->dfa == NULL)
		return kg_run_matches(run, p->pattern, &name);
	kg_run_charge(run, 1 + len / KG_BYTES_OF_STEP);
	return kg_dfa_matches(p->dfa, key, len);
}

extern bool kg_run_object(KgJsRun *run, const KgJsFrame *frame,
						  const KgJsInstr *instr, const KgJsVal *val,
						  KgJsSeen *seen);
extern bool kg_run_dependent_required(KgJsRun *run, const KgJsFrame *frame,
									  const KgJsInstr *instr,
									  const KgJsVal *val);
extern bool kg_run_dependent_schemas(KgJsRun *run, const KgJsFrame *frame,
									 const KgJsInstr *instr, const KgJsVal *val,
									 KgJsSeen *seen);
extern bool kg_run_unevaluated_properties(KgJsRun *run, const KgJsFrame *frame,
										  const KgJsInstr *instr,
										  const KgJsVal *val, KgJsSeen *seen);
extern bool kg_run_items(KgJsRun *run, const KgJsFrame *frame,
						 const KgJsInstr *instr, const KgJsVal *val,
						 KgJsSeen *seen);
extern bool kg_run_contains(KgJsRun *run, const KgJsFrame *frame,
							const KgJsInstr *instr, const KgJsVal *val,
							KgJsSeen *seen);
extern bool kg_run_unique(KgJsRun *run, const KgJsVal *val);
extern bool kg_run_unevaluated_items(KgJsRun *run, const KgJsFrame *frame,
									 const KgJsInstr *instr, const KgJsVal *val,
									 KgJsSeen *seen);

/*
 * Reports a violation of a keyword of the frame's node (in report.c). Sets
 * run->report to NULL if no more violations are needed.
 */
extern void kg_report(KgJsRun *run, const KgJsFrame *frame, KgKeyword keyword,
					  const KgJsVal *val);
/*
 * Reports a violation of anyOf or oneOf, including the violations in the
 * branches.
 */
extern void kg_report_branches(KgJsRun *run, const KgJsFrame *frame,
							   const KgJsInstr *instr, const KgJsVal *val);
/* Reports a missing required property. */
extern void kg_report_missing(KgJsRun *run, const KgJsFrame *frame,
							  KgKeyword keyword, const KgJsVal *val,
							  const char *name, int len);

#endif /* KG_RUN_H */
