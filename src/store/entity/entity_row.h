/*
 * entity_row.h
 *	  A row of kg_entity as it will be stored.
 *
 * values and nulls are the columns of a row in the order below. old has the
 * columns of the row before an update.
 */
#ifndef KG_ENTITY_ROW_H
#define KG_ENTITY_ROW_H

#include "commands/trigger.h"
#include "miscadmin.h"
#include "model/catalog.h"
#include "store/entity/node_list.h"
#include "utils/tuplestore.h"

/* Columns of kg_entity, as indexes into arrays of values. */
enum
{
	KG_ROW_TENANT,
	KG_ROW_BUNDLE,
	KG_ROW_TYPE,
	KG_ROW_ID,
	KG_ROW_NODE,
	KG_ROW_TYPE_NO,
	KG_ROW_SCOPE,
	KG_ROW_VERSION,
	KG_ROW_CREATED,
	KG_ROW_UPDATED,
	KG_ROW_DATA,
	KG_ROW_KEYS,
	KG_ROW_COLUMNS
};

extern const char *const kg_row_columns[KG_ROW_COLUMNS];

/* Fills in the columns of a row, and raises an error for its faults. */
extern const KgType *kg_row_complete(const TriggerData *trigdata,
									 const Datum *old, Datum *values,
									 bool *nulls);
/* Returns whether an update keeps the id of its row. */
extern bool kg_row_same_id(const Datum *old, const Datum *values);
/* Raises an error if an update changes a column that users may not change. */
extern void kg_row_check_unchanged(const Datum *old, const Datum *values,
								   const bool *nulls);
/*
 * Raises the version of a row that gets an id above the last version of that
 * id.
 */
extern void kg_row_begin_version(const KgType *type, Datum *values);
/*
 * Fills in the node. Only some roles may choose its number, because rows about
 * a node, such as the history of its edges, belong to the entity that had this
 * number.
 */
extern void kg_row_fill_node(Datum *values, bool *nulls);
/* Draws the number of a new node from its sequence. */
extern int64 kg_row_draw_node(void);
/*
 * Permits the rows of the caller's next statement to have these nodes, which
 * the caller has drawn. The list is sorted and is not copied; NULL: no nodes.
 * Returns the nodes that were permitted before. The caller must permit these
 * again after its statement, also after an error.
 */
extern const KgNodeList *kg_row_drawn_nodes(const KgNodeList *nodes);
/* Raises an error unless the stored row has a node that the role may give. */
extern void kg_row_require_node(const Datum *values, const bool *nulls);
/*
 * Returns the name of a column of a new row whose given value is not permitted,
 * or NULL. If users could choose versions, a version that a client has read
 * could match a later entity. For a stored row, the version from which it began
 * is not known.
 */
extern const char *kg_row_given_column(const Datum *values, bool stored);
/* Raises an error for kg_row_given_column() of a row that is not stored yet. */
extern void kg_row_refuse_given(const Datum *values);

/*
 * Reads the next row. Rows beyond work_mem are read from a file into the
 * current context, and freed with the next row. So the current context must not
 * be reset between them.
 */
static inline bool
kg_row_next(Tuplestorestate *store, TupleTableSlot *slot)
{
	CHECK_FOR_INTERRUPTS();
	if (!tuplestore_gettupleslot(store, true, false, slot))
		return false;
	slot_getallattrs(slot);
	return true;
}

/* store/entity/entity_trigger.c */
/*
 * Returns whether the table has a BEFORE trigger of a DBA that fires after
 * kg_graph's, in the order of names, and may have changed the row.
 */
extern bool kg_row_is_overwritten(const TriggerData *trigdata);
/*
 * Checks the stored rows again, as the caller, before rows are derived from
 * them.
 */
extern void kg_rows_check_final(TriggerData *trigdata, const int *places);

#endif /* KG_ENTITY_ROW_H */
