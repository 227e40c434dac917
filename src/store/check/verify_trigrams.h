/*
 * verify_trigrams.h
 *	  Has kg_trigram every piece of every term of a tenant?
 */
#ifndef KG_VERIFY_TRIGRAMS_H
#define KG_VERIFY_TRIGRAMS_H

typedef void (*KgMissingTrigram)(const char *trigram, const char *term,
								 void *arg);

/*
 * By the rows of kg_term, which must be right.  Rows of kg_trigram that no term has any more are no
 * fault.  scratch is reset now and then.
 */
extern void kg_verify_trigrams(const char *tenant, MemoryContext scratch,
							   KgMissingTrigram missing, void *arg);

#endif /* KG_VERIFY_TRIGRAMS_H */
