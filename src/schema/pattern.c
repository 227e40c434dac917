/*
 * pattern.c
 *	  Matching of regular expressions: by a DFA (regex_dfa.c) if the pattern
 *	  describes a regular language, otherwise by PCRE2 with its JIT compiler.
 *
 * PCRE2 allocates with malloc(). A reset callback of the memory context frees
 * this memory. The callback is registered before the memory is allocated. All
 * matches of the backend share the match data and the match context. So
 * matching must not be re-entrant; no match calls a function of kg_graph.
 */
#include "postgres.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "schema/pattern.h"
#include "utils/memutils.h"

struct KgPattern
{
	const KgDfa *dfa; /* the DFA; NULL if PCRE2 matches the pattern */
	pcre2_code *code;
	const char *source;
};

/*
 * Maximum length of a pattern in bytes. Compiling longer patterns would take
 * long, because some steps of PCRE2's compiler are quadratic.
 */
#define KG_MAX_PATTERN_BYTES 32768

static pcre2_match_data *match_data;
static pcre2_match_context *match_context;
static pcre2_compile_context *compile_context;
static pcre2_jit_stack *jit_stack;

#define KG_JIT_STACK_BYTES (1024 * 1024)

/*
 * Limits of the steps of a match. A match is first tried with
 * KG_FIRST_MATCH_STEPS. If it exceeds its limit, it is tried again with the
 * limit multiplied by KG_MORE_MATCH_STEPS. PCRE2 does not report the number of
 * steps, so the exceeded limits are counted.
 */
#define KG_FIRST_MATCH_STEPS 1000
#define KG_MORE_MATCH_STEPS 8
/* Number of bytes of a matched string that count as one step. */
#define KG_BYTES_OF_STEP 64
/*
 * Number of bytes of PCRE2's compiled program that count as one step of the
 * compilation.
 */
#define KG_CODE_OF_STEP 8
/* Number of steps for PCRE2's compilation of the smallest pattern. */
#define KG_PCRE_STEPS 500

static void
free_code(void *arg)
{
	KgPattern *pattern = arg;

	pcre2_code_free(pattern->code);
	pattern->code = NULL;
}

static bool
prepare_matching(void)
{
	if (match_data == NULL)
		match_data = pcre2_match_data_create(1, NULL);
	if (match_context == NULL)
		match_context = pcre2_match_context_create(NULL);
	if (compile_context == NULL)
	{
		compile_context = pcre2_compile_context_create(NULL);
		if (compile_context != NULL)
			pcre2_set_parens_nest_limit(compile_context,
										KG_MAX_PCRE_GROUP_DEPTH);
	}
	if (jit_stack == NULL && match_context != NULL)
	{
		jit_stack = pcre2_jit_stack_create(32 * 1024, KG_JIT_STACK_BYTES, NULL);
		if (jit_stack != NULL)
			pcre2_jit_stack_assign(match_context, NULL, jit_stack);
	}
	return match_data != NULL && match_context != NULL && jit_stack != NULL &&
		   compile_context != NULL;
}

/*
 * Sets the fault of a pattern that PCRE2 refuses. code is PCRE2's error: a
 * limit of PCRE2 was exceeded, or another reason.
 */
static void
set_fault(KgPatternFault *fault, int code)
{
	char *message;

	fault->limit = true;
	switch (code)
	{
		case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
			fault->message = "its groups are nested more than " CppAsString2(
				KG_MAX_PCRE_GROUP_DEPTH) " deep";
			return;
		case PCRE2_ERROR_PATTERN_TOO_LARGE:
		case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
			fault->message = "PCRE2 takes more than 64 kB for it";
			return;
		case PCRE2_ERROR_QUANTIFIER_TOO_BIG:
			fault->message = "a repetition is of more than 65535";
			return;
		default:
			fault->limit = false;
			message = palloc(256);
			pcre2_get_error_message(code, (PCRE2_UCHAR *) message, 256);
			fault->message = message;
	}
}

static void
compile_pcre(KgPattern *pattern, const char *text, int len,
			 KgPatternFault *fault, int64 *steps)
{
	PCRE2_SIZE offset;
	size_t size = 0;
	size_t jit_size = 0;
	int code;

	pattern->code = pcre2_compile((PCRE2_SPTR) text,
								  len,
								  PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
									  PCRE2_MATCH_UNSET_BACKREF |
									  PCRE2_NO_UTF_CHECK,
								  &code,
								  &offset,
								  compile_context);
	if (pattern->code == NULL)
	{
		set_fault(fault, code);
		return;
	}
	/*
	 * Ignore a failure: without the JIT compiler, PCRE2's interpreter matches.
	 */
	(void) pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
	(void) pcre2_pattern_info(pattern->code, PCRE2_INFO_SIZE, &size);
	(void) pcre2_pattern_info(pattern->code, PCRE2_INFO_JITSIZE, &jit_size);
	*steps += KG_PCRE_STEPS + (size + jit_size) / KG_CODE_OF_STEP;
}

