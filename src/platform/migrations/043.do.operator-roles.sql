-- Roles of operators. Existing operators could do everything, so they become admins.
ALTER TABLE accounts
  ADD COLUMN operator_role text CHECK (operator_role IN ('viewer', 'operator', 'admin')),
  ADD COLUMN revoked_at    timestamptz;
UPDATE accounts SET operator_role = 'admin' WHERE role = 'operator';
ALTER TABLE accounts
  ADD CONSTRAINT accounts_operator_role CHECK ((role = 'operator') = (operator_role IS NOT NULL));

ALTER TABLE api_keys
  ADD COLUMN name         text,
  -- Written at most once a minute per key.
  ADD COLUMN last_used_at timestamptz;
