/*
 * reply_text.h
 *	  A reply as the text of an MCP result. Most clients give a model only
 *	  this text.
 */
#ifndef KG_REPLY_TEXT_H
#define KG_REPLY_TEXT_H

#include "base/settings.h"
#include "utils/jsonb.h"

/*
 * Returns the setting kg_graph.mcp_text for the tools of a toolset (0: tools
 * without a toolset).
 */
extern KgReplyText kg_reply_text_kind(int toolset);

/*
 * Returns the text of a reply, ordered for reading: totals and omissions, the
 * answer, its nodes and edges. KG_TEXT_ROWS writes rows instead of objects and
 * omits data that the sent arguments imply. If sent is NULL, the form of the
 * reply is unknown, and only blanks are removed. size is the length of the
 * reply as text, or 0 if it is unknown.
 */
extern char *kg_reply_text(const JsonbContainer *reply, const Jsonb *sent,
						   KgReplyText kind, Size size);

#endif /* KG_REPLY_TEXT_H */
