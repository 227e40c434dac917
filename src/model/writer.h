/*
 * writer.h
 *	  The description of a writing call, which the history records with the
 *	  call's changes.
 */
#ifndef KG_WRITER_H
#define KG_WRITER_H

/*
 * Maximum number of characters of a reason. The history stores the reason with
 * each change, and its replies have a maximum size.
 */
#define KG_MAX_REASON_CHARS 1000

/*
 * The description of a writing call. Usage:
 *
 * KgWriter writer = {.tool = "update_brand", .reason = reason};
 *
 * kg_writer_run(&writer, work, arg);
 */
typedef struct KgWriter
{
	const char *tool;	/* name of the tool, or NULL */
	const char *reason; /* reason of the change, or NULL */
	/*
	 * if a concurrent session writes the same rows first, the write is retried
	 */
	bool again;
} KgWriter;

/*
 * Calls work(arg), which may raise an error, with this description. If calls
 * nest, the members that the outer call has set take precedence, because the
 * client has made the outer call.
 */
extern void kg_writer_run(const KgWriter *writer, void (*work)(void *arg),
						  void *arg);

/*
 * Calls work(arg) as a part of the running call. Within work, the argument
 * "again" replaces KgWriter.again.
 */
extern void kg_writer_part(bool again, void (*work)(void *arg), void *arg);

/* Returns the description of the running call; never NULL. */
extern const KgWriter *kg_writer(void);

#endif /* KG_WRITER_H */
