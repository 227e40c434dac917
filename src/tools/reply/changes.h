/*
 * changes.h
 *	  Replies that list changes of the history.
 */
#ifndef KG_REPLY_CHANGES_H
#define KG_REPLY_CHANGES_H

#include "base/json.h"
#include "model/marks.h"
#include "query/time/history.h"
#include "tools/input/input.h"

/* A page of changes, as a reply. */
typedef struct KgChangesPage
{
	const KgInput *input;
	const KgChange *changes;
	int n;
	bool more; /* the limit excludes further changes */
	KgMarks marks;
	/* Writes the reply's members before "changes"; or NULL. */
	void (*head)(const void *state, KgJsonWriter *w);
	/* Writes the members that name the changed entity or edge; or NULL. */
	void (*subject)(const void *state, const KgChange *change, KgJsonWriter *w);
	/* Returns the cursor of the changes after this one. */
	const char *(*cursor)(const void *state, const KgChange *last);
	const void *state;
} KgChangesPage;

/* Returns the reply, within the call's max_bytes. */
extern Jsonb *kg_changes_reply(const KgChangesPage *page);

#endif /* KG_REPLY_CHANGES_H */
