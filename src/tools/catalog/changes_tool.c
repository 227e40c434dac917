/*
 * changes_tool.c
 *	  kg_changes(): the changes of the tenant after a position.
 *
 * A position contains a transaction, the number of a change in it, and the
 * mark of the last deletion of changes (kg_history_end_positions()).
 * Transactions are ordered by number (xid8). While a transaction is running,
 * it and later ones are not returned, because it may still commit changes with
 * its lower number. So no change is skipped, and none is returned twice.
 *
 * Numbers of transactions are valid in one database only. So a position also
 * contains a keyed digest of the tenant, of the table with its transactions,
 * and of the timeline of the database. The digest changes if a tenant or a
 * dump is restored, and if the database is recovered to a point in time or
 * fails over.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "auth/listen.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "miscadmin.h"
#include "model/handle.h"
#include "query/argument/arguments.h"
#include "query/run/decisions.h"
#include "query/time/history.h"
#include "tools/catalog/history_tool.h"
#include "utils/builtins.h"

#define KG_MAX_CHANGES 1000
#define KG_WITH_HISTORY                              \
	"types with \"x-history\": true, and relations " \
	"with \"history\": true"

typedef struct ChangesCall
{
	const KgCatalog *catalog;
	KgFollowed followed;
	/* keyed digest (see above) that the positions of this call contain */
	char *key;
	int64 limit;
	int64 max_bytes;
} ChangesCall;

static void
read_options(ChangesCall *call, const Jsonb *options)
{
	static const char *const known[] = {"limit", "max_bytes", NULL};

	kg_check_options(options, known);
	call->limit = 100;
	call->max_bytes = kg_setting_max_reply_bytes;
	(void) kg_args_int(
		&options->root, "limit", "", 1, KG_MAX_CHANGES, &call->limit, NULL);
	(void) kg_args_int(&options->root,
					   "max_bytes",
					   "",
					   1024,
					   kg_setting_max_reply_bytes,
					   &call->max_bytes,
					   NULL);
}

/* ---- types and relations ---- */

static KG_NORETURN void
throw_history(const char *what, const char *name)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("%s \"%s\" has no history", what, name),
			 .path = "/types",
			 .got_string = name,
			 .expected = KG_WITH_HISTORY);
}

/*
 * Adds the numbers of the relations with the name. Raises an error if one of
 * them has no history. If the name is NULL, adds all relations that have
 * history. Returns whether there is any such relation.
 */
static bool
add_relations(ChangesCall *call, const char *name, int32 *relations)
{
	bool found = false;

	for (int i = 0; i < call->catalog->nrelations; i++)
	{
		const KgRelation *relation = &call->catalog->relations[i];

		if (name != NULL && strcmp(relation->name, name) != 0)
			continue;
		found = true;
		if (relation->history)
			relations[call->followed.nrelations++] = relation->relation_no;
		else if (name != NULL)
			throw_history("relation", name);
	}
	return found;
}

static void
add_type(ChangesCall *call, const KgType *type, int32 *types)
{
	kg_decisions_require(call->catalog, type, NULL);
	types[call->followed.ntypes++] = type->type_no;
}

static void
read_types(ChangesCall *call, ArrayType *names)
{
	const KgCatalog *catalog = call->catalog;
	int n;
	const char **texts = kg_array_texts(names, true, &n);
	int32 *types;
	int32 *relations;

	types = palloc((catalog->ntypes + n + 1) * sizeof(int32));
	relations = palloc((catalog->nrelations * (n + 1) + 1) * sizeof(int32));
	call->followed.types = types;
	call->followed.relations = relations;
	for (int i = 0; i < catalog->ntypes && n == 0; i++)
		if (kg_row_has(&catalog->types[i], KG_TRAIT_HISTORY))
			add_type(call, kg_type_of(&catalog->types[i]), types);
	if (n == 0)
		(void) add_relations(call, NULL, relations);
	for (int i = 0; i < n; i++)
	{
		const char *name = texts[i] ? texts[i] : "";
		const KgType *type = kg_catalog_type(catalog, name);

		if (type == NULL && add_relations(call, name, relations))
			continue;
		if (type == NULL)
			type = kg_catalog_require_type(
				catalog, name, kg_path_index("/types", i));
		if (!type->history)
			throw_history("entity type", name);
		add_type(call, type, types);
	}
	if (call->followed.ntypes == 0 && call->followed.nrelations == 0)
		KG_THROW(KG_INVALID_INPUT,
				 .message = "no entity type and no relation has history",
				 .path = "/types",
				 .expected = KG_WITH_HISTORY);
}

/* ---- positions ---- */

static char *
position_key(const ChangesCall *call)
{
	TimeLineID timeline;

	if (RecoveryInProgress())
		(void) GetXLogReplayRecPtr(&timeline);
	else
		timeline = GetWALInsertionTimeLine();
	return kg_listen_digest(psprintf("position of %s, " INT64_FORMAT
									 ", " UINT64_FORMAT ", %u, %u, %u",
									 call->catalog->tenant,
									 (int64) call->followed.created,
									 GetSystemIdentifier(),
									 timeline,
									 MyDatabaseId,
									 kg_relation_oid("kg_change_transaction")));
}

static char *
write_position(const ChangesCall *call, const KgChangePosition *position)
{
	return psprintf("%s-" UINT64_FORMAT "-" INT64_FORMAT "-" INT64_FORMAT,
					call->key,
					position->xid,
					position->change,
					call->followed.mark);
}

static KG_NORETURN void
throw_position(const char *since, const char *message)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = message,
			 .path = "/since",
			 .got_string = since,
			 .expected = "a new start: call kg_changes() without a position, "
						 "read all data, then call it with the position that "
						 "the first call returned");
}

