/*
 * app.h
 *	  The explorer as an MCP App: its page, the tools whose results it shows,
 *	  and its own tool.
 */
#ifndef KG_MCP_APP_H
#define KG_MCP_APP_H

#include "mcp/protocol.h"

#define KG_MCP_APP_URI "ui://kg_graph/explorer"
#define KG_MCP_APP_MIME "text/html;profile=mcp-app"
/* Name of the page's own tool.  Names of other tools begin with a letter. */
#define KG_MCP_APP_TOOL "_explorer"

/*
 * Returns true if the Apps extension is in use: the revision's tools have
 * _meta, the client shows such pages, and the page exists.
 */
extern bool kg_mcp_app_agreed(KgMcpRevision revision,
							  const JsonbContainer *capabilities);
/*
 * Returns true if the gateway's message says that the extension was agreed on
 * with the client.
 */
extern bool kg_mcp_app_remembered(KgMcpRevision revision,
								  const JsonbContainer *message);

/* Writes the server's capability that agrees to the extension. */
extern void kg_mcp_app_write_capability(KgJsonWriter *w);

/*
 * kg_mcp_app_shows() returns true if the page shows the results of a tool of
 * the caller. The second function writes the member that names the page.
 */
extern bool kg_mcp_app_shows(const char *tool);
extern void kg_mcp_app_write_tool_meta(KgJsonWriter *w);

/* Returns the page's own tool as an item of tools/list. */
extern Jsonb *kg_mcp_app_tool(void);

/*
 * Returns the result of the page's own tool: the names of the n reading tools,
 * and the resources of the caller's types.
 */
extern Jsonb *kg_mcp_app_start(KgMcpRequest *req, Jsonb *const *tools, int n);

#endif /* KG_MCP_APP_H */
