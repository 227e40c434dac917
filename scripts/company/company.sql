-- A company's database as it was before agents: customers, products, orders, with a policy for each of two companies, constraints and
-- an audit of its own.  Each table has the name of its company.
CREATE SCHEMA company;
SET search_path = company, public;
CREATE TYPE tier AS ENUM ('gold', 'silver', 'bronze');
CREATE TABLE customer (
  customer_id integer PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), name text NOT NULL, email text UNIQUE, city text NOT NULL, tier tier NOT NULL);
CREATE TABLE category (category_id text PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), title text NOT NULL);
CREATE TABLE product (product_id integer PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), name text NOT NULL, price numeric(8, 2) NOT NULL CHECK (price > 0), in_stock integer NOT NULL CHECK (in_stock >= 0));
CREATE TABLE product_category (product_id integer, category_id text, company text NOT NULL DEFAULT kg_tenant(), PRIMARY KEY (product_id, category_id));
CREATE TABLE orders (
  order_id integer PRIMARY KEY, company text NOT NULL DEFAULT kg_tenant(), customer_id integer NOT NULL,
  status text NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'paid', 'sent', 'returned')), ordered_on date NOT NULL, note text);
CREATE TABLE order_item (order_id integer, place integer, product_id integer NOT NULL, quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 99), company text NOT NULL DEFAULT kg_tenant(), PRIMARY KEY (order_id, place));
COMMENT ON TABLE orders IS 'An order of a customer. Its lines are order_item.';
COMMENT ON COLUMN orders.status IS 'new until the money is there; then paid, sent, and perhaps returned';
COMMENT ON TABLE product_category IS 'The categories of a product.';
CREATE TABLE changes (at timestamptz NOT NULL DEFAULT now(), who text NOT NULL DEFAULT current_user, order_id integer, before text, after text);
CREATE FUNCTION on_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'returned' THEN RAISE EXCEPTION 'order % was returned and is closed', OLD.order_id; END IF;
  INSERT INTO company.changes (order_id, before, after) VALUES (OLD.order_id, OLD.status, NEW.status);
  RETURN NEW;
END $$;

INSERT INTO customer SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, (ARRAY['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gina', 'Hugo'])[1 + n % 8] || ' ' || (ARRAY['Ahrens', 'Berg', 'Cohen', 'Diaz', 'Endo', 'Fischer', 'Gomez'])[1 + n % 7] || ' ' || n,
  'customer' || n || '@example.com', (ARRAY['Oslo', 'Kyiv', 'Lima', 'Cairo', 'Osaka'])[1 + n % 5], (ARRAY['bronze', 'bronze', 'silver', 'silver', 'bronze', 'gold'])[1 + n / 2 % 6]::tier FROM generate_series(1, 5000) n;
INSERT INTO category SELECT left(company, 1) || '-' || id, company, initcap(id) FROM unnest(ARRAY['tools', 'garden', 'toys', 'books']) id, unnest(ARRAY['acme', 'globex']) company;
INSERT INTO product SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, (ARRAY['Hammer', 'Rake', 'Kite', 'Atlas', 'Saw', 'Hose', 'Robot'])[1 + n % 7] || ' No. ' || n, 5 + n % 95 + 0.99, n % 40 FROM generate_series(1, 400) n;
INSERT INTO product_category SELECT p.product_id, left(p.company, 1) || '-' || (ARRAY['tools', 'garden', 'toys', 'books'])[1 + (product_id / 2 + k) % 4], p.company FROM product p, generate_series(0, 1) k WHERE k = 0 OR product_id % 3 = 0;
INSERT INTO orders SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, 2 * (1 + (n / 2 * 13 + n / 7) % 2499) - n % 2,
  (CASE n % 2 WHEN 0 THEN ARRAY['sent', 'sent', 'paid', 'sent', 'new', 'sent', 'sent', 'returned'] ELSE ARRAY['sent', 'paid', 'paid', 'new', 'sent', 'new', 'sent', 'returned'] END)[1 + n / 2 % 8], date '2026-01-01' + n % 300 FROM generate_series(1, 100000) n;
INSERT INTO order_item SELECT n, k, 2 * (1 + (n / 2 * 7 + k * 31) % 199) - n % 2, 1 + (n + k) % 3, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END FROM generate_series(1, 100000) n, generate_series(1, 2) k;
ALTER TABLE product_category ADD FOREIGN KEY (product_id) REFERENCES product, ADD FOREIGN KEY (category_id) REFERENCES category;
ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customer;
ALTER TABLE order_item ADD FOREIGN KEY (order_id) REFERENCES orders, ADD FOREIGN KEY (product_id) REFERENCES product;
CREATE INDEX ON orders (customer_id);
CREATE INDEX ON orders (status);
CREATE INDEX ON order_item (product_id);
CREATE INDEX ON product_category (category_id);
CREATE TRIGGER on_order BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION on_order();
DO $$
DECLARE
  t regclass;
BEGIN
  FOREACH t IN ARRAY ARRAY['customer', 'category', 'product', 'product_category', 'orders', 'order_item']::regclass[] LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY own_company ON %s USING (company = kg_tenant())', t);
  END LOOP;
END $$;
ANALYZE;
