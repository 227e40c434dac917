/*
 * verify/read.c
 *	  Reads claims, and sets the verdict on claims that need no data.
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/error.h"
#include "base/settings.h"
#include "model/bound_table.h"
#include "model/term.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/argument/repair.h"
#include "tools/bfs/call.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/dispatch.h"
#include "tools/registered/registered.h"
#include "tools/verify/verify.h"

#define KG_CLAIM_ID_BYTES 200

/* ---- errors ---- */

void
kg_claim_judge(KgClaim *claim, KgVerdict verdict, const char *reason)
{
	if (claim->judged)
		return;
	claim->judged = true;
	claim->verdict = verdict;
	claim->reason = reason;
}

/*
 * Sets the value for a renamed member of the claim, in the form that the new
 * member requires. Returns false if the value has no such form.
 */
static bool
set_value(const KgClaim *claim, KgInstead *change)
{
	const char *of_claim = kg_path_member(claim->in.path,
										  kg_path_last(change->path));
	const KgMember *member = kg_outline_member(
		claim->in.outline, change->key, strlen(change->key));
	JsonbValue value;

	if (strcmp(change->path, of_claim) != 0 ||
		kg_json_get(claim->in.object, kg_path_last(change->path), &value) ==
			NULL)
		return true;
	if (kg_member_takes_several(member, &value))
		return false;
	change->value = kg_repair_as_member(member, &value);
	return true;
}

/*
 * Returns the claim, corrected as the error suggests. Returns NULL if the error
 * does not suggest exactly one correction, or if the correction would not
 * change the claim.
 */
static const Jsonb *
repaired_claim(const KgClaim *claim, const Jsonb *error)
{
	JsonbValue path;
	JsonbValue meant;
	JsonbValue got;
	JsonbValue there;
	char *at;
	char *last;
	KgInstead change = {KG_INSTEAD_VALUE};
	JsonbValue value;
	Jsonb *repaired;

	if (claim->in.object == NULL ||
		kg_json_get(&error->root, "did_you_mean", &meant) == NULL ||
		meant.type != jbvString ||
		kg_json_get(&error->root, "path", &path) == NULL)
		return NULL;
	at = kg_json_cstring(&path);
	last = strrchr(at, '/');
	/*
	 * If the error is about a key, such as a member or an operator, its member
	 * "got" is the key. The key is then replaced instead of the value.
	 */
	there.type = jbvNull;
	if (last != NULL && kg_json_get(&error->root, "got", &got) != NULL)
		there = got;
	change.path = at;
	change.key = psprintf("%s%s",
						  kg_json_cstring(&meant),
						  claim->rest != NULL ? claim->rest : "");
	value = kg_json_string_value(change.key);
	if (there.type == jbvString && last != NULL &&
		kg_json_string_is(&there, last + 1))
	{
		change.kind = KG_INSTEAD_KEY;
		if (!set_value(claim, &change))
			return NULL;
	}
	else
		change.value = kg_json_datum(&value);
	repaired = kg_changed(claim->in.object, claim->in.path, &change);
	return kg_json_same(repaired, kg_json_datum(&claim->value)) ? NULL
																: repaired;
}

/*
 * Returns an error about the call in a claim, with its path changed to point
 * into the arguments of verify_claims.
 */
static const Jsonb *
own_error(const KgClaim *claim, Jsonb *error)
{
	JsonbValue path;

	if (claim->within == NULL ||
		kg_json_get(&error->root, "path", &path) == NULL ||
		strncmp(kg_json_cstring(&path),
				claim->in.path,
				strlen(claim->in.path)) == 0)
		return error;
	error = kg_registered_error(&claim->called, error);
	if (kg_json_get(&error->root, "path", &path) == NULL)
		return error;
	path = kg_json_string_value(
		psprintf("%s%s", claim->within, kg_json_cstring(&path)));
	return kg_json_with(error, "path", &path);
}

