-- Tools that write the rows of tables: the caller's rights, constraints, policies, triggers, versions, dry run, confirmation, keys.
\i test/data/prelude.sql
CALL test.tenant('acting', 'acting_admin admin', 'acting_clerk write', 'acting_reader read');
CALL test.tenant('acting too', 'acting_other write', 'acting_boss admin');
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA act;
GRANT USAGE ON SCHEMA act TO PUBLIC;
CREATE DOMAIN act.percent AS integer CHECK (VALUE BETWEEN 0 AND 100);
CREATE TABLE act.account (account_id integer PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), name varchar(10) NOT NULL, email text UNIQUE, CHECK (name <> 'bad'));
CREATE TABLE act.purchase (purchase_id serial PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), account_id integer NOT NULL REFERENCES act.account, status text NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'paid', 'sent')), amount numeric(8, 2) NOT NULL CONSTRAINT positive CHECK (amount > 0), discount act.percent, tags text[], notes jsonb, due date, secret text NOT NULL DEFAULT 's', doubled numeric GENERATED ALWAYS AS (amount * 2) STORED,
  of integer REFERENCES act.purchase DEFERRABLE INITIALLY DEFERRED, CONSTRAINT discounted CHECK (discount IS NULL OR amount > 1));
CREATE INDEX ON act.purchase (account_id);
CREATE INDEX ON act.purchase (of);
CREATE TABLE act.line (purchase_id integer REFERENCES act.purchase, place integer, what text NOT NULL, PRIMARY KEY (purchase_id, place));
CREATE TABLE act.stock (stock_id text PRIMARY KEY, company text NOT NULL, n smallint NOT NULL CHECK (n >= 0), v integer, note text);
CREATE FUNCTION act.on_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.status = 'sent' THEN RETURN NULL; END IF;
    RETURN OLD;
  END IF;
  IF NEW.amount > 5000 THEN RAISE EXCEPTION 'above the limit of 5000: ask a manager'; END IF;
  IF NEW.amount = 4999 THEN PERFORM act.reveals(); END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION act.reveals() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a secret'; END $$;
CREATE TRIGGER on_purchase BEFORE INSERT OR UPDATE OR DELETE ON act.purchase FOR EACH ROW EXECUTE FUNCTION act.on_purchase();
INSERT INTO act.account VALUES (1, 'acting', 'One', 'one@x'), (2, 'acting', 'Two', NULL), (9, 'acting too', 'Nine', 'nine@x');
INSERT INTO act.purchase (company, account_id, amount, tags) VALUES ('acting', 1, 10, '{a,b}'), ('acting', 2, 20, NULL), ('acting too', 9, 90, NULL);
INSERT INTO act.stock VALUES ('s1', 'acting', 5, 1), ('s9', 'acting too', 9, 1);
DO $$ DECLARE t text; BEGIN FOREACH t IN ARRAY '{account,purchase}'::text[] LOOP
  EXECUTE format('ALTER TABLE act.%I ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON act.%1$I USING (company = kg_tenant())', t); END LOOP; END $$;
