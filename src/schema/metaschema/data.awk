# Makes C of the meta-schemas of this folder, which are those that json-schema.org
# publishes, and that of OpenAPI 3.0: an array of each one's URI and text.

function end_text() {
  if (text == "") return
  if (uri == "") {
    print "src/schema/metaschema/data.awk: no identifier in " file > "/dev/stderr"
    exit 1
  }
  gsub(/\\/, "&&", text)
  gsub(/"/, "\\\\&", text)
  printf "\t{\"%s\", \"%s\"},\n", uri, text
  text = uri = ""
}

BEGIN {
  print "/* Made by src/schema/metaschema/data.awk. */"
  print "#include \"postgres.h\"\n\n#include \"schema/metaschema.h\"\n"
  print "const KgMetaschemaText kg_metaschema_texts[] = {"
}

FNR == 1 {
  end_text()
  file = FILENAME
}

uri == "" && /^ *"[$]?id": "/ {
  uri = $2
  gsub(/[",#]/, "", uri)
}

{
  gsub(/^[ \t]+/, "")
  text = text $0
}

END {
  end_text()
  print "\t{NULL, NULL}};"
}
