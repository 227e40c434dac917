/*
 * settings.c
 *	  The settings under which a query runs.
 */
#include "postgres.h"

#include "access/xact.h"
#include "ask/settings.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/guc.h"

/* A sort or a hash table may use 1 / KG_WORK_PART of the memory of a query. */
#define KG_WORK_PART 4

void
kg_ask_set(const char *name, const char *value)
{
	const char *present = GetConfigOption(name, false, false);

	if (strcmp(present, value) == 0)
		return;
	(void) set_config_option(
		name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Lowers a setting in kilobytes to at most "most". most 0 means no limit. */
static void
lower(const char *name, int present, int most)
{
	if (most > 0 && (present < 0 || present > most))
		kg_ask_set(name, psprintf("%d", most));
}

void
kg_ask_settings_begin(KgAskSettings *settings)
{
	static const char *const pinned[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"DateStyle", "ISO, YMD"},
		{"IntervalStyle", "postgres"},
		{"TimeZone", "UTC"},
		{"extra_float_digits", "1"},
		{"lc_messages", "C"},
		{"lc_numeric", "C"},
		{"lc_time", "C"},
		{"standard_conforming_strings", "on"},
		{"transform_null_equals", "off"},
		{"array_nulls", "on"},
		{"row_security", "on"},
		{"jit", "off"},
		{"max_parallel_workers_per_gather", "0"},
	};

	settings->nest = NewGUCNestLevel();
	for (int i = 0; i < lengthof(pinned); i++)
		kg_ask_set(pinned[i][0], pinned[i][1]);
	lower("temp_file_limit", temp_file_limit, kg_setting_max_query_temp);
	lower("work_mem",
		  work_mem,
		  kg_setting_max_query_memory == 0
			  ? 0
			  : Max(kg_setting_max_query_memory / KG_WORK_PART, 64));
	settings->read_only = XactReadOnly;
	GetUserIdAndSecContext(&settings->user, &settings->context);
	SetUserIdAndSecContext(settings->user,
						   settings->context | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_RESTRICTED_OPERATION);
	XactReadOnly = true;
}

void
kg_ask_settings_end(const KgAskSettings *settings)
{
	XactReadOnly = settings->read_only;
	SetUserIdAndSecContext(settings->user, settings->context);
	AtEOXact_GUC(false, settings->nest);
}