/*
 * Ties PCRE2's allocations for a pattern to the memory context, so that they
 * are freed with it.
 */
static void
tie_to_context(KgPattern *pattern)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	if (!prepare_matching())
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	callback->func = free_code;
	callback->arg = pattern;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

KgPattern *
kg_pattern_compile(const char *source, int len, KgPatternFault *fault,
				   int64 *steps)
{
	KgPattern *pattern = palloc0(sizeof(KgPattern));
	MemoryContext owner = CurrentMemoryContext;
	MemoryContext work;
	KgRegex *regex;
	StringInfoData text;
	int position;

	memset(fault, 0, sizeof(*fault));
	if (len > KG_MAX_PATTERN_BYTES)
	{
		fault->message = "it has more than " CppAsString2(
			KG_MAX_PATTERN_BYTES) " bytes";
		fault->limit = true;
		return NULL;
	}
	pattern->source = pnstrdup(source, len);
	work = AllocSetContextCreate(owner, "kg pattern", ALLOCSET_SMALL_SIZES);
	MemoryContextSwitchTo(work);
	regex = kg_regex_parse(pattern->source, len, fault, &position);
	MemoryContextSwitchTo(owner);
	if (regex != NULL)
		pattern->dfa = kg_dfa_build(regex, steps);
	if (regex != NULL && pattern->dfa == NULL)
	{
		tie_to_context(pattern);
		MemoryContextSwitchTo(work);
		initStringInfo(&text);
		kg_regex_emit_pcre(regex, &text);
		compile_pcre(pattern, text.data, text.len, fault, steps);
		MemoryContextSwitchTo(owner);
	}
	if (fault->message != NULL)
		fault->message = pstrdup(fault->message);
	MemoryContextDelete(work);
	return fault->message == NULL ? pattern : NULL;
}

KgPattern *
kg_pattern_compile_pcre(const char *source)
{
	KgPattern *pattern = palloc0(sizeof(KgPattern));
	KgPatternFault fault = {NULL};
	int64 steps = 0;

	pattern->source = pstrdup(source);
	tie_to_context(pattern);
	compile_pcre(pattern, source, strlen(source), &fault, &steps);
	if (fault.message != NULL)
		elog(ERROR, "PCRE2 refuses \"%s\": %s", source, fault.message);
	return pattern;
}

static KG_NORETURN void
match_failed(const KgPattern *pattern, int code)
{
	PCRE2_UCHAR message[256];
	KgError *err;

	switch (code)
	{
		case PCRE2_ERROR_MATCHLIMIT:
		case PCRE2_ERROR_DEPTHLIMIT:
		case PCRE2_ERROR_HEAPLIMIT:
		case PCRE2_ERROR_JIT_STACKLIMIT:
			err = kg_error_new(KG_LIMIT_EXCEEDED,
							   "pattern takes more than %d steps to match",
							   kg_setting_schema_max_match_steps);
			kg_error_got_string(err, pattern->source);
			kg_error_hint(err,
						  "Write the pattern without nested repetitions, or "
						  "see kg_graph.schema_max_match_steps.");
			kg_error_throw(err);
		default:
			pcre2_get_error_message(code, message, sizeof(message));
			elog(ERROR, "PCRE2 match failed: %s", (char *) message);
	}
}

const KgDfa *
kg_pattern_dfa(const KgPattern *pattern)
{
	return pattern->dfa;
}

static int
match_within(const KgPattern *pattern, const char *s, uint32 len, int limit)
{
	pcre2_set_match_limit(match_context, limit);
	pcre2_set_depth_limit(match_context, limit);
	pcre2_set_heap_limit(match_context, 16 * 1024);
	return pcre2_match(pattern->code,
					   (PCRE2_SPTR) s,
					   len,
					   0,
					   PCRE2_NO_UTF_CHECK,
					   match_data,
					   match_context);
}

bool
kg_pattern_matches(const KgPattern *pattern, const char *s, uint32 len,
				   int64 *steps)
{
	int most = kg_setting_schema_max_match_steps;
	int limit = Min(KG_FIRST_MATCH_STEPS, most);
	int code;

	*steps += 1 + len / KG_BYTES_OF_STEP;
	if (pattern->dfa != NULL)
		return kg_dfa_matches(pattern->dfa, s, len);
	code = match_within(pattern, s, len, limit);
	while ((code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT) &&
		   limit < most)
	{
		CHECK_FOR_INTERRUPTS();
		*steps += limit;
		limit = limit < most / KG_MORE_MATCH_STEPS ? limit * KG_MORE_MATCH_STEPS
												   : most;
		code = match_within(pattern, s, len, limit);
	}
	if (code >= 0)
		return true;
	if (code == PCRE2_ERROR_NOMATCH)
		return false;
	match_failed(pattern, code);
}
