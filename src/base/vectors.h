/*
 * vectors.h
 *	  What embeddings have in this database, and the vectors of arguments.
 *
 * Embeddings are stored as real[]; pgvector, where it is installed, measures
 * how far they are from one another.  Nothing of it is linked, or looked up
 * before it is needed.  Its own cast of an array takes longer than all else that
 * a search does (docs/architecture.md), so its vectors are made here, in the form
 * that its headers publish, which is compared with one of its own first.
 */
#ifndef KG_VECTORS_H
#define KG_VECTORS_H

#include "base/error.h"
#include "utils/array.h"

/* As pgvector's type vector has it. */
#define KG_MAX_DIMENSIONS 16000

typedef struct KgVectors
{
	int dimensions; /* 0: kg_enable_vectors() was not called */
	const char *model;
} KgVectors;

/*
 * As it is now, whatever the snapshot; good until the next call.  None where the
 * extension's SQL is older than embeddings.
 */
extern const KgVectors *kg_vectors(void);
/* The same; raises where there is none. */
extern const KgVectors *kg_vectors_require(void);

/* Raises where pgvector is not installed in this database, or is older than 0.7. */
extern void kg_pgvector_require(void);

/* Its cosine distance, looked up; allocated in a context. */
typedef struct KgDistance KgDistance;

extern KgDistance *kg_distance_make(MemoryContext context);
/* Raises where the arrays are not of the same dimensions. */
extern float8 kg_distance(KgDistance *distance, const ArrayType *a,
						  const ArrayType *b);

/* A real[] of so many numbers, which the caller puts there (ARR_DATA_PTR). */
extern ArrayType *kg_real_array(int n);

/*
 * An array of numbers as a real[] of so many dimensions, allocated in the
 * current context; NULL: it is none, and why is set.
 */
extern ArrayType *kg_vector_read(const JsonbValue *value, const char *path,
								 const KgVectors *vectors, KgError **why);

#endif /* KG_VECTORS_H */
