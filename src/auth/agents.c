/*
 * agents.c
 *	  The agents of tenants.
 *
 * Agents are read as the owner, and a few agents are cached until a watched
 * table changes. The absence of an agent is cached, too, as an agent that sees
 * nothing: policies look up the agent for each row and must not search the
 * table again.
 */
#include "postgres.h"

#include "auth/agents.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/toolset.h"
#include "utils/builtins.h"

typedef struct KgCachedAgent
{
	KgCacheEntry entry;
	KgAgent agent;
	bool exists;
	bool hides; /* the agent lacks a bundle of the tenant */
} KgCachedAgent;

static const int most = 16;
/*
 * A cache of agents. It becomes stale if kg_agent, kg_agent_bundle or
 * kg_bundle changes.
 */
static KgCache agents = {"agent", &most, KG_STALE_BY_CATALOG};

static bool
is_agent(const void *entry, const void *wanted)
{
	const KgAgent *a = &((const KgCachedAgent *) entry)->agent;
	const KgAgent *b = wanted;

	return strcmp(a->name, b->name) == 0 && strcmp(a->tenant, b->tenant) == 0;
}

/*
 * Returns a text[] as C strings in the current context. For NULL, returns NULL
 * and sets *n to 0.
 */
static const char **
strings_of_array(Datum array, bool isnull, int *n)
{
	*n = 0;
	return isnull ? NULL : kg_array_texts(DatumGetArrayTypeP(array), false, n);
}

static char *
column_string(int column)
{
	char *value = kg_spi_cstring(0, column);

	return value ? pstrdup(value) : NULL;
}

/*
 * Fills in an agent from the only row of SPI_tuptable, in the current context.
 */
static void
read_agent(KgAgent *agent)
{
	const char **toolsets;
	KgToolsets *chosen;
	size_t room = 1;
	int ntoolsets;
	bool isnull;
	Datum value;

	agent->title = column_string(1);
	agent->description = column_string(2);
	agent->instructions = column_string(3);
	value = kg_spi_value(0, 4, &isnull);
	toolsets = strings_of_array(value, isnull, &ntoolsets);
	for (int i = 0; i < ntoolsets; i++)
		room += strlen(toolsets[i]) + 1;
	chosen = palloc0(offsetof(KgToolsets, names) + room);
	if (toolsets == NULL)
		chosen->bits = KG_TOOLSET_ALL;
	for (int i = 0; i < ntoolsets; i++)
		kg_toolsets_add(chosen, toolsets[i]);
	agent->toolsets = chosen;
	value = kg_spi_value(0, 5, &isnull);
	agent->tools = strings_of_array(value, isnull, &agent->ntools);
	value = kg_spi_value(0, 6, &isnull);
	agent->bundles = strings_of_array(value, isnull, &agent->nbundles);
}

static KgCachedAgent *
load_agent(const char *tenant, const char *name)
{
	KgCachedAgent *fresh;
	KgUserContext user;
	MemoryContext old;

	kg_become_owner(&user);
	kg_spi_begin_load();
	KG_SPI_READ("SELECT a.title, a.description, a.instructions, a.toolsets, "
				"a.tools, ARRAY(SELECT b.bundle FROM @kg_agent_bundle b "
				"WHERE b.tenant = a.tenant AND b.agent = a.agent "
				"ORDER BY b.position, b.bundle), "
				"EXISTS (SELECT FROM @kg_bundle c WHERE c.tenant = a.tenant "
				"AND NOT EXISTS (SELECT FROM @kg_agent_bundle b "
				"WHERE b.tenant = a.tenant AND b.agent = a.agent "
				"AND b.bundle = c.bundle)) "
				"FROM @kg_agent a WHERE a.tenant = $1 AND a.agent = $2",
				kg_arg_text(tenant),
				kg_arg_text(name));
	fresh = kg_cache_make(&agents, sizeof(*fresh));
	fresh->exists = SPI_processed > 0;
	fresh->hides = !fresh->exists || DatumGetBool(kg_spi_datum(0, 7));
	old = MemoryContextSwitchTo(fresh->entry.context);
	fresh->agent.tenant = pstrdup(tenant);
	fresh->agent.name = pstrdup(name);
	if (fresh->exists)
		read_agent(&fresh->agent);
	MemoryContextSwitchTo(old);
	kg_cache_keep(&agents, fresh, 0);
	kg_spi_end_load();
	kg_restore_user(&user);
	return fresh;
}

static KgCachedAgent *
find_agent(const char *tenant, const char *name)
{
	KgAgent wanted = {.tenant = tenant, .name = name};
	KgCachedAgent *found = kg_cache_find(&agents, 0, is_agent, &wanted);

	return found ? found : load_agent(tenant, name);
}

const KgAgent *
kg_agent_get(const char *tenant, const char *name)
{
	KgCachedAgent *found = find_agent(tenant, name);

	/*
	 * The running call pins the cache entry, so that it stays while policies
	 * look up other agents.
	 */
	kg_cache_pin(found, CurrentMemoryContext);
	return found->exists ? &found->agent : NULL;
}

void
kg_agent_require_named(const char *tenant, const char *name)
{
	if (name == NULL || find_agent(tenant, name)->exists)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = "the agent does not exist",
			 .got_string = name,
			 .expected = "an agent of the tenant");
}

bool
kg_agent_has_bundle(const char *tenant, const char *name, const char *bundle,
					int len)
{
	const KgAgent *agent = &find_agent(tenant, name)->agent;

	for (int i = 0; i < agent->nbundles; i++)
		if (strlen(agent->bundles[i]) == len &&
			memcmp(agent->bundles[i], bundle, len) == 0)
			return true;
	return false;
}

bool
kg_agent_lacks_bundles(const char *tenant, const char *name)
{
	return find_agent(tenant, name)->hides;
}
