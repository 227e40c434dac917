/*
 * app_page.h
 *	  The explorer's page.
 */
#ifndef KG_MCP_APP_PAGE_H
#define KG_MCP_APP_PAGE_H

#include "base/json.h"

/* Returns the page, or NULL if it cannot be read. */
extern char *kg_mcp_app_page(void);

/*
 * Returns true if the file exists and is the explorer's page. Reads the file
 * only if it has changed since the last check.
 */
extern bool kg_mcp_app_page_exists(void);

/* Writes the member _meta of the contents of the page's resource. */
extern void kg_mcp_app_write_page_meta(KgJsonWriter *w);

#endif /* KG_MCP_APP_PAGE_H */
