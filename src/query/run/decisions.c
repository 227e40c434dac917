/*
 * decisions.c
 *	  Decisions about entities of a type with x-authorize.
 *
 * A decision is for a resource type, an ability and an id. It is valid for
 * one call of a tool, or for a statement of plain SQL under one snapshot.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/invalidate.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/snapshot.h"
#include "base/spi.h"
#include "model/writing.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "query/run/authorizer.h"
#include "query/run/decisions.h"
#include "query/graph/nodeset.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"

/* Number of types whose annotation is cached, by the low bits of type_no. */
#define KG_TYPES_KNOWN 64

/*
 * Maximum number of decisions cached for a statement of plain SQL. When there
 * are more, all are discarded and requested again.
 */
#define KG_MOST_KEPT 100000

typedef enum Verdict
{
	UNDECIDED,
	ALLOWED,
	DENIED
} Verdict;

/*
 * Number of trial runs of a statement in which undecided rows pass. In later
 * trials undecided rows are hidden (query/run/decisions.h).
 */
#define KG_HOPEFUL_TRIALS 2

/*
 * The key of a decision: resource_type, ability and id, each ended by a zero
 * byte.
 */
typedef struct Key
{
	const char *bytes;
	int len;
} Key;

typedef struct Decision
{
	Key key;
	uint32 hash;
	Verdict verdict;
	/* the decision that a gateway sent with the call (query/run/exchange.h) */
	Verdict given;
	bool noted; /* the call needs this decision */
} Decision;

/*
 * Fixed decisions: a denial for an entity without an authorizer or without an
 * id, and a permission for an entity that needs no decision.
 */
static const Decision nobody = {.verdict = DENIED};
static const Decision everybody = {.verdict = ALLOWED};

struct KgDecisions
{
	MemoryContext context;
	const char *tenant;
	Oid role;
	const char *function; /* the tenant's authorizer, or NULL */
	/* a gateway decides, too (query/run/exchange.h) */
	bool outside;
	bool about_nobody; /* the gateway's call is for no subject */
	/* the call has ended, because it needs more decisions of the gateway */
	bool ended;
	Decision **all;
	uint32 n;
	/* index in all + 1, or 0; at most half are used */
	uint32 *slots;
	uint32 mask;
	/*
	 * nodes of the rows read by trials; the numbers stay valid, because a call
	 * has one snapshot
	 */
	KgNodeSet nodes;
	const Decision **of_nodes; /* by index in nodes */
	uint32 of_nodes_room;
	/*
	 * Decisions that must still be requested: first nopen decisions that
	 * estimates left open, then the decisions about rows that the running
	 * trial has read.
	 */
	Decision **noted;
	int nnoted; /* length of noted */
	int nopen;
	int room;
	bool met; /* the trial has read an undecided entity */
	/*
	 * number of estimates and steps (kg_decisions_begin_step()) that are
	 * running
	 */
	int gathering;
	/* the running estimates and steps have left decisions open */
	bool gathered;
	/* number of decisions that the call has needed so far */
	int64 needed;
	int64 ngiven;
	bool trying;
	/* node ranges of the statement that runs as a trial, or NULL */
	const KgRanges *ranges;
	bool hopeful;
	/* the trial has read more entities than may be decided */
	bool exhausted;
	/* The type of the last row, and the type's x-authorize or NULL. */
	int32 type_no;
	const KgAuthorize *authorize;
	StringInfoData key; /* The key of the decision about the last row. */
	/* length of the key's resource type and ability */
	int question;
	/*
	 * For plain SQL: the other conditions on which the validity of the
	 * decisions depends.
	 */
	uint64 statement;
	const char *agent;
	const KgTokenIdentity *token;
	KgSeenSnapshot seen;
};

/*
 * Returns the decisions of the innermost exchange, that is, of the innermost
 * running call for which a gateway decides about the visibility of entities.
 * Returns NULL if no running call is an exchange.
 */
static KgDecisions *
of_exchange(void)
{
	for (const KgCall *call = kg_running_call(); call; call = call->outer)
		if (call->decisions != NULL && call->decisions->outside)
			return call->decisions;
	return NULL;
}

