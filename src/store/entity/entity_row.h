/*
 * entity_row.h
 *	  A row of kg_entity before it is stored.
 *
 * values and nulls are the columns of the row in the order below. For an
 * update, old has the columns of the row before the update.
 */
#ifndef KG_ENTITY_ROW_H
#define KG_ENTITY_ROW_H

#include "commands/trigger.h"
#include "miscadmin.h"
#include "model/catalog.h"
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

/*
 * Sets the columns of a row before it is stored, and raises an error for its
 * faults. Returns the row's type.
 */
extern const KgType *kg_row_complete(const TriggerData *trigdata,
									 const Datum *old, Datum *values,
									 bool *nulls);
/* Returns whether an update leaves the row's id unchanged. */
extern bool kg_row_same_id(const Datum *old, const Datum *values);
/* Raises an error if an update changes a column that users may not change. */
extern void kg_row_check_unchanged(const Datum *old, const Datum *values,
								   const bool *nulls);
/*
 * Sets the version of a row that gets a new id. The version is above the last
 * version that this id has had.
 */
extern void kg_row_begin_version(const KgType *type, Datum *values);
/*
 * Sets the node of a row. Only some roles may choose a node. Rows that refer to
 * a node number, such as the history of edges, belong to the entity that had
 * this number. Raises an error if the row has a node that the role may not
 * choose.
 */
extern void kg_row_fill_node(Datum *values, bool *nulls);
/*
 * Raises an error unless the stored row has a node that the role may choose.
 */
extern void kg_row_require_node(const Datum *values, const bool *nulls);
/*
 * Returns the name of a column of a new row to which the user assigned a value
 * that is not permitted, or NULL. If users could choose a version, a version
 * that a client has read could match a later entity. If the row is stored, the
 * version with which it began is not known, so a version above 1 is permitted.
 */
extern const char *kg_row_given_column(const Datum *values, bool stored);
/*
 * Raises an error if kg_row_given_column() returns a column, for a row that is
 * not stored yet.
 */
extern void kg_row_refuse_given(const Datum *values);

/*
 * Reads the next row into the slot. Returns false after the last row. A row
 * that the tuplestore has spilled to disk is read into the current context, and
 * is freed by the next call. So the current context must not be reset between
 * calls.
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

/* The next functions are in store/entity/entity_trigger.c. */
/*
 * Returns whether a BEFORE trigger of a DBA may have changed the row after
 * kg_graph's trigger. Triggers fire in the order of their names.
 */
extern bool kg_row_is_overwritten(const TriggerData *trigdata);
/*
 * Checks the stored rows again, as the caller, before rows are derived from
 * them. The rows are in the transition table of new rows; places has the
 * positions of their columns.
 */
extern void kg_rows_check_final(TriggerData *trigdata, const int *places);

#endif /* KG_ENTITY_ROW_H */
