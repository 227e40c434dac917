/*
 * settings.h
 *	  Every kg_graph.* setting.  Limits are superuser-settable; each is named
 *	  in the error that it causes.
 */
#ifndef KG_SETTINGS_H
#define KG_SETTINGS_H

/* Which calls are recorded (auth/audit.h); each those before it, too. */
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

/* What of their arguments. */
typedef enum KgAuditArguments
{
	KG_AUDIT_NO_ARGUMENTS,
	KG_AUDIT_HASH,
	KG_AUDIT_FULL
} KgAuditArguments;

/* Which writing tools ask first (tools/write/confirm.h); each those before it, too. */
typedef enum KgConfirmLevel
{
	KG_CONFIRM_OFF,
	KG_CONFIRM_DELETES,
	KG_CONFIRM_ALL
} KgConfirmLevel;

/* What an MCP result has as text (tools/reply/reply_text.h). */
typedef enum KgReplyText
{
	KG_TEXT_OFF,
	KG_TEXT_ON,
	KG_TEXT_ROWS,
	KG_TEXT_AUTO
} KgReplyText;

/* What the server is to a gateway that has several (mcp/wrote.h). */
typedef enum KgMcpServer
{
	KG_SERVER_ALONE,
	KG_SERVER_PRIMARY,
	KG_SERVER_STANDBY
} KgMcpServer;

extern int kg_setting_confirm;
extern int kg_setting_confirm_more; /* the caller's own */
extern int kg_setting_audit;
extern int kg_setting_audit_to;
extern int kg_setting_audit_arguments;
extern char *kg_setting_agent; /* chooses among the tenant's agents */
extern const struct KgToolsets *kg_setting_toolsets;
extern char *kg_setting_tenant;			/* chooses among the granted tenants */
extern int kg_setting_idempotency_time; /* seconds */
extern int kg_setting_load_time;		/* seconds */
extern int kg_setting_max_entity_bytes;
extern int kg_setting_max_batch_bytes;
extern int kg_setting_max_batch_messages;
extern int kg_setting_max_bundle_bytes; /* kilobytes */
extern int kg_setting_max_key_bytes;
extern int kg_setting_max_argument_bytes;
extern int kg_setting_authorizer_batch;	  /* ids a call of the function */
extern int kg_setting_max_authorizations; /* decisions a call */
extern int kg_setting_exchange_time;	  /* seconds */
extern int kg_setting_max_depth;	   /* nesting of arguments and entities */
extern int kg_setting_max_reply_bytes; /* ceiling of max_bytes */
extern int kg_setting_reply_bytes;	   /* default of max_bytes */
extern int kg_setting_max_total;	   /* how far a total is counted */
extern int kg_setting_max_call_time;   /* milliseconds; 0: no limit */
extern int kg_setting_max_offset;
extern int kg_setting_max_properties;
extern int kg_setting_max_scan;
extern int kg_setting_max_search_matches;
extern int kg_setting_max_as_of_changes;
extern int kg_setting_max_visited;
extern int kg_setting_max_cost;
extern int kg_setting_max_edges;
extern int kg_setting_max_filters;	  /* properties of one "filters" */
extern int kg_setting_max_hops;		  /* of any search */
extern int kg_setting_max_walk_hops;  /* of explore_neighbors */
extern int kg_setting_max_ids;		  /* of one selection or seeds */
extern int kg_setting_max_tool_bytes; /* kilobytes of a definition */
extern int kg_setting_max_tool_operations;
extern int kg_setting_max_steps;		/* of a chain of relationships */
extern int kg_setting_max_query_memory; /* kilobytes; 0: no limit */
extern int kg_setting_max_query_temp;	/* kilobytes; 0: no limit */
extern int kg_setting_max_ranked;
extern int kg_setting_max_rows;			 /* highest limit of a graph tool */
extern int kg_setting_max_search_memory; /* kilobytes */
extern int kg_setting_max_errors;
extern int kg_setting_plan_cache_size;

extern int kg_setting_max_token_bytes;
extern char *kg_setting_explorer_file; /* the page of the MCP App */
extern int kg_setting_mcp_text;		   /* KgReplyText */
extern bool kg_setting_mcp_edges;	   /* read by a message, for gateways */
extern int kg_setting_mcp_server;	   /* KgMcpServer */
extern int kg_setting_progress;		   /* milliseconds; -1: none is told */
extern bool kg_setting_session_login;  /* may kg_login bind the session? */

extern int kg_setting_schema_in_instructions; /* bytes; 0: never */
extern int kg_setting_schema_cache_size;	  /* kilobytes */
extern int kg_setting_schema_max_bytes;
extern int kg_setting_schema_max_depth;
extern int kg_setting_schema_max_match_steps;
extern int kg_setting_schema_max_nodes;
extern int kg_setting_schema_max_steps;

/*
 * What a caller's own limits (auth/limits.h) lower for the time of a call.  The
 * variables above have the value in force, whoever lowered it.
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

/* What the setting may be. */
extern void kg_settings_bounds(KgLowered which, int *min, int *max);

extern void kg_settings_define(void);

#endif /* KG_SETTINGS_H */
