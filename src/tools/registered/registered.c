/*
 * registered.c
 *	  Registered tools: finds, runs and lists versions.
 *
 *	  A version is parsed once for each catalog, and bound to the tools of
 *	  that catalog. If the version uses a type or relation that is hidden from
 *	  the catalog's role or agent, it does not exist for them.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/audit.h"
#include "auth/identity.h"
#include "base/catch.h"
#include "base/json.h"
#include "base/json_untrusted.h"
#include "base/semver.h"
#include "base/settings.h"
#include "base/snapshot.h"
#include "miscadmin.h"
#include "query/argument/arguments.h"
#include "query/run/decisions.h"
#include "query/run/running.h"
#include "tools/write/confirm.h"
#include "tools/input/client_schema.h"
#include "tools/input/published.h"
#include "tools/registered/registered.h"
#include "tools/write/write_tool.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/*
 * Returns the parsed definition of a version, bound to the tools of the
 * version's catalog.
 */
static const KgDefinition *
definition_of(const KgToolVersion *version)
{
	KgToolVersion *mutable = (KgToolVersion *) version;
	KgErrorList errors = {NIL, 1};
	MemoryContext scratch;
	MemoryContext old;
	KgDefinition *def;

	if (version->made != NULL)
		return version->made;
	old = MemoryContextSwitchTo(version->context);
	def = kg_definition_read(version->definition, &errors);
	/*
	 * The definition exceeds a limit that was lowered after the registration.
	 * An empty definition, which cannot be used, replaces it.
	 */
	if (def == NULL)
		def = palloc0(sizeof(KgDefinition));
	else
	{
		scratch = AllocSetContextCreate(
			old, "kg_graph registered tool", ALLOCSET_DEFAULT_SIZES);
		MemoryContextSwitchTo(scratch);
		(void) kg_definition_bind(def, version->whose, false, NULL);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(scratch);
	}
	mutable->made = def;
	MemoryContextSwitchTo(old);
	return def;
}

static bool
may_use(const KgDefinition *def)
{
	return def->usable &&
		   (!def->writes || kg_identity_tenant(KG_ACCESS_WRITE) != NULL);
}

/* Returns whether the caller can use any version of the tool. */
static bool
has_name(const KgRegisteredName *name, const KgAgent *agent)
{
	for (int i = 0; i < name->n; i++)
		if (kg_agent_has_registered(
				agent, name->versions[i].toolset, name->name) &&
			may_use(definition_of(&name->versions[i])))
			return true;
	return false;
}

const char *
kg_registered_split(const char *name, const char **version)
{
	const char *at = strstr(name, ".v");

	if (at == NULL || at[2] < '0' || at[2] > '9')
		return name;
	*version = at + 2;
	return pnstrdup(name, at - name);
}

bool
kg_registered_is_callable(const char *name)
{
	const KgCatalog *catalog = kg_running_catalog();
	const char *version = NULL;
	const KgRegisteredName *found;

	if (catalog->nregistered == 0)
		return false;
	found = kg_registered_name(catalog, kg_registered_split(name, &version));
	return found != NULL && has_name(found, kg_agent_current());
}

static KG_NORETURN void
throw_version(const KgRegisteredName *name, const KgAgent *agent,
			  const char *version, const char *path)
{
	KgError *err;

	if (version != NULL)
		err = kg_error_new(KG_VERSION_NOT_FOUND,
						   "tool \"%s\" has no version \"%s\"",
						   name->name,
						   version);
	else
		err = kg_error_new(KG_VERSION_NOT_FOUND,
						   "tool \"%s\" has only prerelease or deprecated "
						   "versions; specify a version",
						   name->name);
	kg_error_path(err, "%s", path);
	if (version != NULL)
		kg_error_got_string(err, version);
	kg_error_expected(err, "a registered version");
	for (int i = 0; i < name->n; i++)
		if (kg_agent_has_registered(
				agent, name->versions[i].toolset, name->name) &&
			may_use(definition_of(&name->versions[i])))
			kg_error_allow(err, name->versions[i].version);
	kg_error_throw(err);
}

static const KgDefinition *
find_version(const KgRegisteredName *name, const KgAgent *agent,
			 const char *version, const char *path)
{
	const KgToolVersion *found = name->latest;
	const KgDefinition *def;
	KgSemver semver;

	if (version != NULL && kg_semver_read(version, &semver))
		found = kg_registered_version(name, semver.precedence);
	if (found == NULL)
		throw_version(name, agent, version, path);
	def = definition_of(found);
	if (!kg_agent_has_registered(agent, found->toolset, name->name) ||
		!may_use(def))
		throw_version(name, agent, version, path);
	return def;
}