/* Sets the verdict on a claim for an error that was caught. */
static void
fail(KgVerify *v, KgClaim *claim, const ErrorData *edata)
{
	KgErrorCode code = kg_error_caught_code(edata);

	claim->judged = false;
	if (code == KG_NOT_FOUND)
	{
		kg_claim_judge(claim, KG_NOT_THERE, "no_entity");
		return;
	}
	if (code == KG_LIMIT_EXCEEDED || code == KG_TIMEOUT || code == KG_FORBIDDEN)
	{
		kg_claim_judge(claim, KG_UNSURE, pstrdup(edata->message));
		return;
	}
	kg_claim_judge(claim, KG_INVALID_CLAIM, NULL);
	claim->error = own_error(claim, kg_error_caught(edata));
	if (claim->correction == NULL)
		claim->correction = repaired_claim(claim, claim->error);
}

typedef struct Try
{
	KgVerify *v;
	KgClaim *claim;
	KgClaimWork work;
} Try;

static void
do_work(void *arg)
{
	Try *try = arg;

	try->work(try->v, try->claim);
}

static void
do_in_time(void *arg)
{
	kg_running_timed(do_work, arg);
}

void
kg_claim_try(KgVerify *v, KgClaim *claim, bool statements, KgClaimWork work)
{
	Try try = {v, claim, work};
	List *repairs = list_copy(v->call.repairs.repairs);
	KgDecisions *decisions;
	ErrorData *edata;
	KgErrorCode code;

	/*
	 * The errors get no corrected call of verify_claims, because each claim
	 * reports its own correction.
	 */
	kg_repair_begin(NULL, NULL);
	edata = kg_catch(
		statements ? KG_CATCH_UNDO : KG_CATCH_MEMORY, do_in_time, &try);
	if (edata == NULL)
		return;
	/*
	 * Some errors do not give a verdict and are raised again: open decisions of
	 * the authorizer, concurrent changes, and a missing tenant.
	 */
	decisions = v->call.graph->call->decisions;
	code = kg_error_caught_code(edata);
	if ((decisions != NULL && kg_decisions_open(decisions, NULL, NULL) > 0) ||
		code == KG_CONFLICT || code == KG_NO_TENANT)
		ReThrowError(edata);
	v->call.repairs.repairs = repairs;
	fail(v, claim, edata);
}

/* ---- handles ---- */

int
kg_claim_types(const KgVerify *v, const KgMention *mention, uint16 *ranks)
{
	const KgGraph *graph = v->call.graph;
	int n = 0;

	for (int i = 0; i < graph->nranks; i++)
		if (kg_id_of_row(graph->ranked[i], mention->given) != NULL)
			ranks[n++] = (uint16) (i + 1);
	return n;
}

/*
 * Raises KG_FORBIDDEN if the mentioned entity may be of a type for which
 * neither an authorizer nor a gateway decides access.
 */
static void
require_types(const KgVerify *v, const KgMention *mention)
{
	KgHandles handles = {.n = 1, .given = (char **) &mention->given};

	kg_require_around((KgGraphCall *) &v->call, &handles, &(KgFollow){0}, 0);
}

static void
add_mention(KgVerify *v, KgClaim *claim, const JsonbValue *value,
			const char *path)
{
	KgMention *mention;

	if (v->nmentions == v->room)
	{
		v->room = Max(256, v->room * 2);
		v->mentions = v->mentions == NULL
						  ? palloc(v->room * sizeof(KgMention))
						  : repalloc(v->mentions, v->room * sizeof(KgMention));
	}
	mention = &v->mentions[v->nmentions];
	memset(mention, 0, sizeof(*mention));
	mention->given = kg_call_handle(v->call.input.repairs, value, path);
	require_types(v, mention);
	v->nmentions++;
	claim->nmentions++;
}

static void
read_mention(KgVerify *v, KgClaim *claim, const char *key)
{
	JsonbValue value;

	kg_input_require(&claim->in, key);
	(void) kg_input_value(&claim->in, key, &value);
	add_mention(v, claim, &value, kg_input_path(&claim->in, key));
}

static void
read_version(KgClaim *claim)
{
	(void) kg_input_int(&claim->in, "version", &claim->version);
}

/* ---- entities and properties ---- */

static void
read_entity(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {"id", "entity", "version"};

	kg_input_only(&claim->in, known, lengthof(known));
	read_mention(v, claim, "entity");
	read_version(claim);
}

