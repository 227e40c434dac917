/*
 * correct.h
 *	  Corrects calls that have unknown arguments.
 */
#ifndef KG_CORRECT_H
#define KG_CORRECT_H

/*
 * Sets the hooks kg_input_unknown and kg_input_other_words
 * (tools/input/input.h). Called once, at module start.
 */
extern void kg_correct_init(void);

#endif /* KG_CORRECT_H */
