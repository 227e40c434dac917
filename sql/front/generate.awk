# Functions of kg_front: those of kg_graph by the same names and signatures, each
# of which PL/Proxy hands to a shard.  Its input is sql/front/routes, then the parts
# of kg_graph's install script.
#
# What the parts say of a function comes as
#     CREATE FUNCTION @extschema@.NAME(ARGUMENTS) RETURNS TYPE
#       LANGUAGE ... STRICT ...
# with line breaks before LANGUAGE as they like, and COMMENT ON FUNCTION.

function fail(text) {
  print "sql/front/generate.awk: " text > "/dev/stderr"
  failed = 1
  exit 1
}

function name_of(text) {
  sub(/^[^@]*@extschema@[.]/, "", text)
  sub(/[(].*/, "", text)
  return text
}

# Where PL/Proxy connects to.
function place_of(name) {
  if (route[name] == "caller") return "kg_connect()"
  if (route[name] == "tenant") return "kg_connect_tenant(tenant)"
  return "kg_connect_token(token)"
}

# Values go as text, by settings of the session for some types: those of kg_carried().
function settings_of(signature) {
  if (signature !~ / (timestamp|timestamptz|date|time|timetz|interval|real|double precision)([ ,)[]|$)|[[][]]/) return ""
  return "\n  SET DateStyle = ISO SET IntervalStyle = postgres SET extra_float_digits = 1 SET array_nulls = on"
}

function write_function(name, signature, strict) {
  if (route[name] == "token" && signature !~ /[( ]token text/) fail(name " has no argument token")
  if (route[name] == "tenant" && signature !~ /[(]tenant text/) fail(name " has no argument tenant")
  printf "\n%s\n  LANGUAGE plproxy VOLATILE%s PARALLEL UNSAFE%s\n  AS $$ CONNECT @extschema@.%s; $$;\n",
    signature, strict ? " STRICT" : "", settings_of(signature), place_of(name)
}

FILENAME ~ /routes$/ {
  if ($0 ~ /^#/ || NF == 0) next
  if ($1 !~ /^(caller|token|tenant|own|none)$/) fail("unknown route " $1)
  for (i = 2; i <= NF; i++) {
    if ($i in route) fail($i " has two routes")
    route[$i] = $1
  }
  next
}

/^CREATE FUNCTION @extschema@[.]/ { signature = ""; reading = 1 }
reading && /^ *LANGUAGE / {
  reading = 0
  name = name_of(signature)
  if (signature !~ / RETURNS trigger$/) {
    if (!(name in route)) fail(name " has no route in sql/front/routes")
    seen[name] = 1
    if (route[name] ~ /^(caller|token|tenant)$/) write_function(name, signature, $0 ~ / STRICT/)
  }
}
reading {
  line = $0
  sub(/^ +/, " ", line)
  if (signature != "" && line !~ /^ /) line = " " line
  signature = signature line
}

/^COMMENT ON FUNCTION @extschema@[.]/ {
  name = name_of($0)
  commenting = name in route && route[name] ~ /^(caller|token|tenant)$/
}
commenting { print }
commenting && /;$/ { commenting = 0 }

END {
  if (failed) exit 1
  for (name in route)
    if (!(name in seen)) fail(name " has a route, and is no function of kg_graph")
}