static KG_NORETURN void
throw_no_such_property(const KgVerify *v, const KgClaim *claim)
{
	const KgGraph *graph = v->call.graph;
	int n = 0;
	const char **names;
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"no entity type has a property \"%s\"",
								claim->property);

	for (int i = 0; i < graph->nranks; i++)
		n += kg_graph_type(graph, i)->nfields;
	names = palloc((n + 1) * sizeof(char *));
	n = 0;
	for (int i = 0; i < graph->nranks; i++)
		for (int f = 0; f < kg_graph_type(graph, i)->nfields; f++)
			names[n++] = kg_graph_type(graph, i)->fields[f].name;
	kg_error_path(err, "%s", kg_input_path(&claim->in, "property"));
	kg_error_got_string(err, claim->property);
	kg_error_expected(err, "a property of the entity's type");
	kg_error_did_you_mean(err, kg_nearest(claim->property, names, n));
	kg_error_throw(err);
}

/*
 * Returns the property with a name. "id" means the id property, even if this
 * property has another name in the type.
 */
static const KgField *
claimed_field(const KgType *type, const char *name)
{
	const KgField *field = kg_type_field(type, name);

	return field == NULL && strcmp(name, "id") == 0 ? type->id_field : field;
}

/*
 * Reads a condition {"text": "..."}, which compares texts after case folding.
 * Returns false if the claim has no "text".
 */
static bool
read_text(KgClaim *claim, const KgField *field)
{
	const JsonbContainer *is = kg_json_container(&claim->is);
	char *path = kg_input_path(&claim->in, "is");
	JsonbValue text;

	if (!kg_json_is_object(&claim->is) ||
		kg_json_get(is, "text", &text) == NULL)
		return false;
	if (kg_json_length(is) > 1)
		kg_error_throw(kg_args_error(
			path, &claim->is, "\"text\" alone, or other operators"));
	if (text.type != jbvString)
		kg_error_throw(
			kg_args_error(kg_path_member(path, "text"), &text, "a string"));
	if (field->kind != KG_KIND_STRING && field->kind != KG_KIND_ENUM)
		kg_error_throw(kg_args_error(
			path, &claim->is, "\"text\" for a property that is a string"));
	claim->text = kg_text_fold(text.val.string.val, text.val.string.len);
	return true;
}

/*
 * Returns whether a string is too long for an index key. Such a string is
 * compared without a filter.
 */
static bool
is_long_text(const KgClaim *claim, const KgField *field)
{
	return claim->is.type == jbvString && field->kind == KG_KIND_STRING &&
		   !kg_key_fits(field, &claim->is);
}

void
kg_claim_analyse(KgVerify *v, KgClaim *claim, const KgType *type)
{
	const KgInput *in = &claim->in;
	KgFilterTarget target = kg_filter_target_type(type);
	bool is_id;

	target.no_derived = false;
	target.has_id = false;
	claim->field = claimed_field(type, claim->property);
	if (claim->field == NULL)
		claim->field = kg_target_field(&target,
									   claim->property,
									   kg_input_path(in, "property"),
									   "claim",
									   &is_id);
	claim->text = NULL;
	claim->filter = NULL;
	if (read_text(claim, claim->field) || is_long_text(claim, claim->field))
		return;
	claim->filter = kg_filter_analyse(
		kg_filter_parse_one(claim->field->name,
							kg_input_path(in, "property"),
							kg_input_path(in, "is"),
							&claim->is),
		&target,
		&v->call.repairs);
}

/*
 * Checks a property of an entity whose type is only known after the look-up.
 * Raises an error if no type has the property.
 */
static void
check_property(KgVerify *v, KgClaim *claim)
{
	const KgGraph *graph = v->call.graph;

	for (int i = 0; i < graph->nranks; i++)
		if (claimed_field(kg_graph_type(graph, i), claim->property) != NULL)
			return;
	throw_no_such_property(v, claim);
}

static void
read_property(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {
		"id", "entity", "property", "is", "version"};
	uint16 *ranks = palloc((v->call.graph->nranks + 1) * sizeof(uint16));

	kg_input_only(&claim->in, known, lengthof(known));
	kg_input_require(&claim->in, "property");
	kg_input_require(&claim->in, "is");
	claim->property = kg_input_string(&claim->in, "property");
	(void) kg_input_value(&claim->in, "is", &claim->is);
	read_mention(v, claim, "entity");
	read_version(claim);
	if (kg_claim_types(v, &v->mentions[claim->first], ranks) == 1)
		kg_claim_analyse(v, claim, kg_graph_type(v->call.graph, ranks[0] - 1));
	else
		check_property(v, claim);
}

