/*
 * writer.h
 *	  The description of a writing call, for the history of its changes.
 */
#ifndef KG_WRITER_H
#define KG_WRITER_H

/*
 * The description of a call.
 *
 *	  KgWriter writer = {.tool = "update_brand", .reason = reason};
 *
 *	  kg_writer_run(&writer, work, arg);
 */
typedef struct KgWriter
{
	const char *tool;	/* or NULL */
	const char *reason; /* or NULL */
	bool again;			/* the write is retried if it loses a race */
} KgWriter;

/*
 * Calls work(arg), which may raise an error.  If calls nest, members that the
 * outer one sets take precedence, because that is the call of the client.
 */
extern void kg_writer_run(const KgWriter *writer, void (*work)(void *arg),
						  void *arg);

/*
 * Calls work(arg) as a part of the running call. Within the part, "again"
 * alone decides whether a write is retried.
 */
extern void kg_writer_part(bool again, void (*work)(void *arg), void *arg);

/* Returns the description of the running call; never NULL. */
extern const KgWriter *kg_writer(void);

#endif /* KG_WRITER_H */
