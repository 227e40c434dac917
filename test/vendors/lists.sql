-- {form: {toolset: tools}}
SET client_min_messages = error;
SELECT count(*) FROM kg_list_tools() \gset
SELECT jsonb_object_agg(form, lists) FROM (
  SELECT form, jsonb_object_agg(toolset, tools) AS lists FROM unnest(ARRAY['default', 'lax', 'gemini', 'openai-strict', 'anthropic']) form, unnest(ARRAY['catalog', 'graph', 'bfs', 'memory', 'compact', 'sql', 'write', 'tools']) toolset,
    LATERAL (SELECT set_config('kg_graph.toolsets', toolset, false), set_config('kg_graph.schema_profile', CASE form WHEN 'lax' THEN 'default' ELSE form END, false), set_config('kg_graph.schema_lax', CASE form WHEN 'lax' THEN 'on' ELSE 'off' END, false)) c,
    LATERAL (SELECT kg_list_tools() AS tools WHERE c IS NOT NULL) t
  GROUP BY form) f;
