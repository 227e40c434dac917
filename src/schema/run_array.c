/*
 * run_array.c
 *	  The interpreter's instructions for arrays.
 */
#include "postgres.h"

#include "schema/run.h"

static bool
eval_item(KgJsRun *run, const KgJsFrame *frame, const KgJsNode *node,
		  KgKeyword keyword, bool indexed, const KgJsVal *item, int index)
{
	KgJsFrame child;

	if (kg_quick_valid(node, item))
		return true;
	child.parent = frame;
	child.node = node;
	child.keyword = keyword;
	child.sub = indexed ? KG_STEP_INDEX : KG_STEP_NONE;
	child.sub_len = index;
	child.token = KG_STEP_INDEX;
	child.token_len = index;
	return kg_eval(run, &child, item, NULL);
}

bool
kg_run_items(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
			 const KgJsVal *val, KgJsSeen *seen)
{
	const KgJsItemsPlan *plan = instr->u.items;
	KgJsArrayWalk w;
	KgJsVal item;
	bool valid = true;

	kg_array_begin(&w, val);
	kg_run_charge(run, w.n);
	while (kg_array_next(&w, &item))
	{
		int i = w.i - 1;
		bool ok;

		if (i < plan->nprefix)
			ok = eval_item(run,
						   frame,
						   plan->prefix[i],
						   plan->prefix_keyword,
						   true,
						   &item,
						   i);
		else if (plan->rest == NULL)
			break;
		else
			ok = eval_item(
				run, frame, plan->rest, plan->rest_keyword, false, &item, i);
		if (!ok)
		{
			if (!run->report)
				return false;
			valid = false;
		}
		if (seen != NULL)
			kg_seen_mark(seen, i);
	}
	return valid;
}

bool
kg_run_contains(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
				const KgJsVal *val, KgJsSeen *seen)
{
	const KgJsContainsPlan *plan = instr->u.contains;
	KgJsReport *report = run->report;
	bool marks = plan->marks && seen != NULL;
	int64 found = 0;
	KgJsArrayWalk w;
	KgJsVal item;

	kg_array_begin(&w, val);
	kg_run_charge(run, w.n);
	run->report = NULL;
	while (kg_array_next(&w, &item))
	{
		if (!eval_item(
				run, frame, plan->node, KG_KW_CONTAINS, false, &item, w.i - 1))
			continue;
		found++;
		if (marks)
			kg_seen_mark(seen, w.i - 1);
		else if (plan->max < 0 ? found >= plan->min : found > plan->max)
			break;
	}
	run->report = report;
	return found >= plan->min && (plan->max < 0 || found <= plan->max);
}

/*
 * Maximum number of items that are compared pairwise. For more items, a hash
 * table is used.
 */
#define PAIRWISE 8

static bool
unique_pairwise(const KgJsVal *val)
{
	KgJsVal items[PAIRWISE];
	KgJsArrayWalk w;

	kg_array_begin(&w, val);
	while (kg_array_next(&w, &items[w.i]))
	{
		for (int i = 0; i < w.i - 1; i++)
		{
			if (kg_val_equal(&items[i], &items[w.i - 1]))
				return false;
		}
		if (w.i == w.n)
			break;
	}
	return true;
}

static bool
unique_hashed(KgJsRun *run, const KgJsVal *val)
{
	int n = KG_VAL_COUNT(val);
	uint32 mask = 1;
	KgJsVal *items = palloc(n * sizeof(KgJsVal));
	uint32 *hashes = palloc(n * sizeof(uint32));
	int *slots;
	KgJsArrayWalk w;
	bool unique = true;

	while (mask < 2 * (uint32) n)
		mask *= 2;
	slots = palloc0(mask * sizeof(int));
	mask--;
	kg_array_begin(&w, val);
	while (unique && w.i < n && kg_array_next(&w, &items[w.i]))
	{
		int i = w.i - 1;
		uint32 slot;

		hashes[i] = kg_val_hash(&items[i]);
		for (slot = hashes[i] & mask; slots[slot] != 0;
			 slot = (slot + 1) & mask)
		{
			int other = slots[slot] - 1;

			kg_run_charge(run, 1);
			if (hashes[other] == hashes[i] &&
				kg_val_equal(&items[other], &items[i]))
			{
				unique = false;
				break;
			}
		}
		slots[slot] = i + 1;
	}
	pfree(slots);
	pfree(hashes);
	pfree(items);
	return unique;
}

bool
kg_run_unique(KgJsRun *run, const KgJsVal *val)
{
	int n = KG_VAL_COUNT(val);

	kg_run_charge(run, n + val->len / KG_BYTES_OF_STEP);
	if (n < 2)
		return true;
	return n <= PAIRWISE ? unique_pairwise(val) : unique_hashed(run, val);
}

bool
kg_run_unevaluated_items(KgJsRun *run, const KgJsFrame *frame,
						 const KgJsInstr *instr, const KgJsVal *val,
						 KgJsSeen *seen)
{
	KgJsArrayWalk w;
	KgJsVal item;
	bool valid = true;

	kg_array_begin(&w, val);
	kg_run_charge(run, w.n);
	while (kg_array_next(&w, &item))
	{
		if (kg_seen_has(seen, w.i - 1))
			continue;
		if (!eval_item(run,
					   frame,
					   instr->u.node,
					   KG_KW_UNEVALUATED_ITEMS,
					   false,
					   &item,
					   w.i - 1))
		{
			if (!run->report)
				return false;
			valid = false;
		}
	}
	kg_seen_mark_all(seen);
	return valid;
}
