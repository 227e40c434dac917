-- What policy.cedar says, as an authorizer function over the same data: the
-- oracle of the test.  The test makes the tables.
CREATE FUNCTION authz.decide(resource_type text, ability text, ids text[]) RETURNS TABLE (id text, allowed boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT p.id, (p.public OR public.kg_claim('sub') = ANY (p.members))
      AND NOT (p.archived AND (SELECT u.guest FROM authz.users u WHERE u.id = public.kg_claim('sub')))
    FROM authz.projects p WHERE $1 = 'project' AND $2 = 'read_project' AND p.id = ANY ($3)
  UNION ALL
  SELECT n.id, NOT n.confidential OR n.author = public.kg_claim('sub')
    FROM authz.notes n WHERE $1 = 'note' AND $2 = 'read_note' AND n.id = ANY ($3)
$$;
