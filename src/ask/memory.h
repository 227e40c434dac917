/*
 * memory.h
 *	  A bound of the memory that a query takes.
 */
#ifndef KG_ASK_MEMORY_H
#define KG_ASK_MEMORY_H

/*
 * Does work while this process may take kg_graph.max_query_memory more than it
 * has.  What asks for more is an error of the server (53200), and the process
 * goes on.
 */
extern void kg_ask_within_memory(void (*work)(void *arg), void *arg);

#endif /* KG_ASK_MEMORY_H */