/* ---- edges ---- */

/*
 * Returns the types that a mentioned entity may have, indexed by rank. Returns
 * NULL if it may have any type.
 */
static bool *
types_of(const KgVerify *v, const KgMention *mention)
{
	uint16 *ranks = palloc((v->call.graph->nranks + 1) * sizeof(uint16));
	int n = kg_claim_types(v, mention, ranks);
	bool *set;

	if (n == 0)
		return NULL;
	set = palloc0((v->call.graph->nranks + 1) * sizeof(bool));
	for (int i = 0; i < n; i++)
		set[ranks[i]] = true;
	return set;
}

static bool
joins(const KgVerify *v, const KgRelation *relation, const bool *from,
	  const bool *to)
{
	const KgGraph *graph = v->call.graph;

	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		uint16 from_rank = kg_graph_rank(graph, variant->from_type_no);
		uint16 to_rank = kg_graph_rank(graph, variant->to_type_no);

		if (from_rank != 0 && to_rank != 0 &&
			(from == NULL || from[from_rank]) && (to == NULL || to[to_rank]))
			return true;
	}
	return false;
}

/*
 * Returns whether some relation with the name can lead from a type in "from"
 * to a type in "to".
 */
static bool
may_join(const KgVerify *v, const char *name, const bool *from, const bool *to)
{
	const KgCatalog *catalog = v->call.catalog;
	bool inverse;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!kg_relation_is(relation, name, &inverse))
			continue;
		if (joins(v, relation, inverse ? to : from, inverse ? from : to) ||
			(relation->symmetric && joins(v, relation, to, from)))
			return true;
	}
	return false;
}

/* Returns the claim with its ends swapped. */
static const Jsonb *
swapped(const KgClaim *claim)
{
	JsonbValue from;
	JsonbValue to;
	KgJsonWriter w;

	(void) kg_input_value(&claim->in, "from", &from);
	(void) kg_input_value(&claim->in, "to", &to);
	kg_jw_init_object(&w);
	kg_jw_members(&w, claim->in.object);
	kg_jw_key(&w, "from");
	kg_jw_value(&w, &to);
	kg_jw_key(&w, "to");
	kg_jw_value(&w, &from);
	return kg_jw_finish(&w);
}

static void
check_join(KgVerify *v, KgClaim *claim, int hop, const char *path)
{
	const char *name = claim->relations[hop];
	bool *from = types_of(v, &v->mentions[claim->first + hop]);
	bool *to = types_of(v, &v->mentions[claim->first + hop + 1]);

	if (may_join(v, name, from, to))
		return;
	if (claim->kind == KG_CLAIM_EDGE && may_join(v, name, to, from))
		claim->correction = swapped(claim);
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf(
				 "relationship type \"%s\" cannot lead from \"%s\" to \"%s\"",
				 name,
				 v->mentions[claim->first + hop].given,
				 v->mentions[claim->first + hop + 1].given),
			 .path = path,
			 .got_string = name,
			 .expected = "a relationship type that leads between entities of "
						 "these types, in this direction");
}

static void
read_edge_filters(KgVerify *v, KgClaim *claim)
{
	const KgCatalog *catalog = v->call.catalog;
	KgFilterTarget *targets = palloc((catalog->nrelations + 1) *
									 sizeof(KgFilterTarget));
	int *places = palloc((catalog->nrelations + 1) * sizeof(int));
	KgFilter **filters;
	JsonbValue value;
	char *path = kg_input_path(&claim->in, "properties");
	bool inverse;
	int n = 0;

	if (!kg_input_value(&claim->in, "properties", &value))
		return;
	for (int i = 0; i < catalog->nrelations; i++)
		if (kg_relation_is(
				&catalog->relations[i], claim->relations[0], &inverse))
		{
			targets[n] = kg_filter_target_relation(&catalog->relations[i]);
			places[n++] = i;
		}
	filters = kg_filter_analyse_over(
		kg_filter_parse(kg_args_as_object(&value, path), path),
		targets,
		n,
		&v->call.repairs);
	claim->edge_filters = palloc0((catalog->nrelations + 1) *
								  sizeof(KgFilter *));
	for (int i = 0; i < n; i++)
		claim->edge_filters[places[i]] = filters[i];
}

