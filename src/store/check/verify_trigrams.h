/*
 * verify_trigrams.h
 *	  Verification that kg_trigram has each trigram of each term of a
 *	  tenant.
 */
#ifndef KG_VERIFY_TRIGRAMS_H
#define KG_VERIFY_TRIGRAMS_H

typedef void (*KgMissingTrigram)(const char *trigram, const char *term,
								 void *arg);

/*
 * Calls the function missing() for each trigram that kg_trigram lacks.
 * Compares kg_trigram with the rows of kg_term, which must be correct. Rows of
 * kg_trigram without a term are not faults. scratch is reset from time to
 * time.
 */
extern void kg_verify_trigrams(const char *tenant, MemoryContext scratch,
							   KgMissingTrigram missing, void *arg);

#endif /* KG_VERIFY_TRIGRAMS_H */
