-- Acts that change accounts, catalog, stock set-up, rates and orders. The names of actions are in src/accounts/audit-actions.ts.
CREATE TABLE audit_log (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           timestamptz NOT NULL DEFAULT now(),
  -- No reference: the row outlives what it names. Null for acts on the command line.
  actor_id     uuid,
  actor_name   text NOT NULL,
  actor_role   text NOT NULL CHECK (actor_role IN ('viewer', 'operator', 'admin', 'client', 'partner', 'system')),
  action       text NOT NULL,
  object_type  text NOT NULL,
  object_id    text NOT NULL,
  -- Without secrets and without personal data of recipients, because rows cannot be changed later.
  before       jsonb,
  after        jsonb,
  request_id   text,
  address      inet
);
CREATE INDEX audit_log_at ON audit_log (at, id);
CREATE INDEX audit_log_actor_id ON audit_log (actor_id, at, id);
CREATE INDEX audit_log_actor_name ON audit_log (actor_name, at, id);
CREATE INDEX audit_log_action ON audit_log (action, at, id);
CREATE INDEX audit_log_object ON audit_log (object_id, at, id);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_log is append-only';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
