/*
 * decisions.h
 *	  Who may see an entity of a type with x-authorize: what was decided for
 *	  this caller, and how a statement of a tool gets to it.
 *
 * The policy of kg_entity asks kg_decisions_allow() about each row.  In a tool
 * a statement is run on trial: what it meets that is undecided is taken for
 * allowed, noted, and asked about all at once when it has ended.  Where all was
 * allowed, what it found is what it finds; otherwise it is forgotten and the
 * statement run again.  So whatever a tool does, it does with rows that are
 * allowed.  By plain SQL each id is asked about when its row is met.
 */
#ifndef KG_DECISIONS_H
#define KG_DECISIONS_H

#include "base/compat.h"
#include "model/catalog.h"
#include "query/run/plan.h"
#include "query/run/running.h"

typedef struct KgDecisions KgDecisions;

/* For the policies: may the caller see this row, as far as x-authorize goes? */
extern bool kg_decisions_allow(int32 type_no, int64 node, text *entity_id,
							   Datum data);

/* Has the caller's tenant types with x-authorize that it could see? */
extern bool kg_decisions_needed(void);

/* Forget a call's decisions, when it is over or another one of it begins. */
extern void kg_decisions_end(KgCall *call);

/*
 * Around each run of a statement of a tool whose caller's tenant has such types.
 * What is undecided is noted and passes in the first trials, so that a bounded
 * statement meets no more than it delivers; in later ones it is hidden, so that
 * one that finds most of it denied is run to its end.  Where every row is of one
 * entity, it passes; what lies in a range and is not wanted is hidden, and nobody
 * is asked about it.
 */
extern KgDecisions *kg_decisions_of_call(KgCall *call);
extern void kg_decisions_try(KgDecisions *decisions,
							 const KgStatement *statement, int trials);
extern void kg_decisions_tried(KgDecisions *decisions);
/*
 * Asks about what was noted.  Does the trial stand: was each taken for what it
 * turned out to be?
 */
extern bool kg_decisions_settle(KgDecisions *decisions);
/* Has the trial met what ends the call? */
extern bool kg_decisions_in_vain(const KgDecisions *decisions);
/* The call has written: which decision a node needs is another question. */
extern void kg_decisions_wrote(void);
/* Of a node that a trial met and that is decided now. */
extern bool kg_decisions_allow_node(const KgDecisions *decisions, int64 node);
/*
 * Did the last trial meet what nobody may be asked about any more?  Raises
 * KG_LIMIT_EXCEEDED where that is not to be.
 */
extern bool kg_decisions_exhausted(const KgDecisions *decisions);
extern KG_NORETURN void kg_decisions_throw_exhausted(void) KG_NORETURN_TAIL;

/* Is this done for an exchange, in whatever call of it? */
extern bool kg_decisions_are_outside(void);

/*
 * The call is an exchange (query/run/exchange.h): what is undecided ends it, and
 * what came with it was given before it began.
 */
extern KgDecisions *kg_decisions_outside(KgCall *call, bool about_somebody);
extern void kg_decisions_given(KgDecisions *decisions, const char *key, int len,
							   bool allowed);
/*
 * Did it end for that, or without what an estimate left open?  Then each of
 * these is to be asked; returns how many.
 */
extern int kg_decisions_open(KgDecisions *decisions,
							 void (*each)(const char *key, int len, void *arg),
							 void *arg);
/*
 * Is all that a step could meet to be met at once, whatever it costs?  In an
 * exchange that may still ask, each further step is a round.
 */
extern bool kg_decisions_ask_all(void);

/*
 * Around statements that are one step, of which none depends on what another
 * one finds.  In an exchange what they meet that is undecided is hidden, and
 * asked for in one round when the step ends.
 */
extern void kg_decisions_begin_step(void);
extern void kg_decisions_end_step(void);

/*
 * Around an estimate.  In an exchange what it meets that is undecided is hidden
 * and stays open: the search behind it, which meets it too, asks for all of its
 * step in one round.  While something is open an estimate tells nothing; search:
 * it is not too much to be tried.
 */
extern void kg_decisions_begin_estimate(void);
extern int kg_decisions_left_open(void);
extern void kg_decisions_end_estimate(bool search);

/* Is somebody there to decide, where something has to be decided? */
extern bool kg_decisions_are_made(const KgCatalog *catalog);
/*
 * Raises KG_FORBIDDEN where the arguments reach a type with x-authorize and
 * nobody is there to decide; instead names the argument that could name other
 * types.
 */
extern void kg_decisions_require(const KgCatalog *catalog, const KgType *type,
								 const char *instead);

#endif /* KG_DECISIONS_H */
