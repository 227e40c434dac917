/*
 * confirm.h
 *	  Confirmation of writes: kg_graph.confirm.
 *
 *	  The first call returns the effects of the write, without writing, and a
 *	  signed value for them. A second call with that value writes if the
 *	  effects are unchanged; otherwise it raises an error.
 */
#ifndef KG_CONFIRM_H
#define KG_CONFIRM_H

#include "base/splice.h"
#include "model/catalog.h"
#include "store/idempotency.h"
#include "store/entity/put.h"

/*
 * Returns whether a call that writes must be confirmed, by the setting and the
 * caller's own option. No other code decides this. deletes is true if the call
 * may delete. The tools that a confirmed function calls are not confirmed
 * again. Raises KG_FORBIDDEN within a function that was not confirmed.
 */
extern bool kg_confirm_needed(bool deletes);

/* The subject of a signed value: a tool and its arguments without the value. */
typedef struct KgConfirm
{
	const char *tenant;
	StringInfo about;
	StringInfo told;   /* contents of the value in the call, or NULL */
	KgRequest request; /* recorded as used */
	bool used;
	/*
	 * The arguments of kg_confirm_begin(). tool is NULL if no confirmation is
	 * needed.
	 */
	const char *tool;
	const Jsonb *arguments;
} KgConfirm;

/*
 * Reads the value from the arguments. Raises KG_INVALID_INPUT if it belongs to
 * another call or has expired.
 */
extern void kg_confirm_open(KgConfirm *confirm, const char *tool,
							const Jsonb *arguments);

/* Returns the reply of a dry run, with the signed value for its outcomes. */
extern Jsonb *kg_confirm_ask(const KgConfirm *confirm,
							 const KgOutcomes *outcomes, const Jsonb *reply);

/*
 * Raises KG_CONFLICT if the outcomes differ from the confirmed ones, or if the
 * value was used before.
 */
extern void kg_confirm_check(const KgConfirm *confirm,
							 const KgOutcomes *outcomes);

/*
 * Begins the confirmation of a tool without a dry run. Returns the arguments
 * without the value, if the call must be confirmed. Stores the value and these
 * arguments for kg_confirm_require().
 */
extern const Jsonb *kg_confirm_begin(KgConfirm *confirm, const char *tool,
									 bool deletes, const Jsonb *arguments);

/*
 * Call this function before the tool writes. If the arguments have no value,
 * raises KG_FORBIDDEN with the value that confirms the call. If the value was
 * already used, raises KG_CONFLICT.
 */
extern void kg_confirm_require(KgConfirm *confirm);

#endif /* KG_CONFIRM_H */
