/*
 * meaning.h
 *	  What a difference between two names may mean: nothing, a typing error, or
 *	  the opposite.
 */
#ifndef KG_MEANING_H
#define KG_MEANING_H

/*
 * Does a name that was given ask for what the other does not: has it a negation
 * (or the other one, alone), a bound, a side that the other has not?  Then the
 * other is never what was meant, however near it is.
 */
extern bool kg_is_opposed(const char *given, const char *other);

/*
 * Can the two differ in nothing that means something: case, separators, number,
 * and one typing error in a long word that is not the first?
 */
extern bool kg_is_respelling(const char *given, const char *other);

/* Does a tool's name say that it changes something? */
extern bool kg_is_change(const char *name);

#endif /* KG_MEANING_H */
