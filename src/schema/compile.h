/*
 * compile.h
 *	  The parts of the compiler.  compile.c drives; each compile_*.c turns a
 *	  family of keywords into instructions.
 */
#ifndef KG_COMPILE_H
#define KG_COMPILE_H

#include "schema/program.h"
#include "schema/registry.h"
#include "utils/hsearch.h"

typedef struct KgJsCompiler
{
	KgJsRegistry *registry;
	KgSchema *schema;
	HTAB *nodes;
	HTAB *patterns; /* by their texts, each once */
	bool check_metaschema;
	List *dynamic_names; /* of $dynamicRef anchors seen */
	bool has_recursive;
	int64 steps; /* taken by patterns; a meta-schema's do not count */
} KgJsCompiler;

typedef struct KgJsCode
{
	KgJsInstr *instr;
	int n;
	int allocated;
} KgJsCode;

/* A node being compiled. */
typedef struct KgJsBuild
{
	KgJsCompiler *compiler;
	KgJsNode *node;
	KgJsResource *resource;
	const char *pointer;
	bool has[KG_KW_COUNT];
	KgJsVal keyword[KG_KW_COUNT];
	KgJsCode code[KG_JS_NTYPES];
} KgJsBuild;

#define KG_MASK(type) (1 << (type))
#define KG_MASK_ANY ((1 << KG_JS_NTYPES) - 1)

/* Append for the types in mask. */
extern void kg_emit(KgJsBuild *b, int mask, const KgJsInstr *instr);
/* The node of a subschema at keyword[/name][/index] of the one in work. */
extern const KgJsNode *kg_compile_sub(KgJsBuild *b, KgKeyword keyword,
									  const char *name, int len, int index,
									  const KgJsVal *schema);
/* Raise KG_INVALID_INPUT at a keyword. */
extern KG_NORETURN void kg_keyword_error(const KgJsBuild *b, KgKeyword keyword,
										 const char *expected) KG_NORETURN_TAIL;
/* A non-negative integer; a huge one is KG_COUNT_HUGE. */
#define KG_COUNT_HUGE PG_INT64_MAX
extern int64 kg_keyword_count(const KgJsBuild *b, KgKeyword keyword);
/* The instruction of a keyword whose value is a count, where the keyword is there. */
extern void kg_compile_count(KgJsBuild *b, KgKeyword keyword, KgJsOp op,
							 int mask);
/* Look at limits and interrupts after steps were taken. */
extern void kg_compile_check(const KgJsCompiler *c);
/* Compile a pattern or raise at the keyword. */
extern const KgPattern *kg_keyword_pattern(const KgJsBuild *b,
										   KgKeyword keyword,
										   const char *source, int len);

extern void kg_compile_values(KgJsBuild *b);
extern void kg_compile_arrays(KgJsBuild *b);
extern void kg_compile_objects(KgJsBuild *b);
extern void kg_compile_unevaluated(KgJsBuild *b);

#endif /* KG_COMPILE_H */
