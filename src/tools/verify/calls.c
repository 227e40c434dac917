/*
 * verify/calls.c
 *	  Claims that are judged by a call of a tool: whether one entity reaches
 *	  another, how many results a call has, and whether a call has no result.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "model/handle.h"
#include "query/run/running.h"
#include "tools/dispatch.h"
#include "tools/verify/verify.h"

/* ---- reach ---- */

static void
write_end(KgVerify *v, const char *key, const KgRef *ref, KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, key);
	kg_jw_kstring(
		w, "label", kg_row_handle(v->call.graph->ranked[ref->rank - 1]));
	kg_jw_kbegin_array(w, "ids");
	kg_jw_string(w, ref->id);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
}

static Jsonb *
path_arguments(KgVerify *v, const KgClaim *claim)
{
	JsonbValue value;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	write_end(v, "from", &v->mentions[claim->first].ref, &w);
	write_end(v, "to", &v->mentions[claim->first + 1].ref, &w);
	(void) kg_input_value(&claim->in, "within", &value);
	kg_jw_key(&w, "max_hops");
	kg_jw_value(&w, &value);
	if (kg_input_value(&claim->in, "direction", &value))
	{
		kg_jw_key(&w, "direction");
		kg_jw_value(&w, &value);
	}
	if (kg_input_value(&claim->in, "relation_types", &value))
	{
		kg_jw_key(&w, "relationship_types");
		kg_jw_value(&w, &value);
	}
	kg_jw_kint(&w, "limit", 1);
	kg_jw_kint(&w, "max_bytes", kg_setting_max_reply_bytes);
	return kg_jw_finish(&w);
}

/*
 * Sets the evidence for a claim to the first path in a reply. Returns false if
 * the reply has no path.
 */
static bool
take_path(KgClaim *claim, const Jsonb *reply)
{
	JsonbValue value;
	JsonbValue *path;
	JsonbValue type;

	if (kg_json_get(&reply->root, "paths", &value) == NULL ||
		kg_json_length(kg_json_container(&value)) == 0)
		return false;
	path = getIthJsonbValueFromContainer(
		(JsonbContainer *) kg_json_container(&value), 0);
	if (kg_json_get(kg_json_container(path), "path", &value) == NULL)
		return false;
	claim->handles = NIL;
	kg_json_each(it, kg_json_container(&value))
		if (it.value.type == jbvString)
			claim->handles = lappend(claim->handles,
									 kg_json_cstring(&it.value));
		else
		{
			const JsonbContainer *edge = kg_json_container(&it.value);

			(void) kg_json_get(edge, "type", &type);
			claim->edges = lappend(claim->edges,
								   kg_claim_edge(kg_json_cstring(&type),
												 kg_handle_of_end(edge, "from"),
												 kg_handle_of_end(edge, "to"),
												 NULL));
		}
	return true;
}

static void
call_reach(KgVerify *v, KgClaim *claim)
{
	if (v->mentions[claim->first].ref.node ==
		v->mentions[claim->first + 1].ref.node)
	{
		claim->handles = list_truncate(claim->handles, 1);
		kg_claim_judge(claim, KG_SUPPORTED, NULL);
		return;
	}
	if (take_path(claim, kg_tool_find_paths(path_arguments(v, claim))))
	{
		kg_claim_judge(claim, KG_SUPPORTED, NULL);
		return;
	}
	claim->complete = true;
	kg_claim_judge(claim, KG_NOT_THERE, "no_path");
}

/* ---- counts ---- */

static KG_NORETURN void
throw_no_total(const KgClaim *claim)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf("the reply of tool \"%s\" has no \"total\"",
							claim->called.name),
		.path = psprintf(
			"%s/tool",
			kg_input_path(&claim->in,
						  claim->kind == KG_CLAIM_NONE ? "none" : "count")),
		.got_string = claim->called.name,
		.expected =
			"a tool that reads and returns \"total\", such as find_nodes, "
			"traverse_relationships or one that lists a type");
}

/*
 * Sets *total to the exact total of a reply. If the reply has only a lower
 * bound, sets the verdict to "unknown" and returns false. Raises an error if
 * the reply has neither.
 */
static bool
exact_total(KgClaim *claim, const Jsonb *reply, JsonbValue *total)
{
	JsonbValue reason;

	if (kg_json_get(&reply->root, "total", total) != NULL)
		return true;
	if (kg_json_get(&reply->root, "total_at_least", total) == NULL)
		throw_no_total(claim);
	kg_claim_judge(claim,
				   KG_UNSURE,
				   kg_json_get(&reply->root, "reason", &reason) != NULL
					   ? kg_json_cstring(&reason)
					   : "kg_graph.max_search_matches");
	return false;
}

static KG_NORETURN void
throw_several_columns(const KgClaim *claim)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = "the call has several aggregations, and a claim compares "
				   "one number",
		.path = psprintf(
			"%s/arguments/aggregations",
			kg_input_path(&claim->in,
						  claim->kind == KG_CLAIM_NONE ? "none" : "count")),
		.expected = "one aggregation, or one named \"count\"");
}

/*
 * If the reply is of an aggregate without groups, sets *value to the result of
 * the aggregate: the only column, or the column "count". Returns false for
 * other replies. If there are groups, the claim is about the number of groups,
 * which is the total of the reply.
 */
