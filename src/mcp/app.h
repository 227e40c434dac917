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
/*
 * Name of the tool that only the page calls. Names of other tools begin with a
 * letter.
 */
#define KG_MCP_APP_TOOL "_explorer"

/*
 * Returns true if the MCP Apps extension can be used: the revision allows _meta
 * in tools, the client can show pages of the extension, and the page is
 * installed.
 */
extern bool kg_mcp_app_agreed(KgMcpRevision revision,
							  const JsonbContainer *capabilities);
/*
 * Returns true if the gateway's message says that client and server have agreed
 * to use the Apps extension. The revision must allow _meta in tools, and the
 * page must still be installed.
 */
extern bool kg_mcp_app_remembered(KgMcpRevision revision,
								  const JsonbContainer *message);

/*
 * Writes the server capability by which the server agrees to the Apps
 * extension.
 */
extern void kg_mcp_app_write_capability(KgJsonWriter *w);

/*
 * kg_mcp_app_shows() returns true if the page can show the results of the tool.
 * kg_mcp_app_write_tool_meta() writes the tool's member _meta, which names the
 * page.
 */
extern bool kg_mcp_app_shows(const char *tool);
extern void kg_mcp_app_write_tool_meta(KgJsonWriter *w);

/* Returns the tool that only the page calls, as an item of tools/list. */
extern Jsonb *kg_mcp_app_tool(void);

/*
 * Returns the result of the tool that only the page calls: the resources of the
 * caller's types, and the names of those of the n tools that only read.
 */
extern Jsonb *kg_mcp_app_start(KgMcpRequest *req, Jsonb *const *tools, int n);

#endif /* KG_MCP_APP_H */
