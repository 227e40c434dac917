/*
 * trigger.c
 *	  Checks of the context in which a trigger function is called.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/trigger.h"
#include "utils/rel.h"

static bool
is_of_kind(const TriggerData *trigger, int kind)
{
	TriggerEvent event = trigger->tg_event;

	return (!(kind & KG_TRIGGER_BEFORE) || TRIGGER_FIRED_BEFORE(event)) &&
		   (!(kind & KG_TRIGGER_AFTER) || TRIGGER_FIRED_AFTER(event)) &&
		   (!(kind & KG_TRIGGER_ROW) || TRIGGER_FIRED_FOR_ROW(event)) &&
		   (!(kind & KG_TRIGGER_STATEMENT) ||
			TRIGGER_FIRED_FOR_STATEMENT(event)) &&
		   (!(kind & KG_TRIGGER_ROWS) || trigger->tg_newtable != NULL ||
			trigger->tg_oldtable != NULL);
}

static bool
is_on(const TriggerData *trigger, const char *const *tables)
{
	if (tables == NULL)
		return true;
	for (; *tables; tables++)
		if (kg_is_relation(RelationGetRelid(trigger->tg_relation), *tables))
			return true;
	return false;
}

void
kg_trigger_require(FunctionCallInfo fcinfo, const char *function, int kind,
				   const char *const *tables)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !is_of_kind(trigger, kind) ||
		!is_on(trigger, tables))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called by its own trigger",
						function)));
}
