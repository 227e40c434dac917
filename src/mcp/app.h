/*
 * app.h
 *	  The explorer as an MCP App: its page, the tools that are shown by it and the
 *	  one tool that is its own.
 */
#ifndef KG_MCP_APP_H
#define KG_MCP_APP_H

#include "mcp/protocol.h"

#define KG_MCP_APP_URI "ui://kg_graph/explorer"
#define KG_MCP_APP_MIME "text/html;profile=mcp-app"
/* No other tool can have it: names of tools begin with a letter. */
#define KG_MCP_APP_TOOL "_explorer"

/*
 * Is the extension agreed on?  Of a revision whose tools have _meta, by a client
 * that shows such pages, where the page is.
 */
extern bool kg_mcp_app_agreed(KgMcpRevision revision,
							  const JsonbContainer *capabilities);
/* The same of a client whose gateway remembers that it was. */
extern bool kg_mcp_app_remembered(KgMcpRevision revision,
								  const JsonbContainer *message);

/* The member of the server's capabilities that agrees. */
extern void kg_mcp_app_write_capability(KgJsonWriter *w);

/* Whether the page shows what a tool of the caller answers; that it does. */
extern bool kg_mcp_app_shows(const char *tool);
extern void kg_mcp_app_write_tool_meta(KgJsonWriter *w);

/* The page's own tool, as it is listed. */
extern Jsonb *kg_mcp_app_tool(void);

/*
 * What that tool answers, as a result: the names of the tools (n of them) that
 * read, and the resources of the caller's types.
 */
extern Jsonb *kg_mcp_app_start(KgMcpRequest *req, Jsonb *const *tools, int n);

#endif /* KG_MCP_APP_H */
