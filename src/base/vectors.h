/*
 * vectors.h
 *	  The database's embedding model, and vectors in arguments.
 *
 * Embeddings are stored as real[]. pgvector, if installed, computes distances.
 * It is not linked, and its functions are looked up when first needed.
 * pgvector's cast from an array takes longer than the rest of a search
 * (docs/architecture.md). Therefore kg_graph builds vectors itself, in the
 * form of pgvector's published headers. Before the first use, it compares such
 * a vector with a vector that pgvector built.
 */
#ifndef KG_VECTORS_H
#define KG_VECTORS_H

#include "base/error.h"
#include "utils/array.h"

/* Limit of pgvector's type vector. */
#define KG_MAX_DIMENSIONS 16000

typedef struct KgVectors
{
	/* number of dimensions; 0: kg_enable_vectors() was not called */
	int dimensions;
	const char *model;
} KgVectors;

/*
 * Returns the current state, whatever the snapshot; valid until the next call.
 * It has no dimensions if the extension's SQL is older than embeddings.
 */
extern const KgVectors *kg_vectors(void);
/* Returns the current state.  Raises an error if vectors are not enabled. */
extern const KgVectors *kg_vectors_require(void);

/*
 * Raises an error if pgvector is not installed in this database, or is older
 * than 0.7.
 */
extern void kg_pgvector_require(void);

/* pgvector's cosine distance function, looked up and allocated in a context. */
typedef struct KgDistance KgDistance;

extern KgDistance *kg_distance_make(MemoryContext context);
/*
 * Returns the cosine distance.  Raises an error if the arrays differ in
 * dimensions.
 */
extern float8 kg_distance(KgDistance *distance, const ArrayType *a,
						  const ArrayType *b);

/*
 * Returns a new real[] of n numbers, which the caller fills in
 * (ARR_DATA_PTR()).
 */
extern ArrayType *kg_real_array(int n);

/*
 * Converts a JSON array of numbers to a real[] of the database's dimensions,
 * allocated in the current context.  Returns NULL and sets *why if the value
 * is not such an array.
 */
extern ArrayType *kg_vector_read(const JsonbValue *value, const char *path,
								 const KgVectors *vectors, KgError **why);

#endif /* KG_VECTORS_H */
