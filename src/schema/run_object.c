/*
 * run_object.c
 *	  The interpreter's instructions for objects.
 */
#include "postgres.h"

#include "schema/run.h"

/*
 * Evaluates the value of a property against a node, with a frame. Returns true
 * if the value is valid.
 */
static pg_noinline bool
eval_framed(KgJsRun *run, const KgJsFrame *frame, const KgJsNode *node,
			KgKeyword keyword, const char *sub, uint32 sub_len,
			const KgJsObjectWalk *w)
{
	KgJsFrame child;

	child.parent = frame;
	child.node = node;
	child.keyword = keyword;
	child.sub = sub ? KG_STEP_NAME : KG_STEP_NONE;
	child.sub_name = sub;
	child.sub_len = sub_len;
	child.token = KG_STEP_NAME;
	child.token_name = w->key;
	child.token_len = w->key_len;
	return kg_eval(run, &child, &w->value, NULL);
}

static inline bool
eval_property(KgJsRun *run, const KgJsFrame *frame, const KgJsNode *node,
			  KgKeyword keyword, const char *sub, uint32 sub_len,
			  const KgJsObjectWalk *w)
{
	return kg_quick_valid(node, &w->value) ||
		   eval_framed(run, frame, node, keyword, sub, sub_len, w);
}

static bool
eval_name(KgJsRun *run, const KgJsFrame *frame, const KgJsNode *node,
		  const KgJsObjectWalk *w)
{
	KgJsFrame child;
	KgJsVal name;

	name.type = KG_JS_STRING;
	name.data = w->key;
	name.len = w->key_len;
	if (kg_quick_valid(node, &name))
		return true;
	child.parent = frame;
	child.node = node;
	child.keyword = KG_KW_PROPERTY_NAMES;
	child.sub = KG_STEP_NONE;
	child.token = KG_STEP_NAME;
	child.token_name = w->key;
	child.token_len = w->key_len;
	return kg_eval(run, &child, &name, NULL);
}

/*
 * Returns the declared property of the current key, or NULL. Keys and declared
 * properties are in the same order, so the search continues at *position.
 */
static inline const KgJsProperty *
find_property(const KgJsObjectPlan *plan, const KgJsObjectWalk *w,
			  int *position)
{
	const KgJsProperty *p;
	const KgJsProperty *end = plan->properties + plan->nproperties;
	uint64 prefix;
	int start;

	if (w->key_len <= KG_LENGTH_BUCKETS)
	{
		start = plan->by_length[w->key_len];
		if (start > *position)
			*position = start;
	}
	p = plan->properties + *position;
	while (p < end && p->len < w->key_len)
		p++;
	prefix = kg_key_prefix(w->key, w->key_len);
	for (; p < end && p->len == w->key_len; p++)
	{
		int cmp;

		if (p->prefix < prefix)
			continue;
		if (p->prefix > prefix)
			break;
		cmp = p->len <= sizeof(prefix) ? 0
									   : memcmp(p->name + sizeof(prefix),
												w->key + sizeof(prefix),
												p->len - sizeof(prefix));
		if (cmp == 0)
		{
			*position = p + 1 - plan->properties;
			return p;
		}
		if (cmp > 0)
			break;
	}
	*position = p - plan->properties;
	return NULL;
}

/*
 * Evaluates a member that "properties" does not declare: against
 * patternProperties, then additionalProperties. Returns true if the member is
 * valid.
 */
static bool
eval_undeclared(KgJsRun *run, const KgJsFrame *frame,
				const KgJsObjectPlan *plan, const KgJsObjectWalk *w,
				KgJsSeen *seen)
{
	bool valid = true;
	bool matched = false;

	for (int i = 0; i < plan->npatterns; i++)
	{
		const KgJsPatternNode *p = &plan->patterns[i];

		if (!kg_key_matches(run, p, w->key, w->key_len))
			continue;
		matched = true;
		if (!eval_property(run,
						   frame,
						   p->node,
						   KG_KW_PATTERN_PROPERTIES,
						   p->source,
						   p->source_len,
						   w))
		{
			if (!run->report)
				return false;
			valid = false;
		}
	}
	if (!matched && plan->additional != NULL)
	{
		matched = true;
		if (!eval_property(run,
						   frame,
						   plan->additional,
						   KG_KW_ADDITIONAL_PROPERTIES,
						   NULL,
						   0,
						   w))
			valid = false;
	}
	if (matched && seen != NULL)
		kg_seen_mark(seen, w->i - 1);
	return valid;
}

