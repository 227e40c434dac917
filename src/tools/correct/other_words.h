/*
 * other_words.h
 *	  Replaces arguments that other interfaces have by arguments of these
 *	  tools.
 */
#ifndef KG_OTHER_WORDS_H
#define KG_OTHER_WORDS_H

#include "tools/input/input.h"

/*
 * Replaces members that other interfaces use by arguments of the tool with the
 * same meaning, and reports a repair. These members are: "page", "hops", a
 * direction or number of hops beside the only step, and members of "node"
 * beside it. Returns false if the object has no such member, or if the meaning
 * is uncertain.
 */
extern bool kg_take_other_words(KgInput *in);

#endif /* KG_OTHER_WORDS_H */
