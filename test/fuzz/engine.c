/*
 * engine.c
 *	  libFuzzer inside a backend: the schema engine under coverage guidance.
 *
 * test/fuzz/libfuzzer builds this file and the module's own sources, both with
 * coverage counters, into one library and calls kg_sql_fuzz(arguments text[]).
 * An input is an options byte, the text of a schema, a zero byte and the text
 * of an instance.  A finding is what libFuzzer sees (a signal, a trap of the
 * undefined-behaviour sanitizer, an input that takes too long, memory that
 * grows) and, through abort(), what only we can see: an internal error, two
 * functions that contradict each other, memory that stays after the call.
 */
#include "postgres.h"

#include <time.h>

#include "base/json.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "schema/output.h"
#include "schema/schema.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* What the cache of compiled schemas may hold, and as much again. */
#define MAX_KEPT ((Size) 256 * 1024 * 1024)

/* What a call on a few kilobytes may use. */
#define MAX_USED ((Size) 128 * 1024 * 1024)
#define MAX_SECONDS 3
#define MAX_SPANS 256

extern int LLVMFuzzerRunDriver(int *argc, char ***argv,
							   int (*callback)(const uint8_t *, size_t));
extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
extern size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
									  unsigned int seed);

PGDLLEXPORT Datum kg_sql_fuzz(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_fuzz);

static MemoryContext call_context;
static uint64 runs;
static uint64 valid_runs;
static uint64 invalid_runs;

static void
found(const char *what)
{
	fprintf(stderr, "found: %s\n", what);
	abort();
}

static Jsonb *
parse(const char *text, size_t len)
{
	char *copy = pnstrdup(text, len);

	/* Input functions trust their caller about the encoding. */
	(void) pg_verifymbstr(copy, strlen(copy), false);
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(copy)));
}

static void
judge(const Jsonb *schema, const Jsonb *instance, uint8 choice)
{
	static const char *const dialects[] = {
		NULL,
		"https://json-schema.org/draft/2019-09/schema",
		"http://json-schema.org/draft-07/schema#",
		NULL};
	KgSchemaOptions options;
	const KgSchema *compiled;
	JsonbValue value;
	List *errors;
	bool valid;

	memset(&options, 0, sizeof(options));
	options.dialect = dialects[choice & 3];
	options.annotate_format = (choice & 4) != 0;
	if (choice & 8)
		options.resources = parse(
			"{\"http://a/b\": {\"$dynamicAnchor\": \"a\", "
			"\"$defs\": {\"c\": {\"type\": \"object\"}}}}",
			76);
	compiled = (choice & 16) ? kg_schema_compile(schema, &options)
							 : kg_schema_fetch(schema, &options);
	kg_json_root(instance, &value);
	valid = kg_schema_is_valid(compiled, &value);
	errors = kg_schema_errors(compiled, &value, (choice & 32) ? 1 : 100);
	if (valid != (errors == NIL))
		found("kg_schema_is_valid and kg_schema_errors contradict");
	for (int output = KG_OUTPUT_FLAG; output <= KG_OUTPUT_MODEL; output++)
		(void) JsonbToCString(
			NULL, &kg_output((KgOutput) output, errors)->root, 0);
	/* The schema is an instance too, of itself. */
	kg_json_root(schema, &value);
	(void) kg_schema_is_valid(compiled, &value);
	if (valid)
		valid_runs++;
	else
		invalid_runs++;
}

