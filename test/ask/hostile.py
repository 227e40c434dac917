"""Statements of people who want more than a query gives, by kind: refused, or harmless.

A statement after "=" is none of the refused ones: it may answer, with nothing but what
the caller sees.
"""

KINDS = {}


def kind(name, text):
    KINDS[name] = [line.strip() for line in text.strip().split("\n") if line.strip()]


kind("relations", r"""
SELECT * FROM kg_entity
SELECT * FROM public.kg_entity
SELECT * FROM kg_tenant
SELECT * FROM kg_auth_key
SELECT * FROM kg_index_key
SELECT * FROM pg_class c
SELECT * FROM pg_catalog.pg_class
SELECT * FROM information_schema.tables
SELECT * FROM pg_authid
SELECT * FROM pg_shadow
SELECT * FROM pg_stat_activity
SELECT * FROM pg_settings
SELECT * FROM pg_proc
SELECT * FROM pg_temp.t
SELECT * FROM pg_toast.pg_toast_1255
SELECT * FROM other.public.kg_entity
SELECT * FROM kg_graph.kg_entity
SELECT * FROM "kg_entity"
SELECT * FROM ONLY kg_entity
TABLE kg_entity
TABLE pg_authid
SELECT * FROM item, kg_entity
SELECT * FROM item NATURAL JOIN kg_entity
SELECT (SELECT count(*) FROM kg_entity)
SELECT * FROM item WHERE id IN (SELECT rolname FROM pg_roles)
SELECT * FROM item WHERE EXISTS (TABLE pg_authid)
WITH x AS (SELECT * FROM pg_roles), pg_roles AS (SELECT 1 AS a) SELECT * FROM x
WITH pg_roles AS (SELECT * FROM pg_roles) SELECT * FROM pg_roles
SELECT * FROM (WITH pg_roles AS (SELECT 1 AS a) SELECT * FROM pg_roles) x, pg_roles
WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1 AS n) SELECT * FROM a, pg_roles
SELECT * FROM item JOIN LATERAL (SELECT * FROM kg_edge) e ON true
SELECT * FROM a_view_of_mine
SELECT * FROM a_table_of_mine
SELECT * FROM secret
SELECT * FROM "secret"
SELECT * FROM theirs_secret
SELECT * FROM item UNION SELECT entity_id FROM kg_entity
SELECT * FROM (TABLE kg_entity) t
SELECT * FROM item, LATERAL (TABLE pg_settings) t
SELECT kg_entity FROM item
SELECT item.kg_entity FROM item
SELECT pg_catalog.item.id FROM item
SELECT public.item.* FROM item
""")
kind("statements", r"""
DELETE FROM item
UPDATE item SET id = 'x'
INSERT INTO item VALUES ('x')
MERGE INTO item USING item i ON true WHEN MATCHED THEN DELETE
WITH x AS (DELETE FROM item RETURNING *) SELECT * FROM x
WITH x AS (INSERT INTO item VALUES ('a') RETURNING *) SELECT * FROM x
WITH x AS (UPDATE kg_entity SET data = '{}' RETURNING *) SELECT * FROM x
SELECT 1; SELECT 2
SELECT 1; DROP TABLE kg_entity
DROP TABLE kg_entity
CREATE TABLE x AS SELECT 1
SELECT 1 AS a INTO x
SELECT * INTO TEMP x FROM item
COPY kg_entity TO '/tmp/x'
COPY (SELECT 1) TO PROGRAM 'id'
EXPLAIN SELECT 1
EXPLAIN ANALYZE SELECT * FROM item
SET ROLE postgres
SET search_path = public
RESET ALL
SHOW ALL
BEGIN
COMMIT
ROLLBACK
SAVEPOINT a
LOCK TABLE kg_entity
DO $$ BEGIN PERFORM 1; END $$
CALL p()
PREPARE a AS SELECT 1
EXECUTE a
DECLARE c CURSOR FOR SELECT 1
FETCH c
LISTEN x
NOTIFY x
VACUUM
TRUNCATE kg_entity
GRANT ALL ON kg_entity TO PUBLIC
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
ALTER SYSTEM SET work_mem = '1GB'
LOAD 'x'
CHECKPOINT
DISCARD ALL
REFRESH MATERIALIZED VIEW x
SELECT * FROM item FOR UPDATE
SELECT * FROM item FOR SHARE SKIP LOCKED
SELECT * FROM item FOR KEY SHARE OF item
SELECT * FROM (SELECT * FROM item FOR UPDATE) x
WITH x AS (SELECT * FROM item FOR NO KEY UPDATE) SELECT * FROM x
""")
kind("functions", r"""
SELECT pg_sleep(10)
SELECT pg_sleep_for('1 s')
SELECT pg_read_file('/etc/passwd')
SELECT pg_read_binary_file('/etc/passwd')
SELECT pg_ls_dir('.')
SELECT pg_stat_file('base')
SELECT lo_import('/etc/passwd')
SELECT lo_create(0)
SELECT lo_get(1)
SELECT pg_terminate_backend(1)
SELECT pg_cancel_backend(1)
SELECT pg_reload_conf()
SELECT pg_rotate_logfile()
SELECT pg_advisory_lock(1)
SELECT pg_try_advisory_xact_lock(1)
SELECT set_config('kg_graph.tenant', 'theirs', false)
SELECT current_setting('kg_graph.tenant')
SELECT version()
SELECT inet_server_addr()
SELECT pg_postmaster_start_time()
SELECT pg_backend_pid()
SELECT txid_current()
SELECT pg_current_xact_id()
SELECT pg_current_wal_lsn()
SELECT pg_export_snapshot()
SELECT pg_notify('a', 'b')
SELECT nextval('s')
SELECT currval('s')
SELECT setval('s', 1)
SELECT lastval()
SELECT query_to_xml('SELECT * FROM kg_entity', true, true, '')
SELECT table_to_xml('kg_entity', true, true, '')
SELECT cursor_to_xml('c', 1, true, true, '')
SELECT database_to_xml(true, true, '')
SELECT schema_to_xml('public', true, true, '')
SELECT xpath('/a', '<a/>')
SELECT ts_stat('SELECT 1')
SELECT ts_rewrite('a'::tsquery, 'SELECT 1')
SELECT pg_get_viewdef(1)
SELECT pg_get_functiondef(1)
SELECT pg_get_userbyid(10)
SELECT has_table_privilege('kg_entity', 'SELECT')
SELECT obj_description(1)
SELECT to_regclass('kg_entity')
SELECT pg_typeof(1)
SELECT pg_relation_size('kg_entity')
SELECT pg_database_size('postgres')
SELECT pg_stat_get_live_tuples(1)
SELECT pg_stat_reset()
SELECT random()
SELECT setseed(1)
SELECT clock_timestamp()
SELECT timeofday()
SELECT gen_random_uuid()
SELECT array_fill(1, ARRAY[100000000])
SELECT encode('a', 'hex')
SELECT sha256('a')
SELECT convert_from('a', 'UTF8')
SELECT pg_client_encoding()
SELECT pg_collation_for('a')
SELECT pg_column_size(1)
SELECT txid_status(1)
SELECT kg_list('item', '{}')
SELECT kg_query('{"sql": "SELECT 1"}')
SELECT kg_tenant()
SELECT kg_login('x')
SELECT kg_column_text('{}', 'a')
SELECT kg_view_row(1, 'a', 'b', 'c', 'd')
SELECT kg_view_nodes('a', 'b', 'c', 'eq', '1')
SELECT kg_query_bounded(1)
SELECT kg_entity_visible('a')
SELECT public.lower('A')
SELECT pg_catalog.lower('A')
SELECT mine('A')
SELECT public.mine('A')
SELECT lower(1::mine)
SELECT dblink('x', 'SELECT 1')
SELECT textin('a')
SELECT boolin('a')
SELECT int4send(1)
SELECT record_in('(1)', 1, 1)
SELECT "interval"(interval '1 day', 5)
SELECT "numeric"(1.5, -1)
SELECT bpchar('x'::bpchar, 100000000, true)
SELECT "varchar"('x'::varchar, -5, true)
SELECT "time"(time '1:00', 99)
SELECT "timestamp"(timestamp '2024-01-01', 99)
SELECT timestamptz(now(), -3)
SELECT timetz('1:00'::timetz, 99)
SELECT array_in('{1}', 23, -1)
SELECT hashtext('a')
SELECT current_database()
SELECT current_schemas(true)
SELECT pg_my_temp_schema()
SELECT pg_is_in_recovery()
SELECT suppress_redundant_updates_trigger()
SELECT RI_FKey_check_ins()
SELECT brin_summarize_new_values('x')
SELECT binary_upgrade_set_next_pg_type_oid(1)
SELECT pg_logical_emit_message(true, 'a', 'b')
SELECT pg_create_restore_point('a')
SELECT pg_switch_wal()
SELECT pg_promote()
SELECT pg_show_all_settings()
SELECT * FROM pg_show_all_settings()
SELECT * FROM pg_stat_get_activity(NULL)
SELECT * FROM pg_lock_status()
SELECT * FROM pg_ls_logdir()
SELECT * FROM pg_read_file('/etc/passwd')
SELECT * FROM kg_stat_tools()
SELECT * FROM ROWS FROM (pg_ls_dir('.'))
SELECT id FROM item ORDER BY pg_sleep(1)
SELECT id FROM item WHERE pg_sleep(1) IS NULL
SELECT count(*) FILTER (WHERE pg_sleep(1) IS NULL) FROM item
SELECT sum(1) OVER (ORDER BY pg_sleep(1)) FROM item
SELECT id FROM item LIMIT (SELECT pg_backend_pid())
SELECT id FROM item GROUP BY id HAVING pg_sleep(1) IS NULL
SELECT CASE WHEN pg_sleep(1) IS NULL THEN 1 END
SELECT coalesce(pg_sleep(1)::text)
VALUES (pg_sleep(1))
SELECT ARRAY(SELECT pg_ls_dir('.'))
SELECT ROW(pg_backend_pid())
SELECT (ARRAY[1])[pg_backend_pid()]
SELECT mine(item) FROM item
SELECT item.mine FROM item
SELECT (item).pg_typeof FROM item
SELECT item.pg_column_size FROM item
SELECT (i).lo_get FROM (SELECT 1 AS a) i
""")
kind("words", r"""
SELECT current_user
SELECT session_user
SELECT user
SELECT current_role
SELECT current_catalog
SELECT current_schema
SELECT id FROM item WHERE id = current_user
SELECT current_schema()
""")
kind("types", r"""
SELECT 'kg_entity'::regclass
SELECT 'kg_entity'::regclass::oid
SELECT CAST('lower' AS regproc)
SELECT 'postgres'::regrole
SELECT 'public'::regnamespace
SELECT 'int4'::regtype
SELECT '+(int4,int4)'::regoperator
SELECT '"C"'::regcollation
SELECT regclass 'kg_entity'
SELECT regclass('kg_entity')
SELECT pg_catalog.regclass 'kg_entity'
SELECT 'a'::name
SELECT name('a')
SELECT 'a'::"char"
SELECT '1'::oid
SELECT '\x00'::bytea
SELECT '<a/>'::xml
SELECT 'a'::tsvector
SELECT '1'::money
SELECT '(1,1)'::point
SELECT '1.2.3.4'::inet
SELECT 'a'::mine
SELECT 'a'::public.mine
SELECT 'a'::my_domain
SELECT 'a'::kg_entity
SELECT NULL::pg_class
SELECT NULL::item
SELECT '{}'::regclass[]
SELECT '{kg_entity}'::_regclass
SELECT 'a'::cstring
SELECT NULL::internal
SELECT NULL::anyelement
SELECT 5::"any"
SELECT NULL::trigger
SELECT '(0,1)'::tid
SELECT '1'::xid
SELECT '0/0'::pg_lsn
SELECT '1:1:'::pg_snapshot
SELECT NULL::refcursor
SELECT NULL::aclitem
SELECT NULL::item%ROWTYPE
SELECT B'101'
SELECT '1'::bit(3)
SELECT x FROM json_to_record('{"a": "kg_entity"}') AS x(a regclass)
SELECT * FROM json_to_recordset('[{"a": "kg_entity"}]') AS x(a regclass)
SELECT * FROM jsonb_to_record('{"a": 1}') AS x(a mine)
SELECT * FROM json_populate_record(NULL::kg_entity, '{}')
SELECT * FROM unnest(ARRAY['kg_entity']) AS x(a regclass)
SELECT * FROM json_to_record('{"a": 1}') AS x(a int4 COLLATE public.c)
SELECT $1::regclass
""")
kind("operators and collations", r"""
SELECT 1 OPERATOR(public.+) 1
SELECT 1 OPERATOR(pg_catalog.+) 1
SELECT 'a' OPERATOR(public.===) 'b'
SELECT 'a' === 'b'
SELECT id FROM item WHERE id = ANY (SELECT 'x') AND id OPERATOR(public.=) ANY (SELECT 'x')
SELECT id FROM item ORDER BY id USING >
SELECT id FROM item ORDER BY id USING OPERATOR(public.<)
SELECT id COLLATE public.mine FROM item
SELECT id FROM item ORDER BY id COLLATE public.mine
SELECT id COLLATE "mine" FROM item
SELECT 'a'::text @@ 'b'::text
SELECT id FROM item WHERE id @@ 'a'
SELECT '1.2.3.4' << '1.2.3.0/24'::inet
SELECT 'a' ~ 'b' COLLATE nowhere
= SELECT id FROM item ORDER BY id COLLATE "C"
= SELECT id FROM item ORDER BY id COLLATE pg_catalog."C"
""")
kind("hidden paths", r"""
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 3) CYCLE n SET c TO regclass 'kg_entity' DEFAULT regclass 'kg_edge' USING p SELECT * FROM t
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 3) CYCLE n SET c TO pg_sleep(1)::text DEFAULT '' USING p SELECT * FROM t
SELECT * FROM item TABLESAMPLE system (10)
SELECT * FROM item TABLESAMPLE public.mine (10)
SELECT * FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS x text)
SELECT xmlelement(name a, 'x')
SELECT xmlparse(document '<a/>')
SELECT xmlserialize(content '<a/>' AS text)
SELECT xmlforest(id) FROM item
SELECT xmlagg(xmlelement(name a)) FROM item
SELECT '<a/>' IS DOCUMENT
SELECT concat(VARIADIC ARRAY['a', 'b'])
SELECT format('%s', VARIADIC ARRAY['a'])
SELECT id FROM item WHERE CURRENT OF c
SELECT tableoid FROM item
SELECT ctid FROM item
SELECT xmin FROM item
SELECT item.tableoid FROM item
SELECT cmax FROM item
SELECT oid FROM item
SELECT node FROM item
SELECT data FROM item
SELECT tenant FROM item
SELECT index_keys FROM item
SELECT version FROM item
SELECT DEFAULT
VALUES (DEFAULT)
SELECT * FROM item WHERE id IN (VALUES (DEFAULT))
SELECT sum(n) OVER (ORDER BY n RANGE BETWEEN 'x'::regclass PRECEDING AND CURRENT ROW) FROM item
SELECT id FROM item LIMIT 'x'::regclass::int
SELECT id FROM item OFFSET nextval('s')
SELECT count(*) FROM item GROUP BY GROUPING SETS ((pg_sleep(1)::text), ())
SELECT DISTINCT ON (pg_backend_pid()) id FROM item
SELECT string_agg(id, current_user) FROM item
SELECT string_agg(id, ',' ORDER BY pg_sleep(1)::text) FROM item
SELECT percentile_cont(pg_sleep(1)::text::float) WITHIN GROUP (ORDER BY n) FROM item
SELECT * FROM item i JOIN item j ON pg_sleep(1) IS NULL
SELECT * FROM item i JOIN item j USING (ctid)
SELECT * FROM generate_series(1, pg_backend_pid())
SELECT * FROM LATERAL pg_ls_dir('.') x
SELECT * FROM pg_ls_dir('.') WITH ORDINALITY
SELECT EXISTS (SELECT FROM pg_authid)
SELECT ARRAY(SELECT rolname FROM pg_authid)
SELECT (SELECT rolpassword FROM pg_authid LIMIT 1)
SELECT 1 = ANY (SELECT oid::int FROM pg_class)
SELECT (1, 2) = (SELECT 1, oid::int FROM pg_class LIMIT 1)
SELECT jsonb_path_query('{}', '$') FROM kg_entity
SELECT $$a$$ FROM kg_entity
SELECT /* -- */ * FROM /**/ kg_entity
SELECT U&'\0061' FROM U&"kg\005fentity"
SELECT * FROM "item" , "kg_entity"
""")
kind("parameters and whole rows", r"""
SELECT $0
SELECT $2
SELECT $100000
SELECT $2147483647
SELECT max(item) FROM item
SELECT item::text::kg_entity FROM item
SELECT (item).tenant FROM item
SELECT (item::kg_entity).data FROM item
SELECT (SELECT i FROM item i LIMIT 1)::kg_entity
SELECT row(item.*)::kg_entity FROM item
SELECT (ROW(1, 2)).f3
= SELECT item FROM item
= SELECT to_jsonb(item) FROM item
= SELECT row_to_json(i) FROM item i
= SELECT (i).id FROM item i
= SELECT row(i.*) FROM item i
= SELECT i FROM item i ORDER BY i
= SELECT DISTINCT i FROM item i
= SELECT i IN (SELECT j FROM item j) FROM item i
= SELECT array_agg(i) FROM item i
= SELECT $1
= SELECT count(*) FROM item
= SELECT id FROM item WHERE n > -1 OR true
= SELECT id FROM item WHERE 1 = 1 OR id IS NULL
= SELECT i.id, j.id FROM item i LEFT JOIN item j ON j.n > i.n
= SELECT id FROM "Item"
= SELECT * FROM item i, item j, item k
= SELECT json_agg(i) FROM item i
= SELECT jsonb_object_agg(id, n) FROM item
= SELECT x.* FROM json_to_record('{"a": 1}') AS x(a int)
""")
# Those that take long, or much: refused, ended by a bound, or answered.
kind("bounds", r"""
= SELECT repeat('x', 1000000000)
= SELECT repeat('x', 1000000) || repeat('x', 1000000)
= SELECT lpad('x', 900000000)
= SELECT 'x'::char(10485760)
= SELECT rpad('x', 2147483647, 'yy')
= SELECT format('%900000000s', 'x')
= SELECT format('%-900000000s', 'x')
= SELECT to_timestamp(repeat('1', 1000000), repeat('Y', 1000000))
= SELECT to_date(repeat('1', 40000), repeat('Y', 40000))
= SELECT to_char(1, repeat('9', 1000000))
= SELECT to_number('1', repeat('9', 1000000))
= SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 100000)
= SELECT array_agg(repeat('x', 1000)) FROM generate_series(1, 10000000)
= SELECT ARRAY(SELECT generate_series(1, 100000000))
= SELECT jsonb_agg(n) FROM generate_series(1, 100000000) n
= SELECT count(*) FROM generate_series(1, 1000000000000)
= SELECT generate_series(1, 1000000000000)
= SELECT generate_series(1, 1000000), generate_series(1, 1000001)
= SELECT count(*) FROM item a, item b, item c, item d, item e, item f, item g, item h, item i, item j, item k, item l
= SELECT * FROM item a, item b, item c, item d, item e, item f, item g ORDER BY a.n + b.n + c.n
= WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t
= WITH RECURSIVE t(n) AS (VALUES (1::numeric) UNION ALL SELECT n * 1000000 + 1 FROM t) SELECT max(n) FROM t
= WITH RECURSIVE t(a) AS (VALUES ('x') UNION ALL SELECT a || a FROM t) SELECT max(length(a)) FROM t
= WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t, item) SELECT * FROM t
= WITH a AS (SELECT generate_series(1, 1000) n), b AS (SELECT x.n FROM a x, a y), c AS (SELECT x.n FROM b x, b y) SELECT count(*) FROM c
= SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' ~ '^(a+)+$'
= SELECT repeat('a', 30000) ~ '(a*)*b'
= SELECT regexp_replace(repeat('a', 100000), '(a|aa)+$', 'b')
= SELECT 'x' ~ '((((a{1,100}){1,100}){1,100}){1,100})'
= SELECT 'x' ~ repeat('(', 10000)
= SELECT regexp_matches(repeat('ab', 100000), '(a|b)*(a|b)*c', 'g')
= SELECT repeat('a', 100000) LIKE repeat('%a', 10000)
= SELECT 9 ^ 9 ^ 9 ^ 9
= SELECT 10::numeric ^ 100000
= SELECT factorial(30000)
= SELECT exp(5000::numeric) * exp(5000::numeric)
= SELECT width_bucket(n, 1, 9, 3) FROM item
= SELECT 10::numeric ^ 15000 / 3::numeric ^ 15000 > 1, 10::numeric ^ 30000 % 7 > 1
= SELECT ln(10::numeric ^ 10000)
= SELECT (10::numeric ^ 60000) / (3::numeric ^ 60000)
= SELECT sqrt(10::numeric ^ 100000)
= SELECT normalize(repeat('x', 1000000), NFKD)
= SELECT array_to_string(ARRAY(SELECT generate_series(1, 1000000)), ',')
= SELECT replace(repeat('a', 100000), 'a', repeat('b', 100000))
= SELECT translate(repeat('a', 1000000), 'a', 'b')
= SELECT repeat('[', 100000)::jsonb
= SELECT ('[' || repeat('1,', 500000) || '1]')::jsonb
= SELECT jsonb_path_query(to_jsonb(ARRAY(SELECT generate_series(1, 1000))), '$.**.**.**.**')
= SELECT count(*) FROM item GROUP BY CUBE (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
= SELECT count(*) FROM item a GROUP BY CUBE (a.id, a.n, a.id || '1', a.id || '2', a.id || '3', a.id || '4', a.id || '5', a.id || '6', a.id || '7', a.id || '8', a.id || '9', a.id || '0')
= SELECT string_to_array(repeat('a,', 500000), ',')
= SELECT unnest(string_to_array(repeat('a,', 500000), ',')) FROM generate_series(1, 1000)
= SELECT sum(n) OVER (ORDER BY n ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) FROM generate_series(1, 10000000) n
= SELECT DISTINCT n FROM generate_series(1, 100000000) n
= SELECT n FROM generate_series(1, 100000000) n ORDER BY n DESC
= SELECT a.n FROM generate_series(1, 10000000) a(n) JOIN generate_series(1, 10000000) b(n) ON a.n = b.n
= SELECT a.n FROM generate_series(1, 100000) a(n) FULL JOIN generate_series(1, 100000) b(n) ON a.n = b.n
= SELECT date '0001-01-01' + generate_series(1, 100000000)
= SELECT generate_series(timestamp '0001-01-01', '9999-01-01', '1 microsecond')
= SELECT interval '1 year' * 1e10
= SELECT width_bucket(1, ARRAY(SELECT generate_series(1, 10000000)))
= SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM generate_series(1, 100000000) n
= SELECT mode() WITHIN GROUP (ORDER BY n) FROM generate_series(1, 100000000) n
""")
# Made here: too long to write down.
KINDS["sizes"] = [
    "SELECT " + "(" * 10000 + "1" + ")" * 10000,
    "SELECT " + "-" * 0 + " ".join("NOT" for _ in range(15000)) + " true",
    "= SELECT " + "+".join("1" for _ in range(30000)),
    "= SELECT " + "||".join("'x'" for _ in range(10000)),
    "= SELECT count(*) FROM " + ", ".join("item i%d" % n for n in range(1000)),
    "= SELECT count(*) FROM item i0 " + " ".join("JOIN item i%d ON i%d.id = i%d.id" % (n, n, n - 1) for n in range(1, 60)),
    "= " + " UNION ALL ".join("SELECT 1" for _ in range(4000)),
    "= SELECT " + "(SELECT " * 500 + "1" + ")" * 500,
    "= SELECT count(*) FROM " + "(SELECT * FROM " * 300 + "item" + ") x" * 300,
    "= SELECT count(*) FROM item WHERE " + "id IN (SELECT id FROM item WHERE " * 100 + "true" + ")" * 100,
    "= SELECT count(*) FROM item i WHERE " + "EXISTS (SELECT FROM item WHERE " * 200 + "true" + ")" * 200,
    "= SELECT " + "CASE WHEN true THEN " * 2000 + "1" + " END" * 2000,
    "= SELECT id FROM item WHERE id IN (" + ",".join("'%d'" % n for n in range(7000)) + ")",
    "= WITH " + ", ".join("c%d AS (SELECT * FROM %s)" % (n, "item" if n == 0 else "c%d" % (n - 1)) for n in range(300)) + " SELECT count(*) FROM c299",
    "= WITH " + "c0 AS (SELECT 1 n), " + ", ".join("c%d AS (SELECT a.n FROM c%d a, c%d b)" % (n, n - 1, n - 1) for n in range(1, 25)) + " SELECT count(*) FROM c24",
    "SELECT " + "x" * 70000,
    "= SELECT '" + "x" * 60000 + "'",
    "= SELECT ARRAY[" + ",".join("1" for _ in range(25000)) + "]",
    "SELECT " + "ARRAY[" * 5000 + "1" + "]" * 5000,
    "= SELECT " + ",".join("n" for _ in range(1600)) + " FROM item",
    "= SELECT " + ",".join("n" for _ in range(1700)) + " FROM item",
]
