-- An issue tracker with tools of its own: see README.md.
SELECT kg_create_tenant('tracker');
CREATE ROLE tracker_admin;
SELECT kg_grant('tracker', 'tracker_admin', 'admin');
SET ROLE tracker_admin;

SELECT kg_apply_bundle('{"bundle_name": "issue-tracker", "version": "1.0.0", "schemas": [
  {"entity_type": "project", "schema": {"type": "object", "x-id-field": "path", "x-label-field": "name", "required": ["path", "name"],
    "properties": {"path": {"type": "string"}, "name": {"type": "string"}}}},
  {"entity_type": "issue", "schema": {"type": "object", "x-id-field": "id", "x-label-field": "title", "x-tool-expose": ["list", "get", "create", "update"], "required": ["id", "title", "state", "project"],
    "properties": {"id": {"type": "string"}, "title": {"type": "string", "minLength": 1}, "description": {"type": "string"}, "labels": {"type": "array", "items": {"type": "string"}}, "state": {"enum": ["opened", "closed"], "x-index": true},
      "confidential": {"type": "boolean", "x-index": true}, "created": {"type": "string", "format": "date", "x-index": true},
      "project": {"type": "string", "x-ref": "project", "x-index": true}}}},
  {"entity_type": "note", "schema": {"type": "object", "x-id-field": "id", "x-tool-expose": ["list", "get", "create"], "required": ["id", "issue", "body"],
    "properties": {"id": {"type": "string"}, "body": {"type": "string", "x-untrusted": true}, "issue": {"type": "string", "x-ref": "issue", "x-relation": "NOTE_ON", "x-index": true}}}}],
  "entities": [
  {"entity_type": "project", "items": [{"path": "gitlab", "name": "GitLab"}, {"path": "docs", "name": "Handbook"}]},
  {"entity_type": "issue", "items": [{"id": "581890", "title": "A mutation for notes", "state": "opened", "created": "2025-11-20", "project": "gitlab"},
    {"id": "581892", "title": "A query for notes", "state": "closed", "created": "2025-11-21", "project": "gitlab"},
    {"id": "7", "title": "A typing error", "state": "opened", "confidential": true, "created": "2025-10-27", "project": "docs"}]},
  {"entity_type": "note", "items": [{"id": "n1", "body": "Merged.", "issue": "581892"}, {"id": "n2", "body": "Who takes it?", "issue": "581890"}]}]}') -> 'entities';

-- Three versions of one tool.  0.1.0 finds the issues of a project; 0.2.0 can also say in which state; 0.3.0 is 0.2.0 for clients that send
-- null and "" for what they leave out.
SELECT kg_register_tool('{"name": "find_issues", "version": "0.1.0", "kind": "query", "description": "Issues of a project.",
  "input_schema": {"required": ["project_path"], "properties": {"project_path": {"type": "string"}}},
  "operation": {"tool": "find_nodes", "arguments": {"node_label": "issue", "columns": ["title"], "filters": {"project": {"$arg": "project_path"}}}}}');
SELECT kg_register_tool('{"name": "find_issues", "version": "0.2.0", "kind": "query", "description": "Issues of a project, newest first.",
  "input_schema": {"required": ["project_path"], "properties": {"project_path": {"type": "string"}, "state": {"enum": ["opened", "closed"]}}},
  "operation": {"tool": "find_nodes", "arguments": {"node_label": "issue", "columns": ["title", "state", "created"], "sort": [{"field": "created", "order": "desc"}],
    "filters": {"project": {"$arg": "project_path"}, "state": {"$arg": "state"}}}}}');
SELECT kg_register_tool('{"name": "find_issues", "version": "0.3.0", "default_of": "0.2.0", "blank_is_absent": true, "aliases": ["search_issues"], "description": "Issues of a project, newest first.",
  "input_schema": {"required": ["project_path"], "properties": {"project_path": {"type": "string"}, "state": {"enum": ["opened", "closed"]}}}}');
SELECT tool, version, latest, definition ->> 'default_of' AS default_of FROM kg_registered_tools();

-- The name alone is the latest one; another by the option, or by the name with it behind.
SELECT jsonb_pretty(kg_call_tool('find_issues', '{"project_path": "gitlab", "state": ""}') - 'content');
SELECT kg_call_tool('find_issues', '{"project_path": "gitlab"}', '{"version": "0.1.0"}') #> '{structuredContent,nodes}' AS nodes;
SELECT kg_call_tool('search_issues.v0.2.0', '{"project_path": "gitlab", "state": "closed"}') -> '_meta' AS meta;

-- Refused: a version that there never was, and arguments that do not fit.
SELECT jsonb_pretty(kg_call_tool('find_issues', '{"project_path": "gitlab"}', '{"version": "0.4.0"}') -> 'structuredContent');
SELECT jsonb_pretty(kg_call_tool('find_issues', '{"project_path": "gitlab", "state": "open"}') -> 'structuredContent');