/* ---- arguments ---- */

static bool
is_blank(const JsonbValue *value)
{
	return value->type == jbvNull ||
		   (value->type == jbvString && value->val.string.len == 0);
}

static const Jsonb *
without_blanks(const Jsonb *arguments)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, &arguments->root)
		if (!is_blank(&it.value))
			kg_jw_member(&w, &it);
	return kg_jw_finish(&w);
}

/*
 * Returns the schema in the member "key" of a schema. If name is not NULL,
 * returns the schema in the member "name" of that member. Returns NULL if there
 * is no such schema.
 */
static const JsonbContainer *
subschema(const JsonbContainer *schema, const char *key, const char *name)
{
	JsonbValue value;

	if (schema == NULL || kg_json_get(schema, key, &value) == NULL ||
		!kg_json_is_object(&value))
		return NULL;
	schema = kg_json_container(&value);
	return name != NULL ? subschema(schema, name, NULL) : schema;
}

/* Returns whether a schema accepts arrays or objects, but no strings. */
static bool
has_no_text(const JsonbContainer *schema)
{
	static const char *const unions[] = {"anyOf", "oneOf"};
	bool found = kg_schema_has_type(schema, "array") ||
				 kg_schema_has_type(schema, "object");
	JsonbValue branches;

	check_stack_depth();
	for (int i = 0; i < lengthof(unions); i++)
	{
		if (kg_json_get(schema, unions[i], &branches) == NULL ||
			!kg_json_is_array(&branches))
			continue;
		kg_json_each(it, kg_json_container(&branches))
		{
			if (!kg_json_is_object(&it.value) ||
				kg_schema_has_type(kg_json_container(&it.value), "string"))
				return false;
			found |= has_no_text(kg_json_container(&it.value));
		}
	}
	return found && !kg_schema_has_type(schema, "string");
}

/*
 * If a value is a string with the JSON text of an array or object, and the
 * schema accepts arrays or objects but no strings, returns the array or object.
 * Otherwise returns NULL.
 */
static Jsonb *
decoded(const JsonbContainer *schema, const JsonbValue *value)
{
	Jsonb *json;

	if (value->type != jbvString || schema == NULL || !has_no_text(schema))
		return NULL;
	json = kg_json_parse_untrusted(value->val.string.val,
								   value->val.string.len);
	return json != NULL && !JB_ROOT_IS_SCALAR(json) ? json : NULL;
}

/*
 * Writes a value. Strings with JSON text are replaced by the arrays or objects
 * that they contain.
 */
static void
write_decoded(KgJsonWriter *w, const JsonbContainer *schema,
			  const JsonbValue *value)
{
	const JsonbContainer *container = kg_json_container(value);
	Jsonb *json = decoded(schema, value);

	check_stack_depth();
	if (json != NULL)
		kg_jw_jsonb(w, json);
	else if (container == NULL || schema == NULL)
		kg_jw_value(w, value);
	else if (kg_json_is_array(value))
	{
		kg_jw_begin_array(w);
		kg_json_each(it, container)
			write_decoded(w, subschema(schema, "items", NULL), &it.value);
		kg_jw_end_array(w);
	}
	else
	{
		kg_jw_begin_object(w);
		kg_json_each(it, container)
		{
			const char *name = kg_json_cstring(&it.key);

			kg_jw_key(w, name);
			write_decoded(w, subschema(schema, "properties", name), &it.value);
		}
		kg_jw_end_object(w);
	}
}

/*
 * Returns the arguments without nulls. Strings with JSON text are replaced by
 * the arrays or objects that they contain.
 */
static const Jsonb *
in_other_form(const KgDefinition *def, const Jsonb *arguments)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, &arguments->root)
	{
		const char *name = kg_json_cstring(&it.key);

		if (it.value.type == jbvNull)
			continue;
		kg_jw_key(&w, name);
		write_decoded(&w,
					  subschema(&def->input_schema->root, "properties", name),
					  &it.value);
	}
	return kg_jw_finish(&w);
}