/*
 * Reads up to 18 decimal digits as a non-negative int64, and advances *p past
 * them. Returns false if there is no digit.
 */
static bool
read_number(const char **p, int64 *number)
{
	const char *start = *p;

	for (*number = 0; **p >= '0' && **p <= '9' && *p - start < 18; (*p)++)
		*number = *number * 10 + (**p - '0');
	return *p > start;
}

static KgChangePosition
read_position(const ChangesCall *call, const char *since)
{
	KgChangePosition position = {call->followed.end};
	size_t len = strlen(call->key);
	const char *p = since + Min(strlen(since), len);
	int64 xid;
	int64 mark;

	if (*since == '\0')
		return position;
	if (strspn(since, "0123456789abcdef") != len || *p++ != '-' ||
		!read_number(&p, &xid) || *p++ != '-' ||
		!read_number(&p, &position.change) || *p++ != '-' ||
		!read_number(&p, &mark) || *p != '\0')
		throw_position(since,
					   "the position is not one that kg_changes returns");
	if (strncmp(since, call->key, len) != 0)
		throw_position(since,
					   "the position is of another tenant, or from before "
					   "a restore or a failover");
	position.xid = (uint64) xid;
	if (mark != call->followed.mark && position.xid <= call->followed.pruned)
		throw_position(since,
					   "changes after the position were deleted by "
					   "kg_prune_history(), or the tenant was imported since");
	return position;
}

/* ---- the reply ---- */

static void
write_entity(const ChangesCall *call, const KgChange *change, KgJsonWriter *w)
{
	const KgType *type = kg_catalog_type_no(call->catalog, change->type_no);

	kg_jw_kstring(w, "type", kg_type_handle(type));
	kg_jw_kstring(w, "id", change->id);
	kg_jw_kstring(w, "verdict", change->verdict);
	kg_jw_kint(w, "version", change->version);
	if (change->after != NULL)
		kg_jw_kjsonb(w, "data", change->after);
}

static void
write_edge(const ChangesCall *call, const KgChange *change, KgJsonWriter *w)
{
	const KgRelation *relation = kg_catalog_relation_no(call->catalog,
														change->relation_no);

	kg_jw_kstring(w, "relation", relation->name);
	kg_jw_kstring(w, "from", change->ends[0]);
	kg_jw_kstring(w, "to", change->ends[1]);
	if (*change->key != '\0')
		kg_jw_kstring(w, "key", change->key);
	kg_jw_kstring(w, "verdict", change->verdict);
	if (change->after != NULL)
		kg_jw_kjsonb(w, "properties", change->after);
}

static Jsonb *
make_change(const ChangesCall *call, const KgChange *change)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	if (change->relation_no == 0)
		write_entity(call, change, &w);
	else
		write_edge(call, change, &w);
	kg_jw_kint(&w, "change", change->change);
	kg_jw_kint(&w, "transaction", change->transaction);
	kg_jw_kstring(&w, "at", change->at);
	kg_jw_kstring(&w, "by", change->by);
	return kg_jw_finish(&w);
}

/*
 * Returns whether a change of an edge is omitted because an end of the edge no
 * longer exists.
 */
static bool
is_gone(const KgChange *change)
{
	return change->relation_no != 0 &&
		   (change->ends[0] == NULL || change->ends[1] == NULL);
}

/*
 * Writes the changes that fit into the reply, and returns their number. If some
 * do not fit, sets *more, and *position to the position after the last written
 * change.
 */
static int
write_changes(const ChangesCall *call, const KgChange *changes, int n,
			  KgChangePosition *position, bool *more, KgJsonWriter *w)
{
	Size size = 256;
	int written = 0;

	kg_jw_kbegin_array(w, "changes");
	for (int i = 0; i < n; i++)
	{
		Jsonb *change;

		CHECK_FOR_INTERRUPTS();
		if (is_gone(&changes[i]))
			continue;
		change = make_change(call, &changes[i]);
		size += kg_json_text_size(&change->root) + 2;
		if (size > call->max_bytes && written > 0)
		{
			*more = true;
			*position = (KgChangePosition){changes[i - 1].xid,
										   changes[i - 1].change};
			break;
		}
		kg_jw_jsonb(w, change);
		written++;
	}
	kg_jw_end_array(w);
	return written;
}

Jsonb *
kg_changes(const KgCatalog *catalog, const char *since, ArrayType *types,
		   const Jsonb *options)
{
	ChangesCall call = {.catalog = catalog};
	KgChangePosition position;
	KgChange *changes;
	KgJsonWriter w;
	bool more = false;
	int n = 0;

	read_options(&call, options);
	read_types(&call, types);
	kg_changes_state(catalog, &call.followed);
	call.key = position_key(&call);
	position = read_position(&call, since);
	changes = palloc(call.limit * sizeof(KgChange));
	n = kg_changes_read(catalog,
						&call.followed,
						&position,
						(int) call.limit,
						(Size) call.max_bytes,
						changes);
	more = position.xid < call.followed.end;
	kg_jw_init_object(&w);
	n = write_changes(&call, changes, n, &position, &more, &w);
	kg_jw_kint(&w, "returned", n);
	kg_jw_kbool(&w, "truncated", more);
	kg_jw_kstring(&w, "position", write_position(&call, &position));
	if (kg_setting_notify_changes)
	{
		kg_jw_kbegin_object(&w, "listen");
		kg_jw_kstring(&w, "channel", KG_LISTEN_CHANNEL);
		kg_jw_kstring(
			&w,
			"payload",
			psprintf("%s " KG_LISTEN_CHANGES, kg_listen_key(catalog->tenant)));
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}