bool
kg_decisions_are_outside(void)
{
	return of_exchange() != NULL;
}

bool
kg_decisions_ask_all(void)
{
	const KgDecisions *exchange = of_exchange();

	return exchange != NULL && exchange->ngiven < kg_setting_max_authorizations;
}

static uint32 *
slot_of(const KgDecisions *d, uint32 hash, Key key)
{
	for (uint32 i = hash & d->mask;; i = (i + 1) & d->mask)
	{
		const Decision *kept;

		if (d->slots[i] == 0)
			return &d->slots[i];
		kept = d->all[d->slots[i] - 1];
		if (kept->hash == hash && kept->key.len == key.len &&
			memcmp(kept->key.bytes, key.bytes, key.len) == 0)
			return &d->slots[i];
	}
}

/* Resizes the table. It has room for half as many decisions as slots. */
static void
grow(KgDecisions *d, uint32 slots)
{
	Decision **all = MemoryContextAllocHuge(
		d->context, (Size) slots / 2 * sizeof(Decision *));

	if (d->slots != NULL)
	{
		memcpy(all, d->all, d->n * sizeof(Decision *));
		pfree(d->all);
		pfree(d->slots);
	}
	d->all = all;
	d->mask = slots - 1;
	d->slots = MemoryContextAllocExtended(d->context,
										  (Size) slots * sizeof(uint32),
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < d->n; i++)
		*slot_of(d, all[i]->hash, all[i]->key) = i + 1;
}

