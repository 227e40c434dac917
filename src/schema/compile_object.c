/*
 * compile_object.c
 *	  Compiler of properties, required, patternProperties,
 *	  additionalProperties and propertyNames as one plan, and of the keywords
 *	  for dependencies and numbers of properties.
 *
 * The plan's properties are in the order of jsonb's keys (length, then bytes),
 * so one pass over the plan and the instance's members is sufficient. The
 * patterns that match a declared name are determined during compilation.
 */
#include "postgres.h"

#include "schema/compile.h"

static int
compare_properties(const void *a, const void *b)
{
	const KgJsProperty *pa = a;
	const KgJsProperty *pb = b;

	return kg_key_compare(pa->name, pa->len, pb->name, pb->len);
}

static void
require_object(KgJsBuild *b, KgKeyword keyword)
{
	if (b->keyword[keyword].type != KG_JS_OBJECT)
		kg_keyword_error(b, keyword, "an object");
}

static void
require_names(KgJsBuild *b, KgKeyword keyword, const KgJsVal *list)
{
	KgJsArrayWalk w;
	KgJsVal item;

	if (list->type != KG_JS_ARRAY)
		kg_keyword_error(b, keyword, "an array of strings");
	kg_array_begin(&w, list);
	while (kg_array_next(&w, &item))
	{
		if (item.type != KG_JS_STRING)
			kg_keyword_error(b, keyword, "an array of strings");
	}
}

static void
compile_patterns(KgJsBuild *b, KgJsObjectPlan *plan)
{
	KgJsPatternNode *patterns;
	KgJsObjectWalk w;

	require_object(b, KG_KW_PATTERN_PROPERTIES);
	plan->npatterns = KG_VAL_COUNT(&b->keyword[KG_KW_PATTERN_PROPERTIES]);
	patterns = palloc(Max(plan->npatterns, 1) * sizeof(KgJsPatternNode));
	kg_object_begin(&w, &b->keyword[KG_KW_PATTERN_PROPERTIES]);
	while (kg_object_next(&w))
	{
		KgJsPatternNode *p = &patterns[w.i - 1];

		p->source = w.key;
		p->source_len = w.key_len;
		p->pattern = kg_keyword_pattern(
			b, KG_KW_PATTERN_PROPERTIES, w.key, w.key_len);
		p->dfa = kg_pattern_dfa(p->pattern);
		p->node = kg_compile_sub(
			b, KG_KW_PATTERN_PROPERTIES, w.key, w.key_len, -1, &w.value);
	}
	plan->patterns = patterns;
}

static void
match_patterns(KgJsBuild *b, const KgJsObjectPlan *plan, KgJsProperty *property)
{
	const KgJsPatternNode **matched = NULL;

	for (int i = 0; i < plan->npatterns; i++)
	{
		if (!kg_pattern_matches(plan->patterns[i].pattern,
								property->name,
								property->len,
								&b->compiler->steps))
			continue;
		if (matched == NULL)
			matched = palloc(plan->npatterns * sizeof(KgJsPatternNode *));
		matched[property->npatterns++] = &plan->patterns[i];
	}
	property->patterns = matched;
	kg_compile_check(b->compiler);
}

/*
 * Creates one sorted list, without duplicates, of the names in "properties" and
 * "required".
 */
static void
compile_properties(KgJsBuild *b, KgJsObjectPlan *plan)
{
	KgJsProperty *list;
	KgJsObjectWalk wo;
	KgJsArrayWalk wa;
	KgJsVal item;
	int total = 0;
	int n = 0;

	if (b->has[KG_KW_PROPERTIES])
	{
		require_object(b, KG_KW_PROPERTIES);
		total += KG_VAL_COUNT(&b->keyword[KG_KW_PROPERTIES]);
	}
	if (b->has[KG_KW_REQUIRED])
	{
		require_names(b, KG_KW_REQUIRED, &b->keyword[KG_KW_REQUIRED]);
		total += KG_VAL_COUNT(&b->keyword[KG_KW_REQUIRED]);
	}
	list = palloc0(Max(total, 1) * sizeof(KgJsProperty));
	if (b->has[KG_KW_PROPERTIES])
	{
		kg_object_begin(&wo, &b->keyword[KG_KW_PROPERTIES]);
		while (kg_object_next(&wo))
		{
			list[n].name = wo.key;
			list[n].len = wo.key_len;
			list[n].declared = true;
			list[n++].node = kg_compile_sub(
				b, KG_KW_PROPERTIES, wo.key, wo.key_len, -1, &wo.value);
		}
	}
	if (b->has[KG_KW_REQUIRED])
	{
		kg_array_begin(&wa, &b->keyword[KG_KW_REQUIRED]);
		while (kg_array_next(&wa, &item))
		{
			list[n].name = item.data;
			list[n].len = item.len;
			list[n++].required = true;
		}
	}
	qsort(list, n, sizeof(KgJsProperty), compare_properties);
	for (int i = 0; i < n; i++)
	{
		KgJsProperty *last = &list[plan->nproperties - 1];

		if (plan->nproperties > 0 && compare_properties(last, &list[i]) == 0)
		{
			last->required |= list[i].required;
			last->declared |= list[i].declared;
			if (list[i].node != NULL)
				last->node = list[i].node;
		}
		else
			list[plan->nproperties++] = list[i];
	}
	for (int i = 0; i < plan->nproperties; i++)
	{
		/*
		 * Copy the name first: names in "required" are not keys of a jsonb, so
		 * the bytes before them must not be read.
		 */
		char key[8] = {0};

		memcpy(key, list[i].name, Min(list[i].len, sizeof(key)));
		list[i].prefix = kg_key_prefix(key, sizeof(key));
		plan->nrequired += list[i].required;
		match_patterns(b, plan, &list[i]);
	}
	plan->properties = list;
}

