/*
 * validity.h
 *	  valid_at: a call that asks what holds at an instant.
 *
 *	  A node or an edge whose period (model/period.h) does not have the instant
 *	  is, for the call, not there.  That is decided in one place: where a tool's
 *	  statement names kg_entity or kg_edge it gets the rows that hold, and what
 *	  stands for those rows otherwise (keys, terms, packed edges) is taken as it is
 *	  for a caller from whom a policy hides them.  A call without valid_at has the
 *	  statements that it always had.
 */
#ifndef KG_VALIDITY_H
#define KG_VALIDITY_H

#include "model/adjacency.h"
#include "model/catalog.h"
#include "lib/stringinfo.h"

/* Are there nodes, or edges, that may not hold at the instant asked for? */
#define KG_VALID_NODES 1
#define KG_VALID_EDGES 2

/*
 * The call that runs asks for an instant: "now", which is the same in all of the
 * call, or a date-time; NULL: for none.  Raises KG_INVALID_INPUT at path.
 */
extern void kg_validity_ask(const KgCatalog *catalog, const char *valid_at,
							const char *path);

/*
 * What the call reads is not what is stored now, and who reads it asks
 * kg_validity_has() of it.
 */
extern void kg_validity_leave_rows(void);

/* Which of KG_VALID_* the call asks about. */
extern int kg_validity_hides(void);
/* Does it ask about edges of one of these relations? */
extern bool kg_validity_hides_edges(const KgRelationSet *relations);
/* As kg_derived_rows_suffice(), at the instant. */
extern bool kg_validity_rows_suffice(const KgCatalog *catalog);

/*
 * The condition on a row of a table, for its columns; NULL where it has none.
 */
extern const char *kg_validity_condition(const char *table);

/* Asked by that condition. */
extern bool kg_validity_has_node(int32 type_no, Datum data);
extern bool kg_validity_has_edge(int32 relation_no, Datum properties);
/* The same of a document. */
extern bool kg_validity_has(const KgType *type, const Jsonb *data);

/* The instant as a date-time; NULL: none is asked for. */
extern const char *kg_validity_instant(void);
/*
 * Around the payload of a cursor: what "now" was on the first page it stays on
 * those that follow.
 */
extern void kg_validity_keep(StringInfo payload);
extern void kg_validity_take(StringInfo payload);

#endif /* KG_VALIDITY_H */