static KgDecisions *
make(MemoryContext parent, const char *tenant)
{
	MemoryContext context = AllocSetContextCreate(
		parent, "kg_graph decisions", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	KgDecisions *d = palloc0(sizeof(KgDecisions));
	const char *function = of_exchange() != NULL ? NULL
												 : kg_authorizer_of(tenant);

	d->context = context;
	d->tenant = pstrdup(tenant);
	d->role = GetUserId();
	d->function = function ? pstrdup(function) : NULL;
	grow(d, 64);
	kg_nodeset_init(&d->nodes, context);
	d->of_nodes_room = 64;
	d->of_nodes = palloc(d->of_nodes_room * sizeof(Decision *));
	d->room = 64;
	d->noted = palloc(d->room * sizeof(Decision *));
	initStringInfo(&d->key);
	MemoryContextSwitchTo(old);
	return d;
}

/* ---- the decision about a row ---- */

/*
 * Returns whether the type has x-authorize; type 0: whether any type of the
 * tenant has it.
 */
static bool
has_annotation(const char *tenant, int32 type_no)
{
	static KgSaved saved;

	return kg_spi_finds(&saved,
						"SELECT FROM @kg_entity_type WHERE tenant = $1 "
						"AND type_no = coalesce(nullif($2, 0), type_no) "
						"AND schema ? 'x-authorize' LIMIT 1",
						kg_arg_text(tenant),
						kg_arg_int4(type_no));
}

/*
 * Returns whether the type has no x-authorize. As for policies, the newest
 * state counts, even if the caller cannot read it in the catalog.
 */
static bool
is_plain_type(int32 type_no)
{
	static struct
	{
		int32 type_no;
		bool plain;
		uint64 generation;
	} known[KG_TYPES_KNOWN];
	int slot = type_no & (KG_TYPES_KNOWN - 1);
	uint64 generation = kg_generation(); /* read before the annotation */
	const char *tenant;
	bool plain;

	if (known[slot].type_no == type_no && known[slot].generation == generation)
		return known[slot].plain;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	if (tenant == NULL)
		return false;
	plain = !has_annotation(tenant, type_no);
	known[slot].type_no = type_no;
	known[slot].plain = plain;
	known[slot].generation = generation;
	return plain;
}

static void
append_part(StringInfo key, const char *part)
{
	appendBinaryStringInfo(key, part, strlen(part) + 1);
}

/*
 * Returns the type's annotation; NULL if there is no annotation or no such type
 * in the tenant. The catalog lives until the transaction ends, which is longer
 * than the decisions.
 */
static const KgAuthorize *
authorize_of(KgDecisions *d, int32 type_no)
{
	const KgType *type;
	KgUserContext user;

	if (d->type_no == type_no)
		return d->authorize;
	resetStringInfo(&d->key);
	kg_become_owner(&user);
	type = kg_catalog_type_no(kg_catalog_newest(d->tenant), type_no);
	kg_restore_user(&user);
	d->type_no = type_no;
	d->authorize = type ? type->authorize : NULL;
	if (d->authorize != NULL)
	{
		append_part(&d->key, d->authorize->resource_type);
		append_part(&d->key, d->authorize->ability);
	}
	d->question = d->key.len;
	return d->authorize;
}

/*
 * Appends the id of the resource about which the authorizer decides. Returns
 * false if the entity lacks this id.
 */
static bool
append_id(StringInfo key, const KgField *field, Datum data)
{
	Jsonb *json = DatumGetJsonbP(data);
	JsonbValue value;
	bool found = kg_field_value(field, &json->root, &value);
	int64 n;

	if (found && value.type == jbvString)
	{
		appendBinaryStringInfo(key, value.val.string.val, value.val.string.len);
		appendStringInfoChar(key, '\0');
	}
	else if (found && value.type == jbvNumeric)
		append_part(
			key,
			kg_json_int64(&value, &n)
				? psprintf(INT64_FORMAT, n)
				: DatumGetCString(DirectFunctionCall1(
					  numeric_out, NumericGetDatum(value.val.numeric))));
	else
		found = false;
	if ((Pointer) json != DatumGetPointer(data))
		pfree(json);
	return found;
}

/*
 * Returns whether the type has lost x-authorize since is_plain_type() was
 * called.
 */
static bool
is_plain_by_now(KgDecisions *d, int32 type_no)
{
	return authorize_of(d, type_no) == NULL &&
		   !has_annotation(d->tenant, type_no);
}

/*
 * Completes the key for a row of the type last passed to authorize_of().
 * Returns false if the entity has no id of a resource.
 */
static bool
make_key(KgDecisions *d, text *entity_id, Datum data)
{
	d->key.len = d->question;
	if (d->authorize->id_field != NULL)
		return append_id(&d->key, d->authorize->id_field, data);
	appendBinaryStringInfo(
		&d->key, VARDATA_ANY(entity_id), VARSIZE_ANY_EXHDR(entity_id));
	appendStringInfoChar(&d->key, '\0');
	return true;
}

/*
 * Returns the decision with a key. If there is no such decision, creates it if
 * may_add, or else returns NULL.
 */
static Decision *
find_decision(KgDecisions *d, Key key, bool may_add)
{
	uint32 hash = hash_bytes((const unsigned char *) key.bytes, key.len);
	uint32 *slot = slot_of(d, hash, key);
	Decision *made;
	char *bytes;

	if (*slot != 0)
		return d->all[*slot - 1];
	if (!may_add)
		return NULL;
	made = MemoryContextAllocZero(d->context, sizeof(Decision) + key.len);
	bytes = (char *) (made + 1);
	memcpy(bytes, key.bytes, key.len);
	made->key = (Key){bytes, key.len};
	made->hash = hash;
	d->all[d->n++] = made;
	*slot = d->n;
	if (d->n > d->mask / 2)
		grow(d, 2 * (d->mask + 1));
	return made;
}

/* ---- requests ---- */

static const char *
next_part(const char *part)
{
	return part + strlen(part) + 1;
}

/* Compares by resource_type, ability and id. */
static int
compare_noted(const void *a, const void *b)
{
	const Key *x = &(*(Decision *const *) a)->key;
	const Key *y = &(*(Decision *const *) b)->key;
	int order = memcmp(x->bytes, y->bytes, Min(x->len, y->len));

	return order != 0 ? order : x->len - y->len;
}

static bool
same_question(const Decision *a, const Decision *b)
{
	return strcmp(a->key.bytes, b->key.bytes) == 0 &&
		   strcmp(next_part(a->key.bytes), next_part(b->key.bytes)) == 0;
}

static void
ask_of(KgDecisions *d, Decision **asked, int n)
{
	const char *resource_type = asked[0]->key.bytes;
	const char *ability = next_part(resource_type);
	const char **ids = palloc(n * sizeof(char *));
	bool *allowed = palloc(n * sizeof(bool));

	kg_audit_decisions(n);
	for (int i = 0; i < n; i++)
		ids[i] = next_part(next_part(asked[i]->key.bytes));
	kg_authorizer_ask(
		d->tenant, d->function, resource_type, ability, ids, n, allowed);
	for (int i = 0; i < n; i++)
		asked[i]->verdict = allowed[i] ? ALLOWED : DENIED;
	pfree(ids);
	pfree(allowed);
}

/*
 * Requests the authorizer's decisions about the rows of the trial: one request
 * for each resource_type and ability.
 */
static void
ask_function(KgDecisions *d)
{
	int start = d->nopen;

	for (int i = start + 1; i <= d->nnoted && d->function != NULL; i++)
		if (i == d->nnoted || !same_question(d->noted[i], d->noted[start]))
		{
			ask_of(d, d->noted + start, i - start);
			start = i;
		}
}

static KG_NORETURN void
throw_nobody(void)
{
	KG_THROW(KG_FORBIDDEN,
			 .message = "a caller without a subject cannot be authorized",
			 .expected = "a token with the claim \"sub\"");
}

/*
 * Applies the decisions that the gateway sent. An id that the authorizer denies
 * is not sent to the gateway.
 */
static void
ask_outside(KgDecisions *d)
{
	for (int i = d->nopen; i < d->nnoted && d->outside; i++)
		if (d->noted[i]->verdict != DENIED)
			d->noted[i]->verdict = d->noted[i]->given;
}

static void
ask_noted(KgDecisions *d)
{
	qsort(d->noted + d->nopen,
		  d->nnoted - d->nopen,
		  sizeof(Decision *),
		  compare_noted);
	if (d->about_nobody)
		throw_nobody();
	ask_function(d);
	ask_outside(d);
}

static KG_NORETURN void
end_call(KgDecisions *d)
{
	d->ended = true;
	kg_error_throw(
		kg_error_new(KG_FORBIDDEN, "the call needs authorization decisions"));
}

/*
 * Ends the call if the gateway has not yet decided all ids.
 *
 * Within an estimate or a step of several statements, the decisions about
 * these ids stay open instead. The search after the estimate, or the rest of
 * the step, then adds its ids to the same round.
 */
static void
leave_open(KgDecisions *d)
{
	int n = d->nopen;

	for (int i = n; i < d->nnoted; i++)
		if (d->noted[i]->verdict == UNDECIDED)
			d->noted[n++] = d->noted[i];
	d->nnoted = n;
	if (d->gathering > 0)
	{
		d->nopen = n;
		d->gathered |= n > 0;
	}
	else if (n > 0)
		end_call(d);
}

static void
note(KgDecisions *d, Decision *decision)
{
	decision->noted = true;
	d->needed++;
	if (d->nnoted == d->room)
	{
		d->room *= 2;
		d->noted = repalloc_huge(d->noted, d->room * sizeof(Decision *));
	}
	d->noted[d->nnoted++] = decision;
}

/* ---- in a tool ---- */

static bool
has_decider(const KgDecisions *d)
{
	return d->function != NULL || d->outside;
}

/*
 * Returns the decision that a row needs and records it; NULL if no further
 * decision may be requested.
 */
static const Decision *
decision_of_row(KgDecisions *d, int32 type_no, text *entity_id, Datum data)
{
	Key key;
	Decision *decision;

	if (is_plain_by_now(d, type_no))
		return &everybody;
	if (authorize_of(d, type_no) == NULL || !has_decider(d) ||
		!make_key(d, entity_id, data))
		return &nobody;
	key = (Key){d->key.data, d->key.len};
	decision = find_decision(d, key, false);
	if (decision != NULL && decision->noted)
		return decision;
	if (d->needed >= kg_setting_max_authorizations)
	{
		d->exhausted = true;
		return NULL;
	}
	if (decision == NULL)
		decision = find_decision(d, key, true);
	note(d, decision);
	/*
	 * If only the gateway decides, its decision about the row is known now and
	 * needs no further trial.
	 */
	if (d->function == NULL && decision->given != UNDECIDED)
	{
		decision->verdict = decision->given;
		d->nnoted--;
	}
	return decision;
}

static void
keep_node(KgDecisions *d, int64 node, const Decision *decision)
{
	uint32 place = kg_nodeset_add(&d->nodes, node);

	if (place == d->of_nodes_room)
	{
		d->of_nodes_room *= 2;
		d->of_nodes = repalloc_huge(d->of_nodes,
									d->of_nodes_room * sizeof(Decision *));
	}
	d->of_nodes[place] = decision;
}

static bool
try_row(KgDecisions *d, int32 type_no, int64 node, text *entity_id, Datum data)
{
	uint32 place = kg_nodeset_find(&d->nodes, node);
	const Decision *decision;

	if (d->ranges != NULL && !kg_ranges_want(d->ranges, node))
		return false;
	if (place != KG_NO_NODE)
		decision = d->of_nodes[place];
	else
	{
		decision = decision_of_row(d, type_no, entity_id, data);
		if (decision == NULL)
			return false;
		keep_node(d, node, decision);
	}
	if (decision->verdict != UNDECIDED)
		return decision->verdict == ALLOWED;
	d->met = true;
	return d->hopeful;
}

KgDecisions *
kg_decisions_of_call(KgCall *call)
{
	if (call->decisions != NULL && call->decisions->role == GetUserId())
		return call->decisions;
	kg_decisions_end(call);
	call->decisions = make(kg_running_memory(call),
						   kg_identity_require(KG_ACCESS_READ));
	return call->decisions;
}

void
kg_decisions_end(KgCall *call)
{
	if (call->decisions != NULL)
		MemoryContextDelete(call->decisions->context);
	call->decisions = NULL;
}

void
kg_decisions_try(KgDecisions *d, const KgStatement *statement, int trials)
{
	d->trying = true;
	d->ranges = statement->ranges;
	/*
	 * If a gateway decides, undecided rows are hidden at once. So the statement
	 * runs to its end, and all decisions that a step can need are requested in
	 * one round.
	 */
	d->hopeful = statement->node_column > 0 ||
				 (trials < KG_HOPEFUL_TRIALS && !d->outside);
	d->exhausted = false;
	d->met = false;
}

void
kg_decisions_tried(KgDecisions *d)
{
	d->trying = false;
}

bool
kg_decisions_settle(KgDecisions *d)
{
	bool stands = true;

	if (!d->met && d->nnoted == d->nopen)
		return true;
	ask_noted(d);
	for (int i = d->nopen; i < d->nnoted; i++)
		stands &= (d->noted[i]->verdict == ALLOWED) == d->hopeful;
	leave_open(d);
	return stands;
}

bool
kg_decisions_in_vain(const KgDecisions *d)
{
	return d->met && d->function == NULL && d->gathering == 0;
}

/*
 * Returns the decisions of the running call if it is an exchange, that is, if
 * a gateway decides about the visibility of entities; otherwise NULL.
 */
static KgDecisions *
exchanged(void)
{
	const KgCall *call = kg_running_call();

	return call->decisions != NULL && call->decisions->outside ? call->decisions
															   : NULL;
}

void
kg_decisions_begin_step(void)
{
	KgDecisions *d = exchanged();

	if (d != NULL && d->gathering++ == 0)
		d->gathered = false;
}

void
kg_decisions_end_step(void)
{
	KgDecisions *d = exchanged();

	if (d != NULL && --d->gathering == 0 && d->gathered)
		end_call(d);
}

void
kg_decisions_begin_estimate(void)
{
	kg_decisions_begin_step();
}

int
kg_decisions_left_open(void)
{
	const KgDecisions *d = exchanged();

	return d != NULL ? d->nopen : 0;
}

void
kg_decisions_end_estimate(bool search)
{
	KgDecisions *d = exchanged();

	if (d == NULL)
		return;
	d->gathering--;
	if (d->nopen > 0 && !search)
		end_call(d);
}

void
kg_decisions_wrote(void)
{
	KgDecisions *d = kg_running_call()->decisions;

	if (d == NULL)
		return;
	kg_nodeset_free(&d->nodes);
	kg_nodeset_init(&d->nodes, d->context);
}

bool
kg_decisions_allow_node(const KgDecisions *d, int64 node)
{
	uint32 place = kg_nodeset_find(&d->nodes, node);

	/* A node that no trial has read is of a type without x-authorize. */
	return place == KG_NO_NODE || d->of_nodes[place]->verdict == ALLOWED;
}

KgDecisions *
kg_decisions_outside(KgCall *call, bool about_somebody)
{
	KgDecisions *d;

	kg_decisions_end(call);
	d = kg_decisions_of_call(call);
	d->outside = true;
	d->about_nobody = !about_somebody;
	return d;
}

void
kg_decisions_given(KgDecisions *d, const char *key, int len, bool allowed)
{
	Decision *decision = find_decision(d, (Key){key, len}, true);

	d->ngiven += decision->given == UNDECIDED;
	if (decision->given != DENIED)
		decision->given = allowed ? ALLOWED : DENIED;
}

int
kg_decisions_open(KgDecisions *d,
				  void (*each)(const char *key, int len, void *arg), void *arg)
{
	int n = d->ended ? d->nnoted : d->nopen;

	if (each == NULL)
		return n;
	qsort(d->noted, n, sizeof(Decision *), compare_noted);
	for (int i = 0; i < n; i++)
		each(d->noted[i]->key.bytes, d->noted[i]->key.len, arg);
	return n;
}

bool
kg_decisions_exhausted(const KgDecisions *d)
{
	return d->exhausted;
}

void
kg_decisions_throw_exhausted(void)
{
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf("the call needs more authorization decisions "
								 "than kg_graph.max_authorizations (%d)",
								 kg_setting_max_authorizations),
			 .expected = "a narrower question: more filters, fewer hops, fewer "
						 "starting nodes or named relationship types");
}

