/*
 * compile.h
 *	  Internal interface of the schema compiler. compile.c controls the
 *	  compilation. Each compile_*.c translates a family of keywords to
 *	  instructions.
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
	HTAB *patterns; /* compiled patterns, keyed by their text */
	bool check_metaschema;
	/* names of the anchors of all $dynamicRefs found so far */
	List *dynamic_names;
	bool has_recursive;
	int64
		/* Cost of compiling patterns, except the patterns of meta-schemas. */
		steps;
} KgJsCompiler;

typedef struct KgJsCode
{
	KgJsInstr *instr;
	int n;
	int allocated;
} KgJsCode;

/* The state of the compilation of one node. */
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

/* Appends an instruction for the instance types in mask to the current node. */
extern void kg_emit(KgJsBuild *b, int mask, const KgJsInstr *instr);
/*
 * Returns the node of the subschema at keyword[/name][/index] of the current
 * node. Raises an error if the subschema is neither an object nor a boolean.
 */
extern const KgJsNode *kg_compile_sub(KgJsBuild *b, KgKeyword keyword,
									  const char *name, int len, int index,
									  const KgJsVal *schema);
/* Raises KG_INVALID_INPUT with the path of a keyword of the current node. */
extern KG_NORETURN void kg_keyword_error(const KgJsBuild *b, KgKeyword keyword,
										 const char *expected);
/*
 * Returns the value of a keyword that is a non-negative integer. Returns
 * KG_COUNT_HUGE for a value above the range of int64.
 */
#define KG_COUNT_HUGE PG_INT64_MAX
extern int64 kg_keyword_count(const KgJsBuild *b, KgKeyword keyword);
/*
 * Appends the instruction of a keyword whose value is a count. Does nothing if
 * the keyword is absent.
 */
extern void kg_compile_count(KgJsBuild *b, KgKeyword keyword, KgJsOp op,
							 int mask);
/*
 * Returns the value of a boolean keyword, or false if it is absent. Raises an
 * error if it is not a boolean.
 */
extern bool kg_compile_flag(const KgJsBuild *b, KgKeyword keyword);
/*
 * Checks the limit of steps and interrupts. Must be called after steps were
 * added.
 */
extern void kg_compile_check(const KgJsCompiler *c);
/*
 * Returns a compiled pattern. If it cannot be compiled, raises KG_INVALID_INPUT
 * with the keyword's path, or KG_LIMIT_EXCEEDED if it is too large.
 */
extern const KgPattern *kg_keyword_pattern(const KgJsBuild *b,
										   KgKeyword keyword,
										   const char *source, int len);

extern void kg_compile_values(KgJsBuild *b);
extern void kg_compile_arrays(KgJsBuild *b);
extern void kg_compile_objects(KgJsBuild *b);
extern void kg_compile_unevaluated(KgJsBuild *b);

#endif /* KG_COMPILE_H */
