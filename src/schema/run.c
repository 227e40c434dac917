/*
 * run.c
 *	  The schema interpreter: nodes, references and combinations of
 *	  subschemas.
 *
 * It raises no error for invalid data, only for limits and cancellation. If
 * violations are reported, it continues after a violation to find others.
 * Otherwise it stops at the first violation.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "schema/run.h"

/* Number of steps between two checks of limits and interrupts. */
#define STEPS_AT_ONCE 1024

static KG_NORETURN void
limit_error(const char *message, int limit, const char *setting)
{
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf("%s %d", message, limit),
			 .hint = psprintf("See %s.", setting));
}

void
kg_run_refill(KgJsRun *run)
{
	CHECK_FOR_INTERRUPTS();
	run->steps_left -= STEPS_AT_ONCE - run->budget;
	if (run->steps_left < 0)
		limit_error("validation takes more steps than",
					kg_setting_schema_max_steps,
					"kg_graph.schema_max_steps");
	run->budget = STEPS_AT_ONCE;
}

/* ---- evaluated members ---- */

static void
seen_init(KgJsSeen *seen, const KgJsVal *val)
{
	int n = KG_VAL_COUNT(val);

	seen->words = (n + 63) / 64;
	if (seen->words <= lengthof(seen->local))
	{
		seen->bits = seen->local;
		memset(seen->local, 0, seen->words * sizeof(uint64));
	}
	else
		seen->bits = palloc0(seen->words * sizeof(uint64));
}

static void
seen_free(KgJsSeen *seen)
{
	if (seen->bits != seen->local)
		pfree(seen->bits);
}

static void
seen_add(KgJsSeen *seen, const KgJsSeen *more)
{
	for (int i = 0; i < seen->words; i++)
		seen->bits[i] |= more->bits[i];
}

void
kg_seen_mark_all(KgJsSeen *seen)
{
	memset(seen->bits, 0xFF, seen->words * sizeof(uint64));
}

/* ---- checks of a value alone ---- */

static int64
count_characters(const char *s, uint32 len)
{
	int64 n = 0;

	for (uint32 i = 0; i < len; i++)
		n += ((unsigned char) s[i] & 0xC0) != 0x80;
	return n;
}

static bool
enum_has(const KgJsEnum *values, const KgJsVal *val)
{
	uint32 hash;
	int i;

	if (values->n <= 4 && val->type == KG_JS_STRING)
	{
		for (i = 0; i < values->n; i++)
		{
			const KgJsVal *v = &values->values[i];

			if (v->len == val->len && memcmp(v->data, val->data, v->len) == 0)
				return true;
		}
		return false;
	}
	if (values->n <= 4)
	{
		for (i = 0; i < values->n; i++)
		{
			if (kg_val_equal(&values->values[i], val))
				return true;
		}
		return false;
	}
	hash = kg_val_hash(val);
	for (uint32 slot = hash & values->mask; values->slots[slot] != 0;
		 slot = (slot + 1) & values->mask)
	{
		i = values->slots[slot] - 1;
		if (values->hashes[i] == hash && kg_val_equal(&values->values[i], val))
			return true;
	}
	return false;
}

bool
kg_check_value(const KgJsInstr *instr, const KgJsVal *val)
{
	switch (instr->op)
	{
		case KG_JS_OP_MIN_LENGTH:
			/*
			 * A character has one to four bytes, so the length in bytes often
			 * decides without counting.
			 */
			if (val->len < instr->n)
				return false;
			return val->len / 4 >= instr->n ||
				   count_characters(val->data, val->len) >= instr->n;
		case KG_JS_OP_MAX_LENGTH:
			return val->len <= instr->n ||
				   count_characters(val->data, val->len) <= instr->n;
		case KG_JS_OP_DFA:
			return kg_dfa_matches(instr->u.dfa, val->data, val->len);
		case KG_JS_OP_FORMAT:
			return instr->u.format(val->data, val->len);
		case KG_JS_OP_MINIMUM:
			return kg_number_compare(val->data, instr->u.number) >= 0;
		case KG_JS_OP_MAXIMUM:
			return kg_number_compare(val->data, instr->u.number) <= 0;
		case KG_JS_OP_EXCLUSIVE_MINIMUM:
			return kg_number_compare(val->data, instr->u.number) > 0;
		case KG_JS_OP_EXCLUSIVE_MAXIMUM:
			return kg_number_compare(val->data, instr->u.number) < 0;
		case KG_JS_OP_MULTIPLE_OF:
			return kg_number_is_multiple(val->data, instr->u.divisor);
		case KG_JS_OP_FAIL:
			return false;
		case KG_JS_OP_CONST:
			return kg_val_equal(instr->u.value, val);
		case KG_JS_OP_ENUM:
			return enum_has(instr->u.values, val);
		case KG_JS_OP_MIN_ITEMS:
			return KG_VAL_COUNT(val) >= instr->n;
		case KG_JS_OP_MAX_ITEMS:
			return KG_VAL_COUNT(val) <= instr->n;
		default:
			return true;
	}
}

