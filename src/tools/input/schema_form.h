/*
 * schema_form.h
 *	  Converts published schemas to the form that a kind of client requires.
 *
 *	  Only the list of tools has these forms. Calls are always checked against
 *	  the tools' own schemas.
 */
#ifndef KG_SCHEMA_FORM_H
#define KG_SCHEMA_FORM_H

#include "base/settings.h"
#include "utils/jsonb.h"

typedef struct KgSchemaForm
{
	KgSchemaProfile profile;
	bool lax; /* true: input schemas accept all arguments */
	/* true: output schemas accept a string in place of a number */
	bool number_text;
} KgSchemaForm;

/*
 * Returns the form that the settings select.  lax_client is true if the client
 * is known to check arguments itself.
 */
extern KgSchemaForm kg_schema_form(bool lax_client);

/*
 * Returns true if a client of this name checks the arguments of a call before
 * it sends the call.
 */
extern bool kg_client_checks_arguments(const char *name);

/* Return the schema of arguments, or of a reply, in the given form. */
extern const Jsonb *kg_form_input(const KgSchemaForm *form,
								  const Jsonb *schema);
extern const Jsonb *kg_form_output(const KgSchemaForm *form,
								   const Jsonb *schema);

#endif /* KG_SCHEMA_FORM_H */
