#!/usr/bin/env bash
# What README's terminal shows: typed and answered, at a person's speed.  Started by
# docs/cast/record.
tool() { kgctl call -c "$@" | jq -cC "$show"; }

run() { # COMMAND SECONDS
  local i
  printf '\e[1;32m$\e[0m '
  for ((i = 0; i < ${#1}; i++)); do
    printf %s "${1:i:1}"
    sleep 0.025
  done
  sleep 0.4
  printf '\n'
  eval "$1"
  sleep "$2"
  printf '\n'
}

say() {
  printf '\e[90m# %s\e[0m\n' "$*"
  sleep 0.8
}

say 'An agent sends a value that is not there. The error carries the call that is right.'
show='.structuredContent.error | {message, call}'
run "tool list_subdivision 'filters={\"country\": \"FR\", \"kind\": \"Overseas regions\"}' fields='[\"name\"]'" 3
show='.structuredContent | {total, items: [.items[] | [.id, .data.name]]}'
run "tool list_subdivision 'filters={\"country\": \"FR\", \"kind\": \"Overseas region\"}' fields='[\"name\"]'" 3
say 'How is a dog related to a cat?'
show='[.structuredContent.paths[0].path[] | .type? // . | sub("synset:"; "")]'
run "tool find_paths from='{\"label\": \"synset\", \"ids\": [\"dog.n.01\"]}' to='{\"label\": \"synset\", \"ids\": [\"cat.n.01\"]}' limit=1 ids_only=true" 3
say 'A draft says so. Is it true?'
show='.structuredContent.claims[] | {verdict, correction}'
run "tool verify_claims 'claims=[{\"entity\": \"country:FR\", \"property\": \"alpha_3\", \"is\": \"FRA\"}, {\"entity\": \"country:FR\", \"property\": \"numeric\", \"is\": \"251\"}]'" 4
