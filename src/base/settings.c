/*
 * settings.c
 *	  The kg_graph.* settings, in alphabetical order.
 */
#include "postgres.h"

#include <limits.h>

#include "base/compat.h"
#include "base/settings.h"
#include "base/toolset.h"
#include "common/hashfn.h"
#include "nodes/pg_list.h"
#include "utils/guc.h"
#include "utils/varlena.h"

char *kg_setting_agent;
int kg_setting_audit = KG_AUDIT_OFF;
int kg_setting_confirm = KG_CONFIRM_OFF;
int kg_setting_confirm_more = KG_CONFIRM_OFF;
int kg_setting_audit_to = KG_AUDIT_LOG;
int kg_setting_audit_arguments = KG_AUDIT_HASH;
char *kg_setting_tenant;
static char *setting_toolsets;
const KgToolsets *kg_setting_toolsets;
bool kg_setting_notify_changes;
bool kg_setting_session_login;
int kg_setting_authorizer_batch;
int kg_setting_exchange_time;
int kg_setting_idempotency_time;
int kg_setting_load_time;
int kg_setting_max_argument_bytes;
int kg_setting_max_authorizations;
int kg_setting_max_batch_bytes;
int kg_setting_max_batch_messages;
int kg_setting_max_bundle_bytes;
int kg_setting_max_call_time;
int kg_setting_max_cost;
int kg_setting_max_depth;
int kg_setting_max_edges;
int kg_setting_max_entity_bytes;
int kg_setting_max_errors;
int kg_setting_max_filters;
int kg_setting_max_hops;
int kg_setting_max_walk_hops;
int kg_setting_max_ids;
int kg_setting_max_key_bytes;
int kg_setting_max_offset;
int kg_setting_max_properties;
int kg_setting_max_query_memory;
int kg_setting_max_query_temp;
int kg_setting_max_ranked;
int kg_setting_max_reply_bytes;
int kg_setting_max_token_bytes;
int kg_setting_big_numbers = KG_NUMBERS_NUMBER;
char *kg_setting_explorer_file = NULL;
int kg_setting_mcp_text = KG_TEXT_AUTO;
bool kg_setting_mcp_edges = false;
bool kg_setting_virtual_graph = false;
int kg_setting_mcp_server = KG_SERVER_ALONE;
int kg_setting_progress = -1;
int kg_setting_max_rows;
int kg_setting_max_scan;
int kg_setting_max_search_matches;
int kg_setting_max_search_memory;
int kg_setting_max_steps;
int kg_setting_max_tool_bytes;
int kg_setting_max_tool_operations;
int kg_setting_max_total;
int kg_setting_max_unindexed;
int kg_setting_max_as_of_changes;
int kg_setting_max_visited;
int kg_setting_plan_cache_size;
int kg_setting_reply_bytes;
int kg_setting_schema_cache_size;
int kg_setting_schema_in_instructions;
int kg_setting_schema_max_bytes;
int kg_setting_schema_max_depth;
int kg_setting_schema_max_match_steps;
int kg_setting_schema_max_nodes;
int kg_setting_schema_max_steps;
int kg_setting_schema_lax = KG_LAX_AUTO;
int kg_setting_schema_profile = KG_PROFILE_DEFAULT;

/*
 * Settings that a caller's limits may lower, each with the configured value and
 * the maximum that the limits allow.
 */
static struct
{
	int *in_force;
	int configured;
	int most;
} lowered[KG_NLOWERED] = {
	[KG_LOWER_COST] = {&kg_setting_max_cost, 0, INT_MAX},
	[KG_LOWER_ROWS] = {&kg_setting_max_rows, 0, INT_MAX},
	[KG_LOWER_REPLY_BYTES] = {&kg_setting_max_reply_bytes, 0, INT_MAX},
	[KG_LOWER_CALL_TIME] = {&kg_setting_max_call_time, 0, INT_MAX}};

static void
settle(KgLowered which, int configured)
{
	int most = lowered[which].most;

	lowered[which].configured = configured;
	/* For the call time, 0 means no limit. */
	if (which == KG_LOWER_CALL_TIME && configured == 0 && most < INT_MAX)
		configured = most;
	*lowered[which].in_force = Min(configured, most);
}

