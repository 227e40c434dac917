/*
 * cluster/move.c
 *	  Moving a tenant to another shard while it is in use. The state of its
 *	  directory entry changes in this order:
 *
 * here: calls go to the shard that has the tenant.
 *
 * moving: calls still go to the old shard. The tenant is frozen there, and the
 * new shard gets a copy, also frozen.
 *
 * moved: calls go to the copy. The original is made unreadable, the copy is
 * thawed, and the original is deleted.
 *
 * here: calls go to the new shard; the move is complete.
 *
 * Each step first checks whether it is done. No session writes between the copy
 * and the thaw. So a call reaches a database that has all acknowledged writes,
 * or is refused with SQLSTATE 40001.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "kgctl/cluster/cluster.h"

/* Bytes of exported lines that are sent in one statement. */
#define PART_BYTES (1024 * 1024)

/*
 * Exports the secrets too, because the tenant's own token keys are among them.
 */
#define EXPORT "@.kg_export_tenant($1, '{\"secrets\": true}')"

typedef struct Move
{
	KgCluster *c;
	const char *tenant;
	KgShard *from;
	KgShard *to;
	KgArena *arena;
	char *options; /* options of kg_import_tenant(), JSON text */
	KgBuf lines;   /* lines to send, as an SQL array */
	int part;
	bool failed;
	bool done;
} Move;

static bool
set_state(Move *m, const char *sql)
{
	const char *values[] = {m->tenant, m->to->number};

	return kg_cluster_do(m->c, &m->c->front, sql, 2, values);
}

/* ---- the copy ---- */

static void
send_part(Move *m)
{
	char part[16];
	const char *values[] = {m->lines.data, m->options, part};
	const KgJson *reply;
	char *text;

	kg_buf_putc(&m->lines, '}');
	values[0] = m->lines.data;
	snprintf(part, sizeof(part), "%d", ++m->part);
	if (!kg_cluster_ask(m->c,
						&m->to->db,
						"SELECT @.kg_import_tenant($1, $2, $3)",
						3,
						values,
						&text))
		m->failed = true;
	else
	{
		kg_arena_reset(m->arena);
		reply = kg_db_read(&m->to->db, m->arena, text, "done");
		m->failed = reply == NULL;
		m->done = !m->failed && kg_json_is_true(kgctl_json_get(reply, "done"));
	}
	free(text);
	kg_buf_free(&m->lines);
	kg_buf_init(&m->lines);
}

static bool
add_line(void *arg, const PGresult *row)
{
	Move *m = arg;
	const char *p = PQgetvalue(row, 0, 0);

	if (m->failed)
		return true;
	kg_buf_puts(&m->lines, m->lines.len == 0 ? "{\"" : ",\"");
	for (; *p != '\0'; p++)
	{
		if (*p == '"' || *p == '\\')
			kg_buf_putc(&m->lines, '\\');
		kg_buf_putc(&m->lines, *p);
	}
	kg_buf_putc(&m->lines, '"');
	if (m->lines.len >= PART_BYTES)
		send_part(m);
	return true;
}

static bool
copy(Move *m)
{
	m->part = 0;
	m->failed = m->done = false;
	kg_buf_init(&m->lines);
	if (!kg_db_rows(&m->from->db,
					"SELECT line FROM " EXPORT " line",
					m->tenant,
					add_line,
					m))
	{
		m->c->exit = m->from->db.exit;
		m->failed = true;
	}
	if (!m->failed && m->lines.len > 0)
		send_part(m);
	kg_buf_free(&m->lines);
	if (!m->failed && !m->done)
		return kg_cluster_refuse(
			m->c, "shard %s did not take the tenant's last line", m->to->name);
	return !m->failed;
}

/*
 * Sets *digest to a digest of all exported lines, independent of their order.
 * The digest excludes numbers, which an import may replace. It also excludes
 * records of calls, because reading calls continue and are recorded. Returns
 * false on failure.
 */
