/*
 * faults.h
 *	  Reports all faults of a wrong call in one error.
 */
#ifndef KG_FAULTS_H
#define KG_FAULTS_H

#include "utils/jsonb.h"

/* The result of trying a call. */
typedef struct KgTried
{
	Jsonb *reply; /* the reply; NULL: the call failed or was not tried */
	/*
	 * the error; NULL: there was no error, or it is an error that a caller
	 * cannot correct
	 */
	Jsonb *error;
} KgTried;

typedef KgTried (*KgTry)(const char *tool, const Jsonb *arguments);

/*
 * Returns an error that lists all faults of the call. If the call has only one
 * fault, returns the given error.
 *
 * Tries the corrected call of the error, then the corrected call of the next
 * error or hint, until a call needs no correction. The returned error has this
 * last call as "call" and the faults as "errors". If one of the faults has no
 * correction, the error has no "call".
 */
extern Jsonb *kg_all_faults(Jsonb *error, KgTry try);

#endif /* KG_FAULTS_H */
