/*
 * confirm.h
 *	  Confirmation of writes: kg_graph.confirm.
 *
 *	  The first call writes nothing. It returns the effects of the write, and
 *	  a signed value for them. A second call with that value writes if the
 *	  effects are unchanged. Otherwise it raises an error.
 */
#ifndef KG_CONFIRM_H
#define KG_CONFIRM_H

#include "base/splice.h"
#include "model/catalog.h"
#include "store/idempotency.h"
#include "store/entity/put.h"

/*
 * Returns whether a call that writes must be confirmed, because of the setting
 * or an option of the caller. No other code decides this. "deletes" means that
 * the call may delete data. Tools that a confirmed function calls need no
 * further confirmation. Raises KG_FORBIDDEN within a function that was not
 * confirmed.
 */
extern bool kg_confirm_needed(bool deletes);

/*
 * The call that a signed value confirms: a tool and its arguments without the
 * value.
 */
typedef struct KgConfirm
{
	const char *tenant;
	StringInfo about;
	/* contents of the signed value in the arguments, or NULL */
	StringInfo told;
	KgRequest request; /* record that the signed value was used */
	bool used;
	/*
	 * Arguments of kg_confirm_begin(). If no confirmation is needed, tool is
	 * NULL.
	 */
	const char *tool;
	const Jsonb *arguments;
} KgConfirm;

/*
 * Reads the signed value from the arguments. Raises KG_INVALID_INPUT if the
 * value belongs to another call or has expired.
 */
extern void kg_confirm_open(KgConfirm *confirm, const char *tool,
							const Jsonb *arguments);

/*
 * Returns the reply of a dry run, with a signed value added that confirms its
 * outcomes.
 */
extern Jsonb *kg_confirm_ask(const KgConfirm *confirm,
							 const KgOutcomes *outcomes, const Jsonb *reply);

/*
 * Raises KG_CONFLICT if the outcomes differ from the confirmed outcomes, or if
 * the signed value was used before.
 */
extern void kg_confirm_check(const KgConfirm *confirm,
							 const KgOutcomes *outcomes);

/*
 * Begins the confirmation of a tool that has no dry run. If the call must be
 * confirmed, returns the arguments without the signed value, and stores the
 * value and these arguments for kg_confirm_require().
 */
extern const Jsonb *kg_confirm_begin(KgConfirm *confirm, const char *tool,
									 bool deletes, const Jsonb *arguments);

/*
 * Must be called before the tool writes. If confirmation is needed and the
 * arguments have no signed value, raises KG_FORBIDDEN with the value that
 * confirms the call. If the value was used before, raises KG_CONFLICT.
 */
extern void kg_confirm_require(KgConfirm *confirm);

#endif /* KG_CONFIRM_H */