static void
read_edge(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {
		"id", "from", "relation", "to", "properties"};
	JsonbValue value;
	char *path = kg_input_path(&claim->in, "relation");

	kg_input_only(&claim->in, known, lengthof(known));
	kg_input_require(&claim->in, "relation");
	(void) kg_input_value(&claim->in, "relation", &value);
	claim->relations = palloc(sizeof(char *));
	claim->relations[0] = kg_call_relation_name(&v->call, &value, path);
	read_mention(v, claim, "from");
	read_mention(v, claim, "to");
	check_join(v, claim, 0, path);
	read_edge_filters(v, claim);
}

static void
read_path(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {"id", "path"};
	const JsonbContainer *array;
	char *path = kg_input_path(&claim->in, "path");

	kg_input_only(&claim->in, known, lengthof(known));
	array = kg_input_array(&claim->in, "path", "items");
	if (kg_json_length(array) % 2 == 0)
	{
		JsonbValue got = kg_json_string_value(
			psprintf("%d items", kg_json_length(array)));

		kg_error_throw(kg_args_error(
			path, &got, "handles, with a relationship type between each two"));
	}
	claim->relations = palloc(KG_CLAIM_HANDLES * sizeof(char *));
	kg_json_each(it, array)
		if (it.index % 2 == 0)
			add_mention(v, claim, &it.value, kg_path_index(path, it.index));
		else
			claim->relations[it.index / 2] = kg_call_relation_name(
				&v->call, &it.value, kg_path_index(path, it.index));
	for (int hop = 0; hop + 1 < claim->nmentions; hop++)
		check_join(v, claim, hop, kg_path_index(path, hop * 2 + 1));
}

/* ---- claims about the result of a call ---- */

static void
read_reach(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {
		"id", "from", "to", "within", "relation_types", "direction"};
	int64 within;
	JsonbValue value;

	kg_input_only(&claim->in, known, lengthof(known));
	kg_input_require(&claim->in, "within");
	(void) kg_input_int(&claim->in, "within", &within);
	(void) kg_call_direction(&claim->in);
	if (kg_input_value(&claim->in, "relation_types", &value))
		(void) kg_call_relation_names(&v->call, &claim->in, "relation_types");
	read_mention(v, claim, "from");
	read_mention(v, claim, "to");
}

/*
 * Returns whether an argument, such as "limit", has no effect on the number of
 * results.
 */
static bool
is_of_page(const JsonbValue *key)
{
	static const char *const names[] = {
		"limit", "offset", "cursor", "max_bytes", "max_tokens"};

	for (int i = 0; i < lengthof(names); i++)
		if (kg_json_string_is(key, names[i]))
			return true;
	return false;
}

static void
refuse_tool(const char *name, const char *path)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("tool \"%s\" does not return a number of rows",
								 name),
			 .path = path,
			 .got_string = name,
			 .expected =
				 "a tool that reads and returns \"total\", such as find_nodes, "
				 "traverse_relationships or one that lists a type");
}

bool
kg_callable_declares(const KgCallable *callable, const char *name)
{
	return callable->fixed != NULL &&
		   kg_outline_member(
			   kg_outline(callable->fixed->name), name, strlen(name)) != NULL;
}

/*
 * Returns whether a claim may count the results of the tool. The tool must only
 * read, and must not be verify_claims itself. A generated tool must be one that
 * lists entities.
 */
static bool
counts(const KgCallable *callable)
{
	if ((callable->tool == NULL && callable->fixed == NULL) ||
		kg_callable_writes(callable))
		return false;
	if (callable->tool != NULL)
		return callable->tool->operation == KG_EXPOSE_LIST ||
			   callable->tool->operation == KG_EXPOSE_LIST_IDS;
	/*
	 * A claim must not call verify_claims itself. verify_claims is recognized
	 * by its argument "claims".
	 */
	return !kg_callable_declares(callable, "claims");
}

/*
 * Returns the given arguments, changed so that the call only counts its
 * results. Removes the arguments of a page (is_of_page()). If the tool has
 * these arguments, sets limit to 1 and max_bytes to the maximum.
 */