void
kg_settings_lower(KgLowered which, int most)
{
	lowered[which].most = most;
	settle(which, lowered[which].configured);
}

void
kg_settings_restore(void)
{
	for (int i = 0; i < KG_NLOWERED; i++)
		if (lowered[i].most < INT_MAX)
			kg_settings_lower(i, INT_MAX);
}

#define ASSIGN(which)                                  \
	static void assign_##which(int value, void *extra) \
	{                                                  \
		settle(KG_LOWER_##which, value);               \
	}                                                  \
	extern int no_such_variable
ASSIGN(COST);
ASSIGN(ROWS);
ASSIGN(REPLY_BYTES);
ASSIGN(CALL_TIME);

/* A setting of a DBA: name, default, minimum, maximum, unit. */
#define LIMIT(name, value, min, max, unit, description)               \
	{                                                                 \
		"kg_graph." #name, &kg_setting_##name, value, min, max, unit, \
			description, NULL                                         \
	}
/* A setting that a caller's limits may lower. */
#define LOWERED(which, name, value, min, max, unit, description)              \
	{                                                                         \
		"kg_graph." #name, &lowered[KG_LOWER_##which].configured, value, min, \
			max, unit, description, assign_##which                            \
	}

static const struct
{
	const char *name;
	int *variable;
	int value;
	int min;
	int max;
	int unit;
	const char *description;
	GucIntAssignHook assign;
} limits[] = {
	/* clang-format off */
	LIMIT(authorizer_batch, 100, 1, 10000, 0,
		  "Sets how many ids an authorizer function is asked about at a time."),
	LIMIT(exchange_time, 60, 1, 3600, GUC_UNIT_S,
		  "Sets how long an exchange of kg_call_authorized is good."),
	LIMIT(idempotency_time, 24 * 60 * 60, 1, INT_MAX, GUC_UNIT_S,
		  "Sets how long the reply to a write with an idempotency key is kept."),
	LIMIT(load_time, 30 * 24 * 60 * 60, 1, INT_MAX, GUC_UNIT_S,
		  "Sets how long the position of a load is kept after its last batch."),
	LIMIT(max_as_of_changes, 100000, 1, INT_MAX, 0,
		  "Sets how many changes a call with as_of may look at."),
	LIMIT(max_argument_bytes, 1024 * 1024, 1024, INT_MAX, GUC_UNIT_BYTE,
		  "Sets the largest arguments object that a tool accepts."),
	LIMIT(max_authorizations, 10000, 1, 1000000, 0,
		  "Sets how many decisions one call of a tool may need."),
	LIMIT(max_batch_bytes, 16 * 1024 * 1024, 1024, 256 * 1024 * 1024 - 1, GUC_UNIT_BYTE,
		  "Sets how large the replies to an MCP batch may be together."),
	LIMIT(max_batch_messages, 100, 1, INT_MAX, 0,
		  "Sets how many messages an MCP batch may have."),
	LIMIT(max_bundle_bytes, 256 * 1024, 1, 1024 * 1024, GUC_UNIT_KB,
		  "Sets the largest bundle that kg_apply_bundle accepts, and the most "
		  "that one kg_put_ call does."),
	LOWERED(CALL_TIME, max_call_time, 5000, 0, INT_MAX, GUC_UNIT_MS,
		  "Sets how long a tool call may run; 0 sets no limit."),
	LOWERED(COST, max_cost, 50000000, 1, INT_MAX, 0,
		  "Sets how many edges a search may be estimated to look at."),
	LIMIT(max_depth, 64, 8, 1000, 0,
		  "Sets the deepest nesting of arguments and entities."),
	LIMIT(max_edges, 10000000, 1, INT_MAX, 0,
		  "Sets how many edges one search may read."),
	LIMIT(max_entity_bytes, 100 * 1024, 1024, INT_MAX, GUC_UNIT_BYTE,
		  "Sets the largest entity, as JSON text."),
	LIMIT(max_errors, 100, 1, 10000, 0,
		  "Sets how many violations an error lists."),
	LIMIT(max_filters, 32, 1, 32, 0,
		  "Sets how many properties the filters of a call may name."),
	LIMIT(max_hops, 6, 1, 6, 0,
		  "Sets how many hops a search may go, where its tool allows more."),
	LIMIT(max_walk_hops, 16, 1, 1000, 0,
		  "Sets how many hops explore_neighbors may go, where it does not go all the way."),
	LIMIT(max_ids, 500, 1, 500, 0,
		  "Sets how many ids a graph tool's selection or seeds may have."),
	LIMIT(max_key_bytes, 1024, 64, 2000, GUC_UNIT_BYTE,
		  "Sets the longest value of an x-index property."),
	LIMIT(max_offset, 100000, 0, 100000000, 0,
		  "Sets the largest offset of a page; a cursor has no such limit."),
	LIMIT(max_properties, 1000, 100, 100000, 0,
		  "Sets how many properties an entity type has, with the nested ones."),
	LIMIT(max_query_memory, 256 * 1024, 0, MAX_KILOBYTES, GUC_UNIT_KB,
		  "Sets how much memory one query in SQL may take; 0 sets no limit."),
	LIMIT(max_query_temp, 256 * 1024, 0, MAX_KILOBYTES, GUC_UNIT_KB,
		  "Sets how much one query in SQL may write to temporary files; 0 sets no limit."),
	LIMIT(max_ranked, 100000, 1, INT_MAX, 0,
		  "Sets over the edges of how many nodes rank_related goes."),
	LOWERED(REPLY_BYTES, max_reply_bytes, 4 * 1024 * 1024, 1024, INT_MAX, GUC_UNIT_BYTE,
		  "Sets the ceiling of a tool's max_bytes."),
	LIMIT(max_token_bytes, 8192, 256, 65536, GUC_UNIT_BYTE,
		  "Sets the longest token that kg_login accepts."),
	LOWERED(ROWS, max_rows, 1000, 1, 100000, 0,
		  "Sets the highest limit that a graph tool accepts."),
	LIMIT(max_scan, 20000, 0, INT_MAX, 0,
		  "Sets of how many entities a property without x-index is read for a filter."),
	LIMIT(max_search_matches, 1000, 1, 100000, 0,
		  "Sets how many entities one search by name finds."),
	LIMIT(max_search_memory, 256 * 1024, 1024, MAX_KILOBYTES, GUC_UNIT_KB,
		  "Sets how much memory one search may use."),
	LIMIT(max_steps, 5, 1, 5, 0,
		  "Sets how many steps a chain of relationships may have."),
	LIMIT(max_tool_bytes, 256, 1, 1024 * 1024, GUC_UNIT_KB,
		  "Sets how large the definition of a registered tool may be."),
	LIMIT(max_tool_operations, 20, 1, 1000, 0,
		  "Sets how many operations a registered tool may have."),
	LIMIT(max_total, 1000000, 0, INT_MAX, 0,
		  "Sets how far a tool counts its total; past it the reply says total_at_least."),
	LIMIT(max_unindexed, 100000, -1, INT_MAX, 0,
		  "Sets how many rows a table may have that a filter without index reads."),
	LIMIT(max_visited, 1000000, 1, INT_MAX, 0,
		  "Sets how many nodes one search may visit."),
	LIMIT(plan_cache_size, 256, 16, 10000, 0,
		  "Sets how many plans of tool statements a backend keeps."),
	LIMIT(reply_bytes, 32 * 1024, 1024, INT_MAX, GUC_UNIT_BYTE,
		  "Sets the default of a tool's max_bytes."),
	LIMIT(schema_cache_size, 32 * 1024, 64, INT_MAX, GUC_UNIT_KB,
		  "Sets the memory for compiled JSON Schemas in each backend."),
	LIMIT(schema_in_instructions, 6000, 0, INT_MAX, GUC_UNIT_BYTE,
		  "Sets how long the schema in the instructions of an MCP server may be."),
	LIMIT(schema_max_bytes, 8 * 1024 * 1024, 1024, INT_MAX, GUC_UNIT_BYTE,
		  "Sets the largest JSON Schema, in its binary form."),
	LIMIT(schema_max_depth, 2000, 16, 100000, 0,
		  "Sets how deep the evaluation of a JSON Schema nests."),
	LIMIT(schema_max_match_steps, 1000000, 1000, INT_MAX, 0,
		  "Sets how many steps the match of one pattern takes."),
	LIMIT(schema_max_nodes, 100000, 100, INT_MAX, 0,
		  "Sets how many subschemas a JSON Schema has."),
	LIMIT(schema_max_steps, 5000000, 1000, INT_MAX, 0,
		  "Sets how many steps one validation takes."),
	/* clang-format on */
};

static const struct config_enum_entry audit_levels[] = {
	{"off", KG_AUDIT_OFF, false},
	{"errors", KG_AUDIT_ERRORS, false},
	{"writes", KG_AUDIT_WRITES_TOO, false},
	{"all", KG_AUDIT_ALL, false},
	{NULL, 0, false}};

static const struct config_enum_entry confirm_levels[] = {
	{"off", KG_CONFIRM_OFF, false},
	{"deletes", KG_CONFIRM_DELETES, false},
	{"all", KG_CONFIRM_ALL, false},
	{NULL, 0, false}};

/*
 * The entries marked as hidden are spellings of a boolean. They are accepted,
 * but not shown in lists of values.
 */
static const struct config_enum_entry mcp_texts[] = {
	{"off", KG_TEXT_OFF, false},
	{"on", KG_TEXT_ON, false},
	{"rows", KG_TEXT_ROWS, false},
	{"auto", KG_TEXT_AUTO, false},
	{"false", KG_TEXT_OFF, true},
	{"no", KG_TEXT_OFF, true},
	{"0", KG_TEXT_OFF, true},
	{"true", KG_TEXT_ON, true},
	{"yes", KG_TEXT_ON, true},
	{"1", KG_TEXT_ON, true},
	{NULL, 0, false}};

static const struct config_enum_entry big_numbers[] = {
	{"number", KG_NUMBERS_NUMBER, false},
	{"text", KG_NUMBERS_TEXT, false},
	{NULL, 0, false}};

static const struct config_enum_entry laxities[] = {
	{"off", KG_LAX_OFF, false},
	{"on", KG_LAX_ON, false},
	{"auto", KG_LAX_AUTO, false},
	{NULL, 0, false}};

static const struct config_enum_entry profiles[] = {
	{"default", KG_PROFILE_DEFAULT, false},
	{"gemini", KG_PROFILE_GEMINI, false},
	{"openai-strict", KG_PROFILE_OPENAI_STRICT, false},
	{"anthropic", KG_PROFILE_ANTHROPIC, false},
	{NULL, 0, false}};

static const struct config_enum_entry mcp_servers[] = {
	{"alone", KG_SERVER_ALONE, false},
	{"primary", KG_SERVER_PRIMARY, false},
	{"standby", KG_SERVER_STANDBY, false},
	{NULL, 0, false}};

static const struct config_enum_entry audit_places[] = {
	{"log", KG_AUDIT_LOG, false},
	{"table", KG_AUDIT_TABLE, false},
	{NULL, 0, false}};

static const struct config_enum_entry audit_arguments[] = {
	{"off", KG_AUDIT_NO_ARGUMENTS, false},
	{"hash", KG_AUDIT_HASH, false},
	{"full", KG_AUDIT_FULL, false},
	{NULL, 0, false}};

static bool
check_toolsets(char **value, void **extra, GucSource source)
{
	char *names = pstrdup(*value);
	List *list;
	ListCell *lc;
	KgToolsets *toolsets;

	if (!SplitIdentifierString(names, ',', &list))
	{
		GUC_check_errdetail("List syntax is invalid.");
		return false;
	}
	foreach(lc, list)
	{
		/*
		 * The existing toolsets depend on the tenant. Therefore each call
		 * checks whether a toolset exists, and this function does not.
		 */
		if (kg_toolset_is_name(lfirst(lc)) || strcmp(lfirst(lc), "all") == 0)
			continue;
		GUC_check_errdetail("\"%s\" is not a name of a toolset.",
							(char *) lfirst(lc));
		return false;
	}
	toolsets = kg_guc_malloc(offsetof(KgToolsets, names) + strlen(*value) + 1);
	if (toolsets == NULL)
		return false;
	memset(toolsets, 0, offsetof(KgToolsets, names));
	foreach(lc, list)
		kg_toolsets_add(toolsets, lfirst(lc));
	toolsets->hash = hash_bytes_extended(
		(const unsigned char *) *value, strlen(*value), 0);
	list_free(list);
	pfree(names);
	*extra = toolsets;
	return true;
}

static void
assign_toolsets(const char *value, void *extra)
{
	kg_setting_toolsets = extra;
}

static void
define_limits(void)
{
	size_t i;

	for (i = 0; i < lengthof(limits); i++)
		DefineCustomIntVariable(limits[i].name,
								limits[i].description,
								NULL,
								limits[i].variable,
								limits[i].value,
								limits[i].min,
								limits[i].max,
								PGC_SUSET,
								limits[i].unit,
								NULL,
								limits[i].assign,
								NULL);
}

static void
define_audit(void)
{
	DefineCustomEnumVariable("kg_graph.audit",
							 "Sets the calls that are recorded for audits.",
							 "Each value includes the values before it: errors "
							 "are failed calls, writes are calls that write.",
							 &kg_setting_audit,
							 KG_AUDIT_OFF,
							 audit_levels,
							 PGC_SUSET,
							 0,
							 NULL,
							 NULL,
							 NULL);
	DefineCustomEnumVariable(
		"kg_graph.audit_arguments",
		"Sets the form in which a record has the arguments of a call.",
		"\"full\" also records the interpreted query and its SQL.",
		&kg_setting_audit_arguments,
		KG_AUDIT_HASH,
		audit_arguments,
		PGC_SUSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomEnumVariable("kg_graph.audit_to",
							 "Sets the destination of audit records.",
							 "Records that cannot be written to the table "
							 "kg_audit go to the server log.",
							 &kg_setting_audit_to,
							 KG_AUDIT_LOG,
							 audit_places,
							 PGC_SUSET,
							 0,
							 NULL,
							 NULL,
							 NULL);
}

static void
define_confirm(void)
{
	DefineCustomEnumVariable(
		"kg_graph.confirm",
		"Sets the tools that must be confirmed before they write.",
		"The first call only returns the changes and a value; a second call "
		"with this value makes the changes.",
		&kg_setting_confirm,
		KG_CONFIRM_OFF,
		confirm_levels,
		PGC_SUSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomEnumVariable(
		"kg_graph.confirm_more",
		"Sets tools that must be confirmed in the caller's own calls.",
		"It can only add tools to those of kg_graph.confirm.",
		&kg_setting_confirm_more,
		KG_CONFIRM_OFF,
		confirm_levels,
		PGC_USERSET,
		0,
		NULL,
		NULL,
		NULL);
}

static void
define_forms(void)
{
	DefineCustomEnumVariable(
		"kg_graph.big_numbers",
		"Sets the form of numbers above 2^53 in the results of tools.",
		"Text is for clients that read every number as a double.",
		&kg_setting_big_numbers,
		KG_NUMBERS_NUMBER,
		big_numbers,
		PGC_USERSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomEnumVariable(
		"kg_graph.schema_lax",
		"Publishes input schemas that accept any arguments.",
		"For clients that check arguments before they send them; \"auto\" does "
		"so for clients that are known by name.",
		&kg_setting_schema_lax,
		KG_LAX_AUTO,
		laxities,
		PGC_USERSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomEnumVariable("kg_graph.schema_profile",
							 "Sets the vendor whose subset of JSON Schema the "
							 "published schemas use.",
							 "Calls are validated against the schemas of the "
							 "value \"default\" in any case.",
							 &kg_setting_schema_profile,
							 KG_PROFILE_DEFAULT,
							 profiles,
							 PGC_USERSET,
							 0,
							 NULL,
							 NULL,
							 NULL);
}

void
kg_settings_bounds(KgLowered which, int *min, int *max)
{
	for (size_t i = 0; i < lengthof(limits); i++)
		if (limits[i].variable == &lowered[which].configured)
		{
			*min = limits[i].min;
			*max = limits[i].max;
		}
}

void
kg_settings_define(void)
{
	define_limits();
	define_audit();
	define_confirm();
	define_forms();
	DefineCustomStringVariable(
		"kg_graph.agent",
		"Selects the agent among the agents of the tenant.",
		"It has no effect on a caller with a token, whose agent the token "
		"names.",
		&kg_setting_agent,
		"",
		PGC_USERSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomStringVariable(
		"kg_graph.explorer_file",
		"Sets the page of the explorer, for MCP clients that show pages.",
		"A path, or the name of a file in the folder of the extension; if it "
		"is empty, there is no page.",
		&kg_setting_explorer_file,
		"kg_graph.explorer.html",
		PGC_SUSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomEnumVariable(
		"kg_graph.mcp_text",
		"Repeats a tool's structured reply as JSON text in its MCP result.",
		"\"on\": the reply as it is; \"rows\": a shorter form; \"auto\": rows "
		"for the toolset compact, and on for others; \"off\": one line, for "
		"clients that read structured content.",
		&kg_setting_mcp_text,
		KG_TEXT_AUTO,
		mcp_texts,
		PGC_USERSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomBoolVariable(
		"kg_graph.mcp_edges",
		"Reports to a gateway the number of edges that a message has read.",
		"kg_mcp() sends a NOTICE with SQLSTATE KGMCP when it returns.",
		&kg_setting_mcp_edges,
		false,
		PGC_USERSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomEnumVariable("kg_graph.mcp_server",
							 "Sets the role of this server for kg_mcp(), for a "
							 "gateway that has several servers.",
							 "On a primary, the reply to a write says how to "
							 "read the write at a standby; a standby hands "
							 "over calls that only the primary can execute.",
							 &kg_setting_mcp_server,
							 KG_SERVER_ALONE,
							 mcp_servers,
							 PGC_USERSET,
							 0,
							 NULL,
							 NULL,
							 NULL);
	DefineCustomIntVariable(
		"kg_graph.progress",
		"Sets the interval of the progress reports of long statements.",
		"Statements that work in batches send NOTICEs with SQLSTATE KGPRO; -1: "
		"never, 0: after each batch.",
		&kg_setting_progress,
		-1,
		-1,
		INT_MAX,
		PGC_USERSET,
		GUC_UNIT_MS,
		NULL,
		NULL,
		NULL);
	DefineCustomBoolVariable(
		"kg_graph.notify_changes",
		"Sends notifications of changes of types and relations with history.",
		"They are sent on the channel kg_mcp, once for each transaction.",
		&kg_setting_notify_changes,
		false,
		PGC_SUSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomBoolVariable(
		"kg_graph.session_login",
		"Allows kg_login to bind an identity to the session.",
		"Set it only for connections that are never shared between callers.",
		&kg_setting_session_login,
		false,
		PGC_SUSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomStringVariable(
		"kg_graph.tenant",
		"Selects the tenant among those granted to the current role.",
		NULL,
		&kg_setting_tenant,
		"",
		PGC_USERSET,
		0,
		NULL,
		NULL,
		NULL);
	DefineCustomStringVariable(
		"kg_graph.toolsets",
		"Selects the toolsets that are listed and can be called by name.",
		"An agent's own toolsets can only restrict this selection.",
		&setting_toolsets,
		"all",
		PGC_USERSET,
		0,
		check_toolsets,
		assign_toolsets,
		NULL);
	DefineCustomBoolVariable(
		"kg_graph.virtual_graph",
		"Reads stored types through the virtual graph if possible.",
		"For tests, which compare the replies with those of the native engine.",
		&kg_setting_virtual_graph,
		false,
		PGC_SUSET,
		0,
		NULL,
		NULL,
		NULL);
	MarkGUCPrefixReserved("kg_graph");
}
