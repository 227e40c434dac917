/*
 * correct.c
 *	  Corrects calls that have unknown arguments.
 *
 *	  Reading arguments needs no other tool, but finding the tool that a call
 *	  was meant for needs all tools. So this folder is in a layer above the
 *	  dispatcher. Readers of arguments call it only through the hooks
 *	  kg_input_unknown and kg_input_other_words.
 */
#include "postgres.h"

#include "tools/correct/apart.h"
#include "tools/correct/correct.h"
#include "tools/correct/misplaced.h"
#include "tools/correct/other_tool.h"
#include "tools/correct/other_words.h"
#include "tools/input/input.h"

static void
refuse_unknown(const KgInput *in, const JsonbValue *key)
{
	if (in->path[0] == '\0')
	{
		kg_refuse_other_tool(in->object, key);
		kg_refuse_apart(in->object, in->outline, key);
	}
	kg_refuse_misplaced(in->object, in->path, in->outline, key);
}

void
kg_correct_init(void)
{
	kg_input_unknown = refuse_unknown;
	kg_input_other_words = kg_take_other_words;
}