static const Jsonb *
counting_arguments(const KgCallable *callable, const JsonbContainer *given)
{
	const KgOutline *outline = kg_outline(
		callable->fixed != NULL
			? callable->fixed->name
			: kg_tool_input_template(kg_tool_type(callable->tool),
									 callable->tool->operation));
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, given)
		if (!is_of_page(&it.key))
			kg_jw_member(&w, &it);
	if (kg_outline_member(outline, "limit", strlen("limit")) != NULL)
		kg_jw_kint(&w, "limit", 1);
	if (kg_outline_member(outline, "max_bytes", strlen("max_bytes")) != NULL)
		kg_jw_kint(&w, "max_bytes", kg_setting_max_reply_bytes);
	return kg_jw_finish(&w);
}

/*
 * If the arguments of a claim's call are beside "tool", returns the call with
 * its arguments moved into "arguments", and reports a repair. Otherwise
 * returns the call unchanged.
 */
static const JsonbContainer *
with_arguments(KgVerify *v, const JsonbValue *sent, const char *path)
{
	const JsonbContainer *object = kg_args_as_object(sent, path);
	JsonbValue tool;
	JsonbValue value;
	KgJsonWriter w;
	Jsonb *call;

	if (kg_json_get(object, "tool", &tool) == NULL ||
		kg_json_get(object, "arguments", &value) != NULL ||
		kg_json_length(object) == 1)
		return object;
	kg_jw_init_object(&w);
	kg_jw_key(&w, "tool");
	kg_jw_value(&w, &tool);
	kg_jw_kbegin_object(&w, "arguments");
	kg_json_each(it, object)
		if (!kg_json_string_is(&it.key, "tool"))
			kg_jw_member(&w, &it);
	kg_jw_end_object(&w);
	call = kg_jw_finish(&w);
	kg_json_root(call, &value);
	kg_repair_add(&v->call.repairs, path, sent, &value);
	return &call->root;
}

static void
read_call(KgVerify *v, KgClaim *claim, const char *key)
{
	static const char *const names[] = {"tool", "arguments"};
	const KgOutline known = kg_outline_of(
		kg_outline_member(claim->in.outline, key, strlen(key))->inner,
		names,
		lengthof(names));
	char *path = kg_input_path(&claim->in, key);
	char *arguments = kg_path_member(path, "arguments");
	const JsonbContainer *object;
	KgToolCall *called = &claim->called;
	JsonbValue value;

	(void) kg_input_value(&claim->in, key, &value);
	object = with_arguments(v, &value, path);
	kg_args_known(object, path, &known);
	called->name = kg_args_string(object, "tool", path);
	if (called->name == NULL)
		kg_error_throw(kg_args_error(
			path, &value, "{\"tool\": ..., \"arguments\": {...}}"));
	if (kg_json_get(object, "arguments", &value) != NULL)
		(void) kg_args_as_object(&value, arguments);
	else
		kg_json_root(kg_json_parse("{}"), &value);
	called->arguments = kg_json_datum(&value);
	path = kg_path_member(path, "tool");
	claim->within = arguments;
	if (kg_registered_resolve(
			v->call.catalog, called, path, v->left, &claim->callable))
		v->left -= Min(v->left, VARSIZE(called->arguments));
	else
		kg_callable_require(
			v->call.catalog, called->name, path, &claim->callable);
	claim->within = NULL;
	if (!counts(&claim->callable))
		refuse_tool(called->name, path);
	claim->arguments = counting_arguments(&claim->callable,
										  &called->arguments->root);
}

/* Returns whether the tool can return a sum or an average. */
static bool
aggregates(const KgCallable *callable)
{
	return kg_callable_declares(callable, "aggregations") ||
		   kg_callable_declares(callable, "sql");
}

static void
read_count(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {"id", "count", "is"};
	static KgStep step = {"count", 5};
	static KgField count = {
		.name = "count", .nsteps = 1, .steps = &step, .kind = KG_KIND_INTEGER};
	static KgField number = {
		.name = "count", .nsteps = 1, .steps = &step, .kind = KG_KIND_NUMBER};
	KgFilterTarget target = {.what = "a count", .nfields = 1, .fields = &count};

	kg_input_only(&claim->in, known, lengthof(known));
	kg_input_require(&claim->in, "is");
	(void) kg_input_value(&claim->in, "is", &claim->is);
	read_call(v, claim, "count");
	if (aggregates(&claim->callable))
		target.fields = &number;
	claim->filter = kg_filter_analyse(
		kg_filter_parse_one(count.name,
							kg_input_path(&claim->in, "count"),
							kg_input_path(&claim->in, "is"),
							&claim->is),
		&target,
		&v->call.repairs);
}

