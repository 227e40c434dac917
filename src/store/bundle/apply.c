/*
 * bundle/apply.c
 *	  Applies a bundle.
 *
 * Under the bundle's lock, the payload (the bundle as it was sent) is read,
 * and all its faults are collected. Then it is written in an order in which
 * each statement is valid: types, entities, edges, and last the deletion of
 * types. Entities are written in one scope, so that references are checked
 * after all entities are written. A dry run does all this in a subtransaction
 * and rolls it back.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/catch.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "model/lock.h"
#include "model/writing.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "store/bundle/apply.h"
#include "store/check/check.h"
#include "store/derived/packing.h"
#include "store/reference/enforce.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static void
read_options(const Jsonb *jsonb, KgApplyOptions *options)
{
	static const char *const known[] = {"mode",
										"dry_run",
										"expected_revision",
										"max_errors",
										"max_diff",
										"idempotency_key",
										NULL};
	const JsonbContainer *root = &jsonb->root;
	JsonbValue value;
	int64 n;

	memset(options, 0, sizeof(*options));
	options->max_errors = kg_setting_max_errors;
	options->max_diff = KG_DEFAULT_DIFF;
	kg_check_options(jsonb, known);
	if (kg_json_get(root, "mode", &value))
	{
		options->merge = kg_json_string_is(&value, "merge");
		if (!options->merge && !kg_json_string_is(&value, "replace"))
			kg_error_throw_option("mode", &value, "\"replace\" or \"merge\"");
	}
	options->dry_run = kg_option_is_on(jsonb, "dry_run");
	if (kg_json_get(root, "expected_revision", &value))
	{
		if (!kg_json_int64(&value, &n) || n < 0)
			kg_error_throw_option(
				"expected_revision",
				&value,
				"the revision as an integer, 0 for a new bundle");
		options->has_expected_revision = true;
		options->expected_revision = n;
	}
	if (kg_json_get(root, "max_errors", &value))
	{
		if (!kg_json_int64(&value, &n) || n < 1 || n > 10000)
			kg_error_throw_option(
				"max_errors", &value, "an integer from 1 to 10000");
		options->max_errors = n;
	}
	if (kg_json_get(root, "max_diff", &value))
	{
		if (!kg_json_int64(&value, &n) || n < 0 || n > KG_MAX_DIFF)
			kg_error_throw_option(
				"max_diff", &value, "an integer from 0 to 1000000");
		options->max_diff = n;
	}
}

static void
check_size(int bytes)
{
	int64 limit = (int64) kg_setting_max_bundle_bytes * 1024;

	if (bytes <= limit)
		return;
	KG_THROW(
		KG_LIMIT_EXCEEDED,
		.message = psprintf("bundle has %d bytes; kg_graph.max_bundle_bytes "
							"allows " INT64_FORMAT,
							bytes,
							limit),
		.expected = "a smaller bundle, or several with mode \"merge\"");
}

static int64
stored_revision(const KgApply *apply)
{
	const KgBundle *stored = kg_bundle_stored(apply);

	return stored ? stored->revision : 0;
}

static bool
has_stored_types(const KgApply *apply)
{
	for (int i = 0; i < apply->before->ntypes; i++)
		if (strcmp(apply->before->types[i].bundle, apply->payload->name) == 0)
			return true;
	return false;
}

/*
 * Reports arrays that the bundle lacks. In mode replace, a missing array would
 * delete all rows of this kind, so a caller that wants this must send an empty
 * array.
 */
static void
check_parts(KgApply *apply)
{
	const KgPayload *payload = apply->payload;
	struct
	{
		bool present;
		const char *name;
	} parts[] = {{payload->has_schemas, "schemas"},
				 {payload->has_entities, "entities"}};

	if (apply->options.merge)
		return;
	for (int i = 0; i < lengthof(parts); i++)
	{
		if (parts[i].present || (i > 0 && !has_stored_types(apply)))
			continue;
		KG_REPORT(&apply->errors,
				  KG_INVALID_INPUT,
				  .message = psprintf("key \"%s\" is missing", parts[i].name),
				  .path = psprintf("/%s", parts[i].name),
				  .expected = psprintf("\"%s\", which may be empty; or mode "
									   "\"merge\", which keeps the stored rows",
									   parts[i].name));
	}
}

static void
check_revision(const KgApply *apply)
{
	if (!apply->options.has_expected_revision ||
		apply->options.expected_revision == apply->revision)
		return;
	KG_THROW(KG_CONFLICT,
			 .message = psprintf("bundle \"%s\" has revision " INT64_FORMAT
								 ", not " INT64_FORMAT,
								 apply->payload->name,
								 apply->revision,
								 apply->options.expected_revision),
			 .path = "/expected_revision",
			 .expected = psprintf("revision " INT64_FORMAT
								  ", after a review of the changes since then",
								  apply->revision));
}

