/*
 * confirm.h
 *	  Writes that are told before they are done: kg_graph.confirm.
 *
 * The first call answers what would happen, with a value that says so, signed;
 * the same call with it does that, or nothing where it would no longer be that.
 */
#ifndef KG_CONFIRM_H
#define KG_CONFIRM_H

#include "base/splice.h"
#include "model/catalog.h"
#include "store/idempotency.h"
#include "store/entity/put.h"

/*
 * Returns whether a call that writes is to be confirmed, by the setting and by
 * the caller's: the one place that decides.  deletes: it may delete.
 */
extern bool kg_confirm_needed(bool deletes);

/* What the value stands for: a tool, and arguments but for the value itself. */
typedef struct KgConfirm
{
	const char *tenant;
	StringInfo about;
	StringInfo told;   /* of the value that was given, or NULL */
	KgRequest request; /* which is kept as used */
	bool used;
	/* What kg_confirm_begin() was given; NULL: there is nothing to confirm. */
	const char *tool;
	const Jsonb *arguments;
} KgConfirm;

/* Raises KG_INVALID_INPUT where the value is not of this call, or too old. */
extern void kg_confirm_open(KgConfirm *confirm, const char *tool,
							const Jsonb *arguments);

/* The reply of a dry run, with the value for what it tells. */
extern Jsonb *kg_confirm_ask(const KgConfirm *confirm,
							 const KgOutcomes *outcomes, const Jsonb *reply);

/*
 * Raises KG_CONFLICT where something else was done than was told, or the same a
 * second time.
 */
extern void kg_confirm_check(const KgConfirm *confirm,
							 const KgOutcomes *outcomes);

/*
 * For a tool without a dry run.  Returns the arguments without the value, if
 * the call is to be confirmed; keeps both for kg_confirm_require().
 */
extern const Jsonb *kg_confirm_begin(KgConfirm *confirm, const char *tool,
									 bool deletes, const Jsonb *arguments);

/*
 * Raises KG_FORBIDDEN with the value that confirms the call if the arguments
 * have no value, KG_CONFLICT if it was used.  Called before the tool writes.
 */
extern void kg_confirm_require(KgConfirm *confirm);

#endif /* KG_CONFIRM_H */
