/*
 * compile_array.c
 *	  Compiler of items, prefixItems, additionalItems, contains, and the
 *	  keywords for the number of items.
 */
#include "postgres.h"

#include "schema/compile.h"

static const KgJsNode *const *
compile_prefix(KgJsBuild *b, KgKeyword keyword, int *n)
{
	const KgJsVal *list = &b->keyword[keyword];
	const KgJsNode **nodes;
	KgJsArrayWalk w;
	KgJsVal item;

	if (list->type != KG_JS_ARRAY)
		kg_keyword_error(b, keyword, "an array of schemas");
	*n = KG_VAL_COUNT(list);
	nodes = palloc(Max(*n, 1) * sizeof(KgJsNode *));
	kg_array_begin(&w, list);
	while (kg_array_next(&w, &item))
		nodes[w.i - 1] = kg_compile_sub(b, keyword, NULL, 0, w.i - 1, &item);
	return nodes;
}

/*
 * Compiles the keywords for the items of an array. Before 2020-12, an array in
 * "items" has the meaning of "prefixItems", and "additionalItems" applies only
 * beside it.
 */
static void
compile_items(KgJsBuild *b)
{
	KgJsInstr instr = {.op = KG_JS_OP_ITEMS};
	KgJsItemsPlan *plan = palloc0(sizeof(KgJsItemsPlan));
	KgKeyword rest = KG_KW_ITEMS;

	plan->prefix_keyword = KG_KW_PREFIX_ITEMS;
	if (b->has[KG_KW_PREFIX_ITEMS])
		plan->prefix = compile_prefix(b, KG_KW_PREFIX_ITEMS, &plan->nprefix);
	else if (b->resource->dialect != KG_DRAFT_2020 && b->has[KG_KW_ITEMS] &&
			 b->keyword[KG_KW_ITEMS].type == KG_JS_ARRAY)
	{
		plan->prefix_keyword = KG_KW_ITEMS;
		plan->prefix = compile_prefix(b, KG_KW_ITEMS, &plan->nprefix);
		rest = KG_KW_ADDITIONAL_ITEMS;
	}
	if (b->has[rest])
	{
		plan->rest = kg_compile_sub(b, rest, NULL, 0, -1, &b->keyword[rest]);
		plan->marks_rest = true;
	}
	plan->rest_keyword = rest;
	if (plan->nprefix == 0 && plan->rest == NULL)
		return;
	instr.keyword = rest;
	instr.u.items = plan;
	kg_emit(b, KG_MASK(KG_JS_ARRAY), &instr);
}

static void
compile_contains(KgJsBuild *b)
{
	KgJsInstr instr = {.op = KG_JS_OP_CONTAINS, .keyword = KG_KW_CONTAINS};
	KgJsContainsPlan *plan = palloc0(sizeof(KgJsContainsPlan));

	plan->node = kg_compile_sub(
		b, KG_KW_CONTAINS, NULL, 0, -1, &b->keyword[KG_KW_CONTAINS]);
	plan->min = b->has[KG_KW_MIN_CONTAINS]
					? kg_keyword_count(b, KG_KW_MIN_CONTAINS)
					: 1;
	plan->max = b->has[KG_KW_MAX_CONTAINS]
					? kg_keyword_count(b, KG_KW_MAX_CONTAINS)
					: -1;
	/*
	 * Items that match "contains" count as evaluated only since draft 2020-12.
	 */
	plan->marks = b->resource->dialect == KG_DRAFT_2020;
	instr.u.contains = plan;
	kg_emit(b, KG_MASK(KG_JS_ARRAY), &instr);
}

void
kg_compile_arrays(KgJsBuild *b)
{
	KgJsInstr instr = {0};

	kg_compile_count(
		b, KG_KW_MIN_ITEMS, KG_JS_OP_MIN_ITEMS, KG_MASK(KG_JS_ARRAY));
	kg_compile_count(
		b, KG_KW_MAX_ITEMS, KG_JS_OP_MAX_ITEMS, KG_MASK(KG_JS_ARRAY));
	compile_items(b);
	if (b->has[KG_KW_CONTAINS])
		compile_contains(b);
	instr.op = KG_JS_OP_UNIQUE;
	instr.keyword = KG_KW_UNIQUE_ITEMS;
	if (kg_compile_flag(b, KG_KW_UNIQUE_ITEMS))
		kg_emit(b, KG_MASK(KG_JS_ARRAY), &instr);
}

void
kg_compile_unevaluated(KgJsBuild *b)
{
	KgJsInstr instr = {0};

	if (b->has[KG_KW_UNEVALUATED_ITEMS])
	{
		instr.op = KG_JS_OP_UNEVALUATED_ITEMS;
		instr.keyword = KG_KW_UNEVALUATED_ITEMS;
		instr.u.node = kg_compile_sub(b,
									  KG_KW_UNEVALUATED_ITEMS,
									  NULL,
									  0,
									  -1,
									  &b->keyword[KG_KW_UNEVALUATED_ITEMS]);
		b->node->flags |= KG_JS_NODE_TRACKS_ITEMS;
		kg_emit(b, KG_MASK(KG_JS_ARRAY), &instr);
	}
	if (b->has[KG_KW_UNEVALUATED_PROPERTIES])
	{
		instr.op = KG_JS_OP_UNEVALUATED_PROPERTIES;
		instr.keyword = KG_KW_UNEVALUATED_PROPERTIES;
		instr.u.node = kg_compile_sub(
			b,
			KG_KW_UNEVALUATED_PROPERTIES,
			NULL,
			0,
			-1,
			&b->keyword[KG_KW_UNEVALUATED_PROPERTIES]);
		b->node->flags |= KG_JS_NODE_TRACKS_PROPERTIES;
		kg_emit(b, KG_MASK(KG_JS_OBJECT), &instr);
	}
}
