/*
 * vocabularies.h
 *	  The vocabularies of fixed tools.
 */
#ifndef KG_VOCABULARIES_H
#define KG_VOCABULARIES_H

/* Makes the tables of fixed tools known; called once, at module start. */
extern void kg_vocabularies_init(void);

#endif /* KG_VOCABULARIES_H */
