/*
 * validity.h
 *	  valid_at: a call that reads the nodes and edges that are valid at an
 *	  instant.
 *
 * A node or an edge does not exist for the call if its period (model/period.h)
 * does not contain the instant. A tool's statement that names kg_entity or
 * kg_edge gets only the valid rows. Data derived from these rows (keys, terms,
 * packed edges) is used as for a caller that a policy restricts. A call without
 * valid_at has unchanged statements.
 */
#ifndef KG_VALIDITY_H
#define KG_VALIDITY_H

#include "model/adjacency.h"
#include "model/catalog.h"
#include "lib/stringinfo.h"

struct KgCall;

/* Flags: some nodes, or some edges, may not be valid at the instant. */
#define KG_VALID_NODES 1
#define KG_VALID_EDGES 2

/*
 * Sets the instant of the running call: "now", which is the same in the whole
 * call, or a date-time; NULL: no instant. Raises KG_INVALID_INPUT at path for
 * any other text.
 */
extern void kg_validity_ask(const KgCatalog *catalog, const char *valid_at,
							const char *path);

/*
 * Makes the statements of the call read all rows, also rows that are not valid
 * at the instant. For a call that does not read the present rows: its reader
 * calls kg_validity_has() for each row instead.
 */
extern void kg_validity_leave_rows(void);

/* Returns the flags KG_VALID_* of the call. */
extern int kg_validity_hides(void);
/*
 * Returns whether edges of one of these relations may not be valid at the
 * instant.
 */
extern bool kg_validity_hides_edges(const KgRelationSet *relations);
/*
 * Returns whether derived rows suffice (kg_derived_rows_suffice()) at the
 * instant.
 */
extern bool kg_validity_rows_suffice(const KgCatalog *catalog);

/*
 * Returns the condition on a row of a table, as SQL with the table's columns;
 * NULL if the table has no condition.
 */
extern const char *kg_validity_condition(const char *table);

/*
 * Return whether the node or edge is valid at the instant. The condition of
 * kg_validity_condition() calls them.
 */
extern bool kg_validity_has_node(int32 type_no, Datum data);
extern bool kg_validity_has_edge(int32 relation_no, Datum properties);
/* Returns whether an entity with this document is valid at the instant. */
extern bool kg_validity_has(const KgType *type, const Jsonb *data);

/* Returns the instant as a date-time; NULL if the call has no instant. */
extern const char *kg_validity_instant(void);
/*
 * Returns the instant of a call, which need not be the running call; NULL if
 * it has no instant.
 */
extern const char *kg_validity_instant_of(const struct KgCall *call);
/*
 * Write the value of "now" into the payload of a cursor, and read it from
 * there. So the pages that follow have the value of "now" of the first page.
 */
extern void kg_validity_keep(StringInfo payload);
extern void kg_validity_take(StringInfo payload);

#endif /* KG_VALIDITY_H */
