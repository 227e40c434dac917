/*
 * schema_form.h
 *	  Converts published schemas to the form for a kind of client.
 *
 *	  Only the list of tools has these forms.  Calls are checked against the
 *	  tools' own schemas, whatever was published.
 */
#ifndef KG_SCHEMA_FORM_H
#define KG_SCHEMA_FORM_H

#include "base/settings.h"
#include "utils/jsonb.h"

typedef struct KgSchemaForm
{
	KgSchemaProfile profile;
	bool lax;		  /* input schemas refuse nothing */
	bool number_text; /* output schemas allow text for numbers */
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

/* Return the schema of arguments, and of a reply, in a form. */
extern const Jsonb *kg_form_input(const KgSchemaForm *form,
								  const Jsonb *schema);
extern const Jsonb *kg_form_output(const KgSchemaForm *form,
								   const Jsonb *schema);

#endif /* KG_SCHEMA_FORM_H */