static void
read_none(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {"id", "none"};

	kg_input_only(&claim->in, known, lengthof(known));
	read_call(v, claim, "none");
}

static void
read_name(KgVerify *v, KgClaim *claim)
{
	static const char *const known[] = {"id", "name", "type"};
	const char *name;

	kg_input_only(&claim->in, known, lengthof(known));
	name = kg_input_string(&claim->in, "name");
	claim->type = kg_call_type(&v->call, &claim->in, "type");
	kg_binding_refuse(claim->type, "a claim of a name");
	kg_call_require_type(&v->call, claim->type);
	claim->name = kg_text_fold(name, strlen(name));
	/*
	 * Stored names are truncated to this length, so a longer name cannot be
	 * compared.
	 */
	if (strlen(claim->name) <= KG_MAX_TERM_BYTES - MAX_MULTIBYTE_CHAR_LEN)
		return;
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf("the name is too long, because names are "
								 "compared by their first %d bytes",
								 KG_MAX_TERM_BYTES - MAX_MULTIBYTE_CHAR_LEN),
			 .path = kg_input_path(&claim->in, "name"));
}

/* ---- claims ---- */

/*
 * The members that determine the kind of a claim. The first of these members
 * that a claim has determines its kind.
 */
static const struct
{
	const char *key;
	KgClaimKind kind;
	KgClaimWork read;
} kinds[] = {{"none", KG_CLAIM_NONE, read_none},
			 {"count", KG_CLAIM_COUNT, read_count},
			 {"path", KG_CLAIM_PATH, read_path},
			 {"within", KG_CLAIM_REACH, read_reach},
			 {"relation", KG_CLAIM_EDGE, read_edge},
			 {"property", KG_CLAIM_PROPERTY, read_property},
			 {"is", KG_CLAIM_PROPERTY, read_property},
			 {"entity", KG_CLAIM_ENTITY, read_entity},
			 {"name", KG_CLAIM_NAME, read_name},
			 {"from", KG_CLAIM_EDGE, read_edge},
			 {"to", KG_CLAIM_EDGE, read_edge}};

static void
read_id(KgClaim *claim, const JsonbContainer *object)
{
	int64 number;

	claim->has_id = kg_json_get(object, "id", &claim->id) != NULL &&
					(kg_json_int64(&claim->id, &number) ||
					 (claim->id.type == jbvString &&
					  claim->id.val.string.len <= KG_CLAIM_ID_BYTES));
}

static void
read_claim(KgVerify *v, KgClaim *claim)
{
	KgInput *in = &claim->in;
	JsonbValue id;

	kg_input_item(&v->call.input, "claims", claim->index, in);
	if (kg_input_value(in, "id", &id) && !claim->has_id)
		kg_error_throw(kg_args_error(kg_input_path(in, "id"),
									 &id,
									 "an integer, or a string of at most 200 "
									 "bytes"));
	for (int i = 0; i < lengthof(kinds); i++)
		if (kg_input_has(in, kinds[i].key))
		{
			claim->kind = kinds[i].kind;
			kinds[i].read(v, claim);
			return;
		}
	kg_error_throw(kg_args_error(
		in->path,
		&claim->value,
		"an object with \"entity\", \"from\" and \"to\", \"path\", \"count\", "
		"\"none\" or \"name\""));
}

void
kg_claims_read(KgVerify *v)
{
	JsonbValue array;
	int n = kg_input_objects(&v->call.input, "claims", "claims");

	v->claims = palloc0((n + 1) * sizeof(KgClaim));
	v->n = n;
	v->left = kg_setting_max_argument_bytes;
	(void) kg_input_value(&v->call.input, "claims", &array);
	kg_json_each(it, kg_json_container(&array))
	{
		KgClaim *claim = &v->claims[it.index];

		CHECK_FOR_INTERRUPTS();
		claim->index = it.index;
		claim->value = it.value;
		claim->first = v->nmentions;
		if (kg_json_is_object(&it.value))
			read_id(claim, kg_json_container(&it.value));
		kg_claim_try(v, claim, false, read_claim);
		if (claim->judged)
			/*
			 * drops the mentions of this claim, so that they are not looked up
			 */
			v->nmentions = claim->first;
	}
}
