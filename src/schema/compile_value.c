/*
 * compile_value.c
 *	  Compiler of type, enum, const, and the keywords for strings and numbers.
 */
#include "postgres.h"

#include "schema/compile.h"

static int
type_bit(const KgJsBuild *b, const KgJsVal *name)
{
	for (int type = 0; type <= KG_JS_INTEGER; type++)
	{
		if (kg_val_is(name, kg_type_name(type)))
			return KG_MASK(type);
	}
	kg_keyword_error(b,
					 KG_KW_TYPE,
					 "array, boolean, integer, null, number, object or "
					 "string, or an array of these");
}

static void
compile_type(KgJsBuild *b)
{
	const KgJsVal *v = &b->keyword[KG_KW_TYPE];
	KgJsArrayWalk w;
	KgJsVal item;

	b->node->types = 0;
	/* "nullable" adds null only if the same schema has "type". */
	if (kg_compile_flag(b, KG_KW_NULLABLE))
		b->node->types = KG_MASK(KG_JS_NULL);
	if (v->type != KG_JS_ARRAY)
	{
		b->node->types |= type_bit(b, v);
		return;
	}
	kg_array_begin(&w, v);
	while (kg_array_next(&w, &item))
		b->node->types |= type_bit(b, &item);
}

/* Returns the values of one type as a hash table that is at most half full. */
static KgJsEnum *
make_enum(const KgJsVal *list, int type)
{
	KgJsEnum *result = palloc0(sizeof(KgJsEnum));
	int total = KG_VAL_COUNT(list);
	KgJsVal *values = palloc(total * sizeof(KgJsVal));
	uint32 *hashes;
	uint32 *slots;
	KgJsArrayWalk w;
	KgJsVal item;

	kg_array_begin(&w, list);
	while (kg_array_next(&w, &item))
	{
		if (item.type == type)
			values[result->n++] = item;
	}
	result->mask = 1;
	while (result->mask < 2 * result->n)
		result->mask *= 2;
	hashes = palloc(Max(result->n, 1) * sizeof(uint32));
	slots = palloc0(result->mask * sizeof(uint32));
	result->mask--;
	for (int i = 0; i < result->n; i++)
	{
		uint32 slot;

		hashes[i] = kg_val_hash(&values[i]);
		slot = hashes[i] & result->mask;
		while (slots[slot] != 0)
			slot = (slot + 1) & result->mask;
		slots[slot] = i + 1;
	}
	result->values = values;
	result->hashes = hashes;
	result->slots = slots;
	return result;
}

static void
compile_enum(KgJsBuild *b)
{
	const KgJsVal *v = &b->keyword[KG_KW_ENUM];

	if (v->type != KG_JS_ARRAY)
		kg_keyword_error(b, KG_KW_ENUM, "an array");
	for (int type = 0; type < KG_JS_NTYPES; type++)
	{
		KgJsInstr instr = {.op = KG_JS_OP_ENUM, .keyword = KG_KW_ENUM};
		KgJsEnum *values = make_enum(v, type);

		instr.u.values = values;
		if (values->n == 0)
			instr.op = KG_JS_OP_FAIL;
		else if (type == KG_JS_NULL)
			continue;
		kg_emit(b, KG_MASK(type), &instr);
	}
}

static void
compile_const(KgJsBuild *b)
{
	KgJsVal *v = palloc(sizeof(KgJsVal));
	KgJsInstr instr = {.op = KG_JS_OP_CONST, .keyword = KG_KW_CONST};

	*v = b->keyword[KG_KW_CONST];
	instr.u.value = v;
	kg_emit(b, KG_MASK(v->type), &instr);
	instr.op = KG_JS_OP_FAIL;
	kg_emit(b, KG_MASK_ANY & ~KG_MASK(v->type), &instr);
}

