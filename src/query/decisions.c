/*
 * decisions.c
 *	  Who may see an entity of a type with x-authorize.
 *
 * A decision is about a resource's type, an ability and an id, and holds for
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
#include "catalog/pg_type.h"
#include "catalog/writing.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "query/authorizer.h"
#include "query/decisions.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"

/* Types whose annotation is remembered, by the low bits of their number. */
#define KG_TYPES_KNOWN 64

/* Decisions that a statement of plain SQL keeps: past it, it asks again. */
#define KG_MOST_KEPT 100000

typedef enum Verdict
{
	UNDECIDED,
	ALLOWED,
	DENIED
} Verdict;

/* resource_type, ability and id, each ended by a zero byte. */
typedef struct Key
{
	const char *bytes;
	int len;
} Key;

typedef struct Decision
{
	Key key;
	Verdict verdict;
	Verdict given; /* from outside, in an exchange */
	bool noted;	   /* it is one of those that the call needs */
} Decision;

typedef struct NodeVerdict
{
	int64 node;
	Verdict verdict;
} NodeVerdict;

struct KgDecisions
{
	MemoryContext context;
	const char *tenant;
	Oid role;
	const char *function; /* or NULL */
	bool outside;		  /* an exchange decides, too, */
	bool about_nobody;	  /* which has no subject */
	bool ended;			  /* by what it has to ask for: that is noted */
	HTAB *decisions;	  /* of Decision */
	HTAB *nodes;		  /* of NodeVerdict; a call has one snapshot */
	Decision **noted;	  /* undecided, met by the trial */
	int nnoted;
	int room;
	int64 needed; /* noted so far, in all */
	int64 ngiven;
	bool trying;
	bool hopeful;
	bool exhausted; /* the trial met more than may be decided */
	StringInfoData key;
	int32 type_no; /* of the row that was met last, */
	const KgAuthorize *authorize;
	/* of plain SQL: what else it is for */
	uint64 statement;
	const char *agent;
	const KgTokenIdentity *token;
	KgSeenSnapshot seen;
};

static uint32
hash_key(const void *key, Size size)
{
	const Key *k = key;

	return hash_bytes((const unsigned char *) k->bytes, k->len);
}

static int
compare_keys(const void *a, const void *b, Size size)
{
	const Key *x = a;
	const Key *y = b;

	return x->len != y->len || memcmp(x->bytes, y->bytes, x->len) != 0;
}

/* Those of the exchange that this is done for, or NULL. */
static const KgDecisions *
of_exchange(void)
{
	for (const KgCall *call = kg_running_call(); call; call = call->outer)
		if (call->decisions != NULL && call->decisions->outside)
			return call->decisions;
	return NULL;
}

bool
kg_decisions_ask_all(void)
{
	const KgDecisions *exchange = of_exchange();

	return exchange != NULL && exchange->ngiven < kg_setting_max_authorizations;
}

static KgDecisions *
make(MemoryContext parent, const char *tenant)
{
	MemoryContext context = AllocSetContextCreate(
		parent, "kg_graph decisions", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	KgDecisions *d = palloc0(sizeof(KgDecisions));
	HASHCTL keys = {.keysize = sizeof(Key),
					.entrysize = sizeof(Decision),
					.hash = hash_key,
					.match = compare_keys,
					.hcxt = context};
	HASHCTL nodes = {.keysize = sizeof(int64),
					 .entrysize = sizeof(NodeVerdict),
					 .hcxt = context};
	const char *function = of_exchange() != NULL ? NULL
												 : kg_authorizer_of(tenant);

	d->context = context;
	d->tenant = pstrdup(tenant);
	d->role = GetUserId();
	d->function = function ? pstrdup(function) : NULL;
	d->decisions = hash_create("kg_graph decisions",
							   256,
							   &keys,
							   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE |
								   HASH_CONTEXT);
	d->nodes = hash_create("kg_graph decided nodes",
						   1024,
						   &nodes,
						   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	d->room = 64;
	d->noted = palloc(d->room * sizeof(Decision *));
	initStringInfo(&d->key);
	MemoryContextSwitchTo(old);
	return d;
}

/* ---- which decision a row needs ---- */

/* Has the type x-authorize, or, where it is 0, any of the tenant's? */
static bool
has_annotation(const char *tenant, int32 type_no)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, INT4OID};
	Datum values[] = {CStringGetTextDatum(tenant), Int32GetDatum(type_no)};

	return kg_spi_finds(&saved,
						"SELECT FROM @kg_entity_type WHERE tenant = $1 "
						"AND type_no = coalesce(nullif($2, 0), type_no) "
						"AND schema ? 'x-authorize' LIMIT 1",
						2,
						argtypes,
						values);
}

