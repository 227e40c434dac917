/*
 * reply_text.h
 *	  A reply as the text of an MCP result. Most clients pass only this text
 *	  to a model.
 */
#ifndef KG_REPLY_TEXT_H
#define KG_REPLY_TEXT_H

#include "base/settings.h"
#include "utils/jsonb.h"

/*
 * Returns the value of kg_graph.mcp_text that applies to the tools of a
 * toolset. toolset 0 means tools that belong to no toolset.
 */
extern KgReplyText kg_reply_text_kind(int toolset);

/*
 * Returns the text of a reply, in the order in which it is read: totals and
 * omissions, then the answer, then its nodes and edges. KG_TEXT_ROWS writes
 * rows instead of arrays of objects, and omits data that the sent arguments
 * imply. If sent is NULL, the form of the reply is unknown, and only white
 * space is removed. size is the length of the reply as text in bytes, or 0 if
 * unknown.
 */
extern char *kg_reply_text(const JsonbContainer *reply, const Jsonb *sent,
						   KgReplyText kind, Size size);

#endif /* KG_REPLY_TEXT_H */
