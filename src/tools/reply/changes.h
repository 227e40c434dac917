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
	bool more; /* true: there are more changes, which the limit excludes */
	KgMarks marks;
	/* Writes the members of the reply that precede "changes"; or NULL. */
	void (*head)(const void *state, KgJsonWriter *w);
	/* Writes the members that name the changed entity or edge; or NULL. */
	void (*subject)(const void *state, const KgChange *change, KgJsonWriter *w);
	/* Returns the cursor of the page that begins after the change. */
	const char *(*cursor)(const void *state, const KgChange *last);
	const void *state;
} KgChangesPage;

/*
 * Returns a reply with the changes. The reply has at most max_bytes of the
 * call.
 */
extern Jsonb *kg_changes_reply(const KgChangesPage *page);

#endif /* KG_REPLY_CHANGES_H */
