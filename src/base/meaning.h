/*
 * meaning.h
 *	  Classification of the difference between two names: a respelling, or the
 *	  opposite meaning.
 */
#ifndef KG_MEANING_H
#define KG_MEANING_H

/*
 * Returns true if the names differ in meaning: only one of them has a
 * negation, or "given" has a word for a bound or a side ("min", "before",
 * "from") that "other" does not have. In this case "other" must not be
 * suggested for "given", even if the names are similar.
 */
extern bool kg_is_opposed(const char *given, const char *other);

/*
 * Returns true if "other" has every sign of "given", such as an operator, a
 * comma or a point, and is not opposed. Blanks, "_" and "-" within a name do
 * not count as signs.
 */
extern bool kg_keeps_signs(const char *given, const char *other);

/*
 * Returns true if "other" accounts for every character of "given". The names
 * may differ in case, separators and a plural, and by at most one typing error
 * in a long word. The typing error must not be in the first letter of the
 * word, or in a digit.
 */
extern bool kg_is_respelling(const char *given, const char *other);

/*
 * Returns true if "other", the name of an argument, accounts for every
 * character of "given". A tool has few arguments, so the typing error may be in
 * a word of four letters or more.
 */
extern bool kg_is_respelled_argument(const char *given, const char *other);

/* Returns true if the name of a tool indicates that the tool writes. */
extern bool kg_is_change(const char *name);

#endif /* KG_MEANING_H */