static bool
digest_of(Move *m, KgShard *shard, char **digest)
{
	const char *values[] = {m->tenant};

	return kg_cluster_ask(
		m->c,
		&shard->db,
		"SELECT concat_ws(' ', count(*), sum(hashtextextended(l, 0)::numeric), "
		"sum(hashtextextended(l, 1)::numeric)) "
		"FROM (SELECT regexp_replace(line, '\"(node|source|target|type_no|"
		"relation_no)\": [0-9]+', '', 'g') FROM " EXPORT " line "
		"WHERE line ~ '^[[]' AND line !~ '^[[]\"kg_audit\"') t(l)",
		1,
		values,
		digest);
}

static bool
is_same(Move *m, bool *same)
{
	char *here = NULL;
	char *there = NULL;
	bool ok = digest_of(m, m->from, &here) && digest_of(m, m->to, &there);

	*same = ok && here != NULL && there != NULL && strcmp(here, there) == 0;
	free(here);
	free(there);
	return ok;
}

/*
 * Makes the copy, unless an earlier run has made an equal copy. An incomplete
 * or outdated copy is deleted first. Returns false on failure.
 */
static bool
make_copy(Move *m)
{
	char *state;
	bool same = false;
	bool ok = kg_shard_has(m->c, m->to, m->tenant, &state);

	if (ok && state != NULL && strcmp(state, "open") == 0)
		ok = kg_cluster_refuse(m->c,
							   "shard %s has a tenant \"%s\" that is in use",
							   m->to->name,
							   m->tenant);
	else if (ok && state != NULL)
		ok = (strcmp(state, "dropping") == 0 || is_same(m, &same)) &&
			 (same || kg_shard_drop(m->c, m->to, m->tenant));
	free(state);
	if (!ok || same)
		return ok;
	if (!copy(m) || !is_same(m, &same))
		return false;
	return same || kg_cluster_refuse(
					   m->c,
					   "the copy of tenant \"%s\" at shard %s differs from the "
					   "tenant at shard %s; the tenant stays frozen there",
					   m->tenant,
					   m->to->name,
					   m->from->name);
}

/* ---- the steps ---- */

/*
 * Runs the query "needed" in the old shard. Passes its result to the query
 * "missing_of" in the new shard. Sets *missing to the names of the objects that
 * the tenant needs and that the new shard lacks, or to NULL. On failure, prints
 * an error and returns false.
 */
static bool
ask_missing(Move *m, const char *needed, const char *missing_of, char **missing)
{
	const char *values[] = {m->tenant};
	char *names;
	bool ok = kg_cluster_ask(m->c, &m->from->db, needed, 1, values, &names);

	*missing = NULL;
	if (ok)
	{
		values[0] = names;
		ok = kg_cluster_ask(m->c, &m->to->db, missing_of, 1, values, missing);
	}
	free(names);
	return ok;
}

/*
 * Requires that roles with a grant exist on the other server, because roles
 * belong to a server. Otherwise prints an error and returns false. The option
 * --create-roles permits missing roles.
 */
static bool
require_roles(Move *m)
{
	char *missing;
	bool ok = ask_missing(
		m,
		"SELECT coalesce(array_agg(r.role_name), '{}') "
		"FROM @.kg_tenant_role r WHERE r.tenant = $1",
		"SELECT string_agg(n, ', ' ORDER BY n) FROM unnest($1::text[]) n "
		"WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles r "
		"WHERE r.rolname = n)",
		&missing);

	if (ok && missing != NULL && !kg_args_has(m->c->args, "create-roles"))
		ok = kg_cluster_refuse(m->c,
							   "shard %s has no role %s; make it there, or use "
							   "--create-roles",
							   m->to->name,
							   missing);
	free(missing);
	return ok;
}

/*
 * Requires that the functions of tools and authorizers exist in the other
 * database. Otherwise prints an error and returns false. The option
 * --without-functions permits that functions are missing.
 */