static int
one_input(const uint8_t *data, size_t size)
{
	const uint8_t *middle;
	MemoryContext old = CurrentMemoryContext;
	clock_t start = clock();

	if (size < 3)
		return -1;
	middle = memchr(data + 1, 0, size - 1);
	if (middle == NULL)
		return -1;
	MemoryContextSwitchTo(call_context);
	PG_TRY();
	{
		Jsonb *schema = parse((const char *) data + 1, middle - data - 1);
		Jsonb *instance = parse((const char *) middle + 1,
								data + size - middle - 1);

		judge(schema, instance, data[0]);
	}
	PG_CATCH();
	{
		ErrorData *edata;

		MemoryContextSwitchTo(call_context);
		edata = CopyErrorData();
		FlushErrorState();
		if (edata->sqlerrcode == ERRCODE_INTERNAL_ERROR)
			found(edata->message);
		if (edata->sqlerrcode == ERRCODE_QUERY_CANCELED)
			found("cancelled");
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	/* libFuzzer's own limit is by the clock on the wall. */
	if (clock() - start > MAX_SECONDS * CLOCKS_PER_SEC)
		found("too long");
	if (MemoryContextMemAllocated(call_context, true) > MAX_USED)
		found("memory out of proportion");
	MemoryContextReset(call_context);
	if (++runs % 1024 == 0 &&
		MemoryContextMemAllocated(TopMemoryContext, true) > MAX_KEPT)
		found("memory that stays after the call");
	return 0;
}

/*
 * Mutations that leave JSON text JSON text: bytes changed at random seldom do.
 */

typedef struct Span
{
	size_t begin;
	size_t end;
} Span;

static size_t
skip_string(const uint8_t *data, size_t size, size_t i)
{
	for (i++; i < size && data[i] != '"'; i++)
		if (data[i] == '\\')
			i++;
	return Min(i + 1, size);
}

static size_t
skip_value(const uint8_t *data, size_t size, size_t i)
{
	int depth = 0;

	do
	{
		uint8_t c = data[i];

		if (c == '"')
			i = skip_string(data, size, i);
		else
		{
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			i++;
			if (depth == 0 && c != '}' && c != ']')
				while (i < size && strchr(" ,:]}", data[i]) == NULL)
					i++;
		}
	} while (i < size && depth > 0);
	return i;
}

/* Values and keys of the text in the order of their starts. */
static int
find_spans(const uint8_t *data, size_t size, Span *values, Span *keys,
		   int *nkeys)
{
	int n = 0;
	size_t i = 1;

	*nkeys = 0;
	while (i < size && n < MAX_SPANS && *nkeys < MAX_SPANS)
	{
		Span span = {i, 0};

		if (data[i] == 0 || strchr(" ,:]}", data[i]) != NULL)
		{
			i++;
			continue;
		}
		span.end = skip_value(data, size, i);
		if (data[i] == '"' && span.end < size && data[span.end] == ':')
			keys[(*nkeys)++] = span;
		else
			values[n++] = span;
		i = (data[i] == '{' || data[i] == '[') ? i + 1 : span.end;
	}
	return n;
}

static const char *
pick_snippet(unsigned int n)
{
	static const char *const snippets[] = {
		"true",
		"false",
		"null",
		"{}",
		"[]",
		"0",
		"-1",
		"1.5",
		"1e400",
		"12345678901234567890",
		"\"\"",
		"\"a\"",
		"[true,false]",
		"{\"a\":1}",
		"{\"$ref\":\"#\"}",
		"{\"$dynamicRef\":\"#a\"}",
		"{\"$ref\":\"#/$defs/a\"}",
		"{\"type\":\"object\"}",
		"{\"type\":[\"string\",\"null\"]}",
		"{\"not\":{}}",
		"{\"const\":1}",
		"{\"enum\":[1,\"a\",{}]}",
		"{\"pattern\":\"^(a|b)*$\"}",
		"{\"format\":\"uri\"}",
		"{\"format\":\"regex\"}",
		"{\"format\":\"idn-hostname\"}",
		"{\"unevaluatedProperties\":false}",
		"{\"unevaluatedItems\":false}",
		"{\"properties\":{\"a\":{\"minimum\":2}}}",
		"{\"prefixItems\":[{\"maxLength\":2}]}",
		"{\"contains\":{\"type\":\"integer\"},\"minContains\":0}",
		"{\"if\":{\"required\":[\"a\"]},\"then\":false}",
		"{\"$id\":\"http://a/b/\",\"$anchor\":\"a\"}",
		"{\"$dynamicAnchor\":\"a\"}",
		"[{\"a\":1},{\"a\":1.0}]",
		"\"\xf0\x9f\x90\xb2\"",
		"\"2026-11-21T00:00:00Z\"",
		"\"a.b@c\"",
		"\"::1\""};

	return snippets[n % lengthof(snippets)];
}

static void
pick_member(unsigned int n, StringInfo text)
{
	static const char *const keys[] = {"$anchor",
									   "$defs",
									   "$dynamicAnchor",
									   "$dynamicRef",
									   "$id",
									   "$ref",
									   "$recursiveRef",
									   "$schema",
									   "$vocabulary",
									   "additionalItems",
									   "additionalProperties",
									   "allOf",
									   "anyOf",
									   "const",
									   "contains",
									   "dependencies",
									   "dependentRequired",
									   "dependentSchemas",
									   "else",
									   "enum",
									   "exclusiveMaximum",
									   "format",
									   "if",
									   "items",
									   "maxContains",
									   "maxItems",
									   "maxLength",
									   "maxProperties",
									   "maximum",
									   "minContains",
									   "minItems",
									   "multipleOf",
									   "not",
									   "oneOf",
									   "pattern",
									   "patternProperties",
									   "prefixItems",
									   "properties",
									   "propertyNames",
									   "required",
									   "then",
									   "type",
									   "unevaluatedItems",
									   "unevaluatedProperties",
									   "uniqueItems",
									   "a",
									   "b",
									   ""};

	appendStringInfo(text, "\"%s\":", keys[n % lengthof(keys)]);
}

static void
append_span(StringInfo text, const uint8_t *data, Span span)
{
	appendBinaryStringInfo(
		text, (const char *) data + span.begin, span.end - span.begin);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
						unsigned int seed)
{
	Span values[MAX_SPANS];
	Span keys[MAX_SPANS];
	unsigned int r = seed * 2654435761u + 12345;
	int nkeys;
	int n = size > 3 ? find_spans(data, size, values, keys, &nkeys) : 0;
	MemoryContext old;
	StringInfoData text;
	Span target;
	Span other;

	if (n == 0 || r % 5 == 0)
		return LLVMFuzzerMutate(data, size, max);
	old = MemoryContextSwitchTo(call_context);
	initStringInfo(&text);
	target = values[(r >> 4) % n];
	other = values[(r >> 12) % n];
	switch (r % 7)
	{
		case 0:
			appendStringInfoString(&text, pick_snippet(r >> 8));
			break;
		case 1:
			append_span(&text, data, other);
			break;
		case 2:
			appendStringInfoChar(&text, '{');
			pick_member(r >> 9, &text);
			append_span(&text, data, target);
			appendStringInfoChar(&text, '}');
			break;
		case 3:
			appendStringInfoChar(&text, '[');
			append_span(&text, data, target);
			appendStringInfoChar(&text, ',');
			append_span(&text, data, other);
			appendStringInfoChar(&text, ']');
			break;
		case 4:
			if (nkeys > 0)
			{
				target = keys[(r >> 6) % nkeys];
				pick_member(r >> 11, &text);
				text.len--; /* the colon stays where it is */
				break;
			}
			/* FALLTHROUGH */
		default:
			if (data[target.begin] != '{')
				target = values[0];
			if (data[target.begin] != '{')
				break;
			appendStringInfoChar(&text, '{');
			pick_member(r >> 9, &text);
			if (r & 0x80000)
				appendStringInfoString(&text, pick_snippet(r >> 20));
			else
				append_span(&text, data, other);
			if (target.end - target.begin > 2)
				appendStringInfoChar(&text, ',');
			target.end = target.begin + 1;
			break;
	}
	if (size - (target.end - target.begin) + text.len <= max && text.len > 0)
	{
		memmove(data + target.begin + text.len,
				data + target.end,
				size - target.end);
		memcpy(data + target.begin, text.data, text.len);
		size += text.len - (target.end - target.begin);
	}
	MemoryContextSwitchTo(old);
	return size;
}

/* kg_fuzz(arguments text[]) -> text; libFuzzer's own command line. */
Datum
kg_sql_fuzz(PG_FUNCTION_ARGS)
{
	Datum *elements;
	int n;
	int argc;
	char **argv;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0),
					  TEXTOID,
					  -1,
					  false,
					  TYPALIGN_INT,
					  &elements,
					  NULL,
					  &n);
	argv = palloc((n + 2) * sizeof(char *));
	argv[0] = "kg_fuzz";
	for (int i = 0; i < n; i++)
		argv[i + 1] = TextDatumGetCString(elements[i]);
	argv[n + 1] = NULL;
	argc = n + 1;
	call_context = AllocSetContextCreate(
		TopMemoryContext, "kg_graph fuzz", ALLOCSET_DEFAULT_SIZES);
	/* libFuzzer's timer, for -timeout, keeps away from signals in use. */
	pqsignal(SIGALRM, SIG_DFL);
	(void) LLVMFuzzerRunDriver(&argc, &argv, one_input);
	PG_RETURN_TEXT_P(cstring_to_text(
		psprintf(UINT64_FORMAT " runs, " UINT64_FORMAT " valid, " UINT64_FORMAT
							   " invalid, %zu bytes kept",
				 runs,
				 valid_runs,
				 invalid_runs,
				 MemoryContextMemAllocated(TopMemoryContext, true))));
}