/* ---- references and combinations ---- */

bool
kg_eval_in_place(KgJsRun *run, const KgJsFrame *frame, const KgJsNode *node,
				 KgKeyword keyword, int index, const KgJsVal *val,
				 KgJsSeen *seen)
{
	KgJsFrame sub;

	if (seen == NULL && kg_quick_valid(node, val))
		return true;
	sub.parent = frame;
	sub.node = node;
	sub.keyword = keyword;
	sub.sub = index >= 0 ? KG_STEP_INDEX : KG_STEP_NONE;
	sub.sub_len = index;
	sub.token = KG_STEP_NONE;
	return kg_eval(run, &sub, val, seen);
}

/*
 * Evaluates a subschema whose failure is not a violation, such as "not" or
 * "if". Returns true if the instance is valid, and then adds the members that
 * the subschema has evaluated to seen. Reports no violation.
 */
static bool
test_in_place(KgJsRun *run, const KgJsFrame *frame, const KgJsNode *node,
			  KgKeyword keyword, int index, const KgJsVal *val, KgJsSeen *seen)
{
	KgJsReport *report = run->report;
	KgJsSeen own;
	bool valid;

	run->report = NULL;
	if (seen == NULL)
		valid = kg_eval_in_place(run, frame, node, keyword, index, val, NULL);
	else
	{
		seen_init(&own, val);
		kg_run_charge(run, own.words);
		valid = kg_eval_in_place(run, frame, node, keyword, index, val, &own);
		if (valid)
			seen_add(seen, &own);
		seen_free(&own);
	}
	run->report = report;
	return valid;
}

/*
 * Returns the target of a $dynamicRef: the anchor in the outermost resource of
 * the dynamic scope that has it. If anchor is NULL, searches for a
 * $recursiveAnchor. Returns "otherwise" if no resource has the anchor.
 */
static const KgJsNode *
dynamic_target(KgJsRun *run, const KgJsFrame *frame, const char *anchor,
			   const KgJsNode *otherwise)
{
	const KgJsNode *target = otherwise;
	const KgJsResource *last = NULL;

	for (; frame != NULL; frame = frame->parent)
	{
		const KgJsResource *resource = frame->node->resource;

		kg_run_charge(run, 1);
		if (resource == last)
			continue;
		last = resource;
		for (int i = 0; i < resource->ndynamic; i++)
		{
			const char *name = resource->dynamic[i].name;

			if (anchor == NULL ? name == NULL
							   : (name != NULL && strcmp(name, anchor) == 0))
			{
				target = resource->dynamic[i].node;
				break;
			}
		}
	}
	return target;
}

static bool
run_all_of(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
		   const KgJsVal *val, KgJsSeen *seen)
{
	const KgJsNodeList *list = instr->u.list;
	bool valid = true;

	for (int i = 0; i < list->n; i++)
	{
		if (!kg_eval_in_place(
				run, frame, list->node[i], instr->keyword, i, val, seen))
		{
			if (!run->report)
				return false;
			valid = false;
		}
	}
	return valid;
}

static bool
run_any_of(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
		   const KgJsVal *val, KgJsSeen *seen)
{
	const KgJsNodeList *list = instr->u.list;
	bool valid = false;

	for (int i = 0; i < list->n; i++)
	{
		if (test_in_place(
				run, frame, list->node[i], instr->keyword, i, val, seen))
		{
			valid = true;
			/*
			 * The result is known. The other branches are evaluated only for
			 * the members that unevaluatedItems and unevaluatedProperties must
			 * know.
			 */
			if (seen == NULL)
				break;
		}
	}
	return valid;
}