/* ---- by plain SQL ---- */

static bool
same_name(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/*
 * Returns the decisions of the current statement. Decisions of other statements
 * are discarded.
 */
static KgDecisions *
of_statement(const char *tenant)
{
	static KgDecisions *kept = NULL;
	KgDecisions *d = kept;
	Snapshot snapshot = GetActiveSnapshot();
	const char *agent = kg_identity_agent();

	if (d != NULL && d->statement == kg_statement_number() &&
		d->role == GetUserId() && strcmp(d->tenant, tenant) == 0 &&
		same_name(d->agent, agent) && d->token == kg_token_identity() &&
		d->n < KG_MOST_KEPT && kg_snapshot_seen(&d->seen, snapshot))
		return d;
	kept = NULL;
	if (d != NULL)
		MemoryContextDelete(d->context);
	d = make(TopMemoryContext, tenant);
	d->statement = kg_statement_number();
	d->agent = agent ? MemoryContextStrdup(d->context, agent) : NULL;
	d->token = kg_token_identity();
	kg_snapshot_remember(&d->seen, snapshot, d->context);
	kept = d;
	return d;
}

static bool
ask_row(const char *tenant, int32 type_no, text *entity_id, Datum data)
{
	KgDecisions *d = of_statement(tenant);
	Decision *decision;

	if (is_plain_by_now(d, type_no))
		return true;
	if (authorize_of(d, type_no) == NULL || d->function == NULL ||
		!make_key(d, entity_id, data))
		return false;
	decision = find_decision(d, (Key){d->key.data, d->key.len}, true);
	if (decision->verdict == UNDECIDED)
		ask_of(d, &decision, 1);
	return decision->verdict == ALLOWED;
}

/* ---- the policy ---- */

/*
 * Raises an error if the type got x-authorize after the call began. Without the
 * error the call would find nothing and not say why.
 */
static void
refuse_authorized_since(int32 type_no)
{
	const KgCatalog *catalog = kg_running_catalog_read();
	const KgType *type;

	if (catalog == NULL)
		return;
	type = kg_catalog_type_no(catalog, type_no);
	if (type != NULL && type->authorize == NULL &&
		has_annotation(catalog->tenant, type_no))
		kg_catalog_throw_authorizes(type);
}

/*
 * Returns whether a trial of an exchange has read the node and the node was
 * allowed. Used for statements that run within a statement of the exchange and
 * therefore cannot request decisions.
 */
static bool
is_settled(const KgDecisions *d, const char *tenant, int64 node)
{
	uint32 place = kg_nodeset_find(&d->nodes, node);

	return d->role == GetUserId() && strcmp(d->tenant, tenant) == 0 &&
		   place != KG_NO_NODE && d->of_nodes[place]->verdict == ALLOWED;
}

/*
 * Decides about a row that a write reads while a gateway decides (an exchange),
 * such as the target of a reference. The tool that writes is a step, so an
 * undecided row is hidden and its decision stays open. The end of the step then
 * undoes the write.
 */
static bool
decide_for_write(KgDecisions *d, const char *tenant, int32 type_no,
				 text *entity_id, Datum data)
{
	const Decision *decision;

	if (d->role != GetUserId() || strcmp(d->tenant, tenant) != 0)
		return false;
	decision = decision_of_row(d, type_no, entity_id, data);
	if (decision == NULL)
		kg_decisions_throw_exhausted();
	if (decision->verdict == UNDECIDED)
	{
		ask_noted(d);
		leave_open(d);
	}
	return decision->verdict == ALLOWED;
}

bool
kg_decisions_allow(int32 type_no, int64 node, text *entity_id, Datum data)
{
	KgDecisions *exchange;
	const char *tenant;
	KgCall *call;

	if (is_plain_type(type_no))
		return true;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	if (tenant == NULL || kg_identity_is_asking())
		return false;
	refuse_authorized_since(type_no);
	call = kg_running_call();
	exchange = of_exchange();
	if (exchange != NULL && exchange != call->decisions)
		return is_settled(exchange, tenant, node);
	if (call != NULL && call->decisions != NULL && call->decisions->trying)
		return call->decisions->role == GetUserId() &&
			   strcmp(call->decisions->tenant, tenant) == 0 &&
			   try_row(call->decisions, type_no, node, entity_id, data);
	if (exchange != NULL && exchange->gathering > 0 && kg_running_writes())
		return decide_for_write(exchange, tenant, type_no, entity_id, data);
	/*
	 * If a gateway decides, other rows are decided only in a trial. Otherwise
	 * the row is hidden.
	 */
	return exchange == NULL &&
		   ask_row(pstrdup(tenant), type_no, entity_id, data);
}

bool
kg_decisions_needed(void)
{
	static char needed_by[NAMEDATALEN];
	static uint64 generation = 0;
	static bool needed;
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);
	uint64 now = kg_generation();

	if (tenant == NULL)
		return false;
	if (generation != now || strcmp(needed_by, tenant) != 0)
	{
		needed = has_annotation(tenant, 0);
		strlcpy(needed_by, tenant, sizeof(needed_by));
		generation = now;
	}
	return needed;
}