static void
compile_strings(KgJsBuild *b)
{
	const KgPattern *pattern;
	KgJsInstr instr = {0};
	const KgJsVal *v;

	if (b->has[KG_KW_MIN_LENGTH])
	{
		instr.op = KG_JS_OP_MIN_LENGTH;
		instr.keyword = KG_KW_MIN_LENGTH;
		instr.n = kg_keyword_count(b, KG_KW_MIN_LENGTH);
		if (instr.n > 0)
			kg_emit(b, KG_MASK(KG_JS_STRING), &instr);
	}
	kg_compile_count(
		b, KG_KW_MAX_LENGTH, KG_JS_OP_MAX_LENGTH, KG_MASK(KG_JS_STRING));
	if (b->has[KG_KW_PATTERN])
	{
		v = &b->keyword[KG_KW_PATTERN];
		if (v->type != KG_JS_STRING)
			kg_keyword_error(b, KG_KW_PATTERN, "a regular expression");
		instr.keyword = KG_KW_PATTERN;
		pattern = kg_keyword_pattern(b, KG_KW_PATTERN, v->data, v->len);
		if (kg_pattern_dfa(pattern) != NULL)
		{
			instr.op = KG_JS_OP_DFA;
			instr.u.dfa = kg_pattern_dfa(pattern);
		}
		else
		{
			instr.op = KG_JS_OP_PATTERN;
			instr.u.pattern = pattern;
		}
		kg_emit(b, KG_MASK(KG_JS_STRING), &instr);
	}
	if (b->has[KG_KW_FORMAT] && b->resource->assert_format)
	{
		v = &b->keyword[KG_KW_FORMAT];
		if (v->type != KG_JS_STRING)
			kg_keyword_error(b, KG_KW_FORMAT, "a string");
		instr.op = KG_JS_OP_FORMAT;
		instr.keyword = KG_KW_FORMAT;
		instr.u.format = kg_format_find(v->data, v->len, b->resource->dialect);
		/*
		 * If the dialect does not define the format, the keyword is only an
		 * annotation.
		 */
		if (instr.u.format != NULL)
			kg_emit(b, KG_MASK(KG_JS_STRING), &instr);
	}
}

static void
emit_bound(KgJsBuild *b, KgKeyword keyword, KgJsOp op, KgKeyword limit)
{
	KgJsInstr instr = {.op = op, .keyword = keyword};

	if (b->keyword[limit].type != KG_JS_NUMBER)
		kg_keyword_error(b, limit, "a number");
	instr.u.number = b->keyword[limit].data;
	kg_emit(b, KG_MASK(KG_JS_NUMBER), &instr);
}

/*
 * Compiles a bound and its exclusive form.  In draft-04 and OpenAPI 3.0 the
 * exclusive form is a boolean that changes the meaning of the bound.
 */
static void
compile_bound(KgJsBuild *b, KgKeyword bound, KgJsOp op, KgKeyword exclusive,
			  KgJsOp exclusive_op)
{
	if (!KG_DIALECT_HAS_BOOLEAN_BOUNDS(b->resource->dialect))
	{
		if (b->has[bound])
			emit_bound(b, bound, op, bound);
		if (b->has[exclusive])
			emit_bound(b, exclusive, exclusive_op, exclusive);
	}
	else if (kg_compile_flag(b, exclusive))
	{
		if (b->has[bound])
			emit_bound(b, exclusive, exclusive_op, bound);
	}
	else if (b->has[bound])
		emit_bound(b, bound, op, bound);
}

static void
compile_numbers(KgJsBuild *b)
{
	KgJsInstr instr = {0};

	compile_bound(b,
				  KG_KW_MINIMUM,
				  KG_JS_OP_MINIMUM,
				  KG_KW_EXCLUSIVE_MINIMUM,
				  KG_JS_OP_EXCLUSIVE_MINIMUM);
	compile_bound(b,
				  KG_KW_MAXIMUM,
				  KG_JS_OP_MAXIMUM,
				  KG_KW_EXCLUSIVE_MAXIMUM,
				  KG_JS_OP_EXCLUSIVE_MAXIMUM);
	if (b->has[KG_KW_MULTIPLE_OF])
	{
		const KgJsVal *v = &b->keyword[KG_KW_MULTIPLE_OF];
		KgDivisor *divisor = palloc(sizeof(KgDivisor));

		if (v->type != KG_JS_NUMBER || !kg_number_is_positive(v->data))
			kg_keyword_error(b, KG_KW_MULTIPLE_OF, "a number above 0");
		kg_divisor_init(divisor, v->data);
		instr.op = divisor->unscaled ? KG_JS_OP_MULTIPLE_OF
									 : KG_JS_OP_MULTIPLE_OF_BIG;
		instr.keyword = KG_KW_MULTIPLE_OF;
		instr.u.divisor = divisor;
		kg_emit(b, KG_MASK(KG_JS_NUMBER), &instr);
	}
}

void
kg_compile_values(KgJsBuild *b)
{
	if (b->has[KG_KW_TYPE])
		compile_type(b);
	if (b->has[KG_KW_CONST])
		compile_const(b);
	if (b->has[KG_KW_ENUM])
		compile_enum(b);
	compile_numbers(b);
	compile_strings(b);
}
