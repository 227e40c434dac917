/*
 * writer.h
 *	  What a call that writes says of itself, for the history of what it
 *	  writes.
 */
#ifndef KG_WRITER_H
#define KG_WRITER_H

/*
 *	  KgWriter writer = {.tool = "update_brand", .reason = reason};
 *
 *	  kg_writer_run(&writer, work, arg);
 */
typedef struct KgWriter
{
	const char *tool;	/* or NULL */
	const char *reason; /* or NULL */
	bool again; /* what is written is tried again where it loses a race */
} KgWriter;

/*
 * work(arg), which may raise.  Within another one it is the outer one that
 * counts, as far as it says anything: that is what was called.
 */
extern void kg_writer_run(const KgWriter *writer, void (*work)(void *arg),
						  void *arg);

/* The same of a part of a call, which alone says whether it is tried again. */
extern void kg_writer_part(bool again, void (*work)(void *arg), void *arg);

/* What the call that runs says; never NULL. */
extern const KgWriter *kg_writer(void);

#endif /* KG_WRITER_H */