static bool
run_one_of(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
		   const KgJsVal *val, KgJsSeen *seen)
{
	const KgJsNodeList *list = instr->u.list;
	int valid = 0;

	for (int i = 0; i < list->n && valid < 2; i++)
		valid += test_in_place(
			run, frame, list->node[i], instr->keyword, i, val, seen);
	return valid == 1;
}

static bool
run_if(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
	   const KgJsVal *val, KgJsSeen *seen)
{
	const KgJsCondition *c = instr->u.condition;

	if (c->consequence == NULL && c->alternative == NULL && seen == NULL)
		return true;
	if (test_in_place(run, frame, c->condition, KG_KW_IF, -1, val, seen))
		return c->consequence == NULL ||
			   kg_eval_in_place(
				   run, frame, c->consequence, KG_KW_THEN, -1, val, seen);
	return c->alternative == NULL ||
		   kg_eval_in_place(
			   run, frame, c->alternative, KG_KW_ELSE, -1, val, seen);
}

/* ---- nodes ---- */

/*
 * Runs an instruction that evaluates subschemas. Returns true if the value is
 * valid. Only the subschemas report violations.
 */
static bool
run_nested(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
		   const KgJsVal *val, KgJsSeen *seen)
{
	switch (instr->op)
	{
		case KG_JS_OP_REF:
			return kg_eval_in_place(
				run, frame, instr->u.node, instr->keyword, -1, val, seen);
		case KG_JS_OP_DYNAMIC_REF:
			return kg_eval_in_place(run,
									frame,
									dynamic_target(run,
												   frame,
												   instr->u.dynamic->anchor,
												   instr->u.dynamic->target),
									instr->keyword,
									-1,
									val,
									seen);
		case KG_JS_OP_RECURSIVE_REF:
			return kg_eval_in_place(
				run,
				frame,
				dynamic_target(run, frame, NULL, instr->u.node),
				instr->keyword,
				-1,
				val,
				seen);
		case KG_JS_OP_ALL_OF:
			return run_all_of(run, frame, instr, val, seen);
		case KG_JS_OP_IF:
			return run_if(run, frame, instr, val, seen);
		case KG_JS_OP_ITEMS:
			return kg_run_items(run, frame, instr, val, seen);
		case KG_JS_OP_UNEVALUATED_ITEMS:
			return kg_run_unevaluated_items(run, frame, instr, val, seen);
		case KG_JS_OP_DEPENDENT_REQUIRED:
			return kg_run_dependent_required(run, frame, instr, val);
		case KG_JS_OP_DEPENDENT_SCHEMAS:
			return kg_run_dependent_schemas(run, frame, instr, val, seen);
		case KG_JS_OP_UNEVALUATED_PROPERTIES:
			return kg_run_unevaluated_properties(run, frame, instr, val, seen);
		default:
			elog(ERROR, "unexpected schema instruction %d", instr->op);
	}
}

/*
 * Runs the node's instructions for the type of val. Returns true if val is
 * valid.
 */
static bool
run_code(KgJsRun *run, const KgJsFrame *frame, const KgJsVal *val,
		 KgJsSeen *seen)
{
	const KgJsInstr *instr = frame->node->code[val->type];
	bool valid = true;

	for (; instr->op != KG_JS_OP_END; instr++)
	{
		bool ok;

		switch (instr->op)
		{
			case KG_JS_OP_ANY_OF:
				ok = run_any_of(run, frame, instr, val, seen);
				break;
			case KG_JS_OP_ONE_OF:
				ok = run_one_of(run, frame, instr, val, seen);
				break;
			case KG_JS_OP_NOT:
				ok = !test_in_place(
					run, frame, instr->u.node, KG_KW_NOT, -1, val, NULL);
				break;
			case KG_JS_OP_PATTERN:
				ok = kg_run_matches(run, instr->u.pattern, val);
				break;
			case KG_JS_OP_MULTIPLE_OF_BIG:
				ok = kg_run_multiple(run, val->data, instr->u.divisor->number);
				break;
			case KG_JS_OP_UNIQUE:
				ok = kg_run_unique(run, val);
				break;
			case KG_JS_OP_CONTAINS:
				ok = kg_run_contains(run, frame, instr, val, seen);
				break;
			default:
				if (instr->op > KG_JS_OP_LAST_PLAIN)
				{
					if (instr->op == KG_JS_OP_OBJECT
							? !kg_run_object(run, frame, instr, val, seen)
							: !run_nested(run, frame, instr, val, seen))
					{
						if (!run->report)
							return false;
						valid = false;
					}
					continue;
				}
				if (val->len > KG_QUICK_BYTES)
					kg_run_charge(run, val->len / KG_BYTES_OF_STEP);
				ok = kg_check_value(instr, val);
				break;
		}
		if (!ok)
		{
			if (!run->report)
				return false;
			if (instr->op == KG_JS_OP_ANY_OF || instr->op == KG_JS_OP_ONE_OF)
				kg_report_branches(run, frame, instr, val);
			else
				kg_report(run, frame, instr->keyword, val);
			valid = false;
		}
	}
	return valid;
}

