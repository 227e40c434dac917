# Makes C of function_list.txt.

BEGIN {
  print "/* Made by src/ask/function_list.awk. */"
  print "#include \"postgres.h\"\n\n#include \"ask/allowed.h\"\n"
  print "const KgAskFunction kg_ask_functions[] = {"
}

/^#/ { next }

{
  oid = $1
  named = $2 == "named" ? "true" : "false"
  kind = toupper($3)
  sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
  printf "\t{%s, %s, KG_ASK_%s, \"%s\"},\n", oid, named, kind, $0
}

END {
  print "};\n"
  print "const int kg_ask_nfunctions = lengthof(kg_ask_functions);"
}
