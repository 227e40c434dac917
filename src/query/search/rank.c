/*
 * rank.c
 *	  Scores of names as matches of a query.
 *
 * A name of six letters or more with one typing error scores above a name that
 * only begins with the query. A shorter name with one error scores below it.
 * test/search measures the effect of these numbers on real names.
 */
#include "postgres.h"

#include <math.h>

#include "model/word.h"
#include "query/search/rank.h"

/*
 * Bonus for an equal first letter, which is seldom mistyped. It decides ties.
 */
#define KG_RANK_FIRST 0.01

double
kg_rank_prefix(double part, bool whole)
{
	return whole ? 0.75 + 0.15 * part : 0.6 + 0.3 * part;
}

double
kg_rank_word_prefix(double part)
{
	return 0.4 + 0.1 * part;
}

static bool
contains(const KgChars *asked, const KgChars *name)
{
	for (int i = 0; i + asked->n <= name->n; i++)
		if (memcmp(name->chars + i,
				   asked->chars,
				   asked->n * sizeof(pg_wchar)) == 0)
			return true;
	return false;
}

double
kg_rank_part(const KgChars *asked, const KgChars *name)
{
	return contains(asked, name) ? 0.25 + 0.35 * asked->n / name->n : 0;
}

double
kg_rank_alike(const KgChars *asked, const KgChars *name)
{
	int length = Max(asked->n, name->n);
	int most = length < 5 ? 1 : Max(2, length / 4);
	int edits = kg_edits(asked, name, most);
	double part;

	if (edits == 0)
		return 1;
	if ((asked->n >= 3 ? edits > 1 : kg_is_paired(asked)) &&
		contains(asked, name))
		return kg_rank_part(asked, name);
	/*
	 * A name of two or three letters must have the first letter of the query.
	 */
	if (edits > most || (length < 4 && asked->chars[0] != name->chars[0]))
		return 0;
	part = (double) edits / length;
	return Max(0.05, 0.94 - 0.5 * part - 2.5 * part * part) +
		   (asked->chars[0] == name->chars[0] ? KG_RANK_FIRST : 0);
}

double
kg_rank_rarity(int64 entities)
{
	return 1 / (1 + log((double) Max(1, entities)));
}

double
kg_rank_words(double said, double part)
{
	return pow(said, 1.5) * (0.45 + 0.2 * Min(1, part));
}