static void
throw_errors(KgApply *apply)
{
	kg_throw_violations(
		&apply->errors,
		apply->payload->given_name
			? psprintf("bundle \"%s\" is not valid", apply->payload->given_name)
			: "bundle is not valid");
}

static void
write_revision(KgApply *apply)
{
	/*
	 * If only the order of types has changed, the row is updated, too, because
	 * this gives the catalog a new version (model/version.h).
	 */
	if (!apply->changed && !apply->moved)
		return;
	if (apply->changed)
		apply->revision++;
	KG_SPI_EXEC("UPDATE @kg_bundle SET revision = $3, "
				"updated_at = CASE revision WHEN $3 THEN updated_at "
				"ELSE now() END WHERE tenant = $1 AND bundle = $2",
				kg_arg_text(apply->tenant),
				kg_arg_text(apply->payload->name),
				kg_arg_int8(apply->revision));
}

/*
 * Writes types, entities, edges and tools of the bundle. apply->scope is the
 * scope in which references are checked. It is ended here, or by the rollback
 * after an error.
 */
static void
write_all(KgApply *apply)
{
	uint64 nested = kg_writing_nested();
	bool admin = kg_identity_tenant(KG_ACCESS_ADMIN) != NULL;
	KgUserContext user;

	kg_bundle_lock_registered(apply);
	kg_become_owner(&user);
	kg_bundle_write_types(apply);
	CommandCounterIncrement();
	apply->after = kg_catalog_newest(apply->tenant);
	kg_bundle_check_authorize(apply, user.userid);
	kg_bundle_lock_unique(apply);
	kg_restore_user(&user);

	apply->began = kg_stored_begin();
	apply->scope = kg_scope_begin(apply->tenant);
	kg_bundle_begin_rebuild(apply);
	kg_bundle_write_entities(apply);

	kg_become_owner(&user);
	kg_bundle_rebuild(apply, &user);
	throw_errors(apply);
	kg_scope_end(apply->scope, &user);
	kg_restore_user(&user);

	kg_bundle_tally_end(apply);
	kg_bundle_check_kept(apply);
	throw_errors(apply);
	kg_bundle_write_edges(apply);
	throw_errors(apply);
	if (kg_writing_nested() != nested)
		kg_bundle_review_entities(apply);
	throw_errors(apply);
	kg_stored_end(apply->began);

	kg_become_owner(&user);
	if (!apply->options.merge)
		kg_bundle_delete_types(apply);
	kg_bundle_forget_unique(apply);
	kg_bundle_write_registered(apply, admin);
	write_revision(apply);
	kg_bundle_check_registered(apply);
	kg_restore_user(&user);
	throw_errors(apply);
}

static void
put_counts(KgJsonWriter *w, const char *key, List *counts)
{
	ListCell *lc;

	kg_jw_kbegin_object(w, key);
	foreach(lc, counts)
	{
		const KgCounts *c = lfirst(lc);

		kg_jw_kbegin_object(w, c->name);
		kg_jw_kint(w, "created", c->created);
		kg_jw_kint(w, "updated", c->updated);
		kg_jw_kint(w, "unchanged", c->unchanged);
		kg_jw_kint(w, "deleted", c->deleted);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
}

/* Writes the options with which a dry run would list the complete diff. */
static void
put_next(KgJsonWriter *w, const KgApply *apply, int64 wanted)
{
	kg_jw_kbegin_object(w, "next");
	kg_jw_kbool(w, "dry_run", true);
	if (apply->options.merge)
		kg_jw_kstring(w, "mode", "merge");
	kg_jw_kint(w, "max_diff", Min(wanted, KG_MAX_DIFF));
	kg_jw_end_object(w);
}

static void
put_diff(KgJsonWriter *w, const KgApply *apply)
{
	static const char *const names[] = {"created", "updated", "deleted"};
	int64 wanted = 0;

	kg_jw_kbegin_object(w, "diff");
	kg_jw_kbegin_object(w, "types");
	for (int i = 0; i < 3; i++)
		kg_jw_klist(w, names[i], apply->type_changes[i]);
	kg_jw_end_object(w);
	if (apply->tool_changes[0] || apply->tool_changes[1] ||
		apply->tool_changes[2])
	{
		kg_jw_kbegin_object(w, "tools");
		for (int i = 0; i < 3; i++)
			kg_jw_klist(w, names[i], apply->tool_changes[i]);
		kg_jw_end_object(w);
	}
	kg_jw_kbegin_object(w, "entities");
	for (int i = 0; i < 3; i++)
	{
		kg_jw_klist(w, names[i], apply->samples[i]);
		wanted = Max(wanted, apply->sampled[i]);
	}
	kg_jw_end_object(w);
	kg_jw_kbool(w, "truncated", wanted > apply->options.max_diff);
	if (wanted > apply->options.max_diff)
		put_next(w, apply, wanted);
	kg_jw_end_object(w);
}

/* Writes the counts of registered tools, if there are any changes. */
static void
put_tool_counts(KgJsonWriter *w, const KgApply *apply)
{
	static const char *const names[] = {"created", "updated", "deleted"};

	if (!apply->tool_changes[0] && !apply->tool_changes[1] &&
		!apply->tool_changes[2])
		return;
	kg_jw_kbegin_object(w, "tools");
	for (int i = 0; i < 3; i++)
		kg_jw_kint(w, names[i], list_length(apply->tool_changes[i]));
	kg_jw_end_object(w);
}

static Jsonb *
make_result(KgApply *apply, Jsonb *failure)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "bundle_name", apply->payload->given_name);
	kg_jw_kstring(&w, "version", apply->payload->version);
	kg_jw_kint(&w, "revision", apply->revision);
	kg_jw_kbool(&w, "changed", failure == NULL && apply->changed);
	kg_jw_kbool(&w, "dry_run", apply->options.dry_run);
	put_counts(&w, "entities", apply->entity_counts);
	put_counts(&w, "relations", apply->edge_counts);
	put_tool_counts(&w, apply);
	kg_jw_klist(&w, "warnings", apply->warnings);
	if (apply->options.dry_run)
		put_diff(&w, apply);
	if (failure)
	{
		JsonbValue errors;

		kg_jw_key(&w, "errors");
		if (kg_json_get(&failure->root, "errors", &errors))
			kg_jw_value(&w, &errors);
		else
		{
			kg_jw_begin_array(&w);
			kg_jw_jsonb(&w, failure);
			kg_jw_end_array(&w);
		}
	}
	return kg_jw_finish(&w);
}

