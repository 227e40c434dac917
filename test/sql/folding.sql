-- Folding of names and words, in any script: differences of case, accents, points
-- and vowel marks are ignored, but signs that are letters are kept.
\i test/data/prelude.sql
CALL test.tenant('folding', 'regress_folding write');
SET ROLE regress_folding;
SELECT kg_apply_bundle('{"bundle_name": "fold", "version": "1", "schemas": [{"entity_type": "doc", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "name", "x-search": ["name"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}], "entities": []}') -> 'changed' AS changed;
CREATE TEMP TABLE pair (id text, stored text, typed text);
INSERT INTO pair VALUES
  ('accents', 'résumé', 'RESUME'), ('typed', 'Łódź Straße', 'lodz strasse'),
  ('arabic', 'مَدْرَسَة', 'مدرسة'), ('arabic2', 'مدرسه', 'مَدْرَسه'), ('hamza', 'أحمد', 'احمد'), ('madda', 'القرآن', 'القران'), ('alef', 'رَحْمٰن', 'رحمن'),
  ('hebrew', 'שָׁלוֹם', 'שלום'), ('hebrew2', 'תפלה', 'תְּפִלָּה'), ('cantillation', 'בְּרֵאשִׁ֖ית', 'בראשית'), ('presentation', 'שּׁלום', 'שלום'),
  ('syriac', 'ܫܠܳܡܳܐ', 'ܫܠܡܐ'),
  ('sigma', 'ΟΔΟΣ', 'οδος'), ('sigma2', 'Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ'), ('sigma3', 'σίσυφος', 'ΣΊΣΥΦΟΣ'), ('iota', 'ᾳδω', 'ΑΔΩ'),
  ('cyrillic', 'ОДИССЕЙ', 'одиссей'), ('titlo', 'ст҃ый', 'стый'), ('slavonic', 'ᲀᲃе', 'все');
SELECT kg_put_entities('doc', jsonb_agg(jsonb_build_object('id', id, 'name', stored))) -> 'counts' FROM pair;
SELECT id, kg_search(jsonb_build_object('query', typed)) -> 'items' @> jsonb_build_array(jsonb_build_object('id', 'doc:' || id)) AS by_name,
  kg_search(jsonb_build_object('query', typed, 'mode', 'text')) -> 'items' @> jsonb_build_array(jsonb_build_object('id', 'doc:' || id)) AS by_words FROM pair ORDER BY id COLLATE "C";
-- Whether the marks are stored or asked for, the term is one.
SELECT id, t.term FROM pair, LATERAL (SELECT term FROM kg_term JOIN kg_entity e USING (node) WHERE e.entity_id = id AND kind = 'l') t WHERE id IN ('hebrew', 'arabic', 'sigma2', 'slavonic') ORDER BY id COLLATE "C";
-- Signs of Indic scripts and of Thai, the voicing of Kana, and й and ё, are letters.
SELECT kg_put_entities('doc', '[{"id": "hindi", "name": "कि"}, {"id": "hindi2", "name": "कु"}, {"id": "thai", "name": "ดี"}, {"id": "thai2", "name": "ดู"}, {"id": "kana", "name": "がか"}, {"id": "kana2", "name": "かが"}, {"id": "i", "name": "мой"}, {"id": "i2", "name": "мои"}]') -> 'counts';
SELECT count(DISTINCT term) FROM kg_term JOIN kg_entity USING (node) WHERE entity_id IN ('hindi', 'hindi2', 'thai', 'thai2', 'kana', 'kana2', 'i', 'i2') AND kind = 'l';
-- What an older version has stored is told, and made anew.
RESET ROLE;
UPDATE kg_term SET term = 'מָ' WHERE tenant = 'folding' AND kind = 'l' AND term = 'שלום' AND node = (SELECT node FROM kg_entity WHERE tenant = 'folding' AND entity_id = 'hebrew');
SELECT d ->> 'kind' AS kind, d ->> 'table' AS stored_in, d ->> 'id' AS id FROM jsonb_array_elements(kg_check('{"tenant": "folding", "repair": true}') -> 'differences') d WHERE d ->> 'table' = 'kg_term' ORDER BY d ->> 'kind' COLLATE "C";
SELECT kg_check('{"tenant": "folding"}') -> 'ok' AS ok;
CALL test.drop('folding');
