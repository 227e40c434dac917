# Makes C of the JSON files of this folder: an array of the members of parts.json,
# and one of those of all other files, the templates of tools.  A member begins in
# the third column, and its lines follow.

function end_member() {
  if (name == "") return
  sub(/,$/, "", json)
  gsub(/\\/, "&&", json)
  gsub(/"/, "\\\\&", json)
  printf "\t{\"%s\", \"%s\"},\n", name, json
  name = ""
}

function begin_array(array) {
  if (array == open) return
  if (open != "") print "\t{NULL}};"
  printf "\nKgSchemaText %s[] = {\n", array
  open = array
}

BEGIN {
  print "/* Made by src/tools/schemas/texts.awk. */"
  print "#include \"postgres.h\"\n\n#include \"tools/schemas/texts.h\""
}

FNR == 1 {
  end_member()
  begin_array(FILENAME ~ /parts[.]json$/ ? "kg_schema_parts" : "kg_schema_tools")
}

/^  "/ {
  end_member()
  name = $0
  sub(/^  "/, "", name)
  sub(/".*/, "", name)
  json = $0
  sub(/^  "[^"]*": /, "", json)
  next
}

/^}/ { end_member() }

name != "" {
  sub(/^ +/, "")
  json = json $0
}

END {
  print "\t{NULL}};"
}
