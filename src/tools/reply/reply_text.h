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
 * In the order to read it in: how much there is and what is missing, the answer,
 * the nodes and edges that it speaks of.  KG_TEXT_ROWS: without what goes without
 * saying to who sent these arguments, and with rows in place of objects; NULL: the
 * reply is none of ours, its members mean what its author says; then without
 * blanks alone.  size: its length as text, where that is known, or 0.
 */
extern char *kg_reply_text(const JsonbContainer *reply, const Jsonb *sent,
						   KgReplyText kind, Size size);

#endif /* KG_REPLY_TEXT_H */