static const Jsonb *
check_arguments(const KgDefinition *def, const Jsonb *arguments)
{
	const Jsonb *other;
	JsonbValue root;

	(void) kg_args_root(arguments);
	if (def->blank_is_absent)
		arguments = without_blanks(arguments);
	kg_json_root(arguments, &root);
	if (kg_schema_is_valid(def->input, &root))
		return arguments;
	other = in_other_form(def, arguments);
	kg_json_root(other, &root);
	if (!kg_schema_is_valid(def->input, &root))
		kg_published_refuse(def->input, arguments);
	return other;
}

/* ---- operations ---- */

typedef struct Run
{
	const KgCatalog *catalog;
	KgToolCall *call;
	const KgDefinition *def;
	const Jsonb *arguments;
	/* replies of the steps of a sequence; NULL: no reply yet */
	const Jsonb **results;
	KgConfirm *confirm; /* confirmation of a function that writes */
} Run;

static const JsonbValue *
value_of(const Run *run, const KgTemplate *template, int number,
		 JsonbValue *found)
{
	const KgTemplatePlace *places;
	const KgTemplatePlace *place;

	(void) kg_template_places(template, &places);
	place = &places[number];
	if (place->arg >= 0)
		return kg_json_get(
			&run->arguments->root, run->def->args[place->arg], found);
	kg_json_root(run->results[place->result], found);
	if (kg_json_follow(found, place->pointer))
		return found;
	KG_THROW(KG_NOT_FOUND,
			 .message = psprintf("the reply of \"%s\" has no value at \"%s\"",
								 run->def->ops[place->result].name,
								 place->pointer),
			 .path = kg_template_path(template, number));
}

static KG_NORETURN void
throw_too_large(void)
{
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf("the tool's arguments for the called tool "
								 "exceed kg_graph.max_argument_bytes (%d)",
								 kg_setting_max_argument_bytes),
			 .expected = "shorter arguments");
}

/*
 * Returns whether the value at an insertion position is a parameter of an SQL
 * statement. If the argument is absent, such a parameter is null.
 */
static bool
is_parameter(const Run *run, const KgOperationDefined *op, int place)
{
	const char *params = "/params/";

	return run->def->sql != NULL &&
		   strncmp(kg_template_path(op->arguments, place),
				   params,
				   strlen(params)) == 0;
}

static Jsonb *
fill_arguments(const Run *run, const KgOperationDefined *op, int max_bytes)
{
	const KgTemplatePlace *places;
	int n = kg_template_places(op->arguments, &places);
	const JsonbValue **values = palloc((n + 1) * sizeof(JsonbValue *));
	JsonbValue *found = palloc((n + 1) * sizeof(JsonbValue));
	const JsonbValue null = {.type = jbvNull};
	Jsonb *filled;

	for (int i = 0; i < n; i++)
	{
		values[i] = value_of(run, op->arguments, i, &found[i]);
		if (values[i] == NULL && is_parameter(run, op, i))
			values[i] = &null;
	}
	filled = kg_template_fill(op->arguments, values, max_bytes);
	if (filled == NULL)
		throw_too_large();
	return filled;
}

static bool
same_member(const JsonbContainer *object, const char *key,
			const JsonbValue *value)
{
	JsonbValue other;

	return kg_json_get(object, key, &other) != NULL &&
		   kg_json_same_value(&other, value);
}

/*
 * Translates "next" of the called tool, which has arguments of that tool, into
 * arguments of the registered tool. An argument that is not inserted as a whole
 * member stays as it was sent. If "next" changes a member that is not an
 * inserted argument, returns NULL.
 */
static Jsonb *
translate_next(const Run *run, const KgOperationDefined *op,
			   const Jsonb *filled, const JsonbValue *next)
{
	const JsonbContainer *object = kg_json_container(next);
	bool *gone = palloc0((run->def->nargs + 1) * sizeof(bool));
	KgJsonWriter w;
	JsonbValue value;

	kg_jw_init_object(&w);
	kg_json_each(it, object)
	{
		char *key = kg_json_cstring(&it.key);
		int arg = kg_template_member(op->arguments, key);

		if (arg < 0 && !same_member(&filled->root, key, &it.value))
			return NULL;
		if (arg < 0)
			continue;
		gone[arg] = true;
		kg_jw_key(&w, run->def->args[arg]);
		kg_jw_value(&w, &it.value);
	}
	kg_json_each(it, &filled->root)
	{
		char *key = kg_json_cstring(&it.key);

		if (kg_json_get(object, key, &value) != NULL)
			continue;
		if (kg_template_member(op->arguments, key) < 0)
			return NULL;
		gone[kg_template_member(op->arguments, key)] = true;
	}
	for (int i = 0; i < run->def->nargs; i++)
		if (!gone[i] &&
			kg_json_get(&run->arguments->root, run->def->args[i], &value))
		{
			kg_jw_key(&w, run->def->args[i]);
			kg_jw_value(&w, &value);
		}
	return kg_jw_finish(&w);
}

