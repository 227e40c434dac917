/*
 * settings.h
 *	  The kg_graph.* settings.
 *
 * Limits can be set by superusers only. An error that a limit causes names the
 * limit.
 */
#ifndef KG_SETTINGS_H
#define KG_SETTINGS_H

/*
 * Calls that are recorded (auth/audit.h); each level includes those before it.
 */
typedef enum KgAuditLevel
{
	KG_AUDIT_OFF,
	KG_AUDIT_ERRORS,
	KG_AUDIT_WRITES_TOO,
	KG_AUDIT_ALL
} KgAuditLevel;

typedef enum KgAuditTo
{
	KG_AUDIT_LOG,
	KG_AUDIT_TABLE
} KgAuditTo;

/* The part of the arguments of calls that is recorded. */
typedef enum KgAuditArguments
{
	KG_AUDIT_NO_ARGUMENTS,
	KG_AUDIT_HASH,
	KG_AUDIT_FULL
} KgAuditArguments;

/*
 * Writing tools that request confirmation (tools/write/confirm.h); each level
 * includes those before it.
 */
typedef enum KgConfirmLevel
{
	KG_CONFIRM_OFF,
	KG_CONFIRM_DELETES,
	KG_CONFIRM_ALL
} KgConfirmLevel;

/* The text content of an MCP result (tools/reply/reply_text.h). */
typedef enum KgReplyText
{
	KG_TEXT_OFF,
	KG_TEXT_ON,
	KG_TEXT_ROWS,
	KG_TEXT_AUTO
} KgReplyText;

/* The kind of client that the published schemas are for. */
typedef enum KgSchemaProfile
{
	KG_PROFILE_DEFAULT,
	KG_PROFILE_GEMINI,
	KG_PROFILE_OPENAI_STRICT,
	KG_PROFILE_ANTHROPIC
} KgSchemaProfile;

/* Whether the published schemas of arguments accept every value. */
typedef enum KgSchemaLax
{
	KG_LAX_OFF,
	KG_LAX_ON,
	/* only for clients that are known to check arguments */
	KG_LAX_AUTO
} KgSchemaLax;

/* The form of numbers that a double does not represent exactly. */
typedef enum KgBigNumbers
{
	KG_NUMBERS_NUMBER,
	KG_NUMBERS_TEXT
} KgBigNumbers;

/* The server's role behind a gateway that has several servers (mcp/wrote.h). */
typedef enum KgMcpServer
{
	KG_SERVER_ALONE,
	KG_SERVER_PRIMARY,
	KG_SERVER_STANDBY
} KgMcpServer;

extern int kg_setting_confirm;
extern int kg_setting_confirm_more; /* set by callers for themselves */
extern int kg_setting_audit;
extern int kg_setting_audit_to;
extern int kg_setting_audit_arguments;
/* name of an agent of the tenant; selects this agent */
extern char *kg_setting_agent;
extern const struct KgToolsets *kg_setting_toolsets;
/* name of a tenant granted to the role; selects this tenant */
extern char *kg_setting_tenant;
extern int kg_setting_idempotency_time; /* seconds */
extern int kg_setting_load_time;		/* seconds */
extern int kg_setting_max_entity_bytes;
extern int kg_setting_max_batch_bytes;
extern int kg_setting_max_batch_messages;
extern int kg_setting_max_bundle_bytes; /* kilobytes */
extern int kg_setting_max_key_bytes;
extern int kg_setting_max_argument_bytes;
/* maximum number of ids in one call of the authorizer */
extern int kg_setting_authorizer_batch;
/* maximum number of decisions about visibility in one call of a tool */
extern int kg_setting_max_authorizations;
extern int kg_setting_exchange_time; /* seconds */
/* maximum nesting depth of arguments and entities */
extern int kg_setting_max_depth;
extern int kg_setting_max_reply_bytes; /* upper bound of max_bytes */
extern int kg_setting_reply_bytes;	   /* default of max_bytes */
/* maximum rows of a table that is read without an index */
extern int kg_setting_max_unindexed;
extern int kg_setting_max_total;	 /* highest total that is counted */
extern int kg_setting_max_call_time; /* milliseconds; 0: no limit */
extern int kg_setting_max_offset;
extern int kg_setting_max_properties;
extern int kg_setting_max_scan;
extern int kg_setting_max_search_matches;
extern int kg_setting_max_as_of_changes;
extern int kg_setting_max_visited;
extern int kg_setting_max_cost;
extern int kg_setting_max_edges;
/* maximum number of properties in one "filters" */
extern int kg_setting_max_filters;
/* maximum number of hops of any graph search */
extern int kg_setting_max_hops;
/* maximum number of hops of explore_neighbors */
extern int kg_setting_max_walk_hops;
/* maximum number of ids in one selection or in "seeds" */
extern int kg_setting_max_ids;
/* kilobytes; maximum size of a tool definition */
extern int kg_setting_max_tool_bytes;
extern int kg_setting_max_tool_operations;
/* maximum number of steps in a chain of relationships */
extern int kg_setting_max_steps;
extern int kg_setting_max_query_memory; /* kilobytes; 0: no limit */
extern int kg_setting_max_query_temp;	/* kilobytes; 0: no limit */
extern int kg_setting_max_ranked;
extern int kg_setting_max_rows;			 /* highest "limit" of a graph tool */
extern int kg_setting_max_search_memory; /* kilobytes */
extern int kg_setting_max_errors;
extern int kg_setting_plan_cache_size;

extern int kg_setting_max_token_bytes;
extern int kg_setting_big_numbers;	   /* KgBigNumbers */
extern char *kg_setting_explorer_file; /* file of the MCP App's page */
extern int kg_setting_mcp_text;		   /* KgReplyText */
/* the number of edges that a message reads is reported to gateways */
extern bool kg_setting_mcp_edges;
extern int kg_setting_mcp_server; /* KgMcpServer */
extern int kg_setting_progress;	  /* milliseconds; -1: no reports */
/* recorded changes are announced by NOTIFY */
extern bool kg_setting_notify_changes;
/* kg_login() may bind the identity to the session */
extern bool kg_setting_session_login;
/* stored types are read through the virtual graph, too (for tests) */
extern bool kg_setting_virtual_graph;

extern int kg_setting_schema_lax;			  /* KgSchemaLax */
extern int kg_setting_schema_profile;		  /* KgSchemaProfile */
extern int kg_setting_schema_in_instructions; /* bytes; 0: never */
extern int kg_setting_schema_cache_size;	  /* kilobytes */
extern int kg_setting_schema_max_bytes;
extern int kg_setting_schema_max_depth;
extern int kg_setting_schema_max_match_steps;
extern int kg_setting_schema_max_nodes;
extern int kg_setting_schema_max_steps;

/*
 * Settings that a caller's own limits (auth/limits.h) lower during a call.
 * The variables above have the value in force, lowered or not.
 */
typedef enum KgLowered
{
	KG_LOWER_COST,
	KG_LOWER_ROWS,
	KG_LOWER_REPLY_BYTES,
	KG_LOWER_CALL_TIME,
	KG_NLOWERED
} KgLowered;

extern void kg_settings_lower(KgLowered which, int most);
extern void kg_settings_restore(void);

/* Sets *min and *max to the bounds of the setting. */
extern void kg_settings_bounds(KgLowered which, int *min, int *max);

extern void kg_settings_define(void);

#endif /* KG_SETTINGS_H */