/*
 * By the newest state, as policies are, and whatever the caller may read of the
 * catalog.
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
	const char *tenant;
	bool plain;

	if (known[slot].type_no == type_no &&
		known[slot].generation == kg_generation())
		return known[slot].plain;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	if (tenant == NULL)
		return false;
	plain = !has_annotation(tenant, type_no);
	known[slot].type_no = type_no;
	known[slot].plain = plain;
	known[slot].generation = kg_generation();
	return plain;
}

/*
 * What the type says, or NULL where it is none of the tenant's.  Catalogs stay
 * as long as the transaction, which is longer than what is decided in it.
 */
static const KgAuthorize *
authorize_of(KgDecisions *d, int32 type_no)
{
	const KgType *type;
	KgUserContext user;

	if (d->type_no == type_no)
		return d->authorize;
	kg_become_owner(&user);
	type = kg_catalog_type_no(kg_catalog_newest(d->tenant), type_no);
	kg_restore_user(&user);
	d->type_no = type_no;
	d->authorize = type ? type->authorize : NULL;
	return d->authorize;
}

static void
append_part(StringInfo key, const char *part, int len)
{
	appendBinaryStringInfo(key, part, len);
	appendStringInfoChar(key, '\0');
}

/* The id of the resource; false where the entity names none. */
static bool
append_id(StringInfo key, const KgField *field, Datum data)
{
	Jsonb *json = DatumGetJsonbP(data);
	JsonbValue value;
	bool found = kg_field_value(field, &json->root, &value);
	int64 n;

	if (found && value.type == jbvString)
		append_part(key, value.val.string.val, value.val.string.len);
	else if (found && value.type == jbvNumeric)
	{
		char *text = kg_json_int64(&value, &n)
						 ? psprintf(INT64_FORMAT, n)
						 : DatumGetCString(DirectFunctionCall1(
							   numeric_out,
							   NumericGetDatum(value.val.numeric)));

		append_part(key, text, strlen(text));
	}
	else
		found = false;
	if ((Pointer) json != DatumGetPointer(data))
		pfree(json);
	return found;
}

static bool
make_key(KgDecisions *d, const KgAuthorize *authorize, text *entity_id,
		 Datum data)
{
	resetStringInfo(&d->key);
	append_part(
		&d->key, authorize->resource_type, strlen(authorize->resource_type));
	append_part(&d->key, authorize->ability, strlen(authorize->ability));
	if (authorize->id_field != NULL)
		return append_id(&d->key, authorize->id_field, data);
	append_part(&d->key, VARDATA_ANY(entity_id), VARSIZE_ANY_EXHDR(entity_id));
	return true;
}

/* The decision that d->key names; made where there is room for one. */
static Decision *
find_decision(KgDecisions *d, bool may_add)
{
	Key key = {d->key.data, d->key.len};
	Decision *decision = hash_search(d->decisions, &key, HASH_FIND, NULL);
	char *bytes;

	if (decision != NULL || !may_add)
		return decision;
	bytes = MemoryContextAlloc(d->context, key.len);
	memcpy(bytes, key.bytes, key.len);
	key.bytes = bytes;
	decision = hash_search(d->decisions, &key, HASH_ENTER, NULL);
	decision->verdict = UNDECIDED;
	decision->given = UNDECIDED;
	decision->noted = false;
	return decision;
}