static Jsonb *
with_next(const Run *run, const KgOperationDefined *op, const Jsonb *filled,
		  Jsonb *reply)
{
	JsonbValue next;
	Jsonb *translated;

	if (kg_json_get(&reply->root, "next", &next) == NULL ||
		!kg_json_is_object(&next))
		return reply;
	translated = translate_next(run, op, filled, &next);
	if (translated == NULL)
		return kg_json_without(reply, "next");
	kg_json_root(translated, &next);
	return kg_json_with(reply, "next", &next);
}

/*
 * Returns the object with its array "member" changed: the paths in the array
 * point into the arguments that the caller sent. Returns the object unchanged
 * if it has no such array.
 */
static Jsonb *
with_own_paths(const KgToolCall *call, Jsonb *object, const char *member)
{
	JsonbValue told;
	Jsonb *own;
	KgJsonWriter w;

	if (kg_json_get(&object->root, member, &told) == NULL ||
		!kg_json_is_array(&told))
		return object;
	kg_jw_init_array(&w);
	kg_json_each(it, kg_json_container(&told))
		if (kg_json_is_object(&it.value))
			kg_jw_jsonb(&w,
						kg_registered_error(call, kg_json_datum(&it.value)));
		else
			kg_jw_value(&w, &it.value);
	own = kg_jw_finish(&w);
	kg_json_root(own, &told);
	return kg_json_with(object, member, &told);
}

/*
 * Returns the idempotency key of an operation, or NULL. The key of a step of a
 * sequence is derived from the key of the call and differs from those of other
 * steps. If the call is repeated, each step has its earlier key.
 */
static const char *
key_of(const Run *run, const KgOperationDefined *op)
{
	const char *key = run->call->key;

	if (key == NULL || run->def->kind != KG_DEFINED_SEQUENCE)
		return key;
	return psprintf("%s/%s", key, op->name);
}

static bool
writes(const KgCallable *callable, bool *deletes)
{
	const KgTool *tool = callable->tool;

	if (tool == NULL)
	{
		*deletes = callable->fixed->writes &&
				   callable->fixed->writes->destructive;
		return callable->fixed->writes != NULL;
	}
	*deletes = (tool->operation & KG_EXPOSE_DELETING) != 0;
	return (tool->operation & KG_EXPOSE_WRITING) != 0;
}

/*
 * Raises KG_FORBIDDEN if the user must confirm an operation. "why" completes
 * the sentence of the message.
 */
static void
refuse_to_ask(const KgCallable *callable, const char *why, const char *expected)
{
	bool deletes;

	if (writes(callable, &deletes) && kg_confirm_needed(deletes))
		kg_error_throw_expected(
			kg_error_new(KG_FORBIDDEN,
						 "a call of tool \"%s\" must be confirmed "
						 "(kg_graph.confirm), but %s",
						 callable->tool ? callable->tool->name
										: callable->fixed->name,
						 why),
			"%s",
			expected);
}

/* Runs an operation. Errors that it raises are errors of the called tool. */
static Jsonb *
run_operation(const Run *run, const KgOperationDefined *op)
{
	static const char *const members[] = {"hints", "repaired", "warnings"};
	Jsonb *filled;
	JsonbValue dry_run;
	Jsonb *reply;

	run->call->op = op;
	filled = fill_arguments(run, op, kg_setting_max_argument_bytes);
	if (kg_template_member(op->arguments, "confirm") < 0 &&
		kg_json_get(&filled->root, "dry_run", &dry_run) == NULL)
		refuse_to_ask(&op->callable,
					  "the registered tool does not pass on \"confirm\"",
					  "a version of the tool that passes on \"confirm\"");
	reply = kg_callable_call(
		run->catalog,
		&op->callable,
		kg_callable_with_key(&op->callable, filled, key_of(run, op)));
	reply = with_next(run, op, filled, reply);
	for (int i = 0; i < lengthof(members); i++)
		reply = with_own_paths(run->call, reply, members[i]);
	return reply;
}