-- Two versions of one that writes: 0.2.0 can also say what is confidential, and its labels.
SELECT kg_register_tool('{"name": "new_issue", "version": "0.1.0", "kind": "query", "description": "Create an issue in a project.",
  "input_schema": {"required": ["id", "project_path", "title"], "properties": {"id": {"type": "string"}, "project_path": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"}}},
  "operation": {"tool": "create_issue", "arguments": {"items": [{"id": {"$arg": "id"}, "project": {"$arg": "project_path"}, "title": {"$arg": "title"}, "description": {"$arg": "description"}, "state": "opened"}]}}}');
SELECT kg_register_tool('{"name": "new_issue", "version": "0.2.0", "kind": "query", "description": "Create an issue in a project.",
  "input_schema": {"required": ["id", "project_path", "title"], "properties": {"id": {"type": "string"}, "project_path": {"type": "string"}, "title": {"type": "string"}, "description": {"type": "string"},
    "confidential": {"type": "boolean"}, "labels": {"type": "array", "items": {"type": "string"}}}},
  "operation": {"tool": "create_issue", "arguments": {"items": [{"id": {"$arg": "id"}, "project": {"$arg": "project_path"}, "title": {"$arg": "title"}, "description": {"$arg": "description"}, "confidential": {"$arg": "confidential"},
    "labels": {"$arg": "labels"}, "state": "opened"}]}}}');
-- All of what follows here is taken back.
BEGIN;
SELECT kg_call_tool('new_issue', '{"id": "8", "project_path": "docs", "title": "A broken link", "labels": ["docs"]}') - 'content' AS made;
SELECT kg_call_tool('new_issue', '{"id": "9", "project_path": "docs", "title": "Another"}', '{"version": "0.1.0"}') - 'content' AS made;
-- Three levels of errors: before anything is done, of the arguments; of the operation, where the database says no.
SELECT kg_call_tool('new_issue', '{"id": "10", "project_path": "docs", "title": "x", "labels": ["docs"]}', '{"version": "0.1.0"}') #- '{structuredContent,error,call}' -> 'structuredContent' AS refused;
SELECT jsonb_pretty(kg_call_tool('new_issue', '{"id": "10", "project_path": "nowhere", "title": ""}') -> 'structuredContent');
-- Several that write are all or nothing: the issue is made, its new title is none, so it is not made.
SELECT kg_register_tool('{"name": "move_issue", "version": "1.0.0", "kind": "sequence", "description": "Create an issue in another project, and say so in the title of the old one.",
  "input_schema": {"required": ["id", "new_id", "project_path", "title", "old_title"], "properties": {"id": {"type": "string"}, "new_id": {"type": "string"}, "project_path": {"type": "string"}, "title": {"type": "string"}, "old_title": {"type": "string"}}},
  "operations": [{"name": "createIssue", "tool": "create_issue", "arguments": {"items": [{"id": {"$arg": "new_id"}, "project": {"$arg": "project_path"}, "title": {"$arg": "title"}, "state": "opened"}]}},
    {"name": "updateIssue", "tool": "update_issue", "arguments": {"items": [{"id": {"$arg": "id"}, "set": {"title": {"$arg": "old_title"}, "state": "closed"}}]}}]}');
SELECT e ->> 'message' AS message, e #>> '{errors,0,level}' AS level, e #>> '{errors,0,path}' AS path FROM (SELECT kg_call_tool('move_issue', '{"id": "7", "new_id": "11", "project_path": "gitlab", "title": "A typing error", "old_title": ""}') #> '{structuredContent,error}') x(e);
SELECT count(*) AS made FROM kg_entity WHERE entity_id = '11';
SELECT kg_call_tool('move_issue', '{"id": "7", "new_id": "11", "project_path": "gitlab", "title": "A typing error", "old_title": "A typing error (moved)"}') #> '{structuredContent,results}' AS results;
ROLLBACK;

-- Three operations on notes in one tool.
SELECT kg_register_tool('{"name": "work_item_notes", "version": "1.0.0", "kind": "composite", "description": "Notes on an issue: read one, list them, or write one.",
  "input_schema": {"required": ["operation"], "properties": {"operation": {"enum": ["get_note", "list_notes", "create_note"]}, "id": {"type": "string"}, "issue": {"type": "string"}, "body": {"type": "string"}}},
  "select": {"$arg": "operation"}, "operations": {
    "create_note": {"tool": "create_note", "arguments": {"items": [{"id": {"$arg": "id"}, "issue": {"$arg": "issue"}, "body": {"$arg": "body"}}]}},
    "get_note": {"tool": "get_note", "arguments": {"id": {"$arg": "id"}}},
    "list_notes": {"tool": "list_note", "arguments": {"filters": {"issue": {"$arg": "issue"}}, "fields": ["body"]}}}}');
SELECT jsonb_pretty(kg_call_tool('work_item_notes', '{"operation": "list_notes", "issue": "581892"}') - 'content');
SELECT jsonb_pretty(kg_call_tool('work_item_notes', '{"operation": "get_note"}') - 'content');

-- Several in order, where a later one takes from the reply of an earlier one.
SELECT kg_register_tool('{"name": "issue_context", "version": "1.0.0", "kind": "sequence", "description": "An issue, its project, and another one to compare.",
  "input_schema": {"required": ["issue", "other"], "properties": {"issue": {"type": "string"}, "other": {"type": "string"}}},
  "operations": [{"name": "issue", "tool": "describe_entity", "arguments": {"id": {"$arg": "issue"}}},
    {"name": "project", "tool": "describe_entity", "arguments": {"id": {"$result": "issue", "path": "/project"}}},
    {"name": "other", "tool": "describe_entity", "arguments": {"id": {"$arg": "other"}}}]}');
SELECT jsonb_pretty(kg_call_tool('issue_context', '{"issue": "issue:581890", "other": "issue:7"}') -> 'structuredContent');
-- It fails: two are told, each with its operation, and the one between was not tried.
SELECT jsonb_pretty(kg_call_tool('issue_context', '{"issue": "issue:1", "other": "issue:2"}') -> 'structuredContent');

-- A change of the bundle that would break a tool is refused.
SELECT e ->> 'message' AS refused, e ->> 'path' AS path
  FROM kg_apply_bundle(kg_export_bundle('issue-tracker') #- '{schemas,1,schema,properties,created,x-index}', '{"dry_run": true}') r, jsonb_array_elements(r -> 'errors') e;
RESET ROLE;
