/*
 * log.h
 *	  Messages of kgctl: lines on standard error. They contain no tokens and
 *	  no contents of messages.
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

/*
 * Switches to the format of servers: each line begins with a time stamp, except
 * under systemd.
 */
extern void kg_log_server(void);

extern void kg_log(KgLogLevel level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints "kgctl: MESSAGE". */
extern void kg_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
extern void kg_verror(const char *fmt, va_list args)
	__attribute__((format(printf, 1, 0)));

#endif /* KG_LOG_H */
