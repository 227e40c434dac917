/*
 * cancel.c
 *	  Cancel requests, sent by a separate thread. The mutex guards the list of
 *	  pending requests, the list of sent requests and the flag stop; an
 *	  eventfd wakes the event loop.
 */
#define _GNU_SOURCE /* pthread_timedjoin_np() */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "kgctl/buf.h"
#include "kgctl/cancel.h"
#include "kgctl/log.h"

/*
 * Maximal time that the end of the program waits for pending cancel requests.
 */
#define STOP_SECONDS 5

typedef struct Job
{
	struct Job *next;
	PGcancel *request;
	void (*done)(void *arg);
	void *arg;
} Job;

struct KgCanceller
{
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	Job *todo;
	Job *finished;
	bool stop;
	int event;
	KgWatch *watch;
};

static void *
work(void *arg)
{
	KgCanceller *c = arg;
	uint64_t one = 1;

	pthread_mutex_lock(&c->mutex);
	/*
	 * Send all pending requests before the thread ends. Otherwise the queries
	 * would continue after kgctl has ended.
	 */
	while (!c->stop || c->todo != NULL)
	{
		Job *job = c->todo;
		char error[256];

		if (job == NULL)
		{
			pthread_cond_wait(&c->wake, &c->mutex);
			continue;
		}
		c->todo = job->next;
		pthread_mutex_unlock(&c->mutex);
		if (!PQcancel(job->request, error, sizeof(error)))
			kg_log(KG_LOG_WARNING, "cannot cancel a query: %s", error);
		PQfreeCancel(job->request);
		job->request = NULL;
		pthread_mutex_lock(&c->mutex);
		job->next = c->finished;
		c->finished = job;
		if (write(c->event, &one, sizeof(one)) < 0)
			kg_log(KG_LOG_ERROR, "eventfd cannot be written");
	}
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

static void
on_event(void *arg, uint32_t events)
{
	KgCanceller *c = arg;
	uint64_t count;
	Job *job;

	if (read(c->event, &count, sizeof(count)) < 0)
		return;
	pthread_mutex_lock(&c->mutex);
	job = c->finished;
	c->finished = NULL;
	pthread_mutex_unlock(&c->mutex);
	while (job != NULL)
	{
		Job *next = job->next;

		job->done(job->arg);
		free(job);
		job = next;
	}
}

KgCanceller *
kg_canceller_new(KgLoop *loop)
{
	KgCanceller *c = kg_calloc(1, sizeof(KgCanceller));

	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->wake, NULL);
	c->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->event >= 0)
		c->watch = kg_watch_add(loop, c->event, EPOLLIN, on_event, c);
	if (c->watch == NULL || pthread_create(&c->thread, NULL, work, c) != 0)
	{
		kg_error("cannot start the thread that cancels queries");
		exit(3);
	}
	return c;
}

static void
free_jobs(Job *job)
{
	while (job != NULL)
	{
		Job *next = job->next;

		PQfreeCancel(job->request);
		free(job);
		job = next;
	}
}

void
kg_canceller_free(KgCanceller *c)
{
	struct timespec until;

	kg_watch_remove(c->watch);
	pthread_mutex_lock(&c->mutex);
	c->stop = true;
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->mutex);
	/*
	 * Do not wait longer: PQcancel() has no time-out, and the process is about
	 * to end.
	 */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	if (pthread_timedjoin_np(c->thread, NULL, &until) != 0)
	{
		kg_log(KG_LOG_WARNING, "running queries could not be cancelled");
		return;
	}
	close(c->event);
	free_jobs(c->todo);
	free_jobs(c->finished);
	pthread_mutex_destroy(&c->mutex);
	pthread_cond_destroy(&c->wake);
	free(c);
}

void
kg_cancel(KgCanceller *c, PGcancel *request, void (*done)(void *arg), void *arg)
{
	Job *job = kg_calloc(1, sizeof(Job));

	job->request = request;
	job->done = done;
	job->arg = arg;
	pthread_mutex_lock(&c->mutex);
	job->next = c->todo;
	c->todo = job;
	pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->mutex);
}
