/*
 * siphash.h
 *	  SipHash-2-4 (Aumasson and Bernstein, 2012), a keyed 64-bit digest.
 *
 * Without the key, a digest can neither be computed nor guessed.
 *
 * The constants and the test vector are from the paper: the key of the bytes 0
 * to 15 and the message of the bytes 0 to 14 result in a129ca6149be45e5.
 */
#ifndef KG_SIPHASH_H
#define KG_SIPHASH_H

typedef struct KgSipKey
{
	uint64 k[2];
} KgSipKey;

static inline uint64
kg_sip_rotate(uint64 x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline void
kg_sip_rounds(uint64 v[4], int n)
{
	for (; n > 0; n--)
	{
		v[0] += v[1];
		v[1] = kg_sip_rotate(v[1], 13) ^ v[0];
		v[0] = kg_sip_rotate(v[0], 32);
		v[2] += v[3];
		v[3] = kg_sip_rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = kg_sip_rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = kg_sip_rotate(v[1], 17) ^ v[2];
		v[2] = kg_sip_rotate(v[2], 32);
	}
}

/*
 * Returns the digest.  It depends on the machine's byte order, but is equally
 * strong with either.
 */
static inline uint64
kg_siphash(const KgSipKey *key, const char *bytes, Size len)
{
	uint64 v[4] = {key->k[0] ^ UINT64CONST(0x736f6d6570736575),
				   key->k[1] ^ UINT64CONST(0x646f72616e646f6d),
				   key->k[0] ^ UINT64CONST(0x6c7967656e657261),
				   key->k[1] ^ UINT64CONST(0x7465646279746573)};
	uint64 last = 0;
	uint64 word;
	Size at;

	for (at = 0; at + sizeof(word) <= len; at += sizeof(word))
	{
		memcpy(&word, bytes + at, sizeof(word));
		v[3] ^= word;
		kg_sip_rounds(v, 2);
		v[0] ^= word;
	}
	memcpy(&last, bytes + at, len - at);
	last |= (uint64) len << 56;
	v[3] ^= last;
	kg_sip_rounds(v, 2);
	v[0] ^= last;
	v[2] ^= 0xff;
	kg_sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif /* KG_SIPHASH_H */
