/*
 * log.h
 *	  Messages of kgctl: all on standard error, one line each.  Nothing that
 *	  is logged holds a token or a message's content.
 */
#ifndef KG_LOG_H
#define KG_LOG_H

#include <stdarg.h>
#include <stdbool.h>

typedef enum KgLogLevel
{
	KG_LOG_ERROR,
	KG_LOG_WARNING,
	KG_LOG_INFO,
	KG_LOG_DEBUG
} KgLogLevel;

extern bool kg_log_set_level(const char *name);
extern bool kg_log_wanted(KgLogLevel level);

/* A server's line has a time stamp (none under systemd); a command's has not. */
extern void kg_log_server(void);

extern void kg_log(KgLogLevel level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* kgctl: what is wrong */
extern void kg_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
extern void kg_verror(const char *fmt, va_list args)
	__attribute__((format(printf, 1, 0)));

#endif /* KG_LOG_H */