/*
 * Raises an error if the caller sees only a part of the tenant, unless the
 * apply only merges entities into a stored bundle. The test ignores the stored
 * entities, so its result reveals nothing about hidden ones.
 */
static void
check_viewer(const KgApply *apply, const KgPayload *payload)
{
	const KgBundle *stored = NULL;
	const KgCatalog *seen;

	if (!kg_visibility_is_partial())
		return;
	seen = kg_catalog_newest(apply->tenant);
	for (int i = 0; i < seen->nbundles; i++)
		if (strcmp(seen->bundles[i].name, payload->name) == 0)
			stored = &seen->bundles[i];
	if (!apply->options.merge)
		kg_visibility_require_tenant("apply a bundle in mode \"replace\"");
	if (stored == NULL)
		kg_visibility_require_tenant("make a bundle");
	if (payload->has_schemas || payload->has_relations ||
		payload->definitions || payload->tools || payload->description ||
		payload->instructions ||
		(payload->version && strcmp(payload->version, stored->version) != 0))
		kg_visibility_require_tenant("change what a bundle declares");
	if (payload->edges.n > 0)
		kg_visibility_require_tenant("write edges");
}

/*
 * Applies the bundle after its options were read. Raises one error for all
 * faults.
 */
static void
apply_all(KgApply *apply, const KgDocument *bundle)
{
	KgUserContext user;

	apply->payload = kg_payload_read(bundle, &apply->errors);
	if (apply->payload->name == NULL)
		throw_errors(apply);
	check_viewer(apply, apply->payload);
	kg_lock_bundle(apply->tenant, apply->payload->name);
	apply->sees_all = kg_catalog_newest(apply->tenant)->plain_visibility;
	kg_become_owner(&user);
	apply->before = kg_catalog_newest(apply->tenant);
	kg_restore_user(&user);
	apply->revision = stored_revision(apply);
	check_revision(apply);
	check_parts(apply);
	kg_bundle_definitions(apply);
	kg_bundle_check(apply);
	kg_bundle_check_bindings(apply);
	kg_bundle_check_entities(apply);
	throw_errors(apply);
	kg_bundle_lock_names(apply);
	throw_errors(apply);
	write_all(apply);
}

/*
 * Checks deferred constraints now, as a commit would. The rollback of the dry
 * run also undoes the change of the constraints' mode.
 */
static void
check_deferred(void)
{
	ConstraintsSetStmt *all = makeNode(ConstraintsSetStmt);

	CommandCounterIncrement();
	AfterTriggerSetState(all); /* this is SET CONSTRAINTS ALL IMMEDIATE */
}

/* Minimum number of changed rows after which an apply packs edges. */
#define KG_PACK_FROM 10000

/*
 * Packs edges after a large apply. Packing reads all edges of the tenant, so
 * after a small apply it is left to kg_pack(). Does not wait for other
 * sessions that write edges.
 */
