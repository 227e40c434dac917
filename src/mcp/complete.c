/*
 * complete.c
 *	  The method completion/complete. It returns names, ids, labels and enum
 *	  values that begin with the text that the user has typed, for the
 *	  arguments of prompts and resource templates.
 */
#include "postgres.h"

#include "base/extension.h"
#include "model/key.h"
#include "catalog/pg_type.h"
#include "model/term.h"
#include "mb/pg_wchar.h"
#include "mcp/protocol.h"
#include "model/marks.h"
#include "query/run/plan.h"
#include "query/run/running.h"
#include "query/sql.h"
#include "utils/builtins.h"

/* Maximum number of values in a reply, set by the protocol. */
#define KG_MCP_COMPLETIONS 100

typedef struct KgCompletion
{
	const KgCatalog *catalog;
	const char *typed;
	/*
	 * arguments that already have values, other than the argument to complete;
	 * or NULL
	 */
	const JsonbContainer *context;
	int n;
	bool more;
	/* field with untrusted text that a returned value shows, or NULL */
	const KgField *outside;
	const char *values[KG_MCP_COMPLETIONS];
} KgCompletion;

static void
offer(KgCompletion *c, const char *value)
{
	for (int i = 0; i < c->n; i++)
		if (strcmp(c->values[i], value) == 0)
			return;
	if (c->n == KG_MCP_COMPLETIONS)
		c->more = true;
	else
		c->values[c->n++] = value;
}

static void
offer_if_begun(KgCompletion *c, const char *value)
{
	int len = strlen(c->typed);

	if (pg_strncasecmp(value, c->typed, len) == 0)
		offer(c, value);
}

static char *
context_argument(const KgCompletion *c, const char *name)
{
	JsonbValue value;

	if (kg_json_get(c->context, name, &value) == NULL ||
		value.type != jbvString)
		return NULL;
	return kg_json_cstring(&value);
}

typedef struct KgOfferArg
{
	KgCompletion *completion;
	bool handles;
} KgOfferArg;

/*
 * Adds the handle or id of the entity in a row (type_no, entity_id) to the
 * values.
 */
static bool
offer_row(TupleTableSlot *slot, void *arg)
{
	KgOfferArg *a = arg;
	const KgType *type = kg_catalog_type_no(
		a->completion->catalog, DatumGetInt32(kg_slot_datum(slot, 1)));
	char *id = TextDatumGetCString(kg_slot_datum(slot, 2));

	if (type == NULL)
		return true;
	if (type->id_field->untrusted)
		a->completion->outside = type->id_field;
	offer(a->completion,
		  a->handles ? psprintf("%s:%s", kg_type_handle(type), id) : id);
	return !a->completion->more;
}

/* Adds the entities of a type whose id has the prefix. */
static void
offer_ids(KgCompletion *c, const KgType *type, const char *prefix, bool handles)
{
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	KgOfferArg arg = {c, handles};
	Datum values[5];
	KgStatement statement;

	values[0] = CStringGetTextDatum(c->catalog->tenant);
	values[1] = CStringGetTextDatum(type->bundle);
	values[2] = CStringGetTextDatum(type->name);
	values[3] = CStringGetTextDatum(prefix);
	values[4] = CStringGetTextDatum(kg_text_prefix_high(prefix));
	memset(&statement, 0, sizeof(statement));
	statement.sql = psprintf(
		"SELECT type_no, entity_id FROM %s WHERE tenant = $1 AND bundle = $2 "
		"AND entity_type = $3 AND entity_id >= $4 AND entity_id < $5 ORDER BY "
		"entity_id LIMIT %d",
		kg_qualified("kg_entity"),
		KG_MCP_COMPLETIONS + 1);
	statement.nargs = 5;
	statement.argtypes = argtypes;
	statement.values = values;
	(void) kg_plan_run(&statement, offer_row, &arg);
}

/*
 * Adds the entities whose label has the prefix. type NULL: adds entities of all
 * types. The index of terms does not consider agents and scopes, so the query
 * joins kg_entity, whose policies check visibility.
 */
