/*
 * loop.h
 *	  The event loop of the servers: one thread, epoll, and a tick for time-
 *	  outs.
 *
 * A callback may add and remove any watch, including its own. A removed watch
 * gets no more events.
 */
#ifndef KG_LOOP_H
#define KG_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define KG_LOOP_TICK_MS 250

typedef struct KgLoop KgLoop;
typedef struct KgWatch KgWatch;

typedef void (*KgWatchFn)(void *arg, uint32_t events);
typedef void (*KgLoopFn)(void *arg);

extern KgLoop *kg_loop_new(void);
extern void kg_loop_free(KgLoop *loop);

/*
 * Adds a watch of a descriptor. events are flags of epoll_ctl(2). Returns NULL
 * if the descriptor cannot be watched.
 */
extern KgWatch *kg_watch_add(KgLoop *loop, int fd, uint32_t events,
							 KgWatchFn fn, void *arg);
extern void kg_watch_set(KgWatch *watch, uint32_t events);
/*
 * Makes an edge-triggered watch report the current state of its descriptor
 * again.
 */
extern void kg_watch_again(KgWatch *watch);
extern void kg_watch_remove(KgWatch *watch);

/*
 * Register a function to be called for each tick, or before each wait. The
 * function that was added last runs first.
 */
extern void kg_loop_on_tick(KgLoop *loop, KgLoopFn fn, void *arg);
extern void kg_loop_on_wait(KgLoop *loop, KgLoopFn fn, void *arg);

/* Makes the next round of the loop start without waiting. */
extern void kg_loop_hurry(KgLoop *loop);

/*
 * Limits the wait: it ends at the time "at" at the latest. May be called only
 * by a function that runs before the wait.
 */
extern void kg_loop_due(KgLoop *loop, int64_t at);

/*
 * Runs one round: the hooks, a wait of at most max_wait milliseconds, the
 * events and the tick.
 */
extern void kg_loop_step(KgLoop *loop, int64_t max_wait);

/* Runs the loop until kg_loop_stop() is called. */
extern void kg_loop_run(KgLoop *loop);
extern void kg_loop_stop(KgLoop *loop);

/*
 * Registers fn, which is called once for each SIGTERM or SIGINT. Returns false
 * on failure.
 */
extern bool kg_loop_on_signal(KgLoop *loop, KgLoopFn fn, void *arg);
/*
 * Returns a descriptor that is readable while a SIGTERM or SIGINT is not
 * handled yet.
 */
extern int kg_loop_signal_fd(const KgLoop *loop);

/* Returns the time of a monotonic clock in milliseconds. */
extern int64_t kg_now(void);

#endif /* KG_LOOP_H */