static inline bool
eval_declared(KgJsRun *run, const KgJsFrame *frame, const KgJsProperty *p,
			  const KgJsObjectWalk *w, KgJsSeen *seen)
{
	bool valid = true;

	if (!eval_property(
			run, frame, p->node, KG_KW_PROPERTIES, p->name, p->len, w))
	{
		if (!run->report)
			return false;
		valid = false;
	}
	kg_run_charge(run, p->npatterns);
	for (int i = 0; i < p->npatterns; i++)
	{
		if (!eval_property(run,
						   frame,
						   p->patterns[i]->node,
						   KG_KW_PATTERN_PROPERTIES,
						   p->patterns[i]->source,
						   p->patterns[i]->source_len,
						   w))
		{
			if (!run->report)
				return false;
			valid = false;
		}
	}
	if (seen != NULL)
		kg_seen_mark(seen, w->i - 1);
	return valid;
}

static void
report_missing(KgJsRun *run, const KgJsFrame *frame, const KgJsObjectPlan *plan,
			   const KgJsVal *val)
{
	KgJsVal member;

	for (int i = 0; i < plan->nproperties && run->report; i++)
	{
		const KgJsProperty *p = &plan->properties[i];

		if (p->required && !kg_val_get(val, p->name, p->len, &member))
			kg_report_missing(run, frame, KG_KW_REQUIRED, val, p->name, p->len);
	}
}

bool
kg_run_object(KgJsRun *run, const KgJsFrame *frame, const KgJsInstr *instr,
			  const KgJsVal *val, KgJsSeen *seen)
{
	const KgJsObjectPlan *plan = instr->u.object;
	KgJsObjectWalk w;
	bool valid = true;
	int required = 0;
	int position = 0;

	kg_object_begin(&w, val);
	if (w.n < plan->nrequired && !run->report)
		return false;
	kg_run_charge(run, w.n);
	while (kg_object_next(&w))
	{
		const KgJsProperty *p = find_property(plan, &w, &position);
		bool ok;

		if (p != NULL)
			required += p->required;
		if (plan->names != NULL && !eval_name(run, frame, plan->names, &w))
		{
			if (!run->report)
				return false;
			valid = false;
		}
		if (p != NULL && p->declared)
			ok = eval_declared(run, frame, p, &w, seen);
		else if (plan->npatterns == 0 && plan->additional == NULL)
			continue;
		else
			ok = eval_undeclared(run, frame, plan, &w, seen);
		if (!ok)
		{
			if (!run->report)
				return false;
			valid = false;
		}
	}
	if (required < plan->nrequired)
	{
		if (run->report)
			report_missing(run, frame, plan, val);
		return false;
	}
	return valid;
}

bool
kg_run_dependent_required(KgJsRun *run, const KgJsFrame *frame,
						  const KgJsInstr *instr, const KgJsVal *val)
{
	const KgJsDependencies *list = instr->u.dependencies;
	KgJsVal member;
	bool valid = true;

	for (int i = 0; i < list->n; i++)
	{
		const KgJsDependency *d = &list->item[i];

		kg_run_charge(run, 1);
		if (!kg_val_get(val, d->name, d->len, &member))
			continue;
		kg_run_charge(run, d->nrequired);
		for (int j = 0; j < d->nrequired; j++)
		{
			const KgJsVal *name = &d->required[j];

			if (kg_val_get(val, name->data, name->len, &member))
				continue;
			if (!run->report)
				return false;
			kg_report_missing(
				run, frame, instr->keyword, val, name->data, name->len);
			valid = false;
		}
	}
	return valid;
}

bool
kg_run_dependent_schemas(KgJsRun *run, const KgJsFrame *frame,
						 const KgJsInstr *instr, const KgJsVal *val,
						 KgJsSeen *seen)
{
	const KgJsDependencies *list = instr->u.dependencies;
	KgJsVal member;
	bool valid = true;

	for (int i = 0; i < list->n; i++)
	{
		const KgJsDependency *d = &list->item[i];
		KgJsFrame child;

		kg_run_charge(run, 1);
		if (!kg_val_get(val, d->name, d->len, &member))
			continue;
		child.parent = frame;
		child.node = d->node;
		child.keyword = instr->keyword;
		child.sub = KG_STEP_NAME;
		child.sub_name = d->name;
		child.sub_len = d->len;
		child.token = KG_STEP_NONE;
		if (!kg_eval(run, &child, val, seen))
		{
			if (!run->report)
				return false;
			valid = false;
		}
	}
	return valid;
}

bool
kg_run_unevaluated_properties(KgJsRun *run, const KgJsFrame *frame,
							  const KgJsInstr *instr, const KgJsVal *val,
							  KgJsSeen *seen)
{
	KgJsObjectWalk w;
	bool valid = true;

	kg_object_begin(&w, val);
	kg_run_charge(run, w.n);
	while (kg_object_next(&w))
	{
		if (kg_seen_has(seen, w.i - 1))
			continue;
		if (!eval_property(run,
						   frame,
						   instr->u.node,
						   KG_KW_UNEVALUATED_PROPERTIES,
						   NULL,
						   0,
						   &w))
		{
			if (!run->report)
				return false;
			valid = false;
		}
	}
	kg_seen_mark_all(seen);
	return valid;
}
