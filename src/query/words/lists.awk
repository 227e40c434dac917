# Makes C of the word lists of this folder: each file an array of groups, each
# group an array of words.  A group is a line "word: words", and a line that begins
# with a blank goes on with it.

function end_list() {
  if (list == "") return
  if (words != "") print words "NULL},"
  print "\tNULL};"
}

BEGIN {
  print "/* Made by src/query/words/lists.awk. */"
  print "#include \"postgres.h\"\n\n#include \"query/words/lists.h\""
}

FNR == 1 {
  end_list()
  words = ""
  list = FILENAME
  sub(/.*\//, "", list)
  sub(/[.]txt$/, "", list)
  print "\nconst char *const *const kg_words_of_" list "[] = {"
}

/^#/ { next }

/^[^ ]/ {
  if (words != "") print words "NULL},"
  sub(/:/, "")
  words = "\t(const char *const[]){"
}

{
  for (i = 1; i <= NF; i++) words = words "\"" $i "\", "
}

END { end_list() }
