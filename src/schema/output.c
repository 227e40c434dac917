/*
 * output.c
 *	  Output of violations as jsonb.
 *
 * "flag", "basic" and "detailed" are formats of the specification (JSON Schema
 * Core 2020-12, section 12.4).  "model" is kg_graph's format: an array of the
 * data that a person or language model needs to repair the value: position,
 * keyword, value and expected value.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "schema/output.h"

/*
 * Maximum depth of nested output. The nesting of the JSON writer is limited,
 * too.
 */
#define MAX_TREE 20
#define MAX_CAUSES 8

static void
write_locations(KgJsonWriter *w, const KgSchemaError *error)
{
	kg_jw_kstring(w, "keywordLocation", error->keyword_location);
	kg_jw_kstring_if(w, "absoluteKeywordLocation", error->absolute_location);
	kg_jw_kstring(w, "instanceLocation", error->instance_path);
}

/*
 * Returns a sentence that describes a violation. Most phrases describe the
 * required value.
 */
static char *
error_text(const KgSchemaError *error)
{
	if (strncmp(error->expected, "no ", 3) == 0)
		return psprintf("there must be %s", error->expected);
	return psprintf("must be %s", error->expected);
}

/*
 * Writes the format "basic": one list of all violations, including those in
 * branches.
 */
static void
write_basic(KgJsonWriter *w, List *errors)
{
	ListCell *lc;

	foreach(lc, errors)
	{
		const KgSchemaError *error = lfirst(lc);

		kg_jw_begin_object(w);
		kg_jw_kbool(w, "valid", false);
		write_locations(w, error);
		kg_jw_kstring(w, "error", error_text(error));
		kg_jw_end_object(w);
		write_basic(w, error->causes);
	}
}

static int
common_prefix(const char *a, const char *b)
{
	int n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	return n;
}

/*
 * Returns the number of subschemas at the start of the path that two violations
 * have in common.
 */
static int
common_level(const KgSchemaError *a, const KgSchemaError *b)
{
	int keyword = common_prefix(a->keyword_location, b->keyword_location);
	int instance = common_prefix(a->instance_path, b->instance_path);
	int level = 0;

	CHECK_FOR_INTERRUPTS();
	while (level < a->nsteps && level < b->nsteps &&
		   a->steps[2 * level] == b->steps[2 * level] &&
		   a->steps[2 * level + 1] == b->steps[2 * level + 1] &&
		   a->steps[2 * level] <= keyword &&
		   a->steps[2 * level + 1] <= instance)
		level++;
	return level;
}

static void write_detailed(KgJsonWriter *w, List *errors, int level);

static void
write_leaf(KgJsonWriter *w, const KgSchemaError *error)
{
	kg_jw_begin_object(w);
	kg_jw_kbool(w, "valid", false);
	write_locations(w, error);
	if (error->causes == NIL)
		kg_jw_kstring(w, "error", error_text(error));
	else
	{
		kg_jw_kbegin_array(w, "errors");
		write_detailed(w, error->causes, error->nsteps);
		kg_jw_end_array(w);
	}
	kg_jw_end_object(w);
}

/*
 * Writes the format "detailed": the violations as a tree of subschemas. A
 * subschema with a single violation below it is omitted, as the specification
 * requires.
 */
static void
write_detailed(KgJsonWriter *w, List *errors, int level)
{
	int n = list_length(errors);
	int i = 0;

	check_stack_depth();
	/* At the maximum depth, write the remaining subtree as a list. */
	if (level >= MAX_TREE)
	{
		write_basic(w, errors);
		return;
	}
	while (i < n)
	{
		const KgSchemaError *first = list_nth(errors, i);
		List *group = list_make1((void *) first);
		/* number of path levels that the violations have in common */
		int depth = first->nsteps;

		while (++i < n)
		{
			int shared = common_level(first, list_nth(errors, i));

			if (shared <= level)
				break;
			depth = Min(depth, shared);
			group = lappend(group, list_nth(errors, i));
		}
		if (list_length(group) == 1)
		{
			write_leaf(w, first);
			continue;
		}
		kg_jw_begin_object(w);
		kg_jw_kbool(w, "valid", false);
		kg_jw_kstring(
			w,
			"keywordLocation",
			pnstrdup(first->keyword_location, first->steps[2 * depth - 2]));
		kg_jw_kstring(
			w,
			"instanceLocation",
			pnstrdup(first->instance_path, first->steps[2 * depth - 1]));
		kg_jw_kbegin_array(w, "errors");
		write_detailed(w, group, depth);
		kg_jw_end_array(w);
		kg_jw_end_object(w);
	}
}

static void
write_model(KgJsonWriter *w, const KgSchemaError *error, int level)
{
	check_stack_depth();
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", error->instance_path);
	kg_jw_kstring(w, "keyword", error->keyword);
	kg_jw_kstring(w, "schema_path", error->schema_path);
	kg_jw_kjsonb(w, "got", error->value);
	kg_jw_kstring(w, "expected", error->expected);
	if (error->allowed != NIL)
		kg_jw_klist(w, "allowed", error->allowed);
	kg_jw_kstring_if(w, "did_you_mean", error->did_you_mean);
	if (error->nearest_count > 0 && level < MAX_CAUSES)
	{
		kg_jw_kbegin_array(w, "causes");
		for (int i = 0; i < error->nearest_count; i++)
			write_model(
				w, list_nth(error->causes, error->nearest + i), level + 1);
		kg_jw_end_array(w);
	}
	kg_jw_end_object(w);
}

Jsonb *
kg_output(KgOutput output, List *errors)
{
	KgJsonWriter w;
	ListCell *lc;

	kg_jw_init(&w);
	if (output == KG_OUTPUT_MODEL)
	{
		kg_jw_begin_array(&w);
		foreach(lc, errors)
			write_model(&w, lfirst(lc), 0);
		return kg_jw_finish(&w);
	}
	kg_jw_begin_object(&w);
	kg_jw_kbool(&w, "valid", errors == NIL);
	if (output != KG_OUTPUT_FLAG && errors != NIL)
	{
		kg_jw_kstring(&w, "keywordLocation", "");
		kg_jw_kstring(&w, "instanceLocation", "");
		kg_jw_kbegin_array(&w, "errors");
		if (output == KG_OUTPUT_BASIC)
			write_basic(&w, errors);
		else
			write_detailed(&w, errors, 0);
		kg_jw_end_array(&w);
	}
	return kg_jw_finish(&w);
}