/* ---- asking ---- */

static const char *
next_part(const char *part)
{
	return part + strlen(part) + 1;
}

/* By resource_type and ability, then id. */
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
	char **ids = palloc(n * sizeof(char *));
	bool *allowed = palloc(n * sizeof(bool));

	kg_audit_decisions(n);
	for (int i = 0; i < n; i++)
		ids[i] = (char *) next_part(next_part(asked[i]->key.bytes));
	kg_authorizer_ask(
		d->tenant, d->function, resource_type, ability, ids, n, allowed);
	for (int i = 0; i < n; i++)
		asked[i]->verdict = allowed[i] ? ALLOWED : DENIED;
	pfree(ids);
	pfree(allowed);
}

/* All of them, whoever decides: a function, the gateway, or both. */
static void
ask_function(KgDecisions *d)
{
	int start = 0;

	for (int i = 1; i <= d->nnoted && d->function != NULL; i++)
		if (i == d->nnoted || !same_question(d->noted[i], d->noted[start]))
		{
			ask_of(d, d->noted + start, i - start);
			start = i;
		}
}

static KG_NORETURN void
throw_nobody(void)
{
	KgError *err = kg_error_new(
		KG_FORBIDDEN, "nobody can be asked about a caller without a subject");

	kg_error_expected(err, "a token with the claim \"sub\"");
	kg_error_throw(err);
}

/* What the gateway has not said yet ends the call. */
static void
ask_outside(KgDecisions *d)
{
	int n = 0;
	KgError *err;

	for (int i = 0; i < d->nnoted; i++)
	{
		Decision *decision = d->noted[i];

		if (decision->verdict == DENIED)
			continue;
		decision->verdict = decision->given;
		if (decision->given == UNDECIDED)
			d->noted[n++] = decision;
	}
	d->nnoted = n;
	if (n == 0)
		return;
	d->ended = true;
	err = kg_error_new(KG_FORBIDDEN, "the call has to ask for decisions");
	kg_error_throw(err);
}

