/*
 * loop.c
 *	  The event loop of the servers.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "kgctl/buf.h"
#include "kgctl/log.h"
#include "kgctl/loop.h"

/*
 * Maximal number of hooks of each kind. Each pool of --read-dsn registers
 * hooks, too.
 */
#define MAX_HOOKS 32

struct KgWatch
{
	KgLoop *loop;
	KgWatch *next_dead;
	KgWatchFn fn;
	void *arg;
	uint32_t events;
	int fd; /* -1: the watch was removed */
};

typedef struct Hook
{
	KgLoopFn fn;
	void *arg;
} Hook;

struct KgLoop
{
	int epoll;
	int signals;
	bool stop;
	int64_t next_tick;
	bool hurry;	 /* the next wait returns at once */
	int64_t due; /* time at which the next wait ends at the latest */
	/* removed watches, freed after the current events were handled */
	KgWatch *dead;
	Hook ticks[MAX_HOOKS];
	int nticks;
	Hook waits[MAX_HOOKS];
	int nwaits;
	Hook on_signal;
	KgWatch *signal_watch;
};

int64_t
kg_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

KgLoop *
kg_loop_new(void)
{
	KgLoop *loop = kg_calloc(1, sizeof(KgLoop));

	loop->signals = -1;
	loop->next_tick = kg_now() + KG_LOOP_TICK_MS;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0)
	{
		kg_error("epoll: %s", strerror(errno));
		free(loop);
		return NULL;
	}
	return loop;
}

static void
free_dead(KgLoop *loop)
{
	while (loop->dead != NULL)
	{
		KgWatch *next = loop->dead->next_dead;

		free(loop->dead);
		loop->dead = next;
	}
}

void
kg_loop_free(KgLoop *loop)
{
	if (loop->signal_watch != NULL)
		kg_watch_remove(loop->signal_watch);
	if (loop->signals >= 0)
		close(loop->signals);
	free_dead(loop);
	close(loop->epoll);
	free(loop);
}

static bool
change_watch(KgWatch *watch, int operation, uint32_t events)
{
	struct epoll_event event;

	memset(&event, 0, sizeof(event));
	event.events = watch->events = events;
	event.data.ptr = watch;
	return epoll_ctl(watch->loop->epoll, operation, watch->fd, &event) == 0;
}

KgWatch *
kg_watch_add(KgLoop *loop, int fd, uint32_t events, KgWatchFn fn, void *arg)
{
	KgWatch *watch = kg_calloc(1, sizeof(KgWatch));

	watch->loop = loop;
	watch->fn = fn;
	watch->arg = arg;
	watch->fd = fd;
	if (change_watch(watch, EPOLL_CTL_ADD, events))
		return watch;
	free(watch);
	return NULL;
}

void
kg_watch_set(KgWatch *watch, uint32_t events)
{
	if (watch != NULL && watch->fd >= 0 && watch->events != events)
		(void) change_watch(watch, EPOLL_CTL_MOD, events);
}

void
kg_watch_again(KgWatch *watch)
{
	if (watch != NULL && watch->fd >= 0)
		(void) change_watch(watch, EPOLL_CTL_MOD, watch->events);
}

void
kg_watch_remove(KgWatch *watch)
{
	if (watch == NULL || watch->fd < 0)
		return;
	(void) epoll_ctl(watch->loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->fd = -1;
	watch->next_dead = watch->loop->dead;
	watch->loop->dead = watch;
}

static void
add_hook(Hook *hooks, int *n, KgLoopFn fn, void *arg)
{
	if (*n >= MAX_HOOKS)
		abort();
	hooks[*n].fn = fn;
	hooks[(*n)++].arg = arg;
}

void
kg_loop_on_tick(KgLoop *loop, KgLoopFn fn, void *arg)
{
	add_hook(loop->ticks, &loop->nticks, fn, arg);
}

void
kg_loop_on_wait(KgLoop *loop, KgLoopFn fn, void *arg)
{
	add_hook(loop->waits, &loop->nwaits, fn, arg);
}

/*
 * Runs all hooks. The hook that was added last runs first, so that hooks of
 * users of the pool run before the pool's hooks.
 */
static void
run_hooks(const Hook *hooks, int n)
{
	while (n-- > 0)
		hooks[n].fn(hooks[n].arg);
}

void
kg_loop_hurry(KgLoop *loop)
{
	loop->hurry = true;
}

void
kg_loop_due(KgLoop *loop, int64_t at)
{
	if (at < loop->due)
		loop->due = at;
}

void
kg_loop_step(KgLoop *loop, int64_t max_wait)
{
	struct epoll_event events[64];
	int64_t wait;
	int n;
	int i;

	loop->hurry = false;
	loop->due = loop->next_tick;
	run_hooks(loop->waits, loop->nwaits);
	if (loop->stop)
		return;
	wait = loop->due - kg_now();
	if (wait > max_wait)
		wait = max_wait;
	if (wait < 0 || loop->hurry)
		wait = 0;
	n = epoll_wait(loop->epoll, events, 64, (int) wait);
	if (n < 0 && errno != EINTR)
	{
		kg_log(KG_LOG_ERROR, "epoll: %s", strerror(errno));
		loop->stop = true;
	}
	for (i = 0; i < n; i++)
	{
		KgWatch *watch = events[i].data.ptr;

		if (watch->fd >= 0)
			watch->fn(watch->arg, events[i].events);
	}
	if (kg_now() >= loop->next_tick)
	{
		loop->next_tick = kg_now() + KG_LOOP_TICK_MS;
		run_hooks(loop->ticks, loop->nticks);
	}
	free_dead(loop);
}

void
kg_loop_run(KgLoop *loop)
{
	while (!loop->stop)
		kg_loop_step(loop, KG_LOOP_TICK_MS);
}

void
kg_loop_stop(KgLoop *loop)
{
	loop->stop = true;
}

static void
on_signal(void *arg, uint32_t events)
{
	KgLoop *loop = arg;
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == sizeof(info))
		loop->on_signal.fn(loop->on_signal.arg);
}

bool
kg_loop_on_signal(KgLoop *loop, KgLoopFn fn, void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	/*
	 * Block the signals before any thread starts, so that no thread receives
	 * them.
	 */
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return false;
	loop->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (loop->signals < 0)
		return false;
	loop->on_signal.fn = fn;
	loop->on_signal.arg = arg;
	loop->signal_watch = kg_watch_add(
		loop, loop->signals, EPOLLIN, on_signal, loop);
	return loop->signal_watch != NULL;
}

int
kg_loop_signal_fd(const KgLoop *loop)
{
	return loop->signals;
}