static void
offer_labels(KgCompletion *c, const KgType *type, const char *prefix,
			 bool handles)
{
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, INT4OID};
	KgOfferArg arg = {c, handles};
	char *folded = kg_term_fold(prefix, strlen(prefix));
	Datum values[4];
	KgStatement statement;

	if (folded[0] == '\0')
		return;
	values[0] = CStringGetTextDatum(c->catalog->tenant);
	values[1] = CStringGetTextDatum(folded);
	values[2] = CStringGetTextDatum(kg_text_prefix_high(folded));
	values[3] = Int32GetDatum(type ? type->type_no : 0);
	memset(&statement, 0, sizeof(statement));
	statement.sql = psprintf(
		"SELECT e.type_no, e.entity_id FROM %s t JOIN %s e ON "
		"e.tenant = t.tenant AND e.node = t.node WHERE t.tenant = $1 AND "
		"t.term >= $2 AND t.term < $3 AND t.kind = '%c'%s AND e.tenant = $1 "
		"ORDER BY t.term, e.type_no, e.entity_id LIMIT %d",
		kg_qualified("kg_term"),
		kg_qualified("kg_entity"),
		KG_TERM_LABEL,
		type ? " AND t.type_no = $4" : "",
		KG_MCP_COMPLETIONS + 1);
	statement.nargs = type ? 4 : 3;
	statement.argtypes = argtypes;
	statement.values = values;
	(void) kg_plan_run(&statement, offer_row, &arg);
}

static void
offer_bundles(KgCompletion *c)
{
	for (int i = 0; i < c->catalog->nbundles; i++)
		offer_if_begun(c, c->catalog->bundles[i].name);
}

/*
 * If a bundle was chosen, adds the types of this bundle whose name has the
 * prefix. Otherwise adds the types whose handle has the prefix.
 */
static void
offer_types(KgCompletion *c)
{
	char *bundle = context_argument(c, "bundle");

	for (int i = 0; i < c->catalog->ntypes; i++)
	{
		const KgTypeRow *row = &c->catalog->types[i];

		if (bundle == NULL)
			offer_if_begun(c, kg_row_handle(row));
		else if (strcmp(row->bundle, bundle) == 0)
			offer_if_begun(c, row->name);
	}
}

static const KgType *
context_type(const KgCompletion *c)
{
	char *name = context_argument(c, "entity_type");

	return name ? kg_catalog_type(c->catalog, name) : NULL;
}

static void
offer_fields(KgCompletion *c)
{
	const KgType *type = context_type(c);

	for (int i = 0; type != NULL && i < type->nfields; i++)
		if (type->fields[i].indexed)
			offer_if_begun(c, type->fields[i].name);
}

/*
 * Adds the enum values of a field in their declared order. For a reference,
 * adds ids and labels of the referenced type.
 */
static void
offer_values(KgCompletion *c)
{
	const KgType *type = context_type(c);
	char *name = context_argument(c, "field");
	const KgField *field = type && name ? kg_type_field(type, name) : NULL;
	const KgType *target;

	if (field == NULL)
		return;
	for (int i = 0; i < field->nenum; i++)
		offer_if_begun(c, field->enum_values[i]);
	target = field->ref_type ? kg_catalog_type_in(c->catalog,
												  field->ref_bundle,
												  field->ref_type)
							 : NULL;
	if (target == NULL || field->ref_field != NULL)
		return;
	offer_ids(c, target, c->typed, false);
	offer_labels(c, target, c->typed, false);
}

/*
 * Completes a handle, type:id. After the colon, adds ids and labels of the
 * type. Before it, adds types and labels of all types.
 */
static void
offer_handles(KgCompletion *c)
{
	const char *colon = strchr(c->typed, ':');
	const KgType *type = NULL;

	if (colon != NULL)
		type = kg_catalog_type(c->catalog,
							   pnstrdup(c->typed, colon - c->typed));
	if (type != NULL)
	{
		offer_ids(c, type, colon + 1, true);
		offer_labels(c, type, colon + 1, true);
		return;
	}
	for (int i = 0; i < c->catalog->ntypes; i++)
		offer_if_begun(c,
					   psprintf("%s:", kg_row_handle(&c->catalog->types[i])));
	offer_labels(c, NULL, c->typed, true);
}

