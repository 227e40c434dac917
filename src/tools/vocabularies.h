/*
 * vocabularies.h
 *	  The vocabularies of fixed tools.
 */
#ifndef KG_VOCABULARIES_H
#define KG_VOCABULARIES_H

/* Registers the tables of fixed tools. Called once, at module start. */
extern void kg_vocabularies_init(void);

#endif /* KG_VOCABULARIES_H */
