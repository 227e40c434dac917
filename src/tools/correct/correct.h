/*
 * correct.h
 *	  Corrections of arguments that a tool does not have.
 */
#ifndef KG_CORRECT_H
#define KG_CORRECT_H

/* Sets kg_input_unknown (tools/input/input.h); called once, at module start. */
extern void kg_correct_init(void);

#endif /* KG_CORRECT_H */
