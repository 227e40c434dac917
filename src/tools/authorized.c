/*
 * authorized.c
 *	  Calls a tool with access decisions that a gateway sends with the call.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/token_identity.h"
#include "base/json.h"
#include "query/run/exchange.h"
#include "query/run/running.h"
#include "tools/authorized.h"
#include "tools/dispatch.h"

const char *
kg_authorized_subject(void)
{
	const char *subject = kg_token_subject();

	return subject != NULL && subject[0] != '\0' ? subject : NULL;
}

/*
 * Returns the name of the tool with its version. A gateway calls a tool first
 * to get the requests for access decisions, then again with the decisions. Both
 * calls must be for one version of the tool.
 */
static const char *
sealed_name(const char *name, const Jsonb *options)
{
	JsonbValue version;

	if (options == NULL ||
		kg_json_get(&options->root, "version", &version) == NULL)
		return name;
	return psprintf("%s.v%s", name, kg_json_cstring(&version));
}

Jsonb *
kg_tools_call_authorized(const char *name, const Jsonb *arguments,
						 const Jsonb *options, const KgBrought *brought,
						 KgJsonWriter *asked)
{
	const char *subject = kg_authorized_subject();
	KgDecisions *decisions = kg_decisions_outside(kg_running_call(),
												  subject != NULL);
	KgExchange *exchange = NULL;
	Jsonb *result;

	if (subject != NULL)
		exchange = kg_exchange_open(kg_identity_require(KG_ACCESS_READ),
									subject,
									sealed_name(name, options),
									arguments,
									brought->exchange);
	if (exchange != NULL && brought->decisions != NULL)
		kg_exchange_take(exchange, brought->decisions, decisions);
	result = kg_tools_call_result(name, arguments, options);
	if (kg_decisions_open(decisions, NULL, NULL) == 0)
		return result;
	kg_exchange_write(exchange, decisions, asked);
	return NULL;
}
