-- Row-level security.  It is forced for every table. A policy is one comparison with
-- a leakproof operator, without OR, so that it becomes an index condition. Every
-- policy first calls kg_own_tenant(), which is evaluated before any condition of the
-- caller (src/auth/tenant_planner.c).
-- A C function that reads only memory decides which rows the caller's agent and
-- scope paths hide. Policies of derived tables only compare the tenant, because a
-- caller that does not see every entity must not read these tables at all.
-- Derived and catalog tables have no policy for writing, because only the owner
-- writes them.

ALTER TABLE @extschema@.kg_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant_role ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tenant_role FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_role ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_role FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_bundle ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_bundle FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity_type ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity_type FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_relation ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_relation FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_entity FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_edge ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_edge FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_adjacency ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_adjacency FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_index_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_index_key FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_unique_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_unique_key FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_term ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_term FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_word_count FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_trigram ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_trigram FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tool ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_tool FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_pending_reference ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_pending_reference FORCE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_secret ENABLE ROW LEVEL SECURITY;
ALTER TABLE @extschema@.kg_secret FORCE ROW LEVEL SECURITY;

CREATE POLICY kg_tenant_select ON @extschema@.kg_tenant FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant());
CREATE POLICY kg_tenant_role_select ON @extschema@.kg_tenant_role FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant('admin'));
CREATE POLICY kg_bundle_select ON @extschema@.kg_bundle FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_entity_type_select ON @extschema@.kg_entity_type FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_relation_select ON @extschema@.kg_relation FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_agent_bundle_select ON @extschema@.kg_agent_bundle FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_entity_select ON @extschema@.kg_entity FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_entity_visible(bundle, scope, type_no, node, entity_id, data));
CREATE POLICY kg_edge_select ON @extschema@.kg_edge FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_adjacency_select ON @extschema@.kg_adjacency FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_packed_tenant());
-- Some keys are counts of edges, so this policy is that of packed edges.
CREATE POLICY kg_index_key_select ON @extschema@.kg_index_key FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_packed_tenant());
CREATE POLICY kg_unique_key_select ON @extschema@.kg_unique_key FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_term_select ON @extschema@.kg_term FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_word_select ON @extschema@.kg_word FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_word_count_select ON @extschema@.kg_word_count FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_trigram_select ON @extschema@.kg_trigram FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_derived_tenant());
CREATE POLICY kg_tool_select ON @extschema@.kg_tool FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant() AND @extschema@.kg_bundle_visible(bundle));
CREATE POLICY kg_pending_reference_select ON @extschema@.kg_pending_reference FOR SELECT
  USING (@extschema@.kg_own_tenant(tenant) AND tenant = @extschema@.kg_tenant());
CREATE POLICY kg_secret_nobody ON @extschema@.kg_secret FOR ALL
  USING (false);
CREATE POLICY kg_role_nobody ON @extschema@.kg_role FOR ALL
  USING (false);
CREATE POLICY kg_entity_insert ON @extschema@.kg_entity FOR INSERT
  WITH CHECK (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope));
CREATE POLICY kg_entity_update ON @extschema@.kg_entity FOR UPDATE
  USING (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope, type_no, node, entity_id, data))
  WITH CHECK (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope));
CREATE POLICY kg_entity_delete ON @extschema@.kg_entity FOR DELETE
  USING (tenant = @extschema@.kg_tenant('write') AND @extschema@.kg_entity_visible(bundle, scope, type_no, node, entity_id, data));
-- Only the maintenance of references writes derived edges, whose property is not
-- NULL.
CREATE POLICY kg_edge_insert ON @extschema@.kg_edge FOR INSERT
  WITH CHECK (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL);
CREATE POLICY kg_edge_update ON @extschema@.kg_edge FOR UPDATE
  USING (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL)
  WITH CHECK (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL);
CREATE POLICY kg_edge_delete ON @extschema@.kg_edge FOR DELETE
  USING (tenant = @extschema@.kg_derived_tenant('write') AND property IS NULL);

