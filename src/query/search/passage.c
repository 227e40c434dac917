/*
 * passage.c
 *	  The passage of an entity's text that has the words of a query.
 *
 * Words are folded (model/word.h), and a folded text has other positions than
 * the text.  So the text is cut at blanks into pieces, and the words of each
 * piece are compared.  A piece without blanks, as in Chinese, is cut after some
 * characters, and a word across such a cut is not noticed.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "model/word.h"
#include "port/pg_bitutils.h"
#include "query/search/passage.h"
#include "utils/memutils.h"

/* Maximum length of a piece; bytes. */
#define KG_PIECE_BYTES 60
/* Maximum number of bytes of a text that are read. */
#define KG_READ_BYTES (64 * 1024)
/* Maximum number of words of a query that are searched for. */
#define KG_PASSAGE_WORDS 64

typedef struct Piece
{
	int start;
	int end;
	uint64 words; /* bit set of the query's words that the piece has */
} Piece;

typedef struct Finding
{
	KgMatch *match;
	const KgField *field;
	const KgWords *query;
	MemoryContext scratch; /* memory context of the words of a piece */
	int best;			   /* number of words in the passage */
	/* the text is longer than the part that is read */
	bool longer;
} Finding;

static uint64
words_of_piece(const Finding *f, const char *text, const Piece *piece)
{
	MemoryContext old = MemoryContextSwitchTo(f->scratch);
	KgWords words = {0};
	uint64 set = 0;

	kg_words_add(&words, text + piece->start, piece->end - piece->start);
	kg_words_count(&words);
	for (int i = 0; i < Min(f->query->n, KG_PASSAGE_WORDS); i++)
		for (int j = 0; j < words.n; j++)
			if (strcmp(f->query->words[i].word, words.words[j].word) == 0)
				set |= UINT64CONST(1) << i;
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
	return set;
}

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns the next piece of a text that begins at "at". */
static Piece
next_piece(const char *text, int len, int at)
{
	Piece piece = {0};

	while (at < len && is_blank(text[at]))
		at++;
	piece.start = piece.end = at;
	while (piece.end < len && !is_blank(text[piece.end]) &&
		   piece.end - piece.start < KG_PIECE_BYTES)
		piece.end += pg_mblen(text + piece.end);
	return piece;
}

/*
 * Stores the window of pieces as the passage, and adds the pieces after the
 * window while there is room.
 */
static void
keep_passage(Finding *f, const char *text, int len, int start, int end)
{
	bool cut = start > 0;
	bool more;

	for (;;)
	{
		Piece next = next_piece(text, len, end);

		if (next.start == next.end || next.end - start > KG_PASSAGE_BYTES)
			break;
		end = next.end;
	}
	more = end < len || f->longer;
	f->match->field = f->field;
	f->match->passage = psprintf("%s%s%s",
								 cut ? "... " : "",
								 pnstrdup(text + start, end - start),
								 more ? " ..." : "");
}

/*
 * Moves a window over the pieces of a text. The window ends with the current
 * piece and begins with the first piece that it has room for. Stores the first
 * window that has the most words of the query as the passage.
 */
static void
find_in_text(const JsonbValue *value, void *arg)
{
	Finding *f = arg;
	const char *text = value->val.string.val;
	int len;
	Piece *pieces;
	int first = 0;
	int n = 0;

	if (value->type != jbvString)
		return;
	len = pg_mbcliplen(text, value->val.string.len, KG_READ_BYTES);
	f->longer = len < value->val.string.len;
	pieces = palloc((len / 2 + 1) * sizeof(Piece));
	for (int at = 0; f->best < Min(f->query->n, KG_PASSAGE_WORDS);)
	{
		Piece *piece = &pieces[n];
		uint64 set = 0;
		int found;

		CHECK_FOR_INTERRUPTS();
		*piece = next_piece(text, len, at);
		if (piece->start == piece->end)
			break;
		at = piece->end;
		piece->words = words_of_piece(f, text, piece);
		n++;
		while (piece->end - pieces[first].start > KG_PASSAGE_BYTES &&
			   first < n - 1)
			first++;
		for (int i = first; i < n; i++)
			set |= pieces[i].words;
		found = pg_popcount64(set);
		if (piece->words == 0 || found <= f->best)
			continue;
		f->best = found;
		keep_passage(f, text, len, pieces[first].start, piece->end);
	}
	pfree(pieces);
}

void
kg_match_find_passage(KgMatch *match, const KgType *type, const Jsonb *data,
					  const char *query)
{
	KgWords words = {0};
	Finding f = {match};

	if (match->how != KG_MATCH_WORDS || query == NULL)
		return;
	kg_words_add(&words, query, strlen(query));
	kg_words_count(&words);
	f.query = &words;
	f.scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg passage", ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < type->nsearch; i++)
	{
		f.field = type->search_fields[i];
		kg_field_visit(f.field, &data->root, find_in_text, &f);
	}
	MemoryContextDelete(f.scratch);
}
