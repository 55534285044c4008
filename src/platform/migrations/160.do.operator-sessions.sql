-- Sessions of operators in the console. The cookie is stored as a hash.
CREATE TABLE operator_sessions (
  token_hash  bytea PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES accounts,
  -- The key that the operator signed in with; the session ends with it. Null for OpenID Connect.
  key_id      uuid REFERENCES api_keys,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL
);
CREATE INDEX operator_sessions_expiry ON operator_sessions (expires_at);
