/*
 * search_found.c
 *	  Entities found by a search by name.
 */
#include "postgres.h"

#include "model/term.h"
#include "query/search/rank.h"
#include "query/search/search_run.h"

KgFound *
kg_search_found(KgSearch *search, int64 node, int32 type_no)
{
	bool exists;
	KgFound *found = hash_search(search->found, &node, HASH_ENTER, &exists);

	if (!exists)
	{
		memset(found, 0, sizeof(*found));
		found->node = node;
		found->match.node = node;
		found->match.type_no = type_no;
	}
	return found;
}

void
kg_search_keep(KgSearch *search, int64 node, int32 type_no, KgMatchHow how,
			   char kind, const char *term, double score)
{
	KgFound *found = kg_search_found(search, node, type_no);

	if (found->match.score >= score)
		return;
	found->match.how = how;
	found->match.kind = kind;
	found->match.term = pstrdup(term);
	found->match.score = score;
	if (kind != KG_TERM_TOKEN)
		search->best = Max(search->best, score);
}

bool
kg_search_has_number(const KgSearch *search, const char *term)
{
	return search->number == NULL || strstr(term, search->number) != NULL;
}

void
kg_search_append_types(KgSqlBuilder *b, const KgSearch *search,
					   const char *alias)
{
	kg_sql_types(b, alias, search->type_nos, search->ntypes);
}

bool
kg_search_has_type(const KgSearch *search, int32 type_no)
{
	for (int i = 0; i < search->ntypes; i++)
		if (search->type_nos[i] == type_no)
			return true;
	return search->ntypes == 0;
}

double
kg_search_rank_prefix(const KgSearch *search, const char *term)
{
	int asked = strlen(search->folded);

	return kg_rank_prefix((double) asked / strlen(term),
						  kg_term_ends_word(term, asked));
}