static bool
require_functions(Move *m)
{
	char *missing;
	bool ok = ask_missing(
		m,
		"SELECT coalesce(array_agg(DISTINCT f), '{}') FROM ("
		"SELECT authorizer FROM @.kg_tenant WHERE tenant = $1 "
		"UNION ALL SELECT definition ->> 'operation' FROM @.kg_tool_version "
		"WHERE tenant = $1 AND definition ->> 'kind' = 'function') t(f) "
		"WHERE f IS NOT NULL",
		"SELECT string_agg(f, ', ' ORDER BY f) FROM unnest($1::text[]) f "
		"WHERE to_regprocedure(f) IS NULL",
		&missing);

	if (ok && missing != NULL && !kg_args_has(m->c->args, "without-functions"))
		ok = kg_cluster_refuse(m->c,
							   "shard %s has no function %s, which a tool or "
							   "the authorizer of tenant \"%s\" is; make it "
							   "there, or use --without-functions",
							   m->to->name,
							   missing,
							   m->tenant);
	free(missing);
	return ok;
}

static bool
begin(Move *m)
{
	char *state;
	bool ok = kg_shard_has(m->c, m->to, m->tenant, &state);

	if (ok && state != NULL && strcmp(state, "dropping") != 0)
		ok = kg_cluster_refuse(
			m->c, "shard %s has another tenant \"%s\"", m->to->name, m->tenant);
	free(state);
	return ok && require_roles(m) && require_functions(m) &&
		   set_state(m,
					 "UPDATE @.kg_place SET state = 'moving', other = $2, "
					 "since = now() WHERE tenant = $1");
}

static bool
thaw_in(Move *m, KgShard *shard)
{
	const char *values[] = {m->tenant};

	return kg_cluster_do(
		m->c, &shard->db, "SELECT @.kg_thaw_tenant($1)", 1, values);
}

/*
 * Freezes the tenant. If it cannot be frozen in time, it stays in use, and the
 * function returns false.
 */
static bool
freeze(Move *m)
{
	const char *values[] = {m->tenant};
	const char *wait[] = {kg_args_get(m->c->args, "wait")};
	int code;

	if (wait[0] == NULL)
		wait[0] = "10";
	if (!kg_cluster_do(m->c,
					   &m->from->db,
					   "SELECT set_config('lock_timeout', $1 || 's', false)",
					   1,
					   wait))
		return false;
	if (kg_cluster_do(
			m->c, &m->from->db, "SELECT @.kg_freeze_tenant($1)", 1, values))
		return true;
	code = m->c->exit;
	(void) set_state(m,
					 "UPDATE @.kg_place SET state = 'here', other = NULL "
					 "WHERE tenant = $1 AND other = $2");
	m->c->exit = code;
	return false;
}

static bool
flip(Move *m)
{
	return kg_cluster_do(m->c, &m->c->front, "BEGIN", 0, NULL) &&
		   set_state(m,
					 "UPDATE @.kg_place SET shard = other, other = shard, "
					 "state = 'moved', since = now() "
					 "WHERE tenant = $1 AND other = $2") &&
		   kg_cluster_do(m->c,
						 &m->c->front,
						 "SELECT @.kg_note_grants($1)",
						 1,
						 &m->tenant) &&
		   kg_cluster_do(m->c, &m->c->front, "COMMIT", 0, NULL);
}

/*
 * Finishes a move: calls already go to "to", and the original is deleted from
 * "from". Returns false on failure.
 */
static bool
finish(Move *m)
{
	const char *values[] = {m->tenant};
	char *state;
	bool ok = kg_shard_has(m->c, m->from, m->tenant, &state);

	/* Make the original unreadable before the copy can be written to. */
	if (ok && state != NULL && strcmp(state, "dropping") != 0)
		ok = kg_cluster_do(
			m->c, &m->from->db, "SELECT @.kg_mark_moved($1)", 1, values);
	ok = ok && thaw_in(m, m->to);
	if (ok && state != NULL)
		ok = kg_shard_drop(m->c, m->from, m->tenant);
	free(state);
	return ok && set_state(m,
						   "UPDATE @.kg_place SET state = 'here', "
						   "other = NULL, since = now() "
						   "WHERE tenant = $1 AND shard = $2");
}

/*
 * Undoes a move: deletes the copy in the shard "to", and thaws the original.
 * Returns false on failure.
 */
static bool
give_up(Move *m)
{
	char *state;
	bool ok = kg_shard_has(m->c, m->to, m->tenant, &state);

	if (ok && state != NULL)
		ok = kg_shard_drop(m->c, m->to, m->tenant);
	free(state);
	return ok && thaw_in(m, m->from) &&
		   set_state(m,
					 "UPDATE @.kg_place SET state = 'here', other = NULL, "
					 "since = now() WHERE tenant = $1 AND other = $2");
}

