/*
 * decisions.c
 *	  A cache of decisions.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "kgctl/buf.h"
#include "kgctl/decisions.h"
#include "kgctl/loop.h"

#define SLOTS 65536
/*
 * Maximal length of a key, in bytes. A decision with a longer key is not
 * cached.
 */
#define MAX_KEY 512

typedef struct Slot
{
	/*
	 * the strings of the key, each followed by a NUL; NULL: the slot is empty
	 */
	char *key;
	size_t len;
	int64_t until;
	bool allowed;
} Slot;

struct KgctlDecisions
{
	long seconds;
	/*
	 * random seed of the hash, so that no caller can choose keys that share a
	 * slot
	 */
	uint64_t seed;
	size_t count;
	Slot slots[SLOTS];
};

KgctlDecisions *
kg_decisions_new(long seconds)
{
	KgctlDecisions *kept = kg_calloc(1, sizeof(KgctlDecisions));

	kept->seconds = seconds;
	if (getrandom(&kept->seed, sizeof(kept->seed), 0) < 0)
		kept->seed = (uint64_t) kg_now();
	return kept;
}

void
kg_decisions_free(KgctlDecisions *kept)
{
	if (kept == NULL)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		free(kept->slots[i].key);
	free(kept);
}

size_t
kg_decisions_count(const KgctlDecisions *kept)
{
	return kept->count;
}

/*
 * Writes the bytes of a key. Returns the number of bytes, or 0 if the key is
 * too long.
 */
static size_t
make_key(const char *const parts[KG_DECISION_PARTS], char key[MAX_KEY])
{
	size_t len = 0;

	for (int i = 0; i < KG_DECISION_PARTS; i++)
	{
		size_t n = strlen(parts[i]) + 1;

		if (len + n > MAX_KEY)
			return 0;
		memcpy(key + len, parts[i], n);
		len += n;
	}
	return len;
}

static size_t
slot_of(const KgctlDecisions *kept, const char *key, size_t len)
{
	return (size_t) (kg_hash(kept->seed, key, len) % SLOTS);
}

bool
kg_decisions_get(const KgctlDecisions *kept,
				 const char *const parts[KG_DECISION_PARTS], bool *allowed)
{
	char key[MAX_KEY];
	size_t len = make_key(parts, key);
	const Slot *slot = &kept->slots[slot_of(kept, key, len)];

	if (len == 0 || slot->len != len || memcmp(slot->key, key, len) != 0 ||
		kg_now() >= slot->until)
		return false;
	*allowed = slot->allowed;
	return true;
}

void
kg_decisions_put(KgctlDecisions *kept,
				 const char *const parts[KG_DECISION_PARTS], bool allowed)
{
	char key[MAX_KEY];
	size_t len = make_key(parts, key);
	Slot *slot = &kept->slots[slot_of(kept, key, len)];

	if (len == 0)
		return;
	kept->count += slot->key == NULL;
	free(slot->key);
	slot->key = kg_malloc(len);
	memcpy(slot->key, key, len);
	slot->len = len;
	slot->until = kg_now() + kept->seconds * 1000;
	slot->allowed = allowed;
}
