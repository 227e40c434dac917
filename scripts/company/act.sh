# The second act of scripts/demo: a company's own tables, which two companies
# share under policies.  Types read them where they are, and an agent changes an
# order.  Sourced by scripts/demo.

# edit TYPE: lets tools update the rows of a type of the suggested bundle.
company_edit() {
  python3 -B - "$1" <<'PY'
import json, sys
with open(sys.argv[1]) as file:
    schema = json.load(file)
schema["x-table"]["write"] = ["update"]
with open(sys.argv[1], "w") as file:
    json.dump(schema, file, indent=2)
PY
}

# company_kgctl ROLE ARGUMENTS: kgctl, as shown.
company_kgctl() {
  local role=$1
  shift
  printf '%s%s$ kgctl %s%s\n' "$blue" "$role" "${*//$KG_TEMP\//}" "$off"
  kg_as kgctl "$1" --dsn "dbname=demo user=$role" "${@:2}" 2>&1 | sed "s|$KG_TEMP/||"
}

company_progress() { echo "customers, products, orders and their lines are being written"; }

company_tables() {
  local at=$EPOCHREALTIME
  title "11. Second act: a company's tables, as they were before agents"
  say "Making 100,000 orders of two companies"
  kg_ticking company_progress sql <"$root/scripts/company/company.sql"
  sql <<'SQL' >/dev/null
GRANT USAGE ON SCHEMA company TO ada, ben, ada_agent, ben_agent;
GRANT SELECT ON ALL TABLES IN SCHEMA company TO ada, ben, ada_agent, ben_agent;
REVOKE SELECT ON company.customer, company.changes FROM ada_agent, ben_agent;
GRANT SELECT (customer_id, company, name, city, tier) ON company.customer TO ada_agent, ben_agent;
GRANT UPDATE (status, note) ON company.orders TO ada_agent, ben_agent;
GRANT INSERT ON company.changes TO ada_agent, ben_agent;
SELECT kg_grant('acme', 'ada', 'admin'), kg_grant('globex', 'ben', 'admin');
SELECT kg_grant('acme', 'ada_agent', 'write'), kg_grant('globex', 'ben_agent', 'write');
ALTER ROLE ada_agent SET kg_graph.confirm_more = 'all';
GRANT EXECUTE ON FUNCTION kg_explain TO ada;
GRANT pg_read_all_stats TO ada;
SQL
  say "$(sql -F ': ' -c "SELECT string_agg(format('%s %s', c.reltuples, c.relname), ', ' ORDER BY c.reltuples DESC) FROM pg_class c
    WHERE c.relnamespace = 'company'::regnamespace AND c.relkind = 'r' AND c.reltuples > 0") rows; $(
    awk -v a="$at" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s"
  say "Each table has a policy: company = kg_tenant(). The agents may not read customer.email, and may change status and note of an order."
}

company_bind() {
  title "12. kgctl suggest: types from keys, checks, enums and comments; nothing is copied"
  company_kgctl ada suggest --schema company --bundle sales -o "$KG_TEMP/sales"
  say "The status of an order, in sales/schemas/orders.schema.json:"
  python3 -B -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["properties"]["status"]))' "$KG_TEMP/sales/schemas/orders.schema.json" |
    python3 -B "$root/scripts/pretty_json.py"
  say 'One edit: "x-table": {"write": ["update"], ...} lets tools update orders. Then both companies apply it.'
  company_edit "$KG_TEMP/sales/schemas/orders.schema.json"
  company_kgctl ada apply "$KG_TEMP/sales"
  company_kgctl ben apply "$KG_TEMP/sales"
}

company_questions() {
  local question
  title "13. Questions, answered from the tables"
  ask ada_agent "kg_list('orders', '{\"filters\": {\"status\": \"new\"}, \"sort\": [{\"field\": \"ordered_on\", \"order\": \"desc\"}], \"fields\": [\"ordered_on\", \"customer_id.name\"], \"limit\": 2}') - 'next'"
  say "From a customer over orders and their lines to products that are sold out, by foreign keys:"
  ask ada_agent "kg_traverse('{\"from\": {\"label\": \"customer\", \"ids\": [\"42\"]}, \"relationships\": [{\"type\": \"CUSTOMER\", \"direction\": \"incoming\"},
    {\"type\": \"ORDER\", \"direction\": \"incoming\"}, {\"type\": \"PRODUCT\"}], \"to\": {\"label\": \"product\", \"filters\": {\"in_stock\": 0}}, \"limit\": 3, \"ids_only\": true}') -> 'rows'"
  say "The same tables in SQL, over types and relations:"
  ask ada_agent "kg_query('{\"sql\": \"SELECT c.city, count(*) AS orders FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.tier = ''gold'' GROUP BY c.city ORDER BY orders DESC, c.city LIMIT 3\"}') -> 'rows'"
  title "14. The same question by two callers: each company sees its own rows"
  question="kg_aggregate('{\"node\": {\"label\": \"orders\"}, \"group_by\": [{\"property\": \"status\"}], \"aggregations\": [{\"fn\": \"count\"}]}') -> 'rows'"
  ask ada_agent "$question"
  ask ben_agent "$question"
  ask ada_agent "kg_get('orders', ARRAY['2', '3'])"
}

company_update() {
  local call confirm
  title "15. An agent changes an order: its effects first, then the write"
  call='{"items": [{"id": "8", "set": {"status": "paid", "note": "by card"}}]}'
  ask ada_agent "kg_call_tool('update_orders', '$call') -> 'structuredContent'"
  confirm=$(sql -U ada_agent -c "SELECT kg_call_tool('update_orders', '$call') #>> '{structuredContent,confirm}'")
  say "The user agrees; the same call with \"confirm\":"
  ask ada_agent "kg_call_tool('update_orders', '${call%\}}, \"confirm\": \"$confirm\"}') #> '{structuredContent,items}'"
  say "Refused by the table's own check, trigger and policies:"
  ask ben_agent "kg_call_tool('update_orders', '{\"items\": [{\"id\": \"9\", \"set\": {\"status\": \"lost\"}}]}') #> '{structuredContent,error,errors}'"
  ask ben_agent "kg_call_tool('update_orders', '{\"items\": [{\"id\": \"15\", \"set\": {\"status\": \"paid\"}}]}') #> '{structuredContent,error,errors}'"
  ask ben_agent "kg_call_tool('update_orders', '{\"items\": [{\"id\": \"8\", \"set\": {\"status\": \"sent\"}}]}') #> '{structuredContent,error,errors}'"
  say "The company's own audit, written by its trigger:"
  sql -F ' | ' -c "SELECT who, 'order ' || order_id, before || ' -> ' || after FROM company.changes"
}

company_sql() {
  title "16. The SQL that ran"
  sql -U ada -c "SELECT s ->> 'sql' FROM jsonb_array_elements(kg_explain('list_orders', '{\"filters\": {\"status\": \"new\"}, \"limit\": 2}') -> 'statements') s" |
    fold -s -w 150
}

company() {
  company_tables
  company_bind
  company_questions
  company_update
  company_sql
}
