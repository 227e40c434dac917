/*
 * detoast.c
 *	  Decompression of large values.
 *
 * Decompressing 100 MB into new memory takes three times as long because of
 * page faults, and later reads miss the TLB.  Therefore the memory requests
 * huge pages, which the system supplies if it can.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "access/detoast.h"
#include "access/toast_internals.h"
#include "base/compat.h"
#include "base/detoast.h"
#include "common/pg_lzcompress.h"
#include "utils/memutils.h"

#define KG_LARGE_PAGE (2 * 1024 * 1024)
#define KG_LARGE_VALUE (8 * KG_LARGE_PAGE)

static struct varlena *
allocate(Size size)
{
	Size whole = TYPEALIGN(KG_LARGE_PAGE, size);
	char *room = MemoryContextAllocHuge(CurrentMemoryContext,
										whole + KG_LARGE_PAGE);
	char *value = (char *) TYPEALIGN(KG_LARGE_PAGE, room);

#ifdef MADV_HUGEPAGE
	(void) madvise(value, whole, MADV_HUGEPAGE);
#endif
	SET_VARSIZE(value, size);
	return (struct varlena *) value;
}

Datum
kg_detoast_large(Datum value)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(value);
	struct varlena *large;
	Size size;

	if (!VARATT_IS_EXTERNAL_ONDISK(stored) ||
		toast_raw_datum_size(value) < KG_LARGE_VALUE)
		return value;
	stored = detoast_external_attr(stored);
	if (!VARATT_IS_COMPRESSED(stored) ||
		TOAST_COMPRESS_METHOD(stored) != TOAST_PGLZ_COMPRESSION_ID)
		return PointerGetDatum(stored);
	size = TOAST_COMPRESS_EXTSIZE(stored);
	large = allocate(size + VARHDRSZ);
	/* The server's function raises the error for damaged data. */
	if (pglz_decompress((char *) stored + VARHDRSZ_COMPRESSED,
						VARSIZE(stored) - VARHDRSZ_COMPRESSED,
						VARDATA(large),
						size,
						true) < 0)
		return PointerGetDatum(stored);
	pfree(stored);
	return PointerGetDatum(large);
}