/*
 * Returns the operation to run. For a query, this is its only operation. For a
 * composite, it is the operation that the arguments select.
 */
static const KgOperationDefined *
operation_of(const Run *run)
{
	JsonbValue selected;

	if (run->def->kind == KG_DEFINED_QUERY)
		return &run->def->ops[0];
	(void) kg_json_get(
		&run->arguments->root, run->def->args[run->def->select], &selected);
	for (int i = 0; i < run->def->nops; i++)
		if (kg_json_string_is(&selected, run->def->ops[i].name))
			return &run->def->ops[i];
	elog(ERROR, "no operation is selected");
}

/* ---- sequences ---- */

typedef struct Step
{
	const Run *run;
	int index;
	Jsonb *reply;
} Step;

static void
run_step(void *arg)
{
	Step *step = arg;

	step->reply = run_operation(step->run, &step->run->def->ops[step->index]);
}

/*
 * Runs a step of a sequence with a snapshot that sees the writes of earlier
 * steps. If the step fails, returns the error, otherwise NULL.
 */
static ErrorData *
try_step(Step *step, CommandId begun)
{
	bool pushed = kg_push_written_snapshot(begun);
	ErrorData *edata;

	if (pushed)
		kg_decisions_wrote();
	edata = kg_catch(KG_CATCH_KEEP, run_step, step);
	if (pushed)
		PopActiveSnapshot();
	return edata;
}

/*
 * Returns whether an operation needs the reply of a step that failed or was not
 * run.
 */
static bool
lacks_result(const Run *run, const KgOperationDefined *op)
{
	const KgTemplatePlace *places;
	int n = kg_template_places(op->arguments, &places);

	for (int i = 0; i < n; i++)
		if (places[i].arg < 0 && run->results[places[i].result] == NULL)
			return true;
	return false;
}

typedef struct Failures
{
	KgJsonWriter w; /* array of the errors of the steps */
	StringInfoData text;
	StringInfoData not_tried;
	int n;
	bool last; /* true: no further step will be run */
	KgErrorCode code;
} Failures;

static void
add_failure(const Run *run, Failures *failures, const ErrorData *edata)
{
	Jsonb *error = kg_registered_error(
		run->call, kg_error_answer(edata, true, run->call->op->name));
	JsonbValue value;
	KgErrorCode code = kg_error_caught_code(edata);

	if (failures->n++ == 0)
		failures->code = code;
	/* A further step would probably exceed the limit, too. */
	failures->last |= code == KG_LIMIT_EXCEEDED || code == KG_TIMEOUT;
	if (failures->n > 1)
		appendStringInfoString(&failures->text, "; ");
	if (kg_json_get(&error->root, "message", &value))
		appendStringInfoString(&failures->text, kg_json_cstring(&value));
	if (kg_json_get(&error->root, "level", &value))
		failures->last |= kg_json_string_is(&value, "engine");
	kg_jw_jsonb(&failures->w, error);
}

static KG_NORETURN void
throw_failures(Failures *failures)
{
	KgError *err = kg_error_new(failures->code, "%s", failures->text.data);

	kg_error_errors(err, kg_jw_finish(&failures->w));
	kg_error_throw_expected(
		err,
		failures->not_tried.len > 0
			? "operations that all succeed; nothing was written, and the "
			  "following operations were not tried: %s"
			: "operations that all succeed; nothing was written%s",
		failures->not_tried.data);
}

/*
 * Raises KG_LIMIT_EXCEEDED if a reply is too long. To be called only for
 * functions and sequences, because other tools limit their own replies.
 */
static void
check_size(Size size)
{
	if (size > kg_setting_max_reply_bytes)
		kg_error_throw_expected(
			kg_error_new(KG_LIMIT_EXCEEDED,
						 "the reply has %zu bytes; "
						 "kg_graph.max_reply_bytes allows %d",
						 size,
						 kg_setting_max_reply_bytes),
			"arguments that request less data");
}

/*
 * Runs each step of a sequence in a subtransaction of its own, and returns the
 * replies by the names of the steps. After a failed step, later steps that do
 * not need its reply are still tried, so their errors are found, too. A failure
 * that probably affects all later steps, such as an exceeded limit, ends the
 * sequence. If any step fails, an error is raised at the end, and the whole
 * call is rolled back.
 */
