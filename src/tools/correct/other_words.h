/*
 * other_words.h
 *	  Arguments that other interfaces have and these tools have not.
 */
#ifndef KG_OTHER_WORDS_H
#define KG_OTHER_WORDS_H

#include "tools/input/input.h"

/*
 * Replaces "page" with its size, "hops" of a step, the "direction" beside the
 * only step and the parts of "node" beside it by arguments of the tool with the same meaning, and reports the
 * repair. Returns false if the object has no such member, or none with a
 * certain meaning.
 */
extern bool kg_take_other_words(KgInput *in);

#endif /* KG_OTHER_WORDS_H */