CREATE POLICY paid ON act.purchase AS RESTRICTIVE FOR DELETE TO acting_clerk USING (status <> 'paid');
GRANT SELECT ON ALL TABLES IN SCHEMA act TO acting_admin, acting_other, acting_boss;
GRANT SELECT (account_id, company, name, email) ON act.account TO acting_clerk, acting_reader;
GRANT SELECT (purchase_id, company, account_id, status, amount, discount, tags, notes, due, doubled, of) ON act.purchase TO acting_clerk, acting_reader;
GRANT INSERT, UPDATE (name, email), DELETE ON act.account TO acting_clerk, acting_other;
GRANT INSERT, UPDATE (account_id, status, amount, discount, tags, notes, due, of), DELETE ON act.purchase TO acting_clerk, acting_other;
GRANT SELECT, INSERT, UPDATE, DELETE ON act.stock, act.line TO acting_clerk, acting_other;
GRANT USAGE ON SEQUENCE act.purchase_purchase_id_seq TO acting_clerk;
-- A reply without versions that differ from run to run; or an error's members.
CREATE FUNCTION act.told(tool text, arguments jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r jsonb;
  said jsonb;
BEGIN
  r := kg_call_tool(tool, arguments);
  IF r -> 'error' IS NULL AND r #> '{structuredContent,error}' IS NULL THEN
    r := coalesce(r -> 'structuredContent', r);
    IF r -> 'counts' ? 'error' THEN RETURN (SELECT string_agg(concat_ws(' | ', i ->> 'id', i ->> 'verdict', i #>> '{error,code}', i #>> '{error,message}', i #>> '{error,path}', i #>> '{error,expected}'), E'\n  ') FROM jsonb_array_elements(r -> 'items') i); END IF;
    RETURN regexp_replace(regexp_replace(r::text, '"version": \d{2,}', '"version": "xid"', 'g'), '"(confirm|expires_at)": "[^"]*"', '"\1": "..."', 'g');
  END IF;
  said := coalesce(r #> '{structuredContent,error}', r -> 'error');
  RETURN (SELECT string_agg(concat_ws(' | ', e ->> 'code', regexp_replace(e ->> 'message', 'version is \d{3,}', 'version is xid'), e ->> 'path', e ->> 'got', e ->> 'expected'), E'\n  ') FROM jsonb_array_elements(coalesce(said -> 'errors', jsonb_build_array(said))) e);
END $$;
GRANT EXECUTE ON FUNCTION act.told TO PUBLIC;
SET kg_graph.toolsets = 'catalog, write';
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act.account', '{"label": "name", "write": ["create", "update", "delete"]}') ->> 'changed', kg_bind_table('crm', 'act.purchase', '{"write": ["create", "update", "delete"]}') ->> 'changed',
  kg_bind_table('crm', 'act.stock', '{"tenant_column": "company", "version_column": "v", "write": ["create", "update", "delete"]}') ->> 'changed';
-- off unless the binding says so: the error says how
SELECT kg_bind_table('crm', 'act.line', '{"shared": true}') ->> 'changed';
SELECT act.told('create_line', '{"items": [{"purchase_id": "1", "place": 1, "what": "x"}]}');
SELECT act.told('create', '{"type": "line", "items": [{"purchase_id": "1", "place": 1, "what": "x"}]}');
SELECT test.said($$kg_put_entities('line', '[{"place": 1, "what": "x"}]')$$, 'message', 'expected');
SELECT test.said($$kg_bind_table('crm', 'act.line', '{"shared": true, "write": ["link"]}')$$, 'expected');
SELECT t ->> 'description', t -> 'inputSchema' #> '{properties,items,items,required}' FROM jsonb_array_elements(kg_list_tools()) t WHERE t ->> 'name' = 'create_purchase';
SELECT kg_bind_table('crm', 'act.line', '{"shared": true, "write": ["create", "update", "delete"]}') ->> 'changed';
SET ROLE acting_clerk;
-- an id of several columns
SELECT act.told('create_line', i::jsonb) FROM unnest(ARRAY['{"items": [{"purchase_id": "1", "place": 1, "what": "x"}]}', '{"items": [{"id": "1/2", "place": 2, "what": "y"}]}', '{"items": [{"id": "1/3", "place": 4, "what": "z"}]}', '{"items": [{"id": "1/1", "place": 1, "what": "z"}]}', '{"items": [{"id": "5", "place": 1, "what": "z"}]}']) i;
SELECT act.told('update_line', '{"items": [{"id": "1/2", "set": {"place": 7}}]}'), act.told('delete_line', '{"ids": ["1/2", "1/9"]}');
-- create: defaults, the tenant's column, a generated id
SELECT act.told('create_account', '{"items": [{"account_id": "3", "name": "Three", "email": "three@x"}]}');
SELECT act.told('create_purchase', '{"items": [{"account_id": "1", "amount": 12.5, "tags": ["x", "y"], "notes": {"a": [1]}, "due": "2026-01-31"}]}');
SELECT kg_get('purchase', '4');
SELECT act.told('create_stock', '{"items": [{"stock_id": "s2", "n": 3}, {"stock_id": "s3", "company": "acting too", "n": 1}, {"stock_id": "s4", "company": "acting", "n": 1, "v": 7}], "atomic": false}');
-- constraints: which property, and what to send
SELECT act.told('create_account', i::jsonb) FROM unnest(ARRAY['{"items": [{"account_id": "1", "name": "x"}]}', '{"items": [{"account_id": "9", "name": "x"}]}', '{"items": [{"account_id": "4", "name": "x", "email": "nine@x"}]}', '{"items": [{"account_id": "4", "name": "bad"}]}', '{"items": [{"account_id": "4"}]}',
  '{"items": [{"account_id": "four", "name": "x"}]}', '{"items": [{"account_id": "4", "name": "longer than ten"}]}', '{"items": [{"account_id": "4", "name": "x", "nmae": "y"}]}', '{"items": [{"name": "x"}]}', '{"items": [{"account_id": "4", "name": "x", "company": "acting too"}]}',
  '{"items": [{"account_id": "5", "name": "x"}, {"account_id": "5", "name": "y"}]}', '{"items": [7]}']) i;
SELECT act.told('create_purchase', jsonb_build_object('items', jsonb_build_array('{"account_id": "1", "amount": 5}'::jsonb || i::jsonb))) FROM unnest(ARRAY['{"account_id": "77"}', '{"account_id": "9"}', '{"status": "gone"}', '{"amount": -1}', '{"amount": 12345678901}', '{"discount": 101}', '{"amount": 1, "discount": 1}', '{"due": "2026-02-30"}', '{"doubled": 4}', '{"tags": "x"}',
  '{"amount": 6000}', '{"amount": 4999}', '{"of": "3"}', '{"of": "12345"}', '{"purchase_id": "4"}']) i;
SELECT act.told('create_purchase', '{"items": [{"amount": 5}]}');
-- update: what is named; changes, versions, arrays, hidden columns
SELECT act.told('update_purchase', '{"items": [{"id": "1", "set": {"status": "paid"}, "add": {"tags": ["c"]}, "unset": ["due"]}]}');
SELECT act.told('update_purchase', '{"items": [{"id": "1", "set": {"status": "paid"}}, {"id": "3", "set": {"status": "paid"}}, {"id": "01", "set": {"status": "sent"}}], "atomic": false}');
SELECT act.told('update_purchase', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', '1') || i::jsonb))) FROM unnest(ARRAY['{"set": {"account_id": "9"}}', '{"set": {"company": "acting too"}}', '{"set": {"purchase_id": "8"}}', '{"unset": ["amount"]}', '{"set": {"amount": "x"}}', '{"set": {"amuont": 3}}', '{"set": {"amount": 6000}}', '{"set": {"of": "1"}}', '{"unset": ["of"]}', '{"set": {"status": "paid"}, "expected_version": 1}', '{"remove": {"tags": ["a", "zz"]}}']) i;
SELECT act.told('update_account', '{"items": [{"id": "2", "set": {"account_id": "2", "email": "two@x"}}]}');
SELECT act.told('update_stock', '{"items": [{"id": "s1", "set": {"n": 4}, "expected_version": 1}]}');
SELECT kg_call_tool('get_stock', '{"id": "s1", "citations": true}') #> '{structuredContent,citations}', kg_call_tool('list_stock', '{"citations": true}') #> '{structuredContent,citations}';
SELECT act.told('update_stock', '{"items": [{"id": "s1", "set": {"n": 3}, "expected_version": 1}]}');
SELECT act.told('update_stock', '{"items": [{"id": "s1", "set": {"n": -3}}, {"id": "s2", "set": {"n": 1}}], "atomic": false}');
SELECT act.told('update_stock', '{"items": [{"id": "s9", "set": {"n": 1}}, {"id": "s1", "set": {"company": "acting too"}}], "atomic": false}');
SELECT stock_id, company, n, v FROM act.stock ORDER BY 1;
-- dry run, confirmation, idempotency
SELECT act.told('update_stock', '{"items": [{"id": "s1", "set": {"n": 1}}], "dry_run": true}');
SELECT act.told('create_purchase', '{"items": [{"account_id": "1", "amount": 5, "of": "12345"}], "dry_run": true}');
RESET ROLE;
SET kg_graph.confirm = 'all';
SET kg_graph.audit = 'writes';
SET kg_graph.audit_to = 'table';
SET ROLE acting_clerk;
SELECT act.told('update_stock', '{"items": [{"id": "s1", "set": {"n": 1}}]}');
SELECT kg_call_tool('update_stock', '{"items": [{"id": "s1", "set": {"n": 1}}]}') #>> '{structuredContent,confirm}' AS confirm \gset
SELECT act.told('update_stock', jsonb_build_object('items', '[{"id": "s1", "set": {"n": 1}}]'::jsonb, 'confirm', :'confirm'));
SELECT act.told('update_stock', jsonb_build_object('items', '[{"id": "s1", "set": {"n": 1}}]'::jsonb, 'confirm', :'confirm'));
SELECT kg_call_tool('update_account', '{"items": [{"id": "1", "set": {"name": "Uno"}}]}') #>> '{structuredContent,confirm}' AS confirm \gset
RESET ROLE;
UPDATE act.account SET email = 'uno@x' WHERE account_id = 1;
SET ROLE acting_clerk;
SELECT act.told('update_account', jsonb_build_object('items', '[{"id": "1", "set": {"name": "Uno"}}]'::jsonb, 'confirm', :'confirm'));
RESET ROLE;
RESET kg_graph.confirm;
SET ROLE acting_clerk;
SELECT act.told('create_stock', '{"items": [{"stock_id": "k", "n": 3}], "idempotency_key": "k1"}');
SELECT act.told('create_stock', '{"items": [{"stock_id": "k", "n": 3}], "idempotency_key": "k1"}');
-- delete: referring rows, policies, triggers that keep a row, versions
SELECT act.told('delete_account', '{"ids": ["1"]}');
SELECT act.told('delete_account', '{"ids": ["3", "33", "9"]}');
SELECT act.told('delete_purchase', '{"ids": ["1"]}');
SELECT act.told('update_purchase', '{"items": [{"id": "2", "set": {"status": "sent"}}]}');
SELECT act.told('delete_purchase', '{"ids": ["2"]}');
SELECT act.told('delete_purchase', '{"ids": [{"id": "4", "expected_version": 1}]}');
SELECT act.told('delete_purchase', '{"ids": ["4"]}');
-- the toolset's tools
SELECT act.told('update', '{"type": "stock", "items": [{"id": "k", "set": {"n": 0}}]}'), act.told('delete', '{"type": "stock", "ids": ["k"]}');
-- rows without a version column: any update counts
SELECT version FROM (SELECT kg_call_tool('update_line', '{"items": [{"id": "1/1", "set": {"what": "b"}}]}') #>> '{structuredContent,items,0,version}' AS version) v \gset
SELECT act.told('update_line', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', '1/1', 'set', '{"what": "c"}'::jsonb, 'expected_version', :version)))) LIKE '%"updated": 1%';
SELECT act.told('update_line', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', '1/1', 'set', '{"what": "d"}'::jsonb, 'expected_version', :version)))) LIKE 'CONFLICT%';
-- callers without rights: on a column, on the table, on the tenant
SET ROLE acting_admin;
SELECT act.told('update_purchase', '{"items": [{"id": "2", "set": {"status": "paid"}}]}');
SELECT act.told('delete_stock', '{"ids": ["s1"]}');
SET ROLE acting_reader;
SELECT act.told('update_purchase', '{"items": [{"id": "2", "set": {"status": "paid"}}]}');
SET ROLE acting_other;
SELECT act.told('update', '{"type": "account", "items": [{"id": "1", "set": {"name": "mine"}}]}');
RESET ROLE;
-- another tenant binds the same table: it never reaches rows of the first one
SET ROLE acting_boss;
SELECT kg_bind_table('own', 'act.account', '{"write": ["create", "update", "delete"]}') ->> 'changed', kg_bind_table('own', 'act.stock', '{"tenant_column": "company", "write": ["update", "delete"]}') ->> 'changed';
SET ROLE acting_other;
SELECT act.told('update_account', '{"items": [{"id": "1", "set": {"name": "mine"}}]}');
SELECT act.told('delete_account', '{"ids": ["1", "2"]}');
SELECT act.told('delete_stock', '{"ids": ["s1", "s9"]}');
SELECT act.told('create_account', '{"items": [{"account_id": "10", "company": "acting", "name": "planted"}]}');
RESET ROLE;
-- the caller's rights change between calls; a policy is gone
DROP POLICY own ON act.account;
CREATE POLICY open ON act.account USING (true);
SET ROLE acting_clerk;
SELECT act.told('update_account', '{"items": [{"id": "1", "set": {"name": "x"}}]}');
RESET ROLE;
-- views: written through if PostgreSQL can, and never to a row that they do not show
CREATE VIEW act.cheap WITH (security_invoker = true) AS SELECT purchase_id AS id, amount, status FROM act.purchase WHERE amount < 50 AND company = kg_tenant();
CREATE VIEW act.sums WITH (security_invoker = true) AS SELECT account_id AS id, company FROM act.account WHERE company = kg_tenant() OFFSET 0;
GRANT SELECT ON act.cheap, act.sums TO acting_admin;
GRANT SELECT, UPDATE ON act.cheap TO acting_clerk;
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act.cheap', '{"id": "id", "write": ["update"]}') ->> 'changed';
SELECT test.said($$kg_bind_table('crm', 'act.sums', '{"id": "id", "write": ["update"]}')$$, 'message', 'expected');
SELECT test.said($$kg_bind_table('crm', 'act.cheap', '{"id": "id", "write": ["update"], "version_column": "status"}')$$, 'message', 'expected');
SET ROLE acting_clerk;
SELECT act.told('update_cheap', '{"items": [{"id": "2", "set": {"amount": 21}}]}');
SELECT act.told('update_cheap', '{"items": [{"id": "2", "set": {"amount": 60}}]}');
SELECT act.told('update_cheap', '{"items": [{"id": "2", "set": {"amount": 22}, "expected_version": 3}]}');
RESET ROLE;
SELECT purchase_id, company, account_id, status, amount FROM act.purchase ORDER BY 1;
SELECT * FROM act.account ORDER BY 1;
-- a schema that is narrower than the table: what the row had before does not matter, new values do
INSERT INTO act.stock VALUES ('s7', 'acting', 7, 1);
SET ROLE acting_admin;
SELECT kg_apply_bundle(jsonb_set(jsonb_set(b, '{schemas}', (SELECT jsonb_agg(CASE s ->> 'entity_type' WHEN 'stock' THEN jsonb_set(jsonb_set(s, '{schema,properties,n,maximum}', '5'), '{schema,required}', '["stock_id", "n", "v"]') ELSE s END) FROM jsonb_array_elements(b -> 'schemas') s)), '{version}', '"2"'), '{"mode": "merge"}') ->> 'changed' FROM (SELECT kg_export_bundle('crm') - 'entities' AS b) b WHERE kg_bind_table('crm', 'act.purchase', '{"properties": {"purchase_id": "purchase_id", "amount": "amount"}, "references": {}, "write": ["update"]}') IS NOT NULL;
RESET ROLE;
UPDATE act.stock SET v = NULL WHERE stock_id = 's2';
SET ROLE acting_clerk;
SELECT act.told('update_stock', i::jsonb) FROM unnest(ARRAY['{"items": [{"id": "s7", "set": {"v": 4}}]}', '{"items": [{"id": "s7", "set": {"note": "x"}}]}', '{"items": [{"id": "s7", "set": {"n": 6}}]}', '{"items": [{"id": "s2", "set": {"n": 2}}]}', '{"items": [{"id": "s2", "unset": ["n"]}]}']) i;
RESET ROLE;
-- partitions, an identity, domains, composite types, ranges; names that need quotes
CREATE TYPE act.point AS (x integer, y numeric);
CREATE TABLE act."Log Entry" (company text NOT NULL, "no" integer NOT NULL, "a ""b"".c" act.percent NOT NULL DEFAULT 1, at act.point, span int4range, at_time timestamptz, PRIMARY KEY (company, "no")) PARTITION BY LIST (company);
CREATE TABLE act.log_a PARTITION OF act."Log Entry" FOR VALUES IN ('acting');
CREATE TABLE act.log_b PARTITION OF act."Log Entry" FOR VALUES IN ('acting too');
GRANT SELECT, INSERT, UPDATE, DELETE ON act."Log Entry" TO acting_clerk, acting_admin;
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act."Log Entry"', '{"tenant_column": "company", "entity_type": "log", "write": ["create", "update", "delete"]}') ->> 'changed';
SET ROLE acting_clerk;
SELECT act.told('create_log', '{"items": [{"no": 1, "a \"b\".c": 7, "at": {"x": 1, "y": 2.5}, "span": "[1,5)", "at_time": "2026-03-29T01:30:00Z"}]}');
SELECT kg_get('log', 'acting/1');
SELECT act.told('update_log', i::jsonb) FROM unnest(ARRAY['{"items": [{"id": "acting/1", "set": {"a \"b\".c": 8, "span": "empty", "at": {"x": 2}}}]}', '{"items": [{"id": "acting/1", "set": {"a \"b\".c": 101}}]}', '{"items": [{"id": "acting/1", "set": {"span": "[5,1)"}}]}', '{"items": [{"id": "acting/1", "set": {"no": 2}}]}', '{"items": [{"id": "acting/1", "set": {"company": "acting too"}}]}', '{"items": [{"id": "acting/1", "unset": ["a \"b\".c"]}]}']) i;
SELECT act.told('create_log', '{"items": [{"id": "acting/1", "no": 1}]}'), act.told('create_log', '{"items": [{"id": "acting too/1", "no": 1}]}');
SELECT act.told('delete_log', '{"ids": ["acting/1"]}');
RESET ROLE;
-- policies of reads hold for the rows that are written, too, whatever those of writes say
CREATE TABLE act.note (note_id integer PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), body text);
INSERT INTO act.note VALUES (1, 'acting', 'a'), (2, 'acting too', 'b');
ALTER TABLE act.note ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON act.note FOR SELECT USING (company = kg_tenant());
CREATE POLICY creates ON act.note FOR INSERT WITH CHECK (true);
CREATE POLICY updates ON act.note FOR UPDATE USING (true);
CREATE POLICY deletes ON act.note FOR DELETE USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON act.note TO acting_clerk, acting_admin;
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act.note', '{"write": ["create", "update", "delete"]}') ->> 'changed';
SET ROLE acting_clerk;
SELECT act.told('create_note', '{"items": [{"note_id": "3", "company": "acting too", "body": "planted"}]}'), act.told('create_note', '{"items": [{"note_id": "4", "body": "own"}]}');
SELECT act.told('update_note', '{"items": [{"id": "1", "set": {"company": "acting too"}}]}'), act.told('update_note', '{"items": [{"id": "2", "set": {"body": "x"}}]}');
SELECT act.told('delete_note', '{"ids": ["2"]}');
RESET ROLE;
SELECT * FROM act.note ORDER BY 1;
-- a tenant's column that the table computes
CREATE TABLE act.computed (id text PRIMARY KEY, org text NOT NULL, tenant text GENERATED ALWAYS AS (lower(org)) STORED);
GRANT SELECT, INSERT ON act.computed TO acting_clerk, acting_admin;
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act.computed', '{"tenant_column": "tenant", "write": ["create"]}') ->> 'changed';
SET ROLE acting_clerk;
SELECT act.told('create_computed', '{"items": [{"id": "1", "org": "Acting"}, {"id": "2", "org": "other"}, {"id": "3", "org": "acting", "tenant": "acting"}, {"id": "4"}], "atomic": false}');
RESET ROLE;
SELECT * FROM act.computed;
-- a reference to a hidden row is one to a row that does not exist, whatever sets its columns
CREATE TABLE act.office (country text, no integer, company text NOT NULL DEFAULT kg_tenant(), lead text, PRIMARY KEY (country, no));
INSERT INTO act.office VALUES ('FR', 1, 'acting'), ('FR', 75, 'acting too'), ('DE', 1, 'acting');
ALTER TABLE act.office ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON act.office USING (company = kg_tenant());
CREATE TABLE act.visit (visit_id integer PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), country text, no integer, account_id integer DEFAULT 9 REFERENCES act.account, purchase_id integer REFERENCES act.purchase, after_id integer REFERENCES act.visit, FOREIGN KEY (country, no) REFERENCES act.office);
CREATE INDEX ON act.visit (country, no);
CREATE INDEX ON act.visit (account_id);
CREATE INDEX ON act.visit (purchase_id);
CREATE INDEX ON act.visit (after_id);
ALTER TABLE act.visit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON act.visit USING (company = kg_tenant());
DROP POLICY open ON act.account;
CREATE POLICY own ON act.account USING (company = kg_tenant());
GRANT SELECT, INSERT, UPDATE ON act.office, act.visit TO acting_clerk, acting_admin;
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act.office', '{}') ->> 'changed', kg_bind_table('crm', 'act.visit', '{"write": ["create", "update"]}') ->> 'changed', kg_bind_table('crm', 'act.line', '{"shared": true, "write": ["create", "update", "delete"]}') ->> 'changed', kg_bind_table('crm', 'act.purchase', '{"write": ["create", "update", "delete"]}') ->> 'changed';
SET ROLE acting_clerk;
SELECT act.told('create_line', i::jsonb) FROM unnest(ARRAY['{"items": [{"id": "3/1", "place": 1, "what": "x"}]}', '{"items": [{"id": "12345/1", "place": 1, "what": "x"}]}', '{"items": [{"purchase_id": "3", "place": 1, "what": "x"}]}']) i;
SELECT act.told('create_visit', jsonb_build_object('items', jsonb_build_array('{"visit_id": "1"}'::jsonb || i::jsonb))) FROM unnest(ARRAY['{"account_id": "9", "purchase_id": "12345"}', '{"account_id": "99", "purchase_id": "12345"}', '{"office": "FR/75"}', '{"office": "FR/76"}', '{"country": "FR", "no": 75, "account_id": "1"}', '{"office": "FR/1", "account_id": "9"}',
  '{"account_id": "1", "after_id": "1", "office": "FR/1"}', '{"account_id": "1", "after_id": "2"}', '{"account_id": "x"}', '{"visit_id": "2"}']) i;
SELECT act.told('update_visit', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', '1', 'set', i::jsonb)))) FROM unnest(ARRAY['{"account_id": "9", "purchase_id": "3"}', '{"account_id": "99", "purchase_id": "333"}', '{"office": "FR/75"}', '{"office": "FR/76"}', '{"no": 75}', '{"office": "DE/1", "after_id": "1"}']) i;
SELECT count(DISTINCT replace(kg_call_tool('create_visit', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('visit_id', '3', 'account_id', i, 'purchase_id', '12345'))))::text, i, '?')) FROM unnest('{9,8}'::text[]) i;
RESET ROLE;
SELECT * FROM act.visit ORDER BY 1;
-- deferred constraints: of all items of an atomic call, also of the table of a view
CREATE TABLE act.seat (seat_id integer PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), place integer CONSTRAINT one_place UNIQUE DEFERRABLE INITIALLY DEFERRED, pair integer REFERENCES act.seat DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX ON act.seat (pair);
CREATE VIEW act.chair WITH (security_invoker = true) AS SELECT seat_id AS id, place AS at_place FROM act.seat WHERE company = kg_tenant();
GRANT SELECT, INSERT, UPDATE, DELETE ON act.seat, act.chair TO acting_clerk, acting_admin;
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act.seat', '{"tenant_column": "company", "write": ["create", "update", "delete"]}') ->> 'changed', kg_bind_table('crm', 'act.chair', '{"id": "id", "write": ["create", "update"]}') ->> 'changed';
SET ROLE acting_clerk;
SELECT act.told('create_seat', i::jsonb) FROM unnest(ARRAY['{"items": [{"seat_id": "1", "place": 1}, {"seat_id": "2", "place": 2, "pair": "1"}]}', '{"items": [{"seat_id": "3", "place": 1}, {"seat_id": "4", "place": 4}]}', '{"items": [{"seat_id": "3", "place": 1}]}', '{"items": [{"seat_id": "3", "place": 1}, {"seat_id": "4", "place": 4}], "atomic": false}']) i;
SELECT act.told('update_seat', '{"items": [{"id": "1", "set": {"place": 2}}, {"id": "2", "set": {"place": 1}}]}');
SELECT act.told('delete_seat', '{"ids": ["1", "4"]}'), act.told('delete_seat', '{"ids": ["1"]}');
SELECT act.told('create_chair', '{"items": [{"id": "5", "at_place": 5}, {"id": "6", "at_place": 2}]}'), act.told('create_chair', '{"items": [{"id": "7", "at_place": 7}, {"id": "6", "at_place": 2}], "atomic": false}');
RESET ROLE;
SELECT * FROM act.seat ORDER BY 1;
-- errors of functions that end the call keep their SQLSTATE, not their text; react.mood() is no trigger of the table
CREATE SCHEMA react;
GRANT USAGE ON SCHEMA react TO PUBLIC;
CREATE FUNCTION react.mood() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a secret'; END $$;
CREATE TABLE act.mood (mood_id text PRIMARY KEY, company text NOT NULL);
CREATE FUNCTION act.mood() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.mood_id = 'own' THEN RAISE EXCEPTION 'no secret'; END IF;
  IF NEW.mood_id = 'other' THEN PERFORM react.mood(); END IF;
  RAISE EXCEPTION 'a secret' USING ERRCODE = NEW.mood_id, DETAIL = 'a secret', HINT = 'a secret', TABLE = 'secret';
END $$;
CREATE TRIGGER mood BEFORE INSERT ON act.mood FOR EACH ROW EXECUTE FUNCTION act.mood();
GRANT SELECT, INSERT ON act.mood TO acting_clerk, acting_admin;
SET ROLE acting_admin;
SELECT kg_bind_table('crm', 'act.mood', '{"tenant_column": "company", "write": ["create"]}') ->> 'changed';
CREATE FUNCTION pg_temp.raised(id text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  hint text;
  name text;
BEGIN
  RETURN act.told('create_mood', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('mood_id', id))));
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, name = TABLE_NAME;
  RETURN concat_ws('|', SQLSTATE, SQLERRM, detail, hint, name);
END $$;
GRANT EXECUTE ON FUNCTION pg_temp.raised TO acting_clerk;
SET ROLE acting_clerk;
SELECT i, pg_temp.raised(i) FROM unnest('{own,other,25006,40001,53400,55P03,57000,22003,P0001}'::text[]) i;
RESET ROLE;
DROP SCHEMA react CASCADE;
-- audit
RESET kg_graph.audit;
RESET kg_graph.audit_to;
SELECT tool, code, count(*) FROM kg_audit WHERE tenant = 'acting' AND tool ~ '^(update|delete)_' GROUP BY 1, 2 ORDER BY 1, 2 NULLS FIRST;
DROP SCHEMA act CASCADE;
CALL test.drop('acting', 'acting too');