static bool
aggregate_value(const KgClaim *claim, const Jsonb *reply, JsonbValue *value)
{
	JsonbValue member;
	JsonbValue row;
	int column = -1;
	int n = 0;

	if (kg_json_get(&claim->arguments->root, "group_by", &member) != NULL ||
		kg_json_get(&reply->root, "columns", &member) == NULL)
		return false;
	kg_json_each(name, kg_json_container(&member))
	{
		if (kg_json_string_is(&name.value, "count"))
			column = n;
		n++;
	}
	if (n == 1)
		column = 0;
	if (column < 0)
		throw_several_columns(claim);
	(void) kg_json_get(&reply->root, "rows", &member);
	row = *getIthJsonbValueFromContainer(
		(JsonbContainer *) kg_json_container(&member), 0);
	*value = *getIthJsonbValueFromContainer(
		(JsonbContainer *) kg_json_container(&row), column);
	return true;
}

/*
 * Sets *value to the number that an SQL query returns: the only column of its
 * only row, or 0 if there are no rows. For other rows, raises KG_INVALID_INPUT.
 * Exception: if the claim is "none", sets *value to jbvNull for other rows,
 * because the existence of rows decides.
 */
static void
query_value(const KgClaim *claim, const Jsonb *reply, JsonbValue *value)
{
	JsonbValue rows;
	JsonbValue row;
	JsonbValue truncated;

	(void) kg_json_get(&reply->root, "rows", &rows);
	if (kg_json_length(kg_json_container(&rows)) == 0)
	{
		kg_json_root(kg_json_parse("0"), value);
		return;
	}
	row = *getIthJsonbValueFromContainer(
		(JsonbContainer *) kg_json_container(&rows), 0);
	if (kg_json_length(kg_json_container(&row)) == 1 &&
		kg_json_get(&reply->root, "truncated", &truncated) == NULL)
	{
		*value = *getIthJsonbValueFromContainer(
			(JsonbContainer *) kg_json_container(&row), 0);
		if (value->type == jbvNumeric)
			return;
	}
	value->type = jbvNull;
	if (claim->kind == KG_CLAIM_NONE)
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = "the query does not return a single number",
			 .path = psprintf("%s/arguments/sql",
							  kg_input_path(&claim->in, "count")),
			 .expected = "one row with one number, such as count(*)");
}

static bool
read_value(KgClaim *claim, const Jsonb *reply, JsonbValue *value)
{
	if (kg_callable_declares(&claim->callable, "sql"))
	{
		query_value(claim, reply, value);
		return true;
	}
	return aggregate_value(claim, reply, value) ||
		   exact_total(claim, reply, value);
}

/*
 * Returns an array of the reply. The paths of its items are changed to point
 * into the claim. Returns NULL if the reply lacks the array.
 */
static Jsonb *
said_within(const KgClaim *claim, const Jsonb *reply, const char *key)
{
	JsonbValue array;
	KgJsonWriter w;

	if (kg_json_get(&reply->root, key, &array) == NULL ||
		!kg_json_is_array(&array))
		return NULL;
	kg_jw_init_array(&w);
	kg_json_each(item, kg_json_container(&array))
	{
		if (!kg_json_is_object(&item.value))
			continue;
		kg_jw_begin_object(&w);
		kg_json_each(it, kg_json_container(&item.value))
			if (kg_json_string_is(&it.key, "path"))
				kg_jw_kstring(&w,
							  "path",
							  psprintf("%s%s",
									   claim->within,
									   kg_json_cstring(&it.value)));
			else
				kg_jw_member(&w, &it);
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}

static void
call_count(KgVerify *v, KgClaim *claim)
{
	Jsonb *reply;
	JsonbValue total;
	Jsonb *counted;
	int64 n = -1;

	claim->within = kg_path_member(
		kg_input_path(&claim->in,
					  claim->kind == KG_CLAIM_NONE ? "none" : "count"),
		"arguments");
	reply = kg_callable_call(
		v->call.catalog, &claim->callable, claim->arguments);
	claim->hints = said_within(claim, reply, "hints");
	claim->repaired = said_within(claim, reply, "repaired");
	claim->within = NULL;
	if (!read_value(claim, reply, &total))
		return;
	if (total.type == jbvNull)
	{
		kg_claim_judge(claim, KG_CONTRADICTED, "count");
		return;
	}
	counted = kg_claim_correction("count", &total);
	if (claim->kind == KG_CLAIM_NONE
			? kg_json_int64(&total, &n) && n == 0
			: kg_filter_matches(claim->filter, &counted->root))
	{
		kg_claim_judge(claim, KG_SUPPORTED, NULL);
		return;
	}
	kg_claim_judge(claim, KG_CONTRADICTED, "count");
	claim->correction = counted;
}

void
kg_claims_call(KgVerify *v)
{
	for (int i = 0; i < v->n; i++)
	{
		KgClaim *claim = &v->claims[i];

		if (claim->judged)
			continue;
		/*
		 * Resets as_of and valid_at, which the call of the previous claim may
		 * have set.
		 */
		kg_running_begin_tool();
		kg_claim_try(v,
					 claim,
					 true,
					 claim->kind == KG_CLAIM_REACH ? call_reach : call_count);
	}
	kg_running_begin_tool();
}
