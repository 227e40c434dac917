/*
 * settings.h
 *	  The settings that a query runs under.
 */
#ifndef KG_ASK_SETTINGS_H
#define KG_ASK_SETTINGS_H

#include "c.h"

/* Sets a setting until the innermost level of settings ends. */
extern void kg_ask_set(const char *name, const char *value);

/*
 * Around a query: pins the settings that change the meaning of a text, looks up
 * names in pg_catalog alone, and writes nothing.  An error ends it with its (sub)transaction.
 */
typedef struct KgAskSettings
{
	int nest;
	Oid user;
	int context;
	bool read_only;
} KgAskSettings;

extern void kg_ask_settings_begin(KgAskSettings *settings);
extern void kg_ask_settings_end(const KgAskSettings *settings);

#endif /* KG_ASK_SETTINGS_H */
