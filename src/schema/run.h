/*
 * run.h
 *	  Execution of a compiled schema: the state that the interpreter's parts
 *	  share.
 */
#ifndef KG_RUN_H
#define KG_RUN_H

#include "schema/program.h"

typedef struct KgReport KgReport;

typedef struct KgRun
{
	const KgSchema *schema;
	int budget; /* steps until the next look at limits and interrupts */
	int64 steps_left;
	int depth;
	KgReport *report; /* NULL: only validity is asked */
} KgRun;

/*
 * How the evaluation came to a node.  The frames, on the C stack, are the
 * dynamic scope, the instance path and the path through the schema in one.
 */
typedef enum KgStepKind
{
	KG_STEP_NONE,
	KG_STEP_NAME,
	KG_STEP_INDEX
} KgStepKind;

typedef struct KgFrame
{
	const struct KgFrame *parent;
	const KgNode *node;
	uint8 keyword;	/* of the parent's node; KG_KW_NONE at the root */
	uint8 sub;		/* KgStepKind: place in the keyword's value */
	uint8 token;	/* KgStepKind: place in the parent's instance */
	uint32 sub_len; /* or index */
	const char *sub_name;
	uint32 token_len; /* or index */
	const char *token_name;
} KgFrame;

/* Which members of one instance were evaluated, for unevaluated*. */
typedef struct KgSeen
{
	uint64 *bits;
	int words;
	uint64 local[4];
} KgSeen;

static inline void
kg_seen_mark(KgSeen *seen, int i)
{
	seen->bits[i / 64] |= UINT64CONST(1) << (i % 64);
}

static inline bool
kg_seen_has(const KgSeen *seen, int i)
{
	return (seen->bits[i / 64] >> (i % 64)) & 1;
}

extern void kg_seen_init(KgSeen *seen, const KgVal *val);
extern void kg_seen_free(KgSeen *seen);
extern void kg_seen_add(KgSeen *seen, const KgSeen *more);
extern void kg_seen_mark_all(KgSeen *seen);

/* Evaluate frame->node.  seen may be NULL. */
extern bool kg_eval(KgRun *run, const KgFrame *frame, const KgVal *val,
					KgSeen *seen);
extern void kg_run_refill(KgRun *run);
/* Evaluate a subschema of a keyword (and index, or -1) on the same instance. */
extern bool kg_eval_in_place(KgRun *run, const KgFrame *frame,
							 const KgNode *node, KgKeyword keyword, int index,
							 const KgVal *val, KgSeen *seen);
/* Evaluate the whole schema; report may be NULL. */
extern bool kg_run_root(const KgSchema *schema, const JsonbValue *instance,
						KgReport *report);

/* Count the work of a loop. */
static inline void
kg_run_charge(KgRun *run, int steps)
{
	run->budget -= steps;
	if (run->budget < 0)
		kg_run_refill(run);
}

/* The checks of a value alone; nodes of only these need no frame. */
extern bool kg_check_value(const KgInstr *instr, const KgVal *val);
/* Those of a longer one are counted, and need a run. */
#define KG_QUICK_BYTES 256
/* Bytes of a value that are looked at in one step. */
#define KG_BYTES_OF_STEP 64
/* run_number.c: whether it is a multiple of a divisor of many digits. */
extern bool kg_run_multiple(KgRun *run, const char *number,
							const char *divisor);

/* Match, and count what it took. */
static inline bool
kg_run_matches(KgRun *run, const KgPattern *pattern, const KgVal *val)
{
	int64 steps = 0;
	bool matches = kg_pattern_matches(pattern, val->data, val->len, &steps);

	kg_run_charge(run, (int) steps);
	return matches;
}

/*
 * True if the value is good by checks that need no frame; false says nothing
 * when kg_eval has to decide.
 */
static inline bool
kg_quick_valid(const KgNode *node, const KgVal *val)
{
	const KgInstr *instr = node->code[val->type];

	if ((node->types & (1 << val->type)) == 0 &&
		(val->type != KG_T_NUMBER || (node->types & (1 << KG_T_INTEGER)) == 0 ||
		 !kg_number_is_integer(val->data)))
		return false;
	if (instr == NULL)
		return true;
	if ((node->plain & (1 << val->type)) == 0 || val->len > KG_QUICK_BYTES)
		return false;
	for (; instr->op != KG_OP_END; instr++)
	{
		if (instr->op == KG_OP_DFA)
		{
			if (!kg_dfa_matches(instr->u.dfa, val->data, val->len))
				return false;
		}
		else if (instr->op == KG_OP_MIN_LENGTH && val->len / 4 >= instr->n)
			continue;
		else if (!kg_check_value(instr, val))
			return false;
	}
	return true;
}

/* Whether a key matches a pattern of patternProperties. */
static inline bool
kg_key_matches(KgRun *run, const KgPatternNode *p, const char *key, uint32 len)
{
	KgVal name = {.type = KG_T_STRING, .data = key, .len = len};

	if (p->dfa == NULL)
		return kg_run_matches(run, p->pattern, &name);
	kg_run_charge(run, 1 + len / KG_BYTES_OF_STEP);
	return kg_dfa_matches(p->dfa, key, len);
}

extern bool kg_run_object(KgRun *run, const KgFrame *frame,
						  const KgInstr *instr, const KgVal *val, KgSeen *seen);
extern bool kg_run_dependent_required(KgRun *run, const KgFrame *frame,
									  const KgInstr *instr, const KgVal *val);
extern bool kg_run_dependent_schemas(KgRun *run, const KgFrame *frame,
									 const KgInstr *instr, const KgVal *val,
									 KgSeen *seen);
extern bool kg_run_unevaluated_properties(KgRun *run, const KgFrame *frame,
										  const KgInstr *instr,
										  const KgVal *val, KgSeen *seen);
extern bool kg_run_items(KgRun *run, const KgFrame *frame, const KgInstr *instr,
						 const KgVal *val, KgSeen *seen);
extern bool kg_run_contains(KgRun *run, const KgFrame *frame,
							const KgInstr *instr, const KgVal *val,
							KgSeen *seen);
extern bool kg_run_unique(KgRun *run, const KgVal *val);
extern bool kg_run_unevaluated_items(KgRun *run, const KgFrame *frame,
									 const KgInstr *instr, const KgVal *val,
									 KgSeen *seen);

/*
 * report.c: note a violation of the keyword at frame.  When no more are wanted,
 * run->report is NULL afterwards.
 */
extern void kg_report(KgRun *run, const KgFrame *frame, KgKeyword keyword,
					  const KgVal *val);
/* anyOf or oneOf: the same, with what is wrong in the branches. */
extern void kg_report_branches(KgRun *run, const KgFrame *frame,
							   const KgInstr *instr, const KgVal *val);
/* A required property that is missing. */
extern void kg_report_missing(KgRun *run, const KgFrame *frame,
							  KgKeyword keyword, const KgVal *val,
							  const char *name, int len);

#endif /* KG_RUN_H */
