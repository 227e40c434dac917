/*
 * new_ids.c
 *	  Generates ids of new entities, for types with x-id-generate.
 *
 * There is no stored counter. The highest number is computed from the stored
 * ids and the ids that were given up (kg_freed). So a restored or moved tenant
 * continues its numbers, a call that is rolled back uses no number, and the
 * numbers of a tenant do not depend on other tenants.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "model/lock.h"
#include "store/entity/new_ids.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* Number of values of the 12 bits that order the UUIDs of one millisecond. */
#define KG_UUID_COUNTERS 4096

bool
kg_makes_ids(const KgType *type)
{
	return type->id_generate.uuid || type->id_generate.table ||
		   type->id_generate.prefix != NULL;
}

/*
 * Returns a UUID of version 7 (RFC 9562) that is above the previous UUID of
 * the call.
 */
static char *
new_uuid(KgNewIds *ids)
{
	int64 now = (GetCurrentTimestamp() +
				 (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY) /
				1000;
	pg_uuid_t uuid;
	unsigned char *b = uuid.data;
	uint16 begin;

	if (!pg_strong_random(&uuid, sizeof(uuid)))
		ereport(ERROR,
				errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("could not generate random bytes"));
	if (now > ids->time)
	{
		memcpy(&begin, b + 6, sizeof(begin));
		ids->time = now;
		ids->counter = begin % (KG_UUID_COUNTERS / 2);
	}
	else if (++ids->counter == KG_UUID_COUNTERS)
	{
		ids->time++;
		ids->counter = 0;
	}
	for (int i = 0; i < 6; i++)
		b[i] = ids->time >> (8 * (5 - i));
	b[6] = 0x70 | ids->counter >> 8;
	b[7] = ids->counter;
	b[8] = 0x80 | (b[8] & 0x3f);
	return DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(&uuid)));
}

/*
 * A condition for rows whose id is the prefix followed by a number of $5
 * digits, and their order by descending number.
 */
#define KG_NUMBERED                                               \
	" AND entity_id >= $3 AND entity_id <= $4 "                   \
	"AND length(entity_id) = length($3) "                         \
	"AND translate(right(entity_id, $5), '0123456789', '') = '' " \
	"ORDER BY entity_id DESC LIMIT 1"

/* Returns the highest number in ids with this number of digits, or 0. */
static int64
highest_number(const char *tenant, const KgType *type, int digits)
{
	const char *prefix = type->id_generate.prefix;
	char *least = psprintf("%s%0*d", prefix, digits, 0);
	char *most = pstrdup(least);
	int64 number;

	memset(most + strlen(prefix), '9', digits);
	KG_SPI_LATEST("SELECT coalesce(max(right(entity_id, $5)::bigint), 0) FROM ("
				  "(SELECT entity_id FROM @kg_entity WHERE tenant = $1 "
				  "AND bundle = $6 AND entity_type = $7" KG_NUMBERED
				  ") UNION ALL "
				  "(SELECT entity_id FROM @kg_freed WHERE tenant = $1 "
				  "AND type_no = $2" KG_NUMBERED ")) ids",
				  kg_arg_text(tenant),
				  kg_arg_int4(type->type_no),
				  kg_arg_text(least),
				  kg_arg_text(most),
				  kg_arg_int4(digits),
				  kg_arg_text(type->bundle),
				  kg_arg_text(type->name));
	number = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return number;
}

/*
 * Returns the highest number in ids with the schema's number of digits. If
 * there are no such ids, searches ids with fewer digits, because the schema's
 * number of digits may have changed. Locks the generation of numbers for the
 * type.
 */
static int64
last_number(const char *tenant, const KgType *type)
{
	KgUserContext caller;
	int64 number = 0;

	kg_lock_numbers(type->type_no);
	kg_become_owner(&caller);
	for (int digits = type->id_generate.digits; digits > 0 && number == 0;
		 digits--)
		number = highest_number(tenant, type, digits);
	kg_restore_user(&caller);
	return number;
}

static char *
new_number(KgNewIds *ids, const char *tenant, const KgType *type)
{
	char *number;

	if (ids->last == 0)
		ids->last = last_number(tenant, type);
	number = psprintf(
		"%0*lld", type->id_generate.digits, (long long) ++ids->last);
	if (strlen(number) <= (size_t) type->id_generate.digits)
		return psprintf("%s%s", type->id_generate.prefix, number);
	KG_THROW(
		KG_LIMIT_EXCEEDED,
		.message = psprintf("all numbers for ids of type \"%s\" are used",
							type->name),
		.keyword = "x-id-generate",
		.expected = "more \"digits\" in \"x-id-generate\", or items with ids");
}

char *
kg_new_id(KgNewIds *ids, const char *tenant, const KgType *type)
{
	return type->id_generate.uuid ? new_uuid(ids)
								  : new_number(ids, tenant, type);
}