/*
 * Returns true if ref names a resource template, or a prompt that has the
 * argument. Otherwise sets an error as the response and returns false.
 */
static bool
check_reference(KgMcpRequest *req, const JsonbValue *ref, const char *argument)
{
	JsonbValue type;
	JsonbValue name;
	const JsonbContainer *object = kg_json_container(ref);
	const char *const *arguments;
	int n;

	if (kg_json_get(object, "type", &type) == NULL)
		type = kg_json_string_value("");
	if (kg_json_string_is(&type, "ref/resource"))
	{
		if (kg_json_get(object, "uri", &name) && name.type == jbvString &&
			kg_mcp_is_template(kg_json_cstring(&name)))
			return true;
		return kg_mcp_refuse(
			req, KG_MCP_INVALID_PARAMS, NULL, "unknown resource template");
	}
	if (!kg_json_string_is(&type, "ref/prompt"))
		return kg_mcp_refuse(req,
							 KG_MCP_INVALID_PARAMS,
							 NULL,
							 "params.ref is neither a prompt nor a resource");
	arguments = kg_json_get(object, "name", &name) && name.type == jbvString
					? kg_mcp_prompt_arguments(kg_json_cstring(&name), &n)
					: NULL;
	if (arguments == NULL)
		return kg_mcp_refuse(
			req, KG_MCP_INVALID_PARAMS, NULL, "unknown prompt");
	for (int i = 0; i < n; i++)
		if (strcmp(arguments[i], argument) == 0)
			return true;
	return kg_mcp_refuse(req,
						 KG_MCP_INVALID_PARAMS,
						 NULL,
						 "the prompt has no argument \"%s\"",
						 argument);
}

static void
write_completion(const KgCompletion *c, KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "completion");
	kg_jw_kbegin_array(w, "values");
	for (int i = 0; i < c->n; i++)
		kg_jw_string(w, c->values[i]);
	kg_jw_end_array(w);
	if (!c->more)
		kg_jw_kint(w, "total", c->n);
	kg_jw_kbool(w, "hasMore", c->more);
	kg_marks_write_member(c->outside, "values", w);
	kg_jw_end_object(w);
}

bool
kg_mcp_complete(KgMcpRequest *req, KgJsonWriter *w)
{
	static const struct
	{
		const char *argument;
		void (*offer)(KgCompletion *c);
	} sources[] = {{"bundle", offer_bundles},
				   {"entity_type", offer_types},
				   {"field", offer_fields},
				   {"value", offer_values},
				   {"handle", offer_handles}};
	KgCompletion *c = palloc0(sizeof(KgCompletion));
	JsonbValue ref;
	JsonbValue argument;
	JsonbValue name;
	JsonbValue value;
	JsonbValue context;

	if (kg_json_get(req->params, "ref", &ref) == NULL ||
		!kg_json_is_object(&ref) ||
		kg_json_get(req->params, "argument", &argument) == NULL ||
		!kg_json_is_object(&argument) ||
		kg_json_get(kg_json_container(&argument), "name", &name) == NULL ||
		name.type != jbvString ||
		kg_json_get(kg_json_container(&argument), "value", &value) == NULL ||
		value.type != jbvString)
		return kg_mcp_refuse(req,
							 KG_MCP_INVALID_PARAMS,
							 NULL,
							 "params.ref, and params.argument with \"name\" "
							 "and \"value\", are required");
	if (!check_reference(req, &ref, kg_json_cstring(&name)))
		return false;
	c->catalog = kg_running_catalog();
	c->typed = kg_json_cstring(&value);
	if (kg_json_get(req->params, "context", &context) &&
		kg_json_get(kg_json_container(&context), "arguments", &context))
		c->context = kg_json_container(&context);
	for (int i = 0; i < lengthof(sources); i++)
		if (kg_json_string_is(&name, sources[i].argument))
			sources[i].offer(c);
	write_completion(c, w);
	return true;
}