static Jsonb *
run_sequence(Run *run)
{
	const KgDefinition *def = run->def;
	Failures failures = {.n = 0};
	KgJsonWriter w;
	CommandId begun = GetCurrentCommandId(false);
	Size size = 0;

	/*
	 * No step of a sequence can ask the user for confirmation, because the
	 * sequence cannot be interrupted after some of its steps.
	 */
	for (int i = 0; i < def->nops; i++)
		refuse_to_ask(&def->ops[i].callable,
					  "a sequence cannot request it",
					  "calls of its operations, one by one");
	run->results = palloc0((def->nops + 1) * sizeof(Jsonb *));
	kg_jw_init_array(&failures.w);
	initStringInfo(&failures.text);
	initStringInfo(&failures.not_tried);
	for (int i = 0; i < def->nops; i++)
	{
		Step step = {run, i, NULL};
		ErrorData *edata;

		CHECK_FOR_INTERRUPTS();
		if (failures.last || lacks_result(run, &def->ops[i]))
		{
			appendStringInfo(&failures.not_tried,
							 "%s%s",
							 failures.not_tried.len > 0 ? ", " : "",
							 def->ops[i].name);
			continue;
		}
		edata = try_step(&step, begun);
		if (edata != NULL)
		{
			add_failure(run, &failures, edata);
			continue;
		}
		run->results[i] = step.reply;
		size += kg_json_text_size(&step.reply->root);
		check_size(size);
	}
	run->call->op = NULL;
	if (failures.n > 0)
		throw_failures(&failures);
	kg_jw_init_object(&w);
	kg_jw_kbegin_object(&w, "results");
	for (int i = 0; i < def->nops; i++)
		kg_jw_kjsonb(&w, def->ops[i].name, run->results[i]);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

/* ---- functions ---- */

static KG_NORETURN void
throw_broken(const KgDefinition *def, const char *what)
{
	ereport(LOG,
			(errmsg("registered tool \"%s\" version %s: %s",
					def->name,
					def->version,
					what)));
	kg_error_throw(kg_error_new(
		KG_INTERNAL, "the tool failed; the server log has the reason"));
}

/*
 * Returns whether a RAISE statement raised the error. The SQLSTATE does not
 * show that: PL/pgSQL itself raises, for example, no_data_found and
 * insufficient_privilege.
 */
static bool
is_raised(const ErrorData *edata)
{
	return edata->sqlerrcode == ERRCODE_RAISE_EXCEPTION ||
		   (edata->funcname && strcmp(edata->funcname, "exec_stmt_raise") == 0);
}

/*
 * Raises the error of a function again if it concerns data, constraints,
 * transactions, resources or a cancellation. An error that the function raised
 * deliberately keeps its text. Any other error means that the function is
 * broken: its text is written only to the server log.
 */
static KG_NORETURN void
throw_of_function(const KgDefinition *def, ErrorData *edata)
{
	switch (ERRCODE_TO_CATEGORY(edata->sqlerrcode))
	{
		case MAKE_SQLSTATE('2', '2', '0', '0', '0'):
		case MAKE_SQLSTATE('2', '3', '0', '0', '0'):
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'):
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'):
		case MAKE_SQLSTATE('5', '7', '0', '0', '0'):
			ReThrowError(edata);
		default:
			break;
	}
	if (kg_error_is_ours(edata))
		ReThrowError(edata);
	if (!is_raised(edata))
		throw_broken(def, edata->message);
	kg_error_throw(kg_error_new(kg_error_is_answer(edata)
									? kg_error_caught_code(edata)
									: KG_VALIDATION_FAILED,
								"%s",
								edata->message));
}

typedef struct Invocation
{
	FunctionCallInfo fcinfo;
	bool writes;
	KgConfirm *confirm;
	Datum result;
} Invocation;

static void
invoke(void *arg)
{
	Invocation *invocation = arg;

	if (invocation->writes)
		kg_confirm_require(invocation->confirm);
	kg_running_set_function(!invocation->writes ? KG_FUNCTION_READS
							: invocation->confirm->arguments == NULL
								? KG_FUNCTION_WRITES
								: KG_FUNCTION_CONFIRMED);
	invocation->result = FunctionCallInvoke(invocation->fcinfo);
	kg_running_set_function(KG_NO_FUNCTION);
}

/*
 * Returns whether a function that writes may delete data. It may, unless its
 * annotations set destructiveHint to false.
 */
static bool
may_delete(const KgDefinition *def)
{
	JsonbValue annotations;
	JsonbValue destructive;

	return kg_json_get(&def->source->root, "annotations", &annotations) ==
			   NULL ||
		   kg_json_get(kg_json_container(&annotations),
					   "destructiveHint",
					   &destructive) == NULL ||
		   destructive.val.boolean;
}

static Jsonb *
run_function(const Run *run)
{
	const KgDefinition *def = run->def;
	Oid oid = kg_definition_function(def);
	MemoryContext context = CurrentMemoryContext;
	LOCAL_FCINFO(fcinfo, 1);
	FmgrInfo flinfo;
	ErrorData *edata = NULL;
	Invocation invocation = {fcinfo, def->writes, run->confirm};

	if (kg_function_aclcheck(oid, GetUserId(), ACL_EXECUTE) != ACLCHECK_OK)
		kg_error_throw(kg_error_new(
			KG_FORBIDDEN, "the caller may not run the tool's function"));
	fmgr_info(oid, &flinfo);
	InitFunctionCallInfoData(*fcinfo, &flinfo, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = JsonbPGetDatum(run->arguments);
	fcinfo->args[0].isnull = false;
	if (def->writes)
		kg_write_require();
	run->call->in_operation = true;
	PG_TRY();
	{
		if (def->writes)
			kg_write_uncontained(invoke, &invocation);
		else
			invoke(&invocation);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		edata = CopyErrorData();
		FlushErrorState();
		throw_of_function(def, edata);
	}
	PG_END_TRY();
	run->call->in_operation = false;
	if (fcinfo->isnull || !JB_ROOT_IS_OBJECT(DatumGetJsonbP(invocation.result)))
		throw_broken(def, "the function did not return an object");
	return DatumGetJsonbP(invocation.result);
}

/* ---- calls ---- */

static void
check_reply(const KgDefinition *def, const Jsonb *reply)
{
	JsonbValue root;

	if (def->kind == KG_DEFINED_SEQUENCE || def->kind == KG_DEFINED_FUNCTION)
		check_size(kg_json_text_size(&reply->root));
	if (def->output == NULL)
		return;
	kg_json_root(reply, &root);
	if (!kg_schema_is_valid(def->output, &root))
	{
		const KgSchemaError *error = linitial(
			kg_schema_errors(def->output, &root, 1));

		throw_broken(def,
					 psprintf("the reply does not fit output_schema at "
							  "\"%s\": expected %s",
							  error->instance_path,
							  error->expected));
	}
}

/*
 * Raises an error for an idempotency key. The result of a function is not
 * stored, so a repeated call could not return it.
 */
static KG_NORETURN void
throw_no_keys(const KgDefinition *def)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("tool \"%s\" is a function that writes, and "
								 "takes no idempotency key",
								 def->name),
			 .path = "/idempotency_key",
			 .expected = "no idempotency_key");
}