/*
 * Connects to a shard and requires that it has the front's version of the
 * extension, because a move uses functions of that version. On failure, prints
 * an error and returns false.
 */
static bool
connect_one(Move *m, KgShard *shard)
{
	char *there = NULL;
	char *here = NULL;
	bool ok = kg_shard_connect(m->c, shard) &&
			  kg_cluster_version(m->c, &shard->db, "kg_graph", &there) &&
			  kg_cluster_version(m->c, &m->c->front, "kg_front", &here);

	if (ok && (there == NULL || here == NULL || strcmp(there, here) != 0))
		ok = kg_cluster_refuse(m->c,
							   "shard %s has version %s, and the front has "
							   "version %s; run kgctl cluster upgrade",
							   shard->name,
							   there ? there : "none",
							   here ? here : "none");
	free(there);
	free(here);
	return ok;
}

static bool
connect_both(Move *m, KgShard *from, KgShard *to)
{
	m->from = from;
	m->to = to;
	return connect_one(m, from) && connect_one(m, to);
}

/*
 * Continues a move that an earlier run began. Does nothing if no move was
 * begun. "wanted" is the shard of this command. If it is the shard from which
 * the tenant moves, undoes the move. Returns false on failure.
 */
static bool
go_on(Move *m, const KgctlPlace *place, const KgShard *wanted)
{
	if (strcmp(place->state, "moved") == 0)
		return connect_both(m, place->other, place->shard) && finish(m);
	if (strcmp(place->state, "moving") != 0)
		return true;
	if (!connect_both(m, place->shard, place->other))
		return false;
	if (wanted == place->shard)
		return give_up(m);
	if (wanted != place->other)
		return kg_cluster_refuse(
			m->c,
			"tenant \"%s\" is being moved to %s; finish this move, or move the "
			"tenant to %s, where it is now",
			m->tenant,
			place->other->name,
			place->shard->name);
	return freeze(m) && make_copy(m) && flip(m) && finish(m);
}

static bool
move(Move *m, KgShard *wanted)
{
	KgctlPlace place;
	bool ok = kg_place_read(m->c, m->tenant, &place);

	if (ok && place.shard == NULL)
		ok = kg_cluster_refuse(m->c,
							   "tenant \"%s\" does not exist; run kgctl "
							   "cluster place to create it",
							   m->tenant);
	else if (ok && (strcmp(place.state, "moving") == 0 ||
					strcmp(place.state, "moved") == 0))
	{
		ok = go_on(m, &place, wanted);
		kg_place_free(&place);
		ok = ok && kg_place_read(m->c, m->tenant, &place);
	}
	if (ok && place.shard == wanted)
		ok = kg_place_require(m->c, m->tenant, &place);
	else if (ok)
		ok = connect_both(m, place.shard, wanted) && begin(m) && freeze(m) &&
			 make_copy(m) && flip(m) && finish(m);
	kg_place_free(&place);
	return ok;
}

/*
 * Returns the options of an import. They contain the tenant's name, which
 * identifies all parts of one import.
 */
static char *
import_options(const KgCluster *c, const char *tenant)
{
	json_t *options = json_pack("{s:b, s:s, s:b, s:b}",
								"frozen",
								true,
								"name",
								tenant,
								"create_roles",
								kg_args_has(c->args, "create-roles"),
								"without_policies",
								kg_args_has(c->args, "without-policies"));
	char *text = json_dumps(options, 0);

	json_decref(options);
	return text;
}

bool
kg_cluster_move(KgCluster *c, const char *tenant, const char *shard)
{
	Move m;
	KgShard *wanted = kg_cluster_shard(c, shard);
	bool ok;

	if (wanted == NULL)
		return false;
	memset(&m, 0, sizeof(m));
	m.c = c;
	m.tenant = tenant;
	m.arena = kg_arena_new();
	m.options = import_options(c, tenant);
	ok = move(&m, wanted);
	free(m.options);
	kg_arena_free(m.arena);
	return ok;
}