static void
pack_changes(const KgApply *apply)
{
	List *all = list_concat_copy(apply->entity_counts, apply->edge_counts);
	int64 changed = 0;
	ListCell *lc;

	foreach(lc, all)
	{
		const KgCounts *c = lfirst(lc);

		changed += c->created + c->updated + c->deleted;
	}
	if (changed < KG_PACK_FROM)
		return;
	CommandCounterIncrement();
	(void) kg_adjacency_pack(apply->tenant, false, apply->sees_all);
}

static KgApply *
begin_apply(const Jsonb *options, int bytes)
{
	KgApply *apply = palloc0(sizeof(KgApply));

	apply->context = CurrentMemoryContext;
	apply->tenant = kg_identity_require(KG_ACCESS_WRITE);
	read_options(options, &apply->options);
	apply->errors.limit = apply->options.max_errors;
	check_size(bytes);
	return apply;
}

/* A bundle, and the last attempt to apply it. */
typedef struct Trial
{
	const KgDocument *bundle;
	KgApply begun; /* the initial state of each attempt */
	KgApply *apply;
} Trial;

static void
begin_try(Trial *trial)
{
	trial->apply = palloc(sizeof(KgApply));
	*trial->apply = trial->begun;
}

static void
try_dry(void *arg)
{
	Trial *trial = arg;

	begin_try(trial);
	apply_all(trial->apply, trial->bundle);
	check_deferred();
}

/*
 * Tries to apply the bundle. kg_again() repeats this after a deadlock. A
 * deadlock occurs if a plain UPDATE holds the lock of a row that the apply
 * writes and waits for the lock of the row's type, which the apply holds.
 */
static void
try_apply(void *arg)
{
	Trial *trial = arg;

	begin_try(trial);
	apply_all(trial->apply, trial->bundle);
	pack_changes(trial->apply);
}

static Jsonb *
apply_document(const KgApply *begun, const KgDocument *bundle)
{
	Trial trial = {bundle, *begun};
	ErrorData *failure = NULL;

	if (!begun->options.dry_run)
		kg_again(try_apply, &trial);
	else
		failure = kg_catch(KG_CATCH_UNDO, try_dry, &trial);
	if (trial.apply->payload == NULL)
		trial.apply->payload = palloc0(sizeof(KgPayload));
	return make_result(trial.apply, failure ? kg_error_caught(failure) : NULL);
}

Jsonb *
kg_bundle_apply(const Jsonb *bundle, const Jsonb *options)
{
	KgDocument document = {bundle};

	return apply_document(begin_apply(options, VARSIZE(bundle)), &document);
}

Jsonb *
kg_bundle_apply_text(const text *bundle, const Jsonb *options)
{
	int len = VARSIZE_ANY_EXHDR(bundle);
	KgApply *apply = begin_apply(options, len);

	return apply_document(apply,
						  kg_document_of_text(VARDATA_ANY(bundle),
											  len,
											  apply->options.max_errors));
}

static void
try_drop(void *arg)
{
	Trial *trial = arg;
	KgUserContext user;

	begin_try(trial);
	apply_all(trial->apply, trial->bundle);
	kg_become_owner(&user);
	KG_SPI_EXEC("DELETE FROM @kg_bundle WHERE tenant = $1 AND bundle = $2",
				kg_arg_text(trial->apply->tenant),
				kg_arg_text(trial->apply->payload->name));
	kg_restore_user(&user);
}

/*
 * Drops a bundle and returns the reply: applies an empty bundle of the name,
 * then deletes the bundle's row. So the checks of an apply report objects that
 * still refer to the bundle.
 */
Jsonb *
kg_bundle_drop(const char *name, const Jsonb *options)
{
	static const char *const known[] = {"idempotency_key", NULL};
	KgApply *apply = palloc0(sizeof(KgApply));
	KgDocument document = {NULL};
	Trial trial;
	KgJsonWriter w;

	kg_check_options(options, known);
	apply->context = CurrentMemoryContext;
	apply->tenant = kg_identity_require(KG_ACCESS_WRITE);
	apply->errors.limit = kg_setting_max_errors;
	kg_visibility_require_tenant("drop a bundle");
	kg_lock_bundle(apply->tenant, name);
	(void) kg_bundle_require(kg_catalog_newest(apply->tenant), name);
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "bundle_name", name);
	kg_jw_kstring(&w, "version", "dropped");
	kg_jw_kbegin_array(&w, "schemas");
	kg_jw_end_array(&w);
	kg_jw_kbegin_array(&w, "entities");
	kg_jw_end_array(&w);
	document.root = kg_jw_finish(&w);
	trial = (Trial){&document, *apply};
	kg_again(try_drop, &trial);
	return make_result(trial.apply, NULL);
}