static Jsonb *
run(Run *run)
{
	switch (run->def->kind)
	{
		case KG_DEFINED_QUERY:
		case KG_DEFINED_COMPOSITE:
			return run_operation(run, operation_of(run));
		case KG_DEFINED_SEQUENCE:
			return run_sequence(run);
		case KG_DEFINED_FUNCTION:
			return run_function(run);
	}
	return NULL;
}

Jsonb *
kg_registered_call(const KgCatalog *catalog, const KgAgent *agent,
				   KgToolCall *call)
{
	KgConfirm confirm;
	Run this = {.catalog = catalog, .call = call, .confirm = &confirm};
	const KgRegisteredName *name = kg_registered_name(catalog, call->name);
	const Jsonb *arguments = call->arguments;
	Jsonb *reply;

	if (name == NULL || !has_name(name, agent))
		return NULL;
	this.def = find_version(name, agent, call->version, "/version");
	call->registered = this.def;
	kg_audit_version(this.def->version, NULL);
	kg_running_begin_registered();
	if (call->key != NULL && this.def->kind == KG_DEFINED_FUNCTION &&
		this.def->writes)
		throw_no_keys(this.def);
	if (this.def->kind == KG_DEFINED_FUNCTION && this.def->writes)
		arguments = kg_confirm_begin(
			&confirm, this.def->name, may_delete(this.def), arguments);
	this.arguments = check_arguments(this.def, arguments);
	call->in_operation = this.def->kind != KG_DEFINED_FUNCTION;
	reply = run(&this);
	call->in_operation = false;
	kg_audit_version(this.def->version, call->op ? call->op->name : NULL);
	check_reply(this.def, reply);
	kg_running_end_registered();
	return reply;
}