/* ---- availability of an authorizer or gateway ---- */

bool
kg_decisions_are_made(const KgCatalog *catalog)
{
	const KgDecisions *exchange = of_exchange();

	if (!catalog->authorizes)
		return true;
	return exchange != NULL ? !exchange->about_nobody
							: kg_authorizer_of(catalog->tenant) != NULL;
}

void
kg_decisions_require(const KgCatalog *catalog, const KgType *type,
					 const char *instead)
{
	const KgDecisions *exchange = of_exchange();
	KgError *err;

	if (type->authorize == NULL)
		return;
	if (exchange != NULL && exchange->about_nobody)
		throw_nobody();
	if (exchange != NULL || kg_authorizer_of(catalog->tenant) != NULL)
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "entities of type \"%s\" need an authorizer's decision, "
					   "and the tenant has no authorizer",
					   kg_type_handle(type));
	kg_error_keyword(err, "x-authorize");
	if (instead != NULL)
		kg_error_expected(err, "%s", instead);
	else
		kg_error_expected(
			err,
			"an authorizer, which the owner of the extension sets: SELECT "
			"kg_set_authorizer('tenant', 'function'); or a gateway that "
			"requests the decisions: SELECT kg_grant_gateway('role', exchange "
			"=> true)");
	kg_error_throw(err);
}
