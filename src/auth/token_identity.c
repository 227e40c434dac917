/*
 * token_identity.c
 *	  Identity from a verified token.
 *
 * The identity is in this backend's own memory, which SQL cannot write. A
 * setting would not be safe, because any SQL could change it. Each identity
 * has a memory context of its own below TopMemoryContext.
 *
 * An identity belongs to the subtransaction that bound it, and moves to the
 * parent when that commits. It ends if the subtransaction or the parent
 * aborts, and when the top transaction ends. A transaction that has or had an
 * identity cannot get a second identity, so that code inside a call cannot
 * change its identity. Parallel workers do not have the identity. All
 * functions that read it are PARALLEL RESTRICTED, and identity.c reports no
 * caller in a worker.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/json.h"
#include "utils/memutils.h"

typedef struct KgBoundToken
{
	KgTokenIdentity identity;
	MemoryContext context;
	bool session; /* the identity survives the transaction */
} KgBoundToken;

bool kg_token_bound = false;

static KgBoundToken *bound = NULL;	  /* identity bound by this transaction */
static SubTransactionId bound_in = 0; /* subtransaction that bound it */
/* identity bound to the session by an earlier transaction */
static KgBoundToken *session = NULL;
/*
 * Whether this transaction has read the session's identity, and whether it has
 * removed it.
 */
static bool session_used = false;
static bool session_left = false;

static void
release(KgBoundToken **which)
{
	KgBoundToken *gone = *which;

	*which = NULL;
	kg_token_bound = bound != NULL || session != NULL;
	if (gone != NULL)
		MemoryContextDelete(gone->context);
}

static void
at_xact_end(XactEvent event, void *arg)
{
	switch ((int) event)
	{
		case XACT_EVENT_COMMIT:
			if (bound != NULL && bound->session)
			{
				release(&session);
				session = bound;
				bound = NULL;
			}
			if (session_left)
				release(&session);
			break;
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			break;
		default:
			return;
	}
	release(&bound);
	session_used = false;
	session_left = false;
}

static void
at_subxact_end(SubXactEvent event, SubTransactionId subid,
			   SubTransactionId parent, void *arg)
{
	if (bound == NULL || bound_in != subid)
		return;
	if (event == SUBXACT_EVENT_ABORT_SUB)
		release(&bound);
	else if (event == SUBXACT_EVENT_COMMIT_SUB)
		bound_in = parent;
}

static void
register_callbacks(void)
{
	static bool registered = false;

	if (registered)
		return;
	RegisterXactCallback(at_xact_end, NULL);
	RegisterSubXactCallback(at_subxact_end, NULL);
	registered = true;
}

void
kg_token_check_free(void)
{
	if (bound == NULL && !session_used && !session_left)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = "the transaction already has an identity",
			 .expected = "only one token in each transaction");
}

void
kg_token_bind(const KgTokenIdentity *identity, bool keep)
{
	MemoryContext context;
	MemoryContext old;
	KgBoundToken *fresh;

	kg_token_check_free();
	register_callbacks();
	/*
	 * The context is a child of the current context until the identity is
	 * complete, so that an error frees it.
	 */
	context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph identity", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	fresh = palloc0(sizeof(KgBoundToken));
	fresh->context = context;
	fresh->session = keep;
	fresh->identity = *identity;
	fresh->identity.tenant = pstrdup(identity->tenant);
	if (identity->agent)
		fresh->identity.agent = pstrdup(identity->agent);
	fresh->identity.scopes = palloc0(Max(1, identity->nscopes) *
									 sizeof(const char *));
	for (int i = 0; i < identity->nscopes; i++)
		fresh->identity.scopes[i] = pstrdup(identity->scopes[i]);
	fresh->identity.claims = (const Jsonb *) memcpy(
		palloc(VARSIZE(identity->claims)),
		identity->claims,
		VARSIZE(identity->claims));
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, TopMemoryContext);
	bound_in = GetCurrentSubTransactionId();
	bound = fresh;
	kg_token_bound = true;
}

void
kg_token_logout(void)
{
	if (bound != NULL)
		kg_token_check_free();
	register_callbacks();
	session_left = session != NULL;
}

static bool
session_expired(void)
{
	return session->identity.expires <= GetCurrentTransactionStartTimestamp();
}

const KgTokenIdentity *
kg_token_in_force(void)
{
	if (bound != NULL)
		return &bound->identity;
	if (session == NULL || session_left || session_expired())
		return NULL;
	session_used = true;
	return &session->identity;
}

char *
kg_token_subject(void)
{
	const KgTokenIdentity *token = kg_token_identity();
	JsonbValue subject;

	if (token == NULL ||
		kg_json_get(&token->claims->root, "sub", &subject) == NULL ||
		subject.type != jbvString)
		return NULL;
	return kg_json_cstring(&subject);
}

bool
kg_token_lapsed(void)
{
	return bound == NULL && session != NULL &&
		   (session_left || session_expired());
}