static void
index_lengths(KgJsObjectPlan *plan)
{
	int i = 0;

	for (int length = 0; length <= KG_LENGTH_BUCKETS; length++)
	{
		while (i < plan->nproperties && plan->properties[i].len < length)
			i++;
		plan->by_length[length] = i;
	}
}

static void
compile_object_plan(KgJsBuild *b)
{
	KgJsInstr instr = {.op = KG_JS_OP_OBJECT, .keyword = KG_KW_PROPERTIES};
	KgJsObjectPlan *plan;

	if (!b->has[KG_KW_PROPERTIES] && !b->has[KG_KW_REQUIRED] &&
		!b->has[KG_KW_PATTERN_PROPERTIES] &&
		!b->has[KG_KW_ADDITIONAL_PROPERTIES] && !b->has[KG_KW_PROPERTY_NAMES])
		return;
	plan = palloc0(sizeof(KgJsObjectPlan));
	if (b->has[KG_KW_PATTERN_PROPERTIES])
		compile_patterns(b, plan);
	compile_properties(b, plan);
	index_lengths(plan);
	if (b->has[KG_KW_ADDITIONAL_PROPERTIES])
	{
		plan->additional = kg_compile_sub(
			b,
			KG_KW_ADDITIONAL_PROPERTIES,
			NULL,
			0,
			-1,
			&b->keyword[KG_KW_ADDITIONAL_PROPERTIES]);
		plan->marks_additional = true;
	}
	if (b->has[KG_KW_PROPERTY_NAMES])
		plan->names = kg_compile_sub(b,
									 KG_KW_PROPERTY_NAMES,
									 NULL,
									 0,
									 -1,
									 &b->keyword[KG_KW_PROPERTY_NAMES]);
	instr.u.object = plan;
	kg_emit(b, KG_MASK(KG_JS_OBJECT), &instr);
}

static void
fill_required(KgJsBuild *b, KgKeyword keyword, const KgJsVal *list,
			  KgJsDependency *dependency)
{
	KgJsVal *names;
	KgJsArrayWalk w;
	KgJsVal item;

	require_names(b, keyword, list);
	names = palloc(Max(KG_VAL_COUNT(list), 1) * sizeof(KgJsVal));
	kg_array_begin(&w, list);
	while (kg_array_next(&w, &item))
		names[dependency->nrequired++] = item;
	dependency->required = names;
}

static void
compile_dependencies(KgJsBuild *b, KgKeyword keyword)
{
	KgJsInstr instr = {.keyword = keyword};
	KgJsDependencies *required;
	KgJsDependencies *schemas;
	KgJsObjectWalk w;
	Size size;

	if (!b->has[keyword])
		return;
	require_object(b, keyword);
	size = offsetof(KgJsDependencies, item) +
		   KG_VAL_COUNT(&b->keyword[keyword]) * sizeof(KgJsDependency);
	required = palloc0(size);
	schemas = palloc0(size);
	kg_object_begin(&w, &b->keyword[keyword]);
	while (kg_object_next(&w))
	{
		bool is_list = keyword == KG_KW_DEPENDENT_REQUIRED ||
					   (keyword == KG_KW_DEPENDENCIES &&
						w.value.type == KG_JS_ARRAY);
		KgJsDependencies *target = is_list ? required : schemas;
		KgJsDependency *item = &target->item[target->n++];

		item->name = w.key;
		item->len = w.key_len;
		if (is_list)
			fill_required(b, keyword, &w.value, item);
		else
			item->node = kg_compile_sub(
				b, keyword, w.key, w.key_len, -1, &w.value);
	}
	if (required->n > 0)
	{
		instr.op = KG_JS_OP_DEPENDENT_REQUIRED;
		instr.u.dependencies = required;
		kg_emit(b, KG_MASK(KG_JS_OBJECT), &instr);
	}
	if (schemas->n > 0)
	{
		instr.op = KG_JS_OP_DEPENDENT_SCHEMAS;
		instr.u.dependencies = schemas;
		kg_emit(b, KG_MASK(KG_JS_OBJECT), &instr);
	}
}

void
kg_compile_objects(KgJsBuild *b)
{
	kg_compile_count(
		b, KG_KW_MIN_PROPERTIES, KG_JS_OP_MIN_ITEMS, KG_MASK(KG_JS_OBJECT));
	kg_compile_count(
		b, KG_KW_MAX_PROPERTIES, KG_JS_OP_MAX_ITEMS, KG_MASK(KG_JS_OBJECT));
	compile_object_plan(b);
	compile_dependencies(b, KG_KW_DEPENDENT_REQUIRED);
	compile_dependencies(b, KG_KW_DEPENDENT_SCHEMAS);
	compile_dependencies(b, KG_KW_DEPENDENCIES);
}
