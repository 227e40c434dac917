/*
 * settings.h
 *	  The settings under which a query runs.
 */
#ifndef KG_ASK_SETTINGS_H
#define KG_ASK_SETTINGS_H

#include "c.h"

/*
 * Sets a setting (GUC). The value lasts until the innermost GUC nest level
 * ends.
 */
extern void kg_ask_set(const char *name, const char *value);

/*
 * The state to restore after a query. Between kg_ask_settings_begin() and
 * kg_ask_settings_end(), settings that change the meaning of a text have fixed
 * values, names are looked up only in pg_catalog, and the transaction is
 * read-only. An error restores the state when its (sub)transaction aborts.
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
