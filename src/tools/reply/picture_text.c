/*
 * picture_text.c
 *	  Writes pictures in the languages of Mermaid and Graphviz (DOT).
 *
 *	  Nodes have numbers as identifiers, so names need not be identifiers in
 *	  these languages. Names occur only in quoted labels. Every character that
 *	  could end or restyle a label is written as an escape of the language.
 */
#include "postgres.h"
#include "base/text.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "tools/reply/picture.h"
#include "utils/builtins.h"

/*
 * A function that writes one character of a label with the escapes of a
 * language. Control characters have already been replaced by blanks.
 */
typedef void (*EscapeFunction)(StringInfo buf, const char *s, int len);

/*
 * Appends a character of a label, escaped for Mermaid if necessary. Mermaid
 * reads #name; and #number; as characters, and a label that begins with a
 * backquote as markup. Browsers would interpret HTML in labels.
 */
static void
escape_mermaid(StringInfo buf, const char *s, int len)
{
	if (len == 1 && strchr("\"#&<>`\\;", *s) != NULL)
		appendStringInfo(buf, "#%d;", *s);
	else
		appendBinaryStringInfo(buf, s, len);
}

static void
escape_dot(StringInfo buf, const char *s, int len)
{
	if (len == 1 && (*s == '"' || *s == '\\'))
		appendStringInfoChar(buf, '\\');
	appendBinaryStringInfo(buf, s, len);
	/*
	 * DOT would read an HTML entity such as &lt; as the character that it
	 * stands for.
	 */
	if (len == 1 && *s == '&')
		appendStringInfoString(buf, "amp;");
}

/*
 * Appends a line of a label. If the line has more than max characters, "..."
 * replaces the rest.
 */
static void
append_line(StringInfo buf, const char *s, int len, int max,
			EscapeFunction escape)
{
	const char *end = s + len;

	for (int n = 0; s < end; n++)
	{
		int width = pg_mblen(s);

		if (n == max)
		{
			appendStringInfoString(buf, "...");
			return;
		}
		if (kg_control_len(s, end - s) > 0)
			appendStringInfoChar(buf, ' ');
		else
			escape(buf, s, Min(width, (int) (end - s)));
		s += width;
	}
}

static void
append_label(StringInfo buf, const KgPicture *picture,
			 const KgPictureNode *node, const char *line_end,
			 EscapeFunction escape)
{
	if (node->name != NULL)
	{
		append_line(buf, node->name, node->namelen, picture->max_label, escape);
		appendStringInfoString(buf, line_end);
	}
	append_line(buf, node->handle, node->handlelen, picture->max_label, escape);
}

text *
kg_picture_mermaid(const KgPicture *picture)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "flowchart %s\n", picture->direction);
	for (int i = 0; i < picture->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfo(&buf, "  n%d[\"", i + 1);
		append_label(
			&buf, picture, &picture->nodes[i], "<br/>", escape_mermaid);
		appendStringInfoString(&buf, "\"]\n");
	}
	for (int i = 0; i < picture->nedges; i++)
	{
		const KgPictureEdge *edge = &picture->edges[i];

		CHECK_FOR_INTERRUPTS();
		appendStringInfo(
			&buf, "  n%d %s", edge->from + 1, edge->symmetric ? "---" : "-->");
		if (edge->labellen > 0)
		{
			appendStringInfoString(&buf, "|\"");
			append_line(&buf,
						edge->label,
						edge->labellen,
						picture->max_label,
						escape_mermaid);
			appendStringInfoString(&buf, "\"|");
		}
		appendStringInfo(&buf, " n%d\n", edge->to + 1);
	}
	return cstring_to_text_with_len(buf.data, buf.len);
}

text *
kg_picture_dot(const KgPicture *picture)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf,
					 "digraph {\n  rankdir=%s;\n  node [shape=box];\n",
					 picture->direction);
	for (int i = 0; i < picture->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfo(&buf, "  n%d [label=\"", i + 1);
		append_label(&buf, picture, &picture->nodes[i], "\\n", escape_dot);
		appendStringInfoString(&buf, "\"];\n");
	}
	for (int i = 0; i < picture->nedges; i++)
	{
		const KgPictureEdge *edge = &picture->edges[i];

		CHECK_FOR_INTERRUPTS();
		appendStringInfo(
			&buf, "  n%d -> n%d [label=\"", edge->from + 1, edge->to + 1);
		append_line(
			&buf, edge->label, edge->labellen, picture->max_label, escape_dot);
		appendStringInfo(&buf, "\"%s];\n", edge->symmetric ? ", dir=none" : "");
	}
	appendStringInfoString(&buf, "}\n");
	return cstring_to_text_with_len(buf.data, buf.len);
}
