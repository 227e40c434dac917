/*
 * decisions.h
 *	  Decisions about entities of a type with x-authorize for the caller,
 *	  and how statements of a tool use them.
 *
 * The policy of kg_entity calls kg_decisions_allow() for each row. A tool runs
 * a statement as a trial: undecided rows pass and are recorded, and the
 * authorizer decides all of them at once when the statement ends. If it allows
 * all of them, the trial's result is the result. Otherwise the result is
 * discarded and the statement is run again. So a tool works only with allowed
 * rows. In plain SQL, each row's id is decided when the row is read.
 */
#ifndef KG_DECISIONS_H
#define KG_DECISIONS_H

#include "base/compat.h"
#include "model/catalog.h"
#include "query/run/plan.h"
#include "query/run/running.h"

typedef struct KgDecisions KgDecisions;

/* Returns, for policies, whether x-authorize lets the caller see this row. */
extern bool kg_decisions_allow(int32 type_no, int64 node, text *entity_id,
							   Datum data);

/*
 * Returns whether the caller's tenant has types with x-authorize that the
 * caller could see.
 */
extern bool kg_decisions_needed(void);

/*
 * Discards the decisions of a call, when the call is over or another tool of
 * the call begins.
 */
extern void kg_decisions_end(KgCall *call);

/*
 * kg_decisions_of_call() returns the decisions of the call. kg_decisions_try()
 * and kg_decisions_tried() enclose each run of a tool's statement (a trial) if
 * the caller's tenant has types with x-authorize; "trials" is the number of
 * earlier runs. In the first trials, undecided rows pass and are recorded, so
 * that a bounded statement reads no more rows than it returns. In later trials,
 * undecided rows are hidden, so that a statement with mostly denied rows is run
 * to its end. If each row is about one entity (KgStatement.node_column),
 * undecided rows always pass. Unwanted rows of a range are hidden without a
 * decision.
 */
extern KgDecisions *kg_decisions_of_call(KgCall *call);
extern void kg_decisions_try(KgDecisions *decisions,
							 const KgStatement *statement, int trials);
extern void kg_decisions_tried(KgDecisions *decisions);
/*
 * Calls the authorizer for the recorded rows. Returns whether the trial is
 * valid, that is, whether it treated each row as the row was then decided.
 */
extern bool kg_decisions_settle(KgDecisions *decisions);
/*
 * Returns whether the trial has read an undecided row that only a gateway can
 * decide. The call then ends, so the statement need not go on.
 */
extern bool kg_decisions_in_vain(const KgDecisions *decisions);
/*
 * Reports that the call has written, so that nodes may need other decisions.
 */
extern void kg_decisions_wrote(void);
/*
 * Returns whether a node that a trial has read is allowed. Its decision must
 * have been made by now. A node that no trial has read is allowed.
 */
extern bool kg_decisions_allow_node(const KgDecisions *decisions, int64 node);
/*
 * Returns whether the last trial read undecided rows for which no more
 * decisions may be requested. kg_decisions_throw_exhausted() raises
 * KG_LIMIT_EXCEEDED, for statements that may not omit such rows.
 */
extern bool kg_decisions_exhausted(const KgDecisions *decisions);
extern KG_NORETURN void kg_decisions_throw_exhausted(void);

/*
 * Returns whether the running call, or a call that encloses it, is an exchange:
 * a gateway decides (query/run/exchange.h).
 */
extern bool kg_decisions_are_outside(void);

/*
 * Makes the call an exchange (query/run/exchange.h): an undecided row ends the
 * call, so that the gateway decides. about_somebody is false if the gateway's
 * call has no subject. kg_decisions_given() adds a decision that the gateway
 * sent with the call; it must be called before the tool begins.
 */
extern KgDecisions *kg_decisions_outside(KgCall *call, bool about_somebody);
extern void kg_decisions_given(KgDecisions *decisions, const char *key, int len,
							   bool allowed);
/*
 * Returns the number of open questions, that is, of ids still to be decided,
 * and passes each question to the function. Questions are open if an undecided
 * row ended the call, or if an estimate left some open.
 */
extern int kg_decisions_open(KgDecisions *decisions,
							 void (*each)(const char *key, int len, void *arg),
							 void *arg);
/*
 * Returns whether a step must read all its rows at once, whatever the cost.
 * This is so if a gateway decides and decisions may still be requested, because
 * each further step is a further round.
 */
extern bool kg_decisions_ask_all(void);

/*
 * Enclose the statements of one step, which must not depend on each other's
 * results. If a gateway decides, their undecided rows are hidden. When the step
 * ends, all these decisions are requested in one round.
 */
extern void kg_decisions_begin_step(void);
extern void kg_decisions_end_step(void);

/*
 * kg_decisions_begin_estimate() and kg_decisions_end_estimate() enclose an
 * estimate. If a gateway decides, undecided rows of the estimate are hidden and
 * their decisions stay open. The search after the estimate reads these rows,
 * too, and requests all decisions of its step in one round.
 * kg_decisions_left_open() returns the number of open decisions; unless it is
 * 0, the estimate is meaningless. search is true if the estimate does not
 * forbid the search. If search is false and decisions are open, the call ends
 * and requests these decisions from the gateway.
 */
extern void kg_decisions_begin_estimate(void);
extern int kg_decisions_left_open(void);
extern void kg_decisions_end_estimate(bool search);

/*
 * Returns whether an authorizer or a gateway decides for the tenant; true if no
 * type of the catalog has x-authorize.
 */
extern bool kg_decisions_are_made(const KgCatalog *catalog);
/*
 * Raises KG_FORBIDDEN if the type has x-authorize and neither an authorizer nor
 * a gateway decides. instead is the input that the error suggests (NULL: the
 * error says how to set up an authorizer or a gateway).
 */
extern void kg_decisions_require(const KgCatalog *catalog, const KgType *type,
								 const char *instead);

#endif /* KG_DECISIONS_H */