/*
 * Runs a node with unevaluatedItems or unevaluatedProperties. Returns true if
 * val is valid. The node has its own set of evaluated members, which is then
 * merged into the set of its parent.
 */
static bool
run_tracked(KgJsRun *run, const KgJsFrame *frame, const KgJsVal *val,
			KgJsSeen *seen)
{
	KgJsSeen own;
	bool valid;

	seen_init(&own, val);
	kg_run_charge(run, own.words);
	valid = run_code(run, frame, val, &own);
	if (valid && seen != NULL)
		seen_add(seen, &own);
	seen_free(&own);
	return valid;
}

static bool
has_type(const KgJsNode *node, const KgJsVal *val)
{
	if (node->types & (1 << val->type))
		return true;
	return val->type == KG_JS_NUMBER && (node->types & (1 << KG_JS_INTEGER)) &&
		   kg_number_is_integer(val->data);
}

bool
kg_eval(KgJsRun *run, const KgJsFrame *frame, const KgJsVal *val,
		KgJsSeen *seen)
{
	const KgJsNode *node = frame->node;
	bool valid = true;
	int tracks;

	kg_run_charge(run, 1);
	if (!has_type(node, val))
	{
		if (run->report)
			kg_report(run,
					  frame,
					  node->flags & KG_JS_NODE_FALSE ? KG_KW_NONE : KG_KW_TYPE,
					  val);
		/* After a wrong type, other keywords would add no information. */
		return false;
	}
	if (node->code[val->type] == NULL)
		return true;
	if (++run->depth > kg_setting_schema_max_depth)
		limit_error("validation nests deeper than",
					kg_setting_schema_max_depth,
					"kg_graph.schema_max_depth");
	/*
	 * Check only each eighth level, because eight frames are small compared
	 * with the reserve of the stack.
	 */
	if ((run->depth & 7) == 0)
		check_stack_depth();
	tracks = val->type == KG_JS_OBJECT	? KG_JS_NODE_TRACKS_PROPERTIES
			 : val->type == KG_JS_ARRAY ? KG_JS_NODE_TRACKS_ITEMS
										: 0;
	if (node->flags & tracks)
		valid = run_tracked(run, frame, val, seen);
	else if (tracks == 0)
		valid = run_code(run, frame, val, NULL);
	else
		valid = run_code(run, frame, val, seen);
	run->depth--;
	return valid;
}

static void
run_init(KgJsRun *run, const KgSchema *schema, KgJsReport *report)
{
	run->schema = schema;
	run->budget = STEPS_AT_ONCE;
	run->steps_left = kg_setting_schema_max_steps;
	run->depth = 0;
	run->report = report;
}

bool
kg_run_root(const KgSchema *schema, const JsonbValue *instance,
			KgJsReport *report)
{
	KgJsFrame frame = {0};
	KgJsRun run;
	KgJsVal val;

	kg_val_from_value(&val, instance);
	if (report == NULL && kg_quick_valid(schema->root, &val))
		return true;
	run_init(&run, schema, report);
	frame.node = schema->root;
	frame.keyword = KG_KW_NONE;
	return kg_eval(&run, &frame, &val, NULL);
}

bool
kg_schema_is_valid(const KgSchema *schema, const JsonbValue *instance)
{
	return kg_run_root(schema, instance, NULL);
}