static void
ask_noted(KgDecisions *d)
{
	qsort(d->noted, d->nnoted, sizeof(Decision *), compare_noted);
	if (d->about_nobody)
		throw_nobody();
	ask_function(d);
	if (d->outside)
		ask_outside(d);
	d->nnoted = 0;
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

static bool
try_row(KgDecisions *d, int32 type_no, int64 node, text *entity_id, Datum data)
{
	const KgAuthorize *authorize;
	Decision *decision;
	NodeVerdict *known;
	bool found;

	known = hash_search(d->nodes, &node, HASH_FIND, NULL);
	if (known != NULL)
		return known->verdict == ALLOWED;
	authorize = authorize_of(d, type_no);
	if (authorize == NULL || !has_decider(d) ||
		!make_key(d, authorize, entity_id, data))
		return false;
	decision = find_decision(d, false);
	if (decision == NULL || !decision->noted)
	{
		if (d->needed >= kg_setting_max_authorizations)
		{
			d->exhausted = true;
			return false;
		}
		decision = find_decision(d, true);
		note(d, decision);
		/* What the gateway alone decides need not be tried again for. */
		if (d->function == NULL && decision->given != UNDECIDED)
		{
			decision->verdict = decision->given;
			d->nnoted--;
		}
	}
	if (decision->verdict == UNDECIDED)
		return d->hopeful;
	known = hash_search(d->nodes, &node, HASH_ENTER, &found);
	known->verdict = decision->verdict;
	return decision->verdict == ALLOWED;
}

KgDecisions *
kg_decisions_of_call(KgCall *call)
{
	if (call->decisions != NULL && call->decisions->role == GetUserId())
		return call->decisions;
	kg_decisions_end(call);
	call->decisions = make(TopTransactionContext,
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
kg_decisions_try(KgDecisions *d, bool hopeful)
{
	d->trying = true;
	/* An exchange asks about all that a step can meet, in one round. */
	d->hopeful = hopeful && !d->outside;
	d->exhausted = false;
}

void
kg_decisions_tried(KgDecisions *d)
{
	d->trying = false;
}

bool
kg_decisions_settle(KgDecisions *d)
{
	if (d->nnoted == 0)
		return false;
	ask_noted(d);
	return true;
}

bool
kg_decisions_in_vain(const KgDecisions *d)
{
	return d->nnoted > 0;
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
	Decision *decision;

	resetStringInfo(&d->key);
	appendBinaryStringInfo(&d->key, key, len);
	decision = find_decision(d, true);
	d->ngiven += decision->given == UNDECIDED;
	if (decision->given != DENIED)
		decision->given = allowed ? ALLOWED : DENIED;
}

int
kg_decisions_open(const KgDecisions *d,
				  void (*each)(const char *key, int len, void *arg), void *arg)
{
	if (!d->ended)
		return 0;
	for (int i = 0; i < d->nnoted && each != NULL; i++)
		each(d->noted[i]->key.bytes, d->noted[i]->key.len, arg);
	return d->nnoted;
}

bool
kg_decisions_exhausted(const KgDecisions *d)
{
	return d->exhausted;
}

void
kg_decisions_throw_exhausted(void)
{
	KgError *err = kg_error_new(KG_LIMIT_EXCEEDED,
								"the call needs more decisions than "
								"kg_graph.max_authorizations (%d)",
								kg_setting_max_authorizations);

	kg_error_expected(err,
					  "a narrower question: more filters, fewer hops, fewer "
					  "starting nodes or named relationship types");
	kg_error_throw(err);
}

/* ---- by plain SQL ---- */

static bool
same_name(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* What was decided for this statement; none is kept for another one. */
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
		hash_get_num_entries(d->decisions) < KG_MOST_KEPT &&
		kg_snapshot_seen(&d->seen, snapshot))
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
	const KgAuthorize *authorize = authorize_of(d, type_no);
	Decision *decision;
	Verdict verdict;

	if (authorize == NULL || d->function == NULL ||
		!make_key(d, authorize, entity_id, data))
		return false;
	decision = find_decision(d, true);
	if (decision->verdict == UNDECIDED)
		ask_of(d, &decision, 1);
	verdict = decision->verdict;
	return verdict == ALLOWED;
}

/* ---- the policy ---- */

bool
kg_decisions_allow(int32 type_no, int64 node, text *entity_id, Datum data)
{
	const char *tenant;
	KgCall *call;

	if (is_plain_type(type_no))
		return true;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	if (tenant == NULL || kg_identity_is_asking())
		return false;
	call = kg_running_call();
	if (call != NULL && call->decisions != NULL && call->decisions->trying)
		return call->decisions->role == GetUserId() &&
			   strcmp(call->decisions->tenant, tenant) == 0 &&
			   try_row(call->decisions, type_no, node, entity_id, data);
	/* What an exchange has a say in is asked for in a trial, or hidden. */
	return of_exchange() == NULL &&
		   ask_row(pstrdup(tenant), type_no, entity_id, data);
}

bool
kg_decisions_needed(void)
{
	static char needed_by[NAMEDATALEN];
	static uint64 generation = 0;
	static bool needed;
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);

	if (tenant == NULL)
		return false;
	if (generation != kg_generation() || strcmp(needed_by, tenant) != 0)
	{
		needed = has_annotation(tenant, 0);
		strlcpy(needed_by, tenant, sizeof(needed_by));
		generation = kg_generation();
	}
	return needed;
}

/* ---- who decides ---- */

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
					   "who may see entities of type \"%s\" is decided "
					   "elsewhere, and nobody is there to ask",
					   kg_type_handle(type));
	kg_error_keyword(err, "x-authorize");
	if (instead != NULL)
		kg_error_expected(err, "%s", instead);
	else
		kg_error_expected(err,
						  "an authorizer, which the owner of the extension "
						  "sets: SELECT kg_set_authorizer('tenant', "
						  "'function')");
	kg_error_throw(err);
}