bool
kg_registered_resolve(const KgCatalog *catalog, KgToolCall *call,
					  const char *path, int max_bytes, KgCallable *callable)
{
	const KgAgent *agent = kg_agent_current();
	Run this = {.catalog = catalog, .call = call};
	const KgRegisteredName *name = kg_registered_name(
		catalog, kg_registered_split(call->name, &call->version));

	if (name == NULL || !has_name(name, agent))
		return false;
	memset(callable, 0, sizeof(*callable));
	this.def = find_version(name, agent, call->version, path);
	call->registered = this.def;
	if (this.def->kind != KG_DEFINED_QUERY &&
		this.def->kind != KG_DEFINED_COMPOSITE)
		return true;
	this.arguments = check_arguments(this.def, call->arguments);
	call->op = operation_of(&this);
	*callable = call->op->callable;
	call->arguments = fill_arguments(&this, call->op, max_bytes);
	return true;
}

static Jsonb *
with_own_path(const KgToolCall *call, Jsonb *error)
{
	JsonbValue path;
	const KgTemplatePlace *places;
	const char *rest;
	const char *arg;
	StringInfoData own;
	int place;

	if (kg_json_get(&error->root, "path", &path) == NULL)
		return error;
	CHECK_FOR_INTERRUPTS();
	(void) kg_template_places(call->op->arguments, &places);
	place = kg_template_place_at(
		call->op->arguments, kg_json_cstring(&path), &rest);
	if (place < 0 || places[place].arg < 0)
		return kg_json_without(error, "path");
	arg = call->registered->args[places[place].arg];
	initStringInfo(&own);
	kg_json_pointer_append(&own, arg, strlen(arg));
	appendStringInfoString(&own, rest);
	path = kg_json_string_value(own.data);
	return kg_json_with(error, "path", &path);
}

bool
kg_registered_fits(const KgCatalog *catalog, const char *name,
				   const Jsonb *arguments)
{
	const KgRegisteredName *found = kg_registered_name(catalog, name);
	JsonbValue root;

	if (found == NULL || found->latest == NULL)
		return false;
	kg_json_root(arguments, &root);
	return kg_schema_is_valid(definition_of(found->latest)->input, &root);
}

Jsonb *
kg_registered_error(const KgToolCall *call, Jsonb *error)
{
	if (call->op == NULL)
		return error;
	return with_own_path(call, with_own_paths(call, error, "errors"));
}

Jsonb *
kg_registered_meta(const KgToolCall *call)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "tool", call->registered->name);
	kg_jw_kstring(&w, "version", call->registered->version);
	if (call->op != NULL && call->op->name != NULL)
		kg_jw_kstring(&w, "operation", call->op->name);
	return kg_jw_finish(&w);
}

/* ---- listing ---- */

static int
compare_listed(const ListCell *a, const ListCell *b)
{
	const KgDefinition *x = lfirst(a);
	const KgDefinition *y = lfirst(b);
	int order = strcmp(x->toolset, y->toolset);

	return order ? order : strcmp(x->name, y->name);
}

List *
kg_registered_listed(const KgCatalog *catalog, const KgAgent *agent)
{
	List *listed = NIL;

	for (int i = 0; i < catalog->nregistered; i++)
	{
		const KgRegisteredName *name = &catalog->registered[i];

		if (name->latest != NULL &&
			kg_agent_has_registered(agent, name->latest->toolset, name->name) &&
			may_use(definition_of(name->latest)))
			listed = lappend(listed, name->latest->made);
	}
	list_sort(listed, compare_listed);
	return listed;
}

bool
kg_registered_has_toolset(const KgCatalog *catalog, const char *toolset)
{
	for (int i = 0; i < catalog->nregistered; i++)
	{
		const KgRegisteredName *name = &catalog->registered[i];

		for (int j = 0; j < name->n; j++)
			if (strcmp(name->versions[j].toolset, toolset) == 0 &&
				definition_of(&name->versions[j])->usable)
				return true;
	}
	return false;
}

void
kg_registered_annotations(const KgDefinition *def, KgJsonWriter *w)
{
	JsonbValue annotations;

	kg_jw_begin_object(w);
	kg_jw_kbool(w, "readOnlyHint", !def->writes);
	kg_jw_kbool(w, "openWorldHint", false);
	if (kg_json_get(&def->source->root, "annotations", &annotations))
		kg_jw_members(w, kg_json_container(&annotations));
	kg_jw_end_object(w);
}
