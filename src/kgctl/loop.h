/*
 * loop.h
 *	  The event loop of the servers: one thread, epoll, a tick for time-outs.
 *
 * Callbacks may add and remove any watch, their own included; a watch that was
 * removed gets no further event.
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

/* events as of epoll_ctl(2); NULL where the descriptor cannot be watched. */
extern KgWatch *kg_watch_add(KgLoop *loop, int fd, uint32_t events,
							 KgWatchFn fn, void *arg);
extern void kg_watch_set(KgWatch *watch, uint32_t events);
/* Of an edge-triggered one: tell once more of what holds already. */
extern void kg_watch_again(KgWatch *watch);
extern void kg_watch_remove(KgWatch *watch);

/*
 * Run fn every tick, and before every wait; what was added last runs first.
 */
extern void kg_loop_on_tick(KgLoop *loop, KgLoopFn fn, void *arg);
extern void kg_loop_on_wait(KgLoop *loop, KgLoopFn fn, void *arg);

/* Do not wait before the next round. */
extern void kg_loop_hurry(KgLoop *loop);

/* From a hook before the wait: the wait ends by then. */
extern void kg_loop_due(KgLoop *loop, int64_t at);

/* One round: hooks, at most max_wait milliseconds, events, tick. */
extern void kg_loop_step(KgLoop *loop, int64_t max_wait);

/* Until kg_loop_stop(). */
extern void kg_loop_run(KgLoop *loop);
extern void kg_loop_stop(KgLoop *loop);

/* fn is called once for each SIGTERM or SIGINT. */
extern bool kg_loop_on_signal(KgLoop *loop, KgLoopFn fn, void *arg);
/* Readable while such a signal has not been handled yet. */
extern int kg_loop_signal_fd(const KgLoop *loop);

/* Milliseconds of a clock that only goes forward. */
extern int64_t kg_now(void);

#endif /* KG_LOOP_H */
