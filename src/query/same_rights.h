/*
 * same_rights.h
 *	  A statement of plain SQL has one caller, with the same rights until it ends.
 */
#ifndef KG_SAME_RIGHTS_H
#define KG_SAME_RIGHTS_H

/*
 * The policies ask what the caller may see now, row by row.  Where its tenant, or
 * the bundles of its agent, are others than when the statement that runs first
 * asked, some rows would be shown and others hidden: the statement is refused.
 * A call whose catalog is read has its own rule (kg_running_require_bundle()).
 * of_all: what is asked for is shown only to those from whom nothing is hidden; an
 * agent that has every bundle has not when another one comes.
 */
extern void kg_same_rights_require(bool of_all);

/* Registers the callbacks; from _PG_init. */
extern void kg_same_rights_init(void);

#endif /* KG_SAME_RIGHTS_H */
