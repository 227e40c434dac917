/*
 * memory.h
 *	  Bounds the memory that a query takes.
 */
#ifndef KG_ASK_MEMORY_H
#define KG_ASK_MEMORY_H

/*
 * Calls work(arg), during which this process may allocate at most
 * kg_graph.max_query_memory. A larger allocation raises the server's error
 * 53200 (out_of_memory), and the process continues.
 */
extern void kg_ask_within_memory(void (*work)(void *arg), void *arg);

#endif /* KG_ASK_MEMORY_H */
